#include "checkpoint/files/model.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "checkpoint/files/errors.h"
#include "checkpoint/files/hub.h"
#include "checkpoint/files/json.h"

namespace qfuse::checkpoint {
namespace {

namespace fs = std::filesystem;

// Returns the index of a variant, such as model.safetensors.index.fp16.json; empty if there is none, or more than one.
fs::path variant_index(const fs::path& directory, std::string_view stem) {
  const std::string beginning = fmt::format("{}.safetensors.index.", stem);
  fs::path found;
  for (const fs::path& file : list_directory(directory)) {
    if (!file.native().starts_with(beginning) || file.extension() != ".json") continue;
    if (!found.empty()) return {};
    found = directory / file;
  }
  return found;
}

bool is_pickle(const fs::path& file) {
  const fs::path ending = file.extension();
  return ending == ".bin" || ending == ".pt" || ending == ".pth";
}

[[noreturn]] void refuse_pickle(const std::string& name) {
  fail(Status::unsupported,
       "{}: is a pickle checkpoint, which can run code when read; load it with transformers, "
       "whose model.save_pretrained() writes safetensors",
       name);
}

// Reads the index: maps tensor names to shard names.
std::map<std::string, std::string> read_weight_map(const fs::path& index) {
  constexpr std::int64_t kLongest = 100'000'000;  // bytes; real ones have up to a few million
  constexpr std::size_t kMostKeys = 10'000'000;
  const std::string where = printable(index.native());
  const auto json = parse_json<nlohmann::json>(read_text(index, kLongest), where, kMostKeys);
  if (!json.is_object() || !json.contains("weight_map") || !json["weight_map"].is_object())
    fail(Status::invalid_data, "{}: has no object 'weight_map'", where);
  std::map<std::string, std::string> map;
  for (const auto& [tensor, shard] : json["weight_map"].items()) {
    if (!shard.is_string())
      fail(Status::invalid_data, "{}: tensor '{}': its file is no string", where, printable(tensor));
    const auto& file = shard.get_ref<const std::string&>();
    if (!is_plain_name(file))
      fail(Status::invalid_data, "{}: tensor '{}': its file '{}' is not a plain file name", where, printable(tensor),
           printable(file));
    map.emplace(tensor, file);
  }
  return map;
}

}  // namespace

bool same_bytes(const StoredTensor& a, const StoredTensor& b) {
  if (a.entry->type != b.entry->type || a.entry->shape != b.entry->shape) return false;
  constexpr std::int64_t kPiece = 4 << 20;
  std::vector<std::byte> bytes_a;
  std::vector<std::byte> bytes_b;
  for (std::int64_t at = 0; at < a.entry->bytes(); at += kPiece) {
    bytes_a.resize(static_cast<std::size_t>(std::min(kPiece, a.entry->bytes() - at)));
    bytes_b.resize(bytes_a.size());
    a.read(at, bytes_a);
    b.read(at, bytes_b);
    if (bytes_a != bytes_b) return false;
  }
  return true;
}

std::string StoredTensor::where() const { return fmt::format("{}: tensor '{}'", file->name(), printable(entry->name)); }

bool is_plain_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find_first_of(std::string_view("/\\\0", 3)) == name.npos;
}

bool is_nested_name(std::string_view name) {
  for (std::size_t slash = name.find('/'); slash != name.npos; slash = name.find('/')) {
    if (!is_plain_name(name.substr(0, slash))) return false;
    name.remove_prefix(slash + 1);
  }
  return is_plain_name(name);
}

Model::Model(const fs::path& path) : path_(path), name_(printable(path.native())) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status))
    fail(Status::io_error, "{}: {}{}", name_, error ? error.message() : "no such file or directory", hub_hint(path));
  is_directory_ = fs::is_directory(status);
  if (is_directory_)
    open_directory();
  else if (is_pickle(path))
    refuse_pickle(name_);
  else
    open_file(path);
}

const StoredTensor* Model::find(std::string_view tensor) const {
  const auto found = tensors_.find(tensor);
  return found == tensors_.end() ? nullptr : &found->second;
}

std::int64_t Model::data_bytes() const {
  std::int64_t bytes = 0;
  for (const SafetensorsFile& file : files_) bytes += file.data_bytes();
  return bytes;
}

void Model::open_file(const fs::path& path) {
  const SafetensorsFile& file = files_.emplace_back(path);
  for (const TensorEntry& entry : file.entries()) {
    const auto [other, is_new] = tensors_.try_emplace(entry.name, StoredTensor{&file, &entry});
    if (!is_new)
      fail(Status::invalid_data, "{}: tensor '{}': is also in {}", file.name(), printable(entry.name),
           other->second.file->name());
  }
}

