// Dequantizes checkpoints of 4-bit weights with block scales from file to file. What all formats share is in
// dequantize_formats_test.cpp.
#include <algorithm>
#include <qfuse/checkpoint.hpp>

#include "adapters.h"
#include "scaled_4bit.h"

namespace qfuse::checkpoint {
namespace {

// The weights are larger than a piece, so that strips of columns and of rows are read.
TEST(DequantizeScaled4bit, pieces_begin_within_rows_and_experts) {
  const TemporaryDirectory directory;
  constexpr std::size_t kSide = side_of_pieces(3001);
  for (const Made4bit& made :
       {stacked_mxfp4("e.down_proj", 3, side_of_pieces(1000), side_of_pieces(3200)), packed_int4("a", kSide, kSide, 16),
        made_fp4("n", kPackedNvfp4, kSide, side_of_pieces(3004))}) {
    SCOPED_TRACE(made.name);
    write_model(directory / "in", made.tensors, k4bitConfig);
    dequantize(directory / "in", directory / "out", {});
    EXPECT_TRUE(load(directory / "out").at(made.name) == made.decoded());
    fs::remove_all(directory / "out");
    fs::remove_all(directory / "in");
  }
}

TEST(DequantizeScaled4bit, experts_get_their_adapters_in_the_direction_of_the_decoded_stack) {
  const TemporaryDirectory directory;
  const std::string config = R"({"model_type": "gpt_oss", "torch_dtype": "bfloat16"})";
  write_model(directory / "in", stacked_mxfp4("mlp.experts.gate_up_proj", 2, 6, 64).tensors, config);
  dequantize(directory / "in", directory / "plain");
  const std::string module = kPeft + "mlp.experts";
  const RawTensors adapter{{module + ".lora_A.weight", random_weight({2 * 2, 64}, Dtype::float32, 3)},
                           {module + ".lora_B.weight", random_weight({6, 2 * 2}, Dtype::float32, 4)}};
  write_adapter(directory / "adapter", adapter,
                {{"r", 2}, {"target_parameters", {"mlp.experts.gate_up_proj"}}, {"target_modules", nullptr}});
  const std::vector<AdapterInput> adapters{{directory / "adapter"}};
  merge(directory / "in", adapters, directory / "merged");
  merge(directory / "plain", adapters, directory / "expected");
  EXPECT_TRUE(load(directory / "merged") == load(directory / "expected"));
  EXPECT_FALSE(load(directory / "merged") == load(directory / "plain"));
}

TEST(DequantizeScaled4bit, what_no_layout_claims_is_refused_by_name) {
  const auto refused = [](RawTensors tensors, const std::string& part) {
    SCOPED_TRACE(part);
    const TemporaryDirectory directory;
    tensors.merge(packed_int4("a", 5, 37, 16).tensors);
    write_model(directory / "in", tensors, k4bitConfig);
    EXPECT_REFUSED(Status::unsupported, part, dequantize(directory / "in", directory / "out"));
    EXPECT_EQ(names_in(directory.path()), Names{"in"});
    EXPECT_TRUE(holds(inspect(directory / "in").notes.at(0), part));
  };
  refused({{"e.w.weight", {"I8", {2, 4}, "01234567"}}, {"e.w.weight_scale", f32({1})}},
          "has 'e.w.weight' in I8 with 'e.w.weight_scale', integers or 4-bit codes that qfuse does not read");
  refused({{"e.w.weight", {"I8", {2, 4}, "01234567"}}, {"e.w.weight_zero_point", {"I8", {1}, "0"}}},
          "has 'e.w.weight' in I8 beside quantized weights");
  refused({{"e.up_proj_blocks", u8({1})}}, "is quantized by MXFP4, as the names of its tensors say");
  refused({{"e.up_proj", {"U8", {1, 2, 2}, "0123"}}, {"e.up_proj_scale", {"F8_E4M3", {1, 2, 1}, "01"}}},
          "has 'e.up_proj' in U8 with 'e.up_proj_scale'");
}

TEST(DequantizeScaled4bit, inspect_says_how_it_is_stored) {
  const TemporaryDirectory directory;
  write_model(directory / "in", small_4bit().tensors, k4bitConfig);
  const Inventory inventory = inspect(directory / "in");
  const auto info = [&](const std::string& name) {
    return *std::ranges::find(inventory.tensors, name, &TensorInfo::name);
  };
  EXPECT_EQ(info("a.weight").format, "int4");
  EXPECT_EQ(info("a.weight").dtype, "BF16");
  EXPECT_EQ(info("a.weight").block, (std::vector<std::int64_t>{1, 16}));
  EXPECT_EQ(info("a.weight").scale_dtype, "BF16");
  EXPECT_EQ(info("a.weight").bytes, 5 * 20 + 5 * 3 * 2 + 16);
  EXPECT_EQ(info("a.weight").decoded_bytes, 5 * 37 * 2);
  EXPECT_EQ(info("n.weight").format, "nvfp4");
  EXPECT_EQ(info("n.weight").scale_dtype, "F8_E4M3");
  EXPECT_EQ(info("mlp.experts.gate_up_proj").block, (std::vector<std::int64_t>{32, 1}));
  EXPECT_EQ(info("n.input_global_scale").format, "activation_scale");
}

TEST(DequantizeScaled4bit, check_compares_names_and_lists) {
  const TemporaryDirectory directory;
  RawTensors tensors = small_4bit().tensors;
  tensors.merge(packed_int4("lm_head", 5, 37, 16).tensors);
  write_model(directory / "in", tensors, k4bitConfig);
  const CheckReport report = check(directory / "in");
  ASSERT_EQ(report.problems.size(), 1U);
  EXPECT_TRUE(holds(report.problems[0].message,
                    "1 weights are quantized, as that of 'lm_head', which config.json lists as not quantized"));
}

}  // namespace
}  // namespace qfuse::checkpoint
