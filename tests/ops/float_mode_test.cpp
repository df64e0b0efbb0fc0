// Tests ops under any floating-point mode of the calling thread.
#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <cfenv>
#include <cstdint>
#include <random>
#include <string>
#include <vector>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "support/run.h"
#include "support/samples.h"
#include "support/ways.h"

namespace qfuse::tests {
namespace {

// Rounds upward and, on x86, flushes subnormals while it lives; restores the mode at the end.
class OddMode {
 public:
  OddMode() {
    std::fegetenv(&callers_);
    std::fesetround(FE_UPWARD);
#if defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() | kFlush);
#endif
  }
  ~OddMode() { std::fesetenv(&callers_); }
  OddMode(const OddMode&) = delete;
  OddMode& operator=(const OddMode&) = delete;
  [[nodiscard]] static bool is_set() {
#if defined(__x86_64__)
    if ((_mm_getcsr() & kFlush) != kFlush) return false;
#endif
    return std::fegetround() == FE_UPWARD;
  }

 private:
  static constexpr unsigned kFlush = 0x8040U;  // MXCSR's FTZ and DAZ
  std::fenv_t callers_{};
};

// Fills with any bits, or with the high bits of each 16 cleared, so that values of every dtype are subnormal or small.
void fill(std::vector<std::uint8_t>& bytes, bool small) {
  std::mt19937 random(1);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(random());
    if (small && i % 2 == 1) bytes[i] &= 0x80U;
  }
}

TEST(FloatMode, of_the_caller_changes_nothing_and_is_kept) {
  for (const bool small : {false, true})
    for_each_sample([&](const std::string& /*name*/, auto p, Arena& arena) {
      if constexpr (requires { p.workspace; }) p.workspace = nullptr;  // run() provides one
      fill(arena.bytes(), small);
      const std::vector<std::uint8_t> before = arena.bytes();
      ASSERT_EQ(run(p, oracle(), nullptr), QFUSE_OK);
      const std::vector<std::uint8_t> expected = arena.bytes();
      const auto body = [&](const qfuse_exec& exec) {
        arena.bytes().assign(before.begin(), before.end());
        {
          const OddMode mode;
          ASSERT_EQ(run(p, exec, nullptr), QFUSE_OK);
          ASSERT_TRUE(OddMode::is_set());
        }
        EXPECT_EQ(arena.bytes(), expected) << "small values: " << small;
      };
      body(oracle());
      for_each_cpu_way(body);
    });
}

}  // namespace
}  // namespace qfuse::tests
