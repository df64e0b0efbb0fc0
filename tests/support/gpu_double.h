// Replaces the GPU where there is none: registers a vendor and a backend that use the host's memory and the CPU's
// kernels, so that a pipeline's order, memory and failures are tested everywhere. It is the most inconvenient GPU that
// is allowed: every other stream works at once, which exposes data that is sent too early. The rest work as late as
// possible, which exposes data that is overwritten or read too early.
#ifndef QFUSE_TESTS_SUPPORT_GPU_DOUBLE_H
#define QFUSE_TESTS_SUPPORT_GPU_DOUBLE_H

#include <cstdint>
#include <set>

namespace qfuse::tests {

struct GpuDouble {
  int devices = 2;
  bool pinned_only = true;  // refuse copies with host memory that is not pinned: they would block
  int failing_call = 0;     // number, from 1, of the call that fails among those that can; 0: none

  int calls = 0;                  // calls that could have failed
  int busy = 0;                   // streams whose work nobody has waited for yet
  int most_busy = 0;              // largest value of busy so far
  std::int64_t device_bytes = 0;  // allocated now
  std::int64_t pinned_bytes = 0;
  std::int64_t most_device_bytes = 0;  // largest value so far
  std::int64_t most_pinned_bytes = 0;
  std::set<int> used;  // devices named by calls
};

// Installs the double instead of CUDA. Call it before any op runs.
void install_gpu_double();

// Returns the only double. A test resets it with = {}. Not thread-safe.
GpuDouble& gpu_double();

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_SUPPORT_GPU_DOUBLE_H
