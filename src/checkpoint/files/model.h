// A checkpoint on disk as one set of named tensors: a .safetensors file, or a directory with several.
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

// Suffix after a layer's name in the name of its weight.
inline constexpr std::string_view kWeightSuffix = ".weight";

// File name stems of a directory's weights: transformers looks for the first, diffusers for the second.
inline constexpr std::array<std::string_view, 2> kStems{"model", "diffusion_pytorch_model"};

// A tensor in its file. A view: valid as long as its Model exists.
struct StoredTensor {
  const SafetensorsFile* file = nullptr;
  const TensorEntry* entry = nullptr;

  void read(std::int64_t offset, std::span<std::byte> out) const { file->read(*entry, offset, out); }
  [[nodiscard]] std::string where() const;  // "<file>: tensor '<name>'", for the beginning of a message
};

// Whether both tensors are equal in dtype, shape and every bit; reads their data.
bool same_bytes(const StoredTensor& a, const StoredTensor& b);

// The weights of a directory are, in this order of preference: model.safetensors; the shards listed in
// model.safetensors.index.json, which must be in the directory itself (links to files elsewhere are allowed, since hub
// caches use them); the same with diffusers' stem diffusion_pytorch_model; the only *.safetensors file. Index and
// shards must agree on every tensor. Pickle checkpoints (.bin, .pt, .pth) are refused with advice.
class Model {
 public:
  explicit Model(const std::filesystem::path& path);
  Model(const Model&) = delete;  // tensors point into it
  Model& operator=(const Model&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const std::string& name() const { return name_; }  // printable path
  [[nodiscard]] bool is_directory() const { return is_directory_; }
  [[nodiscard]] std::string_view stem() const { return stem_; }                      // one of kStems
  [[nodiscard]] const std::deque<SafetensorsFile>& files() const { return files_; }  // sorted by name
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
  std::deque<SafetensorsFile> files_;                           // a deque never moves its elements
  std::unordered_map<std::string_view, StoredTensor> tensors_;  // the names belong to the entries
};

inline constexpr std::string_view kConfigFile = "config.json";
inline constexpr std::string_view kPipelineFile = "model_index.json";  // diffusers': names the folders of components

// Whether a file of this name is always directly in the directory in which it is looked up: no separators, no "..".
bool is_plain_name(std::string_view name);

// Whether a relative path ("1_Pooling/config.json") stays within the directory: every part is a plain name.
bool is_nested_name(std::string_view name);

// File name of .safetensors file `i` (from 0) of `count`, and of the index of all files.
std::string weight_file_name(std::string_view stem, std::size_t i, std::size_t count);
std::string index_file_name(std::string_view stem);

// Returns the stem of a file name; the first of kStems if it has none.
std::string_view stem_of(std::string_view weight_file);

// The tensors in one file of the index.
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

// Returns the text of model.safetensors.index.json.
std::string index_json(std::span<const IndexedFile> files);

bool is_safetensors(const std::filesystem::path& file);
// Whether it has weights in any common format, or is their index (such as pytorch_model.bin.index.fp16.json).
bool is_weight_file(const std::filesystem::path& file);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_MODEL_H
