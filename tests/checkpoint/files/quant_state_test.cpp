// The JSON (quant_state) of a 4-bit weight: every value that decoding relies on is checked, and an error names it. It
// is printed as bitsandbytes prints it.
#include "checkpoint/files/quant_state.h"

#include <bit>
#include <cfloat>
#include <cmath>
#include <limits>
#include <random>

#include "checkpoint/files/bitsandbytes.h"
#include "support.h"
#include "support/quick.h"

namespace qfuse::checkpoint {
namespace {

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), with);
}

TEST(QuantState, reads_what_bitsandbytes_writes) {
  const QuantState plain = parse_quant_state(kPlainState, "f");
  EXPECT_EQ(plain.quant_type, QuantType::nf4);
  EXPECT_EQ(plain.blocksize, 64);
  EXPECT_EQ(plain.dtype, Dtype::bfloat16);
  EXPECT_EQ(plain.shape, (std::vector<std::int64_t>{6, 32}));
  EXPECT_FALSE(plain.nested);
  const QuantState nested = parse_quant_state(kNestedState, "f");
  ASSERT_TRUE(nested.nested);
  EXPECT_EQ(nested.nested->blocksize, 256);
  EXPECT_EQ(nested.nested->offset, 0.05230140686035156F);
}

TEST(QuantState, reads_offsets_that_JSON_has_no_word_for) {
  const auto offset = [](const std::string& number) {
    return parse_quant_state(replaced(kNestedState, "0.05230140686035156", number), "f").nested->offset;
  };
  EXPECT_EQ(offset("Infinity"), INFINITY);
  EXPECT_EQ(offset("-Infinity"), -INFINITY);
  EXPECT_TRUE(std::isnan(offset("NaN")));
  EXPECT_EQ(offset("0"), 0.0F);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(offset("-0.0")), 0x80000000U);
  EXPECT_EQ(offset("1.401298464324817e-45"), 0x1p-149F);
}

struct RefusedState {
  std::string state;
  const char* message;
};

TEST(QuantState, refuses_what_it_cannot_rely_on) {
  const std::string plain = kPlainState;
  const std::string nested = kNestedState;
  const std::vector<RefusedState> states{
      {"", "is not valid JSON"},
      {plain.substr(0, plain.size() - 1), "is not valid JSON"},
      {plain + std::string(1, '\0'), "is zero"},
      {"[]", "is not a JSON object"},
      {replaced(plain, "nf4", "int4"), R"(quant_type is "int4", needs to be nf4 or fp4)"},
      {replaced(plain, R"("nf4")", "4"), "quant_type is 4, needs to be a string"},
      {replaced(plain, R"("quant_type": "nf4", )", ""), "quant_type is missing"},
      {replaced(plain, "64", "63"), "blocksize is 63, needs to be a power of two from 32 to 4096"},
      {replaced(plain, "64", "16"), "blocksize is 16"},
      {replaced(plain, "64", "8192"), "blocksize is 8192"},
      {replaced(plain, "64", "0"), "blocksize is 0"},
      {replaced(plain, "64", "-64"), "blocksize is -64"},
      {replaced(plain, "64", "64.0"), "blocksize is 64.0"},
      {replaced(plain, "64", "18446744073709551615"), "blocksize is 18446744073709551615"},
      {replaced(plain, R"("blocksize": 64, )", ""), "blocksize is missing"},
      {replaced(plain, "bfloat16", "float64"), R"(dtype is "float64", needs to be float32, float16 or bfloat16)"},
      {replaced(plain, "[6, 32]", "[6, -32]"), "shape is [6,-32], needs to be an array of counts"},
      {replaced(plain, "[6, 32]", "[6.5]"), "shape is [6.5], needs to be an array of counts"},
      {replaced(plain, "[6, 32]", "192"), "shape is 192, needs to be an array"},
      {replaced(plain, R"(, "shape": [6, 32])", ""), "shape is missing"},
      {replaced(plain, "}", R"(, "extra": 1})"), "has the unknown key 'extra'"},
      {replaced(nested, "256", "100"), "nested_blocksize is 100, needs to be a power of two from 64 to 4096"},
      {replaced(nested, "256", "32"), "nested_blocksize is 32"},
      {replaced(nested, "256", "8192"), "nested_blocksize is 8192"},
      {replaced(nested, R"("nested_blocksize": 256, )", ""), "nested_blocksize is missing"},
      {replaced(nested, "float32", "float16"), R"(nested_dtype is "float16", needs to be float32)"},
      {replaced(nested, R"("nested_dtype": "float32", )", ""), "nested_dtype is missing"},
      {replaced(nested, R"(, "nested_offset": 0.05230140686035156)", ""), "nested_offset is missing"},
      {replaced(nested, "0.05230140686035156", "1e39"), "nested_offset is 1e+39, needs to be a number of fp32"},
      {replaced(nested, "0.05230140686035156", R"("0.1")"), "nested_offset is \"0.1\""},
      {replaced(plain, "64", "Infinity"), "blocksize is Infinity"},
      {replaced(plain, "\"shape\"", "NaN"), "a key is a number"},
      {replaced(plain, "[6, 32]", std::string(200, '[') + std::string(200, ']')), "nested more than 100 deep"},
  };
  for (const RefusedState& refused : states) {
    SCOPED_TRACE(refused.state);
    const std::string error = error_of(Status::invalid_data, [&] { parse_quant_state(refused.state, "file: tensor"); });
    EXPECT_TRUE(holds(error, refused.message));
    EXPECT_TRUE(error.starts_with("file: tensor: ")) << error;
  }
}

