// Host memory that grows and never shrinks, so that no memory is cleared when large and small pieces alternate.
#ifndef QFUSE_CHECKPOINT_DEVICE_HOST_MEMORY_H
#define QFUSE_CHECKPOINT_DEVICE_HOST_MEMORY_H

#include <qfuse/qfuse.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace qfuse::checkpoint {

// Returns `size` bytes of `memory` on `gpu`. It grows in powers of two, because allocating is slow and the last pieces
// of tensors differ a little in size.
template <class Memory>
std::span<std::byte> room_in(std::unique_ptr<Memory>& memory, qfuse_device gpu, std::size_t size) {
  if (memory == nullptr || memory->size() < size) {
    memory.reset();
    memory = std::make_unique<Memory>(gpu, std::bit_ceil(size));
  }
  return {memory->data(), size};
}

class HostMemory {
 public:
  HostMemory() = default;
  // Pinned memory, so that copies to and from the GPU run while the host continues.
  explicit HostMemory(qfuse_device gpu) : gpu_(gpu) {}

  // Returns `size` bytes, valid until a call for a larger size.
  std::span<std::byte> room(std::size_t size) {
    if (gpu_) return room_in(pinned_, *gpu_, size);
    plain_.resize(std::max(plain_.size(), size));
    return std::span(plain_).first(size);
  }

 private:
  std::optional<qfuse_device> gpu_;
  std::vector<std::byte> plain_;
  std::unique_ptr<PinnedMemory> pinned_;
};

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_DEVICE_HOST_MEMORY_H
