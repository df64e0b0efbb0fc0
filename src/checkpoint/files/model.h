// A checkpoint on disk, seen as one set of named tensors: a .safetensors file, or a directory of them.
#ifndef QFUSE_CHECKPOINT_FILES_MODEL_H
#define QFUSE_CHECKPOINT_FILES_MODEL_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "checkpoint/files/safetensors.h"

namespace qfuse::checkpoint {

// What the tensor of a layer's weight is called, behind the layer's name.
inline constexpr std::string_view kWeightSuffix = ".weight";

// What the names of a directory's weights begin with: transformers looks for the first, diffusers for the second.
inline constexpr std::array<std::string_view, 2> kStems{"model", "diffusion_pytorch_model"};

// A tensor in its file. A view: valid as long as its Model.
struct StoredTensor {
  const SafetensorsFile* file = nullptr;
  const TensorEntry* entry = nullptr;

  void read(std::int64_t offset, std::span<std::byte> out) const { file->read(*entry, offset, out); }
  [[nodiscard]] std::string where() const;  // "<file>: tensor '<name>'", the beginning of a message
};

// Whether both are the same values, in type, shape and every bit. Reads them.
bool same_bytes(const StoredTensor& a, const StoredTensor& b);

// In a directory the weights are, in this order of preference: model.safetensors; the shards that
// model.safetensors.index.json names, which must lie in the directory itself (links to files elsewhere are fine: hub
// caches are made of them); the same with diffusers' diffusion_pytorch_model; the only *.safetensors file. Index and
// shards must agree on every tensor.
// Pickle checkpoints (.bin, .pt, .pth) are refused with advice.
class Model {
 public:
  explicit Model(const std::filesystem::path& path);
  Model(const Model&) = delete;  // tensors point into it
  Model& operator=(const Model&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const std::string& name() const { return name_; }  // of the path, printable
  [[nodiscard]] bool is_directory() const { return is_directory_; }
  [[nodiscard]] std::string_view stem() const { return stem_; }                      // of kStems
  [[nodiscard]] const std::deque<SafetensorsFile>& files() const { return files_; }  // by name
  [[nodiscard]] const StoredTensor* find(std::string_view tensor) const;             // NULL if there is none
  [[nodiscard]] std::int64_t data_bytes() const;

 private:
  void open_directory();
  void open_shards(const std::filesystem::path& index);
  void open_file(const std::filesystem::path& file);

  std::filesystem::path path_;
  std::string name_;
  bool is_directory_ = false;
  std::string_view stem_ = kStems.front();
  std::deque<SafetensorsFile> files_;                           // which never moves them
  std::unordered_map<std::string_view, StoredTensor> tensors_;  // the names are the entries'
};

inline constexpr std::string_view kConfigFile = "config.json";
inline constexpr std::string_view kPipelineFile = "model_index.json";  // of diffusers: names folders, each a model

// Whether a file of that name lies in the directory that it is looked for in, whatever else the name says.
bool is_plain_name(std::string_view name);

// Whether a name, of a file or in folders ("1_Pooling/config.json"), stays in the directory, part by part.
bool is_nested_name(std::string_view name);

// The names of .safetensors file `i`, from 0, of `count` in a directory, and of the index of all of them.
std::string weight_file_name(std::string_view stem, std::size_t i, std::size_t count);
std::string index_file_name(std::string_view stem);

// The stem of a file's name; the first for any that has none.
std::string_view stem_of(std::string_view weight_file);

// What tensors one of them holds.
struct IndexedFile {
  std::string name;
  std::span<const TensorEntry> entries;
};

template <class Files>
std::vector<IndexedFile> index_of(const Files& files) {
  std::vector<IndexedFile> index;
  index.reserve(files.size());
  for (const auto& file : files) index.push_back({file.name, file.entries});
  return index;
}

// The text of model.safetensors.index.json.
std::string index_json(std::span<const IndexedFile> files);

bool is_safetensors(const std::filesystem::path& file);
// Weights of any common format, or an index of them (model.safetensors.index.json, pytorch_model.bin.index.fp16.json).
bool is_weight_file(const std::filesystem::path& file);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_MODEL_H
