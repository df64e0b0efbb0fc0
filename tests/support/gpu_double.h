// Stands in for a GPU where there is none: a vendor's row and a backend's row over the host's memory and the CPU's
// kernels, so that a pipeline's order, memory and failures are tested everywhere. It is the most inconvenient GPU that
// is allowed: of its streams every other works at once, which shows data that was sent
// before it was there, and the rest as late as they may, which shows data that was overwritten or taken too early.
#ifndef QFUSE_TESTS_SUPPORT_GPU_DOUBLE_H
#define QFUSE_TESTS_SUPPORT_GPU_DOUBLE_H

#include <cstdint>
#include <set>

namespace qfuse::tests {

struct GpuDouble {
  int devices = 2;
  bool pinned_only = true;  // refuse copies from and to memory of the host that is not pinned: they would wait
  int failing_call = 0;     // of those that can fail, the one of this number, from 1, does; 0: none

  int calls = 0;                  // that could have failed
  int busy = 0;                   // streams with work that nobody has waited for yet
  int most_busy = 0;              // of these at any time
  std::int64_t device_bytes = 0;  // allocated now
  std::int64_t pinned_bytes = 0;
  std::int64_t most_device_bytes = 0;  // at any time
  std::int64_t most_pinned_bytes = 0;
  std::set<int> used;  // devices that a call named
};

// Puts the double in the place of CUDA. Before any op runs.
void install_gpu_double();

// The one there is; a test sets it back with = {}. For one thread.
GpuDouble& gpu_double();

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_SUPPORT_GPU_DOUBLE_H
