// PTX versions of the steps of portable.cuh. All inline PTX is here and in hopper_ptx.cuh. A test compares both
// versions.
#ifndef QFUSE_BACKEND_CUDA_DEVICE_PTX_CUH
#define QFUSE_BACKEND_CUDA_DEVICE_PTX_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "format/fp8_groups.h"
#include "format/row_absmax.h"

namespace qfuse::cuda::ptx {

#if __CUDA_ARCH__ >= 800
constexpr bool kIsTuring = false;
#else
constexpr bool kIsTuring = true;
#endif
__device__ constexpr bool on_turing(bool /*told*/) { return kIsTuring; }

// NVIDIA's arithmetic produces no other NaN.
__device__ inline float canonical(float x) { return x; }

__device__ inline float mul_ftz(float a, float b) {
  float product;
  asm("mul.rn.ftz.f32 %0, %1, %2;" : "=f"(product) : "f"(a), "f"(b));
  return product;
}

__device__ inline std::uint32_t half_bits(float low, float high) {
  const __half2 pair = __floats2half2_rn(low, high);
  return *reinterpret_cast<const std::uint32_t*>(&pair);
}
// Rounds a pair, because of CUDA 13.0: if the lower byte of a single rounding is stored by itself, it compiles a
// conversion of the rounded value to an integer.
__device__ inline std::uint16_t half_bits(float x) { return static_cast<std::uint16_t>(half_bits(x, 0.0F)); }
__device__ inline float half_value(std::uint16_t bits) { return __half2float(__ushort_as_half(bits)); }
__device__ inline std::uint32_t bfloat16_bits(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const std::uint32_t*>(&pair);
}
__device__ inline std::uint16_t bfloat16_bits(float x) { return static_cast<std::uint16_t>(bfloat16_bits(x, 0.0F)); }

__device__ inline float larger(float most, float x) {
  float result;
  asm("{ .reg .f32 magnitude; abs.ftz.f32 magnitude, %2; max.ftz.f32 %0, %1, magnitude; }"
      : "=f"(result)
      : "f"(most), "f"(x));
  return result;
}

__device__ inline float reciprocal_ftz(float x) {
  float result;
  asm("rcp.rn.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

inline constexpr bool kIsNvidiasReciprocal = true;
__device__ inline float reciprocal_near(float x) {
  float result;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

// The instruction that takes magnitudes itself came with GA102; Turing has no bf16 arithmetic.
__device__ inline std::uint32_t larger_magnitudes(std::uint32_t a, std::uint32_t b) {
#if __CUDA_ARCH__ >= 860
  std::uint32_t most;
  asm("max.NaN.xorsign.abs.bf16x2 %0, %1, %2;" : "=r"(most) : "r"(a), "r"(b));
  return most;
#elif __CUDA_ARCH__ >= 800
  std::uint32_t most;
  asm("max.NaN.bf16x2 %0, %1, %2;" : "=r"(most) : "r"(a & 0x7fff7fffU), "r"(b & 0x7fff7fffU));
  return most;
#else
  return __vmaxu2(a & 0x7fff7fffU, b & 0x7fff7fffU);
#endif
}

__device__ inline bool are_at_most(std::uint32_t pair, std::uint32_t limit) {
#if __CUDA_ARCH__ >= 900
  int both;
  asm("{ .reg .pred low, high; setp.le.bf16x2 low|high, %1, %2; and.pred low, low, high; selp.s32 %0, 1, 0, low; }"
      : "=r"(both)
      : "r"(pair), "r"(limit << 16 | limit));
  return both != 0;
#else
  return (pair & 0xffffU) <= limit && pair >> 16 <= limit;
#endif
}

__device__ inline float larger_or_nan(float a, float b) {
#if __CUDA_ARCH__ >= 800
  float result;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
#else
  return a != a ? __uint_as_float(format::kNan32) : fmaxf(a, b);
#endif
}

__device__ inline int truncate(float x) { return __float2int_rz(x); }

__device__ inline std::uint32_t saturated_bytes(const int (&q)[4]) {
  std::uint32_t bytes;
  asm("{ .reg .b32 high; cvt.pack.sat.s8.s32.b32 high, %4, %3, 0; cvt.pack.sat.s8.s32.b32 %0, %2, %1, high; }"
      : "=r"(bytes)
      : "r"(q[0]), "r"(q[1]), "r"(q[2]), "r"(q[3]));
  return bytes;
}

// Ada and Hopper have an instruction for this.
__device__ inline std::uint32_t e4m3_bits(float low, float high) {
#if __CUDA_ARCH__ >= 890
  std::uint16_t pair;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(high), "f"(low));
  return pair;
#else
  return format::to_e4m3(low) | static_cast<std::uint32_t>(format::to_e4m3(high)) << 8;
#endif
}

// Converts through fp16, which can represent every e4m3 number.
__device__ inline void e4m3_numbers(std::uint32_t pair, float& low, float& high) {
#if __CUDA_ARCH__ >= 890
  std::uint32_t halves;
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(halves) : "h"(static_cast<std::uint16_t>(pair)));
  low = half_value(static_cast<std::uint16_t>(halves));
  high = half_value(static_cast<std::uint16_t>(halves >> 16));
#else
  low = format::from_e4m3(static_cast<std::uint8_t>(pair));
  high = format::from_e4m3(static_cast<std::uint8_t>(pair >> 8));
#endif
}

__device__ inline float divide(float a, float b) { return __fdiv_rn(a, b); }

// The same for a positive b, where no quotient is subnormal or infinite. `a` may be zero or NaN: divide() takes many
// more instructions for these.
__device__ inline float divide_normal(float a, float b) {
  const auto fma = [](float x, float y, float z) { return __fmaf_rn(x, y, z); };
  return format::over_size(a, {b, divide(1.0F, b), 1.0F}, fma);
}

// The same operations as PyTorch's sigmoid on CUDA.
__device__ inline float sigmoid(float g) { return __frcp_rn(1.0F + expf(-g)); }

// Gives the same bits as sigmoid() in two thirds of the instructions; a test compares all of them. The steps are those
// of CUDA's expf, which splits x*log2(e) into an integer and a fraction, with two changes: one FMA multiplies by the
// power of two and adds 1 (the product is exact, so this rounds once, like 1 + exp), and the reciprocal is refined
// without checks for operands that do not occur.
__device__ inline float fast_sigmoid(float g) {
  constexpr float kRange = 0x1.77313ap-8F;     // log2(e) / 252
  constexpr float kMagic = 12582913.0F;        // 1.5 * 2^23 + 1: the sum's low bits are the integer, biased by 127
  constexpr float kMagicBiased = 12583039.0F;  // 1.5 * 2^23 + 127
  constexpr float kLog2e = 0x1.715476p+0F;
  constexpr float kLog2eLow = 0x1.4ae0cp-26F;
  float clamped;
  asm("fma.rn.sat.f32 %0, %1, %2, 0f3f000000;" : "=f"(clamped) : "f"(g), "f"(-kRange));
  const float biased = __fmaf_rd(clamped, 252.0F, kMagic);
  const float fraction = __fmaf_rn(g, -kLog2eLow, __fmaf_rn(g, -kLog2e, -(biased - kMagicBiased)));
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(fraction));
  const float denominator = __fmaf_rn(power, __uint_as_float(__float_as_uint(biased) << 23), 1.0F);
  const float reciprocal = reciprocal_near(denominator);
  return __fmaf_rn(reciprocal, __fmaf_rn(-denominator, reciprocal, 1.0F), reciprocal);
}

__device__ inline std::uint32_t seen_anew(std::uint32_t x) {
  asm volatile("" : "+r"(x));
  return x;
}

__device__ inline const std::uint8_t* one_address(const std::uint8_t* address) {
  asm("" : "+l"(address));
  return address;
}

__device__ inline void prefetch(const void* from) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(from)));
}

