// The contract of dequantize_blockwise: its parameters, their checks, and the list of its arrays.
#ifndef QFUSE_CONTRACT_DEQUANTIZE_BLOCKWISE_H
#define QFUSE_CONTRACT_DEQUANTIZE_BLOCKWISE_H

#include "contract/arrays.h"
#include "contract/ranges.h"
#include "format/layout.h"

namespace qfuse::contract {

struct DequantizeBlockwise : qfuse_dequantize_blockwise_params {
  static constexpr const char* kName = "dequantize_blockwise";
};

inline bool is_empty(const DequantizeBlockwise& p) { return p.n == 0; }

inline Outcome check_ranges(const DequantizeBlockwise& p) {
  if (Outcome o = check_count("n", p.n); !o.ok()) return o;
  if (Outcome o = check_power_of_two("blocksize", p.blocksize); !o.ok()) return o;
  return check_dtype("out_dtype", p.out_dtype);
}

template <ParamsOf<DequantizeBlockwise> P, class Visit>
void visit_arrays(P& p, Visit& visit) {
  constexpr std::int64_t kFloat = sizeof(float);
  visit("codes", p.codes, p.n);
  visit("absmax", p.absmax, format::block_count(p.n, p.blocksize) * kFloat);
  visit("quant_map", p.quant_map, is_empty(p) ? 0 : format::kCodes8 * kFloat);
  visit("out", p.out, p.n * format::dtype_size(p.out_dtype));
}

}  // namespace qfuse::contract

#endif  // QFUSE_CONTRACT_DEQUANTIZE_BLOCKWISE_H
