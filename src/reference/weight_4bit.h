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

// For a weight with row scales. is_product: a subnormal factor of all scales counts as zero.
inline float decode_scale(const qfuse_weight_4bit& w, std::int64_t block, bool is_product) {
  const float scale = format::load_scale(w.scales, block, w.scale_type);
  const contract::Global global = contract::global_of(w);
  if (global.value == nullptr) return scale;
  const float value = format::load_unaligned<float>(global.value, 0);
  if (global.divides) return scale / value;
  return scale * (is_product ? format::ftz(value) : value);
}

inline float decode_element_of_row(const qfuse_weight_4bit& w, std::int64_t row, std::int64_t col) {
  const format::Format4& format = format::format4(w.quant_type);
  const std::int64_t block = row * contract::blocks_a_row(w) + col / w.blocksize;
  const float zero = w.zero_points != nullptr ? static_cast<float>(w.zero_points[block]) : format.zero_point;
  const unsigned nibble = format::load_nibble(w.packed + row * contract::bytes_a_row(w), col, format.order);
  return (format.values[nibble] - zero) * decode_scale(w, block, false);
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
  return format::mul_ftz(format.values[nibble] - format.zero_point, decode_scale(w, i / w.blocksize, true));
}

}  // namespace qfuse::reference

#endif  // QFUSE_REFERENCE_WEIGHT_4BIT_H
