// Arguments that scale accepts. In the library this is src/contract/<op>.h, and ops.h lists its struct.
#ifndef QFUSE_TESTS_SKELETON_CONTRACT_SCALE_H
#define QFUSE_TESTS_SKELETON_CONTRACT_SCALE_H

#include "contract/ops.h"
#include "skeleton/scale.h"

namespace qfuse::contract {

struct Scale : qfuse_scale_params {
  static constexpr const char* kName = "scale";
};

inline bool is_empty(const Scale& p) { return p.n == 0; }

inline Outcome check_ranges(const Scale& p) {
  if (Outcome o = check_count("n", p.n); !o.ok()) return o;
  return check_dtype("dtype", p.dtype);
}

template <ParamsOf<Scale> P, class Visit>
void visit_arrays(P& p, Visit& visit) {
  visit("in", p.in, p.n * format::dtype_size(p.dtype));
  visit("out", p.out, p.n * format::dtype_size(p.dtype));
}

}  // namespace qfuse::contract

#endif  // QFUSE_TESTS_SKELETON_CONTRACT_SCALE_H
