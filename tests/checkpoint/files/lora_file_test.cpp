// LoRA files of diffusers and of kohya's scripts: how their names are read, and what is refused.
// tests/libraries/merging_lora_files.py tests with diffusers that they are merged as diffusers merges them.
#include "checkpoint/files/lora_file.h"

#include <cmath>

#include "support.h"

namespace qfuse::checkpoint {
namespace {

RawTensor matrix(std::int64_t rows, std::int64_t columns) { return random_weight({rows, columns}, Dtype::float32); }

RawTensor number(float value) { return {"F32", {}, bytes_of(std::vector<float>{value})}; }

// Matrices of rank 4 for one layer, under kohya's names.
RawTensors kohya(const std::string& layer) {
  return {{layer + ".lora_down.weight", matrix(4, 8)}, {layer + ".lora_up.weight", matrix(6, 4)}};
}

class LoraFiles : public testing::Test {
 protected:
  std::vector<Adapter> read(const RawTensors& tensors) {
    write_file(path, safetensors(tensors));
    return read_lora_file(path);
  }
  // Reads a file whose header has these metadata, with one layer of a unet.
  std::vector<Adapter> read_with(const std::string& metadata) {
    const RawTensors tensors{{"unet.a.lora_A.weight", matrix(4, 8)}, {"unet.a.lora_B.weight", matrix(6, 4)}};
    const std::string plain = safetensors(tensors);
    std::uint64_t length = 0;
    std::memcpy(&length, plain.data(), sizeof(length));
    auto header = nlohmann::json::parse(plain.substr(sizeof(length), length));
    header["__metadata__"] = {{"lora_adapter_metadata", metadata}};
    write_file(path, file_bytes(header.dump(), plain.substr(sizeof(length) + length)));
    return read_lora_file(path);
  }
  std::string refusal(Status status, const RawTensors& tensors) {
    return error_of(status, [&] { read(tensors); });
  }

