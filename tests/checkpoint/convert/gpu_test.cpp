// A GPU writes the same files as the CPU, byte for byte. These tests are part of test_checkpoint if there is a GPU, and
// always part of test_gpu_double, which simulates one.
#include <algorithm>
#include <functional>
#include <optional>
#include <qfuse/checkpoint.hpp>
#include <random>

#include "adapters.h"
#include "conversions.h"
#include "fp8.h"
#include "scaled_4bit.h"
#include "support.h"
#include "support/quick.h"

namespace qfuse::checkpoint {
namespace {

constexpr qfuse_device kGpu{QFUSE_CUDA, 0};

Files files_of(const fs::path& output) {
  return fs::is_directory(output) ? files_in(output) : Files{{"", read_file(output)}};
}

// Returns the names of the files that differ, because their bytes are too many to print.
Names differing(const Files& a, const Files& b) {
  Names names;
  for (const auto& [name, bytes] : a)
    if (!b.contains(name) || b.at(name) != bytes) names.push_back("'" + name + "'");
  for (const auto& [name, bytes] : b)
    if (!a.contains(name)) names.push_back("'" + name + "'");
  return names;
}

class Gpu : public testing::Test {
 protected:
  void SetUp() override {
    if (qfuse_device_count(QFUSE_CUDA) == 0) GTEST_SKIP() << "there is no GPU here";
  }

