// Dequantizes GPTQ and AWQ checkpoints from file to file: every bit matches plain arithmetic and the libraries that
// packed them, and no trace of the packing remains.
#include <fmt/format.h>

#include <algorithm>
#include <qfuse/checkpoint.hpp>

#include "adapters.h"
#include "checkpoint/convert/decode.h"
#include "conversions.h"
#include "gptq.h"

namespace qfuse::checkpoint {
namespace {

struct StoredGptq {
  const char* name;
  const GptqKind* kind;
  GptqSize size;
  std::size_t group_size;
  const char* scale_type = "F16";
  std::vector<std::int32_t> g_idx = {};
};

const std::vector<std::int32_t> kSorted{2, 0, 1, 1, 0, 2, 2, 1, 0, 0, 0, 1, 2, 2, 1, 0, 0, 1, 2, 0};

class DecodeGptq : public testing::TestWithParam<StoredGptq> {};

TEST_P(DecodeGptq, reads_may_begin_and_end_anywhere) {
  const StoredGptq& it = GetParam();
  RawTensors parts = gptq_parts("w", *it.kind, it.size, it.scale_type);
  if (!it.g_idx.empty()) parts["w.g_idx"] = g_idx_of(it.g_idx);
  const std::string all = gptq_decoded(parts, "w", *it.kind, it.size, it.group_size).bytes;
  const TemporaryDirectory directory;
  write_model(directory.path(), parts, gptq_config(*it.kind, it.group_size));
  const Model model(directory.path());
  const Layout layout = read_layout(model, read_config(model));
  Pipeline pipeline({});
  const Source source = decoded(layout.tensors.at(0), Dtype::bfloat16);
  ASSERT_EQ(source.bytes, std::ssize(all));
  for (std::int64_t begin = 0; begin < source.bytes; begin += 2)
    for (std::int64_t end = begin + 2; end <= source.bytes; end += 2) {
      std::string read(static_cast<std::size_t>(end - begin), '\0');
      source.read(begin, std::as_writable_bytes(std::span(read)), pipeline.next());
      ASSERT_TRUE(read == all.substr(static_cast<std::size_t>(begin), read.size())) << begin << " to " << end;
    }
}

INSTANTIATE_TEST_SUITE_P(
    All, DecodeGptq,
    testing::Values(StoredGptq{"gptq", &kGptq1, {8, 16, 2}, 8}, StoredGptq{"gptq_bf16", &kGptq1, {8, 16, 2}, 8, "BF16"},
                    StoredGptq{"gptq_f32", &kGptq1, {8, 16, 2}, 8, "F32"},
                    StoredGptq{"gptq_v2", &kGptq2, {8, 16, 4}, 4}, StoredGptq{"whole", &kGptq2, {16, 16, 1}, 16},
                    StoredGptq{"ragged_rows", &kGptq1, {13, 16, 2}, 8},
                    StoredGptq{"sorted", &kGptq1, {5, 20, 3}, 1, "F16", kSorted},
                    StoredGptq{"one_row", &kGptq2, {1, 20, 3}, 1, "F16", kSorted},
                    StoredGptq{"awq", &kAwq, {16, 12, 3}, 4}, StoredGptq{"awq_odd", &kAwq, {8, 15, 5}, 3, "BF16"},
                    StoredGptq{"awq_whole", &kAwq, {24, 7, 1}, 7}),
    [](const auto& info) { return std::string(info.param.name); });

// Decoding holds one strip of columns at a time. It reads whole rows of the file for a strip, or parts of long rows.
TEST(DequantizeGptq, weights_that_are_larger_than_memory_is_for_them) {
  struct Large {
    const GptqKind* kind;
    GptqSize size;
  };
  for (const Large& it : {Large{&kGptq1, {33'000, 2304, 2}}, Large{&kGptq2, {270'000, 264, 1}},
                          Large{&kAwq, {33'000, 2304, 2}}, Large{&kAwq, {2'200'000, 32, 1}}}) {
    SCOPED_TRACE(it.size.rows);
    const auto [rows, columns, groups] = it.size;
    RawTensors parts = gptq_parts("w", *it.kind, {8, 8, groups}, "F32");
    const std::string noise = random_words({kNoise}, 3).bytes;
    for (auto& [name, tensor] : parts) {
      const auto fitting = [&](std::int64_t size, std::size_t whole) {
        return static_cast<std::int64_t>(size == 1 && tensor.type == "I32" ? ceil_of_8(whole) : whole);
      };
      const bool is_codes = name == "w.qweight";
      tensor.shape = is_codes && it.kind->is_awq ? std::vector<std::int64_t>{fitting(8, columns), fitting(1, rows)}
                     : is_codes                  ? std::vector<std::int64_t>{fitting(1, columns), fitting(8, rows)}
                                : std::vector<std::int64_t>{tensor.shape[0], fitting(tensor.shape[1], rows)};
      tensor.bytes =
          name == "w.scales" ? fp8_scales("F32", tensor.shape).bytes : repeated(noise, 4 * elements_of(tensor.shape));
    }
    const TemporaryDirectory directory;
    write_model(directory / "in", parts, gptq_config(*it.kind, columns / groups));
    dequantize(directory / "in", directory / "out");
    const RawTensor out = load(directory / "out").at("w.weight");
    ASSERT_EQ(out.shape,
              (std::vector<std::int64_t>{static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)}));
    std::vector<float> expected;
    std::string found;
    for (std::size_t row = 0; row < rows; row += row % 1000 < 10 || row > rows - 20 ? 1 : 337)
      for (std::size_t column = row % 5; column < columns; column += 23) {
        expected.push_back(gptq_value(parts, "w", *it.kind, it.size, row, column, columns / groups));
        found += out.bytes.substr(2 * (row * columns + column), 2);
      }
    EXPECT_TRUE(found == as_bf16(expected));
    const Model model(directory / "in");
    const Source source = decoded(read_layout(model, read_config(model)).tensors.at(0), Dtype::bfloat16);
    Pipeline pipeline({});
    for (const std::size_t row : {rows - 8, std::size_t{0}, rows - 8, std::size_t{16}}) {
      std::string read(2 * columns, '\0');
      source.read(static_cast<std::int64_t>(2 * row * columns), std::as_writable_bytes(std::span(read)),
                  pipeline.next());
      EXPECT_TRUE(read == out.bytes.substr(2 * row * columns, 2 * columns)) << row;
    }
  }
}

class DequantizeKinds : public testing::TestWithParam<const GptqKind*> {};

TEST_P(DequantizeKinds, nothing_of_it_is_left) {
  const TemporaryDirectory directory;
  write_model(directory / "in", small_gptq(*GetParam()), gptq_config(*GetParam()));
  write_file(directory / "in/tokenizer.json", "{}");
  const ConversionReport report = dequantize(directory / "in", directory / "out");
  EXPECT_TRUE(load(directory / "out") == small_gptq_decoded(*GetParam()));
  EXPECT_EQ(nlohmann::json::parse(read_file(directory / "out/config.json")),
            nlohmann::json({{"torch_dtype", "bfloat16"}}));
  EXPECT_EQ(names_in(directory / "out"), (Names{"config.json", "model.safetensors", "tokenizer.json"}));
  EXPECT_EQ(report.tensors, 4);
  EXPECT_EQ(report.converted, 2);
  EXPECT_TRUE(compare(directory / "in", directory / "out").equal);
  EXPECT_TRUE(compare(directory / "in", directory / "in").equal);
}

TEST_P(DequantizeKinds, in_every_dtype_on_every_device_in_shards) {
  const TemporaryDirectory directory;
  write_model(directory / "in", small_gptq(*GetParam()), gptq_config(*GetParam()));
  expect_every_dtype_alike(directory, 100, "b.weight");
}

TEST_P(DequantizeKinds, one_wrong_bit_is_seen_by_compare) {
  const TemporaryDirectory directory;
  write_model(directory / "in", small_gptq(*GetParam()), gptq_config(*GetParam()));
  RawTensors out = small_gptq_decoded(*GetParam());
  out["b.weight"].bytes[2 * 29] ^= 1;
  write_model(directory / "out", out);
  const CompareReport report = compare(directory / "in", directory / "out");
  EXPECT_EQ(report.different, 1);
  EXPECT_EQ(report.tensors.at(2).differing, 1);
  EXPECT_EQ(report.tensors.at(2).first_differing, 29);
}

TEST_P(DequantizeKinds, a_merge_is_that_onto_the_decoded_model) {
  const TemporaryDirectory directory;
  write_model(directory / "in", small_gptq(*GetParam()), gptq_config(*GetParam()));
  write_file(directory / "in/quantize_config.json", R"({"bits": 4, "quant_method": "other"})");
  dequantize(directory / "in", directory / "plain");
  write_adapter(directory / "adapter", lora("a", 8, 24, 2), {{"r", 2}});
  const std::vector<AdapterInput> adapters{{directory / "adapter"}};
  merge(directory / "in", adapters, directory / "merged");
  merge(directory / "plain", adapters, directory / "expected");
  EXPECT_TRUE(load(directory / "merged") == load(directory / "expected"));
  EXPECT_FALSE(load(directory / "merged") == load(directory / "plain"));
  EXPECT_FALSE(fs::exists(directory / "merged/quantize_config.json"));
  CompareOptions compared;
  compared.adapters = adapters;
  EXPECT_TRUE(compare(directory / "in", directory / "merged", compared).equal);
  MergeOptions options;
  options.to_4bit = QuantType::nf4;
  EXPECT_REFUSED(
      Status::invalid_argument,
      fmt::format("is {}, and cannot become nf4: dequantize the base first", GetParam()->is_awq ? "awq" : "gptq"),
      merge(directory / "in", adapters, directory / "nf4", options));
  EXPECT_REFUSED(Status::invalid_data, "is quantized already: dequantize the checkpoint first",
                 quantize(directory / "in", directory / "nf4"));
}

INSTANTIATE_TEST_SUITE_P(All, DequantizeKinds, testing::Values(&kGptq1, &kGptq2, &kAwq), [](const auto& info) {
  return std::string(info.param->is_awq ? "awq" : info.param->stores_one_less ? "gptq" : "gptq_v2");
});

// gptqmodel 7.7.0, AutoGPTQ 0.7.1 and AutoAWQ 0.2.9 packed these models and decoded them to fp16.
TEST(DequantizeGptq, the_libraries_decode_the_same) {
  for (const std::string name : {"gptq", "gptq_v2", "auto_gptq", "awq"}) {
    SCOPED_TRACE(name);
    const TemporaryDirectory directory;
    dequantize(golden("gptq/" + name), directory / "out");
    const RawTensors out = load(directory / "out");
    const RawTensors expected = load(golden("gptq/" + name + "_expected.safetensors"));
    EXPECT_FALSE(expected.empty());
    for (const auto& [key, tensor] : expected) EXPECT_TRUE(out.at(key) == tensor) << key;
    EXPECT_EQ(out.at("norm.weight").shape, (std::vector<std::int64_t>{4}));
    for (const auto& [key, tensor] : out) EXPECT_NE(tensor.type, "I32") << key;
  }
}

// gptqmodel and vLLM would read quantize_config.json as the quantization config of the output.
TEST(DequantizeGptq, files_that_say_how_it_is_packed_go_too) {
  const TemporaryDirectory directory;
  write_model(directory / "in", small_gptq(kGptq2), R"({"torch_dtype": "bfloat16"})");
  write_file(directory / "in/quantize_config.json", R"({"bits": 4, "group_size": 8, "checkpoint_format": "gptq_v2"})");
  const ConversionReport report = dequantize(directory / "in", directory / "out");
  EXPECT_TRUE(load(directory / "out") == small_gptq_decoded(kGptq2));
  EXPECT_EQ(names_in(directory / "out"), (Names{"config.json", "model.safetensors"}));
  EXPECT_TRUE(std::ranges::any_of(report.notes, [](const std::string& note) {
    return note.ends_with("quantize_config.json is left out: it says that the model is quantized");
  }));
}

// GPT-2's Conv1D is [in, out], but is packed like a linear layer.
TEST(DequantizeGptq, what_the_model_keeps_transposed_is_transposed_back) {
  const TemporaryDirectory directory;
  const GptqSize size{16, 24, 3};
  const std::string module = "h.0.attn.c_attn";
  const RawTensors parts = gptq_parts(module, kGptq1, size);
  write_model(directory / "in", parts,
              R"({"model_type": "gpt2", "torch_dtype": "bfloat16", "quantization_config": {"quant_method": "gptq", )"
              R"("group_size": 8}})");
  dequantize(directory / "in", directory / "out");
  const RawTensor out = load(directory / "out").at(module + ".weight");
  const RawTensor expected = gptq_decoded(parts, module, kGptq1, size, 8);
  EXPECT_EQ(out.shape, (std::vector<std::int64_t>{24, 16}));
  for (std::size_t row = 0; row < 16; ++row)
    for (std::size_t column = 0; column < 24; ++column)
      ASSERT_EQ(out.bytes.substr(2 * (column * 16 + row), 2), expected.bytes.substr(2 * (row * 24 + column), 2));
  EXPECT_TRUE(compare(directory / "in", directory / "out").equal);
}

TEST(DequantizeGptq, a_group_that_is_none_is_refused) {
  for (const std::int32_t group : {-1, 3, 0x7FFFFFFF}) {
    const TemporaryDirectory directory;
    RawTensors tensors = small_gptq(kGptq1);
    std::memcpy(&tensors["a.g_idx"].bytes[4 * 5], &group, sizeof group);
    write_model(directory / "in", tensors, gptq_config(kGptq1));
    EXPECT_REFUSED(Status::invalid_data, fmt::format("'a.g_idx': has group {}, and 'a.scales' has 3", group),
                   dequantize(directory / "in", directory / "out"));
    EXPECT_EQ(names_in(directory.path()), Names{"in"});
  }
}

TEST(DequantizeGptq, inspect_says_how_it_is_stored) {
  const TemporaryDirectory directory;
  write_model(directory / "in", small_gptq(kAwq), gptq_config(kAwq));
  const Inventory inventory = inspect(directory / "in");
  EXPECT_EQ(inventory.notes, Names());
  ASSERT_EQ(inventory.tensors.size(), 4U);
  const TensorInfo& a = inventory.tensors[1];
  EXPECT_EQ(a.name, "a.weight");
  EXPECT_EQ(a.format, "awq");
  EXPECT_EQ(a.dtype, "BF16");
  EXPECT_EQ(a.block, (std::vector<std::int64_t>{1, 8}));
  EXPECT_EQ(a.scale_dtype, "F16");
  EXPECT_EQ(a.bytes, 96 + 12 + 48);
  EXPECT_EQ(a.decoded_bytes, 8 * 24 * 2);
  std::int64_t bytes = 0;
  for (const TensorInfo& tensor : inventory.tensors) bytes += tensor.bytes;
  EXPECT_EQ(bytes, inventory.bytes);
  write_model(directory / "gptq", small_gptq(kGptq1), gptq_config(kGptq1));
  EXPECT_EQ(inspect(directory / "gptq").tensors[1].format, "gptq");
}

}  // namespace
}  // namespace qfuse::checkpoint