TEST(QuantState, refuses_a_shape_that_was_not_known) {
  const std::string state = replaced(kPlainState, "[6, 32]", "null");
  EXPECT_REFUSED(Status::unsupported, "shape is null", parse_quant_state(state, "f"));
}

std::string printed(float offset) {
  const std::string text = print_quant_state({QuantType::nf4, 64, Dtype::bfloat16, {6, 32}, NestedState{256, offset}});
  const std::size_t value = text.rfind(' ') + 1;
  return text.substr(value, text.size() - value - 1);
}

TEST(QuantStateText, is_what_json_dumps_prints) {
  EXPECT_EQ(print_quant_state({QuantType::nf4, 64, Dtype::bfloat16, {6, 32}, {}}), kPlainState);
  EXPECT_EQ(print_quant_state({QuantType::nf4, 64, Dtype::bfloat16, {6, 32}, NestedState{256, 0.05230140686035156F}}),
            kNestedState);
  EXPECT_EQ(print_quant_state({QuantType::fp4, 4096, Dtype::float16, {2, 3, 4}, {}}),
            R"({"quant_type": "fp4", "blocksize": 4096, "dtype": "float16", "shape": [2, 3, 4]})");
  EXPECT_EQ(print_quant_state({QuantType::nf4, 32, Dtype::float32, {1}, {}}),
            R"({"quant_type": "nf4", "blocksize": 32, "dtype": "float32", "shape": [1]})");
}

// Python prints float(numpy.float32(x)) like this.
TEST(QuantStateText, offsets_are_printed_as_python_prints_them) {
  const std::vector<std::pair<float, const char*>> cases{
      {0.0F, "0.0"},
      {-0.0F, "-0.0"},
      {1.0F, "1.0"},
      {0.1F, "0.10000000149011612"},
      {0.0001F, "9.999999747378752e-05"},
      {0.00012207031F, "0.0001220703125"},
      {2.6346343e-6F, "2.634634256537538e-06"},
      {123456.0F, "123456.0"},
      {1e15F, "999999986991104.0"},
      {1e16F, "1.0000000272564224e+16"},
      {3.5e9F, "3500000000.0"},
      {FLT_MAX, "3.4028234663852886e+38"},
      {-FLT_MIN, "-1.1754943508222875e-38"},
      {1e-45F, "1.401298464324817e-45"},
      {std::numeric_limits<float>::infinity(), "Infinity"},
      {-std::numeric_limits<float>::infinity(), "-Infinity"},
      {std::numeric_limits<float>::quiet_NaN(), "NaN"},
  };
  for (const auto& [offset, text] : cases) EXPECT_EQ(printed(offset), text);
}

TEST(QuantStateText, fits_the_room_that_is_kept_for_it_and_is_read_back) {
  std::mt19937 random(1);
  const QuantState state{QuantType::nf4, 64, Dtype::bfloat16, {6, 32}, NestedState{}};
  const std::int64_t room = encoded_parts("w", state).quant_state.bytes();
  for (int i = 0; i < (tests::kQuick ? 5'000 : 100'000); ++i) {
    const float offset = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    const std::string text =
        print_quant_state({QuantType::nf4, 64, Dtype::bfloat16, {6, 32}, NestedState{256, offset}});
    ASSERT_LE(static_cast<std::int64_t>(text.size()), room) << text;
    const float back = parse_quant_state(text, "test").nested->offset;
    ASSERT_TRUE(back == offset || (std::isnan(back) && std::isnan(offset))) << text;
  }
}

}  // namespace
}  // namespace qfuse::checkpoint
