// Bases in 4 and 8 bits, plain bases merged as if they were in 4 bits (`base_as`), and merging to 4 bits.
#include <optional>
#include <qfuse/checkpoint.hpp>
#include <string>
#include <vector>

#include "adapters.h"
#include "merging.h"
#include "support.h"

namespace qfuse::checkpoint {
namespace {

// The base's linear layers are in 4 bits. The plain model is at plain().
class MergeQuantized : public Merge {
 protected:
  void SetUp() override {
    write_base({{kUp + ".weight", random_weight({64, 128})},
                {kDown + ".weight", random_weight({128, 64}, Dtype::bfloat16, 2)},
                {"model.norm.weight", random_weight({128}, Dtype::bfloat16, 3)}});
    fs::rename(base(), plain());
    quantize(plain(), base());
    factors = lora(kUp, 64, 128, 4);
    write_adapter(adapter(), factors);
  }
  [[nodiscard]] fs::path plain() const { return directory / "plain"; }

  // Runs the steps one after another, each on the output of the step before, and returns the final tensors.
  template <class... Steps>
  RawTensors in_steps(const fs::path& in, Steps... steps) {
    fs::path at = in;
    int number = 0;
    const TemporaryDirectory between;
    (
        [&] {
          const fs::path next = between / std::to_string(++number);
          steps(at, next);
          at = next;
        }(),
        ...);
    config = read_file(at / "config.json");
    return load(at);
  }

