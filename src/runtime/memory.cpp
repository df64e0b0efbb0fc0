#include "runtime/memory.h"

#include <algorithm>

#include "backend/cuda/gpu.h"

namespace qfuse::runtime {
namespace {

// No allocator is asked for nothing.
std::int64_t at_least_one(std::size_t size) { return static_cast<std::int64_t>(std::max<std::size_t>(size, 1)); }

}  // namespace

DeviceMemory::DeviceMemory(int device, std::size_t size) : device_(device), size_(size) {
  require(cuda::allocate(device_, at_least_one(size_), data_));
}

DeviceMemory::~DeviceMemory() { cuda::release(device_, data_); }

PinnedMemory::PinnedMemory(std::size_t size) : size_(size) {
  require(cuda::allocate_pinned(at_least_one(size_), data_));
}

PinnedMemory::~PinnedMemory() { cuda::release_pinned(data_); }

Stream::Stream(int device) : device_(device) { require(cuda::create_stream(device_, handle_)); }

Stream::~Stream() { cuda::destroy_stream(device_, handle_); }

void Stream::copy(void* to, const void* from, std::size_t size) {
  require(cuda::copy(device_, to, from, static_cast<std::int64_t>(size), handle_));
}

void Stream::synchronize() { require(cuda::synchronize(device_, handle_)); }

}  // namespace qfuse::runtime
