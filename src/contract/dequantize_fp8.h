// The contract of dequantize_fp8: its parameters, their checks, and the list of its arrays.
#ifndef QFUSE_CONTRACT_DEQUANTIZE_FP8_H
#define QFUSE_CONTRACT_DEQUANTIZE_FP8_H

#include "contract/arrays.h"
#include "contract/ranges.h"
#include "format/elements.h"

namespace qfuse::contract {

struct DequantizeFp8 : qfuse_dequantize_fp8_params {
  static constexpr const char* kName = "dequantize_fp8";
};

inline bool is_empty(const DequantizeFp8& p) { return p.rows == 0 || p.cols == 0; }

inline Outcome check_ranges(const DequantizeFp8& p) {
  if (Outcome o = check_matrix(p.rows, p.cols); !o.ok()) return o;
  if (Outcome o = check_positive("block_rows", p.block_rows); !o.ok()) return o;
  if (Outcome o = check_positive("block_cols", p.block_cols); !o.ok()) return o;
  if (Outcome o = check_enumerator(
          "scale_type", p.scale_type,
          {"QFUSE_SCALES_FLOAT32", "QFUSE_SCALES_UE8M0", "QFUSE_SCALES_FLOAT16", "QFUSE_SCALES_BFLOAT16"});
      !o.ok())
    return o;
  return check_dtype("out_dtype", p.out_dtype);
}

template <ParamsOf<DequantizeFp8> P, class Visit>
void visit_arrays(P& p, Visit& visit) {
  const std::int64_t scales = format::ceil_div(p.rows, p.block_rows) * format::ceil_div(p.cols, p.block_cols);
  visit("codes", p.codes, p.rows * p.cols);
  visit("scales", p.scales, scales * format::scale_size(p.scale_type));
  visit("out", p.out, p.rows * p.cols * format::dtype_size(p.out_dtype));
}

}  // namespace qfuse::contract

#endif  // QFUSE_CONTRACT_DEQUANTIZE_FP8_H