  TemporaryDirectory directory;
  fs::path path = directory / "lora.safetensors";
};

TEST_F(LoraFiles, what_a_name_says) {
  struct Meaning {
    std::string component;
    AdapterPart part;
    std::string module;
  };
  const std::map<std::string, Meaning> known{
      {"unet.m.to_q.lora_A.weight", {"unet", AdapterPart::a, "m.to_q"}},
      {"unet.m.to_q.lora_B.weight", {"unet", AdapterPart::b, "m.to_q"}},
      {"transformer.m.lora.down.weight", {"transformer", AdapterPart::a, "m"}},
      {"m.to_q.lora_A.default.weight", {"", AdapterPart::a, "m.to_q"}},
      {"m.to_q.lora_up.weight", {"", AdapterPart::b, "m.to_q"}},
      {"diffusion_model.m.to_q.lora_A.weight", {"", AdapterPart::a, "m.to_q"}},
      {"transformer.m.lora.up.weight", {"transformer", AdapterPart::b, "m"}},
      {"unet.m.attn1.processor.to_out_lora.down.weight", {"unet", AdapterPart::a, "m.attn1.to_out.0"}},
      {"unet.m.attn1.processor.to_k_lora.up.weight", {"unet", AdapterPart::b, "m.attn1.to_k"}},
      {"text_encoder.m.to_out_lora.down.weight", {"text_encoder", AdapterPart::a, "m.out_proj"}},
      {"text_encoder_2.m.q_proj.lora_linear_layer.up.weight", {"text_encoder_2", AdapterPart::b, "m.q_proj"}},
      {"m.to_q.lora_B.bias", {"", AdapterPart::b_bias, "m.to_q"}},
      {"m.to_q.lora_magnitude_vector.weight", {"", AdapterPart::magnitude, "m.to_q"}},
      {"lora_te2_m_x.lora_up.weight", {"text_encoder_2", AdapterPart::b, "lora_te2_m_x"}},
      {"lora_te1_m_x.lora_up.weight", {"text_encoder", AdapterPart::b, "lora_te1_m_x"}},
      {"lora_te_m_x.lora_down.weight", {"text_encoder", AdapterPart::a, "lora_te_m_x"}},
      {"lora_unet_m_x.lora_down.weight", {"unet", AdapterPart::a, "lora_unet_m_x"}}};
  RawTensors tensors;
  for (const auto& [name, meaning] : known) tensors[name] = f32({1.0F});
  std::size_t count = 0;
  for (const Adapter& adapter : read(tensors))
    for (const AdapterTensor& tensor : adapter.tensors()) {
      const Meaning& meaning = known.at(tensor.stored.entry->name);
      EXPECT_EQ(adapter.component(), meaning.component) << tensor.stored.entry->name;
      EXPECT_EQ(tensor.part, meaning.part);
      EXPECT_EQ(tensor.module, meaning.module);
      ++count;
    }
  EXPECT_EQ(count, known.size());
}

TEST_F(LoraFiles, scales) {
  RawTensors tensors = kohya("lora_unet_a");
  EXPECT_EQ(read(tensors).front().config().scale_of("lora_unet_a"), 1.0) << "alpha is the rank";
  for (const RawTensor& two : {number(2.0F), RawTensor{"F64", {1}, bytes_of(std::vector<double>{2.0})},
                               RawTensor{"I64", {}, bytes_of(std::vector<std::int64_t>{2})},
                               RawTensor{"BF16", {}, bytes_of(std::vector<std::uint16_t>{0x4000})}}) {
    tensors["lora_unet_a.alpha"] = two;
    const AdapterConfig config = read(tensors).front().config();
    EXPECT_EQ(config.rank_of("lora_unet_a"), 4);
    EXPECT_EQ(config.scale_of("lora_unet_a"), 0.5) << two.type;
  }
}

TEST_F(LoraFiles, alphas_that_are_none) {
  const auto with_alpha = [](const RawTensor& alpha) {
    RawTensors tensors = kohya("lora_unet_a");
    tensors["lora_unet_a.alpha"] = alpha;
    return tensors;
  };
  for (const float bad : {0.0F, NAN, INFINITY, -INFINITY})
    EXPECT_TRUE(holds(refusal(Status::invalid_data, with_alpha(number(bad))), "'lora_unet_a.alpha': is ")) << bad;
  EXPECT_TRUE(holds(refusal(Status::invalid_data, with_alpha(f32({1.0F, 2.0F}))), "is to be one number"));
  EXPECT_TRUE(holds(refusal(Status::invalid_data, with_alpha({"F32", {0}, {}})), "is to be one number"));
  EXPECT_TRUE(holds(refusal(Status::unsupported, with_alpha(u8({4}))), "has the dtype U8, which no alpha has"));
  RawTensors alone = kohya("lora_unet_a");
  alone["lora_unet_b.alpha"] = number(4.0F);
  EXPECT_TRUE(holds(refusal(Status::invalid_data, alone), "has no alpha beside it"));
  alone["lora_unet_a.alpha"] = number(4.0F);
  EXPECT_TRUE(holds(refusal(Status::invalid_data, alone), "is the alpha of a layer that has no matrices"));
}

TEST_F(LoraFiles, ranks_that_are_none) {
  const std::vector<std::vector<std::int64_t>> shapes{{0, 8}, {}, {(1 << 20) + 1, 0}};
  for (const std::vector<std::int64_t>& shape : shapes) {
    RawTensor down{"F32", shape, shape.empty() ? bytes_of(std::vector<float>{1.0F}) : ""};
    EXPECT_TRUE(holds(refusal(Status::invalid_data, {{"lora_unet_a.lora_down.weight", down}}), "is no rank"));
  }
}

TEST_F(LoraFiles, diffusers_metadata) {
  const auto scale = [&](const std::string& metadata) { return read_with(metadata).front().config().scale_of("a"); };
  EXPECT_EQ(scale(R"({"unet.peft_type": "LORA", "unet.r": 4, "unet.lora_alpha": 2, "text_encoder.r": 7})"), 0.5);
  EXPECT_EQ(scale(R"({"unet.peft_type": "LORA", "unet.r": 4, "unet.lora_alpha": 2, "unet.alpha_pattern": {"a": 8}})"),
            2.0);
  const auto refused = [&](const std::string& metadata, Status status = Status::invalid_data) {
    return error_of(status, [&] { read_with(metadata); });
  };
  EXPECT_TRUE(holds(refused(R"({"text_encoder.r": 4})"), "lora_adapter_metadata: says nothing of unet"));
  EXPECT_TRUE(holds(refused("[]"), "is not a JSON object"));
  EXPECT_TRUE(holds(refused("{"), "lora_adapter_metadata"));
  EXPECT_TRUE(
      holds(refused(R"({"unet.peft_type": "LORA", "unet.r": 4, "unet.lora_alpha": NaN})"), "lora_alpha is NaN"));
  EXPECT_TRUE(holds(refused(R"({"unet.peft_type": "LOKR", "unet.r": 4})", Status::unsupported), "only LORA"));
  EXPECT_TRUE(holds(
      refused(R"({"unet.peft_type": "LORA", "unet.r": 4, "unet.lora_alpha": 2, "unet.new": 1})", Status::unsupported),
      "no such field is known"));
}

TEST_F(LoraFiles, what_is_known_and_not_merged_is_named) {
  const std::map<std::string, std::string> kinds{{"lora_unet_a.hada_w1_a", "LoHa"},
                                                 {"lora_unet_a.lokr_w1", "LoKr"},
                                                 {"lora_unet_a.lora_mid.weight", "CP form"},
                                                 {"lora_unet_a.dora_scale", "DoRA as LyCORIS"},
                                                 {"lora_unet_a.diff_b", "whole differences"},
                                                 {"lora_unet_double_blocks_0_img_attn_qkv.lora_down.weight", "Flux"},
                                                 {"lora_unet_joint_blocks_0_x_block_attn_qkv.lora_down.weight", "SD3"},
                                                 {"lora_te3_a.lora_down.weight", "T5"},
                                                 {"lora_transformer_a.lora_down.weight", "OneTrainer"},
                                                 {"lycoris_a.lora_down.weight", "LyCORIS"},
                                                 {"base_model.model.a.lora_A.weight", "give its directory"}};
  for (const auto& [name, said] : kinds)
    EXPECT_TRUE(holds(refusal(Status::unsupported, {{name, matrix(4, 8)}}), said)) << name;
}

TEST_F(LoraFiles, what_is_not_understood) {
  for (const char* name :
       {"unet.a.weight", "a", "unet", "unet.lora_A.weight", ".lora_A.weight", "lora_unet_a", "lora_unet_",
        "lora_unet_a.lora_C.weight", "lora_unet_a.b.lora_down.weight", "lora_te_.x", ".alpha"})
    EXPECT_TRUE(holds(refusal(Status::unsupported, {{name, matrix(4, 8)}}), "is no part of a LoRA file")) << name;
  EXPECT_TRUE(holds(refusal(Status::invalid_data, {}), "holds no tensor"));
  EXPECT_TRUE(holds(refusal(Status::unsupported, {{"unet.a.lora_A.weight", u8({1})}}), "has the dtype U8"));
}

TEST_F(LoraFiles, which_paths_are_of_such_files) {
  read(kohya("lora_unet_a"));
  EXPECT_TRUE(is_lora_file(path));
  EXPECT_FALSE(is_lora_file(directory.path()));
  EXPECT_FALSE(is_lora_file(directory / "nothing"));
  fs::rename(path, directory / "pytorch_lora_weights.safetensors");
  EXPECT_TRUE(is_lora_file(directory.path()));
  EXPECT_EQ(read_lora_file(directory.path()).size(), 1U);
  write_file(directory / "adapter_config.json", "{}");
  EXPECT_FALSE(is_lora_file(directory.path())) << "peft's";
}

}  // namespace
}  // namespace qfuse::checkpoint
