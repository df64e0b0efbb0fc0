// Products of a decoded weight by a slow and plain kernel: one warp for 16 outputs of 8 tokens, one matrix instruction
// after the other. It shares nothing with the library's kernels but the manual in qfuse.h.
#ifndef QFUSE_TESTS_SOAK_PRODUCT_ORACLE_H
#define QFUSE_TESTS_SOAK_PRODUCT_ORACLE_H

#include <cuda_runtime_api.h>
#include <qfuse/qfuse.h>

#include <cstdint>

namespace qfuse::soak {

// Terms of sums: of every output, output_stride and term_stride elements apart, and of every token, whose rows have no
// gaps.
struct Terms {
  const void* of_outputs = nullptr;
  std::int64_t output_stride = 0;
  std::int64_t term_stride = 0;
  const void* of_tokens = nullptr;
  std::int64_t token_stride = 0;
  std::int64_t count = 0;
};

// All arrays are of `dtype`, which has 16 bits, and aligned to it.
struct Product {
  qfuse_dtype dtype = QFUSE_BFLOAT16;
  qfuse_sum sum = QFUSE_SUM_PLAIN;
  std::int64_t m = 0;
  std::int64_t outputs = 0;
  Terms weight;                   // of the order FACTORED the codes' values as fp16, without gaps between outputs
  const float* absmax = nullptr;  // that order's, decoded
  std::int64_t blocksize = 0;
  Terms lora;
  const void* bias = nullptr;  // [outputs], or none
  void* out = nullptr;         // [m, outputs], without gaps
};

// Compute capability 8.0 or later: the contract's bits on Hopper (docs/ACCURACY.md), on others their own.
inline constexpr int kLeastCapability = 80;
void multiply(const Product& p, cudaStream_t stream);

// A product of rotated integers, by a thread for each output. Inputs are aligned to 16 bytes; out lies anywhere.
void multiply_rotated(const qfuse_rotated_int8_matmul_params& p, cudaStream_t stream);

// `out` of rotated_int8_swiglu, of whose params the other outputs are not looked at; gate, up and grad_y are aligned.
void make_swiglu(const qfuse_rotated_int8_swiglu_params& p, cudaStream_t stream);

}  // namespace qfuse::soak

#endif  // QFUSE_TESTS_SOAK_PRODUCT_ORACLE_H
