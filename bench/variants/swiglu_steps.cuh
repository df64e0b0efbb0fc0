// What the variants of silu_dot_fwd_bwd_quant_fuse have in common: the library's kernel cut into steps, for whole tiles
// of aligned arrays alone.
#ifndef QFUSE_BENCH_VARIANTS_SWIGLU_STEPS_CUH
#define QFUSE_BENCH_VARIANTS_SWIGLU_STEPS_CUH

#include <cuda_runtime.h>

#include <cstdint>
#include <stdexcept>

#include "backend/cuda/device/int8_groups.cuh"
#include "backend/cuda/device/rounding.cuh"
#include "backend/cuda/device/swiglu.cuh"
#include "format/layout.h"
#include "gpu/device.h"
#include "variants/variants.h"

namespace qfuse::bench::swiglu {

using cuda::find_absmax;
using cuda::larger_magnitudes;
using cuda::widen;
using Round = cuda::Rounding<__nv_bfloat16>;

inline constexpr int kTile = static_cast<int>(format::kGroupSize);  // tokens and channels
inline constexpr int kChunk = 8;                                    // channels a thread has of a row: 16 bytes
inline constexpr int kChunks = kTile / kChunk;                      // threads that share a row of a tile
inline constexpr int kPairs = kChunk / 2;                           // words of bf16 a chunk
inline constexpr unsigned kAllLanes = 0xffffffffU;

// Thread blocks of 512 that a multiprocessor is to hold: with two, a thread has 64 registers. Kernels that need them
// all get more of them on compute capability 12.0, where the compiler would put some in memory.
inline constexpr int kBlocks = 2;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1200
inline constexpr int kHungryBlocks = 1;
#else
inline constexpr int kHungryBlocks = kBlocks;
#endif

// What a kernel sees.
struct Arguments {
  std::int64_t m;
  std::int64_t h;
  int channel_tiles;
  int token_tiles;
  const std::uint16_t* x;
  const std::uint16_t* grad_y;
  std::uint16_t* y;  // scratch
  std::int8_t* grad_input_q;
  float* grad_input_s;
  std::int8_t* y_q_t;
  float* y_s_t;
};

// What a thread has of a row: pairs of bf16.
struct Inputs {
  std::uint32_t gate[kPairs];
  std::uint32_t up[kPairs];
  std::uint32_t grad_y[kPairs];
};

struct Outputs {
  std::uint32_t d_gate[kPairs];
  std::uint32_t d_up[kPairs];
  std::uint32_t y[kPairs];
};

// ---- policies: the library's, which variants replace one by one ----

// By the factor whose product has the quotient's integer part, made once a group.
struct NudgedFactor {
  static __device__ float prepare(float absmax, float scale) { return cuda::group_factor(absmax, scale); }
  static __device__ std::uint32_t quantize(std::uint32_t first_pair, std::uint32_t second_pair, float factor) {
    return cuda::quantize_values(first_pair, second_pair, factor);
  }
};

// Through the L1 cache.
struct CachedLoad {
  static __device__ uint4 load(const uint4* from) { return __ldg(from); }
};

// ---- steps ----

template <class Load>
__device__ void load_chunk(const std::uint16_t* from, std::uint32_t (&pairs)[kPairs]) {
  *reinterpret_cast<uint4*>(pairs) = Load::load(reinterpret_cast<const uint4*>(from));
}

// channel: the chunk's first. Without gradients grad_y is zeros.
template <bool kGradients, class Load = CachedLoad>
__device__ Inputs load_row(const Arguments& a, std::int64_t token, std::int64_t channel) {
  Inputs in = {};
  const std::uint16_t* const x = a.x + token * 2 * a.h + channel;
  load_chunk<Load>(x, in.gate);
  load_chunk<Load>(x + a.h, in.up);
  if constexpr (kGradients) load_chunk<Load>(a.grad_y + token * a.h + channel, in.grad_y);
  return in;
}

template <bool kFast>
__device__ void differentiate_pair(const Inputs& in, int i, Outputs& out) {
  float y[2];
  float d_up[2];
  float d_gate[2];
#pragma unroll
  for (int e = 0; e < 2; ++e) {
    const float g = widen<__nv_bfloat16>(in.gate + i, e);
    const float u = widen<__nv_bfloat16>(in.up + i, e);
    const float dy = widen<__nv_bfloat16>(in.grad_y + i, e);
    const float s = kFast ? cuda::fast_sigmoid(g) : cuda::sigmoid(g);
    const float silu = g * s;
    y[e] = silu * u;
    d_up[e] = dy * silu;
    d_gate[e] = cuda::gate_gradient(g, u, dy, s);
  }
  out.y[i] = Round::word(y);
  out.d_up[i] = Round::word(d_up);
  out.d_gate[i] = Round::word(d_gate);
}

__device__ inline Outputs differentiate(const Inputs& in) {
  Outputs out;
  const std::uint32_t most = find_absmax(in.gate);
  if ((most >> 16) <= cuda::kFastSigmoidMost && (most & 0xffffU) <= cuda::kFastSigmoidMost) {
#pragma unroll
    for (int i = 0; i < kPairs; ++i) differentiate_pair<true>(in, i, out);
  } else {
#pragma unroll
    for (int i = 0; i < kPairs; ++i) differentiate_pair<false>(in, i, out);
  }
  return out;
}

// ---- rows: half a warp shares the two groups of one token ----

template <class Quotient>
__device__ void write_payload(std::int8_t* to, const std::uint32_t (&pairs)[kPairs], float prepared) {
  __stcs(reinterpret_cast<uint2*>(to), make_uint2(Quotient::quantize(pairs[0], pairs[1], prepared),
                                                  Quotient::quantize(pairs[2], pairs[3], prepared)));
}

// Even threads make the scale of d_gate, odd ones that of d_up.
template <class Quotient = NudgedFactor>
__device__ void write_gradients(const Arguments& a, std::int64_t token, std::int64_t channel, const Outputs& out) {
  const int chunk = static_cast<int>(threadIdx.x) % kChunks;
  const std::uint32_t gate = find_absmax(out.d_gate);
  const std::uint32_t up = find_absmax(out.d_up);
  std::uint32_t absmax = larger_magnitudes(__byte_perm(gate, up, 0x5410), __byte_perm(gate, up, 0x7632));
#pragma unroll
  for (int step = kChunks / 2; step > 0; step /= 2)
    absmax = larger_magnitudes(absmax, __shfl_xor_sync(kAllLanes, absmax, step));
  const bool ups = chunk % 2 == 1;
  const float most = widen<__nv_bfloat16>(&absmax, ups ? 1 : 0);
  const float scale = cuda::group_scale(most);
  const float prepared = Quotient::prepare(most, scale);
  const float others = __shfl_xor_sync(kAllLanes, prepared, 1);
  const std::int64_t at = token * 2 * a.h + channel;
  if (chunk < 2) a.grad_input_s[(at - chunk * kChunk + (ups ? a.h : 0)) / kTile] = scale;
  write_payload<Quotient>(a.grad_input_q + at, out.d_gate, ups ? others : prepared);
  write_payload<Quotient>(a.grad_input_q + at + a.h, out.d_up, ups ? prepared : others);
}

// ---- columns: a tile of y in shared memory, a row a token, chunks swizzled ----

using YTile = uint4[kTile * kChunks];

__device__ inline int place(int token, int chunk) {
  return token * kChunks + (chunk ^ ((token & 1) | (token >> 4 & 3) << 1));
}

// Eight channels of all tokens, transposed: `lane` gets the channel lane / 4 and of it the pairs of tokens from
// 16 * (lane % 4) on, and as many from 64 further on.
inline constexpr int kColumnPairs = kTile / 8;

__device__ inline void load_columns(const uint4* y, int chunk, int lane, std::uint32_t (&pairs)[kColumnPairs]) {
#pragma unroll
  for (int i = 0; i < kColumnPairs; i += 4) {
    // The instruction transposes four matrices of 8 x 8; each lane names a row of one.
    const int matrix = i + lane / 8;
    const int row = lane % 8;
    const int token = (matrix >= 8 ? 64 : 0) + 16 * (row / 2) + 2 * (matrix % 8) + row % 2;
    const auto at = static_cast<unsigned>(__cvta_generic_to_shared(y + place(token, chunk)));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(pairs[i]), "=r"(pairs[i + 1]), "=r"(pairs[i + 2]), "=r"(pairs[i + 3])
                 : "r"(at));
  }
}

