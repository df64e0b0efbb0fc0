// Products with a decoded weight by a slow, simple kernel: one warp per 16 outputs of 8 tokens, which issues one matrix
// instruction after the other. It shares nothing with the library's kernels except the definitions in qfuse.h.
#ifndef QFUSE_TESTS_SOAK_PRODUCT_ORACLE_H
#define QFUSE_TESTS_SOAK_PRODUCT_ORACLE_H

#include <cuda_runtime_api.h>
#include <qfuse/qfuse.h>

#include <cstdint>

namespace qfuse::soak {

// The factors of a sum over K: one row of terms per output, with the strides output_stride and term_stride in elements,
// and one row per token, which is contiguous.
struct Terms {
  const void* of_outputs = nullptr;
  std::int64_t output_stride = 0;
  std::int64_t term_stride = 0;
  const void* of_tokens = nullptr;
  std::int64_t token_stride = 0;
  std::int64_t count = 0;
};

// All arrays have the 16-bit type `dtype` and are aligned to it.
struct Product {
  qfuse_dtype dtype = QFUSE_BFLOAT16;
  qfuse_sum sum = QFUSE_SUM_PLAIN;
  std::int64_t m = 0;
  std::int64_t outputs = 0;
  Terms weight;                   // for FACTORED the codes' values as fp16, outputs contiguous
  const float* absmax = nullptr;  // for FACTORED: decoded
  std::int64_t blocksize = 0;
  Terms lora;
  const void* bias = nullptr;  // [outputs], or null
  void* out = nullptr;         // [m, outputs], contiguous
};

// Needs compute capability 8.0 or later. Bits equal the contract's on Hopper (docs/ACCURACY.md), not on others.
inline constexpr int kLeastCapability = 80;
void multiply(const Product& p, cudaStream_t stream);

// A product of rotated integers, one thread per output. Inputs are aligned to 16 bytes. out may have any address.
void multiply_rotated(const qfuse_rotated_int8_matmul_params& p, cudaStream_t stream);

// Computes only `out` of rotated_int8_swiglu and ignores p's other outputs. gate, up and grad_y are aligned.
void make_swiglu(const qfuse_rotated_int8_swiglu_params& p, cudaStream_t stream);

}  // namespace qfuse::soak

#endif  // QFUSE_TESTS_SOAK_PRODUCT_ORACLE_H
