// What holds for checkpoints in the formats of all libraries but bitsandbytes, dequantized from file to file: every bit
// matches plain arithmetic, and no trace of the quantization remains.
#include <fmt/format.h>

#include <algorithm>
#include <qfuse/checkpoint.hpp>

#include "adapters.h"
#include "checkpoint/convert/decode.h"
#include "conversions.h"
#include "gptq.h"
#include "scaled_4bit.h"
#include "support/quick.h"

namespace qfuse::checkpoint {
namespace {

// ---- a weight ----

struct StoredWeight {
  const char* name;
  RawTensors tensors;
  std::string config;
  std::string decoded;  // in BF16
};

// Shapes, then rows and columns of each matrix and of its blocks.
StoredWeight stored_fp8(const char* name, std::vector<std::int64_t> shape, const char* scale_type,
                        std::vector<std::int64_t> scale_shape, std::array<std::size_t, 4> sizes) {
  const RawTensor codes = fp8_codes(std::move(shape));
  const RawTensor scales = fp8_scales(scale_type, std::move(scale_shape));
  return {name,
          {{"w.weight", codes}, {"w.weight_scale", scales}},
          kFp8Config,
          as_bf16(fp8_values(codes, scales, sizes[0], sizes[1], sizes[2], sizes[3]))};
}

StoredWeight stored_gptq(const char* name, const GptqKind& kind, const GptqSize& size, std::size_t group_size,
                         const char* scale_type = "F16", const std::vector<std::int32_t>& g_idx = {}) {
  RawTensors parts = gptq_parts("w", kind, size, scale_type);
  if (!g_idx.empty()) parts["w.g_idx"] = g_idx_of(g_idx);
  return {name, parts, gptq_config(kind, group_size), gptq_decoded(parts, "w", kind, size, group_size).bytes};
}

StoredWeight stored_4bit(const char* name, const Made4bit& made) {
  return {name, made.tensors, k4bitConfig, made.decoded().bytes};
}

const std::vector<std::int32_t> kSorted{2, 0, 1, 1, 0, 2, 2, 1, 0, 0, 0, 1, 2, 2, 1, 0, 0, 1, 2, 0};

class DecodeStored : public testing::TestWithParam<StoredWeight> {};

TEST_P(DecodeStored, reads_may_begin_and_end_anywhere) {
  const std::string& all = GetParam().decoded;
  const TemporaryDirectory directory;
  write_model(directory.path(), GetParam().tensors, GetParam().config);
  const Model model(directory.path());
  const Layout layout = read_layout(model, read_config(model));
  const Source source = decoded(layout.tensors.at(0), Dtype::bfloat16);
  ASSERT_EQ(source.bytes, std::ssize(all));
  for (const qfuse_device_type device : {QFUSE_CPU, QFUSE_REFERENCE}) {
    Pipeline pipeline({.device = {device, 0}});
    for (std::int64_t begin = 0; begin < source.bytes; begin += 2)
      for (std::int64_t end = begin + 2; end <= source.bytes; end += 2) {
        if (tests::kQuick && (begin + end) % 3 != 0) continue;  // each begin and each end, a third of the pairs
        std::string read(static_cast<std::size_t>(end - begin), '\0');
        source.read(begin, std::as_writable_bytes(std::span(read)), pipeline.next());
        ASSERT_TRUE(read == all.substr(static_cast<std::size_t>(begin), read.size())) << begin << " to " << end;
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Fp8, DecodeStored,
                         testing::Values(stored_fp8("blocks", {7, 11}, "F32", {3, 3}, {7, 11, 3, 4}),
                                         stored_fp8("blocks_bf16", {7, 11}, "BF16", {3, 3}, {7, 11, 3, 4}),
                                         stored_fp8("blocks_f16", {7, 11}, "F16", {3, 3}, {7, 11, 3, 4}),
                                         stored_fp8("blocks_e8m0", {7, 11}, "F8_E8M0", {3, 3}, {7, 11, 3, 4}),
                                         stored_fp8("blocks_u8", {7, 11}, "U8", {3, 3}, {7, 11, 3, 4}),
                                         stored_fp8("rows", {5, 7}, "F32", {5, 1}, {5, 7, 1, 7}),
                                         stored_fp8("channels", {3, 2, 2, 3}, "F32", {3, 1, 1, 1}, {3, 12, 1, 12}),
                                         stored_fp8("all", {5, 7}, "BF16", {1}, {5, 7, 5, 7}),
                                         stored_fp8("stack", {3, 5, 6}, "F32", {3, 2, 2}, {5, 6, 3, 4}),
                                         stored_fp8("stack_rows", {2, 3, 5}, "F32", {2, 3, 1}, {3, 5, 1, 5}),
                                         stored_fp8("stack_columns", {2, 3, 5}, "F32", {2, 1, 5}, {3, 5, 3, 1}),
                                         stored_fp8("stack_all", {2, 3, 5}, "F32", {}, {6, 5, 6, 5})),
                         [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Gptq, DecodeStored,
    testing::Values(stored_gptq("gptq", kGptq1, {8, 16, 2}, 8), stored_gptq("bf16", kGptq1, {8, 16, 2}, 8, "BF16"),
                    stored_gptq("f32", kGptq1, {8, 16, 2}, 8, "F32"), stored_gptq("v2", kGptq2, {8, 16, 4}, 4),
                    stored_gptq("whole", kGptq2, {16, 16, 1}, 16), stored_gptq("ragged_rows", kGptq1, {13, 16, 2}, 8),
                    stored_gptq("sorted", kGptq1, {5, 20, 3}, 1, "F16", kSorted),
                    stored_gptq("one_row", kGptq2, {1, 20, 3}, 1, "F16", kSorted),
                    stored_gptq("awq", kAwq, {16, 12, 3}, 4), stored_gptq("awq_odd", kAwq, {8, 15, 5}, 3, "BF16"),
                    stored_gptq("awq_whole", kAwq, {24, 7, 1}, 7)),
    [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(Scaled4bit, DecodeStored,
                         testing::Values(stored_4bit("int4", packed_int4("w", 3, 37, 16)),
                                         stored_4bit("int4_f16", packed_int4("w", 3, 37, 16, "F16")),
                                         stored_4bit("int4_f32", packed_int4("w", 3, 37, 16, "F32")),
                                         stored_4bit("int4_asymmetric", packed_int4("w", 11, 17, 16, "BF16", false)),
                                         stored_4bit("int4_rows", packed_int4("w", 5, 11, 0)),
                                         stored_4bit("int4_rows_asymmetric", packed_int4("w", 9, 11, 0, "F32", false)),
                                         stored_4bit("mxfp4", made_fp4("w", kPackedMxfp4, 2, 70)),
                                         stored_4bit("nvfp4", made_fp4("w", kPackedNvfp4, 3, 42)),
                                         stored_4bit("modelopt", made_fp4("w", kModelopt, 3, 42)),
                                         stored_4bit("deepseek", made_fp4("w", kDeepseek, 2, 70)),
                                         stored_4bit("stack", stacked_mxfp4("w", 2, 2, 64))),
                         [](const auto& info) { return std::string(info.param.name); });

// ---- a model ----

struct StoredModel {
  const char* name;
  const char* format;  // of its weight 'a', as messages call it
  const char* record;  // a file of the packing tool's, which would say that the output is quantized
  RawTensors tensors;
  std::string config;
  RawTensors decoded;
  std::int64_t converted;
  int activation_scales;
  RawTensors adapter;
};

StoredModel fp8_model() {
  const RawTensors in = small_fp8();
  const auto decoded = [&](const std::string& name, std::size_t rows, std::size_t columns) {
    const RawTensor& codes = in.at(name + ".weight");
    return RawTensor{"BF16", codes.shape,
                     as_bf16(fp8_values(codes, in.at(name + ".weight_scale_inv"), rows, columns, 3, 4))};
  };
  return {"fp8",
          "fp8",
          "hf_quant_config.json",
          in,
          kFp8Config,
          {{"a.weight", decoded("a", 7, 11)}, {"b.weight", decoded("b", 5, 6)}, {"norm.weight", in.at("norm.weight")}},
          2,
          2,
          lora("a", 7, 11, 2)};
}

StoredModel gptq_model(const char* name, const GptqKind& kind) {
  return {name,
          kind.is_awq ? "awq" : "gptq",
          "quantize_config.json",
          small_gptq(kind),
          gptq_config(kind),
          small_gptq_decoded(kind),
          2,
          0,
          lora("a", 8, 24, 2)};
}

StoredModel scaled_4bit_model() {
  const Model4bit model = small_4bit();
  RawTensors adapter = lora("a", 5, 37, 2);
  adapter.merge(lora("n", 3, 42, 2));
  adapter.merge(lora("p", 3, 70, 2));
  return {"scaled_4bit", "int4", "hf_quant_config.json", model.tensors, k4bitConfig, model.decoded, 8, 3, adapter};
}

bool any_holds(const Names& notes, const std::string& part) {
  return std::ranges::any_of(notes, [&](const std::string& note) { return note.find(part) != note.npos; });
}

class DequantizeStored : public testing::TestWithParam<StoredModel> {
 protected:
  DequantizeStored() {
    write_model(directory / "in", it.tensors, it.config);
    write_file(directory / "in" / it.record, R"({"bits": 4, "quant_method": "other"})");
    write_file(directory / "in/tokenizer.json", "{}");
  }
  void expect_plain(const fs::path& out) const {
    EXPECT_EQ(nlohmann::json::parse(read_file(out / "config.json")), nlohmann::json({{"torch_dtype", "bfloat16"}}));
    EXPECT_FALSE(fs::exists(out / it.record));
  }
  const StoredModel& it = GetParam();
  const TemporaryDirectory directory;
};

TEST_P(DequantizeStored, nothing_of_it_is_left) {
  const ConversionReport report = dequantize(directory / "in", directory / "out");
  EXPECT_TRUE(load(directory / "out") == it.decoded);
  expect_plain(directory / "out");
  EXPECT_EQ(names_in(directory / "out"), (Names{"config.json", "model.safetensors", "tokenizer.json"}));
  EXPECT_EQ(report.tensors, std::ssize(it.decoded));
  EXPECT_EQ(report.converted, it.converted);
  EXPECT_TRUE(any_holds(report.notes, it.record + std::string(" is left out: it says that the model is quantized")));
  const std::string left_out = "scales of activations, which only a model that quantizes them has, are left out: ";
  EXPECT_EQ(any_holds(report.notes, left_out + std::to_string(it.activation_scales)), it.activation_scales > 0);
  EXPECT_TRUE(compare(directory / "in", directory / "out").equal);
  EXPECT_TRUE(compare(directory / "in", directory / "in").equal);
}

TEST_P(DequantizeStored, in_every_dtype_on_every_device_in_shards) {
  expect_every_dtype_alike(directory, 100, "b.weight");
}

TEST_P(DequantizeStored, one_wrong_bit_is_seen_by_compare) {
  RawTensors out = it.decoded;
  out["b.weight"].bytes[2 * 29] ^= 1;
  write_model(directory / "out", out);
  const CompareReport report = compare(directory / "in", directory / "out");
  EXPECT_EQ(report.different, 1);
  const auto found = std::ranges::find(report.tensors, "b.weight", &TensorComparison::name);
  ASSERT_NE(found, report.tensors.end());
  EXPECT_EQ(found->differing, 1);
  EXPECT_EQ(found->first_differing, 29);
}

TEST_P(DequantizeStored, a_merge_is_that_onto_the_decoded_model) {
  dequantize(directory / "in", directory / "plain");
  write_adapter(directory / "adapter", it.adapter, {{"r", 2}});
  const std::vector<AdapterInput> adapters{{directory / "adapter"}};
  const MergeReport report = merge(directory / "in", adapters, directory / "merged");
  merge(directory / "plain", adapters, directory / "expected");
  EXPECT_TRUE(load(directory / "merged") == load(directory / "expected"));
  EXPECT_FALSE(load(directory / "merged") == load(directory / "plain"));
  expect_plain(directory / "merged");
  EXPECT_EQ(any_holds(report.notes, "scales of activations"), it.activation_scales > 0);
  CompareOptions compared;
  compared.adapters = adapters;
  EXPECT_TRUE(compare(directory / "in", directory / "merged", compared).equal);
  MergeOptions options;
  options.to_4bit = QuantType::nf4;
  EXPECT_REFUSED(Status::invalid_argument,
                 fmt::format("is {}, and cannot become nf4: dequantize the base first", it.format),
                 merge(directory / "in", adapters, directory / "nf4", options));
}

TEST_P(DequantizeStored, quantize_takes_none) {
  EXPECT_REFUSED(Status::invalid_data, "is quantized already: dequantize the checkpoint first",
                 quantize(directory / "in", directory / "out"));
}

TEST_P(DequantizeStored, inspect_counts_every_byte) {
  const Inventory inventory = inspect(directory / "in");
  EXPECT_EQ(inventory.notes, Names());
  std::int64_t bytes = 0;
  for (const TensorInfo& tensor : inventory.tensors) bytes += tensor.bytes;
  EXPECT_EQ(bytes, inventory.bytes);
}

INSTANTIATE_TEST_SUITE_P(All, DequantizeStored,
                         testing::Values(fp8_model(), gptq_model("gptq", kGptq1), gptq_model("gptq_v2", kGptq2),
                                         gptq_model("awq", kAwq), scaled_4bit_model()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace qfuse::checkpoint
