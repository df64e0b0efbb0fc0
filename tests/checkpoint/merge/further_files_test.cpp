// Tokenizers, processors and sentence-transformers modules: the directory from which a merge takes each file.
// tests/libraries/test_merge_files.py tests what transformers makes of them.
#include <qfuse/checkpoint.hpp>
#include <string>
#include <vector>

#include "adapters.h"
#include "merging.h"
#include "support.h"

namespace qfuse::checkpoint {
namespace {

class FurtherFiles : public Merge {
 protected:
  FurtherFiles() {
    write_base(layers());
    write_adapter(adapter(), lora(kUp, 33, 127, 4));
  }

  static void write(const fs::path& folder, const std::string& name, const std::string& text) {
    fs::create_directories((folder / name).parent_path());
    write_file(folder / name, text);
  }
  // Each file contains the name of its directory.
  static void write_all(const fs::path& folder, const Names& names) {
    for (const std::string& name : names) write(folder, name, folder.filename().native());
  }

  // Returns the output's files except weights, config.json and README.md, by relative name.
  Files further(const std::vector<AdapterInput>& adapters = {}, const MergeOptions& options = {}) {
    const fs::path out = directory / "out";
    fs::remove_all(out);
    report = merge(base(), adapters.empty() ? std::vector<AdapterInput>{{adapter()}} : adapters, out, options);
    Files found;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(out)) {
      const std::string name = entry.path().lexically_relative(out);
      if (entry.is_regular_file() && name != "model.safetensors" && name != "config.json" && name != "README.md")
        found[name] = read_file(entry.path());
    }
    return found;
  }
  [[nodiscard]] bool is_noted(const std::string& part) const {
    return std::ranges::any_of(report.notes, [&](const std::string& note) { return note.find(part) != note.npos; });
  }
};

TEST_F(FurtherFiles, a_tokenizer_is_taken_whole) {
  write_all(base(), {"tokenizer.json", "tokenizer.model", "tokenizer_config.json", "special_tokens_map.json",
                     "added_tokens.json", "vocab.json", "merges.txt", "tekken.json", "source.spm",
                     "chat_template.jinja", "chat_template.json", "additional_chat_templates/tools.jinja",
                     "generation_config.json", "preprocessor_config.json", "modeling_own.py"});
  write_all(adapter(), {"tokenizer.json"});
  write(adapter(), "tokenizer_config.json", R"({"chat_template": "inline"})");
  EXPECT_EQ(further(), (Files{{"tokenizer.json", "adapter"},
                              {"tokenizer_config.json", R"({"chat_template": "inline"})"},
                              {"generation_config.json", "base"},
                              {"preprocessor_config.json", "base"},
                              {"modeling_own.py", "base"}}));
  EXPECT_FALSE(fs::exists(directory / "out/additional_chat_templates"));
  EXPECT_TRUE(
      is_noted("additional_chat_templates/tools.jinja, chat_template.jinja, chat_template.json, merges.txt, "
               "source.spm, special_tokens_map.json, tekken.json, tokenizer.model, vocab.json"));
}

TEST_F(FurtherFiles, without_one_of_its_own_the_adapter_takes_the_bases) {
  const Names names{"tokenizer.json", "special_tokens_map.json", "chat_template.jinja", "processor_config.json"};
  write_all(base(), names);
  EXPECT_EQ(further().size(), names.size());
  EXPECT_TRUE(report.notes.empty());
}

// The processor's template, which no tokenizer reads, is kept beside a tokenizer without a template.
TEST_F(FurtherFiles, a_tokenizer_without_a_template) {
  write_all(base(), {"tokenizer.json", "chat_template.jinja", "chat_template.json"});
  write_all(adapter(), {"spiece.model", "tokenizer_config.json"});
  EXPECT_EQ(further(),
            (Files{{"spiece.model", "adapter"}, {"tokenizer_config.json", "adapter"}, {"chat_template.json", "base"}}));
  EXPECT_TRUE(is_noted("has no chat template"));
}

TEST_F(FurtherFiles, a_template_alone) {
  write_all(base(), {"tokenizer.json", "chat_template.json", "additional_chat_templates/tools.jinja"});
  write(base(), "processor_config.json", R"({"chat_template": "old", "image_processor": {"size": 1}})");
  write_all(adapter(), {"chat_template.jinja"});
  Files found = further();
  EXPECT_EQ(nlohmann::json::parse(found["processor_config.json"]),
            (nlohmann::json{{"image_processor", {{"size", 1}}}}));
  found.erase("processor_config.json");
  EXPECT_EQ(found, (Files{{"tokenizer.json", "base"}, {"chat_template.jinja", "adapter"}}));
}

TEST_F(FurtherFiles, settings_without_a_vocabulary) {
  write_all(base(), {"tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"});
  write_all(adapter(), {"tokenizer_config.json"});
  EXPECT_EQ(further(),
            (Files{{"tokenizer.json", "base"}, {"tokenizer_config.json", "adapter"}, {"added_tokens.json", "base"}}));
  EXPECT_TRUE(is_noted("has settings of a tokenizer alone"));
  fs::remove(base() / "tokenizer.json");  // a byte-level tokenizer has no vocabulary file
  EXPECT_EQ(further(), (Files{{"tokenizer_config.json", "adapter"}}));
}

TEST_F(FurtherFiles, a_vocabulary_without_settings) {
  write_all(base(), {"tokenizer.model", "tokenizer_config.json", "special_tokens_map.json", "chat_template.jinja"});
  write_all(adapter(), {"tokenizer.json"});
  EXPECT_EQ(further(), (Files{{"tokenizer.json", "adapter"},
                              {"tokenizer_config.json", "base"},
                              {"special_tokens_map.json", "base"},
                              {"chat_template.jinja", "base"}}));
  EXPECT_TRUE(is_noted("has the vocabulary of a tokenizer alone"));
}

TEST_F(FurtherFiles, a_processor_in_one_file_takes_the_place_of_older_ones) {
  write_all(base(), {"preprocessor_config.json", "video_preprocessor_config.json", "tokenizer.json"});
  const std::string own = R"({"image_processor": {"size": 1}})";
  write(adapter(), "processor_config.json", own);
  EXPECT_EQ(
      further(),
      (Files{{"processor_config.json", own}, {"video_preprocessor_config.json", "base"}, {"tokenizer.json", "base"}}));
}

// If both files were kept, the newer kind of file would win, which is the base's.
TEST_F(FurtherFiles, an_older_processor_wins_over_the_bases) {
  write(base(), "processor_config.json",
        R"({"processor_class": "P", "image_processor": {"size": 1}, "feature_extractor": {"rate": 2},)"
        R"( "video_processor": {"fps": 3}})");
  write(adapter(), "preprocessor_config.json", R"({"image_processor_type": "I", "size": 7})");
  const Files found = further();
  EXPECT_EQ(nlohmann::json::parse(found.at("processor_config.json")),
            (nlohmann::json{
                {"processor_class", "P"}, {"feature_extractor", {{"rate", 2}}}, {"video_processor", {{"fps", 3}}}}));
  EXPECT_EQ(found.size(), 2U);
  write(adapter(), "processor_config.json", R"({"processor_class": "Q"})");  // has no settings for audio and video
  EXPECT_EQ(nlohmann::json::parse(further().at("processor_config.json")),
            (nlohmann::json{
                {"processor_class", "Q"}, {"feature_extractor", {{"rate", 2}}}, {"video_processor", {{"fps", 3}}}}));
}

TEST_F(FurtherFiles, code_of_a_tokenizer_comes_with_it_and_the_bases_stays) {
  write_all(base(), {"tokenization_own.py", "modeling_own.py"});
  write_all(adapter(), {"tokenizer.json", "processing_own.py", "modeling_own.py"});
  EXPECT_EQ(further(), (Files{{"tokenizer.json", "adapter"},
                              {"tokenization_own.py", "base"},
                              {"processing_own.py", "adapter"},
                              {"modeling_own.py", "base"}}));
}

TEST_F(FurtherFiles, of_two_adapters_the_last_ones) {
  write_adapter(adapter("two"), lora(kUp, 33, 127, 4));
  write_all(adapter(), {"tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"});
  write_all(adapter("two"), {"tokenizer.json", "tokenizer_config.json"});
  EXPECT_EQ(further({{adapter()}, {adapter("two")}}),
            (Files{{"tokenizer.json", "two"}, {"tokenizer_config.json", "two"}}));
  EXPECT_EQ(further({{adapter("two")}, {adapter()}}), (Files{{"tokenizer.json", "adapter"},
                                                             {"tokenizer_config.json", "adapter"},
                                                             {"special_tokens_map.json", "adapter"}}));
}

TEST_F(FurtherFiles, modules_of_sentence_transformers) {
  write(base(), "modules.json", R"([{"path": ""}, {"path": "1_Pooling"}, {"path": "2_Normalize"}])");
  write_all(base(),
            {"1_Pooling/config.json", "2_Normalize/config.json", "config_sentence_transformers.json", "others/a"});
  const std::string modules = R"([{"path": ""}, {"path": "1_Pooling"}, {"path": "2_Dense"}, {"path": "../base"}])";
  write(adapter(), "modules.json", modules);
  write_all(adapter(), {"1_Pooling/config.json", "2_Dense/model.safetensors", "sentence_bert_config.json", "more/a"});
  const Files expected{{"modules.json", modules},
                       {"1_Pooling/config.json", "adapter"},
                       {"2_Dense/model.safetensors", "adapter"},
                       {"sentence_bert_config.json", "adapter"},
                       {"others/a", "base"}};
  EXPECT_EQ(further(), expected);
  EXPECT_FALSE(fs::exists(directory / "out/2_Normalize"));
  EXPECT_FALSE(is_noted("weights beside"));
  // The same result, made by shards.
  MergeOptions options;
  fs::remove_all(directory / "out");
  options.shard = Shard{0, 1};
  merge_to(directory / "out", options);
  finish(directory / "out");
  EXPECT_EQ(read_file(directory / "out/2_Dense/model.safetensors"), "adapter");
}

TEST_F(FurtherFiles, generation_settings_are_the_adapters) {
  write_all(base(), {"generation_config.json"});
  write_all(adapter(), {"generation_config.json"});
  EXPECT_EQ(further(), (Files{{"generation_config.json", "adapter"}}));
}

}  // namespace
}  // namespace qfuse::checkpoint
