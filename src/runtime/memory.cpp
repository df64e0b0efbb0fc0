#include "runtime/memory.h"

#include <algorithm>
#include <string>

#include "backend/cuda/gpu.h"

namespace qfuse::runtime {
namespace {

// No allocator is asked for nothing.
std::int64_t at_least_one(std::size_t size) { return static_cast<std::int64_t>(std::max<std::size_t>(size, 1)); }

std::string bytes_of(std::size_t size) { return std::to_string(size) + " bytes"; }

// A failure says what failed where.
void require_on(const std::string& where, const std::string& what, format::Outcome outcome) {
  if (outcome.ok()) return;
  outcome.message = where + ": " + what + ": " + outcome.message;
  throw Failure(outcome);
}

std::string name_of(int device) { return "cuda:" + std::to_string(device); }

}  // namespace

DeviceMemory::DeviceMemory(int device, std::size_t size) : device_(device), size_(size) {
  require_on(name_of(device_), bytes_of(size_) + " of its memory", cuda::allocate(device_, at_least_one(size_), data_));
}

DeviceMemory::~DeviceMemory() { cuda::release(device_, data_); }

PinnedMemory::PinnedMemory(int device, std::size_t size) : device_(device), size_(size) {
  require_on(name_of(device_), bytes_of(size_) + " of pinned memory",
             cuda::allocate_pinned(device_, at_least_one(size_), data_));
}

PinnedMemory::~PinnedMemory() { cuda::release_pinned(device_, data_); }

Stream::Stream(int device) : device_(device) {
  require_on(name_of(device_), "a stream", cuda::create_stream(device_, handle_));
}

Stream::~Stream() { cuda::destroy_stream(device_, handle_); }

void Stream::copy(void* to, const void* from, std::size_t size) {
  require_on(name_of(device_), "a copy", cuda::copy(device_, to, from, static_cast<std::int64_t>(size), handle_));
}

void Stream::synchronize() { require_on(name_of(device_), "its work", cuda::synchronize(device_, handle_)); }

}  // namespace qfuse::runtime
