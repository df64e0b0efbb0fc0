// Every output of one quantize_4bit call, exactly sized, poisoned and comparable.
#ifndef QFUSE_TESTS_SUPPORT_ENCODED_H
#define QFUSE_TESTS_SUPPORT_ENCODED_H

#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include "contract/quantize_4bit.h"
#include "support/buffer.h"
#include "support/compare.h"

namespace qfuse::tests {

struct Encoded {
  // is_mx: of MXFP4, with scales in the place of absmax.
  Encoded(std::int64_t n, std::int64_t blocksize, std::int64_t nested_blocksize, std::size_t misalignment = 0,
          bool is_mx = false)
      : blocks(qfuse_block_count(n, blocksize)),
        nested(nested_blocksize > 0),
        mx(is_mx),
        packed(static_cast<std::size_t>(qfuse_packed_size(n)), misalignment),
        absmax(nested ? 0 : static_cast<std::size_t>(blocks) * (mx ? 1 : sizeof(float)), misalignment),
        absmax_8bit(nested ? static_cast<std::size_t>(blocks) : 0, misalignment),
        nested_absmax(
            nested ? static_cast<std::size_t>(qfuse_block_count(blocks, nested_blocksize)) * sizeof(float) : 0,
            misalignment),
        nested_quant_map(nested ? 256 * sizeof(float) : 0, misalignment),
        nested_offset(nested ? sizeof(float) : 0, misalignment) {}

  // Sets the outputs of p.
  void point(contract::Quantize4bit& p) { point(p.weight); }
  // Sets the arrays of a weight that is written or, afterwards, read.
  void point(auto& w) {
    w.packed = packed.as();
    w.absmax = nested || mx ? nullptr : absmax.as<float>();
    w.scales = mx ? absmax.as() : nullptr;
    if constexpr (requires { w.scale_type; }) w.scale_type = mx ? QFUSE_SCALES_UE8M0 : QFUSE_SCALES_FLOAT32;
    w.absmax_8bit = nested ? absmax_8bit.as() : nullptr;
    w.nested_absmax = nested ? nested_absmax.as<float>() : nullptr;
    w.nested_quant_map = nested ? nested_quant_map.as<float>() : nullptr;
    w.nested_offset = nested ? nested_offset.as<float>() : nullptr;
  }

  [[nodiscard]] float offset() const { return format::load_unaligned<float>(nested_offset.data(), 0); }

  std::int64_t blocks;
  bool nested;
  bool mx;
  Buffer packed;
  Buffer absmax;
  Buffer absmax_8bit;
  Buffer nested_absmax;
  Buffer nested_quant_map;
  Buffer nested_offset;
};

inline testing::AssertionResult same_buffer(const char* name, const Buffer& expected, const Buffer& actual) {
  if (!actual.front_is_intact()) return testing::AssertionFailure() << name << ": bytes before it were written";
  return same_bytes(expected, actual) << " (" << name << ")";
}

inline testing::AssertionResult same_encoding(const Encoded& expected, const Encoded& actual) {
  for (const auto& [name, buffer] : {std::pair{"packed", &Encoded::packed},
                                     {"absmax", &Encoded::absmax},
                                     {"absmax_8bit", &Encoded::absmax_8bit},
                                     {"nested_absmax", &Encoded::nested_absmax},
                                     {"nested_quant_map", &Encoded::nested_quant_map},
                                     {"nested_offset", &Encoded::nested_offset}})
    if (auto result = same_buffer(name, expected.*buffer, actual.*buffer); !result) return result;
  return testing::AssertionSuccess();
}

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_SUPPORT_ENCODED_H
