// Tests more than 2^31 elements (about 7 GB of memory), where 32-bit indices overflow: a weight decoded and encoded,
// FP8 and row-scaled weights decoded, and a SwiGLU backward.
#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "support/compare.h"
#include "support/run.h"
#include "support/ways.h"

namespace qfuse::tests {
namespace {

constexpr std::int64_t kCount = (std::int64_t{1} << 31) + 12345;
constexpr std::int64_t kBlocksize = 64;
constexpr std::int64_t kBlocks = (kCount + kBlocksize - 1) / kBlocksize;
constexpr std::int64_t kNestedElements = 256 * kBlocksize;
constexpr std::int64_t kWindow = 4 * kNestedElements;

// Windows that begin with a nested block: at the start, before 2^31, and at the end.
const std::vector<std::int64_t> kWindows = {0, (std::int64_t{1} << 31) - kWindow / 2,
                                            kCount / kNestedElements* kNestedElements};

void expect_decode_and_encode(const qfuse_exec& exec) {
  std::vector<std::uint8_t> packed(static_cast<std::size_t>(qfuse_packed_size(kCount)));
  for (std::size_t i = 0; i < packed.size(); ++i) packed[i] = static_cast<std::uint8_t>(i * 2654435761U >> 13);
  std::vector<std::uint8_t> codes(static_cast<std::size_t>(kBlocks));
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::uint8_t>(128 + (i * 40503U >> 5) % 128);
  std::vector<float> nested_absmax(static_cast<std::size_t>(qfuse_block_count(kBlocks, 256)), 0.01F);
  for (std::size_t i = 0; i < nested_absmax.size(); ++i) nested_absmax[i] += static_cast<float>(i % 97) * 1e-4F;
  std::vector<float> map(256);
  qfuse_nested_quant_map(map.data());
  std::vector<std::uint16_t> out(static_cast<std::size_t>(kCount));

  const float offset = 0.02F;

  contract::Dequantize4bit d{};
  d.weight = flat_weight(kCount, kBlocksize, QFUSE_NF4);
  d.weight.packed = packed.data();
  d.weight.absmax_8bit = codes.data();
  d.weight.nested_absmax = nested_absmax.data();
  d.weight.nested_quant_map = map.data();
  d.weight.nested_offset = &offset;
  d.weight.nested_blocksize = 256;
  d.out_dtype = QFUSE_BFLOAT16;
  d.out = out.data();
  qfuse_error error{};
  ASSERT_EQ(run(d, exec, &error), QFUSE_OK) << error.message;

  std::vector<std::uint8_t> packed_again(packed.size());
  std::vector<float> absmax(codes.size());
  contract::Quantize4bit q{};
  q.in_dtype = QFUSE_BFLOAT16;
  q.in = out.data();
  q.weight = flat_weight_out(kCount, kBlocksize, QFUSE_NF4);
  q.weight.packed = packed_again.data();
  q.weight.absmax = absmax.data();
  ASSERT_EQ(run(q, exec, &error), QFUSE_OK) << error.message;

  for (const std::int64_t begin : kWindows) {
    SCOPED_TRACE("window from element " + std::to_string(begin));
    const std::int64_t count = std::min(kWindow, kCount - begin);
    std::vector<std::uint16_t> expected(static_cast<std::size_t>(count));
    contract::Dequantize4bit part = d;
    part.weight.cols = count;
    part.weight.packed += begin / 2;
    part.weight.absmax_8bit += begin / kBlocksize;
    part.weight.nested_absmax += begin / kNestedElements;
    part.out = expected.data();
    ASSERT_EQ(run(part, oracle(), nullptr), QFUSE_OK);
    EXPECT_TRUE(same_elements(expected.data(), out.data() + begin, count, QFUSE_BFLOAT16));

    std::vector<std::uint8_t> expected_packed(static_cast<std::size_t>(qfuse_packed_size(count)));
    std::vector<float> expected_absmax(static_cast<std::size_t>(qfuse_block_count(count, kBlocksize)));
    contract::Quantize4bit encode = q;
    encode.weight.cols = count;
    encode.in = out.data() + begin;
    encode.weight.packed = expected_packed.data();
    encode.weight.absmax = expected_absmax.data();
    ASSERT_EQ(run(encode, oracle(), nullptr), QFUSE_OK);
    EXPECT_TRUE(same_bytes(expected_packed.data(), packed_again.data() + begin / 2, qfuse_packed_size(count)));
    EXPECT_TRUE(same_elements(expected_absmax.data(), absmax.data() + begin / kBlocksize,
                              qfuse_block_count(count, kBlocksize), QFUSE_FLOAT32));
  }
}

TEST(Huge, decode_and_encode_beyond_two_to_the_31) {
  const qfuse_exec exec = QFUSE_EXEC_INIT;
  expect_decode_and_encode(exec);
}

TEST(Huge, the_same_on_a_gpu) {
  if (qfuse_device_count(QFUSE_CUDA) == 0) GTEST_SKIP() << "there is no GPU here";
  for_each_gpu_way(expect_decode_and_encode);
}

constexpr std::int64_t kTokens = (std::int64_t{1} << 20) + 37;
constexpr std::int64_t kChannels = 128 * 17;
constexpr std::int64_t kGroup = 128;
static_assert(kTokens * kChannels > std::int64_t{1} << 31);

// Memory from calloc() that is never written uses no RAM. Tests write only the parts that they compare.
struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
template <class T>
std::unique_ptr<T[], Free> zeros(std::int64_t count) {
  return std::unique_ptr<T[], Free>(static_cast<T*>(std::calloc(static_cast<std::size_t>(count), sizeof(T))));
}

// An FP8 weight with nonzero blocks of rows only at the start, around element 2^31 and at the end.
void expect_fp8_beyond_two_to_the_31(const qfuse_exec& exec) {
  constexpr std::int64_t kRows = (std::int64_t{1} << 16) + 37;
  constexpr std::int64_t kCols = (std::int64_t{1} << 15) + 8;
  constexpr std::int64_t kBlock = 128;
  const std::int64_t scale_cols = qfuse_block_count(kCols, kBlock);
  const auto codes = zeros<std::uint8_t>(kRows * kCols);
  const auto out = zeros<std::uint16_t>(kRows * kCols);
  std::vector<float> scales(static_cast<std::size_t>(qfuse_block_count(kRows, kBlock) * scale_cols));
  for (std::size_t i = 0; i < scales.size(); ++i) scales[i] = 0.5F + static_cast<float>(i % 1009);
  const std::int64_t windows[] = {0, (std::int64_t{1} << 31) / kCols / kBlock * kBlock, kRows / kBlock * kBlock};
  const auto count_in = [&](std::int64_t window) { return std::min(kBlock, kRows - window) * kCols; };
  for (const std::int64_t window : windows)
    for (std::int64_t i = 0; i < count_in(window); ++i)
      codes[static_cast<std::size_t>(window * kCols + i)] = static_cast<std::uint8_t>(i * 2654435761U >> 13);
  contract::DequantizeFp8 p{};
  p.rows = kRows;
  p.cols = kCols;
  p.block_rows = p.block_cols = kBlock;
  p.codes = codes.get();
  p.scales = scales.data();
  p.out_dtype = QFUSE_BFLOAT16;
  p.out = out.get();
  qfuse_error error{};
  ASSERT_EQ(run(p, exec, &error), QFUSE_OK) << error.message;
  for (const std::int64_t window : windows) {
    SCOPED_TRACE("window from row " + std::to_string(window));
    std::vector<std::uint16_t> expected(static_cast<std::size_t>(count_in(window)));
    contract::DequantizeFp8 part = p;
    part.rows = count_in(window) / kCols;
    part.codes += window * kCols;
    part.scales = scales.data() + window / kBlock * scale_cols;
    part.out = expected.data();
    ASSERT_EQ(run(part, oracle(), nullptr), QFUSE_OK);
    EXPECT_TRUE(same_elements(expected.data(), out.get() + window * kCols, count_in(window), QFUSE_BFLOAT16));
  }
}

TEST(Huge, fp8_beyond_two_to_the_31) { expect_fp8_beyond_two_to_the_31(QFUSE_EXEC_INIT); }

TEST(Huge, fp8_on_a_gpu) {
  if (qfuse_device_count(QFUSE_CUDA) == 0) GTEST_SKIP() << "there is no GPU here";
  for_each_gpu_way(expect_fp8_beyond_two_to_the_31);
}

// A weight with row scales and the same nonzero rows.
void expect_rows_of_4_bits_beyond_two_to_the_31(const qfuse_exec& exec) {
  constexpr std::int64_t kRows = (std::int64_t{1} << 16) + 37;
  constexpr std::int64_t kCols = (std::int64_t{1} << 15) + 7;
  constexpr std::int64_t kBlock = 16;
  constexpr std::int64_t kRowsOfWindow = 100;
  const std::int64_t row_bytes = qfuse_packed_size(kCols);
  const std::int64_t row_blocks = qfuse_block_count(kCols, kBlock);
  const auto packed = zeros<std::uint8_t>(kRows * row_bytes);
  const auto scales = zeros<std::uint8_t>(kRows * row_blocks);
  const auto out = zeros<std::uint16_t>(kRows * kCols);
  const std::int64_t windows[] = {0, (std::int64_t{1} << 31) / kCols - kRowsOfWindow / 2, kRows - kRowsOfWindow};
  const auto fill = [](std::uint8_t* bytes, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) bytes[i] = static_cast<std::uint8_t>(i * 2654435761U >> 13);
  };
  for (const std::int64_t window : windows) {
    fill(packed.get() + window * row_bytes, kRowsOfWindow * row_bytes);
    fill(scales.get() + window * row_blocks, kRowsOfWindow * row_blocks);
  }
  contract::Dequantize4bit p{};
  p.weight.rows = kRows;
  p.weight.cols = kCols;
  p.weight.blocksize = kBlock;
  p.weight.quant_type = QFUSE_E2M1;
  p.weight.scale_type = QFUSE_SCALES_E4M3;
  p.weight.packed = packed.get();
  p.weight.scales = scales.get();
  p.out_dtype = QFUSE_BFLOAT16;
  p.out = out.get();
  qfuse_error error{};
  ASSERT_EQ(run(p, exec, &error), QFUSE_OK) << error.message;
  for (const std::int64_t window : windows) {
    SCOPED_TRACE("window from row " + std::to_string(window));
    std::vector<std::uint16_t> expected(static_cast<std::size_t>(kRowsOfWindow * kCols));
    contract::Dequantize4bit part = p;
    part.weight.rows = kRowsOfWindow;
    part.weight.packed += window * row_bytes;
    part.weight.scales = scales.get() + window * row_blocks;
    part.out = expected.data();
    ASSERT_EQ(run(part, oracle(), nullptr), QFUSE_OK);
    EXPECT_TRUE(same_elements(expected.data(), out.get() + window * kCols, std::ssize(expected), QFUSE_BFLOAT16));
  }
}

TEST(Huge, rows_of_4_bits_beyond_two_to_the_31) { expect_rows_of_4_bits_beyond_two_to_the_31(QFUSE_EXEC_INIT); }

TEST(Huge, rows_of_4_bits_on_a_gpu) {
  if (qfuse_device_count(QFUSE_CUDA) == 0) GTEST_SKIP() << "there is no GPU here";
  for_each_gpu_way(expect_rows_of_4_bits_beyond_two_to_the_31);
}

// Groups of tokens: the first, those around element 2^31 of x and of y, and the short last one.
const std::vector<std::int64_t> kTokenWindows = {0, (std::int64_t{1} << 30) / kChannels / kGroup* kGroup,
                                                 (std::int64_t{1} << 31) / kChannels / kGroup* kGroup,
                                                 kTokens / kGroup* kGroup};

std::int64_t tokens_of(std::int64_t window) { return std::min(kGroup, kTokens - window); }

struct Activations {
  Activations() : x(zeros<std::uint16_t>(kTokens * 2 * kChannels)), grad_y(zeros<std::uint16_t>(kTokens * kChannels)) {
    for (const std::int64_t window : kTokenWindows) {
      for (std::int64_t i = 0; i < tokens_of(window) * 2 * kChannels; ++i)
        x[static_cast<std::size_t>(window * 2 * kChannels + i)] = some_bfloat16(window + i);
      for (std::int64_t i = 0; i < tokens_of(window) * kChannels; ++i)
        grad_y[static_cast<std::size_t>(window * kChannels + i)] = some_bfloat16(window + i + 7);
    }
  }
  // Returns a bf16 between 1/4 and 4 of either sign.
  static std::uint16_t some_bfloat16(std::int64_t i) {
    const auto mixed = static_cast<std::uint32_t>(i * 2654435761U >> 7);
    return static_cast<std::uint16_t>((mixed & 0x81ffU) + 0x3e80U);
  }
  [[nodiscard]] contract::Swiglu params(std::int64_t first, std::int64_t tokens) const {
    contract::Swiglu p{};
    p.m = tokens;
    p.h = kChannels;
    p.format.group_size = kGroup;
    p.x = x.get() + first * 2 * kChannels;
    p.grad_y = grad_y.get() + first * kChannels;
    return p;
  }

