// What a merge writes besides merged weights (further files, shards, reports), and when it writes nothing.
#include <cmath>
#include <qfuse/checkpoint.hpp>
#include <string>
#include <vector>

#include "adapters.h"
#include "merging.h"
#include "support.h"

namespace qfuse::checkpoint {
namespace {

// Writes a base of six shards, with an index and a config.
void write_sharded_base(const fs::path& path) {
  fs::create_directories(path);
  nlohmann::json index;
  for (int layer = 0; layer < 6; ++layer) {
    const std::string stem = "model.layers." + std::to_string(layer) + ".mlp.";
    const std::string file = "model-0000" + std::to_string(layer + 1) + "-of-00006.safetensors";
    const RawTensors tensors{{stem + "up_proj.weight", random_weight({33, 127}, Dtype::bfloat16, layer)},
                             {stem + "down_proj.weight", random_weight({127, 33}, Dtype::bfloat16, layer + 50)}};
    write_file(path / file, safetensors(tensors));
    for (const auto& [name, tensor] : tensors) index["weight_map"][name] = file;
  }
  write_file(path / "model.safetensors.index.json", index.dump());
  write_file(path / "config.json", R"({"model_type": "llama"})");
}

RawTensors lora_of_all_layers() {
  RawTensors factors;
  for (unsigned layer = 0; layer < 6; ++layer)
    factors.merge(lora("model.layers." + std::to_string(layer) + ".mlp.up_proj", 33, 127, 4, layer + 1));
  return factors;
}

TEST_F(Merge, shards_threads_and_the_reference_device_give_the_same_files) {
  write_sharded_base(base());
  write_adapter(adapter(), lora_of_all_layers());
  const std::vector<AdapterInput> adapters{{adapter()}};
  MergeOptions options;
  options.max_shard_size = 20'000;
  const MergeReport whole = merge(base(), adapters, directory / "whole", options);
  EXPECT_EQ(whole.files, 6);
  EXPECT_EQ(whole.converted, 6);
  const Files expected = files_in(directory / "whole");
  EXPECT_EQ(expected.size(), 6U + 3U);  // index, config, README
  const RawTensors tensors = load(directory / "whole");
  for (const auto& [name, tensor] : load(base())) {
    const std::string module = name.substr(0, name.rfind('.'));
    EXPECT_TRUE(tensors.at(name) == (module.ends_with("up_proj")
                                         ? with_lora(tensor, lora_of_all_layers(), module, kScale, Dtype::bfloat16)
                                         : tensor))
        << name;
  }
  options.force = true;
  for (const int threads : {1, 2, 7}) {
    options.exec.threads = threads;
    merge(base(), adapters, directory / "out", options);
    EXPECT_TRUE(files_in(directory / "out") == expected) << threads;
  }
  options.exec.device = {QFUSE_REFERENCE, 0};
  merge(base(), adapters, directory / "out", options);
  EXPECT_TRUE(files_in(directory / "out") == expected);
  options.exec = {};
  fs::remove_all(directory / "out");
  for (const std::int64_t i : {2, 0, 1}) {
    options.shard = Shard{i, 3};
    merge(base(), adapters, directory / "out", options);
    EXPECT_FALSE(fs::exists(directory / "out"));
  }
  finish(directory / "out");
  EXPECT_TRUE(files_in(directory / "out") == expected);
}

// Another scale or adapter config would apply only to this process's files.
TEST_F(Merge, shards_must_have_the_same_adapter) {
  write_sharded_base(base());
  write_adapter(adapter(), lora_of_all_layers());
  MergeOptions options;
  options.max_shard_size = 20'000;
  options.shard = Shard{0, 2};
  merge_to(directory / "out", options);
  options.shard = Shard{1, 2};
  EXPECT_NE(error_of(Status::invalid_argument,
                     [&] {
                       merge(base(), std::vector<AdapterInput>{{adapter(), 0.5}}, directory / "out", options);
                     }),
            "");
  const std::string factors = read_file(adapter() / "adapter_model.safetensors");
  write_file(adapter() / "adapter_config.json", R"({"peft_type": "LORA", "r": 4, "lora_alpha": 9})");
  EXPECT_NE(error_of(Status::invalid_argument, [&] { merge_to(directory / "out", options); }), "");
  EXPECT_EQ(read_file(adapter() / "adapter_model.safetensors"), factors);
}

TEST_F(Merge, a_base_may_be_a_file) {
  const RawTensors factors = lora(kUp, 33, 127, 4);
  write_file(directory / "base.safetensors", safetensors(layers()));
  write_adapter(adapter(), factors);
  merge(directory / "base.safetensors", std::vector<AdapterInput>{{adapter()}}, directory / "out.safetensors");
  EXPECT_EQ(names_in(directory.path()), (Names{"adapter", "base.safetensors", "out.safetensors"}));
  EXPECT_TRUE(load(directory / "out.safetensors").at(kUp + ".weight") ==
              with_lora(layers().at(kUp + ".weight"), factors, kUp, kScale, Dtype::bfloat16));
  const std::string out = read_file(directory / "out.safetensors");
  EXPECT_TRUE(holds(out, "base base.safetensors; adapters adapter@1"));
}

TEST_F(Merge, files_beside_the_weights) {
  write_base(layers());
  for (const char* name : {"tokenizer.json", "README.md", "generation_config.json", "notes.txt"})
    write_file(base() / name, std::string(name) + " of the base");
  write_adapter(adapter(), lora(kUp, 33, 127, 4));
  for (const char* name : {"tokenizer.json", "chat_template.jinja", "README.md", "optimizer.pt", "config.json"})
    write_file(adapter() / name, std::string(name) + " of the adapter");
  const std::vector<AdapterInput> adapters{{adapter()}};
  const MergeReport done = merge(base(), adapters, directory / "out");
  EXPECT_EQ(names_in(directory / "out"),
            (Names{"README.md", "chat_template.jinja", "config.json", "generation_config.json", "model.safetensors",
                   "notes.txt", "original_README.md", "tokenizer.json"}));
  const auto text = [&](const std::string& name) { return read_file(directory / "out" / name); };
  EXPECT_EQ(text("tokenizer.json"), "tokenizer.json of the adapter");
  EXPECT_EQ(text("chat_template.jinja"), "chat_template.jinja of the adapter");
  EXPECT_EQ(text("notes.txt"), "notes.txt of the base");
  EXPECT_EQ(text("original_README.md"), "README.md of the base");
  EXPECT_EQ(text("config.json"), kConfig);
  EXPECT_TRUE(holds(text("README.md"), "| adapter | adapter | 1 |"));
  EXPECT_TRUE(holds(text("README.md"), "1 tensors were changed."));
  // After a second merge, both earlier README files are kept.
  write_adapter(adapter("two"), lora(kUp, 33, 127, 4));
  merge(directory / "out", std::vector<AdapterInput>{{adapter("two")}}, directory / "again");
  EXPECT_EQ(read_file(directory / "again/original_README.md"), "README.md of the base");
  EXPECT_EQ(read_file(directory / "again/original_original_README.md"), text("README.md"));
}

// transformers would load the adapter in that directory instead of the merged weights.
TEST_F(Merge, an_adapter_beside_the_base_is_left_out) {
  write_base(layers());
  write_adapter(adapter(), lora(kUp, 33, 127, 4));
  for (const char* name : {"adapter_config.json", "adapter_model.safetensors"})
    fs::copy_file(adapter() / name, base() / name);
  merged();
  EXPECT_EQ(files, (Names{"README.md", "config.json", "model.safetensors"}));
  ASSERT_EQ(report.notes.size(), 2U);
  EXPECT_TRUE(holds(report.notes[0], "adapter_config.json: is an adapter's, which transformers would load"));
}

TEST_F(Merge, a_record_of_quantized_weights_over_plain_ones_is_dropped) {
  const std::string record = R"({"model_type": "llama", "quantization_config": {"load_in_4bit": true}})";
  write_base(layers(), record);
  write_adapter(adapter(), lora(kUp, 33, 127, 4));
  merged();
  EXPECT_EQ(nlohmann::json::parse(config), (nlohmann::json{{"model_type", "llama"}}));
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_TRUE(holds(report.notes[0], "says that it is quantized, and its weights are plain"));
  write_file(base() / "config.json", R"({"quantization_config": null})");
  merged();
  EXPECT_TRUE(report.notes.empty());
}

TEST_F(Merge, a_dtype_is_that_of_the_whole_model) {
  RawTensors tensors = layers();
  tensors["model.layers.0.router.weight"] = random_weight({127}, Dtype::float32, 5);
  tensors["model.layers.0.other.weight"] = random_weight({127}, Dtype::float16, 6);
  write_base(tensors, R"({"dtype": "bfloat16"})");
  write_adapter(adapter(), lora(kUp, 33, 127, 4));
  const auto type_of = [&](const RawTensors& made, const std::string& name) { return made.at(name).type; };
  MergeOptions options;
  options.dtype = Dtype::float16;
  RawTensors made = merged(options);
  EXPECT_EQ(made.at("model.norm.weight"), tensor_of(values_of(tensors.at("model.norm.weight")), {127}, Dtype::float16));
  EXPECT_EQ(type_of(made, kUp + ".weight"), "F16");
  EXPECT_EQ(type_of(made, kDown + ".weight"), "F16");
  EXPECT_EQ(made.at("model.layers.0.router.weight"), tensors.at("model.layers.0.router.weight"));
  EXPECT_EQ(made.at("numbers"), tensors.at("numbers"));
  EXPECT_EQ(nlohmann::json::parse(config), (nlohmann::json{{"dtype", "float16"}}));
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_TRUE(holds(report.notes[0], "keep their own dtype, which is not the model's: 1"));
  options.dtype = Dtype::float32;  // no value is rounded
  made = merged(options);
  for (const char* name : {"model.norm.weight", "model.layers.0.other.weight", "model.layers.0.router.weight"})
    EXPECT_EQ(type_of(made, name), "F32") << name;
  EXPECT_TRUE(report.notes.empty());
  for (const Dtype to : {Dtype::float16, Dtype::float32}) {  // compare() must round base and adapter to these types
    options.dtype = to;
    options.force = true;
    merge_to(directory / "out", options);
    CompareOptions comparison;
    comparison.adapters = {{adapter()}};
    EXPECT_TRUE(compare(base(), directory / "out", comparison).equal);
    EXPECT_FALSE(compare(base(), directory / "out").equal);
  }
  options.dtype.reset();
  made = merged(options);
  EXPECT_EQ(type_of(made, "model.layers.0.other.weight"), "F16");
  EXPECT_EQ(config, R"({"dtype": "bfloat16"})");
  EXPECT_TRUE(report.notes.empty());
}

TEST_F(Merge, a_dry_run_measures_and_writes_nothing) {
  write_base(layers());
  const RawTensors factors = lora(kUp, 33, 127, 4);
  write_adapter(adapter(), factors);
  MergeOptions options;
  options.dry_run = true;
  options.to_4bit = QuantType::nf4;
  const std::vector<float> before = values_of(layers().at(kUp + ".weight"));
  const std::vector<float> after = sum_of(before, matrix_of(factors.at(kPeft + kUp + ".lora_B.weight")),
                                          matrix_of(factors.at(kPeft + kUp + ".lora_A.weight")), kScale);
  const MergeReport done = merge_to(directory / "out", options);
  EXPECT_EQ(names_in(directory.path()), (Names{"adapter", "base"}));
  double added = 0.0;
  double weight = 0.0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    weight += static_cast<double>(before[i]) * static_cast<double>(before[i]);
    added += std::pow(static_cast<double>(after[i]) - static_cast<double>(before[i]), 2.0);
  }
  ASSERT_EQ(done.merged.size(), 1U);
  EXPECT_NEAR(done.merged[0].added_rms, std::sqrt(added / (33.0 * 127.0)), 1e-12);
  EXPECT_NEAR(done.merged[0].weight_rms, std::sqrt(weight / (33.0 * 127.0)), 1e-12);
  EXPECT_GT(done.merged[0].survival, 0.9);
  EXPECT_LT(done.merged[0].survival, 1.1);
  const auto json = nlohmann::json::parse(to_json(done));
  ASSERT_EQ(json.size(), 1U);
  EXPECT_EQ(json[0].at("name"), kUp + ".weight");
  EXPECT_EQ(json[0].at("rule"), "lora");
  EXPECT_EQ(json[0].at("rank"), 4);
  EXPECT_EQ(json[0].at("scale"), 2.0);
  EXPECT_EQ(json[0].at("survival"), done.merged[0].survival);
  EXPECT_TRUE(nlohmann::json::parse(to_json(MergeReport{})).empty());
}

TEST_F(Merge, cancelling_leaves_nothing) {
  write_base(layers());
  write_adapter(adapter(), lora(kUp, 33, 127, 4));
  MergeOptions options;
  for (const bool dry_run : {false, true}) {
    options.dry_run = dry_run;
    options.progress = [](const Progress&) { return false; };
    EXPECT_EQ(error_of(Status::cancelled, [&] { merge_to(directory / "out", options); }), "cancelled");
    EXPECT_EQ(names_in(directory.path()), (Names{"adapter", "base"}));
  }
}

}  // namespace
}  // namespace qfuse::checkpoint
