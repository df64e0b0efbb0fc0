// Compares the steps of device/hopper.cuh with their definition: on a Hopper GPU the PTX instructions and the portable
// code, on the software GPU the portable code in several orders of threads.
#include "cuda/hopper_steps.h"

#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <bit>
#include <cstdlib>
#include <random>
#include <string>

#include "format/matrix_step.h"

namespace qfuse::tests {
namespace {

// The steps under test, and the order of threads in the software GPU.
struct Way {
  const HopperSteps* steps;
  const char* order;
};
#ifdef QFUSE_SOFTWARE_GPU
const Way kWays[] = {{&kPortableHopperSteps, "forward"},
                     {&kPortableHopperSteps, "backward"},
                     {&kPortableHopperSteps, "shuffle:20261123"}};
bool is_hopper() { return true; }
#else
const Way kWays[] = {{&kPtxHopperSteps, "the GPU's"}, {&kPortableHopperSteps, "the GPU's"}};
#endif

class HopperStepsTest : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    if (qfuse_device_count(QFUSE_CUDA) == 0 || !is_hopper()) GTEST_SKIP() << "there is no Hopper GPU here";
    ::setenv("QFUSE_GPU_ORDER", GetParam().order, 1);
  }
  void TearDown() override { ::unsetenv("QFUSE_GPU_ORDER"); }

  std::mt19937 random_{20261123};
};

ByteArray random_array(std::mt19937& random, std::int64_t rows, std::int64_t row_bytes, std::int64_t stride) {
  ByteArray array{rows, row_bytes, stride, std::vector<std::uint8_t>(static_cast<std::size_t>(rows * stride))};
  for (std::uint8_t& byte : array.bytes) byte = static_cast<std::uint8_t>(random());
  return array;
}

std::uint8_t byte_at(const ByteArray& array, std::int64_t row, std::int64_t byte) {
  if (row < 0 || row >= array.rows || byte < 0 || byte >= array.row_bytes) return 0;
  return array.bytes[static_cast<std::size_t>(row * array.stride + byte)];
}

std::vector<std::uint8_t> expected_tile(const TileLoad& load) {
  std::vector<std::uint8_t> tile;
  const int rows_each = 128 / load.box_bytes;  // consecutive rows with the same swizzle
  const int chunks = load.box_bytes / 16;
  for (int r = 0; r < load.box_rows; ++r)
    for (int b = 0; b < load.box_bytes; ++b) {
      const int chunk = b / 16 ^ (r / rows_each % chunks);
      tile.push_back(byte_at(load.array, load.row + r, load.byte + 16 * chunk + b % 16));
    }
  return tile;
}

TEST_P(HopperStepsTest, load_tiles) {
  const ByteArray array = random_array(random_, 45, 200, 208);
  for (const int box_bytes : {16, 32, 64, 128})
    for (const int box_rows : {1, 8, 30, 256})
      for (const auto& [byte, row] : {std::pair{0, 0}, {16, 3}, {192, 40}, {96, 30}, {-16, -5}, {208, 0}, {0, 45}}) {
        SCOPED_TRACE(std::to_string(box_rows) + " x " + std::to_string(box_bytes) + " from byte " +
                     std::to_string(byte) + " of row " + std::to_string(row));
        const TileLoad load{array, box_rows, box_bytes, byte, row};
        std::vector<std::uint8_t> tile;
        const contract::Outcome o = GetParam().steps->load(load, tile);
        ASSERT_TRUE(o.ok()) << o.message;
        ASSERT_EQ(tile, expected_tile(load));
      }
}

TEST_P(HopperStepsTest, map_no_tiles_that_the_driver_does_not) {
  const TileLoad good{random_array(random_, 8, 64, 64), 8, 64, 0, 0};
  std::vector<std::uint8_t> tile;
  const auto message = [&](const TileLoad& load) { return GetParam().steps->load(load, tile).message; };
  EXPECT_EQ(message(good), "");
  TileLoad odd_stride = good;
  odd_stride.array.stride = 56;
  EXPECT_EQ(
      message(odd_stride),
      "CUDA: cuTensorMapEncodeTiled: CUDA_ERROR_INVALID_VALUE (1): invalid argument: tiles of 8 rows of 64 bytes in "
      "an array of 8 rows of 64 bytes, 56 bytes apart");
  TileLoad tall = good;
  tall.box_rows = 257;
  EXPECT_NE(message(tall), "");
}