  std::unique_ptr<std::uint16_t[], Free> x;
  std::unique_ptr<std::uint16_t[], Free> grad_y;
};

TEST(Huge, swiglu_gradients_beyond_two_to_the_31) {
  const Activations in;
  const auto q = zeros<std::int8_t>(kTokens * 2 * kChannels);
  const auto s = zeros<float>(kTokens * 2 * kChannels / kGroup);
  contract::Swiglu p = in.params(0, kTokens);
  p.grad_input.q = q.get();
  p.grad_input.s = s.get();
  qfuse_error error{};
  ASSERT_EQ(call(p, nullptr, &error), QFUSE_OK) << error.message;
  for (const std::int64_t window : kTokenWindows) {
    SCOPED_TRACE("window from token " + std::to_string(window));
    const std::int64_t count = tokens_of(window) * 2 * kChannels;
    std::vector<std::int8_t> expected_q(static_cast<std::size_t>(count));
    std::vector<float> expected_s(static_cast<std::size_t>(count / kGroup));
    p = in.params(window, tokens_of(window));
    p.grad_input.q = expected_q.data();
    p.grad_input.s = expected_s.data();
    ASSERT_EQ(run(p, oracle(), &error), QFUSE_OK) << error.message;
    EXPECT_TRUE(same_bytes(expected_q.data(), q.get() + window * 2 * kChannels, count));
    EXPECT_TRUE(same_bytes(expected_s.data(), s.get() + window * 2 * kChannels / kGroup, count / kGroup * 4));
  }
}

TEST(Huge, swiglu_y_beyond_two_to_the_31) {
  const Activations in;
  constexpr std::int64_t kGroups = (kTokens + kGroup - 1) / kGroup;
  const auto q = zeros<std::int8_t>(kTokens * kChannels);
  const auto s = zeros<float>(kGroups * kChannels);
  contract::Swiglu p = in.params(0, kTokens);
  p.y_t.q = q.get();
  p.y_t.s = s.get();
  qfuse_error error{};
  ASSERT_EQ(call(p, nullptr, &error), QFUSE_OK) << error.message;
  for (const std::int64_t window : kTokenWindows) {
    SCOPED_TRACE("window from token " + std::to_string(window));
    const std::int64_t tokens = tokens_of(window);
    std::vector<std::int8_t> expected_q(static_cast<std::size_t>(tokens * kChannels));
    std::vector<float> expected_s(kChannels);
    p = in.params(window, tokens);
    p.y_t.q = expected_q.data();
    p.y_t.s = expected_s.data();
    ASSERT_EQ(run(p, oracle(), &error), QFUSE_OK) << error.message;
    for (std::int64_t c = 0; c < kChannels; ++c) {
      ASSERT_TRUE(same_bytes(expected_q.data() + c * tokens, q.get() + c * kTokens + window, tokens)) << c;
      ASSERT_TRUE(same_bytes(expected_s.data() + c, s.get() + c * kGroups + window / kGroup, 4)) << c;
    }
  }
}

}  // namespace
}  // namespace qfuse::tests
