// compare() must see every difference, and report none where there is none.
#include <cmath>
#include <qfuse/checkpoint.hpp>
#include <thread>

#include "support.h"

namespace qfuse::checkpoint {
namespace {

CompareReport compare_tensors(const RawTensors& a, const RawTensors& b) {
  const TemporaryDirectory directory;
  write_file(directory / "a", safetensors(a));
  write_file(directory / "b", safetensors(b));
  return compare(directory / "a", directory / "b");
}

TensorComparison compare_values(const std::vector<float>& a, const std::vector<float>& b) {
  const CompareReport report = compare_tensors({{"t", f32(a)}}, {{"t", f32(b)}});
  EXPECT_EQ(report.equal, report.tensors.at(0).difference == Difference::equal);
  return report.tensors.at(0);
}

TEST(Compare, measures_differences) {
  const TensorComparison t = compare_values({1, 2, -4, 8}, {1, 2.5, -4, 6});
  EXPECT_EQ(t.difference, Difference::values);
  EXPECT_EQ(t.elements, 4);
  EXPECT_EQ(t.differing, 2);
  EXPECT_EQ(t.max_abs, 2.0);
  EXPECT_EQ(t.max_rel, 0.25);
  EXPECT_DOUBLE_EQ(t.rmse, std::sqrt(4.25 / 4));
  EXPECT_DOUBLE_EQ(t.snr_db, 10 * std::log10(85 / 4.25));
  EXPECT_EQ(t.first_differing, 1);
  EXPECT_EQ(t.first_a, 2.0);
  EXPECT_EQ(t.first_b, 2.5);
}

TEST(Compare, finds_nothing_in_equal_bits) {
  const TensorComparison t = compare_values({0, -0.0F, 1e-45F, INFINITY, NAN}, {0, -0.0F, 1e-45F, INFINITY, NAN});
  EXPECT_EQ(t.difference, Difference::equal);
  EXPECT_EQ(t.differing, 0);
  EXPECT_EQ(t.first_differing, -1);
  EXPECT_EQ(t.snr_db, INFINITY);
}

TEST(Compare, any_nan_equals_any_nan_and_no_number) {
  EXPECT_EQ(compare_values({NAN}, {-std::nanf("3")}).differing, 0);
  for (const float number : {0.0F, 1.0F, INFINITY}) {
    EXPECT_EQ(compare_values({NAN}, {number}).differing, 1);
    EXPECT_EQ(compare_values({number}, {NAN}).differing, 1);
  }
}

TEST(Compare, zeros_of_both_signs_and_both_infinities_differ) {
  EXPECT_EQ(compare_values({0.0F}, {-0.0F}).differing, 1);
  const TensorComparison t = compare_values({INFINITY, 1}, {-INFINITY, 1});
  EXPECT_EQ(t.differing, 1);
  EXPECT_EQ(t.max_abs, 0.0) << "over elements finite on both sides";
  EXPECT_EQ(t.first_b, -INFINITY);
}

TEST(Compare, sees_one_bit_in_every_dtype) {
  const std::map<std::string, int> sizes{{"BOOL", 1}, {"U8", 1},  {"I8", 1},   {"F8_E4M3", 1}, {"I16", 2},
                                         {"U16", 2},  {"F16", 2}, {"BF16", 2}, {"I32", 4},     {"U32", 4},
                                         {"F32", 4},  {"F64", 8}, {"I64", 8},  {"C64", 8}};
  for (const auto& [type, size] : sizes) {
    SCOPED_TRACE(type);
    const RawTensor a{type, {5}, std::string(static_cast<std::size_t>(5 * size), '\x01')};
    RawTensor b = a;
    EXPECT_TRUE(compare_tensors({{"t", a}}, {{"t", b}}).equal);
    b.bytes[static_cast<std::size_t>(3 * size)] ^= 2;
    const CompareReport report = compare_tensors({{"t", a}}, {{"t", b}});
    EXPECT_FALSE(report.equal);
    EXPECT_EQ(report.tensors.at(0).differing, 1);
    EXPECT_EQ(report.tensors.at(0).first_differing, 3);
    const bool is_float = type == "F16" || type == "BF16" || type == "F32" || type == "F64";
    EXPECT_EQ(std::isnan(report.tensors.at(0).max_abs), !is_float) << "only floats have a distance";
  }
}

TEST(Compare, names_what_is_not_the_same_tensor) {
  const CompareReport report =
      compare_tensors({{"a", f32({1})}, {"shape", f32({1, 2})}, {"type", f32({1})}, {"same", f32({1})}},
                      {{"b", f32({1})}, {"shape", f32({1})}, {"type", {"I32", {1}, "abcd"}}, {"same", f32({1})}});
  EXPECT_FALSE(report.equal);
  ASSERT_EQ(report.tensors.size(), 5U);
  EXPECT_EQ(report.tensors[0].difference, Difference::only_in_a);
  EXPECT_EQ(report.tensors[1].difference, Difference::only_in_b);
  EXPECT_EQ(report.tensors[2].difference, Difference::equal);
  EXPECT_EQ(report.tensors[3].difference, Difference::shape);
  EXPECT_EQ(report.tensors[3].note, "[2] and [1]");
  EXPECT_EQ(report.tensors[4].difference, Difference::dtype);
  EXPECT_EQ(report.tensors[4].note, "F32 and I32");
}

TEST(Compare, decodes_a_quantized_side_to_the_dtype_of_the_other) {
  const TemporaryDirectory directory;
  for (const Dtype dtype : {Dtype::float16, Dtype::float32, Dtype::bfloat16}) {
    DequantizeOptions options;
    options.dtype = dtype;
    options.force = true;
    dequantize(golden("tiny_llama/bnb4"), directory / "out", options);
    EXPECT_TRUE(compare(golden("tiny_llama/bnb4"), directory / "out").equal);
    EXPECT_TRUE(compare(directory / "out", golden("tiny_llama/bnb4_scattered")).equal);
  }
  EXPECT_TRUE(compare(golden("tiny_llama/bnb4"), golden("tiny_llama/bnb4_scattered")).equal);
  EXPECT_FALSE(compare(golden("tiny_llama/bnb4"), golden("tiny_llama/full")).equal);
}

TEST(Compare, a_difference_in_the_last_element_beyond_a_chunk_is_seen) {
  std::vector<float> a(5'000'000, 1.0F);
  std::vector<float> b = a;
  b.back() = 2.0F;
  const TensorComparison t = compare_values(a, b);
  EXPECT_EQ(t.differing, 1);
  EXPECT_EQ(t.first_differing, 4'999'999);
  EXPECT_EQ(t.first_b, 2.0);
}

// Equal pieces are not summed until a differing piece is found.
TEST(Compare, equal_pieces_count_as_signal) {
  std::vector<float> a(3'000'001, 2.0F);
  a[1'500'000] = NAN;
  std::vector<float> b = a;
  b[7] = 3.0F;
  b[2'999'999] = -2.0F;
  const TensorComparison t = compare_values(a, b);
  EXPECT_EQ(t.differing, 2);
  EXPECT_EQ(t.first_differing, 7);
  EXPECT_DOUBLE_EQ(t.rmse, std::sqrt(17.0 / 3'000'000));
  EXPECT_DOUBLE_EQ(t.snr_db, 10 * std::log10(4.0 * 3'000'000 / 17));
}

TEST(Compare, sums_up) {
  const CompareReport report =
      compare_tensors({{"a", f32({3, 4})}, {"b", f32({10})}, {"c", f32({5})}, {"d", f32({1})}},
                      {{"a", f32({3, 4.5})}, {"b", f32({11})}, {"c", f32({5})}, {"e", f32({1})}});
  EXPECT_EQ(report.different, 4);
  EXPECT_DOUBLE_EQ(report.snr_db, 10 * std::log10(125 / 1.25));
  EXPECT_DOUBLE_EQ(report.relative_error, 0.1);
  const CompareReport equal = compare_tensors({{"a", f32({3, 4})}}, {{"a", f32({3, 4})}});
  EXPECT_EQ(equal.different, 0);
  EXPECT_EQ(equal.snr_db, INFINITY);
  EXPECT_EQ(equal.relative_error, 0.0);
}

TEST(Compare, any_number_of_threads_gives_the_same_figures) {
  CompareOptions options;
  Names reports;
  for (const int threads : {1, 2, 3, 16}) {
    options.threads = threads;
    std::int64_t last = 0;
    std::int64_t total = 0;
    options.progress = [&, caller = std::this_thread::get_id()](const Progress& progress) {
      EXPECT_EQ(std::this_thread::get_id(), caller);
      EXPECT_GE(progress.bytes_done, last);
      last = progress.bytes_done;
      total = progress.bytes_total;
      return true;
    };
    reports.push_back(to_json(compare(golden("tiny_llama/bnb4"), golden("tiny_llama/full"), options), true));
    EXPECT_EQ(reports.back(), reports.front());
    EXPECT_LE(last, total);
  }
}

// The first progress report comes before any thread has read, so that the file is truncated in time.
TEST(Compare, what_fails_in_a_thread_is_said) {
  const TemporaryDirectory directory;
  RawTensors tensors;
  for (const char* name : {"a", "b", "c", "d"}) tensors[name] = f32(std::vector<float>(10'000, 1.0F));
  for (const char* name : {"x", "y"}) write_file(directory / name, safetensors(tensors));
  CompareOptions options;
  options.progress = [&](const Progress& progress) {
    if (progress.bytes_done == 0) fs::resize_file(directory / "x", 1'000);
    return true;
  };
  for (const int threads : {1, 3}) {
    options.threads = threads;
    write_file(directory / "x", safetensors(tensors));
    EXPECT_REFUSED(Status::io_error, (directory / "x").native() + ": ends at byte ",
                   compare(directory / "x", directory / "y", options));
  }
}

TEST(Compare, can_be_cancelled) {
  EXPECT_EQ(
      error_of(
          Status::cancelled,
          [] { compare(golden("tiny_llama/full"), golden("tiny_llama/full"), [](const Progress&) { return false; }); }),
      "cancelled");
}

}  // namespace
}  // namespace qfuse::checkpoint
