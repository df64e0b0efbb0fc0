// Dequantizes checkpoints of 4-bit weights with block scales from file to file: every bit matches plain arithmetic, and
// no trace of the quantization remains.
#include <algorithm>
#include <qfuse/checkpoint.hpp>

#include "adapters.h"
#include "checkpoint/convert/decode.h"
#include "conversions.h"
#include "scaled_4bit.h"

namespace qfuse::checkpoint {
namespace {

struct Stored4bit {
  const char* name;
  Made4bit made;
};

class DecodeScaled4bit : public testing::TestWithParam<Stored4bit> {};

TEST_P(DecodeScaled4bit, reads_may_begin_and_end_anywhere) {
  const Made4bit& made = GetParam().made;
  const std::string all = made.decoded().bytes;
  const TemporaryDirectory directory;
  write_file(directory / "x", safetensors(made.tensors));
  const Model model(directory / "x");
  const Layout layout = read_layout(model, Config(k4bitConfig, ""));
  const Source source = decoded(layout.tensors.at(0), Dtype::bfloat16);
  ASSERT_EQ(source.bytes, std::ssize(all));
  for (const qfuse_device_type device : {QFUSE_CPU, QFUSE_REFERENCE}) {
    Pipeline pipeline({.device = {device, 0}});
    for (std::int64_t begin = 0; begin < source.bytes; begin += 2)
      for (std::int64_t end = begin + 2; end <= source.bytes; end += 2) {
        std::string read(static_cast<std::size_t>(end - begin), '\0');
        source.read(begin, std::as_writable_bytes(std::span(read)), pipeline.next());
        ASSERT_TRUE(read == all.substr(static_cast<std::size_t>(begin), read.size())) << begin << " to " << end;
      }
  }
}

INSTANTIATE_TEST_SUITE_P(All, DecodeScaled4bit,
                         testing::Values(Stored4bit{"int4", packed_int4("w", 3, 37, 16)},
                                         Stored4bit{"int4_f16", packed_int4("w", 3, 37, 16, "F16")},
                                         Stored4bit{"int4_f32", packed_int4("w", 3, 37, 16, "F32")},
                                         Stored4bit{"int4_asymmetric", packed_int4("w", 11, 17, 16, "BF16", false)},
                                         Stored4bit{"int4_rows", packed_int4("w", 5, 11, 0)},
                                         Stored4bit{"int4_rows_asymmetric", packed_int4("w", 9, 11, 0, "F32", false)},
                                         Stored4bit{"mxfp4", made_fp4("w", kPackedMxfp4, 2, 70)},
                                         Stored4bit{"nvfp4", made_fp4("w", kPackedNvfp4, 3, 42)},
                                         Stored4bit{"modelopt", made_fp4("w", kModelopt, 3, 42)},
                                         Stored4bit{"deepseek", made_fp4("w", kDeepseek, 2, 70)},
                                         Stored4bit{"stack", stacked_mxfp4("w", 2, 2, 64)}),
                         [](const auto& info) { return std::string(info.param.name); });

nlohmann::json config_at(const fs::path& directory) {
  return nlohmann::json::parse(read_file(directory / "config.json"));
}

TEST(DequantizeScaled4bit, nothing_of_the_quantization_is_left) {
  const TemporaryDirectory directory;
  const Model4bit model = small_4bit();
  write_model(directory / "in", model.tensors, k4bitConfig);
  write_file(directory / "in/hf_quant_config.json", "{}");
  const ConversionReport report = dequantize(directory / "in", directory / "out");
  EXPECT_TRUE(load(directory / "out") == model.decoded);
  EXPECT_EQ(config_at(directory / "out"), nlohmann::json({{"torch_dtype", "bfloat16"}}));
  EXPECT_EQ(names_in(directory / "out"), (Names{"config.json", "model.safetensors"}));
  EXPECT_EQ(report.tensors, 9);
  EXPECT_EQ(report.converted, 8);
  EXPECT_TRUE(std::ranges::any_of(report.notes, [](const std::string& note) {
    return note.find("scales of activations, which only a model that quantizes them has, are left out: 3") != note.npos;
  }));
  EXPECT_TRUE(compare(directory / "in", directory / "out").equal);
  EXPECT_TRUE(compare(directory / "in", directory / "in").equal);
}

TEST(DequantizeScaled4bit, in_every_dtype_on_every_device_in_shards) {
  const TemporaryDirectory directory;
  write_model(directory / "in", small_4bit().tensors, k4bitConfig);
  expect_every_dtype_alike(directory, 500, "a.weight");
}

TEST(DequantizeScaled4bit, one_wrong_bit_is_seen_by_compare) {
  const TemporaryDirectory directory;
  const Model4bit model = small_4bit();
  write_model(directory / "in", model.tensors, k4bitConfig);
  RawTensors out = model.decoded;
  out["mlp.experts.gate_up_proj"].bytes[2 * 500] ^= 1;
  write_model(directory / "out", out);
  const CompareReport report = compare(directory / "in", directory / "out");
  EXPECT_EQ(report.different, 1);
  const auto found = std::ranges::find(report.tensors, "mlp.experts.gate_up_proj", &TensorComparison::name);
  ASSERT_NE(found, report.tensors.end());
  EXPECT_EQ(found->first_differing, 500);
}

// The weights are larger than a piece, so that strips of columns and of rows are read.
TEST(DequantizeScaled4bit, pieces_begin_within_rows_and_experts) {
  const TemporaryDirectory directory;
  for (const Made4bit& made : {stacked_mxfp4("e.down_proj", 3, 1000, 3200), packed_int4("a", 3001, 3001, 16),
                               made_fp4("n", kPackedNvfp4, 3001, 3002)}) {
    SCOPED_TRACE(made.name);
    write_model(directory / "in", made.tensors, k4bitConfig);
    dequantize(directory / "in", directory / "out", {});
    EXPECT_TRUE(load(directory / "out").at(made.name) == made.decoded());
    fs::remove_all(directory / "out");
    fs::remove_all(directory / "in");
  }
}

TEST(DequantizeScaled4bit, a_merge_is_that_onto_the_decoded_model) {
  const TemporaryDirectory directory;
  write_model(directory / "in", small_4bit().tensors, k4bitConfig);
  dequantize(directory / "in", directory / "plain");
  RawTensors adapter = lora("a", 5, 37, 2);
  adapter.merge(lora("n", 3, 42, 2));
  adapter.merge(lora("p", 3, 70, 2));
  write_adapter(directory / "adapter", adapter, {{"r", 2}});
  const std::vector<AdapterInput> adapters{{directory / "adapter"}};
  merge(directory / "in", adapters, directory / "merged");
  merge(directory / "plain", adapters, directory / "expected");
  EXPECT_TRUE(load(directory / "merged") == load(directory / "expected"));
  EXPECT_FALSE(load(directory / "merged") == load(directory / "plain"));
  EXPECT_EQ(config_at(directory / "merged"), nlohmann::json({{"torch_dtype", "bfloat16"}}));
  CompareOptions compared;
  compared.adapters = adapters;
  EXPECT_TRUE(compare(directory / "in", directory / "merged", compared).equal);
  MergeOptions options;
  options.to_4bit = QuantType::nf4;
  EXPECT_REFUSED(Status::invalid_argument, "cannot become nf4: dequantize the base first",
                 merge(directory / "in", adapters, directory / "nf4", options));
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

TEST(DequantizeScaled4bit, quantize_takes_none) {
  const TemporaryDirectory directory;
  write_model(directory / "in", small_4bit().tensors, k4bitConfig);
  EXPECT_REFUSED(Status::invalid_data, "is quantized already: dequantize the checkpoint first",
                 quantize(directory / "in", directory / "out"));
}

TEST(DequantizeScaled4bit, inspect_says_how_it_is_stored) {
  const TemporaryDirectory directory;
  write_model(directory / "in", small_4bit().tensors, k4bitConfig);
  const Inventory inventory = inspect(directory / "in");
  EXPECT_EQ(inventory.notes, Names());
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
  std::int64_t bytes = 0;
  for (const TensorInfo& tensor : inventory.tensors) bytes += tensor.bytes;
  EXPECT_EQ(bytes, inventory.bytes);
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
