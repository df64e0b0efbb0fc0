// Access to one element in memory at any address: loads widen to fp32 exactly, stores round to the dtype.
#ifndef QFUSE_FORMAT_ELEMENTS_H
#define QFUSE_FORMAT_ELEMENTS_H

#include <qfuse/qfuse.h>

#include <cstdint>
#include <cstring>

#include "format/codebook4.h"
#include "format/fp8_groups.h"
#include "format/layout.h"
#include "format/rounding.h"

namespace qfuse::format {

// Element i of an array of T that need not be aligned.
template <class T>
T load_unaligned(const void* array, std::int64_t i) {
  T value;
  std::memcpy(&value, static_cast<const char*>(array) + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
  return value;
}

template <class T>
void store_unaligned(void* array, std::int64_t i, T value) {
  std::memcpy(static_cast<char*>(array) + i * static_cast<std::int64_t>(sizeof(T)), &value, sizeof(T));
}

// Element i of an array. The dtype has been checked.
inline float load_as_float(const void* array, std::int64_t i, qfuse_dtype dtype) {
  switch (dtype) {
    case QFUSE_FLOAT32: return load_unaligned<float>(array, i);
    case QFUSE_FLOAT16: return from_float16(load_unaligned<std::uint16_t>(array, i));
    case QFUSE_BFLOAT16: return from_bfloat16(load_unaligned<std::uint16_t>(array, i));
  }
  return 0.0F;
}

// Types of scales have been checked.
constexpr std::int64_t scale_size(qfuse_scale_type type) {
  switch (type) {
    case QFUSE_SCALES_FLOAT32: return 4;
    case QFUSE_SCALES_UE8M0: return 1;
    case QFUSE_SCALES_E4M3: return 1;
    case QFUSE_SCALES_FLOAT16: return 2;
    case QFUSE_SCALES_BFLOAT16: return 2;
  }
  return 0;
}

// Scale i of an array.
inline float load_scale(const void* array, std::int64_t i, qfuse_scale_type type) {
  switch (type) {
    case QFUSE_SCALES_FLOAT32: return load_as_float(array, i, QFUSE_FLOAT32);
    case QFUSE_SCALES_UE8M0: return from_ue8m0(load_unaligned<std::uint8_t>(array, i));
    case QFUSE_SCALES_FLOAT16: return load_as_float(array, i, QFUSE_FLOAT16);
    case QFUSE_SCALES_BFLOAT16: return load_as_float(array, i, QFUSE_BFLOAT16);
    case QFUSE_SCALES_E4M3: return from_e4m3(load_unaligned<std::uint8_t>(array, i));
  }
  return 0.0F;
}

// Rounds and stores a value. fp32 keeps its bits, except that any NaN becomes the canonical quiet NaN.
inline void store_rounded(void* array, std::int64_t i, qfuse_dtype dtype, float value) {
  switch (dtype) {
    case QFUSE_FLOAT32: store_unaligned(array, i, canonical(value)); break;
    case QFUSE_FLOAT16: store_unaligned(array, i, to_float16(value)); break;
    case QFUSE_BFLOAT16: store_unaligned(array, i, to_bfloat16(value)); break;
  }
}

// Code i of an array of packed nibbles.
inline unsigned load_nibble(const std::uint8_t* packed, std::int64_t i, NibbleOrder order = NibbleOrder::high_first) {
  const bool high = (i % 2 == 0) == (order == NibbleOrder::high_first);
  return high ? packed[i / 2] >> 4 : packed[i / 2] & 0xfU;
}

}  // namespace qfuse::format

#endif  // QFUSE_FORMAT_ELEMENTS_H
