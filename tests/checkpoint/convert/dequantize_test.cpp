// End to end: the output equals what bitsandbytes decodes, byte for byte.
#include <qfuse/checkpoint.hpp>

#include "support.h"

namespace qfuse::checkpoint {
namespace {

const char* torch_name(const std::string& type) {
  return type == "F32" ? "float32" : type == "F16" ? "float16" : "bfloat16";
}

// Whether a and b have equal bytes, except that any NaN equals any NaN.
bool same_values(const RawTensor& a, const RawTensor& b) {
  if (a.type != b.type || a.shape != b.shape || a.bytes.size() != b.bytes.size()) return false;
  const std::size_t size = a.type == "F32" ? 4 : 2;
  const std::uint32_t infinity = a.type == "F32" ? 0x7F800000U : a.type == "F16" ? 0x7C00U : 0x7F80U;
  const std::uint32_t magnitude = a.type == "F32" ? 0x7FFFFFFFU : 0x7FFFU;
  for (std::size_t i = 0; i < a.bytes.size(); i += size) {
    std::uint32_t x = 0;
    std::uint32_t y = 0;
    std::memcpy(&x, &a.bytes[i], size);
    std::memcpy(&y, &b.bytes[i], size);
    const bool both_nan = (x & magnitude) > infinity && (y & magnitude) > infinity;
    if (x != y && !both_nan) return false;
  }
  return true;
}

TEST(DequantizeTest, comparing_values_knows_nan_and_the_sign_of_zero) {
  const auto tensor = [](std::uint16_t bits) { return RawTensor{"BF16", {1}, bytes_of<std::uint16_t>({bits})}; };
  EXPECT_TRUE(same_values(tensor(0x7FC0), tensor(0xFFC1)));
  EXPECT_FALSE(same_values(tensor(0x7FC0), tensor(0x7F80)));
  EXPECT_FALSE(same_values(tensor(0x0000), tensor(0x8000)));
}

class TinyLlama : public testing::TestWithParam<const char*> {};

TEST_P(TinyLlama, equals_bitsandbytes_and_keeps_the_rest) {
  const TemporaryDirectory directory;
  const fs::path in = golden("tiny_llama") / GetParam();
  const ConversionReport report = dequantize(in, directory / "out");
  const RawTensors out = load(directory / "out");
  const RawTensors expected = load(golden("tiny_llama/dequant_expected.safetensors"));
  RawTensors full =
      load(golden("tiny_llama/full"));  // has every tensor of the model; the unquantized ones are unchanged
  ASSERT_EQ(out.size(), full.size());
  std::int64_t bytes = 0;
  for (const auto& [name, tensor] : out) {
    EXPECT_TRUE(tensor == (expected.contains(name) ? expected.at(name) : full.at(name))) << name;
    bytes += static_cast<std::int64_t>(tensor.bytes.size());
  }
  EXPECT_EQ(report.tensors, 21);
  EXPECT_EQ(report.converted, 14);
  EXPECT_EQ(report.files, 1);
  EXPECT_EQ(report.bytes_read, 471219);
  EXPECT_EQ(report.bytes_written, bytes);
  EXPECT_EQ(names_in(directory / "out"), (Names{"config.json", "generation_config.json", "model.safetensors"}));
  EXPECT_EQ(read_file(directory / "out/generation_config.json"), read_file(in / "generation_config.json"));
  EXPECT_EQ(read_file(directory / "out/config.json"), read_file(golden("tiny_llama/full/config.json")))
      << "the config that the model had before it was quantized";
}

INSTANTIATE_TEST_SUITE_P(Golden, TinyLlama, testing::Values("bnb4", "bnb4_scattered"));

class Cases : public testing::TestWithParam<const char*> {};

TEST_P(Cases, decode_to_the_bytes_of_bitsandbytes_in_every_dtype) {
  const TemporaryDirectory directory;
  const fs::path in = golden(std::string(GetParam()) + ".safetensors");
  const RawTensors golden_tensors = load(in);
  const std::vector<std::optional<Dtype>> dtypes{std::nullopt, Dtype::bfloat16, Dtype::float16, Dtype::float32};
  for (const std::optional<Dtype> dtype : dtypes) {
    DequantizeOptions options;
    options.dtype = dtype;
    options.force = true;
    dequantize(in, directory / "out.safetensors", options);
    std::int64_t weights = 0;
    for (const auto& [name, tensor] : load(directory / "out.safetensors")) {
      if (!name.ends_with(".weight")) {
        EXPECT_TRUE(tensor == golden_tensors.at(name)) << name;
        continue;
      }
      ++weights;
      EXPECT_TRUE(!dtype || tensor.type == type_of_name(*dtype)) << name;
      const std::string stem = name.substr(0, name.rfind('.'));
      EXPECT_TRUE(same_values(tensor, golden_tensors.at(stem + ".dequant." + torch_name(tensor.type)))) << name;
    }
    EXPECT_EQ(weights, std::string(GetParam()) == "bnb_cases" ? 22 : 6);
  }
}

INSTANTIATE_TEST_SUITE_P(Golden, Cases, testing::Values("bnb_cases", "bnb_extra"));

TEST(Dequantize, the_reference_device_gives_the_same_file) {
  const TemporaryDirectory directory;
  DequantizeOptions options;
  dequantize(golden("bnb_cases.safetensors"), directory / "cpu", options);
  options.exec.device = {QFUSE_REFERENCE, 0};
  dequantize(golden("bnb_cases.safetensors"), directory / "reference", options);
  EXPECT_TRUE(read_file(directory / "cpu") == read_file(directory / "reference"));
}

TEST(Dequantize, int8_equals_bitsandbytes) {
  const TemporaryDirectory directory;
  DequantizeOptions options;
  options.dtype = Dtype::float32;
  dequantize(golden("bnb_int8.safetensors"), directory / "out", options);
  const RawTensors expected = load(golden("bnb_int8.safetensors"));
  const RawTensors out = load(directory / "out");
  ASSERT_EQ(out.size(), 6U);
  for (const char* name : {"int8_0", "int8_1"})
    EXPECT_TRUE(out.at(name + std::string(".weight")) == expected.at(name + std::string(".dequant.float32"))) << name;
}

TEST(Dequantize, int8_takes_the_dtype_of_the_config_or_bfloat16) {
  const TemporaryDirectory directory;
  fs::create_directory(directory / "in");
  fs::copy_file(golden("bnb_int8.safetensors"), directory / "in/model.safetensors");
  dequantize(directory / "in", directory / "without");
  EXPECT_EQ(load(directory / "without").at("int8_0.weight").type, "BF16");
  EXPECT_EQ(names_in(directory / "without"), (Names{"model.safetensors"}));
  write_file(directory / "in/config.json", R"({"torch_dtype": "float16", "quantization_config": {}})");
  dequantize(directory / "in", directory / "with");
  EXPECT_EQ(load(directory / "with").at("int8_0.weight").type, "F16");
  EXPECT_EQ(read_file(directory / "with/config.json"), "{\n  \"torch_dtype\": \"float16\"\n}\n");
}

TEST(Dequantize, the_dtype_of_most_decoded_elements_is_the_config_s) {
  const TemporaryDirectory directory;
  RawTensors tensors = small_nf4("a.weight");  // 192 elements of bfloat16
  RawTensors others = small_nf4("b.weight");
  others["b.weight"] = {"U8", {100, 1}, std::string(100, 'x')};
  others["b.weight.absmax"] = f32({1, 2, 3, 4});
  others["b.weight.quant_state.bitsandbytes__nf4"] =
      text(R"({"quant_type": "nf4", "blocksize": 64, "dtype": "float16", "shape": [200]})");
  tensors.merge(others);
  tensors["embedding"] = {"F32", {10'000}, std::string(40'000, '\0')};  // not decoded, so not counted
  write_model(directory / "in", tensors, R"({"dtype": "float32"})");
  dequantize(directory / "in", directory / "out");
  EXPECT_EQ(read_file(directory / "out/config.json"), "{\n  \"dtype\": \"float16\"\n}\n");
}

// bitsandbytes' quant_storage: the same bytes stored under another dtype. Also a quant_state of a 3D shape.
TEST(Dequantize, codes_are_bits_whatever_type_they_are_stored_as) {
  RawTensors tensors = small_nested_nf4("w");
  const TemporaryDirectory directory;
  const auto decode = [&] {
    write_file(directory / "in.safetensors", safetensors(tensors));
    DequantizeOptions options;
    options.force = true;
    dequantize(directory / "in.safetensors", directory / "out", options);
    return load(directory / "out").at("w");
  };
  const RawTensor expected = decode();
  EXPECT_EQ(expected.shape, (std::vector<std::int64_t>{6, 32}));
  for (const auto& [type, size] : std::map<std::string, std::int64_t>{{"BF16", 2}, {"F16", 2}, {"F32", 4}}) {
    tensors["w"].type = type;
    tensors["w"].shape = {96 / size, 1};
    EXPECT_TRUE(decode() == expected) << type;
  }
  std::string state = kNestedState;
  tensors["w.quant_state.bitsandbytes__nf4"] = text(state.replace(state.find("[6, 32]"), 7, "[2, 3, 32]"));
  EXPECT_EQ(decode().shape, (std::vector<std::int64_t>{2, 3, 32}));
  EXPECT_EQ(decode().bytes, expected.bytes);
}

TEST(Dequantize, a_weight_without_elements_has_no_bytes) {
  const TemporaryDirectory directory;
  RawTensors tensors = small_nf4("w");
  tensors["w"] = {"U8", {0, 1}, ""};
  tensors["w.absmax"] = f32({});
  tensors["w.quant_state.bitsandbytes__nf4"] =
      text(R"({"quant_type": "nf4", "blocksize": 64, "dtype": "float16", "shape": [0, 32]})");
  write_file(directory / "in", safetensors(tensors));
  dequantize(directory / "in", directory / "out");
  EXPECT_TRUE(load(directory / "out").at("w") == (RawTensor{"F16", {0, 32}, ""}));
}

TEST(Dequantize, a_tensor_larger_than_a_shard_gets_its_own) {
  const TemporaryDirectory directory;
  DequantizeOptions options;
  options.max_shard_size = 1;
  EXPECT_EQ(dequantize(golden("tiny_llama/bnb4"), directory / "out", options).files, 21);
  EXPECT_EQ(dequantize(golden("bnb_int8.safetensors"), directory / "file", options).files, 1)
      << "a file gives a file, whatever its size";
}

TEST(Dequantize, refuses_what_is_not_quantized) {
  const TemporaryDirectory directory;
  EXPECT_REFUSED(Status::invalid_data, "nothing to dequantize",
                 dequantize(golden("tiny_llama/full"), directory / "out"));
  EXPECT_EQ(names_in(directory.path()), Names{});
}

TEST(Dequantize, the_input_does_not_go_with_what_a_run_removes) {
  const TemporaryDirectory directory;
  const auto refused = [&](const fs::path& in, std::optional<Shard> shard) {
    DequantizeOptions options;
    options.shard = shard;
    const std::string error =
        error_of(Status::invalid_argument, [&] { dequantize(in, (directory / "m").native() + "/", options); });
    EXPECT_TRUE(holds(error, "rename one of them"));
    EXPECT_TRUE(fs::exists(in)) << in;
  };
  for (const std::string ending : {".qfuse-partial", ".qfuse-old", ".qfuse-shards"}) {
    const fs::path in = directory / ("m" + ending);
    fs::copy(golden("tiny_llama/bnb4"), in);
    fs::copy(golden("tiny_llama/bnb4"), in / "model");
    for (const std::optional<Shard> shard : {std::optional<Shard>(), std::optional<Shard>(Shard{0, 2})}) {
      refused(in, shard);
      refused(in / "model", shard);
    }
    fs::create_directory_symlink(in, directory / "link");
    refused(directory / "link", std::nullopt);
    fs::remove(directory / "link");
    fs::remove_all(in);
  }
  fs::copy(golden("bnb_cases.safetensors"), directory / "m.qfuse-partial.lock");
  refused(directory / "m.qfuse-partial.lock", std::nullopt);
  EXPECT_EQ(names_in(directory.path()), Names{"m.qfuse-partial.lock"});
}

TEST(Dequantize, the_input_is_not_written_to) {
  const TemporaryDirectory directory;
  fs::copy(golden("tiny_llama/bnb4"), directory / "in");
  const RawTensors before = load(directory / "in");
  DequantizeOptions options;
  options.force = true;
  EXPECT_REFUSED(Status::invalid_argument, "is the input itself",
                 dequantize(directory / "in", directory / "in", options));
  dequantize(directory / "in", directory / "out", options);
  EXPECT_TRUE(load(directory / "in") == before);
}

// Writes a folder of a diffusers pipeline, whose files have their own names.
void write_diffusers(const fs::path& path) {
  const std::string stem = "diffusion_pytorch_model";
  fs::create_directory(path);
  write_file(path / (stem + "-00001-of-00002.safetensors"), safetensors(small_nf4("a.weight")));
  write_file(path / (stem + "-00002-of-00002.safetensors"), safetensors(small_nested_nf4("b.weight")));
  nlohmann::json index;
  for (const auto& [name, tensor] : small_nf4("a.weight"))
    index["weight_map"][name] = stem + "-00001-of-00002.safetensors";
  for (const auto& [name, tensor] : small_nested_nf4("b.weight"))
    index["weight_map"][name] = stem + "-00002-of-00002.safetensors";
  write_file(path / (stem + ".safetensors.index.json"), index.dump());
  write_file(path / "config.json", R"({"_class_name": "Flux4000"})");
}

TEST(DequantizeTest, a_diffusers_folder_keeps_its_names) {
  const TemporaryDirectory directory;
  write_diffusers(directory / "in");
  DequantizeOptions options;
  const ConversionReport report = dequantize(directory / "in", directory / "whole", options);
  EXPECT_EQ(names_in(directory / "whole"), (Names{"config.json", "diffusion_pytorch_model.safetensors"}));
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_TRUE(holds(report.notes[0], "no model of type 'Flux4000' was checked"));
  options.max_shard_size = 400;
  dequantize(directory / "in", directory / "out", options);
  const Names names{"config.json", "diffusion_pytorch_model-00001-of-00002.safetensors",
                    "diffusion_pytorch_model-00002-of-00002.safetensors",
                    "diffusion_pytorch_model.safetensors.index.json"};
  EXPECT_EQ(names_in(directory / "out"), names);
  EXPECT_TRUE(compare(directory / "out", directory / "whole").equal);
  for (std::int64_t i = 0; i < 2; ++i) {
    options.shard = Shard{i, 2};
    dequantize(directory / "in", directory / "shared", options);
  }
  finish(directory / "shared");
  EXPECT_EQ(names_in(directory / "shared"), names);
  for (const std::string& name : names)
    EXPECT_TRUE(read_file(directory / "shared" / name) == read_file(directory / "out" / name)) << name;
}

TEST(DequantizeTest, says_that_a_dtype_is_not_for_what_was_never_quantized) {
  const TemporaryDirectory directory;
  RawTensors tensors = small_nf4("a.weight");
  tensors["norm.weight"] = f32({1.0F, 2.0F});
  write_file(directory / "in.safetensors", safetensors(tensors));
  DequantizeOptions options;
  options.dtype = Dtype::float16;
  const ConversionReport report = dequantize(directory / "in.safetensors", directory / "out.safetensors", options);
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_TRUE(holds(report.notes[0], "tensors that were not quantized keep their own dtype: 1"));
  EXPECT_EQ(load(directory / "out.safetensors").at("norm.weight").type, "F32");
  options.dtype = Dtype::float32;
  EXPECT_TRUE(dequantize(directory / "in.safetensors", directory / "out32.safetensors", options).notes.empty());
}

TEST(DequantizeTest, a_variant_of_diffusers_gets_the_plain_name) {
  const TemporaryDirectory directory;
  fs::create_directory(directory / "in");
  write_file(directory / "in/diffusion_pytorch_model.fp16.safetensors", safetensors(small_nf4("a.weight")));
  dequantize(directory / "in", directory / "out");
  EXPECT_EQ(names_in(directory / "out"), Names{"diffusion_pytorch_model.safetensors"});
}

}  // namespace
}  // namespace qfuse::checkpoint
