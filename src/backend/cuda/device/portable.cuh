// Portable versions of steps for which some GPUs have instructions: the steps of format/, in integer arithmetic where
// possible, otherwise in plain IEEE arithmetic. ptx.cuh has the same names.
#ifndef QFUSE_BACKEND_CUDA_DEVICE_PORTABLE_CUH
#define QFUSE_BACKEND_CUDA_DEVICE_PORTABLE_CUH

#include <cstdint>

#include "backend/cuda/device/warp.cuh"
#include "backend/cuda/platform.h"
#include "format/exponential.h"
#include "format/fp8_groups.h"
#include "format/matrix_step.h"
#include "format/quotient.h"
#include "format/rounding.h"

namespace qfuse::cuda::portable {

// Whether a kernel takes its Turing path: here the caller decides, in ptx.cuh the compiled architecture.
__device__ constexpr bool on_turing(bool told) { return told; }

// Returns x or, if x is NaN, the NaN that the contract prescribes.
__device__ inline float canonical(float x) { return format::canonical(x); }

// a * b; subnormal operands and results count as zero.
__device__ inline float mul_ftz(float a, float b) { return format::mul_ftz(a, b); }

// Rounds to nearest even, to bits: one value, or two per word with the first in the low half. half_value() is exact.
__device__ inline std::uint16_t half_bits(float x) { return format::to_float16(x); }
__device__ inline std::uint32_t half_bits(float low, float high) {
  return half_bits(low) | static_cast<std::uint32_t>(half_bits(high)) << 16;
}
__device__ inline float half_value(std::uint16_t bits) { return format::from_float16(bits); }
__device__ inline std::uint16_t bfloat16_bits(float x) { return format::to_bfloat16(x); }
__device__ inline std::uint32_t bfloat16_bits(float low, float high) {
  return bfloat16_bits(low) | static_cast<std::uint32_t>(bfloat16_bits(high)) << 16;
}

// Returns the larger of `most` and |x|. NaN is skipped, subnormals count as zero.
__device__ inline float larger(float most, float x) {
  const float magnitude = format::ftz(__uint_as_float(__float_as_uint(x) & ~format::kSignBit));
  return magnitude > most ? magnitude : most;
}

// 1 / x, rounded to nearest; subnormal operands and results count as zero.
__device__ inline float reciprocal_ftz(float x) { return format::ftz(1.0F / format::ftz(x)); }
// 1 / x, or an approximation of it.
inline constexpr bool kIsNvidiasReciprocal = false;
__device__ inline float reciprocal_near(float x) { return reciprocal_ftz(x); }

// Returns the larger magnitudes of two pairs of bf16 values; the result's signs are unspecified. NaN is larger than all
// numbers, as its bits are; of two NaN, either may be returned.
__device__ inline std::uint32_t larger_magnitudes(std::uint32_t a, std::uint32_t b) {
  const auto larger_of = [](std::uint32_t x, std::uint32_t y) { return x > y ? x : y; };
  const std::uint32_t low = larger_of(a & 0x7fffU, b & 0x7fffU);
  const std::uint32_t high = larger_of(a >> 16 & 0x7fffU, b >> 16 & 0x7fffU);
  return high << 16 | low;
}

// Whether both bf16 magnitudes of a pair are at most the limit, which is not NaN; a NaN magnitude is not.
__device__ inline bool are_at_most(std::uint32_t pair, std::uint32_t limit) {
  return (pair & 0xffffU) <= limit && pair >> 16 <= limit;
}

// Returns the larger of a, which may be NaN, and b, a number. If a is NaN, returns NVIDIA's NaN.
__device__ inline float larger_or_nan(float a, float b) {
  if (a != a) return __uint_as_float(format::kNan32);
  return a > b ? a : b;
}

// Rounds toward zero; values out of the range of int saturate, NaN becomes 0.
__device__ inline int truncate(float x) {
  if (x != x) return 0;
  if (x >= 0x1p31F) return INT32_MAX;
  return x <= -0x1p31F ? INT32_MIN : static_cast<int>(x);
}

// Packs four integers into bytes of a word, the first lowest, saturated to -128 and 127.
__device__ inline std::uint32_t saturated_bytes(const int (&q)[4]) {
  std::uint32_t bytes = 0;
  for (int i = 0; i < 4; ++i) {
    const int byte = q[i] > 127 ? 127 : q[i] < -128 ? -128 : q[i];
    bytes |= (static_cast<std::uint32_t>(byte) & 0xffU) << (8 * i);
  }
  return bytes;
}

// Rounds two values to e4m3, to nearest even and at most 448, into the low half of a word, the first lower.
__device__ inline std::uint32_t e4m3_bits(float low, float high) {
  return format::to_e4m3(low) | static_cast<std::uint32_t>(format::to_e4m3(high)) << 8;
}

// Converts the two e4m3 codes in a word's low half back, exactly.
__device__ inline void e4m3_numbers(std::uint32_t pair, float& low, float& high) {
  low = format::from_e4m3(static_cast<std::uint8_t>(pair));
  high = format::from_e4m3(static_cast<std::uint8_t>(pair >> 8));
}

// a / b, rounded to nearest even; subnormals are kept.
__device__ inline float divide(float a, float b) { return format::quotient(a, b); }

// The same for a positive b, where no quotient is subnormal or infinite. `a` may be zero or NaN.
__device__ inline float divide_normal(float a, float b) { return divide(a, b); }

// 1 / (1 + exp(-g)). fast_sigmoid() is right only if |g|, as bf16, is at most kFastSigmoidMost.
__device__ inline float sigmoid(float g) { return 1.0F / (1.0F + format::exponential(-g)); }
__device__ inline float fast_sigmoid(float g) { return sigmoid(g); }

// Returns x, but hides its origin from the compiler: otherwise, when short of registers, the compiler would keep values
// computed from x earlier by spilling them to memory.
__device__ inline std::uint32_t seen_anew(std::uint32_t x) { return x; }

// Keeps an address in one register: otherwise compilers keep a register for each offset that a loop loads from.
__device__ inline const std::uint8_t* one_address(const std::uint8_t* address) { return address; }

// Prefetches global memory that is read soon.
__device__ inline void prefetch(const void* /*from*/) {}

// Selects four of the eight bytes of two words: nibble i of the selector says which one becomes byte i. The high bit of
// each nibble must be zero; selector bits from 16 on are ignored.
__device__ inline std::uint32_t permuted(std::uint32_t low, std::uint32_t high, std::uint32_t selector) {
  return __byte_perm(low, high, selector);
}
// Bytes of 0xff for negative and 0 for other bytes: byte 2 * kHalf of second and of first, then the next byte of both.
template <int kHalf>
__device__ std::uint32_t spread_signs(std::uint32_t first, std::uint32_t second) {
  std::uint32_t bytes = 0;
  for (int i = 0; i < 4; ++i) {
    const std::uint32_t word = i % 2 == 0 ? second : first;
    const bool is_negative = (word >> (8 * (2 * kHalf + i / 2) + 7) & 1U) != 0;
    bytes |= (is_negative ? 0xffU : 0U) << (8 * i);
  }
  return bytes;
}

// Loads four 8 x 8 matrices of 16-bit values from shared memory, transposed: of each, lane l gets the values of column
// l / 4 in rows 2 * (l % 4) and the next one. row(m, r) returns the address of row r of matrix m, 16 bytes; a lane may
// call it for any row.
template <class Row>
__device__ void load_transposed(const Row& row, int lane, std::uint32_t* words) {
  for (int m = 0; m < 4; ++m) {
    const auto value = [&](int r) {
      const std::uint32_t word = reinterpret_cast<const std::uint32_t*>(row(m, r))[lane / 8];
      return lane / 4 % 2 == 0 ? word & 0xffffU : word >> 16;
    };
    words[m] = value(2 * (lane % 4)) | value(2 * (lane % 4) + 1) << 16;
  }
}

// Like load_transposed(), not transposed: lane l gets the values of row l / 4 in columns 2 * (l % 4) and the next.
template <class Row>
__device__ void load_matrices(const Row& row, int lane, std::uint32_t* words) {
  for (int m = 0; m < 4; ++m) words[m] = reinterpret_cast<const std::uint32_t*>(row(m, lane / 4))[lane % 4];
}

// Transposes an 8 x 8 matrix of 16-bit values in a warp's registers: lane l has the values of row l / 4 in columns 2 *
// (l % 4) and the next one, and gets the values of column l / 4 in rows 2 * (l % 4) and the next one.
__device__ inline std::uint32_t transposed(std::uint32_t word) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const auto value = [&](int row) {
    const std::uint32_t both = value_of(word, row * 4 + lane / 8);
    return lane / 4 % 2 == 0 ? both & 0xffffU : both >> 16;
  };
  const std::uint32_t first = value(2 * (lane % 4));
  return first | value(2 * (lane % 4) + 1) << 16;
}

