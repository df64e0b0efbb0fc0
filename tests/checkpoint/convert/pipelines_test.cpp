// Diffusers pipelines: some components are converted, the others are copied, and the output appears all at once.
#include <algorithm>

#include "support.h"

namespace qfuse::checkpoint {
namespace {

constexpr const char* kPipelineIndex = R"({"_class_name": "FluxPipeline", "_diffusers_version": "0.42.1",
  "feature_extractor": [null, null], "requires_safety_checker": true, "scheduler": ["diffusers", "EulerScheduler"],
  "text_encoder": ["transformers", "T5EncoderModel"], "transformer": ["diffusers", "FluxTransformer2DModel"],
  "vae": ["diffusers", "AutoencoderKL"]})";

RawTensors matrices(const Names& names) {
  RawTensors tensors;
  unsigned seed = 1;
  for (const std::string& name : names) tensors[name] = random_weight({6, 64}, Dtype::bfloat16, seed++);
  return tensors;
}

class Pipelines : public testing::Test {
 protected:
  Pipelines() {
    for (const char* folder : {"scheduler", "text_encoder", "transformer", "vae"}) fs::create_directories(in_ / folder);
    write_file(in_ / "model_index.json", kPipelineIndex);
    write_file(in_ / "README.md", "a pipeline");
    write_file(in_ / "flux1-dev.safetensors", safetensors(matrices({"all.weight"})));
    write_file(in_ / "scheduler/scheduler_config.json", "{}");
    write_file(in_ / "text_encoder/config.json", R"({"model_type": "t5"})");
    write_file(in_ / "text_encoder/model.safetensors", safetensors(matrices({"encoder.q.weight"})));
    write_file(in_ / "transformer/config.json", R"({"_class_name": "FluxTransformer2DModel"})");
    write_file(in_ / "transformer/diffusion_pytorch_model.safetensors", safetensors(matrices({"a.to_q.weight"})));
    write_file(in_ / "vae/config.json", R"({"_class_name": "AutoencoderKL"})");
    write_file(in_ / "vae/diffusion_pytorch_model.safetensors", safetensors(matrices({"mid.to_q.weight"})));
    write_file(in_ / "vae/diffusion_pytorch_model.bin", "a pickle");
  }

  void expect_same_files(const fs::path& a, const fs::path& b) {
    ASSERT_EQ(names_in(a), names_in(b));
    for (const std::string& name : names_in(a)) EXPECT_EQ(read_file(a / name), read_file(b / name)) << name;
  }

  std::string refusal(Status status, const QuantizeOptions& options = {}) {
    const std::string message = error_of(status, [&] { quantize(in_, out_, options); });
    EXPECT_FALSE(fs::exists(out_));
    return message;
  }

  TemporaryDirectory directory_;
  fs::path in_ = directory_ / "in";
  fs::path out_ = directory_ / "out";
};

TEST_F(Pipelines, quantize_takes_text_encoders_and_what_removes_the_noise) {
  const ConversionReport report = quantize(in_, out_);
  EXPECT_EQ(report.tensors, 2);
  EXPECT_EQ(report.converted, 2);
  EXPECT_EQ(report.files, 2);
  EXPECT_EQ(names_in(out_),
            (Names{"README.md", "model_index.json", "scheduler", "text_encoder", "transformer", "vae"}));
  EXPECT_EQ(read_file(out_ / "model_index.json"), kPipelineIndex);
  expect_same_files(in_ / "vae", out_ / "vae");
  expect_same_files(in_ / "scheduler", out_ / "scheduler");
  quantize(in_ / "transformer", directory_ / "transformer");
  expect_same_files(directory_ / "transformer", out_ / "transformer");
  quantize(in_ / "text_encoder", directory_ / "text_encoder");
  expect_same_files(directory_ / "text_encoder", out_ / "text_encoder");
  ASSERT_EQ(report.notes.size(), 2U);
  EXPECT_TRUE(holds(report.notes[0], "vae: is copied as it is"));
  EXPECT_TRUE(holds(report.notes[1], "flux1-dev.safetensors: is not part of the model, and was not copied"));
}

TEST_F(Pipelines, dequantize_takes_what_is_quantized) {
  quantize(in_, out_);
  const ConversionReport report = dequantize(out_, directory_ / "back");
  EXPECT_EQ(report.converted, 2);
  EXPECT_TRUE(report.notes.empty());
  expect_same_files(out_ / "vae", directory_ / "back/vae");
  const CompareReport comparison = compare(out_, directory_ / "back");
  EXPECT_TRUE(comparison.equal);
  ASSERT_EQ(comparison.tensors.size(), 3U);
  EXPECT_EQ(comparison.tensors[1].name, "transformer/a.to_q.weight");
  EXPECT_FALSE(compare(in_, out_).equal);
  EXPECT_REFUSED(Status::invalid_data, "none of its components has weights to dequantize",
                 dequantize(in_, directory_ / "none"));
}

