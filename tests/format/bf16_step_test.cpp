// Compares the CPU's bf16 instructions, if it has them, with the model of them that the oracle uses for sums.
#include "format/bf16_step.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <random>

#include "format/rounding.h"

#ifdef __x86_64__
#include <immintrin.h>
#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace qfuse::tests {
namespace {

constexpr std::size_t kLanes = format::kDotSums;
constexpr int kProducts = 200000;
constexpr int kTiles = 400;

// Kinds of operands: any bits, exponents close to each other, lowest exponents, or products near 2^-126.
enum class Kind { any, near, least, border };
constexpr std::array kKinds = {Kind::any, Kind::near, Kind::least, Kind::border};

using Random = std::mt19937;

std::uint16_t random_value(Kind kind, Random& random) {
  const auto bits = static_cast<std::uint16_t>(random());
  const auto with_exponent = [&](std::uint32_t least, std::uint32_t count) {
    return static_cast<std::uint16_t>((bits & 0x807fU) | (least + random() % count) << 7);
  };
  switch (kind) {
    case Kind::any: return bits;
    case Kind::near: return with_exponent(120, 4);
    case Kind::least: return with_exponent(60, 8);
    case Kind::border: return with_exponent(52, 12);
  }
  return bits;
}
float random_sum(Kind kind, Random& random) {
  const std::uint32_t bits = random();
  const auto with_exponent = [&](std::uint32_t least, std::uint32_t count) {
    return format::float_of((bits & 0x807fffffU) | (least + random() % count) << 23);
  };
  switch (kind) {
    case Kind::any: return format::float_of(bits);
    case Kind::near: return with_exponent(110, 20);
    case Kind::least: return with_exponent(0, 6);
    case Kind::border:
      return format::float_of((bits & format::kSignBit) | (random() % 2 == 0 ? 0x00800000U : 0x00ffffffU));
  }
  return 0.0F;
}

bool are_same(float a, float b) { return format::bits_of(a) == format::bits_of(b) || (std::isnan(a) && std::isnan(b)); }
float value(std::uint16_t bits) { return format::from_bfloat16(bits); }

__attribute__((target("avx512f,avx512bf16"))) void add_dots(float* sums, const std::uint16_t* a,
                                                            const std::uint16_t* b) {
  const __m512i x = _mm512_loadu_si512(a);
  const __m512i y = _mm512_loadu_si512(b);
  _mm512_storeu_ps(
      sums, _mm512_dpbf16_ps(_mm512_loadu_ps(sums), __builtin_bit_cast(__m512bh, x), __builtin_bit_cast(__m512bh, y)));
}

TEST(Bf16Step, is_what_dot_products_add_by) {
  if (__builtin_cpu_supports("avx512bf16") == 0) GTEST_SKIP() << "this processor has no AVX512-BF16";
  Random random(1);
  for (const Kind kind : kKinds)
    for (int i = 0; i < kProducts / static_cast<int>(kLanes); ++i) {
      std::array<std::uint16_t, 2 * kLanes> a{};
      std::array<std::uint16_t, 2 * kLanes> b{};
      std::array<float, kLanes> before{};
      for (auto& x : a) x = random_value(kind, random);
      for (auto& x : b) x = random_value(kind, random);
      for (float& sum : before) sum = random_sum(kind, random);
      std::array<float, kLanes> after = before;
      add_dots(after.data(), a.data(), b.data());
      for (std::size_t s = 0; s < kLanes; ++s) {
        const float odd = format::bf16_step(before[s], value(a[2 * s + 1]), value(b[2 * s + 1]));
        const float expected = format::bf16_step(odd, value(a[2 * s]), value(b[2 * s]));
        ASSERT_TRUE(are_same(after[s], expected)) << static_cast<int>(kind) << ": " << after[s] << " " << expected;
      }
    }
}

#ifdef __linux__

bool has_amx() {
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;               // XFEATURE_XTILEDATA
  return __builtin_cpu_supports("amx-bf16") != 0 && syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

struct TileShapes {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16};
};

__attribute__((target("amx-tile,amx-bf16"))) void add_tiles(float* sums, const std::uint16_t* a,
                                                            const std::uint16_t* b) {
  const TileShapes shapes;
  asm volatile("ldtilecfg %0" : : "m"(shapes) : "memory");
  _tile_loadd(0, sums, 64);
  _tile_loadd(1, a, 64);
  _tile_loadd(2, b, 64);
  _tile_dpbf16ps(0, 1, 2);
  _tile_stored(0, sums, 64);
  _tile_release();
  asm volatile("" : : : "memory");
}

TEST(Bf16Step, is_what_tiles_add_by) {
  if (!has_amx()) GTEST_SKIP() << "this processor has no AMX";
  Random random(2);
  for (const Kind kind : kKinds)
    for (int i = 0; i < kTiles; ++i) {
      std::array<std::uint16_t, 2 * kLanes * kLanes> a{};  // [row][pair][2]
      std::array<std::uint16_t, 2 * kLanes * kLanes> b{};  // [pair][column][2]
      std::array<float, kLanes * kLanes> before{};
      for (auto& x : a) x = random_value(kind, random);
      for (auto& x : b) x = random_value(kind, random);
      for (float& sum : before) sum = random_sum(kind, random);
      std::array<float, kLanes* kLanes> after = before;
      add_tiles(after.data(), a.data(), b.data());
      for (std::size_t s = 0; s < after.size(); ++s) {
        std::array<float, 2> chains{};
        for (std::size_t t = 0; t < 2 * kLanes; ++t)
          chains[t % 2] = format::bf16_step(chains[t % 2], value(a[s / kLanes * 2 * kLanes + t]),
                                            value(b[(t / 2 * kLanes + s % kLanes) * 2 + t % 2]));
        const float expected = format::bf16_step(format::bf16_step(chains[1], chains[0], 1.0F), before[s], 1.0F);
        ASSERT_TRUE(are_same(after[s], expected)) << static_cast<int>(kind) << ": " << after[s] << " " << expected;
      }
    }
}

#endif

}  // namespace
}  // namespace qfuse::tests

#endif  // x86-64
