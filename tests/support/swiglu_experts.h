// Calls of swiglu with several experts: the cases, and the combinations of options to call them with.
#ifndef QFUSE_TESTS_SUPPORT_SWIGLU_EXPERTS_H
#define QFUSE_TESTS_SUPPORT_SWIGLU_EXPERTS_H

#include <qfuse/qfuse.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "contract/swiglu.h"
#include "support/run.h"
#include "support/swiglu.h"

namespace qfuse::tests {

inline constexpr std::int64_t kExpertChannels = 256;

struct ExpertCase {
  const char* name;
  std::int64_t m;
  std::vector<std::int64_t> ends;
};

inline std::vector<ExpertCase> expert_cases() {
  std::vector<std::int64_t> many;
  for (std::int64_t e = 1; e <= 70; ++e) many.push_back(e * (e % 3 == 0 ? 4 : 3));
  std::sort(many.begin(), many.end());
  return {{"one that has all", 300, {300}},
          {"uneven, some empty", 700, {0, 1, 1, 128, 255, 255, 384, 513, 700, 700}},
          {"nobody's rows at the end", 600, {127, 130}},
          {"no rows at all", 256, {0, 0, 0}},
          {"more than a warp's lanes", 280, many},
          {"whole groups", 512, {128, 384, 512}}};
}

// Options of a call besides its rows.
struct ExpertsHow {
  qfuse_payload payload;
  qfuse_scale_layout scales;
  qfuse_expert_layout experts;
  qfuse_index_type index;
  Asked asked = Asked::all;
  SwigluExtras extras = {};
};

inline std::vector<ExpertsHow> every_experts_how() {
  std::vector<ExpertsHow> all;
  for (const auto payload : {QFUSE_INT8, QFUSE_E4M3})
    for (const auto scales : {QFUSE_SCALES_ROW_MAJOR, QFUSE_SCALES_MN_MAJOR})
      for (const auto experts : {QFUSE_EXPERTS_APART, QFUSE_EXPERTS_SIDE_BY_SIDE})
        all.push_back({payload, scales, experts, payload == QFUSE_INT8 ? QFUSE_INDEX_INT32 : QFUSE_INDEX_INT64});
  for (const Asked asked : {Asked::gradients, Asked::y, Asked::transposed, Asked::transposed_and_y})
    all.push_back({QFUSE_INT8, QFUSE_SCALES_ROW_MAJOR, QFUSE_EXPERTS_APART, QFUSE_INDEX_INT64, asked});
  for (const auto& [asked, extras] : {std::pair{Asked::all, kExtrasOfBfloat16[1]},
                                      {Asked::both, SwigluExtras{}},
                                      {Asked::y_rows, kExtrasOfBfloat16[5]},
                                      {Asked::both_y, SwigluExtras{}},
                                      {Asked::both_y, kExtrasOfBfloat16[5]}})
    all.push_back({QFUSE_E4M3, QFUSE_SCALES_MN_MAJOR, QFUSE_EXPERTS_SIDE_BY_SIDE, QFUSE_INDEX_INT32, asked, extras});
  return all;
}

class ExpertEnds {
 public:
  ExpertEnds(const std::vector<std::int64_t>& ends, qfuse_index_type type)
      : ends64_(ends), ends32_(ends.begin(), ends.end()), type_(type) {}
  void point(contract::Swiglu& p) const {
    p.experts.ends = type_ == QFUSE_INDEX_INT64 ? static_cast<const void*>(ends64_.data()) : ends32_.data();
    p.experts.count = static_cast<std::int64_t>(ends64_.size());
    p.experts.ends_type = type_;
  }

 private:
  std::vector<std::int64_t> ends64_;
  std::vector<std::int32_t> ends32_;
  qfuse_index_type type_;
};

// Makes outputs of the size that the manual specifies.
inline SwigluOutputs room_for(std::int64_t m, std::size_t experts, qfuse_scale_layout layout) {
  const std::int64_t columns = (m + 127 * static_cast<std::int64_t>(experts)) / 128 * 128;
  return {m, kExpertChannels, columns, 0, layout};
}

inline qfuse_status run_experts(const SwigluInputs& in, const std::vector<std::int64_t>& ends, const ExpertsHow& how,
                                const qfuse_exec& exec, SwigluOutputs& out, qfuse_error* error) {
  contract::Swiglu p = in.params(how.asked, how.payload, how.extras);
  out.point(p, how.asked, how.extras);
  const ExpertEnds given(ends, how.index);
  given.point(p);
  p.experts.layout = how.experts;
  return run(p, exec, error);
}

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_SUPPORT_SWIGLU_EXPERTS_H
