// In the library this is in src/ops/registry.cpp (an entry per backend) and in src/capi/qfuse.cpp (one function).
#include "skeleton/scale.h"

#include <array>

#include "capi/run.h"
#include "ops/registry.h"
#include "skeleton/kernels.h"

namespace qfuse {
namespace {

using SkeletonOps = contract::OpList<contract::Scale>;

constexpr std::array kBackends = {
    ops::Backend<SkeletonOps>{QFUSE_REFERENCE, {ops::oracle<contract::Scale, reference::scale>}},
    ops::Backend<SkeletonOps>{QFUSE_CPU, {cpu::scale}},
#ifdef QFUSE_WITH_CUDA
    ops::Backend<SkeletonOps>{QFUSE_CUDA, {cuda::ops::scale}},
#endif
};

}  // namespace
}  // namespace qfuse

qfuse_status qfuse_scale(const qfuse_scale_params* params, const qfuse_exec* exec, qfuse_error* error) {
  return qfuse::capi::run<qfuse::contract::Scale>(qfuse::ops::Backends<qfuse::SkeletonOps>(qfuse::kBackends), params,
                                                  exec, error);
}
