// The contract of matmul_4bit: its parameters, their checks, and the list of its arrays.
#ifndef QFUSE_CONTRACT_MATMUL_4BIT_H
#define QFUSE_CONTRACT_MATMUL_4BIT_H

#include <string>

#include "contract/ranges.h"
#include "contract/weight_4bit.h"

namespace qfuse::contract {

struct Matmul4bit : qfuse_matmul_4bit_params {
  static constexpr const char* kName = "matmul_4bit";
  qfuse_weight_4bit weight;  // by value: replaces the base struct's pointer
};

inline bool is_forward(const Matmul4bit& p) { return p.direction == QFUSE_FORWARD; }

// Terms of each sum (K), which are the columns of in; and outputs (N), the columns of out.
inline std::int64_t term_count(const Matmul4bit& p) { return is_forward(p) ? p.weight.cols : p.weight.rows; }
inline std::int64_t output_count(const Matmul4bit& p) { return is_forward(p) ? p.weight.rows : p.weight.cols; }

// Elements from one row to the next.
inline std::int64_t in_stride(const Matmul4bit& p) { return p.in_stride != 0 ? p.in_stride : term_count(p); }
inline std::int64_t out_stride(const Matmul4bit& p) { return p.out_stride != 0 ? p.out_stride : output_count(p); }

inline bool is_empty(const Matmul4bit& p) { return p.m == 0 || output_count(p) == 0; }

Outcome check_ranges(const Matmul4bit& p);

// UNSUPPORTED: devices of this type do not have the requested sum.
Outcome check_device(const Matmul4bit& p, const qfuse_device& device);

const char* sum_name(qfuse_sum sum);

// Returns UNSUPPORTED, because `who`, such as "this GPU", has no instructions for the sum.
Outcome no_instructions(const Matmul4bit& p, const std::string& who);

// What QFUSE_SUM_OF_DEVICE stands for on a device with or without instructions for p's dtype.
inline qfuse_sum sum_with_tensor_cores(const Matmul4bit& p, bool has_tensor_cores) {
  if (p.sum != QFUSE_SUM_OF_DEVICE) return p.sum;
  return p.dtype != QFUSE_FLOAT32 && has_tensor_cores ? QFUSE_SUM_PLAIN : QFUSE_SUM_FP32;
}
inline qfuse_sum sum_on_cpu(const Matmul4bit& p, bool has_bf16_dot, bool has_bf16_amx) {
  if (p.sum != QFUSE_SUM_OF_DEVICE) return p.sum;
  return has_bf16_amx ? QFUSE_SUM_BF16_AMX : has_bf16_dot ? QFUSE_SUM_BF16_DOT : QFUSE_SUM_FP32;
}

template <ParamsOf<Matmul4bit> P, class Visit>
void visit_arrays(P& p, Visit& visit) {
  const std::int64_t size = format::dtype_size(p.dtype);
  const bool has_terms = !is_empty(p);
  if (has_terms) visit_arrays(p.weight, visit);
  visit("in", p.in, strided_count(p.m, has_terms ? term_count(p) : 0, in_stride(p)) * size);
  visit("bias", p.bias, has_terms && p.bias != nullptr ? output_count(p) * size : 0);
  visit("lora_in", p.lora_in, has_terms ? p.m * p.lora_rank * size : 0);
  visit("lora_weight", p.lora_weight, has_terms ? output_count(p) * p.lora_rank * size : 0);
  visit("out", p.out, strided_count(p.m, output_count(p), out_stride(p)) * size);
}

// The fastest way by number of rows of in, as qfuse_matmul_4bit_advice returns it.
struct Matmul4bitAdvice {
  qfuse_sum few;
  std::int64_t few_rows;
  std::int64_t fused_rows;
};

// The matmul that advice is about, without arrays: of NF4, whose kernels and times stand for those of all formats.
inline Matmul4bit matmul_for_advice(qfuse_dtype dtype, qfuse_direction direction, std::int64_t rows, std::int64_t cols,
                                    std::int64_t blocksize) {
  Matmul4bit p{};
  p.weight.rows = rows;
  p.weight.cols = cols;
  p.weight.blocksize = blocksize;
  p.weight.quant_type = QFUSE_NF4;
  p.dtype = dtype;
  p.direction = direction;
  return p;
}

}  // namespace qfuse::contract

#endif  // QFUSE_CONTRACT_MATMUL_4BIT_H