// Not __byte_perm, which takes one more instruction to mask the selector.
__device__ inline std::uint32_t permuted(std::uint32_t low, std::uint32_t high, std::uint32_t selector) {
  std::uint32_t bytes;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(bytes) : "r"(low), "r"(high), "r"(selector));
  return bytes;
}
template <int kHalf>
__device__ std::uint32_t spread_signs(std::uint32_t first, std::uint32_t second) {
  constexpr std::uint32_t kSigns = 0x8888;  // in a selector: replicate the byte's sign bit
  constexpr std::uint32_t kBytes = 0x1504 + kHalf * 0x2222;
  return permuted(first, second, kSigns | kBytes);
}

// One instruction, for which each lane supplies the address of one row.
template <class Row>
__device__ void load_transposed(const Row& row, int lane, std::uint32_t* words) {
  const auto at = static_cast<unsigned>(__cvta_generic_to_shared(row(lane / 8, lane % 8)));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(at));
}

// The same instruction, without transposing.
template <class Row>
__device__ void load_matrices(const Row& row, int lane, std::uint32_t* words) {
  const auto at = static_cast<unsigned>(__cvta_generic_to_shared(row(lane / 8, lane % 8)));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(at));
}

__device__ inline std::uint32_t transposed(std::uint32_t word) {
  std::uint32_t column;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(column) : "r"(word));
  return column;
}

