// Cases of lora_merge, for correctness and the sanitizers. `risk` names what a case tests.
#ifndef QFUSE_TESTS_CASES_LORA_MERGE_H
#define QFUSE_TESTS_CASES_LORA_MERGE_H

#include <qfuse/qfuse.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "contract/lora_merge.h"
#include "format/elements.h"
#include "support/random.h"

namespace qfuse::tests {

enum class AdapterKind { normal, cancelling, tiny, vanishing, faint, huge, special };

struct LoraMergeCase {
  const char* risk;
  std::int64_t rows;
  std::int64_t cols;
  std::int64_t rank;
  float scale = 2.0F;
  AdapterKind kind = AdapterKind::normal;
};

// A tile is 512 columns by 32 rows, on a GPU 1024 by 16 in vectors of four columns; 32 elements of K (terms) at a time.
// On a GPU, up to 16 terms of 8 columns or 32 of 4 may be in a thread's registers; a block then has 1024 or 512 columns
// and takes 32 rows after the other, 8 in flight.
inline constexpr std::array kLoraMergeCases = {
    LoraMergeCase{"one element", 1, 1, 1},
    LoraMergeCase{"rank 0", 5, 67, 0},
    LoraMergeCase{"rank 0 under an infinite scale", 3, 5, 0, std::numeric_limits<float>::infinity()},
    LoraMergeCase{"rank 1", 9, 131, 1, 0.1F},
    LoraMergeCase{"an odd rank", 13, 257, 7, -0.3F},
    LoraMergeCase{"a whole tile, rank 16", 32, 512, 16},
    LoraMergeCase{"prime sizes, several tiles", 37, 521, 3, 0.25F},
    LoraMergeCase{"whole tiles of terms, rank 64", 5, 523, 64, 0.25F},
    LoraMergeCase{"terms beyond a tile by one, rank 257", 7, 61, 257, 1.0F / 3.0F},
    LoraMergeCase{"vectors of four columns, several tiles", 21, 2060, 35, 0.75F},
    LoraMergeCase{"rank 1 in registers", 33, 136, 1},
    LoraMergeCase{"rank 0 in registers", 9, 24, 0},
    LoraMergeCase{"rank 15 in registers, one row more than a chunk", 33, 264, 15, -0.6F},
    LoraMergeCase{"rank 16 in registers, two blocks across, several chunks", 331, 1032, 16, 0.5F},
    LoraMergeCase{"rank 17 in registers, a multiple of 4 columns", 141, 516, 17, 0.4F},
    LoraMergeCase{"rank 32 in registers, three blocks across", 75, 1036, 32, 1.5F},
    LoraMergeCase{"rank 33 in tiles", 18, 40, 33},
    LoraMergeCase{"rank 100 in tiles", 35, 264, 100, 0.1F},
    LoraMergeCase{"rank 8 in tiles, a multiple of 4 columns, not of 8", 40, 268, 8},
    LoraMergeCase{"sums of -0 beside terms that do not exist", 21, 48, 5, 1.0F, AdapterKind::vanishing},
    LoraMergeCase{"sums of -0 beside terms that do not exist, in tiles", 9, 64, 37, 1.0F, AdapterKind::vanishing},
    LoraMergeCase{"one long row", 1, 20011, 4},
    LoraMergeCase{"one long column", 2003, 1, 5},
    LoraMergeCase{"several threads", 67, 1031, 4, 1.5F},
    LoraMergeCase{"sums that cancel", 29, 331, 33, 0.7F, AdapterKind::cancelling},
    LoraMergeCase{"subnormal operands, terms and results", 11, 259, 12, 0.3F, AdapterKind::tiny},
    LoraMergeCase{"a scale that is subnormal", 4, 70, 6, 1e-40F, AdapterKind::huge},
    LoraMergeCase{"terms that overflow", 19, 263, 10, 0.5F, AdapterKind::huge},
    LoraMergeCase{"infinities and NaN", 23, 269, 9, 1.0F, AdapterKind::special},
};

// A merge whose input or result is in 4 bits.
struct LoraMerge4bitCase {
  const char* risk;
  LoraMergeCase merge;
  bool from = false;  // a source
  qfuse_quant_type from_type = QFUSE_NF4;
  std::int64_t from_nested = 0;  // blocks per nested block; 0: plain
  bool to = true;                // a target
  qfuse_quant_type to_type = QFUSE_NF4;
  std::int64_t to_nested = 0;
  std::int64_t blocksize = 64;
  bool keeps = false;  // the source's absmax; the target's type and nesting are the source's
  qfuse_mx_scales mx_scales = QFUSE_MX_UP;
};

constexpr LoraMerge4bitCase in_mxfp4(const char* risk, const LoraMergeCase& merge,
                                     qfuse_mx_scales mx_scales = QFUSE_MX_UP, bool keeps = false) {
  return {.risk = risk,
          .merge = merge,
          .from = true,
          .from_type = QFUSE_E2M1,
          .to_type = QFUSE_E2M1,
          .blocksize = 32,
          .keeps = keeps,
          .mx_scales = mx_scales};
}

constexpr LoraMerge4bitCase keeping(LoraMerge4bitCase c) {
  c.keeps = true;
  return c;
}

// On a GPU one kernel merges to NF4 in 16 bits, in blocks of 64 that no two rows share: 9 to 16 terms by rows, others
// in tiles of 64 rows and 128 columns, 8 terms at a time.
inline constexpr std::array kLoraMerge4bitCases = {
    LoraMerge4bitCase{.risk = "to nf4, one block", .merge = {"", 1, 64, 1}},
    LoraMerge4bitCase{.risk = "to nf4, two blocks across, several chunks", .merge = {"", 67, 1088, 16, 0.5F}},
    LoraMerge4bitCase{.risk = "to nf4, rank 17, smallest blocks", .merge = {"", 41, 544, 17, -0.4F}, .blocksize = 32},
    LoraMerge4bitCase{.risk = "to nested nf4", .merge = {"", 70, 1024, 7}, .to_nested = 256},
    LoraMerge4bitCase{.risk = "nf4 to nf4", .merge = {"", 37, 576, 16}, .from = true},
    LoraMerge4bitCase{.risk = "nf4 to nf4, rank 32, largest blocks of a warp",
                      .merge = {"", 9, 384, 32},
                      .from = true,
                      .blocksize = 128},
    LoraMerge4bitCase{.risk = "nested nf4 to nested nf4",
                      .merge = {"", 75, 1536, 12},
                      .from = true,
                      .from_nested = 16,
                      .to_nested = 256},
    LoraMerge4bitCase{.risk = "nested fp4 to plain nf4, rank 15",
                      .merge = {"", 33, 256, 15},
                      .from = true,
                      .from_type = QFUSE_FP4,
                      .from_nested = 256},
    LoraMerge4bitCase{.risk = "blocks of a whole warp", .merge = {"", 11, 512, 3}, .from = true, .blocksize = 256},
    LoraMerge4bitCase{.risk = "blocks beyond a warp", .merge = {"", 5, 1024, 3}, .from = true, .blocksize = 512},
    LoraMerge4bitCase{.risk = "blocks across rows, short last", .merge = {"", 13, 77, 5}, .from = true, .to_nested = 4},
    LoraMerge4bitCase{
        .risk = "nf4 to nested fp4", .merge = {"", 20, 320, 9}, .from = true, .to_type = QFUSE_FP4, .to_nested = 256},
    LoraMerge4bitCase{.risk = "rank 0", .merge = {"", 6, 128, 0}, .from = true},
    LoraMerge4bitCase{.risk = "to nf4, rank 32, parts of tiles", .merge = {"", 67, 1088, 32, 0.5F}},
    LoraMerge4bitCase{.risk = "nf4 to nf4, rank 17", .merge = {"", 130, 320, 17}, .from = true},
    LoraMerge4bitCase{.risk = "nested nf4 to nested nf4, rank 64",
                      .merge = {"", 71, 640, 64, 0.1F},
                      .from = true,
                      .from_nested = 16,
                      .to_nested = 256},
    LoraMerge4bitCase{
        .risk = "infinities and NaN, rank 20", .merge = {"", 23, 320, 20, 1.0F, AdapterKind::special}, .from = true},
    LoraMerge4bitCase{.risk = "rank 33", .merge = {"", 6, 128, 33}, .from = true},
    LoraMerge4bitCase{
        .risk = "nf4 to 16 bits", .merge = {"", 19, 264, 16}, .from = true, .from_nested = 256, .to = false},
    LoraMerge4bitCase{.risk = "blocks of zeros",
                      .merge = {"", 24, 192, 4, 1.0F, AdapterKind::vanishing},
                      .from = true,
                      .to_nested = 8},
    LoraMerge4bitCase{.risk = "subnormal sums", .merge = {"", 11, 256, 12, 0.3F, AdapterKind::tiny}},
    LoraMerge4bitCase{
        .risk = "values decode to subnormals", .merge = {"", 11, 256, 12, 1.0F, AdapterKind::faint}, .from = true},
    LoraMerge4bitCase{.risk = "sums that overflow",
                      .merge = {"", 19, 256, 10, 0.5F, AdapterKind::huge},
                      .from = true,
                      .to_nested = 32},
    LoraMerge4bitCase{.risk = "infinities and NaN", .merge = {"", 23, 320, 9, 1.0F, AdapterKind::special}},
    LoraMerge4bitCase{.risk = "the same from nf4", .merge = {"", 23, 320, 9, 1.0F, AdapterKind::special}, .from = true},
    keeping({"nf4 keeps absmax", {"", 67, 1088, 16, 0.5F}, true}),
    keeping({"nested nf4 keeps absmax", {"", 75, 1536, 12}, true, QFUSE_NF4, 16, true, QFUSE_NF4, 16}),
    keeping({"blocks beyond a warp keep absmax", {"", 13, 1024, 3}, true, QFUSE_NF4, 0, true, QFUSE_NF4, 0, 512}),
    keeping({"blocks across rows keep nested absmax", {"", 13, 77, 5}, true, QFUSE_NF4, 4, true, QFUSE_NF4, 4}),
    keeping({"nf4 keeps absmax, rank 40, smallest blocks",
             {"", 65, 416, 40, 0.1F},
             true,
             QFUSE_NF4,
             0,
             true,
             QFUSE_NF4,
             0,
             32}),
    keeping({"nested nf4 keeps absmax, rank 65", {"", 31, 192, 65}, true, QFUSE_NF4, 16, true, QFUSE_NF4, 16}),
    keeping({"fp4 keeps absmax, rank 33", {"", 20, 320, 33}, true, QFUSE_FP4, 0, true, QFUSE_FP4}),
    keeping({"sums overflow and absmax are kept", {"", 19, 256, 10, 0.5F, AdapterKind::huge}, true}),
    keeping({"infinities and NaN, and absmax are kept", {"", 23, 320, 9, 1.0F, AdapterKind::special}, true}),
    keeping({"subnormals, and absmax are kept", {"", 11, 256, 12, 1.0F, AdapterKind::faint}, true}),
    in_mxfp4("MXFP4", {"", 67, 1088, 16, 0.5F}),
    in_mxfp4("MXFP4, to nearest", {"", 75, 1536, 12}, QFUSE_MX_NEAREST),
    in_mxfp4("MXFP4, one block", {"", 1, 32, 1}),
    in_mxfp4("MXFP4, rank 17", {"", 41, 544, 17, -0.4F}, QFUSE_MX_NEAREST),
    in_mxfp4("MXFP4 keeps scales", {"", 67, 1088, 16, 0.5F}, QFUSE_MX_UP, true),
    in_mxfp4("MXFP4 keeps scales, to nearest, rank 33", {"", 23, 96, 33}, QFUSE_MX_NEAREST, true),
    in_mxfp4("MXFP4, rank 64, two tiles of rows", {"", 65, 160, 64, 0.2F}),
    in_mxfp4("MXFP4, sums that overflow", {"", 19, 256, 10, 0.5F, AdapterKind::huge}),
    in_mxfp4("MXFP4, infinities and NaN", {"", 23, 320, 9, 1.0F, AdapterKind::special}, QFUSE_MX_NEAREST),
    in_mxfp4("MXFP4, blocks of zeros", {"", 24, 192, 4, 1.0F, AdapterKind::vanishing}),
    in_mxfp4("MXFP4, subnormals", {"", 11, 256, 12, 1.0F, AdapterKind::faint}, QFUSE_MX_NEAREST),
};

// The arrays of a case, from a fixed seed. `in` has the dtype in_dtype.
struct LoraMergeInput {
  std::vector<std::uint8_t> in;
  std::vector<float> a;
  std::vector<float> b;
};

inline float random_factor(AdapterKind kind, std::mt19937& random) {
  const float x = random_normal(random);
  const auto one_of = [&](unsigned n) { return random() % n == 0; };
  switch (kind) {
    case AdapterKind::normal: return x;
    case AdapterKind::cancelling: return std::ldexp(x, std::uniform_int_distribution(-12, 12)(random));
    case AdapterKind::faint:
    case AdapterKind::tiny: return std::ldexp(x, one_of(3) ? -130 : std::uniform_int_distribution(-80, -60)(random));
    case AdapterKind::vanishing: return std::ldexp(1.0F, std::uniform_int_distribution(-90, -80)(random));
    case AdapterKind::huge: return std::ldexp(x, std::uniform_int_distribution(40, 66)(random));
    case AdapterKind::special: break;
  }
  if (one_of(256)) return one_of(2) ? std::numeric_limits<float>::infinity() : -std::numeric_limits<float>::infinity();
  if (one_of(256)) return std::numeric_limits<float>::quiet_NaN();
  return one_of(32) ? -0.0F : x;
}

inline float random_weight(AdapterKind kind, std::mt19937& random) {
  const float x = 0.05F * random_normal(random);
  if (kind == AdapterKind::tiny) return std::ldexp(x, random() % 2 == 0 ? -128 : -16);
  if (kind == AdapterKind::vanishing) return -0.0F;
  if (kind == AdapterKind::faint) return std::ldexp(x, -122);
  return kind == AdapterKind::special ? random_factor(kind, random) : x;
}

inline LoraMergeInput make_input(const LoraMergeCase& c, qfuse_dtype in_dtype) {
  std::mt19937 random(static_cast<std::uint32_t>(c.rows * 31 + c.cols * 7 + c.rank));
  LoraMergeInput in;
  in.in.resize(static_cast<std::size_t>(c.rows * c.cols) * qfuse_dtype_size(in_dtype));
  for (std::int64_t i = 0; i < c.rows * c.cols; ++i)
    format::store_rounded(in.in.data(), i, in_dtype, random_weight(c.kind, random));
  in.a.resize(static_cast<std::size_t>(c.rank * c.cols));
  for (float& x : in.a) x = random_factor(c.kind, random);
  in.b.resize(static_cast<std::size_t>(c.rows * c.rank));
  for (float& x : in.b) x = random_factor(c.kind, random) * (c.kind == AdapterKind::vanishing ? -1.0F : 1.0F);
  if (c.kind != AdapterKind::cancelling) return in;
  // Every second term cancels the one before it except for the last bits.
  for (std::int64_t k = 1; k < c.rank; k += 2) {
    for (std::int64_t i = 0; i < c.rows; ++i) {
      float& factor = in.b[static_cast<std::size_t>(i * c.rank + k)];
      factor = -std::nextafter((&factor)[-1], 0.0F);
    }
    for (std::int64_t j = 0; j < c.cols; ++j) {
      const auto at = static_cast<std::size_t>(k * c.cols + j);
      in.a[at] = in.a[at - static_cast<std::size_t>(c.cols)];
    }
  }
  return in;
}

// Parameters over `in`. The caller sets out and its dtype.
inline contract::LoraMerge make_params(const LoraMergeCase& c, qfuse_dtype in_dtype, const LoraMergeInput& in) {
  contract::LoraMerge p{};
  p.rows = c.rows;
  p.cols = c.cols;
  p.rank = c.rank;
  p.scale = c.scale;
  p.in_dtype = in_dtype;
  p.in = in.in.data();
  p.a = c.rank > 0 ? in.a.data() : nullptr;
  p.b = c.rank > 0 ? in.b.data() : nullptr;
  return p;
}

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_CASES_LORA_MERGE_H
