// Loops over elements, compiled for each SIMD target of the CPU. The steps are scalar ones from format/, which
// compilers vectorize, so that all targets give the same bits.
#ifndef QFUSE_CHECKPOINT_CONVERT_ELEMENT_LOOPS_H
#define QFUSE_CHECKPOINT_CONVERT_ELEMENT_LOOPS_H

#include <qfuse/qfuse.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace qfuse::checkpoint {

// Sums over elements with w = base, d = sums - base, l = left - base: of w * w, d * d, l * d and (l * d) * (l * d).
using ProductSums = std::array<double, 4>;

// Values in blocks of `width`, the last of which may be shorter, and one factor or divisor per block.
struct ScaledBlocks {
  std::span<const float> values;
  std::int64_t width;
  const float* scales;
};

// Inputs and outputs must not overlap.
struct ElementLoops {
  void (*widen)(Dtype dtype, std::span<const std::byte> elements, std::span<float> out);
  void (*round_to)(Dtype dtype, std::span<const float> values, std::span<std::byte> out);

  // Raises absmax to the magnitudes of each block, as bits, which order magnitudes as integers do.
  void (*raise_absmax)(std::span<const float> values, std::int64_t width, std::int32_t* absmax);

  // E4M3 codes of values times a factor, or of quotients that are first rounded to a dtype.
  void (*encode_e4m3)(const ScaledBlocks& blocks, std::uint8_t* codes);
  void (*encode_e4m3_divided)(const ScaledBlocks& blocks, Dtype quotient, std::uint8_t* codes);

  // E2M1 codes, one per byte: `up` and `even` say how format/block_codes.h rounds ties.
  void (*encode_e2m1_up)(const ScaledBlocks& blocks, std::uint8_t* codes);
  void (*encode_e2m1_even)(const ScaledBlocks& blocks, std::uint8_t* codes);
  void (*encode_e2m1_even_divided)(const ScaledBlocks& blocks, std::uint8_t* codes);
  // INT4 codes, one per byte, of quotients that are first rounded to a dtype.
  void (*encode_int4_divided)(const ScaledBlocks& blocks, Dtype quotient, std::uint8_t* codes);
  // The low nibble first.
  void (*pack)(std::span<const std::uint8_t> nibbles, std::byte* codes);

  // In an order of its own, which depends on the number of elements alone.
  ProductSums (*sum_products)(std::span<const float> base, std::span<const float> sums, std::span<const float> left);
};

// The loops for a target by its name. Fails with unsupported if this machine does not have it.
const ElementLoops& element_loops_of(const char* target);
// The loops for QFUSE_CPU_TARGET or, if that is not set, for the best target.
const ElementLoops& element_loops();

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_ELEMENT_LOOPS_H