// How the bits of random numbers are drawn: any bits, exponents near each other, the lowest exponents (subnormals), or
// infinities and NaN among other numbers.
enum class Kind { any, near, subnormal, infinite };
std::uint32_t number(std::mt19937& random, Kind kind, int fraction_bits, int exponent_bits) {
  const std::uint32_t bits = static_cast<std::uint32_t>(random()) >> (31 - fraction_bits - exponent_bits);
  const std::uint32_t highest = (1U << exponent_bits) - 1;
  std::uint32_t exponent = bits >> fraction_bits & highest;
  std::uint32_t fraction = bits & ((1U << fraction_bits) - 1);
  switch (kind) {
    case Kind::any: break;
    case Kind::near: exponent = highest / 2 - 4 + exponent % 8; break;
    case Kind::subnormal: exponent = exponent % 3; break;
    case Kind::infinite:
      exponent = random() % 150 == 0 ? highest : highest / 2;
      if (random() % 4 != 0) fraction = 0;
  }
  return bits >> (fraction_bits + exponent_bits) << (fraction_bits + exponent_bits) | exponent << fraction_bits |
         fraction;
}

float expected_sum(const TileProduct& p, int row, int column) {
  const format::Binary16 type = p.half ? format::kBinaryFloat16 : format::kBinaryBfloat16;
  float sum = p.adds ? p.sums[static_cast<std::size_t>(row * p.columns + column)] : 0.0F;
  for (int step = 0; step < kProductTerms; step += format::kStepTerms) {
    std::uint16_t a[format::kStepTerms];
    std::uint16_t b[format::kStepTerms];
    for (int k = 0; k < format::kStepTerms; ++k) {
      const int term = step + k;
      const int of_a = p.left_transposed ? term * kProductRows + row : row * kProductTerms + term;
      const int of_b = p.right_transposed ? term * p.columns + column : column * kProductTerms + term;
      a[k] = p.a[static_cast<std::size_t>(of_a)];
      b[k] = p.b[static_cast<std::size_t>(of_b)];
    }
    sum = format::matrix_step(type, sum, a, b);
  }
  return sum;
}

TileProduct random_product(std::mt19937& random, bool half, int columns, unsigned transposed, Kind kind) {
  TileProduct p{.half = half,
                .columns = columns,
                .left_in_registers = false,
                .left_transposed = (transposed & 1U) != 0,
                .right_transposed = (transposed & 2U) != 0,
                .adds = random() % 2 == 0,
                .a = {},
                .b = {},
                .sums = {}};
  const auto value = [&] { return static_cast<std::uint16_t>(number(random, kind, half ? 10 : 7, half ? 5 : 8)); };
  for (int i = 0; i < kProductRows * kProductTerms; ++i) p.a.push_back(value());
  for (int i = 0; i < columns * kProductTerms; ++i) p.b.push_back(value());
  for (int i = 0; i < kProductRows * columns; ++i) p.sums.push_back(std::bit_cast<float>(number(random, kind, 23, 8)));
  return p;
}

void expect_product(const HopperSteps& steps, const TileProduct& before) {
  TileProduct after = before;
  const contract::Outcome o = steps.multiply(after);
  ASSERT_TRUE(o.ok()) << o.message;
  for (int row = 0; row < kProductRows; ++row)
    for (int column = 0; column < before.columns; ++column)
      ASSERT_EQ(std::bit_cast<std::uint32_t>(after.sums[static_cast<std::size_t>(row * before.columns + column)]),
                std::bit_cast<std::uint32_t>(expected_sum(before, row, column)))
          << "row " << row << ", column " << column;
}

TEST_P(HopperStepsTest, multiply_what_registers_hold) {
  constexpr int kColumns = 256;
  if (GetParam().steps->most_columns < kColumns) GTEST_SKIP() << "these steps have no registers for so many sums";
  for (const bool half : {false, true})
    for (const Kind kind : {Kind::any, Kind::near, Kind::subnormal, Kind::infinite}) {
      SCOPED_TRACE(std::string(half ? "fp16, " : "bf16, ") + "kind " + std::to_string(static_cast<int>(kind)));
      TileProduct product = random_product(random_, half, kColumns, 0, kind);
      product.left_in_registers = true;
      expect_product(*GetParam().steps, product);
    }
}

TEST_P(HopperStepsTest, multiply_tiles) {
  for (const bool half : {false, true})
    for (const int columns : {32, 64, 128, 256})
      for (const unsigned transposed : {0U, 1U, 2U, 3U})
        for (const Kind kind : {Kind::any, Kind::near, Kind::subnormal, Kind::infinite}) {
          if (columns > GetParam().steps->most_columns) continue;
          SCOPED_TRACE(std::string(half ? "fp16, " : "bf16, ") + std::to_string(columns) + " columns, " +
                       "transposed " + std::to_string(transposed) + ", kind " + std::to_string(static_cast<int>(kind)));
          expect_product(*GetParam().steps, random_product(random_, half, columns, transposed, kind));
        }
}