// The words of each thread of a warp, for all of it: the threads make and read it together, since on a GPU each read is
// an exchange. The software GPU defines its own version, which exchanges once.
#ifdef QFUSE_WARP_WORDS
using WarpWords = QFUSE_WARP_WORDS;
#else
struct WarpWords {
  std::uint32_t own[6];
  [[nodiscard]] __device__ std::uint32_t of(int lane, int i) const { return value_of(own[i], lane); }
};
#endif

// One step of a matrix product of 16-bit values, called by all of a warp: sums += a * b, with 16 rows, 8 columns and 16
// K elements. With g = lane / 4 and t = lane % 4, a lane holds rows g (words 0 and 2) and g + 8 (words 1 and 3) of a,
// and column g of b. Each one's first word has K elements 2t and 2t + 1, its later word 2t + 8 and 2t + 9. The sums are
// those of rows g and g + 8 in columns 2t and 2t + 1. This is the layout of mma.m16n8k16.
__device__ inline void multiply(format::Binary16 type, const std::uint32_t (&a)[4], const std::uint32_t (&b)[2],
                                float (&sums)[4]) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  std::uint16_t rows[2][format::kStepTerms];
  std::uint16_t columns[2][format::kStepTerms];
  const WarpWords words{{a[0], a[1], a[2], a[3], b[0], b[1]}};
  const auto put = [](std::uint16_t* terms, std::uint32_t word) {
    terms[0] = static_cast<std::uint16_t>(word);
    terms[1] = static_cast<std::uint16_t>(word >> 16);
  };
  QFUSE_UNROLL
  for (int i = 0; i < 16; ++i) {
    const int t = i / 4;
    const int later = i / 2 % 2;
    const int h = i % 2;
    put(rows[h] + 2 * t + 8 * later, words.of(lane / 4 * 4 + t, 2 * later + h));
    put(columns[h] + 2 * t + 8 * later, words.of((lane % 4 * 2 + h) * 4 + t, 4 + later));
  }
  const format::StepTerms of_rows[2] = {format::step_terms(type, rows[0]), format::step_terms(type, rows[1])};
  const format::StepTerms of_columns[2] = {format::step_terms(type, columns[0]), format::step_terms(type, columns[1])};
  QFUSE_UNROLL
  for (int i = 0; i < 4; ++i) sums[i] = format::matrix_step(type, sums[i], of_rows[i / 2], of_columns[i % 2]);
}
__device__ inline void multiply_half(const std::uint32_t (&a)[4], const std::uint32_t (&b)[2], float (&sums)[4]) {
  multiply(format::kBinaryFloat16, a, b, sums);
}
__device__ inline void multiply_bfloat16(const std::uint32_t (&a)[4], const std::uint32_t (&b)[2], float (&sums)[4]) {
  multiply(format::kBinaryBfloat16, a, b, sums);
}

