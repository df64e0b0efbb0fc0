#include "checkpoint/names/tensor_names.h"

#include <algorithm>
#include <utility>

#include "support.h"

namespace qfuse::checkpoint {
namespace {

// Returns the name that matches `name` among `names`, or "" if none does.
std::string found(const Names& names, const std::string& name) {
  std::vector<Tensor> tensors(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) tensors[i].name = names[i];
  const Tensor* tensor = TensorNames(tensors).find(name, "f: tensor 't'");
  return tensor == nullptr ? "" : tensor->name;
}

TEST(TensorNames, the_same_name_comes_first) {
  EXPECT_EQ(found({"a.b.w", "b.a.w", "x.a.b.w"}, "a.b.w"), "a.b.w");
  EXPECT_EQ(found({"w"}, "w"), "w");
}

TEST(TensorNames, parts_in_another_order) {
  EXPECT_EQ(found({"language_model.model.layers.0.q.weight"}, "model.language_model.layers.0.q.weight"),
            "language_model.model.layers.0.q.weight");
}

// Expert 0 of layer 1 is not expert 1 of layer 0.
TEST(TensorNames, numbers_keep_their_order) {
  EXPECT_EQ(found({"layers.1.experts.0.weight"}, "layers.0.experts.1.weight"), "");
  EXPECT_EQ(found({"a.model.layers.1.experts.0.weight"}, "model.a.layers.0.experts.1.weight"), "");
  EXPECT_EQ(found({"a.model.layers.1.experts.0.weight"}, "model.a.layers.1.experts.0.weight"),
            "a.model.layers.1.experts.0.weight");
}

TEST(TensorNames, a_beginning_that_one_of_them_lacks) {
  EXPECT_EQ(found({"layers.0.q.weight"}, "model.layers.0.q.weight"), "layers.0.q.weight");
  EXPECT_EQ(found({"model.layers.0.q.weight"}, "layers.0.q.weight"), "model.layers.0.q.weight");
  EXPECT_EQ(found({"weight"}, "a.b.weight"), "") << "that says nothing";
  EXPECT_EQ(found({"model.layers.10.q.weight"}, "layers.0.q.weight"), "");
  for (const char* wrapper : {"bert", "transformer", "module", "_orig_mod", "base_model.model", "module.gpt_neox"})
    EXPECT_EQ(found({"h.0.q.weight"}, std::string(wrapper) + ".h.0.q.weight"), "h.0.q.weight");
}

// A layer of a vision tower is not a layer of a model without a tower.
TEST(TensorNames, a_module_is_no_wrapper) {
  for (const char* module : {"vision_tower", "audio_tower", "model.vision_tower", "encoder", "er", "bert.encoder"})
    EXPECT_EQ(found({"layers.0.q.weight"}, std::string(module) + ".layers.0.q.weight"), "");
}

TEST(TensorNames, under_a_prefix) {
  std::vector<Tensor> tensors(4);
  for (std::size_t i = 0; const char* name : {"a.x.q.w", "b.x.q.w", "b.y.w", "bc.x.q.w"}) tensors[i++].name = name;
  const TensorNames names(tensors, "b.");
  EXPECT_EQ(names.find("x.q.w", "f"), &tensors[1]);
  EXPECT_EQ(names.find("model.y.w", "f"), &tensors[2]);
  EXPECT_EQ(names.find("b.x.q.w", "f"), nullptr);
  EXPECT_EQ(names.find("a.x.q.w", "f"), nullptr);
}

// kohya's scripts replace every dot by an underscore.
TEST(TensorNames, of_kohyas_scripts) {
  const Names unet{"down_blocks.0.resnets.0.conv1.weight",
                   "down_blocks.0.resnets.1.conv1.weight",
                   "down_blocks.0.downsamplers.0.conv.weight",
                   "down_blocks.1.attentions.1.proj_in.weight",
                   "down_blocks.1.resnets.0.time_emb_proj.weight",
                   "mid_block.attentions.0.proj_in.weight",
                   "mid_block.resnets.1.conv2.weight",
                   "up_blocks.1.resnets.2.conv_shortcut.weight",
                   "up_blocks.1.upsamplers.0.conv.weight",
                   "conv_in.weight"};
  const Names stabilitys{"input_blocks_1_0_in_layers_2",  "input_blocks_2_0_in_layers_2",
                         "input_blocks_3_0_op",           "input_blocks_5_1_proj_in",
                         "input_blocks_4_0_emb_layers_1", "middle_block_1_proj_in",
                         "middle_block_2_out_layers_3",   "output_blocks_5_0_skip_connection",
                         "output_blocks_5_2_conv",        "input_blocks_0_0"};
  for (std::size_t i = 0; i < unet.size(); ++i) {
    std::string layer = unet[i].substr(0, unet[i].size() - 7);
    std::replace(layer.begin(), layer.end(), '.', '_');
    EXPECT_EQ(found(unet, "lora_unet_" + layer + ".weight"), unet[i]);
    EXPECT_EQ(found(unet, "lora_unet_" + stabilitys[i] + ".weight"), unet[i]) << stabilitys[i];
  }
  EXPECT_EQ(
      found({"text_model.encoder.layers.0.mlp.fc1.weight"}, "lora_te1_text_model_encoder_layers_0_mlp_fc1.weight"),
      "text_model.encoder.layers.0.mlp.fc1.weight");
  EXPECT_EQ(found({"encoder.layers.0.mlp.fc1.weight"}, "lora_te_text_model_encoder_layers_0_mlp_fc1.weight"),
            "encoder.layers.0.mlp.fc1.weight");
  for (const char* none : {"lora_unet_input_blocks_1_0_op.weight", "lora_unet_input_blocks_.weight",
                           "lora_unet_input_blocks_99999_0_op.weight", "lora_unet_input_blocks_-4_1_proj_in.weight",
                           "lora_unet_middle_block_x.weight", "lora_unet_.weight", "lora_unet_output_blocks_0.weight",
                           "lora_unet_input_blocks_0_1_proj_in.weight", "lora_unet_conv_in.bias"})
    EXPECT_EQ(found(unet, none), "") << none;
  EXPECT_EQ(found({"a.proj_in.weight"}, "lora_unet_input_blocks_4_1_proj_in.weight"), "") << "no UNet";
  EXPECT_NE(error_of(Status::invalid_data,
                     [] {
                       found({"a.b_c.weight", "a_b.c.weight"}, "lora_unet_a_b_c.weight");
                     }),
            "");
}

TEST(TensorNames, layers_of_mixtures_that_are_renamed_on_loading) {
  for (const auto& [in_file, in_memory] :
       {std::pair("model.layers.0.block_sparse_moe.gate.weight", "model.layers.0.mlp.gate.weight"),
        std::pair("layers.0.ffn.experts.0.w1.weight", "model.layers.0.mlp.experts.0.w1.weight"),
        std::pair("model.layers.0.moe.up_proj.weight", "model.language_model.layers.0.mlp.up_proj.weight"),
        std::pair("layers.0.experts.0.w1.weight", "model.layers.0.mlp.experts.0.w1.weight"),
        std::pair("backbone.layers.0.mixer.q_proj.weight", "model.layers.0.mixer.q_proj.weight"),
        std::pair("model.llm.layers.0.mlp.experts.w2_weight", "model.layers.0.mlp.experts.w2_weight"),
        std::pair("model.llm.layers.0.mlp.experts.w2_weight", "model.language_model.layers.0.mlp.experts.w2_weight")}) {
    EXPECT_EQ(found({in_file}, in_memory), in_file);
    EXPECT_EQ(found({in_file, in_memory}, in_memory), in_memory);
  }
}

TEST(TensorNames, two_that_would_do_are_refused) {
  EXPECT_EQ(error_of(Status::invalid_data,
                     [] {
                       found({"a.x.q.w", "b.x.q.w"}, "x.q.w");
                     }),
            "f: tensor 't': its tensor 'x.q.w' may be 'a.x.q.w' or 'b.x.q.w' of the model, which has no such name: "
            "`prefix` says under which module its names lie");
  EXPECT_NE(error_of(Status::invalid_data, [] { found({"a.b.w", "b.a.w"}, "w.a.b"); }), "");
}

// The search indexes every suffix of a name, but not of names with so many parts that this would exhaust the memory.
TEST(TensorNames, names_of_very_many_parts) {
  std::string long_name = "w";
  for (int i = 0; i < 100'000; ++i) long_name += ".a";
  EXPECT_EQ(found({long_name}, "a.a"), "");
  EXPECT_EQ(found({long_name}, long_name), long_name);
  EXPECT_EQ(found({"a.a"}, long_name), "");
  std::string wrapped;
  for (int i = 0; i < 100'000; ++i) wrapped += "model.";
  EXPECT_EQ(found({"bert.a.b"}, wrapped + "a.b"), "");
}

}  // namespace
}  // namespace qfuse::checkpoint
