// Decodes one element of a 4-bit weight, for every op of the oracle that reads such a weight.
#ifndef QFUSE_REFERENCE_WEIGHT_4BIT_H
#define QFUSE_REFERENCE_WEIGHT_4BIT_H

#include <cstdint>

#include "contract/weight_4bit.h"
#include "format/codebook4.h"
#include "format/elements.h"
#include "format/rounding.h"

namespace qfuse::reference {

inline float decode_absmax(const qfuse_weight_4bit& w, std::int64_t block) {
  if (!contract::is_nested(w)) return format::load_unaligned<float>(w.absmax, block);
  const float value = format::load_unaligned<float>(w.nested_quant_map, w.absmax_8bit[block]);
  const float scale = format::load_unaligned<float>(w.nested_absmax, (w.nested_begin + block) / w.nested_blocksize);
  return format::mul_ftz(value, scale) + contract::nested_offset(w);
}

// For a weight with row scales.
inline float decode_scale(const qfuse_weight_4bit& w, std::int64_t block) {
  const float scale = format::load_scale(w.scales, block, w.scale_type);
  if (w.global_scale != nullptr) return scale * format::load_unaligned<float>(w.global_scale, 0);
  if (w.global_divisor != nullptr) return scale / format::load_unaligned<float>(w.global_divisor, 0);
  return scale;
}

// Like decode_scale(), with a subnormal global scale flushed to zero.
inline float decode_scale_of_product(const qfuse_weight_4bit& w, std::int64_t block) {
  if (w.global_scale == nullptr) return decode_scale(w, block);
  return format::load_scale(w.scales, block, w.scale_type) *
         format::ftz(format::load_unaligned<float>(w.global_scale, 0));
}

inline float decode_element_of_row(const qfuse_weight_4bit& w, std::int64_t row, std::int64_t col) {
  const format::Format4& format = format::format4(w.quant_type);
  const std::int64_t block = row * contract::blocks_a_row(w) + col / w.blocksize;
  const float zero = w.zero_points != nullptr ? static_cast<float>(w.zero_points[block]) : format.zero_point;
  const unsigned nibble = format::load_nibble(w.packed + row * contract::bytes_a_row(w), col, format.order);
  return (format.values[nibble] - zero) * decode_scale(w, block);
}

// Returns the element in fp32, before it is rounded to a dtype.
inline float decode_element(const qfuse_weight_4bit& w, std::int64_t i) {
  if (contract::has_scales_of_rows(w)) return decode_element_of_row(w, i / w.cols, i % w.cols);
  const format::Codebook4& codebook = format::codebook4(w.quant_type);
  return format::mul_ftz(codebook.values[format::load_nibble(w.packed, i)], decode_absmax(w, i / w.blocksize));
}

// Like decode_element(), but as products use it: with subnormal numbers flushed to zero in every format.
inline float decode_element_of_product(const qfuse_weight_4bit& w, std::int64_t i) {
  if (!contract::has_scales_of_rows(w)) return decode_element(w, i);
  const format::Format4& format = format::format4(w.quant_type);
  const unsigned nibble = format::load_nibble(w.packed, i, format.order);  // rows have whole bytes
  return format::mul_ftz(format.values[nibble] - format.zero_point, decode_scale_of_product(w, i / w.blocksize));
}

}  // namespace qfuse::reference

#endif  // QFUSE_REFERENCE_WEIGHT_4BIT_H
