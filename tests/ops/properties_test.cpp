// What holds for any weight: found by rapidcheck, shrunk to the smallest that breaks it.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <qfuse/qfuse.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace qfuse::tests {
namespace {

const std::vector<std::int64_t> kBlocksizes = {32, 64, 128, 256, 512, 1024, 2048, 4096};

Exec any_exec() { return {.threads = *rc::gen::inRange(1, 5), .cpu_target = *rc::gen::elementOf(cpu_targets())}; }

// Ordinary numbers, with zeros among them; any count, odd ones included.
std::vector<float> any_weights() {
  std::vector<float> weights(*rc::gen::inRange<std::size_t>(0, 10'000));
  std::mt19937 random(*rc::gen::arbitrary<std::uint32_t>());
  for (float& weight : weights) weight = static_cast<float>(static_cast<int>(random() % 8001) - 4000) * 3.1e-5F;
  return weights;
}

std::span<const std::byte> bytes_of(const std::vector<float>& values) { return std::as_bytes(std::span(values)); }

std::vector<float> decode(const Quantized4bit& q, const Exec& exec) {
  std::vector<float> values(static_cast<std::size_t>(q.n));
  dequantize_4bit(q.packed, q.view(), q.quant_type, q.blocksize, std::as_writable_bytes(std::span(values)),
                  Dtype::float32, exec);
  return values;
}

// FP4 has two zeros; decoding one gives -0, which encodes to the other.
std::vector<std::uint8_t> with_one_zero(std::vector<std::uint8_t> packed, QuantType quant_type) {
  if (quant_type == QuantType::nf4) return packed;
  for (std::uint8_t& byte : packed) {
    if ((byte & 0xf0U) == 0x80U) byte &= 0x0fU;
    if ((byte & 0x0fU) == 0x08U) byte &= 0xf0U;
  }
  return packed;
}

// The nearest value of the map is at most half its widest gap away, times the block's absmax.
RC_GTEST_PROP(Properties, Blockwise8BitCodesDecodeToNearTheirValues, ()) {
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
  constexpr float kHalfWidestGap = 0.0071F;  // of 0.9/64 in the top decade; -1 is as far from the least value
  for (std::size_t i = 0; i < values.size(); ++i)
    RC_ASSERT(std::fabs(values[i] - decoded[i]) <= kHalfWidestGap * absmax[i / static_cast<std::size_t>(blocksize)]);
}

RC_GTEST_PROP(Properties, EncodingADecodedWeightGivesItsCodes, ()) {
  const std::vector<float> weights = any_weights();
  const auto quant_type = *rc::gen::element(QuantType::nf4, QuantType::fp4);
  const auto blocksize = *rc::gen::elementOf(kBlocksizes);
  const Quantized4bit once = quantize_4bit(bytes_of(weights), Dtype::float32, quant_type, blocksize, false, any_exec());
  const Quantized4bit twice =
      quantize_4bit(bytes_of(decode(once, any_exec())), Dtype::float32, quant_type, blocksize, false, any_exec());
  RC_ASSERT(with_one_zero(twice.packed, quant_type) == with_one_zero(once.packed, quant_type));
  RC_ASSERT(twice.absmax == once.absmax);
}

RC_GTEST_PROP(Properties, NoDecodedWeightIsFurtherOffThanHalfTheWidestGap, ()) {
  const std::vector<float> weights = any_weights();
  const auto quant_type = *rc::gen::element(QuantType::nf4, QuantType::fp4);
  const Quantized4bit q = quantize_4bit(bytes_of(weights), Dtype::float32, quant_type, 64, false, any_exec());
  const std::vector<float> decoded = decode(q, any_exec());
  // The widest gaps: NF4 between -1 and -0.696, FP4 between 2/3 and 1; half of each, and the rounding of the steps.
  const float half_gap = quant_type == QuantType::nf4 ? 0.1520F : 0.1668F;
  for (std::size_t i = 0; i < weights.size(); ++i)
    RC_ASSERT(std::fabs(decoded[i] - weights[i]) <= half_gap * q.absmax[i / 64]);
}

RC_GTEST_PROP(Properties, EveryTargetAndThreadCountGivesTheSameBytes, ()) {
  const std::vector<float> weights = any_weights();
  const auto quant_type = *rc::gen::element(QuantType::nf4, QuantType::fp4);
  const auto blocksize = *rc::gen::elementOf(kBlocksizes);
  const Quantized4bit one = quantize_4bit(bytes_of(weights), Dtype::float32, quant_type, blocksize, true, any_exec());
  const Quantized4bit two = quantize_4bit(bytes_of(weights), Dtype::float32, quant_type, blocksize, true, any_exec());
  RC_ASSERT(one.packed == two.packed);
  RC_ASSERT(one.absmax == two.absmax);
  RC_ASSERT(one.absmax_8bit == two.absmax_8bit);
  RC_ASSERT(one.nested_absmax == two.nested_absmax);
  RC_ASSERT(std::bit_cast<std::uint32_t>(one.nested_offset) == std::bit_cast<std::uint32_t>(two.nested_offset));
  const std::vector<float> a = decode(one, any_exec());
  const std::vector<float> b = decode(two, any_exec());
  RC_ASSERT(std::ranges::equal(bytes_of(a), bytes_of(b)));
}

// Decoding a weight in two calls, cut where a nested block ends, gives what one call gives.
RC_GTEST_PROP(Properties, ASplitWeightDecodesToTheSameBytes, ()) {
  constexpr std::int64_t kBlocksize = 32;
  constexpr std::int64_t kNestedElements = 256 * kBlocksize;
  const auto n = *rc::gen::inRange<std::int64_t>(kNestedElements + 1, 4 * kNestedElements);
  std::vector<float> weights(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = std::sin(static_cast<float>(i)) * 0.02F;
  const Quantized4bit q =
      quantize_4bit(bytes_of(weights), Dtype::float32, QuantType::nf4, kBlocksize, true, any_exec());
  const auto cut =
      static_cast<std::size_t>(*rc::gen::inRange<std::int64_t>(1, n / kNestedElements + 1) * kNestedElements);
  std::vector<float> halves(weights.size());
  const auto part = [&](std::size_t begin, std::size_t end) {
    Absmax view = q.view();
    view.nested = view.nested.subspan(begin / kBlocksize, (end - begin + kBlocksize - 1) / kBlocksize);
    view.nested_absmax =
        view.nested_absmax.subspan(begin / kNestedElements, (end - begin + kNestedElements - 1) / kNestedElements);
    dequantize_4bit(std::span(q.packed).subspan(begin / 2, (end - begin + 1) / 2), view, q.quant_type, kBlocksize,
                    std::as_writable_bytes(std::span(halves).subspan(begin, end - begin)), Dtype::float32, any_exec());
  };
  part(0, cut);
  if (cut < weights.size()) part(cut, weights.size());
  RC_ASSERT(halves == decode(q, any_exec()));
}

TEST(Hpp, LengthsAreCheckedAgainstTheElements) {
  const std::vector<float> weights(100, 0.5F);
  const Quantized4bit q = quantize_4bit(bytes_of(weights), Dtype::float32, QuantType::nf4);
  std::vector<float> out(100);
  const auto expect_message = [&](const std::string& message, const auto& call) {
    try {
      call();
      ADD_FAILURE() << "not refused: " << message;
    } catch (const Error& e) {
      EXPECT_EQ(e.status(), Status::invalid_argument);
      EXPECT_EQ(e.what(), message);
    }
  };
  const auto bytes = std::as_writable_bytes(std::span(out));
  expect_message("packed has 49 entries, needs 50", [&] {
    dequantize_4bit(std::span(q.packed).first(49), q.view(), q.quant_type, 64, bytes, Dtype::float32);
  });
  expect_message("nested absmax has 1 entries, needs 2", [&] {
    Absmax view = q.view();
    view.nested = view.nested.first(1);
    dequantize_4bit(q.packed, view, q.quant_type, 64, bytes, Dtype::float32);
  });
  expect_message("blocksize is 48, it must be a power of two from 32 to 4096",
                 [&] { quantize_4bit(bytes_of(weights), Dtype::float32, QuantType::nf4, 48, false); });
}

}  // namespace
}  // namespace qfuse::tests
