#include "backend/cuda/kernels.h"
#include "backend/cuda/matmul_4bit/plan.h"
#ifdef QFUSE_WITH_CUDA
#include "backend/cuda/gpu.h"
#endif

namespace qfuse::cuda {

contract::Matmul4bitAdvice advise(const contract::Matmul4bit& p, [[maybe_unused]] int index) {
  DeviceFacts facts;
#ifdef QFUSE_WITH_CUDA
  if (!device_facts(index, facts).ok()) facts = {};
#endif
  return matmul_4bit::advise(p, facts);
}

}  // namespace qfuse::cuda
