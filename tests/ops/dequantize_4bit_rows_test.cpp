// Tests dequantize_4bit of E2M1 and INT4 codes with row scales: MXFP4, NVFP4, grouped INT4.
#include "cases/dequantize_4bit_rows.h"

#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "format/fp8_groups.h"
#include "format/rounding.h"
#include "support/buffer.h"
#include "support/compare.h"
#include "support/golden.h"
#include "support/output.h"
#include "support/risk.h"
#include "support/run.h"
#include "support/ways.h"

namespace qfuse::tests {
namespace {

constexpr std::array kRowsDtypes = {QFUSE_FLOAT32, QFUSE_FLOAT16, QFUSE_BFLOAT16};
constexpr std::int64_t kAllCodes = 16;  // per row

// Value of a code by the definition of E2M1: 2 exponent bits with bias 1, 1 fraction bit.
double value_of_e2m1(unsigned code) {
  const int exponent = static_cast<int>(code >> 1 & 3U);
  const double fraction = (code & 1U) / 2.0;
  const double magnitude = exponent == 0 ? fraction : std::ldexp(1 + fraction, exponent - 1);
  return std::copysign(magnitude, code >= 8U ? -1.0 : 1.0);
}

double scale_of_e4m3(unsigned code) {
  if ((code & 0x7fU) == 0x7f) return std::nan("");
  const int exponent = static_cast<int>(code >> 3 & 15U);
  const double fraction = (code & 7U) / 8.0;
  return std::copysign(exponent == 0 ? std::ldexp(fraction, -6) : std::ldexp(1 + fraction, exponent - 7),
                       code >= 0x80U ? -1.0 : 1.0);
}

// Each row has all codes, 0 to 15, and its own scale. The caller owns all arrays except the codes.
struct AllCodes {
  explicit AllCodes(qfuse_quant_type quant_type, qfuse_scale_type scale_type, std::int64_t rows, const void* scales) {
    for (std::int64_t row = 0; row < rows; ++row)
      packed.insert(packed.end(), {0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe});
    qfuse_weight_4bit& w = p.weight;
    w.rows = rows;
    w.cols = w.blocksize = kAllCodes;
    w.quant_type = quant_type;
    w.scale_type = scale_type;
    w.packed = packed.data();
    w.scales = scales;
  }
  std::vector<std::uint8_t> packed;
  contract::Dequantize4bit p{};
};

// Rounds `values` to each dtype with the oracle's functions, which tests/format tests.
void expect_values(const contract::Dequantize4bit& all, const std::vector<float>& values) {
  for (const qfuse_dtype dtype : kRowsDtypes) {
    SCOPED_TRACE("dtype " + std::to_string(dtype));
    Buffer expected(values.size() * qfuse_dtype_size(dtype));
    for (std::size_t i = 0; i < values.size(); ++i)
      format::store_rounded(expected.as<void>(), static_cast<std::int64_t>(i), dtype, values[i]);
    contract::Dequantize4bit p = all;
    p.out_dtype = dtype;
    for_each_way<contract::Dequantize4bit>([&](const qfuse_exec& exec) { expect_output(p, expected, exec); });
  }
}

// Products are exact in fp64, and the compiler rounds them to fp32 once. Infinity times zero is NaN there, too.
void expect_products(const contract::Dequantize4bit& all, const std::vector<double>& scales) {
  std::vector<float> values;
  for (const double scale : scales)
    for (unsigned code = 0; code < kAllCodes; ++code) values.push_back(static_cast<float>(value_of_e2m1(code) * scale));
  expect_values(all, values);
}

// Every e4m3 scale, plain, times a factor or over a divisor; the result is rounded to fp32 once.
TEST(Dequantize4bitRows, every_e4m3_scale_has_its_global_scale_first) {
  std::vector<std::uint8_t> bytes;
  for (int byte = 0; byte <= 255; ++byte) bytes.push_back(static_cast<std::uint8_t>(byte));
  AllCodes all(QFUSE_E2M1, QFUSE_SCALES_E4M3, std::ssize(bytes), bytes.data());
  const auto expect = [&](auto combine) {
    std::vector<double> scales;
    for (const std::uint8_t byte : bytes) scales.push_back(static_cast<float>(combine(scale_of_e4m3(byte))));
    expect_products(all.p, scales);
  };
  expect([](double scale) { return scale; });
  const float inf = std::numeric_limits<float>::infinity();
  for (const float global : {1.0F, 0.0117F, 2688.0F, -3.0F, 0x1p-100F, 0x1.fffffep-101F, 0x1.fffffep99F,
                             0x1.000002p100F, 0x1p-140F, 0x1.fffffep127F, inf, 0.0F, std::nanf("")}) {
    SCOPED_TRACE(global);
    all.p.weight.global_scale = &global;
    all.p.weight.global_divisor = nullptr;
    expect([&](double scale) { return scale * global; });
    all.p.weight.global_scale = nullptr;
    all.p.weight.global_divisor = &global;
    expect([&](double scale) { return scale / global; });
  }
}

// Quotients of normal numbers are never ties, but some subnormal ones are.
TEST(Dequantize4bitRows, subnormal_quotients_round_to_even) {
  const std::vector<float> scales = {0x1.8p-100F, 0x1.4p-100F, 0x1.cp-100F, -0x1.8p-100F, 0x1.8p-99F, 0x1.400002p-100F,
                                     0x1p-100F,   0x1.ap-98F,  0x1.ep-98F,  0x1.4p-99F,   0x1.cp-99F, 0x1.3ffffep-100F};
  AllCodes all(QFUSE_E2M1, QFUSE_SCALES_FLOAT32, std::ssize(scales), scales.data());
  for (const float divisor : {0x1p47F, 0x1p48F, 0x1p49F, 0x1p50F, 0x1.8p49F}) {
    SCOPED_TRACE(divisor);
    all.p.weight.global_divisor = &divisor;
    std::vector<double> quotients;
    for (const float scale : scales) quotients.push_back(scale / divisor);
    expect_products(all.p, quotients);
  }
}

TEST(Dequantize4bitRows, int4_is_the_nibble_less_its_zero_point) {
  std::vector<float> scales;
  std::vector<std::uint8_t> zero_points;
  const float inf = std::numeric_limits<float>::infinity();
  for (const float scale : {1.0F, -0.0123F, 0x1p-149F, 0x1.8p-127F, 0x1.fffffep127F, inf, std::nanf("")})
    for (int zero = 0; zero <= 16; ++zero) {
      scales.push_back(scale);
      zero_points.push_back(static_cast<std::uint8_t>(zero));
    }
  scales.push_back(0.5F);
  zero_points.push_back(255);
  AllCodes all(QFUSE_INT4, QFUSE_SCALES_FLOAT32, std::ssize(scales), scales.data());
  const auto expect = [&](const std::vector<std::uint8_t>& zeros) {
    std::vector<float> values;
    for (std::size_t row = 0; row < scales.size(); ++row)
      for (int code = 0; code < kAllCodes; ++code)
        values.push_back(static_cast<float>((code - zeros[row]) * static_cast<double>(scales[row])));
    expect_values(all.p, values);
  };
  expect(std::vector<std::uint8_t>(scales.size(), 8));
  all.p.weight.zero_points = zero_points.data();
  expect(zero_points);
}

// ---- against compressed-tensors and modelopt ----

// Returns a weight of tests/golden/formats_4bit.safetensors that points into `file`.
contract::Dequantize4bit golden_rows(const GoldenFile& file, const std::string& name) {
  const auto part = [&](const char* suffix) {
    const auto found = file.find(name + suffix);
    return found == file.end() ? nullptr : &found->second;
  };
  const auto begins = [&](const char* word) { return name.starts_with(word); };
  const std::map<std::string, qfuse_scale_type> types = {{"F32", QFUSE_SCALES_FLOAT32},
                                                         {"U8", QFUSE_SCALES_UE8M0},
                                                         {"F16", QFUSE_SCALES_FLOAT16},
                                                         {"BF16", QFUSE_SCALES_BFLOAT16},
                                                         {"F8_E4M3", QFUSE_SCALES_E4M3}};
  const std::map<std::string, qfuse_dtype> dtypes = {
      {"F32", QFUSE_FLOAT32}, {"F16", QFUSE_FLOAT16}, {"BF16", QFUSE_BFLOAT16}};
  const GoldenTensor& expected = *part(".expected");
  contract::Dequantize4bit p{};
  qfuse_weight_4bit& w = p.weight;
  w.rows = expected.shape.at(0);
  w.cols = expected.shape.at(1);
  w.blocksize = begins("nvfp4") ? 16 : begins("int4_channel") ? w.cols : 32;
  w.quant_type = begins("int4") ? QFUSE_INT4 : QFUSE_E2M1;
  w.packed = part(".packed")->as<std::uint8_t>();
  w.scales = part(".scales")->bytes.data();
  w.scale_type = types.at(part(".scales")->dtype);
  if (const GoldenTensor* global = part(".global"))
    (begins("nvfp4_ct") ? w.global_divisor : w.global_scale) = global->as<float>();
  if (const GoldenTensor* zeros = part(".zero_points")) w.zero_points = zeros->as<std::uint8_t>();
  p.out_dtype = dtypes.at(expected.dtype);
  return p;
}

// Replaces values where a library deviates: modelopt's code 8 is +0, compressed-tensors' 2^128 is infinite.
void allow_for_library(const std::string& name, const contract::Dequantize4bit& p, std::vector<float>& values) {
  for (std::int64_t i = 0; i < std::ssize(values); ++i) {
    const auto* const scales = static_cast<const std::uint8_t*>(p.weight.scales);
    float& value = values[static_cast<std::size_t>(i)];
    const bool was_nan = name.starts_with("mxfp4_ct") && scales[i / p.weight.cols] == format::kUe8m0Nan;
    if (name.starts_with("nvfp4_modelopt") && value == 0) value = 0;
    if (was_nan) value = std::nanf("");
  }
}

std::vector<float> widened(const void* elements, std::int64_t n, qfuse_dtype dtype) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < n; ++i) values.push_back(format::load_as_float(elements, i, dtype));
  return values;
}

