// Stacks of experts (one 3D tensor) in 4 bits: written, read back, and reported by inspect, check and the config.
#include <qfuse/checkpoint.hpp>

#include "adapters.h"
#include "merging.h"
#include "support.h"

namespace qfuse::checkpoint {
namespace {

const std::string kState = ".quant_state.bitsandbytes__nf4";
const std::string kUpStack = "model.layers.0.mlp.experts.gate_up_proj";
const std::string kDownStack = "model.layers.0.mlp.experts.down_proj";
const std::string kQuery = "model.layers.0.self_attn.q_proj.weight";

// The tensors of a gpt-oss layer: expert stacks with 2D biases, and a router.
RawTensors model_of_stacks() {
  return {{kUpStack, random_weight({4, 32, 64})},
          {kUpStack + "_bias", random_weight({4, 64}, Dtype::bfloat16, 2)},
          {kDownStack, random_weight({4, 32, 32}, Dtype::bfloat16, 3)},
          {kDownStack + "_bias", random_weight({4, 32}, Dtype::bfloat16, 4)},
          {"model.layers.0.mlp.router.weight", random_weight({4, 32}, Dtype::bfloat16, 5)},
          {kQuery, random_weight({8, 64}, Dtype::bfloat16, 6)}};
}

QuantizeOptions with_experts() {
  QuantizeOptions options;
  options.experts = true;
  return options;
}

class Stacks : public testing::Test {
 protected:
  void SetUp() override { write(model_of_stacks()); }

  void write(const RawTensors& tensors, const std::string& config = R"({"model_type": "gpt_oss"})") {
    write_model(directory / "in", tensors, config);
  }

  RawTensors quantized(QuantizeOptions options) {
    options.force = true;
    notes = quantize(directory / "in", directory / "out", options).notes;
    return load(directory / "out");
  }

  RawTensors dequantized() {
    DequantizeOptions options;
    options.force = true;
    dequantize(directory / "out", directory / "back", options);
    return load(directory / "back");
  }