TEST_F(Pipelines, components_that_are_chosen) {
  QuantizeOptions options;
  options.components = {"vae"};
  EXPECT_EQ(quantize(in_, out_, options).converted, 1);
  expect_same_files(in_ / "transformer", out_ / "transformer");
  EXPECT_EQ(inspect(out_).tensors[2].format, "nf4");
  options.force = true;
  options.components = {"scheduler"};
  EXPECT_REFUSED(Status::invalid_data, "scheduler: has no .safetensors file", quantize(in_, out_, options));
  options.components = {"unet"};
  EXPECT_REFUSED(Status::invalid_argument, "has no component 'unet': it has scheduler, text_encoder, transformer, vae",
                 quantize(in_, out_, options));
  options.components = {"transformer"};
  EXPECT_REFUSED(Status::invalid_argument, "is one model, and has no components",
                 quantize(in_ / "transformer", directory_ / "transformer", options));
  DequantizeOptions plain;
  plain.components = {"transformer"};
  EXPECT_REFUSED(Status::invalid_data, "transformer: nothing to dequantize",
                 dequantize(in_, directory_ / "back", plain));
}

TEST_F(Pipelines, says_which_folders_are_not_copied) {
  fs::create_directory(in_ / "pictures");
  fs::create_directory(in_ / "scheduler/old");
  const ConversionReport report = quantize(in_, out_);
  ASSERT_EQ(report.notes.size(), 4U);
  EXPECT_TRUE(holds(report.notes[2], "pictures: is a folder, and was not copied"));
  EXPECT_TRUE(holds(report.notes[3], "scheduler/old: is a folder, and was not copied"));
  EXPECT_FALSE(fs::exists(out_ / "pictures"));
}

TEST_F(Pipelines, adapters_are_left_out) {
  for (const char* name : {"adapter_config.json", "transformer/adapter_config.json", "vae/adapter_config.json"})
    write_file(in_ / name, "{}");
  const ConversionReport report = quantize(in_, out_);
  EXPECT_EQ(std::ranges::count_if(report.notes, [](const std::string& note) { return holds(note, "is an adapter's"); }),
            3);
  for (const char* name : {"", "transformer", "vae"}) EXPECT_FALSE(fs::exists(out_ / name / "adapter_config.json"));
}

TEST_F(Pipelines, inspect_lists_all_models) {
  const Inventory inventory = inspect(in_);
  EXPECT_EQ(inventory.files, 3);
  EXPECT_EQ(inventory.bytes, 3 * 6 * 64 * 2);
  ASSERT_EQ(inventory.tensors.size(), 3U);
  EXPECT_EQ(inventory.tensors[0].name, "text_encoder/encoder.q.weight");
  EXPECT_EQ(inventory.tensors[1].file, "transformer/diffusion_pytorch_model.safetensors");
  EXPECT_EQ(inventory.tensors[2].name, "vae/mid.to_q.weight");
}

TEST_F(Pipelines, what_is_refused) {
  QuantizeOptions options;
  options.shard = Shard{0, 2};
  EXPECT_TRUE(holds(refusal(Status::invalid_argument, options), "is a diffusers pipeline, which has no shards"));
  options.shard.reset();
  options.exclude = {"*.to_q.weight"};
  EXPECT_TRUE(
      holds(refusal(Status::invalid_argument, options), "text_encoder: exclude '*.to_q.weight' matches nothing"));
  fs::remove_all(in_ / "scheduler");
  EXPECT_TRUE(holds(refusal(Status::io_error),
                    "scheduler: is not there, but model_index.json names it: the download is incomplete"));
  write_file(in_ / "model_index.json", R"({"../vae": ["diffusers", "AutoencoderKL"]})");
  EXPECT_TRUE(holds(refusal(Status::invalid_data), "'../vae' is no name of a folder"));
  write_file(in_ / "model_index.json", "[]");
  EXPECT_TRUE(holds(refusal(Status::invalid_data), "model_index.json: is not a JSON object"));
}

TEST_F(Pipelines, the_output_appears_whole_or_not_at_all) {
  QuantizeOptions options;
  options.dry_run = true;
  EXPECT_EQ(quantize(in_, out_, options).converted, 2);
  options.dry_run = false;
  EXPECT_FALSE(fs::exists(out_));
  std::vector<std::int64_t> done;
  std::int64_t total = 0;
  options.progress = [&](const Progress& progress) {
    done.push_back(progress.bytes_done);
    total = progress.bytes_total;
    return true;
  };
  quantize(in_, out_, options);
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
  EXPECT_EQ(done.back(), total);
  options.progress = [&](const Progress& progress) { return progress.bytes_done < progress.bytes_total; };
  error_of(Status::cancelled, [&] { quantize(in_, directory_ / "cancelled", options); });
  EXPECT_EQ(names_in(directory_.path()), (Names{"in", "out"}));
}

TEST_F(Pipelines, force_replaces_a_pipeline_alone) {
  QuantizeOptions options;
  quantize(in_, out_, options);
  EXPECT_REFUSED(Status::invalid_argument, "`force` replaces it", quantize(in_, out_, options));
  options.force = true;
  fs::create_directory(out_ / "pictures");
  EXPECT_REFUSED(Status::invalid_argument, "holds the directory 'pictures', which model_index.json does not name",
                 quantize(in_, out_, options));
  fs::remove(out_ / "pictures");
  options.components = {"transformer"};
  quantize(in_, out_, options);
  expect_same_files(in_ / "text_encoder", out_ / "text_encoder");
  fs::remove(out_ / "model_index.json");
  EXPECT_REFUSED(Status::invalid_argument, "holds no model_index.json", quantize(in_, out_, options));
}

}  // namespace
}  // namespace qfuse::checkpoint
