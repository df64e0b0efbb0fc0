// The contract of lora_merge: its parameters, their checks, and the list of its arrays.
#ifndef QFUSE_CONTRACT_LORA_MERGE_H
#define QFUSE_CONTRACT_LORA_MERGE_H

#include "contract/arrays.h"
#include "contract/ranges.h"
#include "format/layout.h"

namespace qfuse::contract {

struct LoraMerge : qfuse_lora_merge_params {
  static constexpr const char* kName = "lora_merge";
  static constexpr bool kInPlace = true;  // every backend reads an element before it writes it, in the same thread
};

inline bool is_empty(const LoraMerge& p) { return p.rows == 0 || p.cols == 0; }

inline Outcome check_ranges(const LoraMerge& p) {
  if (Outcome o = check_matrix(p.rows, p.cols); !o.ok()) return o;
  if (Outcome o = check_matrix("rank", p.rank, "cols", p.cols); !o.ok()) return o;
  if (Outcome o = check_matrix("rows", p.rows, "rank", p.rank); !o.ok()) return o;
  if (Outcome o = check_dtype("in_dtype", p.in_dtype); !o.ok()) return o;
  return check_dtype("out_dtype", p.out_dtype);
}

template <ParamsOf<LoraMerge> P, class Visit>
void visit_arrays(P& p, Visit& visit) {
  constexpr std::int64_t kFloat = sizeof(float);
  visit("in", p.in, p.rows * p.cols * format::dtype_size(p.in_dtype));
  visit("a", p.a, is_empty(p) ? 0 : p.rank * p.cols * kFloat);
  visit("b", p.b, is_empty(p) ? 0 : p.rows * p.rank * kFloat);
  visit("out", p.out, p.rows * p.cols * format::dtype_size(p.out_dtype));
}

}  // namespace qfuse::contract

#endif  // QFUSE_CONTRACT_LORA_MERGE_H
