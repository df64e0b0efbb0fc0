// Which tensors form an FP8 weight, and which block each scale belongs to. Everything else is refused by name.
#include "checkpoint/files/layout.h"

#include "fp8.h"

namespace qfuse::checkpoint {
namespace {

std::optional<Config> config_of(const std::string& json) {
  if (json.empty()) return std::nullopt;
  return Config(json, "config.json");
}

std::string read_error(Status status, const RawTensors& tensors, const std::string& config = "") {
  const TemporaryDirectory directory;
  write_file(directory / "x.safetensors", safetensors(tensors));
  const Model model(directory / "x.safetensors");
  return error_of(status, [&] { read_layout(model, config_of(config)); });
}

struct AcceptedFp8 {
  const char* name;
  std::vector<std::int64_t> shape;
  const char* scale_name;
  std::vector<std::int64_t> scale_shape;
  std::array<std::int64_t, 5> found;  // matrices, rows, columns, block_rows, block_columns
  const char* config = "";
};

const char* const kCompressed =
    R"({"quantization_config": {"config_groups": {"group_0": {"weights": {"num_bits": 8, "type": "float", )";

TEST(Fp8, a_block_is_what_config_says_or_128_by_128_and_scales_fit_it_by_ceil) {
  const std::string blocks = std::string(kCompressed) + R"("block_structure": [3, 4]}}}}})";
  const std::string text = std::string(kCompressed) + R"("block_structure": "3x4"}}}}})";
  const std::string groups = std::string(kCompressed) + R"("group_size": 32}}}}})";
  const std::string tensors = std::string(kCompressed) + R"("group_size": null, "block_structure": null}}}}})";
  const std::string part = R"({"text_config": )" + std::string(kFp8Config) + "}";
  const std::vector<AcceptedFp8> cases{
      {"deepseek_ragged", {576, 7168}, "w.weight_scale_inv", {5, 56}, {1, 576, 7168, 128, 128}},
      {"deepseek_v4", {576, 200}, "w.scale", {5, 2}, {1, 576, 200, 128, 128}},
      {"comfy", {576, 200}, "w.scale_weight", {}, {1, 576, 200, 576, 200}},
      {"mistral", {576, 200}, "w.qscale_weight", {}, {1, 576, 200, 576, 200}},
      {"config", {7, 11}, "w.weight_scale_inv", {3, 3}, {1, 7, 11, 3, 4}, kFp8Config},
      {"config_of_a_part", {7, 11}, "w.weight_scale_inv", {3, 3}, {1, 7, 11, 3, 4}, part.c_str()},
      {"compressed_blocks", {7, 11}, "w.weight_scale", {3, 3}, {1, 7, 11, 3, 4}, blocks.c_str()},
      {"compressed_text", {7, 11}, "w.weight_scale", {3, 3}, {1, 7, 11, 3, 4}, text.c_str()},
      {"compressed_groups", {6, 70}, "w.weight_scale", {6, 3}, {1, 6, 70, 1, 32}, groups.c_str()},
      {"compressed_rows", {7, 11}, "w.weight_scale", {7, 1}, {1, 7, 11, 1, 11}, tensors.c_str()},
      {"modelopt_blocks", {576, 200}, "w.weight_scale", {5, 1, 2, 1}, {1, 576, 200, 128, 128}},
      {"rows", {7, 11}, "w.weight_scale", {7}, {1, 7, 11, 1, 11}},
      {"all", {7, 11}, "w.weight_scale", {}, {1, 7, 11, 7, 11}},
      {"all_of_one", {7, 11}, "w.weight_scale", {1}, {1, 7, 11, 7, 11}},
      {"all_of_one_by_one", {700, 11}, "w.weight_scale", {1, 1}, {1, 700, 11, 700, 11}},
      {"all_beside_blocks", {7, 11}, "w.weight_scale", {1, 1}, {1, 7, 11, 7, 11}, kFp8Config},
      {"a_block_is_all", {7, 11}, "w.weight_scale_inv", {1, 1}, {1, 7, 11, 128, 128}},
      {"a_vector", {11}, "w.weight_scale", {1}, {1, 1, 11, 1, 11}},
      {"a_convolution", {2, 3, 4, 5}, "w.weight_scale", {}, {1, 24, 5, 24, 5}},
      {"channels", {8, 3, 4, 5}, "w.weight_scale", {8, 1, 1, 1}, {1, 8, 60, 1, 60}},
      {"channels_that_blocks_would_cut", {2, 5, 20, 5}, "w.weight_scale", {2, 1, 1, 1}, {1, 2, 500, 1, 500}},
      {"no_channels", {0, 3, 4, 5}, "w.weight_scale", {0, 1, 1, 1}, {1, 0, 5, 128, 128}},
      {"nothing", {0, 11}, "w.weight_scale_inv", {0, 1}, {1, 0, 11, 128, 128}},
  };
  for (const AcceptedFp8& it : cases) {
    SCOPED_TRACE(it.name);
    const TemporaryDirectory directory;
    write_file(directory / "x",
               safetensors({{"w.weight", fp8_codes(it.shape)}, {it.scale_name, fp8_scales("F32", it.scale_shape)}}));
    const Model model(directory / "x");
    const Layout layout = read_layout(model, config_of(it.config));
    ASSERT_EQ(layout.tensors.size(), 1U);
    EXPECT_EQ(layout.tensors[0].shape, it.shape);
    const auto& found = std::get<StoredWeightFp8>(layout.tensors[0].storage);
    EXPECT_EQ((std::array{found.matrices, found.rows, found.columns, found.block_rows, found.block_columns}), it.found);
    EXPECT_EQ(found.dtype, Dtype::bfloat16);
  }
}

TEST(Fp8, stacks_of_experts_have_scales_each) {
  const std::vector<AcceptedFp8> cases{
      {"blocks", {2, 300, 200}, "", {2, 3, 2}, {2, 300, 200, 128, 128}},
      {"rows", {2, 5, 6}, "", {2, 5, 1}, {2, 5, 6, 1, 6}},
      {"columns", {2, 5, 6}, "", {2, 1, 6}, {2, 5, 6, 5, 1}},
      {"each", {2, 500, 6}, "", {2}, {2, 500, 6, 500, 6}},
      {"all", {2, 5, 6}, "", {1}, {1, 10, 6, 10, 6}},
      {"all_of_one_by_one", {2, 5, 6}, "", {1, 1}, {1, 10, 6, 10, 6}},
      {"all_of_ones", {2, 5, 6}, "", {1, 1, 1}, {1, 10, 6, 10, 6}},
  };
  for (const AcceptedFp8& it : cases) {
    SCOPED_TRACE(it.name);
    const TemporaryDirectory directory;
    write_file(directory / "x", safetensors({{"e.down_proj", fp8_codes(it.shape)},
                                             {"e.down_proj_scale_inv", fp8_scales("F32", it.scale_shape)}}));
    const Model model(directory / "x");
    const Layout layout = read_layout(model, std::nullopt);
    const auto& found = std::get<StoredWeightFp8>(layout.tensors.at(0).storage);
    EXPECT_EQ((std::array{found.matrices, found.rows, found.columns, found.block_rows, found.block_columns}), it.found);
  }
}

TEST(Fp8, refuses_weights_whose_parts_disagree) {
  struct Refused {
    const char* name;
    RawTensors tensors;
    const char* message;
    Status status = Status::invalid_data;
    const char* config = kFp8Config;
  };
  const RawTensors good = small_fp8();
  const auto scales = [](std::vector<std::int64_t> shape) { return fp8_scales("F32", std::move(shape)); };
  const std::string two = R"({"quantization_config": {"weight_block_size": [3, 4]}, "part": {"quantization_config": )"
                          R"({"weight_block_size": [3, 5]}}})";
  const std::string no_text = std::string(kCompressed) + R"("block_structure": "3x4x"}}}}})";
  const std::vector<Refused> cases{
      {"floor", with_part(good, "a.weight_scale_inv", scales({2, 2})),
       "has shape [2, 2]; scales of 'a.weight', which is [7, 11], have [3, 3] in blocks of 3 x 4, or one for each row"},
      {"turned", with_part(with_part(good, "a.weight", fp8_codes({7, 5})), "a.weight_scale_inv", scales({2, 3})),
       "has shape [2, 3]; scales of 'a.weight', which is [7, 5], have [3, 2]"},
      {"stack_missing",
       with_part(with_part(with_part(good, "e.up_proj", fp8_codes({2, 3, 4})), "e.up_proj_scale", scales({1})),
                 "e.down_proj_scale", scales({2, 1, 4})),
       "'e.down_proj_scale': has the scales of a quantized weight, but 'e.down_proj' is missing"},
      {"stack_missing_of_two",
       with_part(with_part(with_part(good, "e.up", fp8_codes({2, 3, 4})), "e.up_scale", scales({1})), "f.up_scale",
                 scales({1})),
       "'f.up_scale': has the scales of a quantized weight, but 'f.up' is missing"},
      {"default_block", good, "have [1, 1] in blocks of 128 x 128", Status::invalid_data, ""},
      {"scale_missing", without_part(good, "b.weight_scale_inv"),
       "'b.weight': is F8_E4M3, and the tensor of its scales is missing: 'b.weight_scale_inv' or 'b.weight_scale'"},
      {"weight_missing", without_part(good, "b.weight"),
       "'b.weight_scale_inv': has the scales of a quantized weight, but 'b.weight' is missing"},
      {"weight_missing_of_others", with_part(good, "c.weight_scale", scales({1})), "but 'c.weight' is missing"},
      {"weight_missing_of_comfy", with_part(good, "c.scale_weight", scales({1})), "but 'c.weight' is missing"},
      {"weight_missing_of_v4", with_part(good, "c.scale", fp8_scales("F8_E8M0", {1})), "but 'c.weight' is missing"},
      {"weight_plain", with_part(good, "b.weight", f32({1})),
       "'b.weight_scale_inv': has the scales of 'b.weight', which is F32: only F8_E4M3 can be scaled"},
      {"weight_e5m2", with_part(good, "b.weight", {"F8_E5M2", {5, 6}, std::string(30, 'x')}), "which is F8_E5M2",
       Status::unsupported},
      {"two_scales", with_part(good, "a.weight_scale", scales({3, 3})),
       "'a.weight': has two tensors of scales, 'a.weight_scale_inv' and 'a.weight_scale'"},
      {"scale_type", with_part(good, "a.weight_scale_inv", {"F64", {3, 3}, std::string(72, 'x')}),
       "is F64, while scales of FP8 weights are F32, BF16, F16, F8_E8M0 or U8", Status::unsupported},
      {"no_block", good, "weight_block_size is [3], and must be two numbers above 0", Status::invalid_data,
       R"({"quantization_config": {"weight_block_size": [3]}})"},
      {"no_number", good, "weight_block_size is \"3x4\"", Status::invalid_data,
       R"({"quantization_config": {"weight_block_size": "3x4"}})"},
      {"no_text_of_a_block", good, "block_structure is \"3x4x\", and must be two numbers", Status::invalid_data,
       no_text.c_str()},
      {"block_of_0", good, "weight_block_size is [0,4]", Status::invalid_data,
       R"({"quantization_config": {"weight_block_size": [0, 4]}})"},
      {"two_blocks", good, "config.json says blocks of 3 x 4 and of 3 x 5, and both fit [3, 3]", Status::invalid_data,
       two.c_str()},
  };
  for (const Refused& refused : cases) {
    SCOPED_TRACE(refused.name);
    EXPECT_TRUE(holds(read_error(refused.status, refused.tensors, refused.config), refused.message));
  }
}

TEST(Fp8, every_tensor_is_claimed_once) {
  RawTensors tensors = small_fp8();
  tensors["a.k_scale"] = f32({1, 2});       // two elements, so not the scale of an attention but a parameter
  tensors["other.input_scale"] = f32({1});  // belongs to no FP8 weight
  tensors["gain.scale"] = f32({1});
  tensors["scaled_fp8"] = {"F8_E4M3", {0}, ""};
  tensors["a.comfy_quant"] = text("{}");
  const TemporaryDirectory directory;
  write_file(directory / "x", safetensors(tensors));
  const Model model(directory / "x");
  const Layout layout = read_layout(model, config_of(kFp8Config));
  Names plain;
  std::int64_t bytes = 0;
  for (const Tensor& tensor : layout.tensors) {
    bytes += tensor.stored_bytes();
    if (!tensor.is_of_other_methods()) plain.push_back(tensor.name);
  }
  EXPECT_EQ(plain, Names({"a.k_scale", "gain.scale", "norm.weight", "other.input_scale"}));
  Names scales;
  for (const StoredTensor& scale : layout.activation_scales) {
    bytes += scale.entry->bytes();
    scales.push_back(scale.entry->name);
  }
  EXPECT_EQ(scales, Names({"a.comfy_quant", "a.input_scale", "b.k_scale", "scaled_fp8"}));
  EXPECT_EQ(bytes, model.data_bytes());
}

Names plain_tensors(const RawTensors& tensors, const std::string& config = kFp8Config) {
  const TemporaryDirectory directory;
  write_file(directory / "x", safetensors(tensors));
  const Model model(directory / "x");
  Names plain;
  for (const Tensor& tensor : read_layout(model, config_of(config)).tensors)
    if (!tensor.is_of_other_methods()) plain.push_back(tensor.name);
  return plain;
}

TEST(Fp8, scales_of_an_attention_are_those_of_one_that_has_fp8) {
  for (const char* ending : {".q_scale", ".k_scale", ".v_scale", ".output_scale", ".kv_scale", ".prob_scale"}) {
    SCOPED_TRACE(ending);
    RawTensors tensors{{"l.attn.q_proj.weight", fp8_codes({3, 4})}, {"l.attn.q_proj.weight_scale", f32({1})}};
    for (const char* module : {"l.attn", "l.attn.q_proj", "l.att", "l.attn.k_proj", "norm"})
      tensors[module + std::string(ending)] = f32({1});
    Names kept;
    for (const char* module : {"l.att", "l.attn.k_proj", "norm"})
      if (std::string(module).ends_with("k_proj") && std::string(ending) == ".k_scale")
        continue;  // modelopt writes this name for any layer
      else
        kept.push_back(module + std::string(ending));
    EXPECT_EQ(plain_tensors(tensors), kept);
  }
}

TEST(Fp8, parameters_are_called_scales_too) {
  RawTensors tensors{{"e.up_proj", fp8_codes({2, 3, 4})}, {"e.up_proj_scale", f32({1})}};
  const Names names{"b.scale", "layer_scale", "logit_scale", "norm.scale", "r.per_expert_scale"};
  for (const std::string& name : names) tensors[name] = f32({1, 2});
  EXPECT_EQ(plain_tensors(tensors), names);
  RawTensors in_blocks = small_fp8();
  in_blocks["x.up_proj_scale"] = f32({1});  // a parameter, because the scales in this model end in _scale_inv
  EXPECT_EQ(plain_tensors(in_blocks), (Names{"norm.weight", "x.up_proj_scale"}));
}

// config.json beside the file may also belong to another model.
TEST(Fp8, a_file_has_the_blocks_of_the_config_beside_it) {
  const TemporaryDirectory directory;
  write_file(directory / "x.safetensors", safetensors(small_fp8()));
  const auto block = [&] { return inspect(directory / "x.safetensors").tensors.at(1).block; };
  write_file(directory / "config.json", kFp8Config);
  EXPECT_EQ(block(), (std::vector<std::int64_t>{3, 4}));
  for (const char* config : {"{}", "x", R"({"quantization_config": {"weight_block_size": 1}})"}) {
    write_file(directory / "config.json", config);
    EXPECT_REFUSED(Status::invalid_data, "in blocks of 128 x 128", block());
  }
}

TEST(Fp8, weights_decode_to_the_dtype_of_the_config) {
  const TemporaryDirectory directory;
  write_file(directory / "x", safetensors({{"w.weight", fp8_codes({2, 3})}, {"w.weight_scale", f32({1})}}));
  const Model model(directory / "x");
  EXPECT_EQ(read_layout(model, config_of(R"({"dtype": "float16"})")).tensors.at(0).quantized_dtype(), Dtype::float16);
}

}  // namespace
}  // namespace qfuse::checkpoint
