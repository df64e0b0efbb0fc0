// The contract of quantize_blockwise: its parameters, their checks, and the list of its arrays.
#ifndef QFUSE_CONTRACT_QUANTIZE_BLOCKWISE_H
#define QFUSE_CONTRACT_QUANTIZE_BLOCKWISE_H

#include "contract/arrays.h"
#include "contract/ranges.h"
#include "format/layout.h"

namespace qfuse::contract {

struct QuantizeBlockwise : qfuse_quantize_blockwise_params {
  static constexpr const char* kName = "quantize_blockwise";
};

inline bool is_empty(const QuantizeBlockwise& p) { return p.n == 0; }

inline Outcome check_ranges(const QuantizeBlockwise& p) {
  if (Outcome o = check_count("n", p.n); !o.ok()) return o;
  if (Outcome o = check_power_of_two("blocksize", p.blocksize); !o.ok()) return o;
  if (Outcome o = check_dtype("in_dtype", p.in_dtype); !o.ok()) return o;
  return check_reciprocal(p.reciprocal);
}

inline Outcome check_device(const QuantizeBlockwise& p, const qfuse_device& device) {
  return check_device(p.reciprocal, device);
}

template <ParamsOf<QuantizeBlockwise> P, class Visit>
void visit_arrays(P& p, Visit& visit) {
  visit("in", p.in, p.n * format::dtype_size(p.in_dtype));
  visit("codes", p.codes, p.n);
  visit("absmax", p.absmax, format::block_count(p.n, p.blocksize) * static_cast<std::int64_t>(sizeof(float)));
}

}  // namespace qfuse::contract

#endif  // QFUSE_CONTRACT_QUANTIZE_BLOCKWISE_H
