// A LoRA adapter on disk, as peft saves it: a directory with adapter_config.json and adapter_model.safetensors. What
// each tensor of it is, its name says. Files of diffusers and of kohya's scripts are read as such adapters
// (lora_file.h).
#ifndef QFUSE_CHECKPOINT_FILES_ADAPTER_H
#define QFUSE_CHECKPOINT_FILES_ADAPTER_H

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/files/adapter_config.h"
#include "checkpoint/files/model.h"

namespace qfuse::checkpoint {

// How peft calls a model's tensors: this before all of them, and that behind a layer that it has wrapped.
inline constexpr std::string_view kPeftPrefix = "base_model.model.";
inline constexpr std::string_view kPeftWrapper = ".base_layer";

enum class AdapterPart {
  a,            // <module>.lora_A.weight: [rank, in]
  b,            // <module>.lora_B.weight: [out, rank]
  b_bias,       // <module>.lora_B.bias: [out]
  magnitude,    // <module>.lora_magnitude_vector, or with .weight behind it: [out], DoRA's
  embedding_a,  // <module>.lora_embedding_A: [rank, vocabulary]
  embedding_b,  // <module>.lora_embedding_B: [width, rank]
  token_rows,   // <module>.token_adapter.trainable_tokens_delta: [tokens, width], the rows themselves
  whole,        // <module>.weight or .bias: takes the place of the base's
};

struct AdapterTensor {
  AdapterPart part = AdapterPart::whole;
  std::string
      module;  // as peft names it within the model: "model.layers.0.mlp.up_proj"; of `whole`, with its last part
  StoredTensor stored;
  bool of_base = false;  // of `whole`: not trained, but stored because the vocabulary may have grown
  bool is_copy = false;  // of `whole`: in a file that holds the base's own tensors too, and which may be one of them

  [[nodiscard]] std::string where() const { return stored.where(); }
};

class Adapter {
 public:
  explicit Adapter(const std::filesystem::path& path);
  // What a file holds for one component of a pipeline.
  Adapter(std::filesystem::path path, std::string component, AdapterConfig config, std::shared_ptr<const Model> file,
          std::vector<AdapterTensor> tensors);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const std::string& name() const { return name_; }  // of the path, printable
  // As peft's are, with their config and perhaps a tokenizer.
  [[nodiscard]] bool is_directory() const { return std::filesystem::is_directory(path_); }
  // Of the pipeline that it was trained for; "": the file does not say, or it was a model alone.
  [[nodiscard]] const std::string& component() const { return component_; }
  [[nodiscard]] const AdapterConfig& config() const { return config_; }
  [[nodiscard]] const std::vector<AdapterTensor>& tensors() const { return tensors_; }
  [[nodiscard]] const SafetensorsFile& file() const { return model_->files().front(); }

  // invalid_data, with the tensor and the place, if a value is NaN or infinite. Reads all.
  void check_finite() const;
  // Whether there are matrices B, and all of them are zero, as they are before training.
  [[nodiscard]] bool adds_nothing() const;

 private:
  std::filesystem::path path_;
  std::string name_;
  std::string component_;
  AdapterConfig config_;
  std::shared_ptr<const Model> model_;
  std::vector<AdapterTensor> tensors_;
};

// Refuses what no tensor of an adapter can be, by its type or shape.
void check_adapter_tensor(const StoredTensor& stored);

// Whether sizes and places in a tensor of this shape, times any rank, are numbers of 63 bits, also where one of its
// dimensions is 0 and the others can be anything.
bool is_countable(std::span<const std::int64_t> shape);

// Elements of a tensor of fp32, fp16 or bf16, widened exactly: from number `first` on, as many as `out` holds.
void read_as_float(const StoredTensor& stored, std::int64_t first, std::span<float> out);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_ADAPTER_H