// Like multiply() for int8 and 32 K elements, with int sums: the first word has K elements 4t to 4t + 3, the later one
// 4t + 16 to 4t + 19. This is the layout of mma.m16n8k32.
__device__ inline void multiply_int8(const std::uint32_t (&a)[4], const std::uint32_t (&b)[2], int (&sums)[4]) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const auto add = [](int sum, std::uint32_t x, std::uint32_t y) {
    auto wrapping = static_cast<std::uint32_t>(sum);
    for (int i = 0; i < 32; i += 8)
      wrapping += static_cast<std::uint32_t>(static_cast<std::int8_t>(x >> i) * static_cast<std::int8_t>(y >> i));
    return static_cast<int>(wrapping);
  };
  const WarpWords words{{a[0], a[1], a[2], a[3], b[0], b[1]}};
  QFUSE_UNROLL
  for (int t = 0; t < 4; ++t) QFUSE_UNROLL
  for (int later = 0; later < 2; ++later) {
    std::uint32_t rows[2];
    std::uint32_t columns[2];
    for (int h = 0; h < 2; ++h) {
      rows[h] = words.of(lane / 4 * 4 + t, 2 * later + h);
      columns[h] = words.of((lane % 4 * 2 + h) * 4 + t, 4 + later);
    }
    for (int i = 0; i < 4; ++i) sums[i] = add(sums[i], rows[i / 2], columns[i % 2]);
  }
}

