// A LoRA adapter on disk as peft saves it: a directory with adapter_config.json and adapter_model.safetensors. The name
// of each tensor says what it is. LoRA files of diffusers and of kohya's scripts are read as such adapters
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

// In peft's tensor names: the prefix of all tensors, and the part that follows the name of a wrapped layer.
inline constexpr std::string_view kPeftPrefix = "base_model.model.";
inline constexpr std::string_view kPeftWrapper = ".base_layer";

enum class AdapterPart {
  a,            // <module>.lora_A.weight: [rank, in]
  b,            // <module>.lora_B.weight: [out, rank]
  b_bias,       // <module>.lora_B.bias: [out]
  magnitude,    // <module>.lora_magnitude_vector, or the same with .weight: [out], of DoRA
  embedding_a,  // <module>.lora_embedding_A: [rank, vocabulary]
  embedding_b,  // <module>.lora_embedding_B: [width, rank]
  token_rows,   // <module>.token_adapter.trainable_tokens_delta: [tokens, width], new rows, not differences
  whole,        // <module>.weight or .bias: replaces the base's tensor
};

struct AdapterTensor {
  AdapterPart part = AdapterPart::whole;
  std::string module;  // peft's name within the model: "model.layers.0.mlp.up_proj"; for `whole` the tensor's full name
  StoredTensor stored;
  bool of_base = false;  // for `whole`: not trained, but stored because the vocabulary may have grown
  bool is_copy = false;  // for `whole`: from a file that also holds the base's own tensors, of which it may be one

  [[nodiscard]] std::string where() const { return stored.where(); }
};

class Adapter {
 public:
  explicit Adapter(const std::filesystem::path& path);
  // The tensors of a LoRA file for one component of a pipeline.
  Adapter(std::filesystem::path path, std::string component, AdapterConfig config, std::shared_ptr<const Model> file,
          std::vector<AdapterTensor> tensors);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const std::string& name() const { return name_; }  // printable path
  // Whether it is a directory as peft saves it, with a config and perhaps a tokenizer.
  [[nodiscard]] bool is_directory() const { return std::filesystem::is_directory(path_); }
  // Component of the pipeline that it was trained for; "" if the file does not say, or for a single model.
  [[nodiscard]] const std::string& component() const { return component_; }
  [[nodiscard]] const AdapterConfig& config() const { return config_; }
  [[nodiscard]] const std::vector<AdapterTensor>& tensors() const { return tensors_; }
  [[nodiscard]] const SafetensorsFile& file() const { return model_->files().front(); }

  // Fails with invalid_data, naming tensor and element, if a value is NaN or infinite. Reads all tensors.
  void check_finite() const;
  // Whether the adapter has B matrices and all of them are zero, as before training.
  [[nodiscard]] bool adds_nothing() const;

 private:
  std::filesystem::path path_;
  std::string name_;
  std::string component_;
  AdapterConfig config_;
  std::shared_ptr<const Model> model_;
  std::vector<AdapterTensor> tensors_;
};

// Whether every element is zero.
bool is_zero(const StoredTensor& stored);

// Fails if type or shape are impossible for a tensor of an adapter.
void check_adapter_tensor(const StoredTensor& stored);

// Whether element counts and offsets of a tensor of this shape, times any rank, fit in 63 bits. A dimension of 0 counts
// as 1, because the others could then be arbitrary.
bool is_countable(std::span<const std::int64_t> shape);

// Reads out.size() elements of an fp32, fp16 or bf16 tensor from element `first` on, widened exactly.
void read_as_float(const StoredTensor& stored, std::int64_t first, std::span<float> out);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_ADAPTER_H
