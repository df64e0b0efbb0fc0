// Compares SwiGLU on a GPU with the oracle, which uses the GPU's exp here: the only step in which devices differ.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <qfuse/qfuse.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "cases/rotated_int8.h"
#include "reference/reference.h"
#include "sigmoids.h"
#include "support/moved.h"
#include "support/risk.h"
#include "support/run.h"
#include "support/swiglu.h"
#include "support/swiglu_experts.h"
#include "support/swiglu_formats.h"
#include "support/ways.h"

namespace qfuse::tests {
namespace {

const Sigmoids& sigmoids() {
  static const auto kOnes = [] {
    auto made = std::make_unique<Sigmoids>();
    if (!load_sigmoids(*made)) throw std::runtime_error("the GPU failed to compute its sigmoids");
    return made;
  }();
  return *kOnes;
}

float gpus_exponential(float x) { return sigmoids().exponential[std::bit_cast<std::uint32_t>(x) >> 16]; }

class SwigluOnGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (qfuse_device_count(QFUSE_CUDA) == 0) GTEST_SKIP() << "there is no GPU here";
  }
};

void expect_the_oracles_bytes(const SwigluCase& shape, Asked asked, qfuse_payload payload, qfuse_scale_layout layout,
                              std::size_t misalignment, const SwigluExtras& extras = {}) {
  SCOPED_TRACE(misalignment);
  const SwigluInputs in(shape, misalignment);
  contract::Swiglu p = in.params(asked, payload, extras);
  SwigluOutputs expected(p.m, p.h, 0, layout);
  expected.point(p, asked, extras);
  reference::swiglu_with(gpus_exponential, p);
  for_each_gpu_way([&](const qfuse_exec& exec) {
    SwigluOutputs actual(p.m, p.h, misalignment, layout);
    actual.point(p, asked, extras);
    qfuse_error error{};
    ASSERT_EQ(run(p, exec, &error), QFUSE_OK) << error.message;
    ASSERT_TRUE(same_outputs(expected, actual));
  });
  EXPECT_TRUE(in.unchanged());
}

class SwigluCasesOnGpu : public SwigluOnGpu, public testing::WithParamInterface<SwigluCase> {};

// Arrays are misaligned as asked. With an odd M (tokens), rows of the transposed outputs are misaligned, too.
TEST_P(SwigluCasesOnGpu, gives_the_oracles_bytes_at_any_address) {
  for (const std::size_t misalignment : {0U, 1U, 2U, 8U})
    for (const auto& [name, asked] : kEveryAsked) {
      SCOPED_TRACE(name);
      expect_the_oracles_bytes(GetParam(), asked, QFUSE_INT8, QFUSE_SCALES_ROW_MAJOR, misalignment);
      expect_the_oracles_bytes(GetParam(), asked, QFUSE_E4M3, QFUSE_SCALES_MN_MAJOR, misalignment);
    }
}

TEST_P(SwigluCasesOnGpu, gives_the_oracles_bytes_with_weights_and_other_activations) {
  for (const SwigluExtras& extras : kExtrasOfBfloat16)
    for (const Asked asked : {Asked::all, Asked::both_y}) {
      SCOPED_TRACE(extras.name);
      expect_the_oracles_bytes(GetParam(), asked, QFUSE_INT8, QFUSE_SCALES_ROW_MAJOR, 1, extras);
      expect_the_oracles_bytes(GetParam(), asked, QFUSE_E4M3, QFUSE_SCALES_MN_MAJOR, 0, extras);
    }
}

INSTANTIATE_TEST_SUITE_P(Risks, SwigluCasesOnGpu, testing::ValuesIn(kSwigluCases), risk_name<SwigluCase>);

