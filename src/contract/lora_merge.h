// The contract of lora_merge: its parameters, their checks, and the list of its arrays.
#ifndef QFUSE_CONTRACT_LORA_MERGE_H
#define QFUSE_CONTRACT_LORA_MERGE_H

#include "contract/arrays.h"
#include "contract/dequantize_4bit.h"
#include "contract/quantize_4bit.h"
#include "contract/ranges.h"
#include "format/layout.h"

namespace qfuse::contract {

struct LoraMerge : qfuse_lora_merge_params {
  static constexpr const char* kName = "lora_merge";
  static constexpr bool kInPlace = true;  // every backend reads an element before it writes it, in the same thread
  qfuse_weight_4bit source;               // by value: these replace the base struct's pointers; struct_size 0: none
  qfuse_weight_4bit_out target;
};

inline bool is_empty(const LoraMerge& p) { return p.rows == 0 || p.cols == 0; }
inline bool has_source(const LoraMerge& p) { return p.source.struct_size != 0; }
inline bool has_target(const LoraMerge& p) { return p.target.struct_size != 0; }
inline bool keeps_absmax(const LoraMerge& p) { return p.keep_absmax != 0; }

// ---- the steps, as ops of their own ----

// Decodes the source to `out`.
inline Dequantize4bit source_step(const LoraMerge& p) {
  Dequantize4bit step{};
  step.weight = p.source;
  step.out_dtype = p.in_dtype;
  step.out = p.out;
  return step;
}

// Adds the product to `in`, or to what source_step() has written.
inline LoraMerge sum_step(const LoraMerge& p) {
  LoraMerge step = p;
  if (has_source(p)) step.in = p.out;
  step.source = {};
  step.target = {};
  step.keep_absmax = 0;
  return step;
}

inline Quantize4bit target_step(const LoraMerge& p) {
  Quantize4bit step{};
  step.weight = p.target;
  step.in_dtype = p.out_dtype;
  step.in = p.out;
  step.workspace = p.workspace;
  step.workspace_size = p.workspace_size;
  if (keeps_absmax(p)) step.kept = p.source;
  return step;
}

// Decodes the target to `out`.
inline Dequantize4bit result_step(const LoraMerge& p) {
  const qfuse_weight_4bit_out& w = p.target;
  Dequantize4bit step{};
  step.out_dtype = p.out_dtype;
  step.out = p.out;
  if (keeps_absmax(p)) {
    step.weight = p.source;
    step.weight.packed = w.packed;
    return step;
  }
  step.weight.rows = w.rows;
  step.weight.cols = w.cols;
  step.weight.blocksize = w.blocksize;
  step.weight.quant_type = w.quant_type;
  step.weight.packed = w.packed;
  step.weight.absmax = w.absmax;
  step.weight.absmax_8bit = w.absmax_8bit;
  step.weight.nested_absmax = w.nested_absmax;
  step.weight.nested_quant_map = w.nested_quant_map;
  step.weight.nested_offset = w.nested_offset;
  step.weight.nested_blocksize = w.nested_blocksize;
  if (has_scales_of_rows(w)) {
    step.weight.scale_type = QFUSE_SCALES_UE8M0;
    step.weight.scales = w.scales;
  }
  return step;
}

// Runs the steps that there are with run(step), until one fails.
template <class Run>
Outcome run_steps(const LoraMerge& p, const Run& run) {
  if (has_source(p))
    if (Outcome o = run(source_step(p)); !o.ok()) return o;
  if (Outcome o = run(sum_step(p)); !o.ok() || !has_target(p)) return o;
  if (Outcome o = run(target_step(p)); !o.ok()) return o;
  return run(result_step(p));
}

// ---- checks ----

inline std::int64_t workspace_size(const LoraMerge& p) { return has_target(p) ? workspace_size(target_step(p)) : 0; }

Outcome check_ranges(const LoraMerge& p);

template <ParamsOf<LoraMerge> P, class Visit>
void visit_arrays(P& p, Visit& visit) {
  constexpr std::int64_t kFloat = sizeof(float);
  if (!has_source(p)) visit("in", p.in, p.rows * p.cols * format::dtype_size(p.in_dtype));
  visit("a", p.a, is_empty(p) ? 0 : p.rank * p.cols * kFloat);
  visit("b", p.b, is_empty(p) ? 0 : p.rows * p.rank * kFloat);
  visit("out", p.out, p.rows * p.cols * format::dtype_size(p.out_dtype));
  if (has_source(p)) visit_arrays(p.source, visit);
  if (!has_target(p)) return;
  if (keeps_absmax(p)) return visit_packed(p.target, visit);
  visit_arrays(p.target, visit);
  visit("workspace", p.workspace, workspace_size(p), kWorkspace);
}

}  // namespace qfuse::contract

#endif  // QFUSE_CONTRACT_LORA_MERGE_H
