#include "checkpoint/files/companions.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

#include "checkpoint/files/adapter_config.h"
#include "checkpoint/files/errors.h"
#include "checkpoint/files/file.h"
#include "checkpoint/files/json.h"

namespace qfuse::checkpoint {
namespace {

namespace fs = std::filesystem;

// Settings beside kModulesFile, in which sentence-transformers lists folders, one per module.
bool is_settings_of_modules(std::string_view name) {
  return name == "config_sentence_transformers.json" ||
         (name.starts_with("sentence_") && name.ends_with("_config.json"));
}

// Folders with the same model in another format or an older version, even if only their small files were downloaded.
constexpr std::array<std::string_view, 5> kOtherForms{"coreml", "gguf", "onnx", "openvino", "original"};
constexpr std::string_view kTrainingCheckpoint = "checkpoint-";  // followed by the number of a step

// A file of voices that transformers needs to load Qwen2.5-Omni.
constexpr std::string_view kVoices = "spk_dict.pt";

bool is_other_form(const std::string& folder) {
  return std::find(kOtherForms.begin(), kOtherForms.end(), folder) != kOtherForms.end() ||
         folder.starts_with(kTrainingCheckpoint);
}

bool is_weights(const fs::path& file) { return is_weight_file(file) && file.extension() != ".json"; }

// Whether a file of the output may have this name.
bool is_reserved(const fs::path& folder) { return folder == kConfigFile || is_weight_file(folder); }

// These do not throw for links that are broken or circular.
bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}
bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

// Whether a real path is that of a folder or of something in it.
bool is_in(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) &&
         (path.size() == folder.size() || folder.ends_with('/') || path[folder.size()] == '/');
}

bool is_of_tools(const fs::path& folder) { return folder.native().starts_with('.'); }

// Returns the subfolders that hold modules. If the list cannot be read, returns none, so that folders that it might
// have named are left out.
std::set<std::string> folders_of_modules(const fs::path& directory) {
  constexpr std::int64_t kLongest = 1 << 20;  // bytes; real ones have hundreds
  constexpr std::size_t kMostKeys = 10'000;
  std::set<std::string> folders;
  const fs::path list = directory / kModulesFile;
  if (!is_file(list)) return folders;
  try {
    const auto json = parse_json<nlohmann::json>(read_text(list, kLongest), shown(list), kMostKeys);
    if (!json.is_array()) return folders;
    for (const nlohmann::json& module : json)
      if (module.is_object() && module.contains("path") && module["path"].is_string())
        if (const fs::path path(module["path"].get_ref<const std::string&>()); !path.empty())
          folders.insert(path.begin()->native());
  } catch (const Error& error) {
    if (error.status() != Status::invalid_data) throw;
  }
  return folders;
}

// Lists a folder of a model's directory recursively, without hidden folders. Links in this untrusted folder could make
// it endless, so the numbers of entries and levels are limited. Real folders have a few files in one or two levels.
class Folder {
 public:
  Folder(const fs::path& directory, const fs::path& name) : directory_(directory) {
    above_.push_back(fs::canonical(directory));
    add_folder(name);
  }

  [[nodiscard]] bool has_weights() const { return std::any_of(found_.files.begin(), found_.files.end(), is_weights); }
  [[nodiscard]] bool is_too_large() const { return entries_ > kMostEntries; }
  [[nodiscard]] const Companions& found() const { return found_; }

 private:
  static constexpr std::size_t kMostEntries = 100'000;
  static constexpr std::size_t kDeepest = 32;

  void add_folder(const fs::path& name) {
    std::error_code error;
    const fs::path real = fs::canonical(above_.back() / name.filename(), error);  // avoids following many links
    const auto holds = [&](const fs::path& folder) { return is_in(folder.native(), real.native()); };
    if (error || above_.size() > kDeepest || std::any_of(above_.begin(), above_.end(), holds))
      return found_.left_out.push_back(name);
    found_.folders.push_back(name);
    above_.push_back(real);
    for (const fs::path& entry : list_directory(real)) add(name / entry);
    above_.pop_back();
  }

  void add(const fs::path& name) {
    if (is_too_large()) return;
    ++entries_;
    const fs::path path = directory_ / name;
    if (!is_folder(path))
      (is_file(path) ? found_.files : found_.left_out).push_back(name);
    else if (!is_of_tools(name.filename()))
      add_folder(name);
  }

  const fs::path& directory_;
  std::vector<fs::path> above_;  // real paths of the folders that contain the current one
  std::size_t entries_ = 0;
  Companions found_;
};

void append(Companions& to, const Companions& more) {
  for (const auto part : {&Companions::files, &Companions::folders, &Companions::left_out})
    (to.*part).insert((to.*part).end(), (more.*part).begin(), (more.*part).end());
}

void add_folder(const Model& model, const fs::path& name, bool is_module, Companions& all) {
  const Folder folder(model.path(), name);
  const bool is_other = is_other_form(name.native()) || folder.has_weights() || is_reserved(name);
  if (folder.is_too_large() || (is_other && !is_module)) return all.left_out.push_back(name);
  append(all, folder.found());
}

}  // namespace

Companions companions_of(const Model& model) {
  Companions all;
  if (!model.is_directory()) return all;
  const auto is_own = [&](const fs::path& name) {
    return std::any_of(model.files().begin(), model.files().end(),
                       [&](const SafetensorsFile& file) { return file.file().path().filename() == name; });
  };
  const std::set<std::string> modules = folders_of_modules(model.path());
  for (const fs::path& name : list_directory(model.path())) {
    const fs::path path = model.path() / name;
    if (is_folder(path)) {
      if (!is_of_tools(name)) add_folder(model, name, modules.contains(name.native()), all);
    } else if (!is_file(path)) {
      if (!is_of_tools(name)) all.left_out.push_back(name);
    } else if (name == kAdapterConfigFile) {
      all.left_out.push_back(name);
    } else if (!is_weight_file(name) || name == kVoices) {
      if (name != kConfigFile) all.files.push_back(name);
    } else if (is_weights(name) && !is_own(name)) {
      all.left_out.push_back(name);
    }
  }
  return all;
}

Companions modules_of(const fs::path& directory) {
  Companions all;
  if (!is_file(directory / kModulesFile)) return all;
  const std::set<std::string> modules = folders_of_modules(directory);
  for (const fs::path& name : list_directory(directory)) {
    const bool is_settings = name == kModulesFile || is_settings_of_modules(name.native());
    if (is_settings && is_file(directory / name)) all.files.push_back(name);
    if (!modules.contains(name.native()) || is_reserved(name) || !is_folder(directory / name)) continue;
    const Folder folder(directory, name);
    if (!folder.is_too_large()) append(all, folder.found());
  }
  return all;
}

std::vector<fs::path> weights_in_folder(const fs::path& directory, const fs::path& name) {
  const Folder folder(directory, name);
  std::vector<fs::path> weights = folder.found().files;
  std::erase_if(weights, [](const fs::path& file) { return !is_weights(file); });
  return weights;
}

}  // namespace qfuse::checkpoint
