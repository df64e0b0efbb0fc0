// Compares 2^26 random elements of each op with the CPU's, whose bytes equal the oracle's (tests/ops).
#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <bit>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "opencl/devices.h"
#include "support/compare.h"
#include "support/run.h"

namespace qfuse::tests {
namespace {

constexpr std::int64_t kCount = (std::int64_t{1} << 24) + 5;  // in each of four runs
constexpr std::int64_t kBlocksize = 64;

// Random scales: a quarter with any 32 bits, a quarter like weights, the others around the smallest normal number.
class RandomScales {
 public:
  std::vector<float> make(std::int64_t count) {
    std::vector<float> scales(static_cast<std::size_t>(count));
    for (float& scale : scales) {
      const auto bits = static_cast<std::uint32_t>(random_());
      const auto kind = static_cast<std::uint32_t>(random_()) % 4;
      constexpr std::uint32_t kExponents[] = {0, 1, 120, 0};  // kinds 0 to 2: the first of 8 exponents
      scale = std::bit_cast<float>(kind == 3 ? bits : (bits & 0x83ffffffU) + (kExponents[kind] << 23));
    }
    return scales;
  }
  std::vector<std::uint8_t> make_codes(std::int64_t count) {
    std::vector<std::uint8_t> codes(static_cast<std::size_t>(count));
    for (std::uint8_t& code : codes) code = static_cast<std::uint8_t>(random_() >> 24);
    return codes;
  }

