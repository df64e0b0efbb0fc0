// Checkpoints whose layer names only a loader of 4-bit models uses. Dequantizing restores the plain model's tensors.
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <qfuse/checkpoint.hpp>
#include <string>
#include <vector>

#include "adapters.h"
#include "support.h"

namespace qfuse::checkpoint {
namespace {

class PlainNamed : public testing::Test {
 protected:
  // Quantizes plain tensors under their names.
  void write_quantized(const RawTensors& tensors, const std::string& model_type) {
    const fs::path plain = directory / "plain";
    write_model(plain, tensors, R"({"model_type": "llama"})");
    fs::remove_all(in());
    QuantizeOptions options;
    options.include = {"*_proj*"};
    options.experts = true;
    quantize(plain, in(), options);
    nlohmann::json config = nlohmann::json::parse(read_file(in() / "config.json"));
    config["model_type"] = model_type;
    write_file(in() / "config.json", config.dump());
  }
  // Renames modules of the quantized model.
  void rename_all(const std::map<std::string, std::string>& modules) {
    RawTensors renamed;
    for (const auto& [name, tensor] : load(in())) {
      const std::string module = name.substr(0, name.find(".weight"));
      renamed[(modules.contains(module) ? modules.at(module) : module) + name.substr(module.size())] = tensor;
    }
    write_file(in() / "model.safetensors", safetensors(renamed));
  }
  RawTensors dequantized() {
    fs::remove_all(directory / "out");
    notes = dequantize(in(), directory / "out").notes;
    return load(directory / "out");
  }
  // Decodes without joining experts, because the config names a model type that needs no joining.
  RawTensors decoded() {
    const std::string config = read_file(in() / "config.json");
    nlohmann::json other = nlohmann::json::parse(config);
    other["model_type"] = "llama";
    write_file(in() / "config.json", other.dump());
    RawTensors tensors = dequantized();
    write_file(in() / "config.json", config);
    return tensors;
  }
  [[nodiscard]] fs::path in() const { return directory / "in"; }

  // Returns [experts, columns, rows]: concatenates each expert's [rows, columns] matrices by rows, then transposes.
  static RawTensor joined(const std::vector<std::vector<RawTensor>>& experts) {
    const std::int64_t columns = experts[0][0].shape[1];
    std::vector<float> all;
    std::int64_t rows = 0;
    for (const std::vector<RawTensor>& parts : experts) {
      std::vector<float> stacked;
      for (const RawTensor& part : parts)
        for (const float value : values_of(part)) stacked.push_back(value);
      rows = std::ssize(stacked) / columns;
      for (std::int64_t column = 0; column < columns; ++column)
        for (std::int64_t row = 0; row < rows; ++row)
          all.push_back(stacked[static_cast<std::size_t>(row * columns + column)]);
    }
    return tensor_of(all, {std::ssize(experts), columns, rows}, Dtype::bfloat16);
  }
  // Returns a tensor of `shape` that interleaves chunks of `width` elements from parts that each hold all experts.
  static RawTensor side_by_side(const std::vector<RawTensor>& parts, const std::vector<std::int64_t>& shape,
                                std::size_t width) {
    std::vector<float> all;
    for (std::size_t begin = 0; begin < values_of(parts[0]).size(); begin += width)
      for (const RawTensor& part : parts) {
        const std::vector<float> values = values_of(part);
        all.insert(all.end(), values.begin() + static_cast<std::ptrdiff_t>(begin),
                   values.begin() + static_cast<std::ptrdiff_t>(begin + width));
      }
    return tensor_of(all, shape, Dtype::bfloat16);
  }
  static RawTensor matrix(std::int64_t rows, std::int64_t columns) {
    static unsigned seed = 0;
    return random_weight({rows, columns}, Dtype::bfloat16, ++seed);
  }