TEST(Dequantize4bitRows, equals_compressed_tensors_and_modelopt_on_the_golden_weights) {
  const GoldenFile file = read_golden("formats_4bit.safetensors");
  int weights = 0;
  for (const auto& [key, golden] : file) {
    if (!key.ends_with(".expected")) continue;
    const std::string name = key.substr(0, key.find('.'));
    SCOPED_TRACE(name);
    ++weights;
    const contract::Dequantize4bit p = golden_rows(file, name);
    const std::int64_t n = p.weight.rows * p.weight.cols;
    std::vector<float> expected = widened(golden.bytes.data(), n, p.out_dtype);
    allow_for_library(name, p, expected);
    for_each_way<contract::Dequantize4bit>([&](const qfuse_exec& exec) {
      const Buffer out = output_of(p, exec);
      std::vector<float> actual = widened(out.data(), n, p.out_dtype);
      allow_for_library(name, p, actual);
      ASSERT_TRUE(same_elements(expected.data(), actual.data(), n, QFUSE_FLOAT32));
    });
  }
  EXPECT_EQ(weights, 22);
}

// ---- against the oracle ----

class Dequantize4bitRowsCases : public testing::TestWithParam<Rows4bitCase> {};

// Misalignment of each array in bytes: GPUs use other loads for aligned codes and outputs.
struct RowsPlaces {
  std::size_t packed;
  std::size_t scales;
  std::size_t out;
};
constexpr RowsPlaces kRowsPlaces[] = {{0, 0, 0}, {1, 3, 3}, {4, 2, 0}, {0, 1, 16}};

