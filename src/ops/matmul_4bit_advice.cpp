#include "ops/matmul_4bit_advice.h"

#include <limits>

#include "backend/cpu/kernels.h"
#include "backend/cuda/kernels.h"
#include "contract/ranges.h"
#include "ops/registry.h"

namespace qfuse::ops {

contract::Outcome find_advice(const contract::Matmul4bit& p, const qfuse_device& device,
                              contract::Matmul4bitAdvice& advice) {
  using contract::Matmul4bit;
  using contract::Outcome;
  constexpr std::int64_t kAlways = std::numeric_limits<std::int64_t>::max();
  qfuse_exec exec = QFUSE_EXEC_INIT;
  exec.device = device;
  if (Outcome o = contract::check_matrix(p.weight.rows, p.weight.cols); !o.ok()) return o;
  if (Outcome o = contract::check_blocksize(p.weight.blocksize); !o.ok()) return o;
  if (Outcome o = contract::check_dtype("dtype", p.dtype); !o.ok()) return o;
  if (Outcome o = contract::check_direction(p.direction); !o.ok()) return o;
  if (Outcome o = contract::check(exec); !o.ok()) return o;
  const bool is_gpu = device.type == QFUSE_CUDA;
  if (!is_gpu && find_kernel<Matmul4bit>(backends(), device.type) == nullptr)
    return no_kernel<Matmul4bit>(backends(), device.type);
  // REFERENCE has a single implementation.
  advice = is_gpu                     ? cuda::advise(p, device.index)
           : device.type == QFUSE_CPU ? cpu::advise(p)
                                      : contract::Matmul4bitAdvice{QFUSE_SUM_OF_DEVICE, 0, kAlways};
  return {};
}

}  // namespace qfuse::ops
