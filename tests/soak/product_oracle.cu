#include "product_oracle.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "gpu.h"

namespace qfuse::soak {
namespace {

constexpr int kThreads = 256;
constexpr int kWarp = 32;
constexpr int kOutputs = 16;  // per warp, as in mma.sync.m16n8k16
constexpr int kTokens = 8;
constexpr int kStep = 16;     // terms (elements of K) per instruction
constexpr int kTogether = 4;  // consecutive terms of a run in one step; a window or block has four runs
constexpr int kChainSteps = QFUSE_SPLIT_TERMS / kStep;
constexpr int kBlock = 64;  // terms of FACTORED that share one absmax

// bits() returns the bits of the rounded value, made as half of a pair. If only one value were rounded and its low byte
// stored, ptxas 13.0 would convert the number instead (F2I.U8.F16, in code for sm_90).
struct Float16 {
  using Value = __half;
  static __device__ unsigned bits(float x) {
    const __half2 two = __floats2half2_rn(x, 0.0F);
    return reinterpret_cast<const unsigned&>(two);
  }
  static __device__ float widened(Value x) { return __half2float(x); }
  static __device__ Value rounded(float x) { return __float2half_rn(x); }
};
struct Bfloat16 {
  using Value = __nv_bfloat16;
  static __device__ unsigned bits(float x) {
    const __nv_bfloat162 two = __floats2bfloat162_rn(x, 0.0F);
    return reinterpret_cast<const unsigned&>(two);
  }
  static __device__ float widened(Value x) { return __bfloat162float(x); }
  static __device__ Value rounded(float x) { return __float2bfloat16_rn(x); }
};

struct Float32 {
  using Value = float;
  static __device__ unsigned bits(float x) { return __float_as_uint(x); }
  static __device__ float widened(Value x) { return x; }
};

// The four sums of a thread: outputs g and g + 8 of tokens 2t and 2t + 1, where g = lane / 4 and t = lane % 4.
struct Sums {
  float of[4] = {};
};

__device__ void add_step(Sums& s, const unsigned (&a)[4], const unsigned (&b)[2], Float16 /*type*/) {
#if __CUDA_ARCH__ >= 800
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(s.of[0]), "+f"(s.of[1]), "+f"(s.of[2]), "+f"(s.of[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
  __trap();
#endif
}
__device__ void add_step(Sums& s, const unsigned (&a)[4], const unsigned (&b)[2], Bfloat16 /*type*/) {
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(s.of[0]), "+f"(s.of[1]), "+f"(s.of[2]), "+f"(s.of[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
  __trap();
#endif
}

// The origin of a warp's tile, and the thread's position in it.
struct Place {
  std::int64_t output;
  std::int64_t token;
  int g;
  int t;
};

// Returns term number i of a chain's step `step`. Numbers 2n and 2n + 1 are neighbors in every order of sums.
template <qfuse_sum kSum>
__device__ std::int64_t term_of(std::int64_t step, int i) {
  if constexpr (kSum == QFUSE_SUM_PLAIN) return step * kStep + i;
  constexpr int kTerms = kSum == QFUSE_SUM_SPLIT ? QFUSE_SPLIT_WINDOW : kBlock;
  constexpr int kSteps = kTerms / kStep;
  constexpr int kRun = kTerms / 4;
  return step / kSteps * kTerms + i / kTogether * kRun + step % kSteps * kTogether + i % kTogether;
}

// Returns the bits of a 16-bit element, or 0 out of bounds.
__device__ unsigned load(const void* from, std::int64_t index, bool is_there) {
  return is_there ? static_cast<const std::uint16_t*>(from)[index] : 0U;
}

// Returns two terms of an output (or token), the first in the lower half.
__device__ unsigned load_outputs(const Terms& terms, std::int64_t output, std::int64_t outputs, std::int64_t term) {
  const std::int64_t at = output * terms.output_stride + term * terms.term_stride;
  return load(terms.of_outputs, at, output < outputs && term < terms.count) |
         load(terms.of_outputs, at + terms.term_stride, output < outputs && term + 1 < terms.count) << 16U;
}
__device__ unsigned load_tokens(const Terms& terms, std::int64_t token, std::int64_t m, std::int64_t term) {
  const std::int64_t at = token * terms.token_stride + term;
  return load(terms.of_tokens, at, token < m && term < terms.count) |
         load(terms.of_tokens, at + 1, token < m && term + 1 < terms.count) << 16U;
}

// Adds steps of the chain from term `begin` on to s. tokens(t) returns terms t and t + 1 of the thread's token.
template <class Type, qfuse_sum kSum, class Tokens>
__device__ void add_chain(Sums& s, const Product& p, const Terms& terms, const Place& at, std::int64_t begin,
                          std::int64_t steps, const Tokens& tokens) {
  for (std::int64_t step = 0; step < steps; ++step) {
    const std::int64_t low = begin + term_of<kSum>(step, 2 * at.t);
    const std::int64_t high = begin + term_of<kSum>(step, 2 * at.t + kStep / 2);
    const unsigned a[4] = {load_outputs(terms, at.output + at.g, p.outputs, low),
                           load_outputs(terms, at.output + at.g + 8, p.outputs, low),
                           load_outputs(terms, at.output + at.g, p.outputs, high),
                           load_outputs(terms, at.output + at.g + 8, p.outputs, high)};
    const unsigned b[2] = {tokens(low), tokens(high)};
    add_step(s, a, b, Type());
  }
}
template <class Type, qfuse_sum kSum>
__device__ void add_chain(Sums& s, const Product& p, const Terms& terms, const Place& at, std::int64_t begin,
                          std::int64_t steps) {
  add_chain<Type, kSum>(s, p, terms, at, begin, steps,
                        [&](std::int64_t term) { return load_tokens(terms, at.token + at.g, p.m, term); });
}

// Adds chains. Each begins at +0, and their sums are added in order. The initial +0 does not change the total.
template <class Type>
__device__ void add_chains(Sums& total, const Product& p, const Terms& terms, const Place& at) {
  for (std::int64_t begin = 0; begin < terms.count; begin += QFUSE_SPLIT_TERMS) {
    Sums s;
    add_chain<Type, QFUSE_SUM_SPLIT>(s, p, terms, at, begin, kChainSteps);
#pragma unroll
    for (int i = 0; i < 4; ++i) total.of[i] = __fadd_rn(total.of[i], s.of[i]);
  }
}

// ---- FACTORED ----

template <class Type>
__device__ float load_token(const Product& p, std::int64_t token, std::int64_t term) {
  if (token >= p.m || term >= p.weight.count) return 0.0F;
  return Type::widened(
      static_cast<const typename Type::Value*>(p.weight.of_tokens)[token * p.weight.token_stride + term]);
}

// Returns the exponent of the largest magnitude in a token's chunk.
template <class Type>
__device__ int chunk_exponent(const Product& p, std::int64_t token, std::int64_t begin) {
  float largest = 0.0F;
  for (int t = 0; t < QFUSE_SPLIT_TERMS; ++t) largest = fmaxf(largest, fabsf(load_token<Type>(p, token, begin + t)));
  return min(max(ilogbf(largest), -111), 127);
}

template <class Type>
__device__ unsigned load_scaled(const Product& p, std::int64_t token, std::int64_t term, float up) {
  return __half_as_ushort(__float2half_rn(__fmul_rn(load_token<Type>(p, token, term), up)));
}

template <class Type>
__device__ void add_chunks(Sums& total, const Product& p, const Place& at) {
  for (std::int64_t begin = 0; begin < p.weight.count; begin += QFUSE_SPLIT_TERMS) {
    const std::int64_t token = at.token + at.g;
    const float up = ldexpf(1.0F, 14 - chunk_exponent<Type>(p, token, begin));
    const auto scaled = [&](std::int64_t term) {
      return load_scaled<Type>(p, token, term, up) | load_scaled<Type>(p, token, term + 1, up) << 16U;
    };
    Sums s;
    for (std::int64_t block = begin; block < begin + QFUSE_SPLIT_TERMS && block < p.weight.count; block += kBlock) {
      Sums products;
      add_chain<Float16, QFUSE_SUM_FACTORED>(products, p, p.weight, at, block, kBlock / kStep, scaled);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const std::int64_t output = at.output + at.g + i / 2 * 8;
        if (output < p.outputs)
          s.of[i] = __fmaf_rn(products.of[i], p.absmax[(output * p.weight.count + block) / p.blocksize], s.of[i]);
      }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int exponent = chunk_exponent<Type>(p, at.token + 2 * at.t + i % 2, begin);
      const float part = __fmul_rn(s.of[i], ldexpf(1.0F, exponent - 14));
      total.of[i] = begin == 0 ? part : __fadd_rn(total.of[i], part);
    }
  }
}

// ---- the kernel ----

template <class Type, qfuse_sum kSum>
__global__ void __launch_bounds__(kThreads) multiply_tiles(const Product p) {
  const std::int64_t warp = (static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x) / kWarp;
  const std::int64_t tiles = (p.outputs + kOutputs - 1) / kOutputs;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const Place at = {warp % tiles * kOutputs, warp / tiles * kTokens, lane / 4, lane % 4};
  if (at.token >= p.m) return;
  Sums s;
  if constexpr (kSum == QFUSE_SUM_PLAIN) {
    add_chain<Type, kSum>(s, p, p.weight, at, 0, (p.weight.count + kStep - 1) / kStep);
    add_chain<Type, kSum>(s, p, p.lora, at, 0, (p.lora.count + kStep - 1) / kStep);
  } else if constexpr (kSum == QFUSE_SUM_SPLIT) {
    add_chains<Type>(s, p, p.weight, at);
    add_chains<Type>(s, p, p.lora, at);
  } else {
    add_chunks<Type>(s, p, at);
  }
  using Value = typename Type::Value;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const std::int64_t output = at.output + at.g + i / 2 * 8;
    const std::int64_t token = at.token + 2 * at.t + i % 2;
    if (output >= p.outputs || token >= p.m) continue;
    float sum = s.of[i];
    if (p.bias != nullptr) sum = __fadd_rn(sum, Type::widened(static_cast<const Value*>(p.bias)[output]));
    static_cast<Value*>(p.out)[token * p.outputs + output] = Type::rounded(sum);
  }
}

using Kernel = void (*)(Product);
template <class Type>
Kernel kernel_for(qfuse_sum sum) {
  switch (sum) {
    case QFUSE_SUM_PLAIN: return multiply_tiles<Type, QFUSE_SUM_PLAIN>;
    case QFUSE_SUM_SPLIT: return multiply_tiles<Type, QFUSE_SUM_SPLIT>;
    case QFUSE_SUM_FACTORED: return multiply_tiles<Type, QFUSE_SUM_FACTORED>;
    default: break;
  }
  return nullptr;
}

}  // namespace

void multiply(const Product& p, cudaStream_t stream) {
  const std::int64_t warps = (p.outputs + kOutputs - 1) / kOutputs * ((p.m + kTokens - 1) / kTokens);
  if (warps == 0) return;
  constexpr int kWarps = kThreads / kWarp;
  const auto blocks = static_cast<unsigned>((warps + kWarps - 1) / kWarps);
  (p.dtype == QFUSE_FLOAT16 ? kernel_for<Float16>(p.sum)
                            : kernel_for<Bfloat16>(p.sum))<<<blocks, kThreads, 0, stream>>>(p);
  require(cudaGetLastError(), "the slow product");
}

// ---- rotated integers ----

namespace {

__device__ int add_vector(int sum, const int4& a, const int4& b) {
  return __dp4a(a.w, b.w, __dp4a(a.z, b.z, __dp4a(a.y, b.y, __dp4a(a.x, b.x, sum))));
}

template <class Type>
__global__ void __launch_bounds__(kThreads) multiply_integers(const qfuse_rotated_int8_matmul_params p) {
  using Value = typename Type::Value;
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= p.m * p.n) return;
  const std::int64_t token = i / p.n;
  const std::int64_t output = i % p.n;
  const auto* const in = reinterpret_cast<const int4*>(p.in_q + token * p.k);
  const auto* const weight = reinterpret_cast<const int4*>(p.weight_q + output * p.k);
  int sum = 0;
  for (std::int64_t v = 0; v < p.k / static_cast<std::int64_t>(sizeof(int4)); ++v)
    sum = add_vector(sum, in[v], weight[v]);
  const auto value = [](const void* values, std::int64_t at) {
    return Type::widened(static_cast<const Value*>(values)[at]);
  };
  float y = __fmul_rn(__fmul_rn(__int2float_rn(sum), p.in_scale[token]), p.weight_scale[output]);
  for (std::int64_t j = 0; j < p.lora_rank; ++j) {
    const std::int64_t at = p.direction == QFUSE_FORWARD ? output * p.lora_rank + j : j * p.n + output;
    y = __fmaf_rn(value(p.lora_in, token * p.lora_rank + j), value(p.lora_weight, at), y);
  }
  if (p.bias != nullptr) y = __fadd_rn(y, value(p.bias, output));
  if (p.addend != nullptr) y = __fadd_rn(y, value(p.addend, token * p.n + output));
  const unsigned bits = Type::bits(y);
  const std::int64_t stride = p.out_stride != 0 ? p.out_stride : p.n;
  auto* const out = static_cast<std::uint8_t*>(p.out) + (token * stride + output) * sizeof(Value);
  for (unsigned b = 0; b < sizeof(Value); ++b) out[b] = static_cast<std::uint8_t>(bits >> 8 * b);
}

// Rounds after every operation. exp is CUDA's.
__device__ float swiglu_channel(float g, float u, float dy, bool is_backward, bool is_up) {
  const float s = __frcp_rn(__fadd_rn(1.0F, expf(-g)));
  const float silu = __fmul_rn(g, s);
  if (!is_backward) return __fmul_rn(silu, u);
  if (is_up) return __fmul_rn(dy, silu);
  return __fmul_rn(__fmul_rn(__fmul_rn(dy, u), s), __fadd_rn(1.0F, __fmul_rn(g, __fsub_rn(1.0F, s))));
}

__global__ void __launch_bounds__(kThreads) make_channels(const qfuse_rotated_int8_swiglu_params p) {
  const bool is_backward = p.direction == QFUSE_BACKWARD;
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= (is_backward ? 2 : 1) * p.m * p.h) return;
  const std::int64_t token = i / p.h % p.m;
  const std::int64_t channel = i % p.h;
  const auto value = [&](const void* values, std::int64_t stride) {
    return Bfloat16::widened(static_cast<const __nv_bfloat16*>(values)[token * (stride != 0 ? stride : p.h) + channel]);
  };
  const float y = swiglu_channel(value(p.gate, p.gate_stride), value(p.up, p.up_stride),
                                 is_backward ? value(p.grad_y, p.grad_y_stride) : 0.0F, is_backward, i >= p.m * p.h);
  const unsigned bits = Bfloat16::bits(y);
  for (unsigned b = 0; b < 2; ++b)
    static_cast<std::uint8_t*>(p.out)[2 * i + b] = static_cast<std::uint8_t>(bits >> 8 * b);
}

}  // namespace

void make_swiglu(const qfuse_rotated_int8_swiglu_params& p, cudaStream_t stream) {
  const std::int64_t count = (p.direction == QFUSE_BACKWARD ? 2 : 1) * p.m * p.h;
  if (count == 0) return;
  make_channels<<<static_cast<unsigned>((count + kThreads - 1) / kThreads), kThreads, 0, stream>>>(p);
  require(cudaGetLastError(), "the slow SwiGLU");
}

void multiply_rotated(const qfuse_rotated_int8_matmul_params& p, cudaStream_t stream) {
  if (p.m * p.n == 0) return;
  const auto blocks = static_cast<unsigned>((p.m * p.n + kThreads - 1) / kThreads);
  (p.dtype == QFUSE_FLOAT16    ? multiply_integers<Float16>
   : p.dtype == QFUSE_BFLOAT16 ? multiply_integers<Bfloat16>
                               : multiply_integers<Float32>)<<<blocks, kThreads, 0, stream>>>(p);
  require(cudaGetLastError(), "the slow product of integers");
}

}  // namespace qfuse::soak