// A thread's copies to shared memory, which bypass its registers; each copies 16 bytes to an aligned address. A group
// consists of the copies begun since the previous group was closed. A thread may read its own copies after it has
// waited for all groups but the kLater last closed ones. This version makes each copy as late as allowed, so that a
// test detects a missing wait.
class Copies {
 public:
  __device__ void begin(uint4* shared, const void* from) {
    if (count_ == kMost) __builtin_trap();  // a kernel that does not wait
    under_way_[count_++] = {shared, static_cast<const uint4*>(from), closed_};
  }
  // If `exists` is false, stores zeros and reads nothing. `number`, the copy's number in its group, is not needed here.
  __device__ void begin(int /*number*/, uint4* shared, const void* from, bool exists) {
    begin(shared, exists ? from : nullptr);
  }
  __device__ void close() { ++closed_; }
  template <int kLater>
  __device__ void wait() {
    int kept = 0;
    for (int i = 0; i < count_; ++i) {
      if (under_way_[i].group + kLater < closed_)
        *under_way_[i].to = under_way_[i].from == nullptr ? uint4{0, 0, 0, 0} : *under_way_[i].from;
      else
        under_way_[kept++] = under_way_[i];
    }
    count_ = kept;
  }

 private:
  static constexpr int kMost = 128;  // in flight at once
  struct Copy {
    uint4* to;
    const uint4* from;
    int group;
  };
  Copy under_way_[kMost] = {};
  int count_ = 0;
  int closed_ = 0;  // closed groups
};

// Loads read-only data, and its whole 128-byte line into L2, because the line's other vectors are loaded soon.
__device__ inline uint4 load_with_line(const uint4* from) { return *from; }

// Programmatic dependent launch (LaunchShape::programmatic_launch), on NVIDIA's GPUs from Hopper on. Blocks of a
// dependent grid may start on free multiprocessors, to prefetch; they read and write nothing before
// wait_for_prerequisite_grids() returns: then the previous grid and its stores are complete. Every block of a grid that
// launches dependents must also wait. Read what the previous grid wrote with load_dependent or load_tile: the compiler
// may move other loads before the wait, or take them for loads of constants.
__device__ inline uint4 load_dependent(const uint4* from) { return *from; }
__device__ inline std::uint32_t load_dependent(const std::uint32_t* from) { return *from; }
__device__ inline void launch_dependent_grids() {}
__device__ inline void wait_for_prerequisite_grids() {}

// A table in shared memory with a pair of floats per byte value and a copy per lane, so that there are no bank
// conflicts. A row has 256 bytes, so that one byte permutation makes a lane's offset in the table, and the load's own
// addressing adds the table's address. On Turing a row has 128 bytes: 16 lanes at a time load pairs, so that two lanes
// can share a copy.
struct alignas(8) Pair {
  float first;
  float second;
};
struct PairsOfLane {
  const Pair* of_lane;
  int copies;  // per row
};
__device__ inline PairsOfLane pairs_of_lane(const Pair* table, int lane, int copies) {
  return {table + lane % copies, copies};
}
// The pair for byte kByte of a word.
template <int kByte>
__device__ Pair load_pair(PairsOfLane pairs, std::uint32_t word) {
  return pairs.of_lane[static_cast<int>(word >> (8 * kByte) & 0xffU) * pairs.copies];
}

// Like PairsOfLane, with rows of 128 bytes at any aligned address. byte_place() selects a byte, per lane if need be.
constexpr int kSharedPairs = 16;
struct SharedPairs {
  const Pair* of_lane;
};
__device__ inline SharedPairs shared_pairs(const Pair* table, int lane) { return {table + lane % kSharedPairs}; }
__device__ inline std::uint32_t byte_place(int byte) { return 8 * static_cast<std::uint32_t>(byte); }
__device__ inline Pair load_pair_at(SharedPairs pairs, std::uint32_t word, std::uint32_t place) {
  return pairs.of_lane[(word >> place & 0xffU) * kSharedPairs];
}

// Like PairsOfLane, with one word per byte value and lane. Rows are as long as those of a table of pairs, so that rows
// of 256 bytes are half empty.
struct WordsOfLane {
  const std::uint32_t* of_lane;
  int words;  // per row
};
__device__ inline WordsOfLane words_of_lane(const std::uint32_t* table, int lane, int words) {
  return {table + lane, words};
}
template <int kByte>
__device__ std::uint32_t load_word(WordsOfLane words, std::uint32_t codes) {
  return words.of_lane[static_cast<int>(codes >> (8 * kByte) & 0xffU) * words.words];
}

// Returns, for each 16-bit half, the larger of two words' halves as unsigned numbers.
__device__ inline std::uint32_t larger_halves(std::uint32_t a, std::uint32_t b) {
  const std::uint32_t low = (a & 0xffffU) > (b & 0xffffU) ? a & 0xffffU : b & 0xffffU;
  const std::uint32_t high = a >> 16 > b >> 16 ? a >> 16 : b >> 16;
  return high << 16 | low;
}

}  // namespace qfuse::cuda::portable

#endif  // QFUSE_BACKEND_CUDA_DEVICE_PORTABLE_CUH