// Turing's fp16 instruction has 8 K elements per step. It has none for bf16, and no kernel calls this for bf16 there.
__device__ inline void multiply_half(const std::uint32_t (&a)[4], const std::uint32_t (&b)[2], float (&sums)[4]) {
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
      "%3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
  for (int h = 0; h < 2; ++h)
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                 : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
                 : "r"(a[2 * h]), "r"(a[2 * h + 1]), "r"(b[h]));
#endif
}
__device__ inline void multiply_bfloat16(const std::uint32_t (&a)[4], const std::uint32_t (&b)[2], float (&sums)[4]) {
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
      "%3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
  __trap();
#endif
}

// Turing's instruction has 16 K elements per step and 8 rows.
__device__ inline void multiply_int8(const std::uint32_t (&a)[4], const std::uint32_t (&b)[2], int (&sums)[4]) {
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
#pragma unroll
  for (int i = 0; i < 4; ++i)
    asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+r"(sums[i % 2 * 2]), "+r"(sums[i % 2 * 2 + 1])
                 : "r"(a[i]), "r"(b[i / 2]));
#endif
}

__device__ inline unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

// Turing has no asynchronous copies.
class Copies {
 public:
  __device__ void begin(uint4* shared, const void* from) {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(shared)),
                 "l"(__cvta_generic_to_global(from))
                 : "memory");
#else
    *shared = *static_cast<const uint4*>(from);
#endif
  }
  // Also brings 256 bytes into L2, because the others are copied soon.
  __device__ void begin(int /*number*/, uint4* shared, const void* from, bool exists) {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global.L2::256B [%0], [%1], 16, %2;" ::"r"(shared_address(shared)),
                 "l"(__cvta_generic_to_global(from)), "r"(exists ? 16 : 0)
                 : "memory");
#else
    *shared = exists ? *static_cast<const uint4*>(from) : uint4{0, 0, 0, 0};
#endif
  }
  __device__ void close() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
  }
  template <int kLater>
  __device__ void wait() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(kLater) : "memory");
#endif
  }
};

__device__ inline uint4 load_with_line(const uint4* from) {
  uint4 v;
  asm("ld.global.nc.L2::128B.v4.u32 {%0, %1, %2, %3}, [%4];"
      : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
      : "l"(__cvta_generic_to_global(from)));
  return v;
}

