// Memory of the host that grows and never shrinks, so that large pieces between small ones cost no clearing.
#ifndef QFUSE_CHECKPOINT_HOST_MEMORY_H
#define QFUSE_CHECKPOINT_HOST_MEMORY_H

#include <algorithm>
#include <bit>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "runtime/memory.h"

namespace qfuse::checkpoint {

enum class HostMemoryKind { plain, pinned };  // pinned: GPUs copy from and to it while the host goes on

class HostMemory {
 public:
  explicit HostMemory(HostMemoryKind kind = HostMemoryKind::plain) : kind_(kind) {}

  // Room for `size` bytes, until it is asked for more.
  std::span<std::byte> room(std::size_t size) {
    if (kind_ == HostMemoryKind::pinned) return pinned_room(size);
    plain_.resize(std::max(plain_.size(), size));
    return std::span(plain_).first(size);
  }

 private:
  // In powers of two: pinning is slow, and a tensor's last piece is a little larger than another's.
  std::span<std::byte> pinned_room(std::size_t size) {
    if (pinned_ == nullptr || pinned_->size() < size) {
      pinned_.reset();
      pinned_ = std::make_unique<runtime::PinnedMemory>(std::bit_ceil(size));
    }
    return {pinned_->data(), size};
  }

  HostMemoryKind kind_;
  std::vector<std::byte> plain_;
  std::unique_ptr<runtime::PinnedMemory> pinned_;
};

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_HOST_MEMORY_H
