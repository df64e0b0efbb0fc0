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
  qfuse_exec exec = QFUSE_EXEC_INIT;
  exec.device = device;
  if (Outcome o = contract::check_matrix(p.weight.rows, p.weight.cols); !o.ok()) return o;
  if (Outcome o = contract::check_blocksize(p.weight.blocksize); !o.ok()) return o;
  if (Outcome o = contract::check_dtype("dtype", p.dtype); !o.ok()) return o;
  if (Outcome o = contract::check(exec); !o.ok()) return o;
  const bool is_gpu = device.type == QFUSE_CUDA;
  if (!is_gpu && find_kernel<Matmul4bit>(backends(), device.type) == nullptr)
    return no_kernel<Matmul4bit>(backends(), device.type);
  // Elsewhere than on a GPU no library for dense matrices is beside the op. REFERENCE has a GPU's orders, Hopper's, and so
  // has a CPU whose instructions have none.
  advice = cuda::matmul_4bit_advice(p, device);
  if (is_gpu) return {};
  if (device.type == QFUSE_CPU && cpu::has_two_orders(p)) advice.split_rows = cpu::kRowsOfDots;
  advice.fused_rows = std::numeric_limits<std::int64_t>::max();
  return {};
}

}  // namespace qfuse::ops
