#include <exception>
#include <qfuse/checkpoint.hpp>

#include "checkpoint/convert/decode.h"

namespace qfuse::checkpoint {
namespace {

// Whether a GPU is usable; it may be too old for this build, taken by another process or full.
bool works(qfuse_device device) {
  try {
    Pipeline pipeline(Exec{.device = device});
    require_decodable(pipeline);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

qfuse_device best_device() {
  const std::int32_t gpus = qfuse_device_count(QFUSE_CUDA);
  for (std::int32_t i = 0; i < gpus; ++i)
    if (works({QFUSE_CUDA, i})) return {QFUSE_CUDA, i};
  return {QFUSE_CPU, 0};
}

}  // namespace qfuse::checkpoint
