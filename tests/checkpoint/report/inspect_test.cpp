#include <algorithm>
#include <bit>
#include <cctype>
#include <cfloat>
#include <limits>
#include <qfuse/checkpoint.hpp>

#include "support.h"

namespace qfuse::checkpoint {
namespace {

TEST(Inspect, lists_weights_with_their_parts_folded_in) {
  const Inventory inventory = inspect(golden("tiny_llama/bnb4_scattered"));
  EXPECT_EQ(inventory.files, 3);
  EXPECT_EQ(inventory.bytes, 471219);
  EXPECT_EQ(inventory.decoded_bytes, 1000704);
  ASSERT_EQ(inventory.tensors.size(), 21U);
  EXPECT_TRUE(std::is_sorted(inventory.tensors.begin(), inventory.tensors.end(),
                             [](const TensorInfo& a, const TensorInfo& b) { return a.name < b.name; }));
  const TensorInfo& head = inventory.tensors[0];
  EXPECT_EQ(head.name, "lm_head.weight");
  EXPECT_EQ(head.format, "BF16");
  EXPECT_EQ(head.blocksize, 0);
  const TensorInfo& down = inventory.tensors[3];
  EXPECT_EQ(down.name, "model.layers.0.mlp.down_proj.weight");
  EXPECT_EQ(down.file, "model-00001-of-00003.safetensors");
  EXPECT_EQ(down.format, "nf4");
  EXPECT_EQ(down.dtype, "BF16");
  EXPECT_EQ(down.shape, (std::vector<std::int64_t>{128, 352}));
  EXPECT_EQ(down.blocksize, 64);
  EXPECT_TRUE(down.nested);
  // codes, absmax, nested_absmax, both maps, the JSON
  EXPECT_EQ(down.bytes, 22528 + 704 + 12 + 1024 + 64 + 171);
  EXPECT_EQ(down.decoded_bytes, 128 * 352 * 2);
}

TEST(Inspect, tells_the_formats_apart) {
  const Inventory inventory = inspect(golden("bnb_cases.safetensors"));
  std::map<std::string, int> formats;
  std::int64_t bytes = 0;
  for (const TensorInfo& tensor : inventory.tensors) {
    ++formats[tensor.format];
    bytes += tensor.bytes;
  }
  EXPECT_EQ(formats["nf4"] + formats["fp4"], 22);
  EXPECT_GT(formats["fp4"], 0);
  EXPECT_EQ(bytes, inventory.bytes);
  EXPECT_EQ(inspect(golden("bnb_int8.safetensors")).tensors.at(2).format, "int8");
}

// Reads every array by the file, offset and size in the inventory, and nothing else of the file.
RawTensors located(const Inventory& inventory) {
  RawTensors arrays;
  std::map<fs::path, std::string> files;
  for (const TensorInfo& tensor : inventory.tensors) {
    std::int64_t bytes = 0;
    for (const StoredArray& array : tensor.arrays) {
      std::string& file = files[array.path];
      if (file.empty()) file = read_file(array.path);
      const RawTensor raw{array.dtype, array.shape,
                          file.substr(static_cast<std::size_t>(array.offset), static_cast<std::size_t>(array.bytes))};
      EXPECT_TRUE(arrays.emplace(array.name, raw).second) << array.name;
      bytes += array.bytes;
    }
    EXPECT_EQ(bytes, tensor.bytes) << tensor.name;
    EXPECT_TRUE(arrays.contains(tensor.name)) << "values or codes go by the tensor's own name: " << tensor.name;
  }
  return arrays;
}

class Where : public testing::TestWithParam<const char*> {};

TEST_P(Where, every_array_lies_where_the_inventory_says) {
  EXPECT_EQ(located(inspect(golden(GetParam()))), load(golden(GetParam())));
}

INSTANTIATE_TEST_SUITE_P(Inspect, Where,
                         testing::Values("tiny_llama/bnb4", "tiny_llama/bnb4_scattered", "tiny_llama/full",
                                         "bnb_cases.safetensors", "bnb_int8.safetensors"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
                           return name;
                         });

TEST(Inspect, knows_arrays_that_are_empty_unaligned_or_stored_as_another_dtype) {
  RawTensors tensors = small_nested_nf4("w");
  tensors["w"] = {"BF16", {48, 1}, tensors["w"].bytes};
  tensors["a_byte_before_all"] = u8({1});  // so that what follows has an odd offset
  tensors["empty"] = {"F32", {0, 3}, ""};
  tensors["scalar"] = {"I64", {}, "12345678"};
  const TemporaryDirectory directory;
  write_file(directory / "x.safetensors", safetensors(tensors));
  EXPECT_EQ(located(inspect(directory / "x.safetensors")), tensors);
}

TEST(Inspect, says_how_nested_absmax_are_decoded) {
  const TemporaryDirectory directory;
  RawTensors tensors = small_nested_nf4("a");
  tensors.merge(small_nf4("b"));
  write_file(directory / "x.safetensors", safetensors(tensors));
  const Inventory inventory = inspect(directory / "x.safetensors");
  EXPECT_EQ(inventory.tensors.at(0).nested_blocksize, 256);
  EXPECT_EQ(inventory.tensors.at(0).nested_offset, 0.05230140686035156F);
  EXPECT_EQ(inventory.tensors.at(1).nested_blocksize, 0);
}

TEST(Inspect, prints_json_that_says_the_same) {
  const Inventory inventory = inspect(golden("tiny_llama/bnb4_scattered"));
  const auto json = nlohmann::json::parse(to_json(inventory));
  EXPECT_EQ(json["files"], inventory.files);
  EXPECT_EQ(json["bytes"], inventory.bytes);
  EXPECT_EQ(json["decoded_bytes"], inventory.decoded_bytes);
  ASSERT_EQ(json["tensors"].size(), inventory.tensors.size());
  for (std::size_t i = 0; i < inventory.tensors.size(); ++i) {
    const TensorInfo& tensor = inventory.tensors[i];
    auto expected = nlohmann::json{{"name", tensor.name},
                                   {"file", tensor.file},
                                   {"format", tensor.format},
                                   {"shape", tensor.shape},
                                   {"dtype", tensor.dtype},
                                   {"blocksize", tensor.blocksize},
                                   {"nested", tensor.nested},
                                   {"bytes", tensor.bytes},
                                   {"decoded_bytes", tensor.decoded_bytes},
                                   {"nested_blocksize", tensor.nested_blocksize},
                                   {"nested_offset", json["tensors"][i]["nested_offset"]},
                                   {"block", tensor.block},
                                   {"scale_dtype", tensor.scale_dtype},
                                   {"arrays", nlohmann::json::array()}};
    for (const StoredArray& array : tensor.arrays)
      expected["arrays"].push_back({{"name", array.name},
                                    {"path", array.path.native()},
                                    {"offset", array.offset},
                                    {"bytes", array.bytes},
                                    {"dtype", array.dtype},
                                    {"shape", array.shape}});
    EXPECT_EQ(json["tensors"][i], expected);
    EXPECT_EQ(json["tensors"][i]["nested_offset"].get<float>(), tensor.nested_offset);
  }
}

TEST(Inspect, prints_json_whatever_names_and_numbers_there_are) {
  const auto print = [](const std::string& name, float offset) {
    Inventory inventory;
    inventory.tensors.emplace_back().name = name;
    inventory.tensors.back().nested_offset = offset;
    return nlohmann::json::parse(to_json(inventory))["tensors"][0];
  };
  const std::string hostile = "a\n\x01\"\\\x7f\u00e9\U0001F600/";
  EXPECT_EQ(print(hostile, 0.0F)["name"], hostile);
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(print("", std::numeric_limits<float>::quiet_NaN())["nested_offset"], "nan");
  EXPECT_EQ(print("", kInfinity)["nested_offset"], "inf");
  EXPECT_EQ(print("", -kInfinity)["nested_offset"], "-inf");
  for (const float number : {-0.0F, 5.0F, 1e20F, -1e-45F, FLT_MAX, 0.1F}) {
    const auto printed = print("", number)["nested_offset"];
    EXPECT_TRUE(printed.is_number_float()) << number << ": readers may lose the sign of an integer zero";
    EXPECT_EQ(std::bit_cast<std::uint32_t>(printed.get<float>()), std::bit_cast<std::uint32_t>(number)) << number;
  }
  EXPECT_TRUE(nlohmann::json::parse(to_json(Inventory{}))["tensors"].empty());
}

TEST(Inspect, prints_json_that_moves_no_cursor) {
  Inventory inventory;
  inventory.tensors.emplace_back().name = "\x1b[2J \x7f \u0080\u009b2J\u009f \u00a0\u00c2";
  const std::string json = to_json(inventory);
  EXPECT_TRUE(holds(json, R"("\u001b[2J \u007f \u0080\u009b2J\u009f )"
                          "\u00a0\u00c2\""));
  EXPECT_EQ(nlohmann::json::parse(json)["tensors"][0]["name"], inventory.tensors[0].name);
}

TEST(Inspect, keeps_the_bytes_of_a_path_that_is_not_utf8) {
  const TemporaryDirectory directory;
  const fs::path path = directory / "caf\xe9.safetensors";
  write_file(path, safetensors({{"a", u8({1})}}));
  const Inventory inventory = inspect(path);
  EXPECT_EQ(inventory.tensors.at(0).arrays.at(0).path, path);
  EXPECT_EQ(inventory.tensors.at(0).file, "caf\xe9.safetensors");
  EXPECT_TRUE(holds(to_json(inventory), "caf\xe9.safetensors\", \"offset\": "));
}

TEST(Inspect, names_the_method_of_others) {
  const TemporaryDirectory directory;
  write_model(directory.path(), {{"a.qweight", u8({1, 2})}},
              R"({"quantization_config": {"quant_method": "gptq", "bits": 3}})");
  const Inventory inventory = inspect(directory.path());
  ASSERT_EQ(inventory.notes.size(), 1U);
  EXPECT_TRUE(holds(inventory.notes[0], "is quantized by GPTQ in 3 bits, as its config.json says"));
  EXPECT_EQ(nlohmann::json::parse(to_json(inventory))["notes"][0], inventory.notes[0]);
  EXPECT_TRUE(inspect(golden("tiny_llama/bnb4")).notes.empty());
}

}  // namespace
}  // namespace qfuse::checkpoint