  TemporaryDirectory directory;
  Names notes;
};

// The tensors are laid out as in Mixtral.
TEST_F(Stacks, what_stays_of_a_mixture_is_said) {
  RawTensors tensors{{"model.embed_tokens.weight", random_weight({64, 64})},
                     {"lm_head.weight", random_weight({64, 64})},
                     {"model.norm.weight", random_weight({64})},
                     {"model.layers.0.block_sparse_moe.gate.weight", random_weight({2, 64})},
                     {kQuery, random_weight({64, 64})}};
  for (const char* expert : {"0", "1"})
    for (const char* part : {"w1", "w2", "w3"})
      tensors["model.layers.0.block_sparse_moe.experts." + std::string(expert) + "." + part + ".weight"] =
          random_weight({128, 64});
  write(tensors, R"({"model_type": "mixtral"})");
  QuantizeOptions options;
  options.dry_run = true;
  const auto kept = [&] {
    std::string all;
    for (const KeptTensors& one : quantize(directory / "in", directory / "out", options).kept)
      all += one.kind + " " + std::to_string(one.tensors) + " " + std::to_string(one.bytes) + "\n";
    return all;
  };
  EXPECT_EQ(kept(),
            "experts 6 98304\noutput heads 1 8192\nembeddings 1 8192\nrouters 1 256\n"
            "others 1 128\n");
  options.experts = true;
  options.exclude = {"*.w2.weight"};
  EXPECT_EQ(kept(),
            "excluded 2 32768\noutput heads 1 8192\nembeddings 1 8192\nrouters 1 256\n"
            "others 1 128\n");
}

TEST_F(Stacks, stay_as_they_are_unless_they_are_asked_for) {
  const RawTensors out = quantized({});
  EXPECT_TRUE(out.contains(kQuery + kState));
  for (const std::string& name : {kUpStack, kDownStack}) EXPECT_TRUE(out.at(name) == model_of_stacks().at(name));
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_TRUE(holds(notes[0], "24.6 kB of experts, which are one tensor for all, stay as they are; `experts`"));
}

// The codes equal those of the op on all elements in one row, which is what bitsandbytes computes.
TEST_F(Stacks, are_one_array_of_codes) {
  for (const QuantType quant_type : {QuantType::nf4, QuantType::fp4})
    for (const bool double_quant : {true, false}) {
      QuantizeOptions options = with_experts();
      options.quant_type = quant_type;
      options.double_quant = double_quant;
      const RawTensors out = quantized(options);
      EXPECT_EQ(out.size(), 6U + 3 * (double_quant ? 5 : 3));
      const RawTensors back = dequantized();
      EXPECT_EQ(back.size(), 6U);
      for (const std::string& name : {kUpStack, kDownStack}) {
        const RawTensor weight = model_of_stacks().at(name);
        const Weight4bitArrays encoded = encoded_by_op(weight, options);
        EXPECT_TRUE(out.at(name) == (RawTensor{"U8", {std::ssize(encoded.packed), 1}, bytes_of(encoded.packed)}));
        EXPECT_TRUE(out.at(name + ".absmax") == (double_quant ? u8(encoded.absmax_8bit) : f32(encoded.absmax)));
        if (double_quant) {
          EXPECT_TRUE(out.at(name + ".nested_absmax") == f32(encoded.nested_absmax));
        }
        const std::string state = quant_type == QuantType::nf4 ? kState : ".quant_state.bitsandbytes__fp4";
        EXPECT_TRUE(holds(out.at(name + state).bytes,
                          name == kUpStack ? R"("shape": [4, 32, 64])" : R"("shape": [4, 32, 32])"));
        std::string decoded(weight.bytes.size(), '\0');
        dequantize_4bit(encoded.view(), std::as_writable_bytes(std::span(decoded)), Dtype::bfloat16);
        EXPECT_TRUE(back.at(name) == (RawTensor{"BF16", weight.shape, decoded}));
      }
      ASSERT_EQ(notes.size(), 1U);
      EXPECT_TRUE(holds(notes[0], "2 tensors of experts are 4-bit weights of three dimensions"));
    }
}

// transformers compares the list with linear modules. Stacks are none, so the list need not name them.
TEST_F(Stacks, are_no_modules_that_config_leaves_out) {
  for (const bool experts : {false, true}) {
    QuantizeOptions options;
    options.experts = experts;
    quantized(options);
    EXPECT_EQ(nlohmann::json::parse(read_file(directory / "out/config.json"))
                  .at("quantization_config")
                  .at("llm_int8_skip_modules"),
              (Names{"lm_head", "model.layers.0.mlp.router"}));
  }
}

TEST_F(Stacks, whose_experts_are_no_whole_blocks_stay) {
  write({{kUpStack, random_weight({2, 4, 24})},
         {kDownStack, random_weight({2, 8, 24})},
         {kQuery, random_weight({8, 64})}});
  const RawTensors out = quantized(with_experts());
  EXPECT_FALSE(out.contains(kUpStack + kState)) << "96 weights an expert";
  EXPECT_TRUE(out.contains(kDownStack + kState)) << "192";
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_TRUE(
      holds(notes[0], "1 tensors of experts stay as they are, because an expert in them is no whole number of"));
  QuantizeOptions smaller = with_experts();
  smaller.blocksize = 32;
  EXPECT_TRUE(quantized(smaller).contains(kUpStack + kState));
  smaller.blocksize = 0;
  EXPECT_REFUSED(Status::invalid_argument, "blocksize is 0", quantized(smaller));
}

TEST_F(Stacks, that_transformers_expects_one_by_one_are_refused_unless_they_are_asked_for) {
  write({{"model.layers.0.feed_forward.experts.gate_up_proj", random_weight({2, 8, 64})},
         {kQuery, random_weight({8, 64})}},
        R"({"model_type": "llama4"})");
  EXPECT_REFUSED(Status::unsupported, "or quantize it with `experts`", quantized({}));
  EXPECT_TRUE(quantized(with_experts()).contains("model.layers.0.feed_forward.experts.gate_up_proj" + kState));
}

TEST_F(Stacks, of_shards_are_those_of_one_process) {
  QuantizeOptions options = with_experts();
  options.max_shard_size = 4000;
  const RawTensors whole = quantized(options);
  for (std::int64_t i = 0; i < 3; ++i) {
    options.shard = Shard{i, 3};
    quantize(directory / "in", directory / "parts", options);
  }
  finish(directory / "parts");
  EXPECT_TRUE(load(directory / "parts") == whole);
}

TEST_F(Stacks, are_inspected_and_compared) {
  quantized(with_experts());
  dequantized();
  EXPECT_TRUE(compare(directory / "out", directory / "back").equal);
  const Inventory inventory = inspect(directory / "out");
  const auto stack = std::ranges::find(inventory.tensors, kUpStack, &TensorInfo::name);
  ASSERT_NE(stack, inventory.tensors.end());
  EXPECT_EQ(stack->shape, (std::vector<std::int64_t>{4, 32, 64}));
  EXPECT_EQ(stack->format, "nf4");
  EXPECT_EQ(stack->decoded_bytes, 4 * 32 * 64 * 2);
}

TEST_F(Stacks, are_nothing_that_transformers_loads) {
  quantized(with_experts());
  const CheckReport report = check(directory / "out");
  ASSERT_EQ(report.problems.size(), 1U);
  EXPECT_EQ(report.problems[0].kind, "quantization");
  EXPECT_EQ(report.problems[0].tensor, kDownStack);
  EXPECT_TRUE(holds(report.problems[0].message, "is a 4-bit weight that is no matrix, as 1 others"));
  quantized({});
  EXPECT_TRUE(check(directory / "out").problems.empty());
}

// Merges LoRA of target_parameters, with the same result as merging into the decoded stack.
TEST_F(Stacks, take_adapters) {
  quantized(with_experts());
  dequantized();
  write_adapter(directory / "adapter", lora("model.layers.0.mlp.experts", 32, 32, 4 * 4),
                {{"r", 4}, {"peft_version", "0.19.0"}, {"target_parameters", {"mlp.experts.down_proj"}}});
  const std::vector<AdapterInput> adapters{{directory / "adapter"}};
  merge(directory / "back", adapters, directory / "expected");
  merge(directory / "out", adapters, directory / "merged");
  EXPECT_TRUE(load(directory / "merged") == load(directory / "expected"));
  MergeOptions options;
  options.to_4bit = QuantType::nf4;
  merge(directory / "out", adapters, directory / "merged_4bit", options);
  const RawTensors merged = load(directory / "merged_4bit");
  const RawTensors before = load(directory / "out");
  const Weight4bitArrays encoded = encoded_by_op(load(directory / "expected").at(kDownStack), {});
  EXPECT_EQ(merged.at(kDownStack).bytes, bytes_of(encoded.packed));
  EXPECT_EQ(merged.at(kDownStack + ".absmax").bytes, bytes_of(encoded.absmax_8bit));
  EXPECT_EQ(merged.size(), before.size());
  for (const auto& [name, tensor] : before)
    if (!name.starts_with(kDownStack)) {
      EXPECT_TRUE(merged.at(name) == tensor) << name;
    }
}

// ---- other layouts, and invalid ones -----------------------------------------------------------------------------

RawTensors stack_of(const std::string& name) {
  const TemporaryDirectory directory;
  write_file(directory / "in", safetensors({{name, random_weight({4, 32, 64})}}));
  quantize(directory / "in", directory / "out", with_experts());
  return load(directory / "out");
}

std::string decode_error(Status status, const RawTensors& tensors) {
  const TemporaryDirectory directory;
  write_file(directory / "in", safetensors(tensors));
  return error_of(status, [&] { dequantize(directory / "in", directory / "out"); });
}

RawTensors changed(RawTensors tensors, const std::string& name, const RawTensor& tensor) {
  tensors[name] = tensor;
  return tensors;
}

TEST(StackParts, may_have_a_row_for_each_expert) {
  const RawTensors stack = stack_of("experts.down_proj");  // 128 blocks
  RawTensors rows = stack;
  rows["experts.down_proj"].shape = {4, 1024, 1};
  rows["experts.down_proj.absmax"].shape = {4, 32};
  const TemporaryDirectory directory;
  write_file(directory / "a", safetensors(stack));
  write_file(directory / "b", safetensors(rows));
  EXPECT_TRUE(compare(directory / "a", directory / "b").equal);
}

TEST(StackParts, that_do_not_fit_are_refused) {
  const std::string name = "experts.down_proj";
  const RawTensors stack = stack_of(name);
  const auto with_state = [&](const std::string& members) {
    return changed(stack, name + kState,
                   text(R"({"quant_type": "nf4", "blocksize": 64, "dtype": "bfloat16", )" + members + "}"));
  };
  const std::string nested = R"(, "nested_blocksize": 256, "nested_dtype": "float32", "nested_offset": )";
  const auto error = [&](const RawTensors& tensors, Status status = Status::invalid_data) {
    return decode_error(status, tensors);
  };
  EXPECT_TRUE(
      holds(error(with_state(R"("shape": [4, 32, 65])" + nested + "0.5")), "has 4096 bytes, 8320 weights need"));
  EXPECT_TRUE(holds(error(with_state(R"("shape": [0, 32, 64])" + nested + "0.5")), "has 4096 bytes, 0 weights need 0"));
  EXPECT_TRUE(holds(error(with_state(R"("shape": [4, 32, 64])" + nested + "[0.5, 0.5, 0.5, 0.5]")),
                    "nested_offset is [0.5,0.5,0.5,0.5], needs to be a number of fp32"))
      << "an offset for each expert, which no known writer has";
  EXPECT_TRUE(holds(error(changed(stack, name + ".absmax", {"U8", {4, 31}, std::string(124, 'x')})),
                    "has 124 entries, 8192 weights in blocks of 64 need 128"));
  EXPECT_TRUE(holds(error(changed(stack, name + ".nested_absmax", {"F32", {4, 1}, std::string(16, '\0')})),
                    "has 4 entries, 128 absmax in blocks of 256 need 1"));
  const RawTensors bare{{name, stack.at(name)}, {"norm", random_weight({8})}};
  EXPECT_TRUE(holds(error(bare), "has the type and shape of 4-bit codes, but"));
}

// Two experts of 200 blocks each: one nested block per expert makes two, by chance as many as over the whole stack.
TEST(StackParts, nested_blocks_that_end_with_an_expert_are_none_of_the_whole_stack) {
  const TemporaryDirectory directory;
  write_file(directory / "in", safetensors({{"experts.w", random_weight({2, 200, 64})}}));
  quantize(directory / "in", directory / "out", with_experts());
  RawTensors tensors = load(directory / "out");
  ASSERT_EQ(tensors.at("experts.w.nested_absmax").shape, std::vector<std::int64_t>{2});
  EXPECT_EQ(decode_error(Status::invalid_data, tensors), "");
  tensors["experts.w.nested_absmax"].shape = {2, 1};
  EXPECT_TRUE(
      holds(decode_error(Status::unsupported, tensors), "has 2 rows, while 400 absmax are no 2 whole blocks of"));
}

TEST(StackParts, of_a_draft_that_says_neither_shape_nor_type_are_refused) {
  const RawTensors draft{{"experts.gate_up_proj", {"U8", {4, 1024}, std::string(4096, 'x')}},
                         {"experts.gate_up_absmax", {"F32", {4, 32}, std::string(512, '\0')}}};
  EXPECT_TRUE(holds(decode_error(Status::unsupported, draft), "as bitsandbytes' proposed Experts4bit has it"));
}

TEST(StackParts, of_no_experts_decode_to_nothing) {
  RawTensors tensors = small_nf4("experts.w");
  tensors["experts.w"] = {"U8", {0, 1}, ""};
  tensors["experts.w.absmax"] = {"F32", {0}, ""};
  tensors["experts.w" + kState] =
      text(R"({"quant_type": "nf4", "blocksize": 64, "dtype": "bfloat16", "shape": [0, 32, 64]})");
  const TemporaryDirectory directory;
  write_file(directory / "in", safetensors(tensors));
  dequantize(directory / "in", directory / "out");
  EXPECT_TRUE(load(directory / "out").at("experts.w") == (RawTensor{"BF16", {0, 32, 64}, ""}));
}

TEST(StackParts, of_no_experts_stay) {
  const TemporaryDirectory directory;
  write_file(directory / "in",
             safetensors({{"experts.w", {"BF16", {0, 32, 64}, ""}}, {"q.weight", random_weight({8, 64})}}));
  quantize(directory / "in", directory / "out", with_experts());
  EXPECT_TRUE(load(directory / "out").at("experts.w") == (RawTensor{"BF16", {0, 32, 64}, ""}));
}

}  // namespace
}  // namespace qfuse::checkpoint
