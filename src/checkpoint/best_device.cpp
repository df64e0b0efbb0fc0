#include <qfuse/checkpoint.hpp>

#include "checkpoint/decode.h"
#include "checkpoint/errors.h"
#include "runtime/devices.h"

namespace qfuse::checkpoint {
namespace {

// A GPU may be there and of no use: too old for this build, taken by another process, full.
bool works(qfuse_device device) {
  try {
    with_qfuse_errors([&] {
      Exec exec;
      exec.device = device;
      Pieces pieces(exec);
      require_decodable(pieces);
    });
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

qfuse_device best_device() {
  const int gpus = runtime::device_count(QFUSE_CUDA);
  for (int i = 0; i < gpus; ++i)
    if (works({QFUSE_CUDA, i})) return {QFUSE_CUDA, i};
  return {QFUSE_CPU, 0};
}

}  // namespace qfuse::checkpoint
