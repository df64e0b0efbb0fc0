// Invalid values of single fields, which check() refuses with a message that names the field and its values.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>

#include "contract/ops.h"
#include "support/refused.h"
#include "support/samples.h"

namespace qfuse::contract {
namespace {

using namespace tests;

TEST(Ranges, valid_calls_pass) {
  for_each_sample([](const std::string& /*name*/, const auto& p, const Arena& /*arena*/) {
    EXPECT_TRUE(check(p).ok()) << check(p).message;
    EXPECT_EQ(check(p).message, "");
  });
}

// Weights that ops read and weights that they write are refused for the same reasons.
template <class Op>
void expect_weights_refused(const Op& sample) {
  const auto refused = [&](const std::function<void(Op&)>& spoil, std::initializer_list<std::string> parts) {
    expect_refused<Op>(sample, spoil, parts);
  };
  refused([](auto& p) { p.weight.rows = -1; }, {"rows is -1, it must not be negative"});
  refused([](auto& p) { p.weight.cols = -7; }, {"cols is -7, it must not be negative"});
  refused([](auto& p) { p.weight.cols = kLots; }, {"cols is 4611686018427387904", "more than memory"});
  refused([](auto& p) { p.weight.rows = p.weight.cols = std::int64_t{1} << 40; },
          {"rows * cols is 1099511627776 * 1099511627776"});
  for (const std::int64_t blocksize : {0L, -64L, 16L, 63L, 96L, 8192L})
    refused([&](auto& p) { p.weight.blocksize = blocksize; },
            {"blocksize is " + std::to_string(blocksize) + ", it must be a power of two from 32 to 4096"});
  for (const std::int64_t blocksize : {0L, -1L, 3L, 255L})
    refused([&](auto& p) { p.weight.nested_blocksize = blocksize; },
            {"nested_blocksize is " + std::to_string(blocksize) + ", it must be a power of two"});
  float scale = 0;
  refused([&](auto& p) { p.weight.absmax = &scale; }, {"absmax and absmax_8bit are both given"});
  refused([](auto& p) { p.weight.absmax_8bit = nullptr; }, {"absmax and absmax_8bit are both NULL"});
}

// Only the outputs of a stack without rows are not bounded by another size.
TEST(Ranges, outputs_of_all_experts_are_bounded) {
  Matmul4bitGrouped p{};
  p.weight.cols = std::int64_t{1} << 59;
  p.weight.blocksize = 64;
  p.weight.quant_type = QFUSE_NF4;
  p.direction = QFUSE_BACKWARD;
  p.dtype = QFUSE_BFLOAT16;
  p.m = 1;
  p.experts = std::int64_t{1} << 20;
  expect_refused(check(p), {"experts * cols is 1048576 * 576460752303423488, more than memory can hold"});
}

// Which formats each op accepts; only dequantize_4bit accepts all.
TEST(Ranges, only_dequantize_4bit_takes_every_format) {
  const auto refused = [](auto p, int quant_type, qfuse_status status, const std::string& message) {
    SCOPED_TRACE(p.kName);
    p.weight.quant_type = static_cast<qfuse_quant_type>(quant_type);
    const Outcome o = check_ranges(p);
    EXPECT_EQ(o.status, status);
    EXPECT_EQ(o.message, message);
  };
  for (const int unknown : {-1, 0, 5, 7}) {
    const std::string number = "quant_type is " + std::to_string(unknown);
    refused(dequantize_4bit_sample(false), unknown, QFUSE_INVALID_ARGUMENT,
            number + ", it must be QFUSE_FP4 (1), QFUSE_NF4 (2), QFUSE_E2M1 (3) or QFUSE_INT4 (4)");
    refused(quantize_4bit_sample(false), unknown, QFUSE_INVALID_ARGUMENT,
            number + ", it must be QFUSE_FP4 (1), QFUSE_NF4 (2) or QFUSE_E2M1 (3)");
  }
  const auto refused_by_name = [&](const auto& p, int type, const std::string& name) {
    refused(
        p, type, QFUSE_UNSUPPORTED,
        "quant_type is " + name + ", which this op does not take: decode the weight by qfuse_dequantize_4bit first");
  };
  refused(quantize_4bit_sample(false), QFUSE_INT4, QFUSE_UNSUPPORTED,
          "quant_type is QFUSE_INT4 (4), which this op does not encode: it can be QFUSE_FP4 (1), QFUSE_NF4 (2) or "
          "QFUSE_E2M1 (3)");
  for (const auto& [type, name] : {std::pair{QFUSE_E2M1, "QFUSE_E2M1 (3)"}, {QFUSE_INT4, "QFUSE_INT4 (4)"}}) {
    refused_by_name(rotated_int8_weight_sample<RotatedInt8WeightScales>(QFUSE_FORWARD), type, name);
    refused_by_name(rotated_int8_weight_sample<RotatedInt8Weight>(QFUSE_FORWARD), type, name);
  }
  Matmul4bitMany many = matmul_4bit_many_sample();
  many.products.back().weight = int4_sample();
  EXPECT_TRUE(check_ranges(many).ok());
  many.products.back().weight.blocksize = 48;
  EXPECT_EQ(check_ranges(many).status, QFUSE_UNSUPPORTED);
  refused(matmul_4bit_sample(QFUSE_FORWARD, false), 9, QFUSE_INVALID_ARGUMENT,
          "quant_type is 9, it must be QFUSE_FP4 (1), QFUSE_NF4 (2), QFUSE_E2M1 (3) or QFUSE_INT4 (4)");
}

// Products accept these formats with scales of rows.
TEST(Ranges, products_take_mxfp4) {
  Matmul4bit p = matmul_4bit_sample(QFUSE_FORWARD, false);
  p.weight = mxfp4_sample();
  EXPECT_TRUE(check_ranges(p).ok()) << check_ranges(p).message;
  const auto refused = [&](const std::function<void(Matmul4bit&)>& spoil, qfuse_status status,
                           const std::string& message) {
    Matmul4bit other = p;
    spoil(other);
    EXPECT_EQ(check_ranges(other).status, status);
    EXPECT_EQ(check_ranges(other).message, message);
  };
  const auto unsupported = [&](const std::function<void(qfuse_weight_4bit&)>& spoil, const std::string& what) {
    refused([&](auto& other) { spoil(other.weight); }, QFUSE_UNSUPPORTED,
            what + " in products with QFUSE_E2M1 (3): decode the weight by qfuse_dequantize_4bit first");
  };
  const float scale = 0;
  unsupported([](auto& w) { w.scale_type = QFUSE_SCALES_BFLOAT16; },
              "scale_type is 3, it must be QFUSE_SCALES_UE8M0 (1) or QFUSE_SCALES_E4M3 (4)");
  unsupported([](auto& w) { w.scale_type = QFUSE_SCALES_E4M3; }, "blocksize is 32, it must be 16");
  for (const std::int64_t blocksize : {16, 64, 96})
    unsupported([&](auto& w) { w.blocksize = blocksize; },
                "blocksize is " + std::to_string(blocksize) + ", it must be 32");
  unsupported([](auto& w) { w.cols = 95; }, "cols is 95, it must be a multiple of 32");
  unsupported([&](auto& w) { w.global_scale = &scale; }, "global_scale is given, it must be NULL");
  unsupported([&](auto& w) { w.global_divisor = &scale; }, "global_divisor is given, it must be NULL");
  refused([](auto& other) { other.weight.nested_begin = 1; }, QFUSE_INVALID_ARGUMENT,
          "nested_begin is 1, it must be 0 here");
  refused([&](auto& other) { other.weight.absmax = &scale; }, QFUSE_INVALID_ARGUMENT,
          "absmax is given, but quant_type is QFUSE_E2M1 (3), whose scales are `scales`");
  refused([](auto& other) { other.weight.rows = other.weight.cols = std::int64_t{1} << 40; }, QFUSE_INVALID_ARGUMENT,
          "rows * cols is 1099511627776 * 1099511627776, more than memory can hold");
  refused([](auto& other) { other.sum = QFUSE_SUM_FACTORED, other.weight.cols = 64; }, QFUSE_INVALID_ARGUMENT,
          "sum is QFUSE_SUM_FACTORED, which needs a weight with absmax, not QFUSE_E2M1 (3): QFUSE_SUM_SPLIT takes it");
  Matmul4bitGrouped grouped = matmul_4bit_grouped_sample(QFUSE_FORWARD);
  grouped.weight = p.weight;
  EXPECT_TRUE(check_ranges(grouped).ok()) << check_ranges(grouped).message;
}

TEST(Ranges, products_take_nvfp4_and_int4) {
  const auto check = [](const qfuse_weight_4bit& w) {
    Matmul4bit p = matmul_4bit_sample(QFUSE_FORWARD, false);
    p.weight = w;
    return check_ranges(p);
  };
  const auto refused = [&](qfuse_weight_4bit w, const std::function<void(qfuse_weight_4bit&)>& spoil,
                           const std::string& what) {
    EXPECT_TRUE(check(w).ok()) << check(w).message;
    spoil(w);
    EXPECT_EQ(check(w).status, QFUSE_UNSUPPORTED);
    EXPECT_EQ(check(w).message, what + ": decode the weight by qfuse_dequantize_4bit first");
  };
  const float scale = 0;
  const std::uint8_t zero = 8;
  constexpr const char* kOfInt4 = " in products with QFUSE_INT4 (4)";
  refused(
      nvfp4_sample(), [](auto& w) { w.cols = 24; },
      "cols is 24, it must be a multiple of 16 in products with QFUSE_E2M1 (3)");
  for (const std::int64_t blocksize : {16, 48, 8192})
    refused(
        int4_sample(), [&](auto& w) { w.blocksize = blocksize, w.cols = 2 * blocksize; },
        "blocksize is " + std::to_string(blocksize) + ", it must be a power of two from 32 to 4096" + kOfInt4);
  refused(
      int4_sample(), [](auto& w) { w.cols = 64; }, std::string("cols is 64, it must be a multiple of 128") + kOfInt4);
  refused(
      int4_sample(), [](auto& w) { w.scale_type = QFUSE_SCALES_UE8M0; },
      std::string("scale_type is 1, it must be QFUSE_SCALES_FLOAT32 (0), QFUSE_SCALES_FLOAT16 (2) or ") +
          "QFUSE_SCALES_BFLOAT16 (3)" + kOfInt4);
  refused(
      int4_sample(), [&](auto& w) { w.zero_points = &zero; },
      std::string("zero_points is given, it must be NULL") + kOfInt4);
  refused(
      int4_sample(), [&](auto& w) { w.global_scale = &scale; },
      std::string("global_scale is given, it must be NULL") + kOfInt4);
  Matmul4bitGrouped grouped = matmul_4bit_grouped_sample(QFUSE_FORWARD);
  grouped.weight = nvfp4_sample();
  grouped.weight.global_scale = &scale;
  grouped.nested_each = 1;
  EXPECT_TRUE(check_ranges(grouped).ok()) << check_ranges(grouped).message;
}

TEST(Ranges, a_weight_with_absmax_has_no_scales_of_rows) {
  const auto refused = [](const std::function<void(qfuse_weight_4bit&)>& spoil, const std::string& field) {
    expect_refused<Dequantize4bit>(dequantize_4bit_sample(true), [&](auto& p) { spoil(p.weight); },
                                   {field + " is given, but quant_type is QFUSE_NF4 (2), which has absmax alone"});
    expect_refused<Matmul4bit>(matmul_4bit_sample(QFUSE_FORWARD, true), [&](auto& p) { spoil(p.weight); },
                               {field + " is given, but quant_type is"});
  };
  const float scale = 0;
  const std::uint8_t zero = 0;
  refused([](auto& w) { w.scale_type = QFUSE_SCALES_E4M3; }, "scale_type");
  refused([&](auto& w) { w.scales = &scale; }, "scales");
  refused([&](auto& w) { w.global_scale = &scale; }, "global_scale");
  refused([&](auto& w) { w.global_divisor = &scale; }, "global_divisor");
  refused([&](auto& w) { w.zero_points = &zero; }, "zero_points");
}

TEST(Ranges, a_weight_with_scales_of_rows_is_checked) {
  const auto refused = [](const std::function<void(qfuse_weight_4bit&)>& spoil,
                          std::initializer_list<std::string> parts) {
    expect_refused<Dequantize4bit>(
        dequantize_4bit_rows_sample(), [&](auto& p) { spoil(p.weight); }, parts);
  };
  const float scale = 0;
  const std::uint8_t code = 0;
  refused([](auto& w) { w.rows = -1; }, {"rows is -1, it must not be negative"});
  refused([](auto& w) { w.rows = w.cols = std::int64_t{1} << 40; }, {"rows * cols is 1099511627776 * 1099511627776"});
  for (const std::int64_t blocksize : {0L, -16L, 1L, 24L})
    refused([&](auto& w) { w.blocksize = blocksize; },
            {"blocksize is " + std::to_string(blocksize) + ", it must be a multiple of 16, or cols (33) or more"});
  refused([](auto& w) { w.scale_type = static_cast<qfuse_scale_type>(5); },
          {"scale_type is 5, it must be QFUSE_SCALES_FLOAT32 (0), QFUSE_SCALES_UE8M0 (1), QFUSE_SCALES_FLOAT16 (2), "
           "QFUSE_SCALES_BFLOAT16 (3) or QFUSE_SCALES_E4M3 (4)"});
  refused([&](auto& w) { w.absmax = &scale; },
          {"absmax is given, but quant_type is QFUSE_INT4 (4), whose scales are `scales`"});
  refused([&](auto& w) { w.absmax_8bit = &code; }, {"absmax_8bit is given, but quant_type is QFUSE_INT4 (4)"});
  refused([&](auto& w) { w.global_divisor = w.global_scale = &scale; },
          {"global_scale and global_divisor are both given"});
  refused([](auto& w) { w.quant_type = QFUSE_E2M1; },
          {"zero_points is given, but quant_type is QFUSE_E2M1 (3), whose codes are signed"});
  refused([](auto& w) { w.nested_begin = 1; }, {"nested_begin is 1, it must be 0 here"});
  refused([](auto& w) { w.scales = nullptr; }, {"scales is NULL, it must hold 18 bytes"});
}

TEST(Ranges, a_weight_that_is_read_is_checked) {
  expect_weights_refused(dequantize_4bit_sample(true));
  expect_refused<Dequantize4bit>(dequantize_4bit_sample(true),
                                 [](auto& p) { p.out_dtype = static_cast<qfuse_dtype>(9); },
                                 {"out_dtype is 9, it must be QFUSE_FLOAT32 (0)"});
}

TEST(Ranges, a_weight_that_is_written_is_checked) {
  expect_weights_refused(quantize_4bit_sample(true));
  expect_refused<Quantize4bit>(quantize_4bit_sample(true), [](auto& p) { p.in_dtype = static_cast<qfuse_dtype>(9); },
                               {"in_dtype is 9"});
}

TEST(Ranges, importance_needs_plain_absmax) {
  const float importance = 0;
  expect_refused<Quantize4bit>(quantize_4bit_sample(true), [&](auto& p) { p.importance = &importance; },
                               {"importance is given, and absmax is nested", "give plain absmax"});
}

TEST(Ranges, what_is_kept_is_checked) {
  const auto refused = [](const std::function<void(Quantize4bit&)>& spoil, std::initializer_list<std::string> parts) {
    expect_refused<Quantize4bit>(quantize_4bit_sample_that_keeps(true), spoil, parts);
  };
  const float importance = 0;
  refused([&](auto& p) { p.importance = &importance; }, {"importance and kept are both given"});
  refused([](auto& p) { p.kept.cols = 64; },
          {"kept, whose absmax are kept, is [2, 64] of quant_type 2 in blocks of 64, and what is encoded [2, 65]"});
  refused([](auto& p) { p.weight.blocksize = 128; }, {"in blocks of 64, and", "in blocks of 128"});
  refused([](auto& p) { p.kept.quant_type = QFUSE_FP4; }, {"of quant_type 1 in"});
  refused([](auto& p) { p.kept.rows = -1; }, {"rows is -1"});
  refused([](auto& p) { p.weight.cols = -1; }, {"cols is -1"});
  refused([](auto& p) { p.weight.blocksize = 48; }, {"blocksize is 48"});
  refused([](auto& p) { p.kept.nested_begin = 1; }, {"nested_begin is 1, it must be 0 here"});
  refused([&](auto& p) { p.kept.absmax = &importance; }, {"absmax and absmax_8bit are both given"});
}

TEST(Ranges, mxfp4_that_is_written_is_checked) {
  const auto refused = [](const std::function<void(Quantize4bit&)>& spoil, std::initializer_list<std::string> parts) {
    expect_refused<Quantize4bit>(quantize_mxfp4_sample(), spoil, parts);
  };
  float absmax = 0;
  refused([&](auto& p) { p.weight.absmax = &absmax; }, {"absmax or absmax_8bit is given", "whose scales are `scales`"});
  refused([&](auto& p) { p.importance = &absmax; }, {"importance is given, and quant_type is QFUSE_E2M1 (3)"});
  refused([](auto& p) { p.weight.mx_scales = static_cast<qfuse_mx_scales>(2); }, {"mx_scales is 2"});
  refused([](auto& p) { p.weight.rows = -1; }, {"rows is -1"});
  Quantize4bit p = quantize_mxfp4_sample();
  p.weight.cols = 65;
  EXPECT_EQ(check_ranges(p).message, "blocksize is 32 and cols 65, MXFP4 has whole blocks of 32");
  p = quantize_mxfp4_sample();
  p.kept.struct_size = sizeof p.kept;
  p.kept.rows = 2;
  p.kept.cols = 64;
  p.kept.blocksize = 16;
  p.kept.quant_type = QFUSE_E2M1;
  p.kept.scale_type = QFUSE_SCALES_E4M3;
  EXPECT_EQ(check_ranges(p).status, QFUSE_UNSUPPORTED) << "NVFP4";
}

TEST(Ranges, plain_weights_ignore_the_nested_fields) {
  Arena arena;
  Quantize4bit p = placed(quantize_4bit_sample(false), arena);
  p.weight.nested_blocksize = -3;
  EXPECT_TRUE(check(p).ok()) << check(p).message;
}

TEST(Ranges, a_workspace_holds_what_the_call_needs) {
  const Quantize4bit nested = quantize_4bit_sample(true);
  EXPECT_EQ(workspace_size(nested), 8 + 3 * 4) << "one sum of the mean, three scales";
  EXPECT_EQ(workspace_size(quantize_4bit_sample(false)), 0);
  expect_refused<Quantize4bit>(nested, [](auto& p) { p.workspace_size = 19; },
                               {"workspace_size is 19, this call needs 20 bytes"});
  expect_refused<Quantize4bit>(nested, [](auto& p) { p.workspace_size = -1; },
                               {"workspace_size is -1, this call needs 20 bytes"});
  Arena arena;
  Quantize4bit p = placed(nested, arena);
  p.workspace_size = 21;
  EXPECT_TRUE(check(p).ok()) << "more than needed is fine: " << check(p).message;
}

TEST(Ranges, the_reciprocal_is_one_of_two_and_the_approximate_one_is_cudas) {
  const auto expect = [](auto p) {
    Arena arena;
    p = placed(p, arena);
    p.reciprocal = static_cast<qfuse_reciprocal>(2);
    expect_refused(check(p), {"reciprocal is 2"});
    p.reciprocal = QFUSE_RECIPROCAL_APPROX;
    EXPECT_TRUE(check(p).ok());
    EXPECT_EQ(check_device(p, qfuse_device{QFUSE_CPU, 0}).status, QFUSE_UNSUPPORTED);
    EXPECT_EQ(check_device(p, qfuse_device{QFUSE_REFERENCE, 0}).status, QFUSE_UNSUPPORTED);
    EXPECT_TRUE(check_device(p, qfuse_device{QFUSE_CUDA, 0}).ok());
  };
  expect(quantize_4bit_sample(true));
  expect(quantize_blockwise_sample());
}

TEST(Ranges, blockwise_counts_and_sizes_are_checked) {
  const auto expect = [](const auto& sample) {
    using Op = std::remove_cvref_t<decltype(sample)>;
    expect_refused<Op>(sample, [](auto& p) { p.n = -1; }, {"n is -1, it must not be negative"});
    expect_refused<Op>(sample, [](auto& p) { p.n = kLots; }, {"n is 4611686018427387904, more than memory can hold"});
    for (const std::int64_t blocksize : {0L, -1L, 3L, 255L})
      expect_refused<Op>(sample, [&](auto& p) { p.blocksize = blocksize; },
                         {"blocksize is " + std::to_string(blocksize) + ", it must be a power of two"});
  };
  expect(quantize_blockwise_sample());
  expect(dequantize_blockwise_sample());
  expect_refused<QuantizeBlockwise>(quantize_blockwise_sample(),
                                    [](auto& p) { p.in_dtype = static_cast<qfuse_dtype>(3); }, {"in_dtype is 3"});
  expect_refused<DequantizeBlockwise>(dequantize_blockwise_sample(),
                                      [](auto& p) { p.out_dtype = static_cast<qfuse_dtype>(3); }, {"out_dtype is 3"});
}

TEST(Ranges, int8_shapes_are_checked) {
  const auto refused = [](const std::function<void(DequantizeInt8&)>& spoil, std::initializer_list<std::string> parts) {
    expect_refused<DequantizeInt8>(dequantize_int8_sample(), spoil, parts);
  };
  refused([](auto& p) { p.rows = p.cols = std::int64_t{1} << 40; }, {"rows * cols is 1099511627776 * 1099511627776"});
  refused([](auto& p) { p.rows = -4; }, {"rows is -4"});
  refused([](auto& p) { p.cols = -4; }, {"cols is -4"});
  refused([](auto& p) { p.out_dtype = static_cast<qfuse_dtype>(-1); }, {"out_dtype is -1"});
}

TEST(Ranges, fp8_shapes_blocks_and_types_are_checked) {
  const auto refused = [](const std::function<void(DequantizeFp8&)>& spoil, std::initializer_list<std::string> parts) {
    expect_refused<DequantizeFp8>(dequantize_fp8_sample(), spoil, parts);
  };
  refused([](auto& p) { p.rows = p.cols = std::int64_t{1} << 40; }, {"rows * cols is 1099511627776 * 1099511627776"});
  refused([](auto& p) { p.rows = -4; }, {"rows is -4"});
  refused([](auto& p) { p.cols = -4; }, {"cols is -4"});
  refused([](auto& p) { p.block_rows = 0; }, {"block_rows is 0, it must be positive"});
  refused([](auto& p) { p.block_cols = -128; }, {"block_cols is -128, it must be positive"});
  refused([](auto& p) { p.scale_type = static_cast<qfuse_scale_type>(4); },
          {"scale_type is 4, it must be QFUSE_SCALES_FLOAT32 (0), QFUSE_SCALES_UE8M0 (1), QFUSE_SCALES_FLOAT16 (2) or "
           "QFUSE_SCALES_BFLOAT16 (3)"});
  refused([](auto& p) { p.scale_type = static_cast<qfuse_scale_type>(-1); }, {"scale_type is -1"});
  refused([](auto& p) { p.out_dtype = static_cast<qfuse_dtype>(3); }, {"out_dtype is 3"});
  DequantizeFp8 p = dequantize_fp8_sample();
  p.rows = 0;
  p.block_rows = 0;
  expect_refused(check(p), {"block_rows is 0"});
}

TEST(Ranges, lora_merge_shapes_are_checked) {
  const auto refused = [](const std::function<void(LoraMerge&)>& spoil, std::initializer_list<std::string> parts) {
    expect_refused<LoraMerge>(lora_merge_sample(3), spoil, parts);
  };
  refused([](auto& p) { p.rows = -4; }, {"rows is -4"});
  refused([](auto& p) { p.cols = -2; }, {"cols is -2, it must not be negative"});
  refused([](auto& p) { p.rank = -4; }, {"rank is -4, it must not be negative"});
  refused([](auto& p) { p.rows = INT64_MAX / 8; }, {"rows * cols is 1152921504606846975 * 33, more than memory"});
  refused([](auto& p) { p.rank = std::int64_t{1} << 60; }, {"rank * cols is 1152921504606846976 * 33"});
  refused(
      [](auto& p) {
        p.cols = 1;
        p.rows = p.rank = std::int64_t{1} << 40;
      },
      {"rows * rank is 1099511627776 * 1099511627776"});
  refused([](auto& p) { p.in_dtype = static_cast<qfuse_dtype>(3); }, {"in_dtype is 3"});
  refused([](auto& p) { p.out_dtype = static_cast<qfuse_dtype>(3); }, {"out_dtype is 3"});
}

TEST(Ranges, lora_merge_in_4_bits_is_checked) {
  const auto refused = [](const std::function<void(LoraMerge&)>& spoil, std::initializer_list<std::string> parts) {
    expect_refused<LoraMerge>(lora_merge_4bit_sample(), spoil, parts);
  };
  refused([](auto& p) { p.source.cols = 65; }, {"source is [4, 65], this op needs rows 4 and cols 64"});
  refused([](auto& p) { p.target.rows = 3; }, {"target is [3, 64], this op needs rows 4 and cols 64"});
  refused([](auto& p) { p.target.blocksize = 48; }, {"blocksize is 48"});
  refused([](auto& p) { p.source.blocksize = 8192; }, {"blocksize is 8192"});
  refused([](auto& p) { p.in_dtype = QFUSE_FLOAT32; }, {"in_dtype is 0 and out_dtype 2, with a source"});
  refused(
      [](auto& p) {
        p.source = {};
        p.in_dtype = QFUSE_FLOAT32;
      },
      {"in_dtype is 0 and out_dtype 2, with a target"});
  refused([](auto& p) { p.target.nested_quant_map = nullptr; }, {"target has nested absmax and no nested_quant_map"});
  refused([](auto& p) { p.workspace_size = 3; }, {"workspace_size is 3"});
  refused([](auto& p) { p.keep_absmax = 2; }, {"keep_absmax is 2, it must be 0, or 1 with a source and a target"});
  refused(
      [](auto& p) {
        p.keep_absmax = 1;
        p.target.blocksize = 32;
      },
      {"source, whose absmax are kept, is [4, 64]", "blocks of 32"});
  for (const bool is_source : {false, true}) {
    LoraMerge without = lora_merge_4bit_sample();
    without.keep_absmax = 1;
    if (is_source)
      without.source = {};
    else
      without.target = {};
    EXPECT_EQ(check_ranges(without).status, QFUSE_INVALID_ARGUMENT);
  }
  LoraMerge p = lora_merge_4bit_sample();
  p.source.quant_type = QFUSE_INT4;
  p.source.absmax = nullptr;
  EXPECT_EQ(check_ranges(p).status, QFUSE_UNSUPPORTED);
  p = lora_merge_4bit_sample();
  p.target.quant_type = QFUSE_INT4;
  EXPECT_EQ(check_ranges(p).status, QFUSE_UNSUPPORTED);
}

TEST(Ranges, rotated_int8_shapes_are_checked) {
  const auto quantize = [](const std::function<void(RotatedInt8Quantize&)>& spoil,
                           std::initializer_list<std::string> parts) {
    expect_refused<RotatedInt8Quantize>(rotated_int8_quantize_sample(), spoil, parts);
  };
  quantize([](auto& p) { p.rows = -4; }, {"rows is -4"});
  quantize([](auto& p) { p.cols = 96; }, {"cols is 96, it must be a multiple of 64"});
  quantize([](auto& p) { p.rows = kLots; }, {"rows is 4611686018427387904, more than memory can hold"});
  quantize([](auto& p) { p.in_dtype = static_cast<qfuse_dtype>(3); }, {"in_dtype is 3"});
  quantize([](auto& p) { p.in_stride = 63; }, {"in_stride is 63, it must be 0 or at least cols, 64"});
  quantize([](auto& p) { p.in_stride = kLots; }, {"m rows of 4611686018427387904 elements (in_stride)"});

  const auto multiply = [](const std::function<void(RotatedInt8Matmul&)>& spoil,
                           std::initializer_list<std::string> parts) {
    expect_refused<RotatedInt8Matmul>(rotated_int8_matmul_sample(5), spoil, parts);
  };
  multiply([](auto& p) { p.m = -1; }, {"m is -1"});
  multiply([](auto& p) { p.n = -1; }, {"n is -1"});
  multiply([](auto& p) { p.k = -64; }, {"k is -64, it must not be negative"});
  multiply([](auto& p) { p.k = 100; }, {"k is 100, it must be a multiple of 64"});
  multiply([](auto& p) { p.k = 133184; }, {"k is 133184, it must be at most 133120: more products of 127 * 127 may"});
  multiply([](auto& p) { p.m = kLots; }, {"m is 4611686018427387904"});
  multiply([](auto& p) { p.m = p.n = std::int64_t{1} << 40; }, {"m rows of 1099511627776 elements (n)"});
  multiply([](auto& p) { p.dtype = static_cast<qfuse_dtype>(-1); }, {"dtype is -1"});
  multiply([](auto& p) { p.out_stride = 4; }, {"out_stride is 4, it must be 0 or at least n, 5"});
  multiply([](auto& p) { p.direction = static_cast<qfuse_direction>(2); }, {"direction is 2"});
  multiply([](auto& p) { p.lora_rank = -1; }, {"lora_rank is -1"});
  multiply([](auto& p) { p.lora_rank = std::int64_t{1} << 60; }, {"m * lora_rank is 3 * 1152921504606846976"});
}

TEST(Ranges, of_rotated_int8_swiglu_are_checked) {
  const auto refused = [](const std::function<void(RotatedInt8Swiglu&)>& spoil,
                          std::initializer_list<std::string> parts) {
    expect_refused<RotatedInt8Swiglu>(rotated_int8_swiglu_sample(QFUSE_BACKWARD), spoil, parts);
  };
  refused([](auto& p) { p.m = -1; }, {"m is -1"});
  refused([](auto& p) { p.h = -64; }, {"h is -64"});
  refused([](auto& p) { p.h = 96; }, {"h is 96, it must be a multiple of 64"});
  refused([](auto& p) { p.m = kLots; }, {"m is 4611686018427387904, more than memory can hold"});
  refused([](auto& p) { p.m = INT64_MAX / 4 / 64; }, {"2 * m * h is 72057594037927934 * 64"});
  refused([](auto& p) { p.direction = static_cast<qfuse_direction>(2); }, {"direction is 2"});
  refused([](auto& p) { p.gate_stride = 63; }, {"gate_stride is 63, it must be 0 or at least h, 64"});
  refused([](auto& p) { p.up_stride = -1; }, {"up_stride is -1"});
  refused([](auto& p) { p.grad_y_stride = kLots; }, {"m rows of 4611686018427387904 elements (grad_y_stride)"});
}

template <class Op>
void expect_rotated_weights_refused() {
  expect_weights_refused(rotated_int8_weight_sample<Op>(QFUSE_FORWARD));
  const auto refused = [](qfuse_direction direction, const std::function<void(Op&)>& spoil,
                          std::initializer_list<std::string> parts) {
    expect_refused<Op>(rotated_int8_weight_sample<Op>(direction), spoil, parts);
  };
  refused(QFUSE_FORWARD, [](auto& p) { p.weight.cols = 96; }, {"cols is 96, it must be a multiple of 64"});
  refused(QFUSE_BACKWARD, [](auto& p) { p.weight.cols = 32; }, {"cols is 32, it must be a multiple of 64"});
  refused(QFUSE_BACKWARD, [](auto& p) { p.weight.rows = 65; }, {"rows is 65, it must be a multiple of 64"});
  refused(QFUSE_FORWARD, [](auto& p) { p.direction = static_cast<qfuse_direction>(2); }, {"direction is 2"});
  Arena arena;
  Op part = placed(rotated_int8_weight_sample<Op>(QFUSE_FORWARD), arena);
  part.weight.nested_begin = 1;
  EXPECT_TRUE(check(part).ok()) << check(part).message;
}

TEST(Ranges, rotated_int8_weights_are_checked) {
  expect_rotated_weights_refused<RotatedInt8WeightScales>();
  expect_rotated_weights_refused<RotatedInt8Weight>();
}

TEST(Ranges, exec_refuses_what_no_device_has) {
  qfuse_exec exec = QFUSE_EXEC_INIT;
  EXPECT_TRUE(check(exec).ok());
  exec.threads = -1;
  expect_refused(check(exec), {"threads is -1"});
  exec = QFUSE_EXEC_INIT;
  exec.stream = &exec;
  expect_refused(check(exec), {"stream is given"});
  exec = QFUSE_EXEC_INIT;
  exec.device = {static_cast<qfuse_device_type>(5), 0};
  expect_refused(check(exec), {"device type is 5"});
  exec.device = {QFUSE_CPU, -2};
  expect_refused(check(exec), {"device index is -2"});
  exec.device = {QFUSE_CPU, 1};
  EXPECT_EQ(check(exec).status, QFUSE_UNSUPPORTED);
}

}  // namespace
}  // namespace qfuse::contract
