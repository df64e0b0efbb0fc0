// Formats of swiglu besides the two defaults.
#ifndef QFUSE_TESTS_SUPPORT_SWIGLU_FORMATS_H
#define QFUSE_TESTS_SUPPORT_SWIGLU_FORMATS_H

#include <qfuse/qfuse.h>

#include <array>
#include <cstdint>

#include "contract/swiglu.h"

namespace qfuse::tests {

struct SwigluFormatCase {
  const char* name;
  qfuse_payload payload = QFUSE_E4M3;
  std::int64_t group_size = 128;
  qfuse_scale_type scale_type = QFUSE_SCALES_FLOAT32;
  qfuse_scale_layout layout = QFUSE_SCALES_ROW_MAJOR;
  qfuse_scale_rule scale_rule = QFUSE_SCALES_POWER_OF_TWO;
  qfuse_zero_rule zero_rule = QFUSE_ZERO_AT_FLOOR;
  float amax_floor = 0.0F;

  void set(contract::Swiglu& p) const {
    p.format.payload_type = payload;
    p.format.group_size = group_size;
    p.format.scale_type = scale_type;
    p.format.scale_layout = layout;
    p.format.scale_rule = scale_rule;
    p.format.zero_rule = zero_rule;
    p.format.amax_floor = amax_floor;
  }
};

inline constexpr SwigluFormatCase kMxfp8{
    .name = "MXFP8", .group_size = 32, .scale_type = QFUSE_SCALES_UE8M0, .zero_rule = QFUSE_ZERO_SCALE_LEAST};

inline constexpr std::array kSwigluFormats = {
    SwigluFormatCase{.name = "torchao", .scale_rule = QFUSE_SCALES_TORCHAO, .amax_floor = 1e-12F},
    SwigluFormatCase{.name = "torchao, MN-major", .layout = QFUSE_SCALES_MN_MAJOR, .scale_rule = QFUSE_SCALES_TORCHAO},
    SwigluFormatCase{.name = "TransformerEngine", .zero_rule = QFUSE_ZERO_SCALE_ONE},
    SwigluFormatCase{.name = "TransformerEngine, fp32 scales",
                     .scale_rule = QFUSE_SCALES_TORCHAO,
                     .zero_rule = QFUSE_ZERO_SCALE_ONE},
    SwigluFormatCase{.name = "UE8M0 in words", .scale_type = QFUSE_SCALES_UE8M0, .layout = QFUSE_SCALES_MN_MAJOR},
    kMxfp8,
    SwigluFormatCase{.name = "MXFP8 in words",
                     .group_size = 32,
                     .scale_type = QFUSE_SCALES_UE8M0,
                     .layout = QFUSE_SCALES_MN_MAJOR,
                     .zero_rule = QFUSE_ZERO_SCALE_LEAST},
    SwigluFormatCase{
        .name = "INT8 of 32, MN-major", .payload = QFUSE_INT8, .group_size = 32, .layout = QFUSE_SCALES_MN_MAJOR}};

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_SUPPORT_SWIGLU_FORMATS_H
