// Properties of any weight: rapidcheck searches for a counterexample and shrinks it.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <qfuse/qfuse.hpp>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "support/ways.h"

namespace qfuse::tests {
namespace {

const std::vector<std::int64_t> kBlocksizes = {32, 64, 128, 256, 512, 1024, 2048, 4096};

// Includes the software GPU, which can read host memory.
Exec any_exec() {
  if (has_software_gpu() && *rc::gen::arbitrary<bool>()) return {.device = {QFUSE_CUDA, 0}};
  return {.threads = *rc::gen::inRange(1, 5), .cpu_target = *rc::gen::elementOf(cpu_targets())};
}

// Ordinary numbers and some zeros; any count, even or odd.
std::vector<float> any_weights() {
  std::vector<float> weights(*rc::gen::inRange<std::size_t>(0, 10'000));
  std::mt19937 random(*rc::gen::arbitrary<std::uint32_t>());
  for (float& weight : weights) weight = static_cast<float>(static_cast<int>(random() % 8001) - 4000) * 3.1e-5F;
  return weights;
}

std::span<const std::byte> bytes_of(const std::vector<float>& values) { return std::as_bytes(std::span(values)); }

Weight4bitArrays encode(const std::vector<float>& weights, QuantType quant_type, std::int64_t blocksize, bool nested) {
  Weight4bitArrays encoded(1, static_cast<std::int64_t>(weights.size()), blocksize, quant_type, nested);
  std::vector<std::byte> workspace(quantize_4bit_workspace_size(encoded.out(), Dtype::float32));
  quantize_4bit(bytes_of(weights), Dtype::float32, encoded.out(), any_exec(), {.workspace = workspace});
  return encoded;
}

std::vector<float> decode(const Weight4bit& weight) {
  std::vector<float> values(static_cast<std::size_t>(weight.rows * weight.cols));
  dequantize_4bit(weight, std::as_writable_bytes(std::span(values)), Dtype::float32, any_exec());
  return values;
}

// FP4 has two zeros: one code decodes to -0, which encodes to the other code.
std::vector<std::uint8_t> with_one_zero(std::vector<std::uint8_t> packed, QuantType quant_type) {
  if (quant_type == QuantType::nf4) return packed;
  for (std::uint8_t& byte : packed) {
    if ((byte & 0xf0U) == 0x80U) byte &= 0x0fU;
    if ((byte & 0x0fU) == 0x08U) byte &= 0xf0U;
  }
  return packed;
}

// The nearest value of the map is at most half of its widest gap away, times the block's absmax.
RC_GTEST_PROP(Properties, blockwise_8bit_codes_decode_to_near_their_values, ()) {
  const std::vector<float> values = any_weights();
  const auto blocksize = std::int64_t{1} << *rc::gen::inRange(0, 13);
  const auto blocks = static_cast<std::size_t>(qfuse_block_count(static_cast<std::int64_t>(values.size()), blocksize));
  std::vector<std::uint8_t> codes(values.size());
  std::vector<float> absmax(blocks);
  quantize_blockwise(values, blocksize, 0.0F, codes, absmax, any_exec());
  std::vector<float> map(256);
  qfuse_nested_quant_map(map.data());
  std::vector<float> decoded(values.size());
  dequantize_blockwise(codes, absmax, map, blocksize, std::as_writable_bytes(std::span(decoded)), Dtype::float32,
                       any_exec());
  constexpr float kHalfWidestGap = 0.0071F;  // half of 0.9/64 in the top decade; -1 is as far from the lowest value
  for (std::size_t i = 0; i < values.size(); ++i)
    RC_ASSERT(std::fabs(values[i] - decoded[i]) <= kHalfWidestGap * absmax[i / static_cast<std::size_t>(blocksize)]);
}

RC_GTEST_PROP(Properties, encoding_a_decoded_weight_gives_its_codes, ()) {
  const std::vector<float> weights = any_weights();
  const auto quant_type = *rc::gen::element(QuantType::nf4, QuantType::fp4);
  const auto blocksize = *rc::gen::elementOf(kBlocksizes);
  const Weight4bitArrays once = encode(weights, quant_type, blocksize, false);
  const Weight4bitArrays twice = encode(decode(once.view()), quant_type, blocksize, false);
  RC_ASSERT(with_one_zero(twice.packed, quant_type) == with_one_zero(once.packed, quant_type));
  RC_ASSERT(twice.absmax == once.absmax);
}

RC_GTEST_PROP(Properties, no_decoded_weight_is_further_off_than_half_the_widest_gap, ()) {
  const std::vector<float> weights = any_weights();
  const auto quant_type = *rc::gen::element(QuantType::nf4, QuantType::fp4);
  const Weight4bitArrays encoded = encode(weights, quant_type, 64, false);
  const std::vector<float> decoded = decode(encoded.view());
  // Half of the widest gap (NF4: from -1 to -0.696, FP4: from 2/3 to 1), plus the rounding of the steps.
  const float half_gap = quant_type == QuantType::nf4 ? 0.1520F : 0.1668F;
  for (std::size_t i = 0; i < weights.size(); ++i)
    RC_ASSERT(std::fabs(decoded[i] - weights[i]) <= half_gap * encoded.absmax[i / 64]);
}

RC_GTEST_PROP(Properties, every_target_and_thread_count_gives_the_same_bytes, ()) {
  const std::vector<float> weights = any_weights();
  const auto quant_type = *rc::gen::element(QuantType::nf4, QuantType::fp4);
  const auto blocksize = *rc::gen::elementOf(kBlocksizes);
  const Weight4bitArrays one = encode(weights, quant_type, blocksize, true);
  const Weight4bitArrays two = encode(weights, quant_type, blocksize, true);
  RC_ASSERT(one.packed == two.packed);
  RC_ASSERT(one.absmax_8bit == two.absmax_8bit);
  RC_ASSERT(one.nested_absmax == two.nested_absmax);
  RC_ASSERT(one.nested_quant_map == two.nested_quant_map);
  RC_ASSERT(std::bit_cast<std::uint32_t>(one.nested_offset) == std::bit_cast<std::uint32_t>(two.nested_offset));
  const std::vector<float> a = decode(one.view());
  const std::vector<float> b = decode(two.view());
  RC_ASSERT(std::ranges::equal(bytes_of(a), bytes_of(b)));
}

// Decoding in two calls, split where a nested block ends, gives the same bytes as one call.
RC_GTEST_PROP(Properties, a_split_weight_decodes_to_the_same_bytes, ()) {
  constexpr std::int64_t kBlocksize = 32;
  constexpr std::int64_t kNestedElements = 256 * kBlocksize;
  const auto n = *rc::gen::inRange<std::int64_t>(kNestedElements + 1, 4 * kNestedElements);
  std::vector<float> weights(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = std::sin(static_cast<float>(i)) * 0.02F;
  const Weight4bitArrays encoded = encode(weights, QuantType::nf4, kBlocksize, true);
  const auto cut =
      static_cast<std::size_t>(*rc::gen::inRange<std::int64_t>(1, n / kNestedElements + 1) * kNestedElements);
  std::vector<float> halves;
  const auto append_part = [&](std::size_t begin, std::size_t end) {
    Weight4bit part = encoded.view();
    part.cols = static_cast<std::int64_t>(end - begin);
    part.packed = part.packed.subspan(begin / 2, (end - begin + 1) / 2);
    part.absmax_8bit = part.absmax_8bit.subspan(begin / kBlocksize, (end - begin + kBlocksize - 1) / kBlocksize);
    part.nested_absmax =
        part.nested_absmax.subspan(begin / kNestedElements, (end - begin + kNestedElements - 1) / kNestedElements);
    const std::vector<float> decoded = decode(part);
    halves.insert(halves.end(), decoded.begin(), decoded.end());
  };
  append_part(0, cut);
  append_part(cut, weights.size());
  RC_ASSERT(halves == decode(encoded.view()));
}

// Returns the message of the error that the call throws, or "".
template <class Call>
std::string refusal_of(const Call& call) {
  try {
    call();
  } catch (const Error& e) {
    EXPECT_EQ(e.status(), Status::invalid_argument);
    return e.what();
  }
  return "";
}

TEST(Hpp, blocks_and_rows_are_checked_before_lengths_are_made_of_them) {
  const std::vector<float> weights(100, 0.5F);
  Weight4bitArrays arrays(10, 10);
  quantize_4bit(bytes_of(weights), Dtype::float32, arrays.out());
  std::vector<float> out(100);
  const auto refusal = [&](const auto& spoil) {
    Weight4bit weight = arrays.view();
    spoil(weight);
    return refusal_of([&] { dequantize_4bit(weight, std::as_writable_bytes(std::span(out)), Dtype::float32); });
  };
  EXPECT_EQ(refusal([](Weight4bit&) {}), "");
  EXPECT_EQ(refusal([](Weight4bit& w) { w.nested_absmax = {}; }), "nested_absmax has 0 entries, needs 1");
  EXPECT_EQ(refusal([](Weight4bit& w) { w.absmax_8bit = {}; }), "absmax has 0 entries, needs 2");
  for (const std::int64_t blocksize : {0, 48})
    EXPECT_EQ(refusal([&](Weight4bit& w) { w.blocksize = blocksize; }),
              "blocksize is " + std::to_string(blocksize) + ", it must be a power of two from 32 to 4096");
  EXPECT_EQ(refusal([](Weight4bit& w) { w.rows = -1; }), "rows is -1, it must not be negative");
}

TEST(Hpp, lengths_of_a_plain_weight_are_checked_whatever_its_nested_blocksize) {
  Weight4bitArrays arrays(10, 10, 64, QuantType::nf4, false);
  std::vector<float> out(100);
  Weight4bit weight = arrays.view();
  weight.nested_blocksize = 0;
  const auto decode = [&] { dequantize_4bit(weight, std::as_writable_bytes(std::span(out)), Dtype::float32); };
  EXPECT_EQ(refusal_of(decode), "");
  weight.absmax = weight.absmax.first(1);
  EXPECT_EQ(refusal_of(decode), "absmax has 1 entry, needs 2");
  weight.packed = weight.packed.first(49);
  EXPECT_EQ(refusal_of(decode), "packed has 49 entries, needs 50");
}

TEST(Hpp, arrays_of_counts_that_no_memory_holds_are_empty) {
  for (const auto& [rows, cols] : {std::pair<std::int64_t, std::int64_t>{INT64_MAX / 2, 3}, {-1, 10}}) {
    Weight4bitArrays arrays(rows, cols);
    EXPECT_TRUE(arrays.packed.empty());
    EXPECT_NE(refusal_of([&] { quantize_4bit({}, Dtype::float32, arrays.out()); }), "");
  }
}

TEST(Hpp, a_short_workspace_is_refused) {
  const std::vector<float> weights(100, 0.5F);
  Weight4bitArrays arrays(10, 10);
  EXPECT_EQ(quantize_4bit_workspace_size(arrays.out(), Dtype::float32), 16U) << "a sum and two scales";
  std::vector<std::byte> workspace(16);
  QuantizeOptions options;
  options.workspace = workspace;
  EXPECT_EQ(refusal_of([&] { quantize_4bit(bytes_of(weights), Dtype::float32, arrays.out(), {}, options); }), "");
  options.workspace = std::span(workspace).first(15);
  EXPECT_EQ(refusal_of([&] { quantize_4bit(bytes_of(weights), Dtype::float32, arrays.out(), {}, options); }),
            "workspace_size is 15, this call needs 16 bytes");
  EXPECT_EQ(refusal_of([&] { quantize_4bit(bytes_of(weights).first(396), Dtype::float32, arrays.out()); }),
            "in has 396 entries, needs 400");
}

}  // namespace
}  // namespace qfuse::tests