 private:
  std::mt19937_64 random_{20261};  // always the same seed
};

// `p` has no output and no dtype yet.
template <class Op>
void expect_the_cpus_bytes(Op p, qfuse_dtype dtype, qfuse_device device) {
  const auto size = static_cast<std::size_t>(kCount) * qfuse_dtype_size(dtype);
  Buffer expected(size);
  Buffer out(size);
  p.out_dtype = dtype;
  p.out = expected.as<void>();
  ASSERT_EQ(call(p), QFUSE_OK);
  p.out = out.as<void>();
  qfuse_exec exec = QFUSE_EXEC_INIT;
  exec.device = device;
  qfuse_error error{};
  ASSERT_EQ(run(p, exec, &error), QFUSE_OK) << error.message;
  EXPECT_TRUE(same_bytes(expected.data(), out.data(), static_cast<std::int64_t>(size)));
}

TEST(OpenclRandom, weights_of_4_bits_have_the_cpus_bytes) {
  for_each_opencl_device([](qfuse_device device) {
    RandomScales random;
    const std::int64_t blocks = qfuse_block_count(kCount, kBlocksize);
    const auto packed = random.make_codes(qfuse_packed_size(kCount));
    const auto absmax = random.make(blocks);
    const auto absmax_8bit = random.make_codes(blocks);
    const auto nested_absmax = random.make(qfuse_block_count(blocks, 16));
    const auto map = random.make(QFUSE_QUANT_MAP_SIZE);
    const float offset = 0x1.2p-127F;
    contract::Dequantize4bit plain{};
    plain.weight = flat_weight(kCount, kBlocksize, QFUSE_NF4);
    plain.weight.packed = packed.data();
    plain.weight.absmax = absmax.data();
    contract::Dequantize4bit nested{};
    nested.weight = flat_weight(kCount, kBlocksize, QFUSE_FP4);
    nested.weight.packed = packed.data();
    nested.weight.absmax_8bit = absmax_8bit.data();
    nested.weight.nested_absmax = nested_absmax.data();
    nested.weight.nested_quant_map = map.data();
    nested.weight.nested_offset = &offset;
    nested.weight.nested_blocksize = 16;
    expect_the_cpus_bytes(plain, QFUSE_FLOAT32, device);
    expect_the_cpus_bytes(plain, QFUSE_FLOAT16, device);
    expect_the_cpus_bytes(nested, QFUSE_FLOAT32, device);
    expect_the_cpus_bytes(nested, QFUSE_BFLOAT16, device);
  });
}

TEST(OpenclRandom, rows_of_4_bits_have_the_cpus_bytes) {
  for_each_opencl_device([](qfuse_device device) {
    RandomScales random;
    contract::Dequantize4bit p{};
    qfuse_weight_4bit& w = p.weight;
    w.rows = 3;
    w.cols = kCount / 3;
    w.blocksize = 16;
    const std::int64_t blocks = w.rows * qfuse_block_count(w.cols, w.blocksize);
    const auto packed = random.make_codes(w.rows * qfuse_packed_size(w.cols));
    const auto zero_points = random.make_codes(blocks);
    const auto scales = random.make(blocks);
    const auto global = random.make(1);
    w.packed = packed.data();
    w.scales = scales.data();
    w.quant_type = QFUSE_INT4;
    w.zero_points = zero_points.data();
    w.global_scale = global.data();
    expect_the_cpus_bytes(p, QFUSE_FLOAT32, device);
    std::swap(w.global_scale, w.global_divisor);
    expect_the_cpus_bytes(p, QFUSE_FLOAT32, device);
    w.quant_type = QFUSE_E2M1;
    w.zero_points = nullptr;
    for (const auto& [type, dtype] : {std::pair{QFUSE_SCALES_E4M3, QFUSE_FLOAT16},
                                      {QFUSE_SCALES_UE8M0, QFUSE_BFLOAT16},
                                      {QFUSE_SCALES_BFLOAT16, QFUSE_FLOAT32}}) {
      w.scale_type = type;
      expect_the_cpus_bytes(p, dtype, device);
    }
  });
}

TEST(OpenclRandom, codes_of_8_bits_have_the_cpus_bytes) {
  for_each_opencl_device([](qfuse_device device) {
    RandomScales random;
    const auto codes = random.make_codes(kCount);
    const auto absmax = random.make(qfuse_block_count(kCount, 32));
    const auto map = random.make(QFUSE_QUANT_MAP_SIZE);
    contract::DequantizeBlockwise p{};
    p.n = kCount;
    p.blocksize = 32;
    p.codes = codes.data();
    p.absmax = absmax.data();
    p.quant_map = map.data();
    for (const qfuse_dtype dtype : {QFUSE_FLOAT32, QFUSE_FLOAT16, QFUSE_BFLOAT16, QFUSE_FLOAT32})
      expect_the_cpus_bytes(p, dtype, device);
  });
}

TEST(OpenclRandom, rows_of_int8_have_the_cpus_bytes) {
  for_each_opencl_device([](qfuse_device device) {
    RandomScales random;
    const auto codes = random.make_codes(kCount);
    contract::DequantizeInt8 p{};
    static_assert(kCount % 3 == 0);
    p.rows = 3;
    p.cols = kCount / 3;
    p.in = reinterpret_cast<const std::int8_t*>(codes.data());
    const auto scb = random.make(kCount);
    p.scb = scb.data();
    expect_the_cpus_bytes(p, QFUSE_BFLOAT16, device);
    std::swap(p.rows, p.cols);
    for (const qfuse_dtype dtype : {QFUSE_FLOAT32, QFUSE_FLOAT16, QFUSE_FLOAT32})
      expect_the_cpus_bytes(p, dtype, device);
  });
}

TEST(OpenclRandom, blocks_of_fp8_have_the_cpus_bytes) {
  for_each_opencl_device([](qfuse_device device) {
    RandomScales random;
    const auto codes = random.make_codes(kCount);
    contract::DequantizeFp8 p{};
    p.rows = 3;
    p.cols = kCount / 3;
    p.block_rows = 2;
    p.block_cols = 5;
    p.codes = codes.data();
    const auto scales = random.make(2 * qfuse_block_count(p.cols, p.block_cols));
    p.scales = scales.data();
    for (const auto& [type, dtype] : {std::pair{QFUSE_SCALES_FLOAT32, QFUSE_FLOAT32},
                                      {QFUSE_SCALES_FLOAT16, QFUSE_FLOAT16},
                                      {QFUSE_SCALES_BFLOAT16, QFUSE_BFLOAT16},
                                      {QFUSE_SCALES_UE8M0, QFUSE_FLOAT32}}) {
      p.scale_type = type;
      expect_the_cpus_bytes(p, dtype, device);
    }
  });
}

}  // namespace
}  // namespace qfuse::tests
