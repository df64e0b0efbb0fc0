// Sharded conversions: the result equals that of one process, and parts that do not match never become an output.
#include "checkpoint/output/shards.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <qfuse/checkpoint.hpp>
#include <random>

#include "conversions.h"
#include "support.h"
#include "support/quick.h"

namespace qfuse::checkpoint {
namespace {

void convert_by(const ConversionCase& conversion, const fs::path& out, std::optional<Shard> shard,
                std::int64_t max_shard_size, bool force = false) {
  ConversionOptions options;
  options.shard = shard;
  options.max_shard_size = max_shard_size;
  options.force = force;
  conversion(out, options);
}

constexpr std::int64_t kMaxShardSize = 150'000;

class Shards : public testing::TestWithParam<ConversionCase> {
 protected:
  void convert(const std::string& out, std::optional<Shard> shard = std::nullopt, bool force = false) {
    convert_by(GetParam(), directory_ / out, shard, kMaxShardSize, force);
  }
  void convert_all(const std::string& out, std::int64_t count, bool force = false) {
    for (std::int64_t i = 0; i < count; ++i) convert(out, Shard{i, count}, force);
  }
  std::string finish_error(Status status = Status::invalid_data) {
    return error_of(status, [&] { finish(directory_ / "out"); });
  }
  [[nodiscard]] fs::path shards() const { return directory_ / "out.qfuse-shards"; }
  [[nodiscard]] std::string plan() const { return read_file(shards() / kPlan); }
  // Number of files in the whole output.
  static std::int64_t files() { return std::string(GetParam().name) == "dequantize" ? 9 : 4; }

