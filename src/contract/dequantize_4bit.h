// The contract of dequantize_4bit: its parameters, their checks, and the list of its arrays.
#ifndef QFUSE_CONTRACT_DEQUANTIZE_4BIT_H
#define QFUSE_CONTRACT_DEQUANTIZE_4BIT_H

#include "contract/ranges.h"
#include "contract/weight_4bit.h"

namespace qfuse::contract {

struct Dequantize4bit : qfuse_dequantize_4bit_params {
  static constexpr const char* kName = "dequantize_4bit";
  qfuse_weight_4bit weight;  // by value: replaces the base struct's pointer
};

inline bool is_empty(const Dequantize4bit& p) { return element_count(p.weight) == 0; }

inline Outcome check_ranges(const Dequantize4bit& p) {
  if (Outcome o = check_ranges_of_any(p.weight); !o.ok()) return o;
  if (Outcome o = check_no_begin(p.weight); !o.ok()) return o;
  return check_dtype("out_dtype", p.out_dtype);
}

template <ParamsOf<Dequantize4bit> P, class Visit>
void visit_arrays(P& p, Visit& visit) {
  visit_arrays(p.weight, visit);
  visit("out", p.out, element_count(p.weight) * format::dtype_size(p.out_dtype));
}

}  // namespace qfuse::contract

#endif  // QFUSE_CONTRACT_DEQUANTIZE_4BIT_H