template <class Quotient>
__device__ void write_tokens(std::int8_t* to, const std::uint32_t* pairs, float prepared) {
  std::uint32_t payload[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) payload[i] = Quotient::quantize(pairs[2 * i], pairs[2 * i + 1], prepared);
  __stcs(reinterpret_cast<uint4*>(to), *reinterpret_cast<const uint4*>(payload));
}

// A tile's first token and channel.
struct Tile {
  std::int64_t token;
  std::int64_t channel;
};

// All of the thread block come here, behind the barrier that closes the tile.
template <class Quotient = NudgedFactor>
__device__ void write_columns(const Arguments& a, const Tile& tile, const uint4* y) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warps = static_cast<int>(blockDim.x) / 32;
#pragma unroll 1
  for (int chunk = static_cast<int>(threadIdx.x) / 32; chunk < kChunks; chunk += warps) {
    std::uint32_t pairs[kColumnPairs];
    load_columns(y, chunk, lane, pairs);
    std::uint32_t absmax = find_absmax(pairs);
    absmax = larger_magnitudes(absmax, absmax >> 16);
    absmax = larger_magnitudes(absmax, __shfl_xor_sync(kAllLanes, absmax, 1));
    absmax = larger_magnitudes(absmax, __shfl_xor_sync(kAllLanes, absmax, 2));
    const float most = widen<__nv_bfloat16>(&absmax, 0);
    const float scale = cuda::group_scale(most);
    const float prepared = Quotient::prepare(most, scale);
    const std::int64_t channel = tile.channel + chunk * kChunk + lane / 4;
    if (lane % 4 == 0) a.y_s_t[channel * a.token_tiles + tile.token / kTile] = scale;
    std::int8_t* const q = a.y_q_t + channel * a.m + tile.token + 16 * (lane % 4);
    write_tokens<Quotient>(q, pairs, prepared);
    write_tokens<Quotient>(q + 64, pairs + kColumnPairs / 2, prepared);
  }
}

