// Which tensors form a 4-bit weight with block scales, and in which layout. Everything else is refused by name.
#include "scaled_4bit.h"

#include "checkpoint/files/layout.h"

namespace qfuse::checkpoint {
namespace {

std::optional<Config> parsed(const std::string& json) {
  if (json.empty()) return std::nullopt;
  return Config(json, "config.json");
}

std::string groups_with(const std::string& weights, const std::string& record = "", const std::string& group = "") {
  return R"({"quantization_config": {"quant_method": "compressed-tensors", )" + record +
         R"("config_groups": {"group_0": {"targets": ["Linear"], )" + group + R"("weights": {)" + weights + "}}}}}";
}

const std::string kInt4 = R"("num_bits": 4, "type": "int", "group_size": 16, "symmetric": true)";

std::string layout_error(Status status, const RawTensors& tensors, const std::string& config) {
  const TemporaryDirectory directory;
  write_file(directory / "x.safetensors", safetensors(tensors));
  const Model model(directory / "x.safetensors");
  return error_of(status, [&] { read_layout(model, parsed(config)); });
}

TEST(Scaled4bit, every_layout_is_one_type) {
  struct Accepted {
    Made4bit made;
    const char* format;
    std::array<std::int64_t, 5> found;  // matrices, rows, columns, row_bytes, blocksize
    std::string config = {};
  };
  const std::vector<Accepted> cases{
      {packed_int4("w", 5, 37, 16), "int4", {1, 5, 37, 20, 16}, groups_with(kInt4)},
      {packed_int4("w", 5, 37, 0, "F16"), "int4", {1, 5, 37, 20, 37}},
      {packed_int4("w", 5, 37, 0, "F32", false), "int4", {1, 5, 37, 20, 37}},
      {packed_int4("w", 5, 64, 64), "int4", {1, 5, 64, 32, 128}, groups_with(R"("num_bits": 4, "group_size": 128)")},
      {packed_int4("w", 5, 7, 0), "int4", {1, 5, 7, 4, 24}, groups_with(R"("num_bits": 4, "group_size": 24)")},
      {packed_int4("w", 0, 7, 0), "int4", {1, 0, 7, 4, 7}},
      {made_fp4("w", kPackedMxfp4, 3, 70), "mxfp4", {1, 3, 70, 35, 32}},
      {made_fp4("w", kPackedNvfp4, 3, 42), "nvfp4", {1, 3, 42, 21, 16}},
      {made_fp4("w", kModelopt, 3, 42), "nvfp4", {1, 3, 42, 21, 16}},
      {made_fp4("w", kDeepseek, 3, 70), "mxfp4", {1, 3, 70, 35, 32}},
      {stacked_mxfp4("e.down_proj", 2, 6, 64), "mxfp4", {2, 6, 64, 32, 32}},
  };
  for (const Accepted& it : cases) {
    SCOPED_TRACE(it.format);
    const TemporaryDirectory directory;
    write_file(directory / "x", safetensors(it.made.tensors));
    const Model model(directory / "x");
    const Layout layout = read_layout(model, parsed(it.config));
    ASSERT_EQ(layout.tensors.size(), 1U);
    const Tensor& tensor = layout.tensors[0];
    EXPECT_EQ(tensor.name, it.made.name);
    EXPECT_EQ(tensor.shape, it.made.shape);
    EXPECT_EQ(tensor.format(), it.format);
    EXPECT_EQ(tensor.stored_bytes(), model.data_bytes());
    EXPECT_TRUE(tensor.is_of_other_methods());
    const auto& found = std::get<StoredWeightScaled4bit>(tensor.storage);
    EXPECT_EQ((std::array{found.matrices, found.rows, found.columns, found.row_bytes, found.blocksize}), it.found);
    EXPECT_EQ(found.dtype, Dtype::bfloat16);
  }
}

TEST(Scaled4bit, a_shape_may_be_of_words) {
  Made4bit made = packed_int4("w", 5, 37, 16);
  made.tensors["w.weight_shape"] = {"I32", {2}, bytes_of<std::int32_t>({5, 37})};
  const TemporaryDirectory directory;
  write_file(directory / "x", safetensors(made.tensors));
  const Model model(directory / "x");
  EXPECT_EQ(read_layout(model, parsed(groups_with(kInt4))).tensors.at(0).shape, made.shape);
}

TEST(Scaled4bit, each_group_of_a_config_may_be_another) {
  const TemporaryDirectory directory;
  write_file(directory / "x", safetensors(small_4bit().tensors));
  const Model model(directory / "x");
  const Layout layout = read_layout(model, parsed(k4bitConfig));
  std::int64_t bytes = 0;
  Names formats;
  for (const Tensor& tensor : layout.tensors) {
    bytes += tensor.stored_bytes();
    formats.push_back(tensor.name + " " + std::string(tensor.format()));
  }
  std::ranges::sort(formats);
  EXPECT_EQ(formats, Names({"a.weight int4", "b.weight int4", "c.weight int4", "m.weight mxfp4",
                            "mlp.experts.gate_up_proj mxfp4", "n.weight nvfp4", "norm.weight F32", "o.weight nvfp4",
                            "p.weight mxfp4"}));
  Names scales;
  for (const StoredTensor& scale : layout.activation_scales) {
    bytes += scale.entry->bytes();
    scales.push_back(scale.entry->name);
  }
  EXPECT_EQ(scales, Names({"l.k_proj.k_scale", "n.input_global_scale", "o.input_scale"}));
  EXPECT_EQ(bytes, model.data_bytes());
}

RawTensor numbers(const std::string& type, std::vector<std::int64_t> shape, std::size_t bytes) {
  const std::size_t size = elements_of(shape) * bytes;
  return {type, std::move(shape), std::string(size, '\1')};
}

struct Refused4bit {
  const char* name;
  RawTensors tensors;
  std::string message;
  Status status = Status::invalid_data;
  std::string config = k4bitConfig;
};

void expect_refused(const std::vector<Refused4bit>& cases) {
  for (const Refused4bit& refused : cases) {
    SCOPED_TRACE(refused.name);
    EXPECT_TRUE(holds(layout_error(refused.status, refused.tensors, refused.config), refused.message));
  }
}

TEST(Scaled4bit, refuses_integers_whose_parts_disagree) {
  const RawTensors good = packed_int4("a", 5, 37, 16).tensors;
  const RawTensors asymmetric = packed_int4("b", 9, 20, 16, "BF16", false).tensors;
  const auto shape = [](std::int64_t rows, std::int64_t columns) {
    return RawTensor{"I64", {2}, bytes_of<std::int64_t>({rows, columns})};
  };
  const std::string both = R"({"quantization_config": {"config_groups": {"0": {"weights": {"num_bits": 4, )"
                           R"("group_size": 16}}, "1": {"weights": {"num_bits": 4, "group_size": 18}}}}})";
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  expect_refused({
      {"scale_missing", without_part(good, "a.weight_scale"), "needs tensor 'a.weight_scale', which is missing"},
      {"shape_missing", without_part(good, "a.weight_shape"), "needs tensor 'a.weight_shape', which is missing"},
      {"shape_type", with_part(good, "a.weight_shape", numbers("F32", {2}, 4)), "is F32, needs I64"},
      {"shape_of_one", with_part(good, "a.weight_shape", numbers("I64", {1}, 8)), "must be the two sizes of a matrix"},
      {"rows_lie", with_part(good, "a.weight_shape", shape(6, 37)), "says 6 x 37, and 'a.weight_packed' is [5, 5]"},
      {"columns_lie", with_part(good, "a.weight_shape", shape(5, 300)), "says 5 x 300"},
      {"columns_negative", with_part(good, "a.weight_shape", shape(5, -1)), "says 5 x -1"},
      {"columns_huge", with_part(good, "a.weight_shape", shape(5, kHuge)), "says 5 x 9223372036854775807"},
      {"eight_bits", with_part(good, "a.weight_shape", shape(5, 20)),
       "has 5 words a row, and 20 columns: integers of 8 bits, and qfuse reads those of 4", Status::unsupported},
      {"three_bits", with_part(good, "a.weight_packed", numbers("I32", {5, 4}, 4)), "integers of 3 bits",
       Status::unsupported},
      {"bits_of_config", good, "config.json says of the weights: int of 8 bits; qfuse reads packed ones of 4 bits",
       Status::unsupported, groups_with(R"("num_bits": 8, "type": "int", "group_size": 16)")},
      {"group_index", with_part(good, "a.weight_g_idx", numbers("I32", {37}, 4)),
       "gives its columns to groups in an order of their own (actorder 'group')", Status::unsupported},
      {"scale_type", with_part(good, "a.weight_scale", numbers("F64", {5, 3}, 8)),
       "is F64, while scales of such a weight are F32, F16, BF16", Status::unsupported},
      {"no_group_known", good, "has shape [5, 3], and config.json says not how many columns for a scale",
       Status::invalid_data, ""},
      {"another_group", with_part(good, "a.weight_scale", numbers("BF16", {5, 2}, 2)),
       "has shape [5, 2], and config.json says 16, 16, 37 columns for a scale of 'a.weight_packed', which has 5 x 37"},
      {"scale_rows", with_part(good, "a.weight_scale", numbers("BF16", {4, 3}, 2)), "has shape [4, 3]"},
      {"scale_of_all", with_part(good, "a.weight_scale", numbers("BF16", {1}, 2)), "has shape [1]"},
      {"two_groups", good, "says groups of 16 and of 18 columns, and both fit [5, 3]", Status::invalid_data, both},
      {"odd_group", packed_int4("a", 5, 48, 24).tensors, "is of groups of 24 columns, and qfuse reads multiples of 16",
       Status::unsupported, groups_with(R"("num_bits": 4, "group_size": 24)")},
      {"zero_point_missing", without_part(asymmetric, "b.weight_zero_point"),
       "says that it is not `symmetric`, and 'weight_zero_point' is missing", Status::invalid_data,
       groups_with(R"("num_bits": 4, "group_size": 16, "symmetric": false)")},
      {"zero_point_said_not", asymmetric, "has zero points, and config.json says `symmetric`", Status::invalid_data,
       groups_with(kInt4)},
      {"zero_point_type", with_part(asymmetric, "b.weight_zero_point", numbers("I8", {9, 2}, 1)), "is I8, needs I32"},
      {"zero_point_shape", with_part(asymmetric, "b.weight_zero_point", numbers("I32", {1, 2}, 4)),
       "has shape [1, 2]; 'b.weight_packed', which is [9, 3], needs [2, 2]"},
      {"stack", with_part(good, "a.weight_packed", numbers("I32", {1, 5, 5}, 4)),
       "qfuse reads packed weights that are matrices of I32 or U8", Status::unsupported},
      {"other_type", with_part(good, "a.weight_packed", numbers("I64", {5, 5}, 8)), "is I64 [5, 5]",
       Status::unsupported},
      {"twice", with_part(good, "a.weight", numbers("BF16", {5, 37}, 2)),
       "tensor 'a.weight': 'a.weight_packed' is this tensor too, quantized"},
      {"format", good, "config.json says format 'marlin-24', which qfuse does not read", Status::unsupported,
       groups_with(kInt4, R"("format": "marlin-24", )")},
      {"format_of_group", good, "config.json says format 'mxfp6-pack-quantized'", Status::unsupported,
       groups_with(kInt4, "", R"("format": "mxfp6-pack-quantized", )")},
      {"sparse", good, "config.json says format 'sparse-24-bitmask'", Status::unsupported,
       groups_with(kInt4, R"("sparsity_config": {"format": "sparse-24-bitmask"}, )")},
      {"rotated", good, "its layers rotate what they get, which a plain model does not do", Status::unsupported,
       groups_with(kInt4, R"("transform_config": {"config_groups": {"R1": {}}}, )")},
  });
}

TEST(Scaled4bit, refuses_floats_whose_parts_disagree) {
  const RawTensors mxfp4 = made_fp4("m", kPackedMxfp4, 3, 70).tensors;
  const RawTensors nvfp4 = made_fp4("n", kPackedNvfp4, 3, 42).tensors;
  const RawTensors modelopt = made_fp4("o", kModelopt, 3, 42).tensors;
  const RawTensors deepseek = made_fp4("p", kDeepseek, 3, 70).tensors;
  const RawTensors stack = stacked_mxfp4("e.down_proj", 2, 6, 64).tensors;
  const auto and_good = [](RawTensors tensors) {
    tensors.merge(packed_int4("good", 2, 16, 16).tensors);
    return tensors;
  };
  constexpr std::int64_t kHuge = std::int64_t{1} << 62;
  expect_refused({
      {"scale_missing", without_part(mxfp4, "m.weight_scale"), "needs tensor 'm.weight_scale', which is missing"},
      {"scale_shape", with_part(mxfp4, "m.weight_scale", numbers("U8", {3, 2}, 1)),
       "has shape [3, 2]; 'm.weight_packed', which is [3, 35], needs [3, 3]"},
      {"scale_type", with_part(mxfp4, "m.weight_scale", numbers("F32", {3, 3}, 4)),
       "is F32, while scales of such a weight are F8_E4M3, U8, F8_E8M0", Status::unsupported},
      {"six_bits",
       with_part(with_part(mxfp4, "m.weight_packed", numbers("U8", {3, 48}, 1)), "m.weight_scale",
                 numbers("U8", {3, 2}, 1)),
       "which is [3, 48], needs [3, 3]"},
      {"six_bits_of_config", mxfp4, "config.json says of the weights: float of 6 bits", Status::unsupported,
       groups_with(R"("num_bits": 6, "type": "float", "group_size": 32)")},
      {"global_of_mxfp4", with_part(mxfp4, "m.weight_global_scale", f32({1})),
       "'m.weight_global_scale': is of NVFP4, and 'm.weight_packed' of MXFP4"},
      {"zero_point", with_part(mxfp4, "m.weight_zero_point", numbers("U8", {1, 3}, 1)),
       "floats of 4 bits have no zero points", Status::unsupported},
      {"group", mxfp4, "is U8, whose groups are of 32 columns, and config.json says 16", Status::invalid_data,
       groups_with(R"("num_bits": 4, "type": "float", "group_size": 16)")},
      {"no_global", without_part(nvfp4, "n.weight_global_scale"), "needs tensor 'n.weight_global_scale'"},
      {"two_globals", with_part(nvfp4, "n.weight_global_scale", f32({1, 2})),
       "has shape [2], and is one number for the whole tensor"},
      {"global_type", with_part(nvfp4, "n.weight_global_scale", numbers("BF16", {1}, 2)), "is BF16, needs F32"},
      {"huge",
       with_part(with_part(nvfp4, "n.weight_packed", {"U8", {0, kHuge}, ""}), "n.weight_scale",
                 {"F8_E4M3", {0, kHuge / 8}, ""}),
       "its shape [0, 4611686018427387904] is beyond all sizes"},
      {"left_global", and_good(without_part(nvfp4, "n.weight_packed")), "but 'n.weight_packed' is missing"},
      {"left_scale", and_good(without_part(mxfp4, "m.weight_packed")), "but 'm.weight' is missing",
       Status::invalid_data, groups_with(kInt4)},
      {"modelopt_global", without_part(modelopt, "o.weight_scale_2"), "needs tensor 'o.weight_scale_2'"},
      {"modelopt_shape", with_part(modelopt, "o.weight_scale", numbers("F8_E4M3", {3, 2}, 1)), "needs [3, 3]"},
      {"modelopt_left", and_good(without_part(without_part(modelopt, "o.weight"), "o.weight_scale")),
       "'o.weight_scale_2': is part of a quantized weight, but 'o.weight' is missing"},
      {"pre_quant_scale", with_part(modelopt, "o.pre_quant_scale", numbers("BF16", {42}, 2)),
       "multiplies the inputs of its layer, which a plain model does not do", Status::unsupported},
      {"deepseek_shape", with_part(deepseek, "p.scale", numbers("F8_E8M0", {3, 2}, 1)),
       "has shape [3, 2]; 'p.weight', which is [3, 35], needs [3, 3]"},
      {"stack_scales_missing", without_part(stack, "e.down_proj_scales"), "needs tensor 'e.down_proj_scales'"},
      {"stack_blocks_missing", and_good(without_part(stack, "e.down_proj_blocks")),
       "'e.down_proj_scales': is part of a quantized weight, but 'e.down_proj_blocks' is missing"},
      {"stack_scales", with_part(stack, "e.down_proj_scales", numbers("U8", {2, 2, 6}, 1)), "needs [2, 6, 2]"},
      {"stack_twice", with_part(stack, "e.down_proj", numbers("BF16", {2, 64, 6}, 2)),
       "'e.down_proj_blocks' is this tensor too, quantized"},
      {"stack_huge",
       with_part(with_part(stack, "e.down_proj_blocks", {"U8", {0, 1, kHuge, 16}, ""}), "e.down_proj_scales",
                 {"U8", {0, 1, kHuge}, ""}),
       "is beyond all sizes"},
  });
}

TEST(Scaled4bit, a_file_has_the_groups_of_the_config_beside_it) {
  const Made4bit made = packed_int4("w", 5, 37, 16);
  const TemporaryDirectory directory;
  write_model(directory / "model", made.tensors, groups_with(kInt4));
  const Model model(directory / "model/model.safetensors");
  EXPECT_EQ(read_layout(model, std::nullopt).tensors.at(0).format(), "int4");
  write_file(directory / "model/config.json", "[]");
  const Model beside_another(directory / "model/model.safetensors");
  EXPECT_REFUSED(Status::invalid_data, "config.json says not how many", read_layout(beside_another, std::nullopt));
}

}  // namespace
}  // namespace qfuse::checkpoint