  RawTensors factors;
};

TEST_F(MergeQuantized, a_4bit_base_is_decoded) {
  const RawTensors decoded = in_steps(base(), [](const fs::path& in, const fs::path& out) { dequantize(in, out); });
  const std::string plain_config = config;
  const RawTensors out = merged();
  ASSERT_EQ(out.size(), 3U);
  EXPECT_TRUE(out.at(kUp + ".weight") == with_lora(decoded.at(kUp + ".weight"), factors, kUp, kScale, Dtype::bfloat16));
  EXPECT_TRUE(out.at(kDown + ".weight") == decoded.at(kDown + ".weight"));
  EXPECT_EQ(config, plain_config);
}

TEST_F(MergeQuantized, an_int8_base_is_decoded) {
  RawTensors base_tensors{{kUp + ".SCB", f32(values_of(random_weight({64}, Dtype::float32)))}};
  std::string codes(64 * 128, '\0');
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<char>(37 * i);
  base_tensors[kUp + ".weight"] = {"I8", {64, 128}, codes};
  write_base(base_tensors, R"({"torch_dtype": "float16", "quantization_config": {"load_in_8bit": true}})");
  const RawTensors decoded = in_steps(base(), [](const fs::path& in, const fs::path& out) { dequantize(in, out); });
  EXPECT_TRUE(merged().at(kUp + ".weight") ==
              with_lora(decoded.at(kUp + ".weight"), factors, kUp, kScale, Dtype::float16));
  MergeOptions options;
  options.to_4bit = QuantType::nf4;
  EXPECT_REFUSED(Status::invalid_argument, "is int8, and cannot become nf4: dequantize the base first",
                 merged(options));
}

TEST_F(MergeQuantized, a_4bit_base_stays_so_and_untouched_tensors_keep_their_bytes) {
  MergeOptions options;
  options.to_4bit = QuantType::nf4;
  const RawTensors before = load(base());
  const RawTensors out = merged(options);
  const RawTensor sum = in_steps(base(), [&](const fs::path& in, const fs::path& to) {
                          merge(in, std::vector<AdapterInput>{{adapter()}}, to);
                        }).at(kUp + ".weight");
  const Weight4bitArrays encoded = encoded_by_op(sum, {});
  EXPECT_EQ(out.at(kUp + ".weight").bytes, bytes_of(encoded.packed));
  EXPECT_EQ(out.at(kUp + ".weight.absmax").bytes, bytes_of(encoded.absmax_8bit));
  EXPECT_EQ(out.at(kUp + ".weight.nested_absmax").bytes, bytes_of(encoded.nested_absmax));
  ASSERT_EQ(out.size(), before.size());
  for (const auto& [name, tensor] : before)
    if (!name.starts_with(kUp)) {
      EXPECT_TRUE(out.at(name) == tensor) << name;
    }
  merged(options);
  EXPECT_EQ(config, read_file(base() / "config.json"));
  EXPECT_GT(report.merged.at(0).survival, 0.9) << "what is added is as large as the weight";
}

// BitsAndBytesConfig quantizes vision layers by default, but quantize does not. Both leave an output head plain.
TEST_F(MergeQuantized, layers_of_a_vision_tower_that_were_trained_are_seen_as_training_saw_them) {
  fs::remove_all(base());
  const std::string tower = "vision_tower.layers.0.fc1";
  const RawTensor weight = random_weight({64, 128}, Dtype::bfloat16, 5);
  const std::string llama = R"({"architectures": ["LlamaForCausalLM"]})";
  for (const std::string& layer : {tower, std::string("lm_head")}) {
    write_base({{layer + ".weight", weight}}, llama);
    const RawTensors of_layer = lora(layer, 64, 128, 4);
    write_adapter(adapter(), of_layer);
    QuantizeOptions all;
    all.include = {"*"};
    const RawTensor decoded = in_steps(
                                  base(), [&](const fs::path& in, const fs::path& out) { quantize(in, out, all); },
                                  [&](const fs::path& in, const fs::path& out) { dequantize(in, out); })
                                  .at(layer + ".weight");
    MergeOptions options;
    options.base_as = QuantType::nf4;
    const RawTensor& seen = layer == tower ? decoded : weight;
    EXPECT_TRUE(merged(options).at(layer + ".weight") == with_lora(seen, of_layer, layer, kScale, Dtype::bfloat16));
  }
}

// FSDP needs codes under another type, which the config's bnb_4bit_quant_storage states.
TEST_F(MergeQuantized, codes_keep_the_type_that_they_are_stored_under) {
  MergeOptions options;
  options.to_4bit = QuantType::nf4;
  const std::string bytes = merged(options).at(kUp + ".weight").bytes;
  RawTensors tensors = load(base());
  RawTensor& codes = tensors.at(kUp + ".weight");
  codes.type = "BF16";
  codes.shape[0] /= 2;
  write_file(base() / "model.safetensors", safetensors(tensors));
  EXPECT_TRUE(merged(options).at(kUp + ".weight") == (RawTensor{"BF16", codes.shape, bytes}));
}

TEST_F(MergeQuantized, an_adapter_that_is_lost_in_4_bits_is_refused) {
  MergeOptions options;
  options.to_4bit = QuantType::nf4;
  const std::vector<AdapterInput> faint{{adapter(), 1e-4}};
  EXPECT_REFUSED(Status::invalid_data, "tensor '" + kUp + ".weight': of what the adapter adds, ",
                 merged(options, faint));
  options.fail_below = 0.0;
  merged(options, faint);
  EXPECT_LT(report.merged.at(0).survival, 0.5);
  options.fail_below = 0.5;
  options.dry_run = true;
  EXPECT_TRUE(holds(merge(base(), faint, directory / "out", options).refused, "of what the adapter adds, "));
  EXPECT_EQ(merge_to(directory / "out", options).refused, "");
  EXPECT_FALSE(fs::exists(directory / "out"));
  options.dry_run = false;
  options.to_4bit = QuantType::fp4;
  EXPECT_REFUSED(Status::invalid_argument, "is nf4, and cannot become fp4: dequantize the base first", merged(options));
}

// All base values are decoded codes, because of `base_as` or of an earlier conversion.
TEST_F(MergeQuantized, an_adapter_is_as_lost_where_the_base_was_in_4_bits_before) {
  const std::vector<AdapterInput> faint{{adapter(), 1e-2}};
  MergeOptions options;
  options.to_4bit = QuantType::nf4;
  fs::remove_all(base());
  fs::copy(plain(), base());
  merged(options, faint);
  EXPECT_GT(report.merged.at(0).survival, 0.5) << "values between codes";
  options.base_as = QuantType::nf4;
  EXPECT_REFUSED(Status::invalid_data, "or leave out `base_as`", merged(options, faint));
  options.base_as.reset();
  quantize(plain(), directory / "codes");
  fs::remove_all(base());
  dequantize(directory / "codes", base());
  EXPECT_REFUSED(Status::invalid_data, "as it was before it had 4 bits", merged(options, faint));
}

// Each process measures the files that it writes. A shard refuses to write a file in which an adapter is lost.
TEST_F(MergeQuantized, a_shard_measures_and_refuses_its_own_files) {
  RawTensors faint = lora(kDown, 128, 64, 4);
  RawTensor& b = faint.at(kPeft + kDown + ".lora_B.weight");
  std::vector<float> values = values_of(b);
  for (float& value : values) value *= 1e-4F;
  b = tensor_of(values, b.shape, Dtype::float32);
  factors.merge(faint);
  write_adapter(adapter(), factors);
  const std::vector<AdapterInput> adapters{{adapter()}};
  MergeOptions options;
  options.to_4bit = QuantType::nf4;
  options.max_shard_size = 1;  // one file per tensor
  const auto convert = [&](const std::string& out, double fail_below, std::optional<Shard> shard, bool dry_run) {
    options.fail_below = fail_below;
    options.shard = shard;
    options.dry_run = dry_run;
    return merge(base(), adapters, directory / out, options);
  };
  const MergeReport whole = convert("whole", 0.0, {}, false);
  ASSERT_EQ(whole.merged.size(), 2U);
  EXPECT_LT(whole.merged[0].survival, 0.5) << kDown;
  EXPECT_GT(whole.merged[1].survival, 0.5) << kUp;
  EXPECT_EQ(to_json(convert("dry", 0.5, {}, true)), to_json(whole)) << "which refuses nothing";
  const std::string lost = error_of(Status::invalid_data, [&] { convert("out", 0.5, {}, false); });
  EXPECT_TRUE(holds(lost, "tensor '" + kDown + ".weight': of what the adapter adds, "));
  EXPECT_FALSE(fs::exists(directory / "out"));
  Names names;
  for (const std::int64_t i : {0, 1, 2}) {
    std::optional<MergeReport> one;
    const MergeReport dry = convert("out", 0.5, Shard{i, 3}, true);
    if (!dry.merged.empty() && dry.merged[0].name == kDown + ".weight") {
      EXPECT_EQ(error_of(Status::invalid_data, [&] { convert("out", 0.5, Shard{i, 3}, false); }), lost);
      EXPECT_REFUSED(Status::invalid_data, "out", finish(directory / "out"));
      one = convert("out", 0.0, Shard{i, 3}, false);
    } else {
      one = convert("out", 0.5, Shard{i, 3}, false);
    }
    EXPECT_EQ(to_json(*one), to_json(dry));
    EXPECT_EQ(one->tensors, 1);
    for (const MergedTensor& row : one->merged) names.push_back(row.name);
  }
  EXPECT_EQ(names, (Names{kDown + ".weight", kUp + ".weight"}));
  finish(directory / "out");
  EXPECT_TRUE(files_in(directory / "out") == files_in(directory / "whole"));
}

TEST_F(MergeQuantized, to_4_bits_is_merging_and_then_quantizing) {
  for (const QuantType quant_type : {QuantType::nf4, QuantType::fp4})
    for (const bool double_quant : {true, false})
      for (const std::optional<Dtype> dtype : {std::optional<Dtype>(), std::optional(Dtype::float16)}) {
        SCOPED_TRACE(dtype ? "to float16" : "");
        fs::remove_all(base());
        fs::copy(plain(), base());
        MergeOptions options;
        options.to_4bit = quant_type;
        options.double_quant = double_quant;
        options.blocksize = 128;
        options.dtype = dtype;
        const RawTensors out = merged(options);
        const std::string merged_config = config;
        const RawTensors expected = in_steps(
            base(),
            [&](const fs::path& in, const fs::path& to) {
              MergeOptions plain_options;
              plain_options.dtype = dtype;
              merge(in, std::vector<AdapterInput>{{adapter()}}, to, plain_options);
            },
            [&](const fs::path& in, const fs::path& to) {
              QuantizeOptions quantize_options;
              quantize_options.quant_type = quant_type;
              quantize_options.double_quant = double_quant;
              quantize_options.blocksize = 128;
              quantize_options.dtype = dtype;
              quantize(in, to, quantize_options);
            });
        EXPECT_TRUE(out == expected);
        EXPECT_EQ(merged_config, config);
      }
}

TEST_F(MergeQuantized, a_base_as_it_was_trained_on_is_one_quantized_and_decoded) {
  const RawTensors expected = in_steps(
      base(), [](const fs::path& in, const fs::path& out) { dequantize(in, out); },
      [&](const fs::path& in, const fs::path& out) { merge(in, std::vector<AdapterInput>{{adapter()}}, out); });
  fs::remove_all(base());
  fs::copy(plain(), base());
  MergeOptions options;
  options.base_as = QuantType::nf4;
  EXPECT_TRUE(merged(options) == expected);
  options.to_4bit = QuantType::nf4;
  const RawTensors encoded = merged(options);
  EXPECT_TRUE(encoded.at(kUp + ".weight").bytes == bytes_of(encoded_by_op(expected.at(kUp + ".weight"), {}).packed));
}

// BitsAndBytesConfig excludes fewer layers than quantize() does.
class SeenInTraining : public Merge {
 protected:
  // Returns those of the base's `modules`, all matrices, whose values a merge with `base_as` changes.
  Names seen(const Names& modules, const std::string& config, MergeOptions options = {}) {
    RawTensors tensors{{kUp + ".weight", random_weight({64, 128})}};
    for (const std::string& module : modules) tensors[module] = random_weight({64, 128}, Dtype::bfloat16, 3);
    write_base(tensors, config);
    write_adapter(adapter(), lora(kUp, 64, 128, 4));
    options.base_as = QuantType::nf4;
    const RawTensors out = merged(options);
    Names changed;
    for (const std::string& module : modules)
      if (!(out.at(module) == tensors.at(module))) changed.push_back(module);
    return changed;
  }

