// The contract of dequantize_int8: its parameters, their checks, and the list of its arrays.
#ifndef QFUSE_CONTRACT_DEQUANTIZE_INT8_H
#define QFUSE_CONTRACT_DEQUANTIZE_INT8_H

#include "contract/arrays.h"
#include "contract/ranges.h"
#include "format/layout.h"

namespace qfuse::contract {

struct DequantizeInt8 : qfuse_dequantize_int8_params {
  static constexpr const char* kName = "dequantize_int8";
};

inline bool is_empty(const DequantizeInt8& p) { return p.rows == 0 || p.cols == 0; }

inline Outcome check_ranges(const DequantizeInt8& p) {
  if (Outcome o = check_matrix(p.rows, p.cols); !o.ok()) return o;
  return check_dtype("out_dtype", p.out_dtype);
}

template <ParamsOf<DequantizeInt8> P, class Visit>
void visit_arrays(P& p, Visit& visit) {
  visit("in", p.in, p.rows * p.cols);
  visit("scb", p.scb, is_empty(p) ? 0 : p.rows * static_cast<std::int64_t>(sizeof(float)));
  visit("out", p.out, p.rows * p.cols * format::dtype_size(p.out_dtype));
}

}  // namespace qfuse::contract

#endif  // QFUSE_CONTRACT_DEQUANTIZE_INT8_H
