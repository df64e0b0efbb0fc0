// Properties of both conversions: the output is complete or absent, progress reaches its total, and which files of a
// directory are copied.
#include "conversions.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "support.h"

namespace qfuse::checkpoint {
namespace {

class Conversions : public testing::TestWithParam<ConversionCase> {
 protected:
  std::string refusal(Status status, const fs::path& in, const ConversionOptions& options = {}) {
    return error_of(status, [&] { GetParam().convert(in, directory_ / "out", options); });
  }
  [[nodiscard]] fs::path input() const { return golden(GetParam().input); }

  TemporaryDirectory directory_;
  ConversionOptions options_;
};

TEST_P(Conversions, refuse_what_makes_no_sense) {
  EXPECT_TRUE(holds(refusal(Status::io_error, directory_ / "none"), "No such file"));
  options_.max_shard_size = 0;
  EXPECT_TRUE(holds(refusal(Status::invalid_argument, input(), options_), "max_shard_size is 0"));
  options_ = {};
  options_.dtype = static_cast<Dtype>(7);
  EXPECT_TRUE(holds(refusal(Status::invalid_argument, input(), options_), "dtype 7 is none"));
  EXPECT_EQ(names_in(directory_.path()), Names{});
}

TEST_P(Conversions, that_are_cancelled_leave_nothing_and_say_so) {
  int calls = 0;
  options_.progress = [&](const Progress&) { return ++calls < 5; };
  EXPECT_EQ(refusal(Status::cancelled, input(), options_), "cancelled");
  EXPECT_EQ(calls, 5);
  EXPECT_EQ(names_in(directory_.path()), Names{});
}

TEST_P(Conversions, that_fail_leave_nothing_and_the_old_output_as_it_was) {
  const bool is_to_plain = std::string(GetParam().name).starts_with("dequantize");
  write_file(directory_ / "in",
             safetensors(is_to_plain ? small_nf4("a.weight") : RawTensors{{"a.weight", random_weight({8, 64})}}));
  write_file(directory_ / "out", "old");
  options_.force = true;
  options_.progress = [](const Progress&) -> bool { throw std::runtime_error("a caller's exception"); };
  EXPECT_THROW(GetParam().convert(directory_ / "in", directory_ / "out", options_), std::runtime_error);
  EXPECT_EQ(names_in(directory_.path()), (Names{"in", "out"}));
  EXPECT_EQ(read_file(directory_ / "out"), "old");
}

// The total is the bytes of the plain model, which quantize reads and dequantize writes, plus the copied files.
TEST_P(Conversions, tell_of_progress_up_to_its_total) {
  std::int64_t done = 0;
  std::int64_t total = -1;
  options_.progress = [&](const Progress& progress) {
    EXPECT_GE(progress.bytes_done, done);
    done = progress.bytes_done;
    total = progress.bytes_total;
    return true;
  };
  const ConversionReport report = GetParam()(directory_ / "out", options_);
  EXPECT_EQ(done, total);
  const auto copied = static_cast<std::int64_t>(fs::file_size(input() / "generation_config.json"));
  EXPECT_EQ(done, std::max(report.bytes_read, report.bytes_written) + copied);
}

// All parts of a weight are in the same file.
TEST_P(Conversions, write_shards_that_agree_with_their_index) {
  constexpr std::int64_t kMost = 100'000;
  options_.max_shard_size = kMost;
  const ConversionReport report = GetParam()(directory_ / "out", options_);
  GetParam()(directory_ / "whole");
  EXPECT_TRUE(load(directory_ / "out") == load(directory_ / "whole"));
  EXPECT_GT(report.files, 4);
  const auto index = nlohmann::json::parse(read_file(directory_ / "out/model.safetensors.index.json"));
  const auto& weight_map = index.at("weight_map");
  EXPECT_EQ(index.at("metadata").at("total_size"), report.bytes_written);
  std::size_t indexed = 0;
  int files = 0;
  for (const std::string& file : names_in(directory_ / "out")) {
    if (!file.ends_with(".safetensors")) continue;
    char expected_name[64];
    std::snprintf(expected_name, sizeof expected_name, "model-%05d-of-%05d.safetensors", ++files,
                  static_cast<int>(report.files));
    EXPECT_EQ(file, expected_name);
    std::int64_t bytes = 0;
    const RawTensors tensors = load(directory_ / "out" / file);
    for (const auto& [name, tensor] : tensors) {
      EXPECT_EQ(weight_map.at(name), file);
      ++indexed;
      bytes += std::ssize(tensor.bytes);
      if (const std::size_t part = name.find(".weight."); part != name.npos) {
        EXPECT_EQ(weight_map.at(name.substr(0, part + 7)), file);
      }
    }
    EXPECT_TRUE(bytes <= kMost || tensors.size() == 1) << file;
  }
  EXPECT_EQ(files, report.files);
  EXPECT_EQ(indexed, weight_map.size());
}

TEST_P(Conversions, copy_the_rest_of_a_directory_but_for_weights) {
  fs::copy(input(), directory_ / "in");
  fs::permissions(directory_ / "in", fs::perms::owner_all);
  fs::create_directory(directory_ / "in/original");
  const std::string tokenizer(3'000'000, 't');
  write_file(directory_ / "tokenizer", tokenizer);
  fs::create_symlink("../tokenizer", directory_ / "in/tokenizer.json");
  for (const char* name : {"vocab.txt", "other.safetensors", "pytorch_model.bin", "pytorch_model.bin.index.json",
                           "pytorch_model.bin.index.fp16.json", "consolidated.pth", "original/params.json",
                           "model.ckpt", "flax_model.msgpack", "tf_model.h5", "rust_model.ot", "model.gguf",
                           "model.onnx", "model.onnx_data", "spk_dict.pt"})
    write_file(directory_ / "in" / name, "x");
  GetParam().convert(directory_ / "in", directory_ / "out", {});
  EXPECT_EQ(names_in(directory_ / "out"), (Names{"config.json", "generation_config.json", "model.safetensors",
                                                 "spk_dict.pt", "tokenizer.json", "vocab.txt"}));
  EXPECT_TRUE(read_file(directory_ / "out/tokenizer.json") == tokenizer);
  EXPECT_FALSE(fs::is_symlink(directory_ / "out/tokenizer.json"));
}

TEST_P(Conversions, give_the_same_files_on_the_reference_device_and_by_any_number_of_threads) {
  options_.force = true;
  const auto files_by = [&](const Exec& exec) {
    options_.exec = exec;
    GetParam()(directory_ / "out", options_);
    return files_in(directory_ / "out");
  };
  for (const std::int64_t most : {options_.max_shard_size, std::int64_t{200'000}}) {
    options_.max_shard_size = most;
    const Files expected = files_by({});
    for (const int threads : {1, 2, 7}) EXPECT_TRUE(files_by({.threads = threads}) == expected) << threads;
    EXPECT_TRUE(files_by({.device = {QFUSE_REFERENCE, 0}}) == expected);
  }
}

// Includes a model whose weights have their parts in several files.
INSTANTIATE_TEST_SUITE_P(Of, Conversions,
                         testing::Values(kConversions[0], kConversions[1],
                                         ConversionCase{"dequantize_scattered", "tiny_llama/bnb4_scattered",
                                                        kConversions[0].convert}),
                         conversion_name);

}  // namespace
}  // namespace qfuse::checkpoint
