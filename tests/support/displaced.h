// A 4-bit weight whose arrays are misaligned.
#ifndef QFUSE_TESTS_SUPPORT_DISPLACED_H
#define QFUSE_TESTS_SUPPORT_DISPLACED_H

#include <qfuse/qfuse.h>

#include <cstddef>
#include <vector>

#include "cases/dequantize_4bit.h"
#include "support/buffer.h"

namespace qfuse::tests {

// Copies of a 4-bit weight's arrays, each misaligned by the given number of bytes.
struct DisplacedWeight {
  DisplacedWeight(const Dequantize4bitInput& in, std::size_t packed_misalignment, std::size_t misalignment)
      : packed(copy_of(in.packed, packed_misalignment)),
        absmax(copy_of(in.absmax, misalignment)),
        absmax_8bit(copy_of(in.absmax_8bit, misalignment)),
        nested_absmax(copy_of(in.nested_absmax, misalignment)),
        nested_quant_map(copy_of(in.nested_quant_map, misalignment)),
        nested_offset(copy_of(std::vector{in.nested_offset}, misalignment)),
        scales(copy_of(in.scales, misalignment)),
        global(copy_of(in.global, misalignment)) {}

  void point(qfuse_weight_4bit& w) {
    w.packed = packed.as();
    w.absmax = w.absmax != nullptr ? absmax.as<float>() : nullptr;
    w.absmax_8bit = w.absmax_8bit != nullptr ? absmax_8bit.as() : nullptr;
    w.nested_absmax = w.nested_absmax != nullptr ? nested_absmax.as<float>() : nullptr;
    w.nested_quant_map = w.nested_quant_map != nullptr ? nested_quant_map.as<float>() : nullptr;
    w.nested_offset = w.nested_offset != nullptr ? nested_offset.as<float>() : nullptr;
    w.scales = w.scales != nullptr ? scales.as<void>() : nullptr;
    w.global_scale = w.global_scale != nullptr ? global.as<float>() : nullptr;
    w.global_divisor = w.global_divisor != nullptr ? global.as<float>() : nullptr;
  }

  Buffer packed;
  Buffer absmax;
  Buffer absmax_8bit;
  Buffer nested_absmax;
  Buffer nested_quant_map;
  Buffer nested_offset;
  Buffer scales;
  Buffer global;
};

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_SUPPORT_DISPLACED_H
