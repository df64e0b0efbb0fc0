// One weight of more than 2^31 elements (about 7 GB of memory), decoded and encoded again: no index may be 32 bits.
#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <cstdint>
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

// Windows that begin with a nested block: at the start, around 2^31, and at the end.
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

  qfuse_dequantize_4bit_params d{};
  d.struct_size = sizeof d;
  d.n = kCount;
  d.blocksize = kBlocksize;
  d.quant_type = QFUSE_NF4;
  d.out_dtype = QFUSE_BFLOAT16;
  d.packed = packed.data();
  d.absmax_8bit = codes.data();
  d.nested_absmax = nested_absmax.data();
  d.nested_quant_map = map.data();
  d.nested_blocksize = 256;
  d.nested_offset = 0.02F;
  d.out = out.data();
  qfuse_error error{};
  ASSERT_EQ(run(d, exec, &error), QFUSE_OK) << error.message;

  std::vector<std::uint8_t> packed_again(packed.size());
  std::vector<float> absmax(codes.size());
  qfuse_quantize_4bit_params q{};
  q.struct_size = sizeof q;
  q.n = kCount;
  q.blocksize = kBlocksize;
  q.quant_type = QFUSE_NF4;
  q.in_dtype = QFUSE_BFLOAT16;
  q.in = out.data();
  q.packed = packed_again.data();
  q.absmax = absmax.data();
  ASSERT_EQ(run(q, exec, &error), QFUSE_OK) << error.message;

  qfuse_exec oracle = QFUSE_EXEC_INIT;
  oracle.device = {QFUSE_REFERENCE, 0};
  for (const std::int64_t begin : kWindows) {
    SCOPED_TRACE("window from element " + std::to_string(begin));
    const std::int64_t count = std::min(kWindow, kCount - begin);
    std::vector<std::uint16_t> expected(static_cast<std::size_t>(count));
    qfuse_dequantize_4bit_params part = d;
    part.n = count;
    part.packed += begin / 2;
    part.absmax_8bit += begin / kBlocksize;
    part.nested_absmax += begin / kNestedElements;
    part.out = expected.data();
    ASSERT_EQ(qfuse_dequantize_4bit(&part, &oracle, nullptr), QFUSE_OK);
    EXPECT_TRUE(same_elements(expected.data(), out.data() + begin, count, QFUSE_BFLOAT16));

    std::vector<std::uint8_t> expected_packed(static_cast<std::size_t>(qfuse_packed_size(count)));
    std::vector<float> expected_absmax(static_cast<std::size_t>(qfuse_block_count(count, kBlocksize)));
    qfuse_quantize_4bit_params encode = q;
    encode.n = count;
    encode.in = out.data() + begin;
    encode.packed = expected_packed.data();
    encode.absmax = expected_absmax.data();
    ASSERT_EQ(qfuse_quantize_4bit(&encode, &oracle, nullptr), QFUSE_OK);
    EXPECT_TRUE(same_bytes(expected_packed.data(), packed_again.data() + begin / 2, qfuse_packed_size(count)));
    EXPECT_TRUE(same_elements(expected_absmax.data(), absmax.data() + begin / kBlocksize,
                              qfuse_block_count(count, kBlocksize), QFUSE_FLOAT32));
  }
}

TEST(Huge, DecodeAndEncodeBeyondTwoToThe31) {
  const qfuse_exec exec = QFUSE_EXEC_INIT;
  expect_decode_and_encode(exec);
}

TEST(Huge, TheSameOnAGpu) {
  if (qfuse_device_count(QFUSE_CUDA) == 0) GTEST_SKIP() << "there is no GPU here";
  for_each_gpu_way(expect_decode_and_encode);
}

}  // namespace
}  // namespace qfuse::tests
