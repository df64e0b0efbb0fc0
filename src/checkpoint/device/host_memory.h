// Memory of the host that grows and never shrinks, so that large pieces between small ones cost no clearing.
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

// Room for `size` bytes in `memory`, of `gpu`, which grows in powers of two: getting it is slow, and one tensor's last
// piece is a little larger than another's.
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
  // Pinned, so that the GPU copies from and to it while the host goes on.
  explicit HostMemory(qfuse_device gpu) : gpu_(gpu) {}

  // Room for `size` bytes, until it is asked for more.
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