// Volatile, so that the load is not moved before the wait. After the wait all stores of the previous grid are visible
// to plain loads (PTX ISA, griddepcontrol), which also hit lines in the L1, but not to ld.global.nc.
__device__ inline uint4 load_dependent(const uint4* from) {
  uint4 v;
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(__cvta_generic_to_global(from))
               : "memory");
  return v;
}
__device__ inline std::uint32_t load_dependent(const std::uint32_t* from) {
  std::uint32_t v;
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(__cvta_generic_to_global(from)) : "memory");
  return v;
}
// Code for GPUs before Hopper is launched without the attribute that makes these necessary (device/launch.cuh).
__device__ inline void launch_dependent_grids() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
__device__ inline void wait_for_prerequisite_grids() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

struct alignas(8) Pair {
  float first;
  float second;
};
// Address of dynamic shared memory in a kernel without other shared memory, with such a table at its start. Compilers
// do not know it for Hopper, where a load takes a clock longer with the address in a uniform register than with this
// constant. For earlier GPUs they know it; but that code may run elsewhere, from PTX.
#if __CUDA_ARCH__ == 900
constexpr unsigned kTableAddress = 1024;
#else
constexpr unsigned kTableAddress = 0;
#endif
// A lane's copy in the row of byte 0, as an address minus kTableAddress.
struct TableOfLane {
  unsigned table;
  std::uint32_t bytes;
};
__device__ inline TableOfLane table_of_lane(const void* table, int lane_bytes) {
  const unsigned address = shared_address(table);
  const auto bytes = static_cast<std::uint32_t>(lane_bytes);
  if constexpr (kTableAddress == 0) return {address, bytes};
  if ((address & 0xffffU) != kTableAddress) __trap();
  return {0, address - kTableAddress + bytes};
}
// Returns the address, minus kTableAddress, of the lane's copy in the row of byte kByte of the word.
template <int kByte>
__device__ std::uint32_t row_of_table(TableOfLane of_lane, std::uint32_t word) {
  if constexpr (kIsTuring) return __dp4a(word, 128U << (8 * kByte), of_lane.table + of_lane.bytes);
  return of_lane.table + __byte_perm(word, of_lane.bytes, 0x7604U + (kByte << 4));
}

using PairsOfLane = TableOfLane;
__device__ inline PairsOfLane pairs_of_lane(const Pair* table, int lane, int copies) {
  return table_of_lane(table, lane % copies * static_cast<int>(sizeof(Pair)));
}
template <int kByte>
__device__ Pair load_pair(PairsOfLane pairs, std::uint32_t word) {
  Pair pair;
  asm("ld.shared.v2.f32 {%0, %1}, [%2 + %3];"
      : "=f"(pair.first), "=f"(pair.second)
      : "r"(row_of_table<kByte>(pairs, word)), "n"(kTableAddress));
  return pair;
}

constexpr int kSharedPairs = 16;
using SharedPairs = std::uint32_t;
__device__ inline SharedPairs shared_pairs(const Pair* table, int lane) {
  return shared_address(table + lane % kSharedPairs);
}
__device__ inline std::uint32_t byte_place(int byte) { return kSharedPairs * sizeof(Pair) << (8 * byte); }
// The address is a sum of products of bytes (dp4a).
__device__ inline Pair load_pair_at(SharedPairs pairs, std::uint32_t word, std::uint32_t place) {
  Pair pair;
  asm("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(pair.first), "=f"(pair.second) : "r"(__dp4a(word, place, pairs)));
  return pair;
}

using WordsOfLane = TableOfLane;
__device__ inline WordsOfLane words_of_lane(const std::uint32_t* table, int lane, int /*words*/) {
  return table_of_lane(table, lane * static_cast<int>(sizeof(std::uint32_t)));
}
template <int kByte>
__device__ std::uint32_t load_word(WordsOfLane words, std::uint32_t codes) {
  std::uint32_t word;
  asm("ld.shared.u32 %0, [%1 + %2];" : "=r"(word) : "r"(row_of_table<kByte>(words, codes)), "n"(kTableAddress));
  return word;
}

__device__ inline std::uint32_t larger_halves(std::uint32_t a, std::uint32_t b) { return __vmaxu2(a, b); }

}  // namespace qfuse::cuda::ptx

#endif  // QFUSE_BACKEND_CUDA_DEVICE_PTX_CUH
