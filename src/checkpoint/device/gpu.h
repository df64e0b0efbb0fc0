// What a pipeline over a GPU needs of it. The one place that knows where that comes from.
#ifndef QFUSE_CHECKPOINT_DEVICE_GPU_H
#define QFUSE_CHECKPOINT_DEVICE_GPU_H

#include <qfuse/qfuse.hpp>

#include "runtime/devices.h"
#include "runtime/memory.h"

namespace qfuse::checkpoint {

using runtime::DeviceMemory;
using runtime::PinnedMemory;
using runtime::Stream;

// Calls `work`; what a GPU throws from it leaves as qfuse::Error.
template <class Work>
auto with_gpu_errors(Work work) {
  try {
    return work();
  } catch (const runtime::Failure& failure) {
    throw Error(static_cast<Status>(failure.status()), failure.what());
  }
}

// Unsupported, and why, where there is no GPU of that number.
inline void require_gpu(int index) { runtime::require(runtime::check_gpu(index)); }

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_DEVICE_GPU_H
