// The list of all ops, and what every op has: a name, checks, and the number of bytes it moves. Backends and the C
// interface follow the order of this list.
#ifndef QFUSE_CONTRACT_OPS_H
#define QFUSE_CONTRACT_OPS_H

#include "contract/dequantize_4bit.h"
#include "contract/dequantize_blockwise.h"
#include "contract/dequantize_fp8.h"
#include "contract/dequantize_int8.h"
#include "contract/lora_merge.h"
#include "contract/matmul_4bit.h"
#include "contract/matmul_4bit_grouped.h"
#include "contract/matmul_4bit_many.h"
#include "contract/quantize_4bit.h"
#include "contract/quantize_blockwise.h"
#include "contract/rotated_int8.h"
#include "contract/swiglu.h"

namespace qfuse::contract {

template <class... Ops>
struct OpList {};

using AllOps = OpList<Dequantize4bit, Quantize4bit, QuantizeBlockwise, DequantizeBlockwise, DequantizeInt8, Swiglu,
                      Matmul4bit, LoraMerge, Matmul4bitMany, Matmul4bitGrouped, RotatedInt8Quantize,
                      RotatedInt8WeightScales, RotatedInt8Weight, RotatedInt8Matmul, DequantizeFp8, RotatedInt8Swiglu>;

// Whether the device supports what the call requests. Ops with restrictions have their own overload.
template <class Op>
Outcome check_device(const Op& /*p*/, const qfuse_device& /*device*/) {
  return {};
}

// Checks ranges, the workspace, and presence and overlap of all arrays, against the documentation in qfuse.h.
template <class Op>
Outcome check(const Op& p) {
  if (Outcome o = check_ranges(p); !o.ok()) return o;
  if constexpr (requires { workspace_size(p); })
    if (Outcome o = check_workspace(p.workspace_size, workspace_size(p)); !o.ok()) return o;
  constexpr bool kInPlace = requires { Op::kInPlace; };
  return check_arrays(ArrayList(p), kInPlace);
}

template <class Op>
std::int64_t bytes(const Op& p) {
  return total_size(ArrayList(p));
}

}  // namespace qfuse::contract

#endif  // QFUSE_CONTRACT_OPS_H