  const std::string kLlava = R"({"architectures": ["LlavaForConditionalGeneration"], "model_type": "llava"})";
};

TEST_F(SeenInTraining, is_every_linear_layer_but_heads_and_tables) {
  const Names linear{"a.embed_vision.embedding_projection.weight", "a.merger.mlp.0.weight",
                     "a.multi_modal_projector.linear_1.weight", "a.vision_tower.fc1.weight"};
  Names all{"a.experts.3.up_proj.weight", "a.mlp.gate.weight", "a.pos_embed.weight",
            "a.router.layer.weight",      "a.wte.weight",      "lm_head.weight",
            "model.embed_tokens.weight",  "score.weight",      "a.query_token.weight"};
  all.insert(all.end(), linear.begin(), linear.end());
  EXPECT_EQ(seen(all, R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama"})"), linear);
  EXPECT_EQ(seen({"a.mlp.router.gate.weight"}, R"({"model_type": "afmoe"})").size(), 1U);
  EXPECT_EQ(seen({"text_projection.weight"}, R"({"model_type": "clip"})").size(), 0U);
  EXPECT_EQ(seen({"text_projection.weight"}, R"({"model_type": "align"})").size(), 1U);
  EXPECT_EQ(seen({"a.attn.Wqkv.weight"}, R"({"model_type": "nomic_bert"})").size(), 0U);
  EXPECT_TRUE(holds(report.notes.front(), "transformers divides or joins 1 matrices as it loads a 'nomic_bert'"));
}

TEST_F(SeenInTraining, is_what_somebody_says) {
  const Names all{"a.mlp.gate.weight", "a.vision_tower.fc1.weight", "b.fc1.weight", "lm_head.weight"};
  MergeOptions options;
  options.include = {"*.gate.weight"};
  options.exclude = {"a.vision_tower.*"};
  EXPECT_EQ(seen(all, kLlava, options), (Names{"a.mlp.gate.weight", "b.fc1.weight"}));
  EXPECT_EQ(seen(all, R"({"quantization_config": {"quant_method": "bitsandbytes",
                                                  "llm_int8_skip_modules": ["vision_tower.fc1", 1]}})"),
            (Names{"b.fc1.weight", "lm_head.weight"}));
  options.exclude = {"nothing"};
  EXPECT_REFUSED(Status::invalid_argument, "exclude 'nothing' matches nothing", seen(all, kLlava, options));
  options.exclude.clear();
  EXPECT_REFUSED(Status::invalid_argument, "with `base_as` or `to`", merged(options));
  options.to_4bit = QuantType::nf4;
  EXPECT_TRUE(merged(options).contains("a.mlp.gate.weight.quant_state.bitsandbytes__nf4"));
}

TEST_F(MergeQuantized, a_base_as_4_bits_needs_a_plain_base) {
  MergeOptions options;
  options.base_as = QuantType::nf4;
  EXPECT_REFUSED(Status::invalid_argument, "is quantized already; `base_as` is for a base in 16 or 32 bits",
                 merged(options));
}

}  // namespace
}  // namespace qfuse::checkpoint
