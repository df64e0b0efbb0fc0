#include "cases/dequantize_4bit.h"

#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <string>

#include "support/buffer.h"
#include "support/compare.h"
#include "support/displaced.h"
#include "support/golden.h"
#include "support/output.h"
#include "support/risk.h"
#include "support/run.h"
#include "support/ways.h"

namespace qfuse::tests {
namespace {

constexpr std::array kDtypes = {QFUSE_FLOAT32, QFUSE_FLOAT16, QFUSE_BFLOAT16};
constexpr std::array kDtypeNames = {"float32", "float16", "bfloat16"};  // indexed by qfuse_dtype

// ---- against bitsandbytes ----

// Tests every case of a golden file for all dtypes and ways. `expected` is the number of cases in the file.
void expect_golden_weights(const std::string& stem, std::size_t expected) {
  const GoldenFile file = read_golden(stem + ".safetensors");
  const auto cases = read_golden_json(stem + ".json");
  ASSERT_EQ(cases.size(), expected);
  for (const auto& c : cases) {
    const GoldenWeight weight = golden_weight(file, c.at("name"));
    ASSERT_EQ(weight.blocksize, c.at("blocksize").get<std::int64_t>());
    for (const qfuse_dtype dtype : kDtypes) {
      SCOPED_TRACE(weight.name + " to " + kDtypeNames.at(dtype));
      const GoldenTensor& golden = file.at(weight.name + ".dequant." + kDtypeNames.at(dtype));
      contract::Dequantize4bit p = weight.params();
      p.out_dtype = dtype;
      for_each_way<contract::Dequantize4bit>([&](const qfuse_exec& exec) {
        const Buffer out = output_of(p, exec);
        ASSERT_EQ(golden.bytes.size(), out.size());
        ASSERT_TRUE(same_elements(golden.bytes.data(), out.data(), weight.n, dtype));
      });
    }
  }
}

TEST(Dequantize4bit, equals_bitsandbytes_on_the_golden_cases) { expect_golden_weights("bnb_cases", 22); }

TEST(Dequantize4bit, equals_bitsandbytes_on_subnormal_scales) { expect_golden_weights("bnb_extra", 6); }

// ---- against the oracle ----

class Dequantize4bitCases : public testing::TestWithParam<Dequantize4bitCase> {};

TEST_P(Dequantize4bitCases, every_target_gives_the_oracles_bytes_at_any_address) {
  constexpr std::array kPlaces = {std::array{0U, 0U, 0U},   std::array{1U, 0U, 0U}, std::array{0U, 1U, 0U},
                                  std::array{0U, 0U, 2U},   std::array{2U, 0U, 0U}, std::array{3U, 3U, 3U},
                                  std::array{16U, 16U, 16U}};  // misalignment of packed, out and the others
  const Dequantize4bitInput in = make_input(GetParam());
  for (const qfuse_dtype dtype : kDtypes) {
    contract::Dequantize4bit p = make_params(GetParam(), in);
    p.out_dtype = dtype;
    const Buffer expected = output_of(p, oracle());
    for (const auto& [packed, out_misalignment, others] : kPlaces) {
      if (kQuick && packed < 3) continue;
      SCOPED_TRACE(std::string("to ") + kDtypeNames.at(dtype) + ", packed misaligned by " + std::to_string(packed) +
                   ", out by " + std::to_string(out_misalignment) + ", the others by " + std::to_string(others));
      DisplacedWeight displaced(in, packed, others);
      displaced.point(p.weight);
      const std::size_t to = out_misalignment;
      for_each_fast_way<contract::Dequantize4bit>(
          [&](const qfuse_exec& exec) { expect_output(p, expected, exec, to); });
      ASSERT_TRUE(same_bytes(in.packed, displaced.packed));
    }
  }
}

// Products so close to 2^-126 that the test for a subnormal result matters: of the exact product, of the product
// rounded to 24 bits with unbounded exponent (as CUDA and the oracle do), or of the product rounded at subnormal
// precision. The last ones are the limits of the CPU kernels' fast path.
TEST(Dequantize4bit, products_at_the_edge_of_flushing_are_the_oracles) {
  constexpr std::array<std::uint32_t, 15> kEdges = {0x00f3c68d, 0x0161009e, 0x02490e06, 0x01c6d80e, 0x0182059e,
                                                    0x01113863, 0x00e3821b, 0x00b10cf9, 0x043fffff, 0x00bfffff,
                                                    0x013fffff, 0x01bfffff, 0x03ffffff, 0x04000000, 0x04800000};
  std::array<std::uint8_t, 32> packed;
  for (std::size_t i = 0; i < packed.size(); ++i) packed[i] = static_cast<std::uint8_t>(i * 0x1f + 1);
  for (const qfuse_quant_type quant_type : {QFUSE_NF4, QFUSE_FP4})
    for (const std::uint32_t& absmax : kEdges) {  // separately: the worst block of a call selects the path
      SCOPED_TRACE(absmax);
      constexpr auto kCount = 2 * static_cast<std::int64_t>(packed.size());
      contract::Dequantize4bit p{};
      p.weight = flat_weight(kCount, kCount, quant_type);
      p.weight.packed = packed.data();
      p.weight.absmax = reinterpret_cast<const float*>(&absmax);
      const Buffer expected = output_of(p, oracle());
      for_each_fast_way<contract::Dequantize4bit>([&](const qfuse_exec& exec) {
        EXPECT_TRUE(same_elements(expected.data(), output_of(p, exec).data(), kCount, QFUSE_FLOAT32));
      });
    }
}

// Separate GPU kernels write outputs larger than the L2 cache with streaming stores.
TEST(Dequantize4bit, output_larger_than_a_gpus_cache_equals_the_oracle) {
  if (qfuse_device_count(QFUSE_CUDA) == 0) GTEST_SKIP() << "there is no GPU here";
  const std::int64_t n = has_software_gpu() ? 1 << 20 : 64 << 20;  // the software GPU's L2 cache has 1 MiB
  for (const std::int64_t nested_blocksize : {0, 256}) {
    const Dequantize4bitCase c{"past the cache", n + 8191, 64, QFUSE_NF4, nested_blocksize};
    const Dequantize4bitInput in = make_input(c);
    for (const qfuse_dtype dtype : kDtypes) {
      contract::Dequantize4bit p = make_params(c, in);
      p.out_dtype = dtype;
      const Buffer expected = output_of(p, QFUSE_EXEC_INIT);  // the CPU's, which tests compare with the oracle
      for_each_gpu_way([&](const qfuse_exec& exec) { expect_output(p, expected, exec); });
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Risks, Dequantize4bitCases, testing::ValuesIn(kDequantize4bitCases),
                         risk_name<Dequantize4bitCase>);

// The shape does not matter: elements are numbered row by row, and blocks may span rows.
TEST(Dequantize4bit, shape_does_not_change_the_elements) {
  const Dequantize4bitCase c{"rows", 15 * 37, 32};
  const Dequantize4bitInput in = make_input(c);
  contract::Dequantize4bit p = make_params(c, in);
  const Buffer expected = output_of(p, oracle());
  p.weight.rows = 15;
  p.weight.cols = 37;
  for_each_way<contract::Dequantize4bit>([&](const qfuse_exec& exec) { expect_output(p, expected, exec); });
}

// Outputs of this size are written with streaming stores, a path that the small cases do not take.
TEST(Dequantize4bit, streamed_output_equals_the_oracle) {
  const Dequantize4bitCase c{"streamed", (16 << 20) + 8191, 4096};
  const Dequantize4bitInput in = make_input(c);
  contract::Dequantize4bit p = make_params(c, in);
  p.out_dtype = QFUSE_BFLOAT16;
  const Buffer expected = output_of(p, oracle());
  for (int i = 0; const char* target = qfuse_cpu_target_name(i); ++i) {
    if (i >= kMostTargets || (kQuick && i > 1)) break;  // AVX-512 and AVX2 have the two kinds of streaming
    SCOPED_TRACE(target);
    qfuse_exec exec = QFUSE_EXEC_INIT;
    exec.cpu_target = target;
    for (const std::size_t address : {0U, 16U, 32U, 6U}) {
      Buffer out(expected.size() + 64);
      auto* const aligned =
          reinterpret_cast<std::uint8_t*>((reinterpret_cast<std::uintptr_t>(out.data()) + 63) / 64 * 64);
      p.out = aligned + address % 64;
      if (static_cast<std::uint8_t*>(p.out) + expected.size() > out.data() + out.size()) p.out = out.as<void>();
      ASSERT_EQ(run(p, exec, nullptr), QFUSE_OK);
      ASSERT_TRUE(same_bytes(expected.data(), p.out, static_cast<std::int64_t>(expected.size())));
    }
  }
}

TEST(Dequantize4bit, every_code_of_a_flat_block_is_its_codebook_value) {
  // absmax 1 and fp32 output give the codebooks that bitsandbytes publishes (bits of the specified fp32 values).
  constexpr std::array<std::uint32_t, 16> kNf4Bits = {
      0xbf800000, 0xbf3239b1, 0xbf066b30, 0xbeca32a0, 0xbe91a24d, 0xbe3d353f, 0xbdba7871, 0x00000000,
      0x3da2faff, 0x3e24cae3, 0x3e7c04dd, 0x3ead033a, 0x3ee1a4b8, 0x3f1007ab, 0x3f3913b3, 0x3f800000};
  constexpr std::array<std::uint32_t, 16> kFp4Bits = {
      0x00000000, 0x3baaaaab, 0x3f2aaaab, 0x3f800000, 0x3eaaaaab, 0x3f000000, 0x3e2aaaab, 0x3e800000,
      0x80000000, 0xbbaaaaab, 0xbf2aaaab, 0xbf800000, 0xbeaaaaab, 0xbf000000, 0xbe2aaaab, 0xbe800000};
  std::array<std::uint8_t, 8> packed{};
  for (unsigned i = 0; i < packed.size(); ++i) packed[i] = static_cast<std::uint8_t>((2 * i) << 4 | (2 * i + 1));
  const float absmax = 1.0F;
  for (const auto& [quant_type, bits] : {std::pair{QFUSE_NF4, kNf4Bits}, std::pair{QFUSE_FP4, kFp4Bits}}) {
    for_each_way<contract::Dequantize4bit>([&](const qfuse_exec& exec) {
      std::array<std::uint32_t, 16> out{};
      contract::Dequantize4bit p{};
      p.weight = flat_weight(16, 64, quant_type);
      p.weight.packed = packed.data();
      p.weight.absmax = &absmax;
      p.out = out.data();
      ASSERT_EQ(run(p, exec, nullptr), QFUSE_OK);
      ASSERT_EQ(out, bits);
    });
  }
}

}  // namespace
}  // namespace qfuse::tests