TEST_F(SwigluOnGpu, gives_the_oracles_bytes_of_experts) {
  for (const ExpertCase& c : expert_cases()) {
    SCOPED_TRACE(c.name);
    const SwigluInputs in(SwigluCase{"", c.m, kExpertChannels}, 0);
    for (const ExpertsHow& how : every_experts_how()) {
      contract::Swiglu p = in.params(how.asked, how.payload, how.extras);
      SwigluOutputs expected = room_for(c.m, c.ends.size(), how.scales);
      expected.point(p, how.asked, how.extras);
      const ExpertEnds ends(c.ends, how.index);
      ends.point(p);
      p.experts.layout = how.experts;
      reference::swiglu_with(gpus_exponential, p);
      for_each_gpu_way([&](const qfuse_exec& exec) {
        SwigluOutputs actual = room_for(c.m, c.ends.size(), how.scales);
        qfuse_error error{};
        ASSERT_EQ(run_experts(in, c.ends, how, exec, actual, &error), QFUSE_OK) << error.message;
        ASSERT_TRUE(same_outputs(expected, actual));
      });
    }
  }
}

// ---- quantized for the products of rotated_int8 ----

class RotatedSwigluOnGpu : public SwigluOnGpu, public testing::WithParamInterface<SwigluCase> {};

TEST_P(RotatedSwigluOnGpu, gives_the_oracles_bytes_at_any_address) {
  const SwigluInputs in(GetParam(), 0);
  for (const qfuse_direction direction : {QFUSE_FORWARD, QFUSE_BACKWARD}) {
    SCOPED_TRACE(direction);
    const contract::RotatedInt8Swiglu p = rotated_params(in, direction, true);
    Moved<contract::RotatedInt8Swiglu> expected(p);
    reference::rotated_int8_swiglu_with(gpus_exponential, expected.params);
    for (const std::size_t odd : {0U, 1U, 2U, 8U})
      for_each_gpu_way([&](const qfuse_exec& exec) { expect_moved(p, expected, exec, odd); });
  }
}

INSTANTIATE_TEST_SUITE_P(Risks, RotatedSwigluOnGpu, testing::ValuesIn(kRotatedSwigluCases), risk_name<SwigluCase>);

// ---- other formats ----

// Options of a call in another format.
struct OtherFormat {
  SwigluFormatCase format;
  Asked asked;
  SwigluExtras extras = {};
};

void expect_the_oracles_bytes(const SwigluInputs& in, const OtherFormat& how, std::size_t misalignment) {
  SCOPED_TRACE(std::string(how.format.name) + ", asked " + std::to_string(static_cast<int>(how.asked)) + ", " +
               how.extras.name);
  contract::Swiglu p = in.params(how.asked, how.format.payload, how.extras);
  how.format.set(p);
  const auto point = [&](SwigluOutputs& out) {
    out.point(p, how.asked, how.extras);
    p.format.scale_layout = how.format.layout;
  };
  SwigluOutputs expected(p, 0);
  point(expected);
  reference::swiglu_with(gpus_exponential, p);
  for_each_gpu_way([&](const qfuse_exec& exec) {
    SwigluOutputs actual(p, misalignment);
    point(actual);
    qfuse_error error{};
    ASSERT_EQ(run(p, exec, &error), QFUSE_OK) << error.message;
    ASSERT_TRUE(same_outputs(expected, actual));
  });
}

TEST_F(SwigluOnGpu, gives_the_oracles_bytes_in_other_formats) {
  for (const SwigluCase& shape :
       {SwigluCase{"one token in the last group", 129, 384}, SwigluCase{"any bits", 200, 256, Activations::any_bits},
        SwigluCase{"NaN and infinities", 390, 256, Activations::planted}}) {
    SCOPED_TRACE(shape.risk);
    for (const std::size_t misalignment : {0, 1}) {
      const SwigluInputs in(shape, misalignment);
      for (const SwigluFormatCase& format : kSwigluFormats) {
        expect_the_oracles_bytes(in, {format, Asked::all}, misalignment);
        expect_the_oracles_bytes(in, {format, Asked::both_y}, misalignment);
        expect_the_oracles_bytes(in, {format, Asked::all, kExtrasOfBfloat16[5]}, misalignment);
      }
    }
  }
}

