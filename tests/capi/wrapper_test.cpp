// Tests the functions of qfuse.hpp: same results as the C interface, plus checks of the lengths of spans.
#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <qfuse/qfuse.hpp>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "contract/arrays.h"
#include "support/call_cpp.h"
#include "support/run.h"
#include "support/samples.h"

namespace qfuse::tests {
namespace {

TEST(Wrapper, gives_the_bytes_of_the_c_interface) {
  for_each_sample([](const std::string& name, const auto& p, Arena& arena) {
    if (!has_cpp(p)) return;
    const std::vector<std::uint8_t> before = arena.bytes();
    ASSERT_EQ(call(p), QFUSE_OK) << name;
    const std::vector<std::uint8_t> expected = arena.bytes();
    ASSERT_NE(before, expected) << name << ": nothing was written";
    arena.clear();
    qfuse_error error{};
    ASSERT_EQ(call_cpp(p, QFUSE_EXEC_INIT, &error), QFUSE_OK) << name << ": " << error.message;
    EXPECT_EQ(arena.bytes(), expected) << name;
  });
}

// False for arrays without a length to check: single values, and the ends that define the number of experts or rows.
bool has_length(const std::string& array) {
  return array != "nested_offset" && array != "given_offset" && array != "scb" && !array.starts_with("global_") &&
         !array.ends_with("ends");
}
// False for ops that take the number of elements from other arrays: one array too short means that another is too long.
template <class Op>
constexpr bool kHasCounts =
    !std::is_same_v<Op, contract::DequantizeBlockwise> && !std::is_same_v<Op, contract::DequantizeInt8>;

TEST(Wrapper, refuses_an_array_that_lacks_an_entry) {
  for_each_sample([](const std::string& name, auto p, const Arena& /*arena*/) {
    if (!has_cpp(p)) return;
    const contract::ArrayList arrays(p);
    for (const contract::Array& array : arrays.all()) {
      if (array.size == 0 || !has_length(array.name)) continue;
      SCOPED_TRACE(name + ", " + array.name);
      Spans spans(p);
      spans.shorten(array.name);
      qfuse_error error{};
      EXPECT_EQ(call_cpp(p, spans, QFUSE_EXEC_INIT, &error), QFUSE_INVALID_ARGUMENT);
      const std::string message = error.message;
      EXPECT_TRUE(message.starts_with(array.name) || !kHasCounts<decltype(p)>) << message;
      EXPECT_TRUE(message.find("needs ") != std::string::npos || !kHasCounts<decltype(p)>) << message;
    }
  });
}

// Sizes that the library refuses are not compared with lengths, and computing with them does not overflow.
TEST(Wrapper, leaves_hostile_sizes_to_the_library) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  std::vector<std::int8_t> payload(128);
  std::vector<float> scales(128);
  const auto refusal_of = [](const auto& work) -> std::string {
    try {
      work();
    } catch (const Error& error) {
      return error.what();
    }
    return "taken";
  };
  for (const auto& [m, h, name] : {std::tuple{std::int64_t{2}, std::int64_t{-128}, "h is -128"},
                                   {1, kLeast, "h is -9223372036854775808"},
                                   {kMost, 128, "m is 9223372036854775807"}}) {
    const SwigluOptions options = {.format = {.scale_layout = ScaleLayout::mn_major}};
    const std::string message = refusal_of([&, m = m, h = h] { swiglu(m, h, {}, {.y = {payload, scales}}, options); });
    EXPECT_TRUE(message.starts_with(name)) << message;
  }
  const std::vector<std::byte> in(2 * 6 * 75);
  std::vector<std::byte> out(in.size());
  EXPECT_EQ(refusal_of([&] { lora_merge(in, Dtype::float16, 6, 75, {.rank = -1}, out, Dtype::bfloat16); }),
            "rank is -1, it must not be negative");
}

}  // namespace
}  // namespace qfuse::tests
