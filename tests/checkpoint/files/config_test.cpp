// config.json: the quantization is removed, the dtype is set, and everything else stays unchanged.
#include "checkpoint/files/config.h"

#include "support.h"

namespace qfuse::checkpoint {
namespace {

std::string unquantized(const std::string& text, Dtype dtype = Dtype::bfloat16) {
  return Config(text, "config.json").unquantized(dtype);
}

TEST(Config, drops_quantization_config_and_keeps_the_order) {
  EXPECT_EQ(unquantized(R"({"z": 1, "quantization_config": {"load_in_4bit": true}, "dtype": "float16", "a": [1, {}]})"),
            "{\n  \"z\": 1,\n  \"dtype\": \"bfloat16\",\n  \"a\": [\n    1,\n    {}\n  ]\n}\n");
}

TEST(Config, says_whether_it_dropped_a_quantization) {
  const auto drops = [](const char* text) { return Config(text, "config.json").drop_quantization(); };
  EXPECT_TRUE(drops(R"({"quantization_config": {}})"));
  EXPECT_TRUE(drops(R"({"compression_config": {}})"));
  EXPECT_TRUE(drops(R"({"text_config": {"compression_config": {}}})"));
  EXPECT_FALSE(drops(R"({"compression_config": null, "text_config": {}})"));
}

TEST(Config, sets_the_dtype_under_the_name_it_has) {
  EXPECT_EQ(unquantized(R"({"torch_dtype": null})", Dtype::float16), "{\n  \"torch_dtype\": \"float16\"\n}\n");
  EXPECT_EQ(unquantized("{}", Dtype::float32), "{\n  \"torch_dtype\": \"float32\"\n}\n");
  EXPECT_EQ(unquantized(R"({"dtype": "x", "torch_dtype": "y"})"),
            "{\n  \"dtype\": \"bfloat16\",\n  \"torch_dtype\": \"bfloat16\"\n}\n");
}

TEST(Config, treats_nested_configs_alike_but_adds_no_dtype_there) {
  EXPECT_EQ(unquantized(R"({"text_config": {"quantization_config": 1, "torch_dtype": "float16"},)"
                        R"( "vision_config": {"a": 1, "dtype": null}, "dtype": "float16"})"),
            "{\n  \"text_config\": {\n    \"torch_dtype\": \"bfloat16\"\n  },\n"
            "  \"vision_config\": {\n    \"a\": 1,\n    \"dtype\": null\n  },\n  \"dtype\": \"bfloat16\"\n}\n");
}

TEST(Config, leaves_parts_of_another_dtype_as_they_are) {
  EXPECT_EQ(unquantized(R"({"text_config":{"dtype":"torch.float16"},"vision_config":{"dtype":"float32"}})"),
            "{\n  \"text_config\": {\n    \"dtype\": \"bfloat16\"\n  },\n"
            "  \"vision_config\": {\n    \"dtype\": \"float32\"\n  },\n  \"torch_dtype\": \"bfloat16\"\n}\n");
}

TEST(Config, keeps_numbers_and_text_as_they_are) {
  EXPECT_EQ(unquantized("{\"dtype\": \"x\", \"n\": [0.0, Infinity, -Infinity, NaN, 1e-06, 10000.0, 9007199254740993],"
                        " \"s\": \"\\u00e9 NaN \\\" Infinity\"}"),
            "{\n  \"dtype\": \"bfloat16\",\n  \"n\": [\n    0.0,\n    Infinity,\n    -Infinity,\n    NaN,\n    1e-06,\n"
            "    10000.0,\n    9007199254740993\n  ],\n  \"s\": \"\u00e9 NaN \\\" Infinity\"\n}\n");
}

TEST(Config, states_a_dtype_or_none) {
  EXPECT_EQ(Config(R"({"torch_dtype": "float16"})", "f").dtype(), Dtype::float16);
  EXPECT_EQ(Config(R"({"dtype": "bfloat16"})", "f").dtype(), Dtype::bfloat16);
  EXPECT_EQ(Config(R"({"dtype": "float64"})", "f").dtype(), std::nullopt);
  EXPECT_EQ(Config("{}", "f").dtype(), std::nullopt);
  EXPECT_EQ(Config(R"({"torch_dtype": "torch.float16"})", "f").dtype(), Dtype::float16);
  EXPECT_EQ(Config(R"({"vision_config": {"dtype": "float32"}, "text_config": {"torch_dtype": "torch.float16"}})", "f")
                .dtype(),
            Dtype::float16);
  EXPECT_EQ(Config(R"({"dtype": null, "thinker_config": {"text_config": {"dtype": "float16"}}})", "f").dtype(),
            Dtype::float16);
  EXPECT_EQ(Config(R"({"dtype": "bfloat16", "text_config": {"dtype": "float16"}})", "f").dtype(), Dtype::bfloat16);
  EXPECT_EQ(Config(R"({"quantization_config": {"dtype": 1}, "text_config": 2})", "f").dtype(), std::nullopt);
  EXPECT_EQ(unstated_dtype(Config(R"({"dtype": "float32"})", "f")), Dtype::float32);
  EXPECT_EQ(unstated_dtype(std::nullopt), Dtype::bfloat16);
}

TEST(Config, refuses_what_it_cannot_rewrite) {
  std::string thousand_keys = R"({"x":0)";
  for (int i = 1; i < 1000; ++i) thousand_keys += ",\"" + std::to_string(i) + "\":0";
  std::string many_keys = R"({"0":)" + thousand_keys + "}";
  for (int i = 1; i < 70; ++i) many_keys += ",\"" + std::to_string(i) + "\":" + thousand_keys + "}";
  const std::vector<std::pair<std::string, const char*>> cases{
      {"", "is not valid JSON"},
      {"[]", "is not a JSON object"},
      {"{\"a\": \"\xFF\"}", "is not valid JSON"},
      {R"({"a": "\u0000"})", "holds a zero character"},
      {R"({Infinity: 1})", "a key is a number"},
      {R"({"a": )" + std::string(100'000, '['), "nested more than 100 deep"},
      {many_keys + "}", "has more than 65536 keys"},
  };
  for (const auto& [text, message] : cases) {
    SCOPED_TRACE(text.substr(0, 40));
    EXPECT_REFUSED(Status::invalid_data, message, Config(text, "config.json"));
  }
}

}  // namespace
}  // namespace qfuse::checkpoint