// A few tiles more than a wave of blocks; and 5.5 tiles per multiprocessor, whose inputs go through shared memory.
TEST_F(SwigluOnGpu, gives_the_oracles_bytes_whatever_the_number_of_tiles) {
  const SwigluCase few{"", 2048, 2560};
  constexpr std::int64_t kChannels = 3584;
  int multiprocessors = 0;
  ASSERT_EQ(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0), cudaSuccess);
  const std::int64_t token_tiles = 11 * multiprocessors / 2 / (kChannels / 128) + 1;
  const SwigluCase many{"", token_tiles * 128 - 32, kChannels};
  for (const Asked asked : {Asked::both, Asked::all, Asked::both_y})
    expect_the_oracles_bytes(few, asked, QFUSE_INT8, QFUSE_SCALES_ROW_MAJOR, 0);
  expect_the_oracles_bytes(SwigluCase{"", many.m + 1, many.h}, Asked::both, QFUSE_INT8, QFUSE_SCALES_ROW_MAJOR, 0);
  expect_the_oracles_bytes(many, Asked::all, QFUSE_E4M3, QFUSE_SCALES_MN_MAJOR, 0);
  expect_the_oracles_bytes(many, Asked::both, QFUSE_E4M3, QFUSE_SCALES_MN_MAJOR, 0, kExtrasOfBfloat16[1]);
  expect_the_oracles_bytes(many, Asked::both_y, QFUSE_E4M3, QFUSE_SCALES_MN_MAJOR, 0);
  const SwigluInputs in(many, 0);
  const SwigluFormatCase deep_seek{.name = "DeepSeek, MN-major", .layout = QFUSE_SCALES_MN_MAJOR};
  expect_the_oracles_bytes(in, {deep_seek, Asked::all, kExtrasOfBfloat16[1]}, 0);
  const SwigluFormatCase torchao{.name = "torchao", .scale_rule = QFUSE_SCALES_TORCHAO, .amax_floor = 1e-12F};
  for (const Asked asked : {Asked::all, Asked::both_y}) expect_the_oracles_bytes(in, {torchao, asked}, 0);
}

// Inputs and outputs of kTokens tokens, in GPU memory only: 20 GB.
struct Large {
  static constexpr qfuse_device kGpu = {QFUSE_CUDA, 0};
  static constexpr std::int64_t kChannels = 256;
  static constexpr std::int64_t kTokens = (std::int64_t{1} << 31) / kChannels + 130;
  static constexpr std::int64_t kTokenGroups = (kTokens + 127) / 128;

  // Fills memory with repeated noise, whose length is not a multiple of any row's.
  void fill(const DeviceMemory& memory, unsigned seed) const {
    constexpr std::size_t kNoise = 1'000'003;
    std::mt19937 random(seed);
    std::vector<std::uint8_t> noise(kNoise);
    for (std::size_t i = 0; i < kNoise; ++i)
      noise[i] = static_cast<std::uint8_t>(random() & (i % 2 == 0 ? 0xff : 0xbf));
    for (std::size_t at = 0; at < memory.size(); at += kNoise)
      ASSERT_EQ(cudaMemcpy(memory.data() + at, noise.data(), std::min(kNoise, memory.size() - at), cudaMemcpyDefault),
                cudaSuccess);
  }

  [[nodiscard]] contract::Swiglu params() const {
    contract::Swiglu p{};
    p.m = kTokens;
    p.h = kChannels;
    p.format.group_size = 128;
    p.x = x.data();
    p.grad_y = grad_y.data();
    p.grad_input.q = grad_input_q.data();
    p.grad_input.s = grad_input_s.data();
    p.y_t.q = y_t_q.data();
    p.y_t.s = y_t_s.data();
    return p;
  }

  DeviceMemory x{kGpu, kTokens * 2 * kChannels * 2};
  DeviceMemory grad_y{kGpu, kTokens* kChannels * 2};
  DeviceMemory grad_input_q{kGpu, kTokens * 2 * kChannels};
  DeviceMemory grad_input_s{kGpu, kTokens * 2 * kChannels / 128 * 4};
  DeviceMemory y_t_q{kGpu, kTokens* kChannels};
  DeviceMemory y_t_s{kGpu, kTokenGroups* kChannels * 4};
};

template <class T>
std::vector<T> copied(const T* from, std::int64_t count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  EXPECT_EQ(cudaMemcpy(values.data(), from, values.size() * sizeof(T), cudaMemcpyDefault), cudaSuccess);
  return values;
}

