// Cases of matmul_4bit, for correctness and the sanitizers. `risk` names what a case tests.
#ifndef QFUSE_TESTS_CASES_MATMUL_4BIT_H
#define QFUSE_TESTS_CASES_MATMUL_4BIT_H

#include <qfuse/qfuse.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "cases/dequantize_4bit.h"
#include "contract/matmul_4bit.h"
#include "format/elements.h"
#include "support/random.h"

namespace qfuse::tests {

inline constexpr std::array kMatmulDtypes = {QFUSE_FLOAT32, QFUSE_FLOAT16, QFUSE_BFLOAT16};
inline constexpr std::array kSumsOfCpus = {QFUSE_SUM_BF16_DOT, QFUSE_SUM_BF16_AMX};
inline constexpr std::array kMatmulDirections = {QFUSE_FORWARD, QFUSE_BACKWARD};

inline std::string name_of(qfuse_direction direction, qfuse_dtype dtype) {
  constexpr std::array kNames = {"float32", "float16", "bfloat16"};
  return std::string(direction == QFUSE_FORWARD ? "forward in " : "backward in ") + kNames.at(dtype);
}

enum class InputKind { normal, wide, tiny, special, outliers };

struct Matmul4bitCase {
  const char* risk;
  std::int64_t m;
  std::int64_t rows;
  std::int64_t cols;
  std::int64_t blocksize = 64;
  qfuse_quant_type quant_type = QFUSE_NF4;
  std::int64_t nested_blocksize = 256;  // 0: plain
  InputKind inputs = InputKind::normal;
  AbsmaxKind absmax = AbsmaxKind::trained;
  std::int64_t gap = 0;     // elements between rows of in and of out
  bool fp32_alone = false;  // a risk only on CPUs; emulated matrix instructions are slow
  std::int64_t lora_rank = 0;
};

inline constexpr std::array kMatmul4bitCases = {
    Matmul4bitCase{"one of everything", 1, 1, 1},
    Matmul4bitCase{"one token", 1, 64, 128},
    Matmul4bitCase{"one tile of every size", 8, 64, 64},
    Matmul4bitCase{"several chains of split sums", 1, 80, 1024 + 64},
    Matmul4bitCase{"several chains backward", 2, 1024 + 16, 48},
    Matmul4bitCase{"tokens beyond a tile", 17, 96, 320},
    Matmul4bitCase{"many tokens", 67, 72, 128},
    Matmul4bitCase{"stages of wide tiles", 9, 136, 192},
    Matmul4bitCase{"stages of wide tiles of many tokens, plain", 67, 136, 192, 64, QFUSE_NF4, 0},
    Matmul4bitCase{"more tiles of stages than blocks", 5, 300, 64, 128},
    Matmul4bitCase{"prime sizes, blocks that straddle rows", 5, 61, 131},
    Matmul4bitCase{.risk = "long rows that straddle blocks", .m = 2, .rows = 3, .cols = 6173, .fp32_alone = true},
    Matmul4bitCase{.risk = "long rows for many tokens", .m = 18, .rows = 34, .cols = 1088, .fp32_alone = true},
    Matmul4bitCase{.risk = "very long rows", .m = 1, .rows = 2, .cols = 16384 + 1056, .fp32_alone = true},
    Matmul4bitCase{.risk = "few tokens, rows of whole blocks, parts of them",
                   .m = 7,
                   .rows = 39,
                   .cols = 4096 + 1088,
                   .fp32_alone = true},
    Matmul4bitCase{
        .risk = "many tokens, several panels of a row", .m = 14, .rows = 19, .cols = 4096 + 64, .fp32_alone = true},
    Matmul4bitCase{
        .risk = "rows of more blocks than are kept", .m = 2, .rows = 3, .cols = 32768 + 64, .fp32_alone = true},
    Matmul4bitCase{"more chains than warps, more tiles than blocks", 3, 40, 4608},
    Matmul4bitCase{"one nested block of more blocks than 32 bits count", 2, 16, 256, 64, QFUSE_NF4,
                   std::int64_t{1} << 40},
    Matmul4bitCase{"odd columns, one byte for two rows", 3, 33, 33, 32},
    Matmul4bitCase{"tokens of two columns, plain", 13, 40, 512, 64, QFUSE_NF4, 0},
    Matmul4bitCase{"columns no multiple of the block", 3, 40, 96},
    Matmul4bitCase{"rows shorter than a block", 4, 128, 32, 128},
    Matmul4bitCase{"blocks of 4096", 2, 70, 128, 4096},
    Matmul4bitCase{"blocks of 32, plain", 9, 64, 160, 32, QFUSE_NF4, 0},
    Matmul4bitCase{"fp4, nested blocks of 16", 3, 128, 256, 64, QFUSE_FP4, 16},
    Matmul4bitCase{"fp4, plain, odd", 2, 19, 45, 64, QFUSE_FP4, 0},
    Matmul4bitCase{"rows apart", 6, 64, 128, 64, QFUSE_NF4, 256, InputKind::normal, AbsmaxKind::trained, 24},
    Matmul4bitCase{"rows apart by an odd gap", 3, 64, 128, 64, QFUSE_NF4, 0, InputKind::normal, AbsmaxKind::trained, 3},
    Matmul4bitCase{"exponents far apart", 4, 64, 256, 64, QFUSE_NF4, 256, InputKind::wide},
    Matmul4bitCase{"subnormal inputs", 4, 64, 128, 64, QFUSE_NF4, 0, InputKind::tiny},
    Matmul4bitCase{"subnormal scales", 3, 48, 128, 64, QFUSE_NF4, 0, InputKind::wide, AbsmaxKind::subnormal},
    Matmul4bitCase{"infinities and NaN in inputs", 8, 32, 128, 64, QFUSE_NF4, 256, InputKind::special},
    Matmul4bitCase{"outliers among inputs, a chunk of parts", 9, 40, 448, 64, QFUSE_NF4, 256, InputKind::outliers},
    Matmul4bitCase{"more tokens than split-K has, whole chunks", 19, 24, 512, 64, QFUSE_NF4, 256, InputKind::outliers},
    Matmul4bitCase{"infinities and NaN in whole chunks", 6, 24, 512, 64, QFUSE_NF4, 0, InputKind::special},
    Matmul4bitCase{"infinite, NaN, negative and huge scales", 3, 64, 192, 64, QFUSE_NF4, 0, InputKind::normal,
                   AbsmaxKind::extreme},
    Matmul4bitCase{"MXFP4, one token, scales of nothing but zeros in products", 1, 72, 256, 32, QFUSE_E2M1, 0,
                   InputKind::normal, AbsmaxKind::subnormal},
    Matmul4bitCase{"MXFP4, half a window behind two chains", 9, 40, 576, 32, QFUSE_E2M1},
    Matmul4bitCase{"MXFP4, a window and a half, any scales", 17, 24, 192, 32, QFUSE_E2M1, 0, InputKind::special,
                   AbsmaxKind::extreme},
    Matmul4bitCase{"MXFP4, whole chains, the least and the greatest scales, NaN", 6, 24, 512, 32, QFUSE_E2M1, 0,
                   InputKind::normal, AbsmaxKind::extreme},
    Matmul4bitCase{"MXFP4, more chains than warps", 3, 40, 4608, 32, QFUSE_E2M1},
    Matmul4bitCase{"MXFP4, an odd number of blocks in a row", 19, 24, 1440, 32, QFUSE_E2M1},
    Matmul4bitCase{.risk = "MXFP4 with LoRA, rows apart",
                   .m = 5,
                   .rows = 72,
                   .cols = 192,
                   .blocksize = 32,
                   .quant_type = QFUSE_E2M1,
                   .inputs = InputKind::special,
                   .gap = 24,
                   .lora_rank = 16},
    Matmul4bitCase{.risk = "MXFP4, many tokens and long rows",
                   .m = 18,
                   .rows = 34,
                   .cols = 1088,
                   .blocksize = 32,
                   .quant_type = QFUSE_E2M1,
                   .fp32_alone = true},
    Matmul4bitCase{"NVFP4 of modelopt, two chains and a window", 9, 40, 576, 16, QFUSE_E2M1, kFactor},
    Matmul4bitCase{"NVFP4 of compressed-tensors, an odd number of blocks", 5, 72, 240, 16, QFUSE_E2M1, kDivisor},
    Matmul4bitCase{"NVFP4, rows of one block and a half unit", 3, 19, 16, 16, QFUSE_E2M1, kNoGlobal},
    Matmul4bitCase{"NVFP4, subnormal scales", 2, 24, 192, 16, QFUSE_E2M1, kFactor, InputKind::wide,
                   AbsmaxKind::subnormal},
    Matmul4bitCase{"NVFP4, all kinds of scales", 6, 24, 512, 16, QFUSE_E2M1, kNoGlobal, InputKind::special,
                   AbsmaxKind::extreme},
    Matmul4bitCase{"NVFP4, more chains than warps", 3, 40, 4608, 16, QFUSE_E2M1, kFactor},
    Matmul4bitCase{.risk = "NVFP4 with LoRA, rows apart",
                   .m = 17,
                   .rows = 72,
                   .cols = 192,
                   .blocksize = 16,
                   .quant_type = QFUSE_E2M1,
                   .nested_blocksize = kDivisor,
                   .gap = 24,
                   .lora_rank = 16},
    Matmul4bitCase{.risk = "NVFP4, many tokens and long rows",
                   .m = 18,
                   .rows = 34,
                   .cols = 1088,
                   .blocksize = 16,
                   .quant_type = QFUSE_E2M1,
                   .fp32_alone = true},
    Matmul4bitCase{"INT4 in groups of 128, bf16 scales", 9, 40, 640, 128, QFUSE_INT4, kBfloat16Scales},
    Matmul4bitCase{"INT4 in groups of 64, one token", 1, 72, 320, 64, QFUSE_INT4, kBfloat16Scales},
    Matmul4bitCase{"INT4 in groups of 64, fp32 scales, two columns of tokens", 13, 40, 576, 64, QFUSE_INT4,
                   kFloat32Scales},
    Matmul4bitCase{"INT4 in groups of 32, fp16 scales", 17, 24, 224, 32, QFUSE_INT4, kFloat16Scales},
    Matmul4bitCase{"INT4 in groups of 32, subnormal scales", 3, 48, 192, 32, QFUSE_INT4, kBfloat16Scales,
                   InputKind::wide, AbsmaxKind::subnormal},
    Matmul4bitCase{"INT4, all kinds of scales", 6, 24, 512, 128, QFUSE_INT4, kBfloat16Scales, InputKind::special,
                   AbsmaxKind::extreme},
    Matmul4bitCase{"INT4, an odd number of scales, more chains than warps", 3, 41, 4736, 128, QFUSE_INT4,
                   kFloat16Scales},
    Matmul4bitCase{.risk = "INT4 with LoRA, rows apart",
                   .m = 5,
                   .rows = 72,
                   .cols = 384,
                   .blocksize = 128,
                   .quant_type = QFUSE_INT4,
                   .gap = 24,
                   .lora_rank = 16},
    Matmul4bitCase{.risk = "INT4, few tokens, long rows",
                   .m = 7,
                   .rows = 39,
                   .cols = 4096 + 1088 + 64,
                   .blocksize = 64,
                   .quant_type = QFUSE_INT4,
                   .fp32_alone = true},
    Matmul4bitCase{.risk = "INT4, many tokens and long rows",
                   .m = 18,
                   .rows = 34,
                   .cols = 1152,
                   .blocksize = 128,
                   .quant_type = QFUSE_INT4,
                   .fp32_alone = true},
    Matmul4bitCase{.risk = "LoRA of rank 16", .m = 9, .rows = 136, .cols = 192, .lora_rank = 16},
    Matmul4bitCase{.risk = "LoRA of rank 1, odd sizes", .m = 3, .rows = 19, .cols = 45, .lora_rank = 1},
    Matmul4bitCase{.risk = "LoRA in several stages", .m = 5, .rows = 72, .cols = 128, .lora_rank = 200},
    Matmul4bitCase{.risk = "LoRA of more than a chain, many tokens", .m = 67, .rows = 40, .cols = 64, .lora_rank = 264},
    Matmul4bitCase{
        .risk = "LoRA of an odd rank, plain", .m = 2, .rows = 64, .cols = 128, .nested_blocksize = 0, .lora_rank = 13},
    Matmul4bitCase{.risk = "LoRA with infinities and NaN",
                   .m = 8,
                   .rows = 32,
                   .cols = 64,
                   .inputs = InputKind::special,
                   .lora_rank = 48},
    Matmul4bitCase{.risk = "LoRA, more tiles of stages than blocks", .m = 5, .rows = 300, .cols = 64, .lora_rank = 8},
    Matmul4bitCase{.risk = "LoRA of long rows for many tokens",
                   .m = 18,
                   .rows = 34,
                   .cols = 96,
                   .fp32_alone = true,
                   .lora_rank = 1100},
};

// The arrays of a case in a dtype, from a fixed seed.
struct Matmul4bitInput {
  Dequantize4bitInput weight;
  std::vector<std::uint8_t> in;
  std::vector<std::uint8_t> bias;
  std::vector<std::uint8_t> lora_in;
  std::vector<std::uint8_t> lora_weight;
};

inline float random_input(InputKind kind, std::mt19937& random) {
  const float x = random_normal(random);
  switch (kind) {
    case InputKind::normal: return x;
    case InputKind::wide: return std::ldexp(x, std::uniform_int_distribution(-14, 12)(random));
    case InputKind::tiny: return std::ldexp(x, std::uniform_int_distribution(0, 1)(random) == 0 ? -128 : -20);
    case InputKind::outliers: return random() % 100 == 0 ? 300.0F : std::ldexp(x, -13);
    case InputKind::special: break;
  }
  if (random() % 512 == 0) return std::numeric_limits<float>::infinity();
  if (random() % 512 == 0) return std::numeric_limits<float>::quiet_NaN();
  return random() % 64 == 0 ? -0.0F : x;
}

inline std::vector<std::uint8_t> random_values(std::int64_t n, qfuse_dtype dtype, InputKind kind,
                                               std::mt19937& random) {
  std::vector<std::uint8_t> values(static_cast<std::size_t>(n) * qfuse_dtype_size(dtype));
  for (std::int64_t i = 0; i < n; ++i) format::store_rounded(values.data(), i, dtype, random_input(kind, random));
  return values;
}

inline Dequantize4bitCase weight_of(const Matmul4bitCase& c) {
  return {c.risk, c.rows * c.cols, c.blocksize, c.quant_type, c.nested_blocksize, c.absmax};
}

inline Matmul4bitInput make_input(const Matmul4bitCase& c, qfuse_direction direction, qfuse_dtype dtype) {
  std::mt19937 random(static_cast<std::uint32_t>(c.m + c.rows * c.cols));
  const bool forward = direction == QFUSE_FORWARD;
  return {make_input(weight_of(c)), random_values(c.m * ((forward ? c.cols : c.rows) + c.gap), dtype, c.inputs, random),
          random_values(c.rows, dtype, InputKind::normal, random),
          random_values(c.m * c.lora_rank, dtype, c.inputs, random),
          random_values((forward ? c.rows : c.cols) * c.lora_rank, dtype, InputKind::normal, random)};
}

// Parameters over `in`. The caller sets out.
inline contract::Matmul4bit make_params(const Matmul4bitCase& c, qfuse_direction direction, qfuse_dtype dtype,
                                        const Matmul4bitInput& in) {
  contract::Matmul4bit p{};
  p.weight = make_params(weight_of(c), in.weight).weight;
  p.weight.rows = c.rows;
  p.weight.cols = c.cols;
  p.direction = direction;
  p.dtype = dtype;
  p.m = c.m;
  p.in = in.in.data();
  p.lora_rank = c.lora_rank;
  p.lora_in = in.lora_in.data();
  p.lora_weight = in.lora_weight.data();
  if (c.gap > 0) {
    p.in_stride = contract::term_count(p) + c.gap;
    p.out_stride = contract::output_count(p) + c.gap;
  }
  return p;
}

inline std::size_t output_bytes(const contract::Matmul4bit& p) {
  return static_cast<std::size_t>(contract::strided_count(p.m, output_count(p), out_stride(p))) *
         qfuse_dtype_size(p.dtype);
}

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_CASES_MATMUL_4BIT_H
