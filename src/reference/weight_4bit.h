// The value of one element of a 4-bit weight, for every op of the oracle that reads such a weight.
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

// In fp32, before it is rounded to a dtype.
inline float decode_element(const qfuse_weight_4bit& w, std::int64_t i) {
  const format::Codebook4& codebook = format::codebook4(w.quant_type);
  return format::mul_ftz(codebook.values[format::load_nibble(w.packed, i)], decode_absmax(w, i / w.blocksize));
}

}  // namespace qfuse::reference

#endif  // QFUSE_REFERENCE_WEIGHT_4BIT_H