// Compares the tokens from `first` on with a separate call on these tokens.
void expect_window(const Large& large, std::int64_t first, std::int64_t tokens) {
  const contract::Swiglu all = large.params();
  const auto x = copied(static_cast<const std::uint16_t*>(all.x) + first * 2 * all.h, tokens * 2 * all.h);
  const auto grad_y = copied(static_cast<const std::uint16_t*>(all.grad_y) + first * all.h, tokens * all.h);
  SwigluOutputs expected(tokens, all.h);
  contract::Swiglu p = all;
  p.m = tokens;
  p.x = x.data();
  p.grad_y = grad_y.data();
  expected.point(p, Asked::both);
  reference::swiglu_with(gpus_exponential, p);
  const auto q = copied(contract::payload(all.grad_input) + first * 2 * all.h, tokens * 2 * all.h);
  const auto s =
      copied(static_cast<const float*>(all.grad_input.s) + first * 2 * all.h / 128, tokens * 2 * all.h / 128);
  EXPECT_TRUE(same_bytes(expected.grad_input.q.data(), q.data(), tokens * 2 * all.h));
  EXPECT_TRUE(same_bytes(expected.grad_input.s.data(), s.data(), tokens * 2 * all.h / 128 * 4));
  for (std::int64_t c = 0; c < all.h; ++c) {
    const auto y = copied(contract::payload(all.y_t) + c * all.m + first, tokens);
    const auto scale = copied(static_cast<const float*>(all.y_t.s) + c * Large::kTokenGroups + first / 128, 1);
    ASSERT_TRUE(same_bytes(expected.y_t.q.data() + c * tokens, y.data(), tokens)) << c;
    ASSERT_TRUE(same_bytes(expected.y_t.s.data() + 4 * c, scale.data(), 4)) << c;
  }
}

TEST_F(SwigluOnGpu, more_than_two_to_the_31_activations) {
  std::size_t free = 0;
  std::size_t total = 0;
  ASSERT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
  if (free < std::size_t{21} << 30) GTEST_SKIP() << "this GPU has no 21 GB of memory left";
  const Large large;
  ASSERT_NO_FATAL_FAILURE(large.fill(large.x, 1));
  ASSERT_NO_FATAL_FAILURE(large.fill(large.grad_y, 2));
  for_each_gpu_way([&](const qfuse_exec& exec) {
    const contract::Swiglu p = large.params();
    ASSERT_EQ(call(p, &exec), QFUSE_OK);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  });
  for (const std::int64_t first : {std::int64_t{0}, Large::kTokens / 2 / 128 * 128, Large::kTokens / 128 * 128})
    expect_window(large, first, std::min<std::int64_t>(128, Large::kTokens - first));
}

TEST_F(SwigluOnGpu, the_fast_sigmoid_has_the_bits_of_the_plain_one) {
  constexpr float kMost = 87.0F;  // the limit in device/swiglu.cuh
  for (unsigned bits = 0; bits < Sigmoids::kValues; ++bits) {
    const float g = std::bit_cast<float>(bits << 16);
    if (!(std::fabs(g) <= kMost)) continue;
    ASSERT_EQ(std::bit_cast<std::uint32_t>(sigmoids().fast[bits]), std::bit_cast<std::uint32_t>(sigmoids().plain[bits]))
        << g;
  }
}

// The GPU's exp is within two ulps of fp64's. The oracle uses the GPU's exp, so it would hide an error in exp.
TEST_F(SwigluOnGpu, exp_is_exp) {
  for (unsigned bits = 0; bits < Sigmoids::kValues; ++bits) {
    const float x = std::bit_cast<float>(bits << 16);
    const double exact = std::exp(static_cast<double>(x));
    const float gpus = sigmoids().exponential[bits];
    if (std::isnan(x)) {
      ASSERT_TRUE(std::isnan(gpus));
    } else if (exact > 0x1p-126 && exact < 0x1p127) {
      ASSERT_LE(std::fabs(static_cast<double>(gpus) - exact), 2 * 0x1p-23 * exact) << x;
    } else {
      ASSERT_TRUE(exact > 1 ? gpus > 0x1p126F : gpus <= 0x1p-126F) << x;
    }
  }
}

}  // namespace
}  // namespace qfuse::tests