  TemporaryDirectory directory_;
};

TEST_P(Shards, make_what_one_process_makes_in_any_order) {
  convert("whole");
  const Files whole = files_in(directory_ / "whole");
  std::mt19937 random(1);
  for (const std::int64_t count : {1, 2, 3, 7, tests::kQuick ? 30 : 100}) {  // the last is more than there are weights
    SCOPED_TRACE(count);
    std::vector<std::int64_t> order(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) order[static_cast<std::size_t>(i)] = i;
    std::shuffle(order.begin(), order.end(), random);
    for (const std::int64_t i : order) {
      EXPECT_FALSE(fs::exists(directory_ / "out"));
      convert("out", Shard{i, count});
    }
    const FinishReport report = finish(directory_ / "out");
    EXPECT_EQ(report.shards, count);
    EXPECT_EQ(report.files, files());
    EXPECT_TRUE(files_in(directory_ / "out") == whole);
    EXPECT_EQ(names_in(directory_.path()), (Names{"out", "whole"}));
    fs::remove_all(directory_ / "out");
  }
}

TEST_P(Shards, of_one_file_have_no_index) {
  for (const std::int64_t i : {0, 1}) convert_by(GetParam(), directory_ / "out", Shard{i, 2}, INT64_MAX);
  convert_by(GetParam(), directory_ / "whole", std::nullopt, INT64_MAX);
  finish(directory_ / "out");
  EXPECT_TRUE(files_in(directory_ / "out") == files_in(directory_ / "whole"));
  EXPECT_FALSE(fs::exists(directory_ / "out/model.safetensors.index.json"));
}

TEST_P(Shards, plan_the_same_whoever_comes_first) {
  convert("a", Shard{0, 3});
  convert("b", Shard{2, 3});
  EXPECT_EQ(read_file(directory_ / "a.qfuse-shards" / kPlan), read_file(directory_ / "b.qfuse-shards" / kPlan));
  EXPECT_EQ(read_file(directory_ / "a.qfuse-shards" / kPlan).find(directory_.path().native()), std::string::npos);
  for (const std::string& name : names_in(directory_ / "b.qfuse-shards"))
    EXPECT_TRUE(name.starts_with(".qfuse-") || name.starts_with("model-")) << name << " is shard 0's";
}

TEST_P(Shards, may_be_made_again) {
  convert_all("out", 2);
  const Files before = files_in(shards());
  const std::string name = "model-00002-of-0000" + std::to_string(files()) + ".safetensors";
  write_file(shards() / name, "spoilt");
  convert("out", Shard{1, 2});
  EXPECT_TRUE(files_in(shards()) == before);
}

// A shard removes the files of its earlier run, because the plan cannot tell whether they still match.
TEST_P(Shards, remove_what_they_made_before) {
  convert_all("out", 2);
  const Names before = names_in(shards());
  for (const std::int64_t i : {0, 1}) {
    auto begun = std::make_unique<ShardOutput>(directory_ / "out", Shard{i, 2}, false, golden("tiny_llama"), 0, plan());
    const Names left = names_in(shards());
    EXPECT_EQ(std::count(left.begin(), left.end(), "config.json"), i);
    for (const std::string& name : before) {
      const bool is_own = name.starts_with("model-") && (std::stoll(name.substr(6)) - 1) % 2 == i;
      const bool is_first = name == "config.json" || name == "generation_config.json";
      const bool is_there = std::count(left.begin(), left.end(), name) != 0;
      EXPECT_EQ(is_there, !is_own && !(is_first && i == 0)) << name;
    }
    begun.reset();
    convert("out", Shard{i, 2});
  }
}

TEST_P(Shards, that_die_are_cleaned_up_after_by_the_next) {
  fs::create_directories(shards() / ".qfuse-shard-00001");
  write_file(shards() / ".qfuse-shard-00001/rest", "x");
  write_file(shards() / ".qfuse-shard-00001.lock", "");
  convert("out", Shard{1, 2});
  for (const std::string& name : names_in(shards())) EXPECT_FALSE(name.starts_with(".qfuse-shard-")) << name;
}

TEST_P(Shards, of_another_conversion_are_refused) {
  convert("out", Shard{0, 3});
  const Files before = files_in(shards());
  const auto refused = [&](const auto& run) { return error_of(Status::invalid_argument, run); };
  EXPECT_TRUE(holds(refused([&] { convert("out", Shard{1, 4}); }), "(shards is 3 there and 4 here)"));
  EXPECT_TRUE(holds(refused([&] {
                      convert_by(GetParam(), directory_ / "out", Shard{1, 3}, kMaxShardSize - 1);
                    }),
                    "(conversion/max_shard_size is 150000 there and 149999 here)"));
  const ConversionCase& other = kConversions.at(GetParam().convert == kConversions[0].convert ? 1 : 0);
  EXPECT_TRUE(holds(refused([&] {
                      convert_by(other, directory_ / "out", Shard{1, 3}, kMaxShardSize);
                    }),
                    "(conversion has '"));
  EXPECT_TRUE(files_in(shards()) == before);

  const auto change = [&](const std::string& from, const std::string& to) {
    std::string text = before.at(kPlan);
    text.replace(text.find(from), from.size(), to);
    write_file(shards() / kPlan, text);
    return refused([&] { convert("out", Shard{1, 3}); });
  };
  EXPECT_TRUE(holds(change(R"("BF16")", R"("F16")"), R"(/dtype is "F16" there and "BF16" here)"));
  EXPECT_TRUE(holds(change(R"("others":[)", R"("others":["a",)"), R"(others/0 is "a" there and "config.json" here)"));
  EXPECT_TRUE(holds(change(R"("shape":[)", R"("shape":[1,)"), "/shape"));
  EXPECT_TRUE(holds(change("{", R"({"a":1,)"), "more keys there"));
  EXPECT_TRUE(holds(change(R"("bytes":)", R"("a":0,"bytes":)"), "has 'a' there and 'bytes' here"));
  EXPECT_TRUE(holds(change(qfuse_version(), "9.9.9"), R"(qfuse is "9.9.9" there and ")"));
  EXPECT_TRUE(holds(change("{", std::string(200, '[')), "no plan of qfuse"));
  EXPECT_TRUE(holds(change("{", "["), "no plan of qfuse"));
  EXPECT_TRUE(holds(change("{", "["), "remove the directory and run all"));
}

// Removing only the plan would let a new one be made, even by another conversion.
TEST_P(Shards, without_a_plan_are_not_taken_for_those_of_a_new_one) {
  convert_all("out", 2);
  fs::remove(shards() / kPlan);
  const Files before = files_in(shards());
  const std::string error = error_of(Status::invalid_data, [&] { convert("out", Shard{1, 2}); });
  EXPECT_TRUE(holds(error, "out.qfuse-shards: holds 'config.json' of an unknown conversion"));
  EXPECT_TRUE(holds(error, "remove the directory and run all shards again"));
  EXPECT_TRUE(files_in(shards()) == before);
  for (const auto& [name, bytes] : before)
    if (!name.starts_with(".qfuse-")) fs::remove(shards() / name);
  convert("out", Shard{1, 2});
}

TEST_P(Shards, beside_a_living_one_of_the_same_number_are_refused) {
  convert("out", Shard{1, 2});
  const ShardOutput living(directory_ / "out", {0, 2}, false, golden("tiny_llama"), 0, plan());
  EXPECT_REFUSED(Status::io_error, "written by another process", convert("out", Shard{0, 2}));
  EXPECT_TRUE(fs::exists(shards() / ".qfuse-shard-00000")) << "the living one's";
  convert("out", Shard{1, 2});
  EXPECT_TRUE(holds(finish_error(Status::io_error), "a shard is still being written"));
}

TEST_P(Shards, are_refused_while_they_are_finished) {
  convert("out", Shard{0, 2});
  const Descriptor finishing = lock_shards(shards(), LockKind::exclusive);
  EXPECT_REFUSED(Status::io_error, "is being finished", convert("out", Shard{1, 2}));
  EXPECT_TRUE(holds(finish_error(Status::io_error), "still being written"));
}

TEST_P(Shards, look_at_the_output_as_any_run_does) {
  convert_all("out", 2);
  convert("out");
  const auto refused = [&](const auto& run) { return error_of(Status::invalid_argument, run); };
  EXPECT_TRUE(holds(refused([&] { convert("out", Shard{0, 2}); }), "`force` replaces it"));
  convert("out", Shard{0, 2}, true);
  EXPECT_TRUE(holds(finish_error(Status::invalid_argument), "`force` replaces it"));
  finish(directory_ / "out", {true, {}});
  convert("whole");
  EXPECT_TRUE(files_in(directory_ / "out") == files_in(directory_ / "whole"));
  EXPECT_REFUSED(Status::io_error, "not an existing directory", convert("none/out", Shard{0, 2}));
  write_file(directory_ / "x.qfuse-shards", "a file");
  EXPECT_TRUE(holds(refused([&] { convert("x", Shard{0, 2}); }), "is no directory"));
}

TEST_P(Shards, finish_names_what_is_missing) {
  EXPECT_TRUE(holds(finish_error(Status::invalid_argument), "there is no out.qfuse-shards"));
  convert("out", Shard{1, 3});
  EXPECT_TRUE(holds(finish_error(), "files are missing ('config.json', 'generation_config.json', 'model-0000"));
  EXPECT_TRUE(holds(finish_error(), "run shards 0 and 2 of 3"));
  convert("out", Shard{0, 3});
  EXPECT_TRUE(holds(finish_error(), "'model-00003-of"));
  EXPECT_TRUE(finish_error().ends_with("run shard 2 of 3"));
  convert("out", Shard{2, 3});
  finish(directory_ / "out");
  EXPECT_TRUE(holds(finish_error(Status::invalid_argument), "nothing to finish: it exists"));
}

TEST_P(Shards, finish_refuses_files_that_are_not_what_was_planned) {
  convert_all("out", 2);
  const Files whole = files_in(shards());
  const std::string first = "model-00001-of-0000" + std::to_string(files()) + ".safetensors";
  const std::string second = "model-00002-of-0000" + std::to_string(files()) + ".safetensors";
  const auto error_with = [&](const std::string& name, const std::string& bytes) {
    write_file(shards() / name, bytes);
    const std::string error = finish_error();
    write_file(shards() / name, whole.at(name));
    EXPECT_FALSE(fs::exists(directory_ / "out"));
    return error;
  };
  const std::string cut = whole.at(second).substr(0, whole.at(second).size() - 1);
  EXPECT_TRUE(holds(error_with(second, cut), ": run shard 1 of 2"));
  EXPECT_TRUE(holds(error_with(second, ""), ": run shard 1 of 2"));
  EXPECT_TRUE(holds(error_with(first, "garbled, and longer than eight bytes"), ": run shard 0 of 2"));
  EXPECT_TRUE(holds(error_with(first, whole.at(second)), "is missing: run shard 0 of 2"));

  RawTensors tensors = parse_safetensors(whole.at(first));
  tensors["another"] = u8({1});
  EXPECT_TRUE(holds(error_with(first, safetensors(tensors)), "tensors, the plan says"));
  tensors.erase("another");
  tensors.begin()->second.shape.push_back(1);
  EXPECT_TRUE(holds(error_with(first, safetensors(tensors)), "the plan says"));
  finish(directory_ / "out");
}

TEST_P(Shards, finish_names_all_that_are_to_be_run_again) {
  convert_all("out", 4);
  const auto name = [&](int i) { return fmt::format("model-{:05}-of-{:05}.safetensors", i + 1, files()); };
  write_file(shards() / name(0), "");
  write_file(shards() / name(1), "");
  fs::remove(shards() / name(2));
  const std::string error = finish_error();
  EXPECT_TRUE(holds(error, fmt::format("files is missing ('{}'); ", name(2))));
  EXPECT_TRUE(holds(error, name(0) + ": "));
  EXPECT_TRUE(holds(error, "; 1 more wrong: run shards 0-2 of 4"));
}

TEST_P(Shards, finish_throws_nothing_away_that_it_does_not_know) {
  convert_all("out", 2);
  write_file(shards() / "notes.txt", "mine");
  EXPECT_TRUE(holds(finish_error(), "'notes.txt' is no part of the output"));
  EXPECT_EQ(read_file(shards() / "notes.txt"), "mine");
  fs::remove(shards() / "notes.txt");
  fs::remove(shards() / "config.json");
  fs::create_symlink("/etc/hostname", shards() / "config.json");
  EXPECT_TRUE(holds(finish_error(), "'config.json'")) << "a link is not the file that was made";
}

class Finished : public Shards {
 protected:
  // The state after finish() made the output, where hard links work, but before it removed the shards.
  void make_output() {
    convert_all("out", 2);
    convert("whole");
    fs::create_directory(directory_ / "out");
    for (const std::string& name : names_in(directory_ / "whole"))
      if (fs::exists(shards() / name))
        fs::create_hard_link(shards() / name, directory_ / "out" / name);
      else
        fs::copy(directory_ / "whole" / name, directory_ / "out" / name);
  }
  void finish_again(const Names& names) {
    const FinishReport report = finish(directory_ / "out");
    EXPECT_EQ(report.files, files());
    EXPECT_GT(report.bytes, 0);
    EXPECT_TRUE(files_in(directory_ / "out") == files_in(directory_ / "whole"));
    EXPECT_EQ(names_in(directory_.path()), names);
  }
};

TEST_P(Finished, but_for_the_removal_of_the_shards_is_finished) {
  make_output();
  fs::create_directory(directory_ / "out.qfuse-old");  // replaced by the same run
  finish_again({"out", "out.qfuse-old", "whole"});
}

TEST_P(Finished, is_what_was_made_of_the_same_files_alone) {
  make_output();
  const fs::path file = directory_ / "out/config.json";
  fs::remove(file);
  for (const auto& make :
       std::vector<std::function<void()>>{[] {}, [&] { fs::copy(shards() / "config.json", file); },
                                          [&] { fs::create_symlink(shards() / "config.json", file); }}) {
    make();
    EXPECT_TRUE(holds(finish_error(Status::invalid_argument), "`force` replaces it"));
    EXPECT_TRUE(fs::exists(shards() / "config.json"));
    fs::remove(file);
  }
  fs::remove_all(directory_ / "out");
  fs::create_directory_symlink(shards(), directory_ / "out");
  EXPECT_TRUE(holds(finish_error(Status::invalid_argument), "is the input itself"));
  EXPECT_TRUE(fs::exists(shards() / "config.json"));
}

TEST_P(Finished, but_for_the_end_of_the_removal_is_finished) {
  make_output();
  fs::create_directory(directory_ / "out.qfuse-partial");
  fs::rename(shards(), directory_ / "out.qfuse-partial/out.qfuse-shards");
  fs::remove(directory_ / "out.qfuse-partial/out.qfuse-shards" / kPlan);
  finish_again({"out", "whole"});
}

TEST_P(Finished, is_none_without_the_output) {
  make_output();
  fs::remove_all(directory_ / "out");
  fs::create_directory(directory_ / "out.qfuse-partial");
  fs::rename(shards(), directory_ / "out.qfuse-partial/out.qfuse-shards");
  EXPECT_TRUE(holds(finish_error(Status::invalid_argument), "nothing to finish"));
  EXPECT_TRUE(fs::exists(directory_ / "out.qfuse-partial/out.qfuse-shards"));
}

INSTANTIATE_TEST_SUITE_P(Of, Shards, testing::ValuesIn(kConversions), conversion_name);
INSTANTIATE_TEST_SUITE_P(Of, Finished, testing::ValuesIn(kConversions), conversion_name);

TEST(ShardsOfInput, must_be_of_a_directory_and_count_from_0) {
  const TemporaryDirectory directory;
  const auto error = [&](const fs::path& in, Shard shard) {
    DequantizeOptions options;
    options.shard = shard;
    return error_of(Status::invalid_argument, [&] { dequantize(in, directory / "out", options); });
  };
  for (const Shard shard : {Shard{8, 8}, Shard{-1, 8}, Shard{0, 0}, Shard{1, 0}, Shard{0, -1}})
    EXPECT_TRUE(holds(error(golden("tiny_llama/bnb4"), shard), "count from 0"));
  EXPECT_TRUE(holds(error(golden("bnb_cases.safetensors"), {0, 2}), "is a single file, which has no shards"));
  EXPECT_EQ(names_in(directory.path()), Names{});
}

TEST(ShardsOfInput, that_are_cancelled_leave_what_others_made) {
  const TemporaryDirectory directory;
  convert_by(kConversions[0], directory / "out", Shard{1, 2}, kMaxShardSize);
  const Files before = files_in(directory / "out.qfuse-shards");
  DequantizeOptions options;
  options.shard = Shard{0, 2};
  options.max_shard_size = kMaxShardSize;
  options.progress = [](const Progress&) { return false; };
  EXPECT_EQ(error_of(Status::cancelled, [&] { dequantize(golden("tiny_llama/bnb4"), directory / "out", options); }),
            "cancelled");
  EXPECT_TRUE(files_in(directory / "out.qfuse-shards") == before);
}

// A model whose files are writable, and the output of one of its shards.
class ChangingInput : public testing::Test {
 protected:
  ChangingInput() {
    fs::copy(golden("tiny_llama/bnb4"), directory_ / "in");
    fs::permissions(directory_ / "in", fs::perms::owner_all);
    write_file(directory_ / "in/train.log", "a");
    convert(0);
  }
  void convert(std::int64_t shard) {
    DequantizeOptions options;
    options.shard = Shard{shard, 2};
    dequantize(directory_ / "in", directory_ / "out", options);
  }
  std::string refusal() {
    return error_of(Status::invalid_argument, [&] { convert(1); });
  }

  TemporaryDirectory directory_;
};

TEST_F(ChangingInput, between_two_shards_is_refused) {
  for (const char* const name : {"model-00002-of-00003.safetensors", "config.json"}) {
    const fs::path file = directory_ / "in" / name;
    const fs::file_time_type before = fs::last_write_time(file);
    fs::last_write_time(file, before + std::chrono::nanoseconds(1));
    const std::string error = refusal();
    EXPECT_TRUE(holds(error, fmt::format("(inputs/{}/modified is \"", name)));
    EXPECT_TRUE(holds(error, " there and \""));
    fs::last_write_time(file, before);
  }
  const fs::path config = directory_ / "in/config.json";
  const std::string text = read_file(config);
  write_file(config, text + "\n");
  EXPECT_TRUE(holds(refusal(),
                    fmt::format("(inputs/config.json/bytes is {} there and {} here)", text.size(), text.size() + 1)));
}

TEST_F(ChangingInput, that_is_only_copied_may_grow) {
  write_file(directory_ / "in/train.log", "ab");
  convert(1);
  finish(directory_ / "out");
  EXPECT_EQ(read_file(directory_ / "out/train.log"), "a");
}

TEST_F(ChangingInput, that_gets_a_file_during_a_run_is_copied_as_planned) {
  DequantizeOptions options;
  options.shard = Shard{0, 1};
  options.progress = [&](const Progress&) {
    write_file(directory_ / "in/late.log", "b");
    return true;
  };
  dequantize(directory_ / "in", directory_ / "whole", options);
  finish(directory_ / "whole");
  EXPECT_TRUE(fs::exists(directory_ / "whole/train.log"));
  EXPECT_FALSE(fs::exists(directory_ / "whole/late.log"));
}

TEST(ShardsOfInput, names_that_a_plan_cannot_hold_are_refused) {
  for (const std::string name : {".qfuse-plan.json", "a\\b", "\xff"}) {
    const TemporaryDirectory directory;
    write_model(directory / "in", small_nf4("a.weight"));
    write_file(directory / "in" / name, "x");
    DequantizeOptions options;
    options.shard = Shard{0, 1};
    EXPECT_NE(error_of(Status::unsupported, [&] { dequantize(directory / "in", directory / "out", options); }), "");
    EXPECT_EQ(names_in(directory.path()), Names{"in"});
    dequantize(directory / "in", directory / "out");
  }
}

TEST(ShardsOfInput, a_quant_state_is_no_longer_than_planned) {
  const TemporaryDirectory directory;
  QuantizeOptions options;
  options.shard = Shard{0, 1};
  quantize(golden("tiny_llama/full"), directory / "out", options);
  const fs::path file = directory / "out.qfuse-shards/model.safetensors";
  const RawTensors whole = load(file);
  const std::string name = "model.layers.0.mlp.up_proj.weight.quant_state.bitsandbytes__nf4";
  for (const std::string& state : {std::string(), std::string(300, ' ')}) {
    RawTensors tensors = whole;
    tensors.at(name) = text(state);
    write_file(file, safetensors(tensors));
    EXPECT_REFUSED(Status::invalid_data, name, finish(directory / "out"));
  }
}

// The name contains a backslash and "u0000", which JSON escapes again; it does not contain a NUL character.
TEST(ShardsOfInput, a_tensor_s_name_may_have_a_backslash_before_u0000) {
  const TemporaryDirectory directory;
  const std::string name = R"(a\u0000b.weight)";
  write_model(directory / "in", small_nf4(name));
  DequantizeOptions options;
  options.shard = Shard{0, 1};
  dequantize(directory / "in", directory / "out", options);
  finish(directory / "out");
  EXPECT_TRUE(load(directory / "out").contains(name));
}

}  // namespace
}  // namespace qfuse::checkpoint
