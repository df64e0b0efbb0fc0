// Cases of matmul_4bit_grouped: stacks of experts and the split of rows among them. Each expert also becomes a separate
// weight, whose scales are decoded here.
#ifndef QFUSE_TESTS_CASES_MATMUL_4BIT_GROUPED_H
#define QFUSE_TESTS_CASES_MATMUL_4BIT_GROUPED_H

#include <qfuse/qfuse.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "cases/matmul_4bit.h"
#include "contract/matmul_4bit_grouped.h"
#include "format/rounding.h"

namespace qfuse::tests {

struct GroupedCase {
  const char* risk;
  std::vector<std::int64_t> tokens;  // of each expert
  std::int64_t rows;                 // of each expert's weight
  std::int64_t cols;
  std::int64_t blocksize = 64;
  qfuse_quant_type quant_type = QFUSE_NF4;
  std::int64_t nested_blocksize = 256;  // 0: plain
  bool nested_each = false;
  std::int64_t nobodys = 0;  // tokens after the last expert's, which belong to no expert
  std::int64_t gap = 0;      // elements between rows of in and of out
  std::int64_t lora_rank = 0;
  bool forward_only = false;
  AbsmaxKind scales = AbsmaxKind::trained;  // MXFP4's, or a global scale each
};

// One token for every `every`-th expert, none for the others.
inline std::vector<std::int64_t> one_of(std::int64_t every, std::int64_t experts) {
  std::vector<std::int64_t> tokens(static_cast<std::size_t>(experts), 0);
  for (std::size_t e = 0; e < tokens.size(); e += static_cast<std::size_t>(every)) tokens[e] = 1;
  return tokens;
}
inline std::vector<std::int64_t> one_each_but(std::int64_t experts, std::int64_t every) {
  std::vector<std::int64_t> tokens(static_cast<std::size_t>(experts), 1);
  for (std::size_t e = 0; e < tokens.size(); e += static_cast<std::size_t>(every)) tokens[e] = 0;
  return tokens;
}

inline const std::vector<GroupedCase> kGroupedCases = {
    {"one expert", {3}, 40, 128},
    {"one expert, nested by itself, the last block short", {3}, 3, 96, 64, QFUSE_NF4, 4, true},
    {"uneven experts", {5, 1, 17, 0, 2}, 40, 128},
    {"no expert has tokens", {0, 0, 0}, 16, 64, 64, QFUSE_NF4, 0, false, 4},
    {"empty experts first and last", {0, 0, 9, 0, 3, 0}, 24, 192},
    {"all tokens to one", {0, 0, 0, 21, 0}, 72, 64},
    {"tokens of nobody", {2, 3}, 40, 128, 64, QFUSE_NF4, 256, false, 7},
    {"nested by itself", {4, 1, 3}, 24, 192, 64, QFUSE_NF4, 16, true},
    {"nested by itself, a nested block each", {1, 2, 3, 4}, 8, 128, 64, QFUSE_FP4, 256, true},
    {"nested together, blocks shared by experts", {2, 0, 3, 1}, 17, 192, 64, QFUSE_NF4, 16},
    {"plain", {6, 2}, 33, 128, 64, QFUSE_FP4, 0},
    {"k of 9 blocks", {2, 3}, 8, 576},
    {"n and k no multiples of a tile", {3, 2, 1}, 35, 160, 32, QFUSE_NF4, 0},
    {"odd outputs, blocks of an expert straddle rows", {3, 2}, 4, 80, 64, QFUSE_NF4, 8},
    {"more experts than a warp", one_each_but(35, 3), 8, 64},
    {"more experts than a round of the scan", one_of(5, 150), 4, 64, 64, QFUSE_NF4, 0},
    {"borders of tiles of 64", {64, 65, 1, 63}, 24, 128, 64, QFUSE_NF4, 0},
    {"rows apart", {3, 4}, 24, 128, 64, QFUSE_NF4, 256, false, 2, 24},
    {"LoRA", {5, 0, 9}, 40, 128, 64, QFUSE_NF4, 256, false, 1, 0, 16},
    {"LoRA of an odd rank", {2, 3}, 19, 64, 64, QFUSE_NF4, 0, false, 0, 0, 5},
    {"LoRA in several stages", {1, 3, 0, 2}, 24, 64, 64, QFUSE_NF4, 256, true, 0, 0, 136},
    {"MXFP4", {5, 0, 9, 1}, 40, 160, 32, QFUSE_E2M1},
    {"MXFP4 with LoRA, tokens of nobody", {2, 0, 11}, 24, 320, 32, QFUSE_E2M1, 256, false, 3, 8, 16},
    {"NVFP4", {5, 0, 9, 1}, 40, 160, 16, QFUSE_E2M1, kFactor},
    {"NVFP4, a factor each, with LoRA", {2, 0, 11}, 24, 320, 16, QFUSE_E2M1, kFactor, true, 3, 8, 16},
    {"NVFP4, a divisor each", {3, 1, 18}, 24, 192, 16, QFUSE_E2M1, kDivisor, true},
    {"NVFP4, factors of every kind", one_each_but(16, 5), 24, 192, 16, QFUSE_E2M1, kFactor, true, 0, 0, 0, false,
     AbsmaxKind::extreme},
    {"NVFP4, divisors of every kind", one_each_but(16, 5), 24, 192, 16, QFUSE_E2M1, kDivisor, true, 0, 0, 0, false,
     AbsmaxKind::extreme},
    {"NVFP4, subnormal divisors", one_each_but(16, 5), 24, 192, 16, QFUSE_E2M1, kDivisor, true, 0, 0, 0, false,
     AbsmaxKind::subnormal},
    {"NVFP4, one expert with a divisor", {3}, 24, 192, 16, QFUSE_E2M1, kDivisor, true},
    {"NVFP4 without global scales, nested by itself", {2, 0, 3}, 24, 192, 16, QFUSE_E2M1, kNoGlobal, true},
    {"MXFP4, nested by itself", {2, 0, 3, 1}, 24, 192, 32, QFUSE_E2M1, 256, true},
    {"INT4 in groups of 32, bf16 scales", {5, 0, 9, 1}, 5, 160, 32, QFUSE_INT4, kBfloat16Scales},
    {"INT4 in groups of 128 with LoRA, tokens of nobody",
     {2, 0, 11},
     25,
     384,
     128,
     QFUSE_INT4,
     kFloat16Scales,
     false,
     3,
     8,
     16},
    {"no outputs forward, no terms backward", {2, 3}, 0, 64, 64, QFUSE_NF4, 0},
    {"no terms forward, no outputs backward", {2, 3}, 8, 0, 64, QFUSE_NF4, 0},
    {"two rounds of chains, several tiles", {2, 1, 9}, 24, 4608, 64, QFUSE_NF4, 256, false, 0, 0, 0, true},
    {"one chain of split sums, 16 teams, several turns",
     {3, 0, 9, 1},
     184,
     256,
     64,
     QFUSE_NF4,
     0,
     false,
     0,
     0,
     0,
     true},
    {"three chains, five teams, several turns, nested by itself",
     {1, 0, 2, 11, 1},
     56,
     768,
     64,
     QFUSE_NF4,
     16,
     true,
     0,
     0,
     0,
     true},
    {"MXFP4, three chains and a block, several teams and turns",
     {1, 0, 2, 9, 1},
     56,
     832,
     32,
     QFUSE_E2M1,
     256,
     false,
     0,
     0,
     0,
     true},
    {"NVFP4, divisors, split sums of several turns", {1, 0, 2, 9, 1}, 56, 832, 16, QFUSE_E2M1, kDivisor, true},
    {"NVFP4, factors, two rounds", {2, 1, 9}, 24, 4608, 16, QFUSE_E2M1, kFactor, true, 0, 0, 0, true},
    {"eight chains, two teams, several turns, tokens of nobody",
     {0, 2, 1},
     40,
     2048,
     64,
     QFUSE_FP4,
     256,
     false,
     3,
     0,
     0,
     true},
};

struct GroupedInput {
  Dequantize4bitInput stack;
  std::vector<float> offsets;  // nested offset of each expert that is nested by itself
  std::vector<std::int64_t> ends64;
  std::vector<std::int32_t> ends32;
  std::vector<std::uint8_t> in;
  std::vector<std::uint8_t> bias;
  std::vector<std::uint8_t> lora_in;
  std::vector<std::uint8_t> lora_weight;
};

// Number of blocks of one expert.
inline std::int64_t block_count(const GroupedCase& c) { return qfuse_block_count(c.rows * c.cols, c.blocksize); }

inline Dequantize4bitCase stack_of(const GroupedCase& c) {
  const bool is_mxfp4 = c.quant_type == QFUSE_E2M1 && c.blocksize != 16;
  const std::int64_t elements = std::ssize(c.tokens) * c.rows * c.cols;
  return {c.risk, elements, c.blocksize, c.quant_type, c.nested_blocksize, is_mxfp4 ? c.scales : AbsmaxKind::trained};
}

inline std::int64_t token_count(const GroupedCase& c) {
  std::int64_t m = c.nobodys;
  for (const std::int64_t tokens : c.tokens) m += tokens;
  return m;
}

inline GroupedInput make_input(const GroupedCase& c, qfuse_direction direction, qfuse_dtype dtype) {
  const std::int64_t m = token_count(c);
  const std::int64_t experts = std::ssize(c.tokens);
  const bool forward = direction == QFUSE_FORWARD;
  const std::int64_t outputs = forward ? c.rows : c.cols;
  std::mt19937 random(static_cast<std::uint32_t>(m + c.rows * c.cols));
  GroupedInput in;
  in.stack = make_input(stack_of(c));
  if (c.nested_each && !in.stack.global.empty()) {
    in.stack.global.resize(static_cast<std::size_t>(experts));
    int exponent = 0;
    for (float& scale : in.stack.global) scale = std::ldexp(random_scale(c.scales, random), exponent++ % 3);
  } else if (c.nested_each && !has_row_scales(c.quant_type)) {
    in.stack.nested_absmax.resize(
        static_cast<std::size_t>(experts * qfuse_block_count(block_count(c), c.nested_blocksize)));
    for (float& scale : in.stack.nested_absmax) scale = random_scale(AbsmaxKind::trained, random);
    for (std::int64_t e = 0; e < experts; ++e) in.offsets.push_back(random_scale(AbsmaxKind::trained, random));
  }
  std::int64_t end = 0;
  for (const std::int64_t tokens : c.tokens) {
    in.ends64.push_back(end += tokens);
    in.ends32.push_back(static_cast<std::int32_t>(end));
  }
  in.in = random_values(m * ((forward ? c.cols : c.rows) + c.gap), dtype, InputKind::normal, random);
  in.bias = random_values(experts * outputs, dtype, InputKind::normal, random);
  in.lora_in = random_values(m * c.lora_rank, dtype, InputKind::normal, random);
  in.lora_weight = random_values(experts * outputs * c.lora_rank, dtype, InputKind::normal, random);
  return in;
}

// Parameters over `in`, with a bias. The caller sets out.
inline contract::Matmul4bitGrouped make_params(const GroupedCase& c, qfuse_direction direction, qfuse_dtype dtype,
                                               const GroupedInput& in) {
  contract::Matmul4bitGrouped p{};
  p.weight = make_params(stack_of(c), in.stack).weight;
  p.weight.rows = std::ssize(c.tokens) * c.rows;
  p.weight.cols = c.cols;
  if (c.nested_each && !has_row_scales(c.quant_type)) p.weight.nested_offset = in.offsets.data();
  p.nested_each = c.nested_each ? 1 : 0;
  p.direction = direction;
  p.dtype = dtype;
  p.m = token_count(c);
  p.in = in.in.data();
  p.experts = std::ssize(c.tokens);
  p.expert_ends = in.ends32.data();
  p.bias = in.bias.data();
  p.lora_rank = c.lora_rank;
  p.lora_in = in.lora_in.data();
  p.lora_weight = in.lora_weight.data();
  if (c.gap > 0) {
    p.in_stride = term_count(any_product(p)) + c.gap;
    p.out_stride = output_count(any_product(p)) + c.gap;
  }
  return p;
}

inline std::size_t output_bytes(const contract::Matmul4bitGrouped& p) { return output_bytes(any_product(p)); }

// Returns an expert's absmax, decoded by the manual's formula.
inline std::vector<float> decoded_absmax(const GroupedCase& c, const GroupedInput& in, std::int64_t expert) {
  const std::int64_t blocks = block_count(c);
  std::vector<float> absmax;
  if (has_row_scales(c.quant_type)) return absmax;  // which have scales instead
  for (std::int64_t b = expert * blocks; b < (expert + 1) * blocks; ++b) {
    if (c.nested_blocksize == 0) {
      absmax.push_back(in.stack.absmax[static_cast<std::size_t>(b)]);
      continue;
    }
    const std::int64_t nested_block = c.nested_each ? expert * qfuse_block_count(blocks, c.nested_blocksize) +
                                                          (b - expert * blocks) / c.nested_blocksize
                                                    : b / c.nested_blocksize;
    const float value = in.stack.nested_quant_map[in.stack.absmax_8bit[static_cast<std::size_t>(b)]];
    const float scale = in.stack.nested_absmax[static_cast<std::size_t>(nested_block)];
    const float offset = c.nested_each ? in.offsets[static_cast<std::size_t>(expert)] : in.stack.nested_offset;
    absmax.push_back(format::mul_ftz(value, scale) + offset);
  }
  return absmax;
}

// Returns the matmul_4bit call for tokens [begin, end) and the expert's weight with plain scales, into the same out.
inline contract::Matmul4bit single_product(const contract::Matmul4bitGrouped& p, const GroupedCase& c,
                                           const std::vector<float>& absmax, std::int64_t expert, std::int64_t begin,
                                           std::int64_t end) {
  const auto size = static_cast<std::int64_t>(qfuse_dtype_size(p.dtype));
  const auto behind = [&](const void* array, std::int64_t count) {
    return static_cast<const std::uint8_t*>(array) + count * size;
  };
  const bool forward = p.direction == QFUSE_FORWARD;
  const std::int64_t outputs = forward ? c.rows : c.cols;
  contract::Matmul4bit one{};
  one.weight.rows = c.rows;
  one.weight.cols = c.cols;
  one.weight.blocksize = c.blocksize;
  one.weight.quant_type = c.quant_type;
  one.weight.packed = p.weight.packed + expert * c.rows * c.cols / 2;
  one.weight.scale_type = p.weight.scale_type;
  const std::int64_t own = c.nested_each ? expert : 0;
  if (has_row_scales(c.quant_type)) {
    one.weight.scales = static_cast<const std::uint8_t*>(p.weight.scales) +
                        expert * block_count(c) * format::scale_size(p.weight.scale_type);
    if (p.weight.global_scale != nullptr) one.weight.global_scale = p.weight.global_scale + own;
    if (p.weight.global_divisor != nullptr) one.weight.global_divisor = p.weight.global_divisor + own;
  } else {
    one.weight.absmax = absmax.data();
  }
  one.direction = p.direction;
  one.dtype = p.dtype;
  one.m = end - begin;
  one.in_stride = (forward ? c.cols : c.rows) + c.gap;
  one.out_stride = outputs + c.gap;
  one.in = behind(p.in, begin * one.in_stride);
  one.out = const_cast<std::uint8_t*>(behind(p.out, begin * one.out_stride));
  one.bias = p.bias == nullptr ? nullptr : behind(p.bias, expert * outputs);
  one.sum = p.sum;
  one.lora_rank = p.lora_rank;
  one.lora_in = behind(p.lora_in, begin * p.lora_rank);
  one.lora_weight = behind(p.lora_weight, expert * outputs * p.lora_rank);
  return one;
}

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_CASES_MATMUL_4BIT_GROUPED_H
