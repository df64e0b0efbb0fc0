// in:     in [n] fp32, fp16 or bf16; any address
// out:    [n] of the same dtype; any address
// math:   out = round(in * factor), each step rounded in fp32
// cost:   2n or 4n bytes read and as many written: bound by device memory
// oracle: reference/scale.cpp
#include "backend/cuda/device/launch.cuh"
#include "backend/cuda/gpu.h"
#include "skeleton/backend/cuda/scale/steps.cuh"
#include "skeleton/kernels.h"

namespace qfuse::cuda::scale {
namespace {

template <class T>
__global__ void __launch_bounds__(kThreads) scale_values(const __grid_constant__ contract::Scale p) {
  const std::int64_t tile = static_cast<std::int64_t>(blockIdx.x) * kThreads * kValues;
#pragma unroll
  for (int v = 0; v < kValues; ++v) {
    const std::int64_t i = tile + v * kThreads + threadIdx.x;
    if (i >= p.n) return;
    store<false>(static_cast<T*>(p.out) + i, scaled(load<false>(static_cast<const T*>(p.in) + i), p.factor));
  }
}

contract::Outcome launch_scale(const contract::Scale& p, const Plan& plan, const qfuse_exec& exec) {
  const LaunchShape shape = {.blocks = plan.blocks, .threads = plan.threads};
  switch (p.dtype) {
    case QFUSE_FLOAT32: return launch(scale_values<float>, shape, p, exec);
    case QFUSE_FLOAT16: return launch(scale_values<Half>, shape, p, exec);
    case QFUSE_BFLOAT16: return launch(scale_values<Bfloat16>, shape, p, exec);
  }
  return {};
}

}  // namespace

}  // namespace qfuse::cuda::scale

namespace qfuse::cuda {

contract::Outcome ops::scale(const contract::Scale& p, const qfuse_exec& exec) {
  using namespace cuda::scale;
  DeviceFacts facts;
  if (contract::Outcome o = device_facts(exec.device.index, facts); !o.ok()) return o;
  Plan how = plan(p, facts);
  if (contract::Outcome o = contract::settle("cuda", how, [&] { return candidates(p, facts); }); !o.ok()) return o;
  return how.bulk ? launch_scale_bulk(p, how, exec) : launch_scale(p, how, exec);
}

}  // namespace qfuse::cuda
