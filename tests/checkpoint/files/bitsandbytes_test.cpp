// The parts of a quantized weight must be complete, have the right types and sizes, and agree with each other.
#include "checkpoint/files/layout.h"

#include <functional>

#include "support.h"

namespace qfuse::checkpoint {
namespace {

std::string read_error(Status status, const RawTensors& tensors) {
  const TemporaryDirectory directory;
  write_file(directory / "x.safetensors", safetensors(tensors));
  return error_of(status, [&] {
    const Model model(directory / "x.safetensors");
    read_layout(model, std::nullopt);
  });
}

// Change, remove or rename one tensor of a small weight, to make it invalid.
RawTensors with(RawTensors tensors, const std::string& name, const RawTensor& tensor) {
  tensors[name] = tensor;
  return tensors;
}
RawTensors without(RawTensors tensors, const std::string& name) {
  EXPECT_EQ(tensors.erase(name), 1U);
  return tensors;
}
RawTensors renamed(RawTensors tensors, const std::string& from, const std::string& to) {
  tensors[to] = tensors.at(from);
  tensors.erase(from);
  return tensors;
}

RawTensors small_int8(const std::string& prefix) {
  return {{prefix + ".weight", {"I8", {2, 3}, std::string(6, '\x05')}},
          {prefix + ".SCB", f32({1.0F, 2.0F})},
          {prefix + ".weight_format", {"U8", {}, std::string(1, '\0')}}};
}

struct Refused {
  const char* name;
  RawTensors tensors;
  const char* message;
  Status status = Status::invalid_data;
};

TEST(Bitsandbytes, refuses_4bit_weights_whose_parts_disagree) {
  const RawTensors plain = small_nf4("a");
  const RawTensors nested = small_nested_nf4("a");
  const std::string state = "a.quant_state.bitsandbytes__nf4";
  const std::string fp4_state = R"({"quant_type": "fp4", "blocksize": 64, "dtype": "bfloat16", "shape": [6, 32]})";
  const auto shaped = [&](const std::string& shape) {
    return text(R"({"quant_type": "nf4", "blocksize": 64, "dtype": "bfloat16", "shape": )" + shape + "}");
  };
  const std::vector<Refused> cases{
      {"no_codes", without(plain, "a"), "needs tensor 'a', which is missing"},
      {"no_absmax", without(plain, "a.absmax"), "needs tensor 'a.absmax', which is missing"},
      {"no_state", without(plain, state), "'a.quant_state.bitsandbytes__nf4' is missing"},
      {"codes_short", with(plain, "a", {"U8", {95, 1}, std::string(95, 'x')}),
       "'a': has 95 bytes, 192 weights need 96"},
      {"codes_long", with(plain, "a", {"U8", {97, 1}, std::string(97, 'x')}), "'a': has 97 bytes, 192 weights need 96"},
      {"codes_of_other_type", with(plain, "a", {"I64", {12, 1}, std::string(96, 'x')}),
       "'a': is I64, while 4-bit codes are stored as U8, BF16, F16 or F32"},
      {"storage_rounded_down", with(with(plain, "a", {"F32", {24, 1}, std::string(96, 'x')}), state, shaped("[193]")),
       "'a': has 96 bytes, 193 weights need 97"},
      {"absmax_short", with(plain, "a.absmax", f32({1, 2})),
       "'a.absmax': has 2 entries, 192 weights in blocks of 64 need 3"},
      {"absmax_long", with(plain, "a.absmax", f32({1, 2, 3, 4})), "'a.absmax': has 4 entries"},
      {"absmax_8bit_but_plain", with(plain, "a.absmax", u8({1, 2, 3})), "'a.absmax': is U8, needs F32"},
      {"absmax_plain_but_nested", with(nested, "a.absmax", f32({1, 2, 3})), "'a.absmax': is F32, needs U8"},
      {"quant_map_short", with(plain, "a.quant_map", f32({1, 2})), "'a.quant_map': has 2 entries, 4-bit codes need 16"},
      {"quant_map_type", with(plain, "a.quant_map", u8({1})), "'a.quant_map': is U8, needs F32"},
      {"no_nested_absmax", without(nested, "a.nested_absmax"), "needs tensor 'a.nested_absmax', which is missing"},
      {"no_nested_quant_map", without(nested, "a.nested_quant_map"), "needs tensor 'a.nested_quant_map'"},
      {"nested_absmax_long", with(nested, "a.nested_absmax", f32({1, 2})),
       "'a.nested_absmax': has 2 entries, 3 absmax in blocks of 256 need 1"},
      {"nested_quant_map_short", with(nested, "a.nested_quant_map", f32({1, 2})),
       "'a.nested_quant_map': has 2 entries, 8-bit codes need 256"},
      {"nested_parts_but_plain", with(plain, "a.nested_absmax", f32({1})),
       "'a.nested_absmax': its quant_state says nothing of nested absmax"},
      {"two_states", with(plain, "a.quant_state.bitsandbytes__fp4", text(fp4_state)), "second quant_state of 'a'"},
      {"type_not_its_name", renamed(plain, state, "a.quant_state.bitsandbytes__fp4"),
       "quant_type is nf4, its name says bitsandbytes__fp4"},
      {"unknown_state", renamed(plain, state, "a.quant_state.bitsandbytes__int3"),
       "quant_state 'bitsandbytes__int3' is unknown", Status::unsupported},
      {"state_not_bytes", with(plain, state, f32({1})), "is F32, needs U8"},
      {"state_too_long", with(plain, state, text(std::string((1 << 20) + 1, ' '))), "has 1048577 bytes, more than"},
      {"size_overflows", with(plain, state, shaped("[4294967296, 4294967296]")), "overflows"},
      {"size_of_the_claim_only", with(plain, state, shaped("[4611686018427387904]")),
       "has 96 bytes, 4611686018427387904 weights need 2305843009213693952"},
      {"two_states", with(plain, state, text(fp4_state + fp4_state)), "has several quant_states", Status::unsupported},
      {"orphan_map", {{"a.nested_quant_map", f32({1})}}, "is part of a quantized weight, but"},
      {"bare_codes",
       {{"a.weight", {"U8", {96, 1}, std::string(96, 'x')}}},
       "has the type and shape of 4-bit codes, but 'a.weight.quant_state.bitsandbytes__nf4' is missing"},
  };
  for (const Refused& refused : cases) {
    SCOPED_TRACE(refused.name);
    EXPECT_TRUE(holds(read_error(refused.status, refused.tensors), refused.message));
  }
}

TEST(Bitsandbytes, refuses_int8_weights_whose_parts_disagree) {
  const RawTensors good = small_int8("m");
  const auto format = [](char number) { return RawTensor{"U8", {}, std::string(1, number)}; };
  const std::vector<Refused> cases{
      {"no_weight", without(good, "m.weight"), "needs tensor 'm.weight', which is missing"},
      {"weight_type", with(good, "m.weight", f32({1, 2})), "'m.weight': is F32, needs I8"},
      {"weight_rank", with(good, "m.weight", {"I8", {6}, std::string(6, 'x')}),
       "'m.weight': has shape [6], LLM.int8 needs [rows, columns]"},
      {"scb_short", with(good, "m.SCB", f32({1})), "'m.SCB': has 1 entry, 2 rows need 2"},
      {"scb_type", with(good, "m.SCB", {"F16", {2}, "abcd"}), "'m.SCB': is F16, needs F32"},
      {"no_scb", without(good, "m.SCB"), "'m.SCB' is missing"},
      {"format_1", with(good, "m.weight_format", format(1)), "is 1, a layout of one GPU generation",
       Status::unsupported},
      {"format_3", with(good, "m.weight_format", format(3)), "only 0 (row) can be read", Status::unsupported},
      {"format_long", with(good, "m.weight_format", u8({0, 0})), "has 2 entries, a weight format need 1"},
  };
  for (const Refused& refused : cases) {
    SCOPED_TRACE(refused.name);
    EXPECT_TRUE(holds(read_error(refused.status, refused.tensors), refused.message));
  }
}

TEST(Bitsandbytes, a_part_belongs_to_one_weight) {
  RawTensors tensors = small_nf4("a");
  tensors.merge(small_nf4("a.absmax"));
  tensors["a.absmax"] = f32({1, 2, 3});
  EXPECT_NE(read_error(Status::invalid_data, tensors), "");
}

TEST(Bitsandbytes, folds_parts_into_weights_and_leaves_the_rest) {
  RawTensors tensors = small_nested_nf4("x.experts");  // a base name that does not end in .weight
  tensors.merge(small_nf4("y.weight"));
  tensors.merge(small_int8("z"));
  tensors["norm.weight"] = f32({1, 2, 3});
  tensors["plain_int8.weight"] = {"I8", {2}, "ab"};
  const TemporaryDirectory directory;
  write_file(directory / "x.safetensors", safetensors(tensors));
  const Model model(directory / "x.safetensors");
  std::map<std::string, Tensor> layout;
  std::int64_t stored = 0;
  const Config config(R"({"dtype": "float16"})", "");
  for (const Tensor& tensor : read_layout(model, config).tensors) {
    layout.emplace(tensor.name, tensor);
    stored += tensor.stored_bytes();
  }
  ASSERT_EQ(layout.size(), 5U);
  EXPECT_EQ(stored, model.data_bytes()) << "every byte belongs to exactly one tensor";
  EXPECT_TRUE(std::get<StoredWeight4bit>(layout.at("x.experts").storage).state.nested);
  EXPECT_FALSE(std::get<StoredWeight4bit>(layout.at("y.weight").storage).state.nested);
  EXPECT_EQ(layout.at("y.weight").shape, (std::vector<std::int64_t>{6, 32}));
  EXPECT_EQ(layout.at("z.weight").quantized_dtype(), Dtype::float16);
  EXPECT_EQ(layout.at("norm.weight").quantized_dtype(), std::nullopt);
  EXPECT_EQ(layout.at("plain_int8.weight").quantized_dtype(), std::nullopt);
}

}  // namespace
}  // namespace qfuse::checkpoint
