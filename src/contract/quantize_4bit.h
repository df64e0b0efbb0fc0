// The contract of quantize_4bit: its parameters, their checks, and the list of its arrays.
#ifndef QFUSE_CONTRACT_QUANTIZE_4BIT_H
#define QFUSE_CONTRACT_QUANTIZE_4BIT_H

#include "contract/quantize_blockwise.h"
#include "contract/ranges.h"
#include "contract/weight_4bit.h"
#include "format/mean.h"

namespace qfuse::contract {

struct Quantize4bit : qfuse_quantize_4bit_params {
  static constexpr const char* kName = "quantize_4bit";
  qfuse_weight_4bit_out weight;  // by value: these replace the base struct's pointers
  qfuse_weight_4bit kept;        // struct_size 0: none
};

inline bool has_kept(const Quantize4bit& p) { return p.kept.struct_size != 0; }
// Whether new absmax are encoded, too.
inline bool nests_absmax(const Quantize4bit& p) { return is_nested(p.weight) && !has_kept(p); }

inline bool is_empty(const Quantize4bit& p) { return element_count(p.weight) == 0; }

// Workspace if nested: fp64 sums of the chunks of the mean (format/mean.h), then the unencoded fp32 absmax per block.
inline std::int64_t chunk_count(const Quantize4bit& p) {
  return format::ceil_div(block_count(p.weight), format::kMeanChunk);
}
inline std::int64_t workspace_size(const Quantize4bit& p) {
  if (!nests_absmax(p)) return 0;
  return chunk_count(p) * static_cast<std::int64_t>(sizeof(double)) +
         block_count(p.weight) * static_cast<std::int64_t>(sizeof(float));
}

// Where new absmax are written: to the output if plain, to the workspace if nested.
inline float* absmax(const Quantize4bit& p) {
  if (!nests_absmax(p)) return p.weight.absmax;
  auto* const sums = static_cast<std::uint8_t*>(p.workspace);
  return reinterpret_cast<float*>(sums + chunk_count(p) * static_cast<std::int64_t>(sizeof(double)));
}

// The second step for nested absmax, as an op of its own: encodes absmax minus the offset to 8-bit codes.
inline QuantizeBlockwise nested_step(const Quantize4bit& p, float offset) {
  QuantizeBlockwise step{};
  step.n = block_count(p.weight);
  step.blocksize = p.weight.nested_blocksize;
  step.in = absmax(p);
  step.codes = p.weight.absmax_8bit;
  step.absmax = p.weight.nested_absmax;
  step.offset = offset;
  step.reciprocal = p.reciprocal;
  return step;
}

inline Outcome check_ranges(const Quantize4bit& p) {
  if (Outcome o = has_kept(p) ? check_kept("kept", p.kept, p.weight) : check_ranges(p.weight); !o.ok()) return o;
  if (Outcome o = check_dtype("in_dtype", p.in_dtype); !o.ok()) return o;
  if (p.importance != nullptr && has_kept(p))
    return invalid_argument("importance and kept are both given: importance chooses new scales");
  if (p.importance != nullptr && has_scales_of_rows(p.weight))
    return invalid_argument("importance is given, and quant_type is QFUSE_E2M1 (3), which has no such scales");
  if (p.importance != nullptr && is_nested(p.weight))
    return invalid_argument(
        "importance is given, and absmax is nested: importance chooses scales that may be negative, give plain absmax");
  return check_reciprocal(p.reciprocal);
}

inline Outcome check_device(const Quantize4bit& p, const qfuse_device& device) {
  return check_device(p.reciprocal, device);
}

template <ParamsOf<Quantize4bit> P, class Visit>
void visit_arrays(P& p, Visit& visit) {
  const bool reads_offset = nests_absmax(p) && p.given_offset != nullptr && !is_empty(p);
  visit("in", p.in, element_count(p.weight) * format::dtype_size(p.in_dtype));
  const bool searches = p.importance != nullptr && !is_empty(p);
  visit("given_offset", p.given_offset, reads_offset ? static_cast<std::int64_t>(sizeof(float)) : 0);
  visit("importance", p.importance, searches ? p.weight.cols * static_cast<std::int64_t>(sizeof(float)) : 0);
  if (has_kept(p)) {
    visit_packed(p.weight, visit);
    return visit_absmax(p.kept, visit);
  }
  visit_arrays(p.weight, visit);
  visit("workspace", p.workspace, workspace_size(p), kWorkspace);
}

}  // namespace qfuse::contract

#endif  // QFUSE_CONTRACT_QUANTIZE_4BIT_H
