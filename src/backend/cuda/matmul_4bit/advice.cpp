#include "backend/cuda/kernels.h"
#include "backend/cuda/matmul_4bit/plan.h"
#ifdef QFUSE_WITH_CUDA
#include "backend/cuda/gpu.h"
#endif

namespace qfuse::cuda {

contract::Matmul4bitAdvice matmul_4bit_advice(const contract::Matmul4bit& p, const qfuse_device& device) {
  if (device.type != QFUSE_CUDA) return advise(p, kH200);
  DeviceFacts facts;
#ifdef QFUSE_WITH_CUDA
  if (!device_facts(device.index, facts).ok()) facts = {};
#endif
  return advise(p, facts);
}

}  // namespace qfuse::cuda
