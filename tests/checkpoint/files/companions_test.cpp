// Folders in a model's directory are copied with the model, except for weights from before the conversion.
#include "checkpoint/files/companions.h"

#include <qfuse/checkpoint.hpp>

#include "support.h"

namespace qfuse::checkpoint {
namespace {

void write_deep(const fs::path& path, const std::string& bytes) {
  fs::create_directories(path.parent_path());
  write_file(path, bytes);
}

// Everything in a directory: the bytes of each file, and "folder" for each folder.
std::map<std::string, std::string> tree(const fs::path& directory) {
  std::map<std::string, std::string> found;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory)) {
    EXPECT_FALSE(entry.is_symlink()) << entry.path();
    found[entry.path().lexically_relative(directory).native()] =
        entry.is_directory() ? "folder" : read_file(entry.path());
  }
  return found;
}

class CompanionsTest : public testing::Test {
 protected:
  CompanionsTest() { fs::copy(golden("tiny_llama/full"), in()); }

  [[nodiscard]] fs::path in() const { return directory_ / "in"; }
  [[nodiscard]] fs::path out() const { return directory_ / "out"; }

  // Writes the folders that sentence-transformers keeps with a model.
  void write_modules() const {
    write_file(in() / "modules.json", R"([{"path": ""}, {"path": "1_Pooling"}, {"path": "2_Dense"},
                                          {"path": "3_Normalize/"}])");
    write_deep(in() / "1_Pooling/config.json", "pooling");
    write_deep(in() / "2_Dense/model.safetensors", safetensors({{"linear.weight", u8({1, 2})}}));
    write_deep(in() / "2_Dense/deeper/still/pytorch_model.bin", "dense");
    fs::create_directory(in() / "3_Normalize");
    write_deep(in() / "additional_chat_templates/tools.jinja", "tools");
  }

  // The names that a conversion reports as not copied.
  [[nodiscard]] Names left_out() const {
    Names names;
    for (const fs::path& name : companions_of(Model(in())).left_out) names.push_back(name.native());
    return names;
  }

  QuantizeOptions options_;
  TemporaryDirectory directory_;
};

TEST_F(CompanionsTest, folders_are_copied_with_all_that_they_hold) {
  write_modules();
  const auto expected = tree(in());
  EXPECT_TRUE(quantize(in(), out(), options_).notes.empty());
  auto found = tree(out());
  for (const auto& [name, bytes] : expected)
    if (fs::path(name).parent_path() != "" || bytes == "folder") {
      EXPECT_EQ(found[name], bytes) << name;
    }
  dequantize(out(), directory_ / "back", {});
  EXPECT_EQ(tree(directory_ / "back").at("2_Dense/model.safetensors"), expected.at("2_Dense/model.safetensors"));
}

TEST_F(CompanionsTest, an_output_with_folders_is_replaced_and_a_stranger_s_is_not) {
  write_modules();
  quantize(in(), out(), options_);
  options_.force = true;
  quantize(in(), out(), options_);
  fs::create_directory(out() / "1_Pooling/documents");
  EXPECT_REFUSED(Status::invalid_argument, "holds the directory '1_Pooling/documents', which the output does not",
                 quantize(in(), out(), options_));
  options_.dry_run = true;
  EXPECT_NE(error_of(Status::invalid_argument, [&] { quantize(in(), out(), options_); }), "");
}

TEST_F(CompanionsTest, weights_that_no_list_names_are_left_out) {
  write_deep(in() / "2_Dense/model.safetensors", safetensors({}));
  write_deep(in() / "checkpoint-100/trainer_state.json", "{}");
  write_deep(in() / "onnx/config.json", "{}");
  write_deep(in() / "original/params.json", "{}");
  write_deep(in() / "exports/fast/model.onnx_data", "");
  write_deep(in() / "kept/vocab.index.json", "{}");
  write_deep(in() / ".git/objects/model.bin", "");
  EXPECT_EQ(left_out(), (Names{"2_Dense", "checkpoint-100", "exports", "onnx", "original"}));
  write_file(in() / "modules.json", R"([{"path": "2_Dense"}, {"path": "../in/exports"}, {"path": 3}, "onnx"])");
  EXPECT_EQ(left_out(), (Names{"checkpoint-100", "exports", "onnx", "original"}));
  for (const char* broken : {"[", "{}", ""}) {
    write_file(in() / "modules.json", broken);
    EXPECT_EQ(left_out().size(), 5U) << broken;
  }
  quantize(in(), out(), options_);
  EXPECT_TRUE(fs::exists(out() / "kept/vocab.index.json"));
  EXPECT_FALSE(fs::exists(out() / "original"));
  EXPECT_FALSE(fs::exists(out() / ".git"));
}

TEST_F(CompanionsTest, an_adapter_is_left_out_of_every_output) {
  write_file(in() / "adapter_config.json", "{}");
  const auto is_noted = [](const ConversionReport& report) {
    return report.notes.size() == 1 &&
           report.notes[0].find("adapter_config.json: is an adapter's, which transformers would load") !=
               std::string::npos;
  };
  EXPECT_TRUE(is_noted(quantize(in(), out(), options_)));
  EXPECT_FALSE(fs::exists(out() / "adapter_config.json"));
  write_file(out() / "adapter_config.json", "{}");
  EXPECT_TRUE(is_noted(dequantize(out(), directory_ / "back", {})));
  EXPECT_FALSE(fs::exists(directory_ / "back/adapter_config.json"));
}

