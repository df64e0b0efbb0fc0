#include "contract/rotated_int8.h"

#include <fmt/format.h>

namespace qfuse::contract {
namespace {

Outcome check_terms(const char* name, std::int64_t terms) {
  if (terms % format::kSmallRotatedBlock == 0) return {};
  return invalid_argument(
      fmt::format("{} is {}, it must be a multiple of {}", name, terms, format::kSmallRotatedBlock));
}

// Checks `cols` for BACKWARD too: this excludes no caller, because whoever computes dx also computes y FORWARD.
Outcome check_weight(const RotatedWeight auto& p) {
  if (Outcome o = check_ranges(p.weight); !o.ok()) return o;
  if (Outcome o = check_direction(p.direction); !o.ok()) return o;
  if (Outcome o = check_terms("cols", p.weight.cols); !o.ok()) return o;
  return p.direction == QFUSE_BACKWARD ? check_terms("rows", p.weight.rows) : Outcome{};
}

}  // namespace

Outcome check_ranges(const RotatedInt8Quantize& p) {
  if (Outcome o = check_matrix(p.rows, p.cols); !o.ok()) return o;
  if (Outcome o = check_terms("cols", p.cols); !o.ok()) return o;
  if (Outcome o = check_dtype("in_dtype", p.in_dtype); !o.ok()) return o;
  return check_rows("in_stride", p.in_stride, p.rows, "cols", p.cols);
}

Outcome check_ranges(const RotatedInt8WeightScales& p) { return check_weight(p); }
Outcome check_ranges(const RotatedInt8Weight& p) { return check_weight(p); }

Outcome check_ranges(const RotatedInt8Matmul& p) {
  if (Outcome o = check_matrix("m", p.m, "k", p.k); !o.ok()) return o;
  if (Outcome o = check_matrix("n", p.n, "k", p.k); !o.ok()) return o;
  if (Outcome o = check_terms("k", p.k); !o.ok()) return o;
  if (p.k > QFUSE_ROTATED_INT8_MOST_TERMS)
    return invalid_argument(fmt::format("k is {}, it must be at most {}: more products of 127 * 127 may leave int32",
                                        p.k, QFUSE_ROTATED_INT8_MOST_TERMS));
  if (Outcome o = check_dtype("dtype", p.dtype); !o.ok()) return o;
  if (Outcome o = check_rows("out_stride", p.out_stride, p.m, "n", p.n); !o.ok()) return o;
  if (Outcome o = check_direction(p.direction); !o.ok()) return o;
  if (Outcome o = check_matrix("m", p.m, "lora_rank", p.lora_rank); !o.ok()) return o;
  return check_matrix("n", p.n, "lora_rank", p.lora_rank);
}

Outcome check_ranges(const RotatedInt8Swiglu& p) {
  if (Outcome o = check_matrix("m", p.m, "h", p.h); !o.ok()) return o;
  if (Outcome o = check_matrix("2 * m", 2 * p.m, "h", p.h); !o.ok()) return o;
  if (Outcome o = check_terms("h", p.h); !o.ok()) return o;
  if (Outcome o = check_direction(p.direction); !o.ok()) return o;
  if (Outcome o = check_rows("gate_stride", p.gate_stride, p.m, "h", p.h); !o.ok()) return o;
  if (Outcome o = check_rows("up_stride", p.up_stride, p.m, "h", p.h); !o.ok()) return o;
  return check_rows("grad_y_stride", p.grad_y_stride, p.m, "h", p.h);
}

}  // namespace qfuse::contract
