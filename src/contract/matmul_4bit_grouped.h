// The contract of matmul_4bit_grouped: one product of matmul_4bit per expert, of its rows with its part of a stack.
#ifndef QFUSE_CONTRACT_MATMUL_4BIT_GROUPED_H
#define QFUSE_CONTRACT_MATMUL_4BIT_GROUPED_H

#include <cstdint>
#include <string_view>

#include "contract/experts.h"
#include "contract/matmul_4bit.h"

namespace qfuse::contract {

struct Matmul4bitGrouped : qfuse_matmul_4bit_grouped_params {
  static constexpr const char* kName = "matmul_4bit_grouped";
  qfuse_weight_4bit weight;  // the stack, by value: replaces the base struct's pointer
};

inline ExpertEnds expert_ends(const Matmul4bitGrouped& p) {
  return {"experts", "expert_ends", "ends_type", p.experts, p.expert_ends, p.ends_type};
}

// The product of rows [begin, end) with the weight of an expert. In a call without experts, that weight has no rows.
Matmul4bit product(const Matmul4bitGrouped& p, std::int64_t expert, std::int64_t begin, std::int64_t end);
// What all products have in common: all rows, with the weight of the first expert.
inline Matmul4bit any_product(const Matmul4bitGrouped& p) { return product(p, 0, 0, p.m); }

// Per expert. If there are several experts, the elements of each fill whole blocks.
inline std::int64_t rows_each(const Matmul4bitGrouped& p) { return p.experts == 0 ? 0 : p.weight.rows / p.experts; }
inline std::int64_t blocks_each(const Matmul4bitGrouped& p) {
  return rows_each(p) * p.weight.cols / p.weight.blocksize;
}
// Nested blocks per expert, if each expert is nested by itself.
inline std::int64_t nested_blocks_each(const Matmul4bitGrouped& p) {
  return format::block_count(blocks_each(p), p.weight.nested_blocksize);
}
// Whether each expert is nested by itself, or has a global scale. With one expert, its scales are those of the stack.
inline bool is_nested_each(const Matmul4bitGrouped& p) {
  return has_outer_scales(p.weight) && p.nested_each != 0 && p.experts > 1;
}

inline bool is_empty(const Matmul4bitGrouped& p) { return p.experts == 0 || is_empty(any_product(p)); }

Outcome check_ranges(const Matmul4bitGrouped& p);
inline Outcome check_values(const Matmul4bitGrouped& p) { return check_values(expert_ends(p), p.m); }
inline Outcome check_device(const Matmul4bitGrouped& p, const qfuse_device& device) {
  return check_device(any_product(p), device);
}

// Calls body(product) for every expert that has rows, until one fails. Only on the host, and with checked ends.
template <class Body>
Outcome for_each_product(const Matmul4bitGrouped& p, const Body& body) {
  const ExpertEnds ends = expert_ends(p);
  std::int64_t begin = 0;
  for (std::int64_t e = 0; e < p.experts; begin = ends[e++]) {
    if (ends[e] == begin) continue;
    if (Outcome o = body(product(p, e, begin, ends[e])); !o.ok()) return o;
  }
  return {};
}

// Visits the weight's arrays, with the sizes of those that each expert has for itself.
template <ParamsOf<Matmul4bitGrouped> P, class Visit>
void visit_stack(P& p, Visit& visit) {
  const auto visit_one = [&](const char* name, auto& array, std::int64_t bytes) {
    constexpr std::int64_t kFloat = sizeof(float);
    const std::string_view of = name;
    if (is_nested_each(p) && of == "nested_absmax") bytes = p.experts * nested_blocks_each(p) * kFloat;
    if (is_nested_each(p) && of == "nested_offset") bytes = p.experts * kFloat;
    if (p.nested_each != 0 && of.starts_with("global_") && bytes > 0) bytes = p.experts * kFloat;
    visit(name, array, bytes);
  };
  visit_arrays(p.weight, visit_one);
}

template <ParamsOf<Matmul4bitGrouped> P, class Visit>
void visit_arrays(P& p, Visit& visit) {
  const std::int64_t size = format::dtype_size(p.dtype);
  const Matmul4bit any = any_product(p);
  const bool has_terms = !is_empty(p);
  const std::int64_t outputs = p.experts * output_count(any);
  if (has_terms) visit_stack(p, visit);
  visit("in", p.in, strided_count(p.m, has_terms ? term_count(any) : 0, in_stride(any)) * size);
  visit("expert_ends", p.expert_ends, has_terms ? p.experts * index_size(p.ends_type) : 0);
  visit("bias", p.bias, has_terms && p.bias != nullptr ? outputs * size : 0);
  visit("lora_in", p.lora_in, has_terms ? p.m * p.lora_rank * size : 0);
  visit("lora_weight", p.lora_weight, has_terms ? outputs * p.lora_rank * size : 0);
  visit("out", p.out, strided_count(p.m, has_terms ? output_count(any) : 0, out_stride(any)) * size);
}

}  // namespace qfuse::contract

#endif  // QFUSE_CONTRACT_MATMUL_4BIT_GROUPED_H