  // `convert` writes its output to a path, with the given device.
  void expect_same(const std::function<void(const fs::path& out, qfuse_device device)>& convert) {
    const TemporaryDirectory directory;
    convert(directory / "cpu", {QFUSE_CPU, 0});
    convert(directory / "gpu", kGpu);
    EXPECT_EQ(differing(files_of(directory / "cpu"), files_of(directory / "gpu")), Names{});
    EXPECT_EQ(names_in(directory.path()), (Names{"cpu", "gpu"}));
  }
  void expect_decoded(const fs::path& in, std::optional<Dtype> dtype = {}) {
    expect_same([&](const fs::path& out, qfuse_device device) {
      DequantizeOptions options;
      options.dtype = dtype;
      options.exec.device = device;
      dequantize(in, out, options);
    });
  }
  void expect_encoded(const fs::path& in, QuantizeOptions options = {}) {
    expect_same([&](const fs::path& out, qfuse_device device) {
      options.exec.device = device;
      quantize(in, out, options);
    });
  }
  void expect_merged(const fs::path& base, std::span<const AdapterInput> adapters, MergeOptions options = {}) {
    expect_same([&](const fs::path& out, qfuse_device device) {
      options.exec.device = device;
      merge(base, adapters, out, options);
    });
  }
};

// ---- golden data -----------------------------------------------------------------------------------------------

TEST_F(Gpu, decodes_every_golden_file_to_every_dtype) {
  const std::vector<std::optional<Dtype>> dtypes{std::nullopt, Dtype::bfloat16, Dtype::float16, Dtype::float32};
  for (const char* name : {"bnb_cases.safetensors", "bnb_extra.safetensors", "bnb_int8.safetensors", "tiny_llama/bnb4",
                           "tiny_llama/bnb4_scattered", "gptq/gptq", "gptq/awq"})
    for (const std::optional<Dtype> dtype : dtypes) {
      SCOPED_TRACE(std::string(name) + (dtype ? " to " + std::to_string(static_cast<int>(*dtype)) : ""));
      expect_decoded(golden(name), dtype);
    }
}

TEST_F(Gpu, encodes_a_model_in_every_way) {
  for (const QuantType quant_type : {QuantType::nf4, QuantType::fp4})
    for (const bool double_quant : {true, false})
      for (const std::int64_t blocksize : {32, 64, 4096}) {
        SCOPED_TRACE(blocksize);
        QuantizeOptions options;
        options.quant_type = quant_type;
        options.double_quant = double_quant;
        options.blocksize = blocksize;
        expect_encoded(golden("tiny_llama/full"), options);
      }
}

// ---- sizes -----------------------------------------------------------------------------------------------------

// Random bits, but only finite values in their dtype, whose magnitudes differ from block to block.
RawTensor random_tensor(const std::string& type, std::vector<std::int64_t> shape, unsigned seed) {
  const std::size_t item = type == "F32" ? 4 : type == "I8" ? 1 : 2;
  const std::size_t n = elements_of(shape);
  std::mt19937 random(seed);
  std::string noise(std::min(n, kNoise) * item, '\0');
  for (char& byte : noise) byte = static_cast<char>(random());
  for (std::size_t high = item - 1; item > 1 && high < noise.size(); high += item)
    noise[high] = static_cast<char>((static_cast<unsigned char>(noise[high]) & 0x83U) | 0x38U);
  return {type, std::move(shape), repeated(noise, n * item)};
}

RawTensor large(const std::string& type, std::int64_t rows, std::int64_t columns, unsigned seed) {
  return random_tensor(type, {side_of_pieces(rows), side_of_pieces(columns)}, seed);
}

// Many pieces of one tensor, then tensors of all sizes, so that each slot is reused for larger and smaller pieces.
RawTensors plain_model() {
  RawTensors tensors{{"a.weight", large("BF16", 4999, 4096, 1)},  // three pieces to encode
                     {"b.weight", large("F32", 1501, 4099, 2)},   // two pieces, the second of an odd length
                     {"c.weight", random_tensor("F16", {33, 127}, 3)},
                     {"d.weight", random_tensor("BF16", {1, 1}, 4)},
                     {"e.weight", random_tensor("F32", {0, 64}, 5)},
                     {"f.weight", large("F16", 2048, 4096, 6)},  // exactly one piece
                     {"norm", random_tensor("BF16", {5003}, 7)},
                     {"embed_tokens.weight", large("BF16", 2500, 4096, 8)}};  // copied
  for (int i = 0; i < 20; ++i)
    tensors["m." + std::to_string(i) + ".weight"] =
        random_tensor("BF16", {i + 1, 64 * i + 3}, static_cast<unsigned>(i));
  return tensors;
}

TEST_F(Gpu, decodes_fp8_in_pieces_that_begin_within_blocks) {
  const TemporaryDirectory directory;
  constexpr std::int64_t kRows = side_of_pieces(1999);
  constexpr std::int64_t kColumns = side_of_pieces(7001);
  RawTensors tensors{{"a.weight", fp8_codes({kRows, kColumns})},  // as bf16 two pieces
                     {"a.weight_scale_inv", fp8_scales("BF16", {(kRows + 127) / 128, (kColumns + 127) / 128})},
                     {"e.down_proj", fp8_codes({3, 100, 333})},
                     {"e.down_proj_scale", fp8_scales("F8_E8M0", {3, 1, 3})},
                     {"b.weight", fp8_codes({77, 130})},
                     {"b.weight_scale", fp8_scales("F32", {77, 1})}};
  write_file(directory / "in", safetensors(tensors));
  for (const Dtype dtype : {Dtype::bfloat16, Dtype::float32}) expect_decoded(directory / "in", dtype);
}

// A weight larger than a piece, read in parts of rows, a stack that the host transposes, and one of each layout.
TEST_F(Gpu, decodes_4bit_codes_of_other_libraries) {
  const TemporaryDirectory directory;
  RawTensors tensors = small_4bit().tensors;
  constexpr std::size_t kSide = side_of_pieces(3001);
  for (const Made4bit& made : {packed_int4("large", kSide, kSide, 16), stacked_mxfp4("e.down_proj", 2, 1000, 96)})
    tensors.insert(made.tensors.begin(), made.tensors.end());
  write_model(directory / "in", tensors, k4bitConfig);
  for (const Dtype dtype : {Dtype::bfloat16, Dtype::float32}) expect_decoded(directory / "in", dtype);
}

TEST_F(Gpu, converts_tensors_of_all_sizes_there_and_back) {
  const TemporaryDirectory directory;
  write_file(directory / "plain", safetensors(plain_model()));
  for (const bool double_quant : tests::kQuick ? std::vector{true} : std::vector{true, false}) {
    SCOPED_TRACE(double_quant);
    QuantizeOptions encode;
    encode.double_quant = double_quant;
    encode.force = true;
    quantize(directory / "plain", directory / "quantized", encode);
    encode.force = false;
    expect_encoded(directory / "plain", encode);
    for (const std::optional<Dtype> dtype : {std::optional<Dtype>(), std::optional(Dtype::float32)}) {
      if (tests::kQuick && dtype) continue;
      expect_decoded(directory / "quantized", dtype);
    }
  }
}

// Pieces begin and end within rows.
TEST_F(Gpu, decodes_int8_of_all_sizes) {
  const TemporaryDirectory directory;
  RawTensors tensors;
  for (const auto& [rows, columns] : {std::pair{side_of_pieces(2000), side_of_pieces(5003)},
                                      {3, count_of_pieces(9'000'001)},
                                      {1, 1},
                                      {count_of_pieces(700'001), 1}}) {
    const std::string name = std::to_string(rows) + "x" + std::to_string(columns);
    tensors[name + ".weight"] = random_tensor("I8", {rows, columns}, 1);
    tensors[name + ".SCB"] = random_tensor("F32", {rows}, 2);
  }
  write_file(directory / "in", safetensors(tensors));
  for (const Dtype dtype : tests::kQuick ? std::vector{Dtype::bfloat16} : std::vector{Dtype::bfloat16, Dtype::float32})
    expect_decoded(directory / "in", dtype);
}

// ---- merging -----------------------------------------------------------------------------------------------------

// Weights of several pieces and of less than one, pieces that begin within a row, and blocks that end within a piece.
RawTensors base_to_merge() {
  RawTensors tensors = plain_model();
  for (const char* name : {"a", "b", "c", "d", "f"}) {
    auto tensor = tensors.extract(std::string(name) + ".weight");
    tensor.key() = std::string(name) + ".up_proj.weight";
    tensors.insert(std::move(tensor));
  }
  tensors["x.experts.down_proj"] = random_tensor("BF16", {7, 33, 65}, 9);
  return tensors;
}

RawTensors adapter_of(const RawTensors& base, unsigned seed) {
  RawTensors all;
  for (const auto& [name, tensor] : base)
    if (name.ends_with(".up_proj.weight"))
      all.merge(lora(name.substr(0, name.size() - 7), tensor.shape[0], tensor.shape[1], 5, ++seed));
  all.merge(lora("x.experts", 33, 65, 7 * 5, ++seed));
  return all;
}

nlohmann::json config_of_experts() {
  return {{"r", 5}, {"peft_version", "0.19.0"}, {"target_parameters", {"experts.down_proj"}}};
}

TEST_F(Gpu, merges_tensors_of_all_sizes) {
  const TemporaryDirectory directory;
  const RawTensors base = base_to_merge();
  write_file(directory / "base", safetensors(base));
  write_adapter(directory / "one", adapter_of(base, 1), config_of_experts());
  write_adapter(directory / "two", adapter_of(base, 100), config_of_experts());
  const std::vector<AdapterInput> adapters{{directory / "one"}, {directory / "two", -0.5}};
  for (const std::size_t count : {std::size_t{1}, std::size_t{2}}) {
    if (tests::kQuick && count == 1) continue;
    SCOPED_TRACE(count);
    expect_merged(directory / "base", std::span(adapters).first(count));
  }
}

TEST_F(Gpu, merges_dora) {
  const TemporaryDirectory directory;
  constexpr std::int64_t kRows = side_of_pieces(3000);
  constexpr std::int64_t kColumns = side_of_pieces(1501);
  RawTensors factors = lora("w", kRows, kColumns, 5);
  factors[kPeft + "w.lora_magnitude_vector"] = random_weight({kRows}, Dtype::float32, 3);
  write_file(directory / "base", safetensors({{"w.weight", random_weight({kRows, kColumns})}}));
  write_adapter(directory / "dora", factors, {{"r", 5}, {"use_dora", true}});
  write_adapter(directory / "lora", lora("w", kRows, kColumns, 5, 7), {{"r", 5}});
  for (const std::vector<AdapterInput>& adapters :
       {std::vector<AdapterInput>{{directory / "dora"}}, {{directory / "dora"}, {directory / "lora"}}})
    expect_merged(directory / "base", adapters);
}

TEST_F(Gpu, merges_from_and_to_4_bits) {
  const TemporaryDirectory directory;
  RawTensors factors;
  for (int layer = 0; layer < 2; ++layer)
    factors.merge(lora("model.layers." + std::to_string(layer) + ".mlp.up_proj", 352, 128, 4));
  write_adapter(directory / "adapter", factors);
  const std::vector<AdapterInput> adapters{{directory / "adapter"}};
  const auto same = [&](const std::string& base, const MergeOptions& options) {
    SCOPED_TRACE(base);
    expect_merged(golden(base), adapters, options);
  };
  same("tiny_llama/full", {});
  same("tiny_llama/bnb4", {});
  MergeOptions options;
  options.to_4bit = QuantType::nf4;
  same("tiny_llama/full", options);
  same("tiny_llama/bnb4", options);
  options.base_as = QuantType::nf4;
  same("tiny_llama/full", options);
  options.to_4bit.reset();
  same("tiny_llama/full", options);
}

// The sums are the GPU's, the codes the host's.
TEST_F(Gpu, merges_back_to_blocks) {
  const TemporaryDirectory directory;
  RawTensors fp8{{"a.weight", {"F8_E4M3", {300, 200}, random_bytes(60'000, 1, 0, 0x77)}},
                 {"a.weight_scale_inv", fp8_scales("F32", {3, 2})}};
  write_model(directory / "fp8", fp8, "{}");
  write_model(directory / "rows", made_fp4("a", kPackedMxfp4, 300, 192).tensors, "{}");
  write_model(directory / "stack", stacked_mxfp4("mlp.experts.gate_up_proj", 2, 6, 64).tensors,
              R"({"model_type": "gpt_oss"})");
  write_adapter(directory / "of fp8", lora("a", 300, 200, 4));
  write_adapter(directory / "of rows", lora("a", 300, 192, 4));
  const std::string module = kPeft + "mlp.experts";
  write_adapter(directory / "of stack",
                {{module + ".lora_A.weight", random_weight({2 * 2, 64}, Dtype::float32, 3)},
                 {module + ".lora_B.weight", random_weight({6, 2 * 2}, Dtype::float32, 4)}},
                {{"r", 2}, {"target_parameters", {"mlp.experts.gate_up_proj"}}, {"target_modules", nullptr}});
  for (const std::string base : {"fp8", "rows", "stack"}) {
    MergeOptions options;
    options.to_blocks = base == "fp8" ? BlockFormat::fp8 : BlockFormat::mxfp4;
    options.fail_below = 0.0;
    expect_merged(directory / base, std::vector<AdapterInput>{{directory / ("of " + base)}}, options);
  }
}

// ---- files and shards --------------------------------------------------------------------------------------------

// Matrices stored as [in, out], smaller and larger than a piece. The pieces of the larger one end within a row.
TEST_F(Gpu, turns_matrices) {
  const TemporaryDirectory directory;
  write_model(directory / "in",
              {{"h.0.attn.c_attn.weight", random_weight({side_of_pieces(3000), side_of_pieces(3001)})},
               {"h.0.attn.c_proj.weight", random_weight({65, 190}, Dtype::float32)},
               {"lm_head.weight", random_weight({8, 64})}},
              R"({"model_type": "gpt2"})");
  expect_encoded(directory / "in");
  quantize(directory / "in", directory / "quantized");
  expect_decoded(directory / "quantized");
}

TEST_F(Gpu, writes_the_same_files_and_shards) {
  expect_same([](const fs::path& out, qfuse_device device) {
    DequantizeOptions options;
    options.max_shard_size = 150'000;
    options.exec.device = device;
    dequantize(golden("tiny_llama/bnb4"), out, options);
  });
  // In the second output the CPU, the GPU and the CPU write one part each.
  expect_same([](const fs::path& out, qfuse_device device) {
    QuantizeOptions options;
    options.max_shard_size = 100'000;
    if (device.type == QFUSE_CPU) {
      quantize(golden("tiny_llama/full"), out, options);
      return;
    }
    for (std::int64_t i = 0; i < 3; ++i) {
      options.shard = Shard{i, 3};
      options.exec.device = i == 1 ? device : qfuse_device{QFUSE_CPU, 0};
      quantize(golden("tiny_llama/full"), out, options);
    }
    finish(out);
  });
}

// ---- failures ----------------------------------------------------------------------------------------------------

// Returns the error that both conversions give on a device, and checks that they leave no output.
std::string error_on(const Exec& exec, Status status) {
  const TemporaryDirectory directory;
  ConversionOptions options;
  options.exec = exec;
  Names errors;
  for (const ConversionCase& conversion : kConversions)
    errors.push_back(error_of(status, [&] { conversion(directory / "out", options); }));
  EXPECT_EQ(errors[0], errors[1]);
  EXPECT_EQ(names_in(directory.path()), Names{});
  return errors[0];
}

TEST_F(Gpu, cancelling_leaves_nothing) {
  for (const int last : {1, 2, 3, 4, 7, 20}) {
    const TemporaryDirectory directory;
    int calls = 0;
    DequantizeOptions options;
    options.exec.device = kGpu;
    options.progress = [&](const Progress&) { return ++calls < last; };
    EXPECT_EQ(error_of(Status::cancelled, [&] { dequantize(golden("tiny_llama/bnb4"), directory / "out", options); }),
              "cancelled");
    EXPECT_EQ(calls, last);
    EXPECT_EQ(names_in(directory.path()), Names{});
  }
}

TEST_F(Gpu, one_that_is_not_there_is_refused) {
  const int count = qfuse_device_count(QFUSE_CUDA);
  Exec exec;
  exec.device = {QFUSE_CUDA, count};
  EXPECT_EQ(error_on(exec, Status::unsupported), "device cuda:" + std::to_string(count) + ": this machine has " +
                                                     std::to_string(count) + (count == 1 ? " GPU" : " GPUs") +
                                                     " for this process, numbered from 0");
}

TEST_F(Gpu, a_stream_of_the_callers_is_refused) {
  Exec exec;
  exec.device = kGpu;
  exec.stream = &exec;
  EXPECT_TRUE(holds(error_on(exec, Status::invalid_argument), "stream is given"));
}

TEST_F(Gpu, is_the_best_device) {
  EXPECT_EQ(best_device().type, QFUSE_CUDA);
  EXPECT_EQ(best_device().index, 0);
}

TEST(NoGpu, is_said_and_nothing_is_written) {
  if (qfuse_device_count(QFUSE_CUDA) > 0) GTEST_SKIP() << "there is a GPU here";
  Exec exec;
  exec.device = kGpu;
  EXPECT_TRUE(holds(error_on(exec, Status::unsupported), "device cuda:0: "));
  EXPECT_EQ(best_device().type, QFUSE_CPU);
}

}  // namespace
}  // namespace qfuse::checkpoint