int expected_sum(const Int8Product& p, int row, int column) {
  int sum = p.adds ? p.sums[static_cast<std::size_t>(row * p.columns + column)] : 0;
  const auto value = [](const std::vector<std::uint8_t>& of, int r, int term) {
    return static_cast<std::int8_t>(of[static_cast<std::size_t>(r * kInt8ProductTerms + term)]);
  };
  for (int term = 0; term < kInt8ProductTerms; ++term) sum += value(p.a, row, term) * value(p.b, column, term);
  return sum;
}

TEST_P(HopperStepsTest, multiply_int8_tiles) {
  for (const int columns : {128, 256})
    for (const bool adds : {false, true}) {
      if (columns > GetParam().steps->most_columns) continue;
      SCOPED_TRACE(std::to_string(columns) + " columns, adds " + std::to_string(static_cast<int>(adds)));
      Int8Product before{.columns = columns,
                         .adds = adds,
                         .a = random_array(random_, kProductRows, kInt8ProductTerms, kInt8ProductTerms).bytes,
                         .b = random_array(random_, columns, kInt8ProductTerms, kInt8ProductTerms).bytes,
                         .sums = {}};
      for (int i = 0; i < kProductRows * columns; ++i)
        before.sums.push_back(static_cast<int>(random_() % 100'000'000) - 50'000'000);
      Int8Product after = before;
      const contract::Outcome o = GetParam().steps->multiply_int8(after);
      ASSERT_TRUE(o.ok()) << o.message;
      for (int row = 0; row < kProductRows; ++row)
        for (int column = 0; column < columns; ++column)
          ASSERT_EQ(after.sums[static_cast<std::size_t>(row * columns + column)], expected_sum(before, row, column))
              << "row " << row << ", column " << column;
    }
}

// Random bf16 values of similar size, near 1.
ByteArray random_values(std::mt19937& random, std::int64_t rows, std::int64_t terms) {
  ByteArray array{rows, 2 * terms, 2 * terms, {}};
  for (std::int64_t i = 0; i < rows * terms; ++i) {
    const std::uint32_t value = number(random, Kind::near, 7, 8);
    array.bytes.push_back(static_cast<std::uint8_t>(value));
    array.bytes.push_back(static_cast<std::uint8_t>(value >> 8));
  }
  return array;
}

float expected_sum(const Pipeline& p, std::int64_t row, std::int64_t column) {
  float sum = 0.0F;
  const auto value_at = [](const ByteArray& array, std::int64_t r, std::int64_t term) {
    return static_cast<std::uint16_t>(byte_at(array, r, 2 * term) | byte_at(array, r, 2 * term + 1) << 8);
  };
  for (std::int64_t term = 0; 2 * term < p.a.row_bytes; term += format::kStepTerms) {
    std::uint16_t a[format::kStepTerms];
    std::uint16_t b[format::kStepTerms];
    for (int k = 0; k < format::kStepTerms; ++k) {
      a[k] = value_at(p.a, row, term + k);
      b[k] = value_at(p.b, column, term + k) ^ 0x8000U;
    }
    sum = format::matrix_step(format::kBinaryBfloat16, sum, a, b);
  }
  return sum;
}

TEST_P(HopperStepsTest, work_together_in_a_pipeline) {
  constexpr std::int64_t kTerms = 13 * kProductTerms - 24;
  constexpr std::int64_t kRows = kProductRows - 3;
  constexpr std::int64_t kColumns = 2 * kPipelineColumns;
  const Pipeline pipeline{random_values(random_, kRows, kTerms), random_values(random_, kColumns, kTerms)};
  std::vector<float> sums;
  const contract::Outcome o = GetParam().steps->run(pipeline, sums);
  ASSERT_TRUE(o.ok()) << o.message;
  for (std::int64_t row = 0; row < kProductRows; ++row)
    for (std::int64_t column = 0; column < kColumns; ++column)
      ASSERT_EQ(sums[static_cast<std::size_t>(row * kColumns + column)], expected_sum(pipeline, row, column))
          << "row " << row << ", column " << column;
}

INSTANTIATE_TEST_SUITE_P(Ways, HopperStepsTest, testing::ValuesIn(kWays), [](const auto& info) {
  return std::string(info.param.steps->name) + std::to_string(info.index);
});

}  // namespace
}  // namespace qfuse::tests