TEST_F(CompanionsTest, links_are_followed_but_not_round_in_circles) {
  write_deep(directory_ / "blobs/0123", "pooling");
  fs::create_directories(in() / "1_Pooling/inner");
  fs::create_symlink("../../blobs/0123", in() / "1_Pooling/config.json");
  fs::create_symlink("nowhere", in() / "1_Pooling/dead");
  fs::create_symlink("..", in() / "1_Pooling/inner/up");
  fs::create_symlink("../..", in() / "1_Pooling/whole");
  fs::create_symlink("self", in() / "1_Pooling/self");
  fs::create_symlink("self", in() / "self");
  fs::create_symlink("1_Pooling", in() / "alias");
  const Names notes = quantize(in(), out(), options_).notes;
  EXPECT_EQ(left_out(), (Names{"1_Pooling/dead", "1_Pooling/inner/up", "1_Pooling/self", "1_Pooling/whole",
                               "alias/dead", "alias/inner/up", "alias/self", "alias/whole", "self"}));
  EXPECT_EQ(notes.size(), 9U);
  const auto found = tree(out());
  EXPECT_EQ(found.at("1_Pooling/config.json"), "pooling");
  EXPECT_EQ(found.at("alias/config.json"), "pooling");
}

TEST_F(CompanionsTest, hostile_folders_end) {
  fs::path deep = in() / "deep";
  for (int i = 0; i < 100; ++i) deep /= "d";
  fs::create_directories(deep);
  fs::create_symlink("..", in() / "deep" / "up");
  fs::create_directory(in() / "config.json.d");
  fs::create_directory(in() / "weights.bin");
  // Each of many folders has two links to the next one: 2^16 paths, more than are followed.
  constexpr int kLevels = 16;
  for (int i = 0; i < kLevels; ++i) {
    const std::string folder = "links/" + std::to_string(i);
    fs::create_directories(directory_ / folder);
    for (const char* name : {"a", "b"}) fs::create_symlink("../" + std::to_string(i + 1), directory_ / folder / name);
  }
  fs::create_directory(directory_ / "links" / std::to_string(kLevels));
  fs::create_symlink("../links/0", in() / "links");
  const Names left = left_out();
  ASSERT_EQ(left.size(), 4U);
  EXPECT_TRUE(left[0].starts_with("deep/d/d/"));
  EXPECT_EQ(left[1], "deep/up");
  EXPECT_EQ(left[2], "links");
  EXPECT_EQ(left[3], "weights.bin");
}

// ---- in shards ----

class CompanionsInShards : public CompanionsTest {
 protected:
  CompanionsInShards() {
    write_modules();
    options_.max_shard_size = 150'000;
    quantize(in(), directory_ / "whole", options_);
  }
  void convert(std::int64_t index) {
    options_.shard = Shard{index, 2};
    quantize(in(), out(), options_);
  }
  [[nodiscard]] fs::path shards() const { return directory_ / "out.qfuse-shards"; }
};

TEST_F(CompanionsInShards, are_shard_0_s) {
  convert(1);
  EXPECT_FALSE(fs::exists(shards() / "1_Pooling"));
  for (int again = 0; again < 2; ++again) convert(0);
  finish(out());
  EXPECT_EQ(tree(out()), tree(directory_ / "whole"));
  FinishOptions options;
  options.force = true;
  for (const std::int64_t i : {0, 1}) {
    options_.force = true;
    convert(i);
  }
  finish(out(), options);
  EXPECT_EQ(tree(out()), tree(directory_ / "whole"));
}

TEST_F(CompanionsInShards, that_are_missing_or_a_stranger_s_are_named) {
  convert(0);
  convert(1);
  fs::remove(shards() / "3_Normalize");
  EXPECT_REFUSED(Status::invalid_data, "('3_Normalize'): run shard 0 of 2", finish(out()));
  convert(0);
  write_file(shards() / "1_Pooling/mine", "");
  EXPECT_REFUSED(Status::invalid_data, "'1_Pooling/mine' is no part of the output", finish(out()));
  EXPECT_NE(error_of(Status::io_error, [&] { convert(0); }), "");
  EXPECT_TRUE(fs::exists(shards() / "1_Pooling/mine"));
}

TEST_F(CompanionsInShards, are_never_looked_for_behind_a_link) {
  convert(0);
  convert(1);
  write_deep(directory_ / "elsewhere/config.json", "pooling");
  fs::remove_all(shards() / "1_Pooling");
  fs::create_directory_symlink(directory_ / "elsewhere", shards() / "1_Pooling");
  EXPECT_REFUSED(Status::invalid_data, "2 of ", finish(out()));
  EXPECT_NE(error_of(Status::io_error, [&] { convert(0); }), "");
  EXPECT_TRUE(fs::exists(directory_ / "elsewhere/config.json"));
}

}  // namespace
}  // namespace qfuse::checkpoint