  TemporaryDirectory directory;
  Names notes;
};

TEST_F(PlainNamed, experts_of_gpt_oss_are_joined) {
  const std::string layer = "model.layers.0.mlp.";
  RawTensors tensors{{layer + "router.linear.weight", matrix(3, 64)}, {"model.norm.weight", random_weight({64})}};
  for (int e = 0; e < 3; ++e) {
    tensors[fmt::format("{}experts.gate_up_projs.{}.weight", layer, e)] = matrix(192, 64);
    tensors[fmt::format("{}experts.gate_up_projs.{}.bias", layer, e)] = random_weight({192}, Dtype::bfloat16, 70 + e);
    tensors[fmt::format("{}experts.down_projs.{}.weight", layer, e)] = matrix(64, 128);
  }
  write_quantized(tensors, "gpt_oss");
  RawTensors apart = decoded();
  const RawTensors out = dequantized();
  EXPECT_EQ(out.size(), 5);
  const auto of = [&](const std::string& name, int e) {
    return apart.at(fmt::format("{}experts.{}s.{}.weight", layer, name, e));
  };
  for (const std::string name : {"gate_up_proj", "down_proj"})
    EXPECT_TRUE(out.at(layer + "experts." + name) == joined({{of(name, 0)}, {of(name, 1)}, {of(name, 2)}})) << name;
  const RawTensor& biases = out.at(layer + "experts.gate_up_proj_bias");
  EXPECT_EQ(biases.shape, (std::vector<std::int64_t>{3, 192}));
  for (int e = 0; e < 3; ++e)
    EXPECT_EQ(biases.bytes.substr(static_cast<std::size_t>(e * 384), 384),
              apart.at(fmt::format("{}experts.gate_up_projs.{}.bias", layer, e)).bytes);
  EXPECT_TRUE(out.at(layer + "router.weight") == tensors.at(layer + "router.linear.weight"));
  ASSERT_EQ(notes.size(), 1);
  EXPECT_TRUE(holds(notes.front(), "written as the plain model has them, with 3 tensors of all experts"));
}

TEST_F(PlainNamed, gate_and_up_of_llama_4_are_one_tensor) {
  const std::string experts = "model.layers.0.feed_forward.experts";
  RawTensors tensors;
  for (int e = 0; e < 12; ++e)  // two digits, to test that the order is numeric
    for (const char* part : {"gate_proj", "up_proj", "down_proj"})
      tensors[fmt::format("{}.{}.{}.weight", experts, e, part)] = matrix(64, 64);
  write_quantized(tensors, "llama4_text");
  RawTensors apart = decoded();
  const auto of = [&](int e, const char* part) { return apart.at(fmt::format("{}.{}.{}.weight", experts, e, part)); };
  std::vector<std::vector<RawTensor>> gate_up;
  std::vector<std::vector<RawTensor>> down;
  for (int e = 0; e < 12; ++e) {
    gate_up.push_back({of(e, "gate_proj"), of(e, "up_proj")});
    down.push_back({of(e, "down_proj")});
  }
  const RawTensors out = dequantized();
  EXPECT_EQ(out.size(), 2);
  EXPECT_TRUE(out.at(experts + ".gate_up_proj") == joined(gate_up));
  EXPECT_TRUE(out.at(experts + ".down_proj") == joined(down));
}

TEST_F(PlainNamed, experts_of_aria_are_joined) {
  const std::string experts = "language_model.model.layers.0.mlp.experts";
  RawTensors tensors;
  for (int e = 0; e < 2; ++e) {
    for (const char* part : {"gate_proj", "up_proj"})
      tensors[fmt::format("{}.experts.{}.{}.weight", experts, e, part)] = matrix(192, 64);
    tensors[fmt::format("{}.experts.{}.down_proj.weight", experts, e)] = matrix(64, 192);
  }
  write_quantized(tensors, "aria");
  RawTensors apart = decoded();
  const auto of = [&](int e, const char* part) {
    return apart.at(fmt::format("{}.experts.{}.{}.weight", experts, e, part));
  };
  const RawTensors out = dequantized();
  EXPECT_EQ(out.size(), 2);
  EXPECT_TRUE(out.at(experts + ".fc1.weight") ==
              joined({{of(0, "gate_proj"), of(0, "up_proj")}, {of(1, "gate_proj"), of(1, "up_proj")}}));
  EXPECT_TRUE(out.at(experts + ".fc2.weight") == joined({{of(0, "down_proj")}, {of(1, "down_proj")}}));
}

TEST_F(PlainNamed, gate_and_up_of_all_experts_of_llama_4_are_put_side_by_side) {
  const std::string experts = "language_model.model.layers.0.feed_forward.experts.";
  RawTensors tensors{{experts + "gate_proj.weight", matrix(3 * 64, 128)},
                     {experts + "up_proj.weight", matrix(3 * 64, 128)},
                     {experts + "down_proj.weight", matrix(3 * 128, 64)}};
  write_quantized(tensors, "llama4");
  RawTensors apart = decoded();
  const RawTensors out = dequantized();
  EXPECT_EQ(out.size(), 2);
  EXPECT_TRUE(
      out.at(experts + "gate_up_proj") ==
      side_by_side({apart.at(experts + "gate_proj.weight"), apart.at(experts + "up_proj.weight")}, {3, 64, 256}, 128));
  EXPECT_TRUE(out.at(experts + "down_proj") ==
              side_by_side({apart.at(experts + "down_proj.weight")}, {3, 128, 64}, 64));

  tensors.erase(experts + "up_proj.weight");
  write_quantized(tensors, "llama4");
  EXPECT_REFUSED(Status::invalid_data, "gate_up_proj', the tensor '*.experts.up_proj.weight' is missing",
                 dequantized());
  write_quantized({{experts + "down_proj.weight", matrix(3 * 128, 64)}}, "llama4");
  EXPECT_REFUSED(Status::invalid_data, "says how many one has, is missing", dequantized());
  write_quantized({{experts + "gate_proj.weight", matrix(3 * 64, 128)},
                   {experts + "up_proj.weight", matrix(3 * 64, 128)},
                   {experts + "down_proj.weight", matrix(3 * 128, 80)}},
                  "llama4");
  EXPECT_REFUSED(Status::invalid_data, "192 rows of all experts", dequantized());
}

TEST_F(PlainNamed, fused_layers_of_qwen3_become_the_experts) {
  const std::string mlp = "model.layers.1.mlp.";
  const auto stack = [](std::int64_t rows, std::int64_t columns, unsigned seed) {
    return random_weight({3, rows, columns}, Dtype::bfloat16, seed);
  };
  write_quantized({{mlp + "gate_proj.weight", stack(4, 6, 1)},
                   {mlp + "up_proj.weight", stack(4, 6, 2)},
                   {mlp + "down_proj.weight", stack(6, 4, 3)},
                   {"model.layers.0.mlp.gate_proj.weight", matrix(64, 64)}},  // not a layer of experts
                  "qwen3_moe");
  RawTensors apart = decoded();
  const RawTensors out = dequantized();
  EXPECT_EQ(out.size(), 3);
  EXPECT_TRUE(out.contains("model.layers.0.mlp.gate_proj.weight"));
  EXPECT_TRUE(out.at(mlp + "experts.gate_up_proj") ==
              side_by_side({apart.at(mlp + "gate_proj.weight"), apart.at(mlp + "up_proj.weight")}, {3, 8, 6}, 4 * 6));
  EXPECT_TRUE(out.at(mlp + "experts.down_proj") == apart.at(mlp + "down_proj.weight"));
}

TEST_F(PlainNamed, an_expert_that_is_missing_or_unlike_the_others_is_refused) {
  const std::string down = "model.layers.0.mlp.experts.down_projs.";
  write_quantized({{down + "0.weight", matrix(64, 64)}, {down + "2.weight", matrix(64, 64)}, {"norm", matrix(1, 64)}},
                  "gpt_oss");
  EXPECT_REFUSED(Status::invalid_data, "experts.down_proj', expert 1 is missing", dequantized());
  write_quantized({{down + "4000000000.weight", matrix(64, 64)}}, "gpt_oss");
  EXPECT_REFUSED(Status::invalid_data, "expert 0 is missing", dequantized());
  write_quantized({{down + "0.weight", matrix(64, 64)}, {down + "1.weight", matrix(64, 128)}}, "gpt_oss");
  EXPECT_REFUSED(Status::invalid_data, "differ in shape or type", dequantized());
  const std::string expert = "model.layers.0.feed_forward.experts.0.";
  write_quantized({{expert + "gate_proj.weight", matrix(64, 64)}, {expert + "up_proj.weight", matrix(128, 64)}},
                  "llama4");
  EXPECT_REFUSED(Status::invalid_data, "differ in shape or type", dequantized());
  write_quantized({{expert + "gate_proj.weight", matrix(64, 64)}}, "llama4");
  EXPECT_REFUSED(Status::invalid_data, "expert 0 is missing, or not whole", dequantized());
  write_quantized({{down + "0.weight", matrix(64, 64)}, {down + "00.weight", matrix(64, 64)}}, "gpt_oss");
  EXPECT_REFUSED(Status::invalid_data, "and so is another tensor", dequantized());
}

TEST_F(PlainNamed, experts_without_elements_are_joined_too) {
  const std::string biases = "model.layers.0.mlp.experts.down_projs.";
  write_quantized({{biases + "0.bias", random_weight({0})},
                   {biases + "1.bias", random_weight({0})},
                   {"up_proj.weight", matrix(64, 64)}},
                  "gpt_oss");
  EXPECT_EQ(dequantized().at("model.layers.0.mlp.experts.down_proj_bias").shape, (std::vector<std::int64_t>{2, 0}));
}

// ---- peft's names ----

TEST_F(PlainNamed, what_peft_has_wrapped_gets_its_own_names) {
  const std::string layer = "base_model.model.model.layers.0.mlp.";
  write_quantized({{"up_proj.weight", matrix(64, 64)}, {"down_proj.weight", matrix(64, 64)}}, "llama");
  rename_all({{"up_proj", layer + "up_proj.base_layer"}, {"down_proj", layer + "down_proj"}});
  const RawTensors out = dequantized();
  EXPECT_TRUE(out.contains("model.layers.0.mlp.up_proj.weight") && out.contains("model.layers.0.mlp.down_proj.weight"));
  ASSERT_EQ(notes.size(), 1);
  EXPECT_TRUE(holds(notes.front(), "are those that peft gives them; written without"));
  EXPECT_TRUE(compare(in(), directory / "out").equal);

  write_quantized({{"up_proj.weight", matrix(64, 64)}, {"down_proj.weight", matrix(64, 64)}}, "llama");
  rename_all({{"down_proj", "up_proj.base_layer"}});
  EXPECT_REFUSED(Status::invalid_data, "and so has another tensor", dequantized());
  EXPECT_EQ(compare(in(), in()).tensors.size(), 2U) << "each by its own name";
}

TEST_F(PlainNamed, an_adapter_among_a_models_tensors_is_never_converted) {
  const RawTensors tensors{{"model.layers.0.mlp.up_proj.base_layer.weight", matrix(64, 64)},
                           {"model.layers.0.mlp.up_proj.lora_A.default.weight", matrix(8, 64)},
                           {"model.layers.0.mlp.up_proj.lora_B.default.weight", matrix(64, 8)}};
  write_model(in(), tensors);
  const std::string expected = "is a model as peft has it in memory, with a LoRA adapter among its tensors";
  EXPECT_REFUSED(Status::unsupported, expected, dequantized());
  EXPECT_REFUSED(Status::unsupported, expected, quantize(in(), directory / "out"));
  write_adapter(directory / "adapter", lora("model.layers.0.mlp.up_proj", 64, 64, 4));
  const std::vector<AdapterInput> adapters{{directory / "adapter"}};
  EXPECT_REFUSED(Status::unsupported, expected, merge(in(), adapters, directory / "out"));
}

}  // namespace
}  // namespace qfuse::checkpoint
