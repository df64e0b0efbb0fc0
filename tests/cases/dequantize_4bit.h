// Cases of dequantize_4bit, for correctness and the sanitizers. `risk` names what a case tests.
#ifndef QFUSE_TESTS_CASES_DEQUANTIZE_4BIT_H
#define QFUSE_TESTS_CASES_DEQUANTIZE_4BIT_H

#include <qfuse/qfuse.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "contract/dequantize_4bit.h"
#include "format/elements.h"

namespace qfuse::tests {

enum class AbsmaxKind { trained, subnormal, extreme };

// What `nested_blocksize` of a case means if its format has scales of rows instead: INT4's type of scales, and NVFP4's
// global scale. E2M1 is NVFP4 in blocks of 16, else MXFP4.
inline constexpr std::int64_t kBfloat16Scales = 256;
inline constexpr std::int64_t kFloat16Scales = 16;
inline constexpr std::int64_t kFloat32Scales = 0;
inline constexpr std::int64_t kFactor = 256;
inline constexpr std::int64_t kDivisor = 16;
inline constexpr std::int64_t kNoGlobal = 0;

struct Dequantize4bitCase {
  const char* risk;
  std::int64_t n;
  std::int64_t blocksize = 64;
  qfuse_quant_type quant_type = QFUSE_NF4;
  std::int64_t nested_blocksize = 256;  // 0: plain
  AbsmaxKind absmax = AbsmaxKind::trained;
};

inline constexpr std::array kDequantize4bitCases = {
    Dequantize4bitCase{"one element", 1},
    Dequantize4bitCase{"one element less than a unit", 31},
    Dequantize4bitCase{"one unit", 32, 32},
    Dequantize4bitCase{"one element more than a block", 65},
    Dequantize4bitCase{"odd count, short last block", 12345},
    Dequantize4bitCase{"blocks of one unit", 32 * 300 + 7, 32},
    Dequantize4bitCase{"blocks of 128, plain", 128 * 97, 128, QFUSE_NF4, 0},
    Dequantize4bitCase{"blocks of 4096, short last", 4096 * 5 + 33, 4096},
    Dequantize4bitCase{"fp4, nested", 64 * 1000, 64, QFUSE_FP4},
    Dequantize4bitCase{"fp4, plain, odd", 64 * 10 + 1, 64, QFUSE_FP4, 0},
    Dequantize4bitCase{"nested blocks of one block", 64 * 9, 64, QFUSE_NF4, 1},
    Dequantize4bitCase{"nested blocks beyond all blocks", 64 * 9, 64, QFUSE_NF4, 1 << 20},
    Dequantize4bitCase{"several nested blocks, several threads", 64 * 256 * 33 + 64, 64},
    Dequantize4bitCase{"subnormal scales, plain", 64 * 500, 64, QFUSE_NF4, 0, AbsmaxKind::subnormal},
    Dequantize4bitCase{"subnormal scales, nested", 64 * 500, 64, QFUSE_FP4, 256, AbsmaxKind::subnormal},
    Dequantize4bitCase{"infinite, NaN, negative and huge scales", 64 * 500, 64, QFUSE_NF4, 0, AbsmaxKind::extreme},
    Dequantize4bitCase{"infinite, NaN, negative and huge nested scales", 64 * 500, 64, QFUSE_FP4, 16,
                       AbsmaxKind::extreme},
};

// The arrays of a case, from a fixed seed.
struct Dequantize4bitInput {
  std::vector<std::uint8_t> packed;
  std::vector<float> absmax;
  std::vector<std::uint8_t> absmax_8bit;
  std::vector<float> nested_absmax;
  std::vector<float> nested_quant_map;
  float nested_offset = 0.0F;
  std::vector<std::uint8_t> scales;  // of rows, only for formats that only products have here
  std::vector<float> global;         // likewise: one, or one for each expert
};

inline float random_scale(AbsmaxKind kind, std::mt19937& random) {
  const float unit = std::uniform_real_distribution<float>(0.01F, 0.2F)(random);
  switch (kind) {
    case AbsmaxKind::trained: return unit;
    case AbsmaxKind::subnormal: return std::ldexp(unit, -std::uniform_int_distribution(100, 148)(random));
    case AbsmaxKind::extreme: break;
  }
  constexpr std::array kExtremes = {std::numeric_limits<float>::infinity(),  std::numeric_limits<float>::quiet_NaN(),
                                    -std::numeric_limits<float>::infinity(), -0.0F,
                                    std::numeric_limits<float>::max(),       -0.125F,
                                    std::numeric_limits<float>::min(),       65504.0F};
  return kExtremes[std::uniform_int_distribution<std::size_t>(0, kExtremes.size() - 1)(random)];
}

inline std::uint8_t random_ue8m0(AbsmaxKind kind, std::mt19937& random) {
  switch (kind) {
    case AbsmaxKind::trained: return static_cast<std::uint8_t>(std::uniform_int_distribution(116, 124)(random));
    case AbsmaxKind::subnormal: return static_cast<std::uint8_t>(std::uniform_int_distribution(0, 30)(random));
    case AbsmaxKind::extreme: break;
  }
  constexpr std::array<std::uint8_t, 8> kExtremes = {0, 1, 2, 100, 127, 253, 254, 255};
  return kExtremes[std::uniform_int_distribution<std::size_t>(0, kExtremes.size() - 1)(random)];
}

inline std::uint8_t random_e4m3(AbsmaxKind kind, std::mt19937& random) {
  switch (kind) {
    case AbsmaxKind::trained: return static_cast<std::uint8_t>(std::uniform_int_distribution(1, 0x7e)(random));
    case AbsmaxKind::subnormal: return static_cast<std::uint8_t>(std::uniform_int_distribution(0, 9)(random));
    case AbsmaxKind::extreme: break;
  }
  constexpr std::array<std::uint8_t, 8> kExtremes = {0, 0x80, 1, 0x81, 0x7e, 0xfe, 0x7f, 0xff};
  return kExtremes[std::uniform_int_distribution<std::size_t>(0, kExtremes.size() - 1)(random)];
}

// Whether a format has scales of rows.
inline bool has_row_scales(qfuse_quant_type quant_type) { return quant_type == QFUSE_E2M1 || quant_type == QFUSE_INT4; }

inline qfuse_scale_type scale_type_of(const Dequantize4bitCase& c) {
  if (c.quant_type == QFUSE_E2M1) return c.blocksize == 16 ? QFUSE_SCALES_E4M3 : QFUSE_SCALES_UE8M0;
  return c.nested_blocksize == kFloat32Scales   ? QFUSE_SCALES_FLOAT32
         : c.nested_blocksize == kFloat16Scales ? QFUSE_SCALES_FLOAT16
                                                : QFUSE_SCALES_BFLOAT16;
}

inline void make_row_scales(const Dequantize4bitCase& c, std::size_t blocks, std::mt19937& random,
                            Dequantize4bitInput& in) {
  const qfuse_scale_type type = scale_type_of(c);
  const auto store = [&](qfuse_dtype dtype) {
    in.scales.resize(blocks * qfuse_dtype_size(dtype));
    for (std::size_t i = 0; i < blocks; ++i)
      format::store_rounded(in.scales.data(), static_cast<std::int64_t>(i), dtype, random_scale(c.absmax, random));
  };
  if (type == QFUSE_SCALES_FLOAT32) return store(QFUSE_FLOAT32);
  if (type == QFUSE_SCALES_FLOAT16) return store(QFUSE_FLOAT16);
  if (type == QFUSE_SCALES_BFLOAT16) return store(QFUSE_BFLOAT16);
  in.scales.resize(blocks);
  for (auto& scale : in.scales)
    scale = type == QFUSE_SCALES_UE8M0 ? random_ue8m0(c.absmax, random) : random_e4m3(c.absmax, random);
  if (type == QFUSE_SCALES_UE8M0 || c.nested_blocksize == kNoGlobal) return;
  const float global = random_scale(c.absmax, random) / 64;
  in.global = {c.nested_blocksize == kDivisor ? 1 / global : global};
}

inline Dequantize4bitInput make_input(const Dequantize4bitCase& c) {
  std::mt19937 random(static_cast<std::uint32_t>(c.n + c.blocksize));
  const auto blocks = static_cast<std::size_t>(qfuse_block_count(c.n, c.blocksize));
  Dequantize4bitInput in;
  in.packed.resize(static_cast<std::size_t>(qfuse_packed_size(c.n)));
  for (auto& byte : in.packed) byte = static_cast<std::uint8_t>(random());
  if (has_row_scales(c.quant_type)) {
    make_row_scales(c, blocks, random, in);
    return in;
  }
  if (c.nested_blocksize == 0) {
    in.absmax.resize(blocks);
    for (auto& scale : in.absmax) scale = random_scale(c.absmax, random);
    return in;
  }
  in.absmax_8bit.resize(blocks);
  for (auto& code : in.absmax_8bit) code = static_cast<std::uint8_t>(random());
  in.nested_absmax.resize(
      static_cast<std::size_t>(qfuse_block_count(qfuse_block_count(c.n, c.blocksize), c.nested_blocksize)));
  for (auto& scale : in.nested_absmax) scale = random_scale(c.absmax, random);
  in.nested_quant_map.resize(256);
  qfuse_nested_quant_map(in.nested_quant_map.data());
  in.nested_offset = c.absmax == AbsmaxKind::subnormal ? std::ldexp(0.7F, -130) : 0.05F;
  return in;
}

// Parameters over `in`. The caller sets out and its dtype.
inline contract::Dequantize4bit make_params(const Dequantize4bitCase& c, const Dequantize4bitInput& in) {
  contract::Dequantize4bit p{};
  qfuse_weight_4bit& w = p.weight;
  w.rows = 1;
  w.cols = c.n;
  w.blocksize = c.blocksize;
  w.quant_type = c.quant_type;
  w.packed = in.packed.data();
  if (has_row_scales(c.quant_type)) {
    w.scale_type = scale_type_of(c);
    w.scales = in.scales.data();
    if (!in.global.empty()) (c.nested_blocksize == kDivisor ? w.global_divisor : w.global_scale) = in.global.data();
    return p;
  }
  if (c.nested_blocksize == 0) {
    w.absmax = in.absmax.data();
    return p;
  }
  w.absmax_8bit = in.absmax_8bit.data();
  w.nested_absmax = in.nested_absmax.data();
  w.nested_quant_map = in.nested_quant_map.data();
  w.nested_offset = &in.nested_offset;
  w.nested_blocksize = c.nested_blocksize;
  return p;
}

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_CASES_DEQUANTIZE_4BIT_H
