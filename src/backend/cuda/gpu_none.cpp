#include "backend/cuda/gpu.h"

namespace qfuse::cuda {
namespace {

format::Outcome none() { return format::unsupported("this build of qfuse has no CUDA"); }

}  // namespace

int device_count() { return 0; }

std::string describe_device(int /*index*/) { return {}; }

format::Outcome device_facts(int /*index*/, DeviceFacts& /*facts*/) { return none(); }

format::Outcome allocate(int /*device*/, std::int64_t /*bytes*/, void*& /*memory*/) { return none(); }

void release(int /*device*/, void* /*memory*/) {}

format::Outcome allocate_pinned(int /*device*/, std::int64_t /*bytes*/, void*& /*memory*/) { return none(); }

void release_pinned(int /*device*/, void* /*memory*/) {}

format::Outcome create_stream(int /*device*/, void*& /*stream*/) { return none(); }

void destroy_stream(int /*device*/, void* /*stream*/) {}

format::Outcome copy(int /*device*/, void* /*to*/, const void* /*from*/, std::int64_t /*bytes*/, void* /*stream*/) {
  return none();
}

format::Outcome synchronize(int /*device*/, void* /*stream*/) { return none(); }

}  // namespace qfuse::cuda
