// Detects when the files of a directory disagree about the eos and pad tokens.
#include "checkpoint/files/special_tokens.h"

#include "support.h"

namespace qfuse::checkpoint {
namespace {

using Json = nlohmann::json;

// A tokenizer with the tokens <end> (2), <pad> (3) and <turn> (4).
class SpecialTokens : public testing::Test {
 protected:
  SpecialTokens() {
    write("tokenizer.json", {{"added_tokens", {{{"id", 4}, {"content", "<turn>"}}}},
                             {"model", {{"vocab", {{"<end>", 2}, {"<pad>", 3}}}}}});
    write("tokenizer_config.json", {{"eos_token", "<end>"}, {"pad_token", "<pad>"}});
  }
  void write(const std::string& name, const Json& json) const { write_file(directory / name, json.dump()); }

  // The message of each conflict, after "harmful: " if it is harmful.
  [[nodiscard]] Names found() const {
    Names all;
    const auto find = [&](const std::string& name) { return directory / name; };
    for (const TokenConflict& conflict : token_conflicts(find, Config(config.dump(), "config.json")))
      all.push_back((conflict.is_harmful ? "harmful: " : "") + conflict.message);
    return all;
  }
  [[nodiscard]] std::string only() const { return found().size() == 1 ? found().front() : "not one"; }

  TemporaryDirectory directory;
  Json config{{"architectures", {"LlamaForCausalLM"}}};
};

TEST_F(SpecialTokens, nothing_is_said_where_files_agree_or_do_not_say) {
  EXPECT_TRUE(found().empty());
  for (const Json& generation :
       {Json{{"eos_token_id", 2}}, Json{{"eos_token_id", {4, 2}}, {"pad_token_id", 3}},
        Json{{"eos_token_id", {2, 4}}, {"pad_token_id", 4}}, Json{{"eos_token_id", 2}, {"pad_token_id", 2}},
        Json{{"eos_token_id", nullptr}}, Json{{"eos_token_id", "2"}}, Json::object(), Json::array()}) {
    write("generation_config.json", generation);
    EXPECT_TRUE(found().empty()) << generation;
  }
  write("special_tokens_map.json", {{"eos_token", {{"content", "<end>"}}}, {"pad_token", nullptr}});
  EXPECT_TRUE(found().empty());
  write("tokenizer_config.json", {{"eos_token", "<unknown>"}, {"pad_token", 7}});
  write("special_tokens_map.json", Json::object());
  write("generation_config.json", {{"eos_token_id", 4}});
  EXPECT_TRUE(found().empty());
}

TEST_F(SpecialTokens, generation_that_does_not_stop) {
  write("generation_config.json", {{"eos_token_id", {4, 5}}});
  EXPECT_TRUE(holds(only(),
                    "harmful: the tokenizer ends a text with '<end>', 2, and generation_config.json has "
                    "eos_token_id 4, 5"));
  config["architectures"] = {"MusicgenForConditionalGeneration"};  // its eos tokens are not text
  EXPECT_TRUE(only().starts_with("the tokenizer ends"));
  config["architectures"] = {"LlamaForCausalLM"};
  config["eos_token_id"] = 2;  // generation_config.json wins over it
  EXPECT_TRUE(holds(only(), "generation_config.json"));
  fs::remove(directory / "generation_config.json");
  EXPECT_TRUE(found().empty());
  config["eos_token_id"] = 4;
  EXPECT_TRUE(holds(only(), "config.json has eos_token_id 4"));
  config.erase("eos_token_id");
  config["text_config"] = {{"eos_token_id", {4}}};
  EXPECT_TRUE(holds(only(), "config.json has eos_token_id 4"));
}

// Kimi K2 and Yi stop at the token with which their template ends a turn.
TEST_F(SpecialTokens, a_template_that_ends_turns_with_another_token) {
  write("generation_config.json", {{"eos_token_id", 4}});
  for (const Json& chat : {Json("{{ text }}<turn>"), Json{{{"name", "default"}, {"template", "{{ text }}<turn>"}}}}) {
    write("tokenizer_config.json", {{"eos_token", "<end>"}, {"chat_template", chat}});
    EXPECT_TRUE(found().empty()) << chat;
  }
  for (const char* chat : {"{{ text }}<end>", "{{ text }}{{ eos_token }}"}) {
    write_file(directory / "chat_template.jinja", chat);  // wins over tokenizer_config.json
    EXPECT_TRUE(only().starts_with("harmful: the tokenizer ends")) << chat;
  }
}

TEST_F(SpecialTokens, the_files_of_a_tokenizer) {
  write("special_tokens_map.json", {{"eos_token", {{"content", "<turn>"}}}});
  write("generation_config.json", {{"eos_token_id", 4}});
  EXPECT_TRUE(holds(only(),
                    "harmful: eos_token is '<end>' in tokenizer_config.json and '<turn>' in "
                    "special_tokens_map.json: the second wins"));
  write("generation_config.json", {{"eos_token_id", 2}});
  EXPECT_EQ(found().size(), 2U);  // the second conflict: generation does not stop
  write("tokenizer_config.json", {{"eos_token", "<end>"}, {"added_tokens_decoder", {{"2", {{"content", "<end>"}}}}}});
  EXPECT_TRUE(only().starts_with("eos_token is '<end>'"));  // because transformers has not read the map since 4.34
  EXPECT_TRUE(holds(only(), "the first wins"));
}

TEST_F(SpecialTokens, numbers_are_those_of_the_settings_where_there_is_no_other_file) {
  fs::remove(directory / "tokenizer.json");
  write("generation_config.json", {{"eos_token_id", 4}});
  EXPECT_TRUE(found().empty());
  for (const Json& decoder : {Json{{"2", {{"content", "<end>"}}}}, Json{{"2", "<end>"}}}) {
    write("tokenizer_config.json", {{"eos_token", "<end>"}, {"added_tokens_decoder", decoder}});
    EXPECT_TRUE(holds(only(), "'<end>', 2"));
  }
  for (const Json& decoder :
       {Json{{"x", {{"content", "<end>"}}}}, Json{{"-2", 1}}, Json{{"99999999999", 1}}, Json(1)}) {
    write("tokenizer_config.json", {{"eos_token", "<end>"}, {"added_tokens_decoder", decoder}});
    EXPECT_TRUE(found().empty()) << decoder;
  }
}

TEST_F(SpecialTokens, padding) {
  write("generation_config.json", {{"eos_token_id", 2}, {"pad_token_id", 5}});
  EXPECT_EQ(only(), "the tokenizer fills up with '<pad>', 3, and generation_config.json has pad_token_id 5");
  write("generation_config.json", {{"eos_token_id", 2}});
  config = {{"architectures", {"LlamaForSequenceClassification"}}, {"pad_token_id", 2}};
  EXPECT_EQ(only(), "harmful: the tokenizer fills up with '<pad>', 3, and config.json has pad_token_id 2");
  config["pad_token_id"] = 3;
  EXPECT_TRUE(found().empty());
}

TEST_F(SpecialTokens, files_that_nobody_can_read) {
  for (const char* name :
       {"tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "generation_config.json"}) {
    write_file(directory / name, "{\"eos_token\": ");
    EXPECT_TRUE(found().empty());
  }
}

}  // namespace
}  // namespace qfuse::checkpoint