// Neighbouring tiles lie side by side in a row.
__device__ inline Tile channel_major_tile(const Arguments& a) {
  return {static_cast<std::int64_t>(blockIdx.x / a.channel_tiles) * kTile,
          static_cast<std::int64_t>(blockIdx.x % a.channel_tiles) * kTile};
}

// ---- launches ----

inline Arguments arguments_of(const SwigluRun& run) {
  const format::SiluDotFwdBwdQuantFuse& p = run.p;
  if (p.m % kTile != 0 || p.h % kTile != 0) throw std::logic_error("the variants take whole tiles");
  return {.m = p.m,
          .h = p.h,
          .channel_tiles = static_cast<int>(p.h / kTile),
          .token_tiles = static_cast<int>(p.m / kTile),
          .x = static_cast<const std::uint16_t*>(p.x),
          .grad_y = static_cast<const std::uint16_t*>(p.grad_y),
          .y = static_cast<std::uint16_t*>(run.y),
          .grad_input_q = p.grad_input_q,
          .grad_input_s = p.grad_input_s,
          .y_q_t = p.y_q_t,
          .y_s_t = p.y_s_t};
}

inline unsigned tiles_of(const Arguments& a) { return static_cast<unsigned>(a.channel_tiles * a.token_tiles); }

}  // namespace qfuse::bench::swiglu

#endif  // QFUSE_BENCH_VARIANTS_SWIGLU_STEPS_CUH
