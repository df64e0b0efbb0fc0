#include "format/matrix_step.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>

namespace qfuse::format {
namespace {

// Results of mma.sync and of wgmma with both layouts of its second operand on an H200 (2026-11-23), as bits: at most
// two products in bf16, and an accumulator.
struct Measured {
  std::array<std::uint16_t, 2> a;
  std::array<std::uint16_t, 2> b;
  std::uint32_t sum;
  std::uint32_t result;
};

constexpr std::uint32_t kMinusZero = 0x80000000;

constexpr std::array kMeasured = {
    Measured{{0x8001, 0}, {0x0001, 0}, 0, 0},                    // -2^-266: nothing remains of it
    Measured{{0x8001, 0}, {0x0001, 0}, kMinusZero, 0},           // the same, accumulator -0
    Measured{{0, 0}, {0, 0}, kMinusZero, 0},                     // only -0
    Measured{{0, 0}, {0, 0}, 0x80000001, 0x80000001},            // the smallest negative subnormal
    Measured{{0xa000, 0}, {0x1f00, 0}, 0, 0x80200000},           // -2^-128
    Measured{{0x9a80, 0}, {0x1a80, 0}, 0, 0x80000002},           // -2^-148
    Measured{{0x9a00, 0}, {0x1a80, 0}, 0, 0x80000001},           // -2^-149
    Measured{{0x9a00, 0}, {0x1a00, 0}, 0, 0},                    // -2^-150
    Measured{{0x9a00, 0}, {0x1a00, 0}, kMinusZero, 0},           // the same, accumulator -0
    Measured{{0x1a00, 0}, {0x1a00, 0}, 0, 0},                    // 2^-150
    Measured{{0x8000, 0}, {0x3f80, 0}, 0, 0},                    // -0 * 1
    Measured{{0x9a00, 0x9a00}, {0x1a00, 0x1a00}, 0, 0x80000001}  // -2^-150 twice
};

TEST(MatrixStep, small_sums_are_those_of_the_hardware) {
  for (const Measured& m : kMeasured) {
    std::uint16_t a[kStepTerms] = {m.a[0], m.a[1]};
    std::uint16_t b[kStepTerms] = {m.b[0], m.b[1]};
    const float result = matrix_step(kBinaryBfloat16, std::bit_cast<float>(m.sum), a, b);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(result), m.result) << std::hex << m.a[0] << " " << m.b[0] << " " << m.sum;
  }
}

}  // namespace
}  // namespace qfuse::format
