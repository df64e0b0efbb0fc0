// The sums with which compare() verifies a merge have the oracle's bits.
#include "checkpoint/report/chains.h"

#include <array>
#include <limits>
#include <random>
#include <vector>

#include "support.h"

namespace qfuse::checkpoint {
namespace {

struct Sizes {
  std::int64_t rows;
  std::int64_t cols;
  std::int64_t rank;
};

// Returns normally distributed values with some infinities, NaNs, extreme magnitudes and zeros of both signs.
std::vector<float> factor(std::int64_t count, std::mt19937& random) {
  constexpr float kInfinite = std::numeric_limits<float>::infinity();
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  constexpr std::array kRare{0.0F, -0.0F, kInfinite, -kInfinite, kNaN, 1e-45F, 3e38F};
  std::normal_distribution<float> normal;
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i)
    values.push_back(random() % 50 == 0 ? kRare[random() % kRare.size()] : normal(random));
  return values;
}

TEST(Chains, have_the_bits_of_the_oracle) {
  constexpr std::array kDtypes{Dtype::float32, Dtype::float16, Dtype::bfloat16};
  std::mt19937 random(1);
  for (const auto& [rows, cols, rank] : {Sizes{3, 5, 1}, {1, 1, 0}, {2, 512, 4}, {3, 1300, 7}, {0, 8, 2}, {2, 0, 2}})
    for (const Dtype in_dtype : kDtypes)
      for (const Dtype out_dtype : kDtypes) {
        const std::vector<float> a = factor(rank * cols, random);
        const std::vector<float> b = factor(rows * rank, random);
        const auto elements = static_cast<std::size_t>(rows * cols);
        std::vector<std::byte> in(elements * dtype_size(in_dtype));
        for (std::byte& byte : in) byte = static_cast<std::byte>(random());
        std::vector<std::byte> out(elements * dtype_size(out_dtype));
        std::vector<std::byte> expected = out;
        const LoraProduct product{.a = a, .b = b, .rank = rank, .scale = 1.7F};
        add_by_chains(in, in_dtype, rows, cols, product, out, out_dtype, {});
        lora_merge(in, in_dtype, rows, cols, product, expected, out_dtype, {.device = {QFUSE_REFERENCE, 0}});
        EXPECT_EQ(out, expected) << rows << " by " << cols << ", rank " << rank;
      }
}

}  // namespace
}  // namespace qfuse::checkpoint