// Quick builds take one place by turns for each format and dtype; all have their turn in every case.
TEST_P(Dequantize4bitRowsCases, every_target_gives_the_oracles_bytes_at_any_address) {
  std::size_t formats = 0;
  for (const Format4bitCase& format : kFormats4bit) {
    SCOPED_TRACE(format.name);
    const Rows4bitInput in = make_input(GetParam(), format);
    for (const RowsPlaces& places : kRowsPlaces) {
      const Buffer packed = copy_of(in.packed, places.packed);
      const Buffer scales = copy_of(in.scales, places.scales);
      const Buffer global = copy_of(in.global, places.scales);
      const Buffer zero_points = copy_of(in.zero_points, places.scales);
      const auto place = static_cast<std::size_t>(&places - kRowsPlaces);
      for (const qfuse_dtype dtype : kRowsDtypes) {
        if (kQuick && (formats + static_cast<std::size_t>(dtype)) % std::size(kRowsPlaces) != place) continue;
        SCOPED_TRACE("dtype " + std::to_string(dtype));
        contract::Dequantize4bit p = make_params(GetParam(), format, in);
        p.out_dtype = dtype;
        const Buffer expected = output_of(p, oracle());
        p.weight.packed = packed.data();
        p.weight.scales = scales.data();
        for (const float** const one : {&p.weight.global_scale, &p.weight.global_divisor})
          if (*one != nullptr) *one = reinterpret_cast<const float*>(global.data());
        if (p.weight.zero_points != nullptr) p.weight.zero_points = zero_points.data();
        for_each_fast_way<contract::Dequantize4bit>(
            [&](const qfuse_exec& exec) { expect_output(p, expected, exec, places.out); });
        if (HasFatalFailure()) return;
      }
    }
    ++formats;
  }
}

INSTANTIATE_TEST_SUITE_P(Risks, Dequantize4bitRowsCases, testing::ValuesIn(kRows4bitCases), risk_name<Rows4bitCase>);

// Outputs of this size are written with streaming stores, a path that the small cases do not take.
TEST(Dequantize4bitRows, streamed_output_equals_the_oracle) {
  for (const std::int64_t cols : {4096, 4096 + 32, 4096 + 8})
    for (const std::int64_t blocksize : {16, 32}) {
      if (kQuick && (blocksize == 16) != (cols == 4096)) continue;
      const Rows4bitCase c{"streamed", (16 << 20) / 4096, cols, blocksize};
      const Rows4bitInput in = make_input(c, kFormats4bit[1]);
      contract::Dequantize4bit p = make_params(c, kFormats4bit[1], in);
      p.out_dtype = QFUSE_BFLOAT16;
      const Buffer expected = output_of(p, oracle());
      for (int i = 0; const char* target = qfuse_cpu_target_name(i); ++i) {
        if (i >= kMostTargets || (kQuick && i > 1)) break;  // AVX-512 and AVX2 have the two kinds of streaming
        SCOPED_TRACE(target);
        qfuse_exec exec = QFUSE_EXEC_INIT;
        exec.cpu_target = target;
        Buffer out(expected.size() + 64);
        p.out = out.as() + (64 - reinterpret_cast<std::uintptr_t>(out.data()) % 64) % 64;
        ASSERT_EQ(run(p, exec, nullptr), QFUSE_OK);
        ASSERT_TRUE(same_bytes(expected.data(), p.out, static_cast<std::int64_t>(expected.size())));
      }
    }
}

}  // namespace
}  // namespace qfuse::tests
