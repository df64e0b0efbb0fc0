// Dequantizes GPTQ and AWQ checkpoints from file to file. dequantize_formats_test.cpp has what all formats share.
#include <fmt/format.h>

#include <algorithm>
#include <qfuse/checkpoint.hpp>

#include "checkpoint/convert/decode.h"
#include "gptq.h"
#include "support/quick.h"

namespace qfuse::checkpoint {
namespace {

// Decoding holds one strip of columns at a time. It reads whole rows of the file for a strip, or parts of long rows.
TEST(DequantizeGptq, weights_that_are_larger_than_memory_is_for_them) {
  struct Large {
    const GptqKind* kind;
    GptqSize size;
  };
  constexpr auto kWhole = [](std::int64_t rows) { return static_cast<std::size_t>(count_of_pieces(rows)) / 8 * 8; };
  for (const Large& it : {Large{&kGptq1, {kWhole(33'000), 2304, 2}}, Large{&kGptq2, {kWhole(270'000), 264, 1}},
                          Large{&kAwq, {kWhole(33'000), 2304, 2}}, Large{&kAwq, {kWhole(2'200'000), 32, 1}}}) {
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
  ASSERT_EQ(inventory.tensors.size(), 4U);
  const TensorInfo& a = inventory.tensors[1];
  EXPECT_EQ(a.name, "a.weight");
  EXPECT_EQ(a.format, "awq");
  EXPECT_EQ(a.dtype, "BF16");
  EXPECT_EQ(a.block, (std::vector<std::int64_t>{1, 8}));
  EXPECT_EQ(a.scale_dtype, "F16");
  EXPECT_EQ(a.bytes, 96 + 12 + 48);
  EXPECT_EQ(a.decoded_bytes, 8 * 24 * 2);
  write_model(directory / "gptq", small_gptq(kGptq1), gptq_config(kGptq1));
  EXPECT_EQ(inspect(directory / "gptq").tensors[1].format, "gptq");
}

}  // namespace
}  // namespace qfuse::checkpoint