void Model::open_directory() {
  for (const std::string_view stem : kStems) {
    stem_ = stem;
    if (const fs::path whole = path_ / weight_file_name(stem, 0, 1); fs::exists(whole)) return open_file(whole);
    if (const fs::path index = path_ / index_file_name(stem); fs::exists(index)) return open_shards(index);
  }
  for (const std::string_view stem : kStems) {
    stem_ = stem;
    if (const fs::path index = variant_index(path_, stem); !index.empty()) return open_shards(index);
  }
  stem_ = kStems.front();
  std::vector<fs::path> candidates;
  bool pickles = false;
  for (const fs::path& file : list_directory(path_)) {
    if (is_safetensors(file)) candidates.push_back(file);
    pickles = pickles || is_pickle(file);
  }
  if (candidates.size() > 1)
    fail(Status::invalid_data, "{}: has {} .safetensors files ('{}', '{}'{}) but no {} to say which are the model",
         name_, candidates.size(), printable(candidates[0].native()), printable(candidates[1].native()),
         candidates.size() > 2 ? ", ..." : "", index_file_name(stem_));
  if (candidates.empty() && pickles) refuse_pickle(name_);
  if (candidates.empty()) fail(Status::invalid_data, "{}: has no .safetensors file{}", name_, hub_hint(path_));
  stem_ = stem_of(candidates[0].native());
  open_file(path_ / candidates[0]);
}

void Model::open_shards(const fs::path& index) {
  const std::string where = printable(index.native());
  const std::map<std::string, std::string> weight_map = read_weight_map(index);
  std::set<std::string_view> shards;
  for (const auto& [tensor, shard] : weight_map) shards.insert(shard);
  for (const std::string_view shard : shards) {
    if (is_pickle(shard)) refuse_pickle(printable((path_ / shard).native()));
    if (!fs::exists(path_ / shard))
      fail(Status::io_error, "{}: is not there, but {} names it: the download is incomplete{}", shown(path_ / shard),
           shown(index.filename()), hub_hint(path_));
    open_file(path_ / shard);
    for (const TensorEntry& entry : files_.back().entries()) {
      const auto mapped = weight_map.find(entry.name);
      if (mapped == weight_map.end())
        fail(Status::invalid_data, "{}: tensor '{}': is not in {}", files_.back().name(), printable(entry.name), where);
      if (mapped->second != shard)
        fail(Status::invalid_data, "{}: tensor '{}': {} says it is in '{}'", files_.back().name(),
             printable(entry.name), where, printable(mapped->second));
    }
  }
  for (const auto& [tensor, shard] : weight_map)
    if (!find(tensor))
      fail(Status::invalid_data, "{}: tensor '{}': is not in '{}'", where, printable(tensor), printable(shard));
}

std::string weight_file_name(std::string_view stem, std::size_t i, std::size_t count) {
  if (count == 1) return fmt::format("{}.safetensors", stem);
  return fmt::format("{}-{:05}-of-{:05}.safetensors", stem, i + 1, count);
}

std::string index_file_name(std::string_view stem) { return fmt::format("{}.safetensors.index.json", stem); }

std::string_view stem_of(std::string_view weight_file) {
  const auto* const known = std::find_if(kStems.begin(), kStems.end(), [&](std::string_view stem) {
    return weight_file.starts_with(stem) && weight_file.substr(stem.size()).find_first_of(".-") == 0;
  });
  return known == kStems.end() ? kStems.front() : *known;
}

std::string index_json(std::span<const IndexedFile> files) {
  nlohmann::json index;
  std::int64_t total_size = 0;
  for (const IndexedFile& file : files)
    for (const TensorEntry& entry : file.entries) {
      index["weight_map"][entry.name] = file.name;
      total_size += entry.bytes();
    }
  index["metadata"]["total_size"] = total_size;
  return print_json(index);
}

bool is_safetensors(const fs::path& file) { return file.extension() == ".safetensors"; }

bool is_weight_file(const fs::path& file) {
  constexpr std::array kEndings{".safetensors", ".ckpt", ".gguf", ".h5", ".msgpack", ".onnx", ".onnx_data", ".ot"};
  const fs::path ending = file.extension();
  const bool is_index = ending == ".json" && file.native().find(".index.") != std::string::npos;
  return is_index || is_pickle(file) || std::find(kEndings.begin(), kEndings.end(), ending) != kEndings.end();
}

}  // namespace qfuse::checkpoint
