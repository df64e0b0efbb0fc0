#include "checkpoint/files/components.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "checkpoint/files/errors.h"
#include "checkpoint/files/file.h"
#include "checkpoint/files/json.h"
#include "checkpoint/files/model.h"

namespace qfuse::checkpoint {
namespace {

namespace fs = std::filesystem;

// The index names a component by a list of its library and class. Both are null if the pipeline omits it.
bool names_class(const nlohmann::json& value) {
  return value.is_array() && value.size() >= 2 && value[0].is_string() && value[1].is_string();
}

}  // namespace

bool is_pipeline(const fs::path& path) { return fs::is_directory(path) && fs::exists(path / kPipelineFile); }

std::vector<Component> read_components(const fs::path& pipeline) {
  constexpr std::int64_t kLongest = 1 << 20;  // bytes; real ones have hundreds
  constexpr std::size_t kMostKeys = 10'000;
  const fs::path index = pipeline / kPipelineFile;
  const auto json = parse_json<nlohmann::json>(read_text(index, kLongest), shown(index), kMostKeys);
  if (!json.is_object()) fail(Status::invalid_data, "{}: is not a JSON object", shown(index));
  std::vector<Component> components;
  for (const auto& [name, value] : json.items()) {
    if (name.starts_with('_') || !names_class(value)) continue;
    if (!is_plain_name(name))
      fail(Status::invalid_data, "{}: '{}' is no name of a folder", shown(index), printable(name));
    const fs::path folder = pipeline / name;
    if (!fs::is_directory(folder))
      fail(Status::io_error, "{}: is not there, but {} names it: the download is incomplete", shown(folder),
           kPipelineFile);
    components.push_back({name, value[1].get<std::string>(), folder});
  }
  return components;
}

bool holds_weights(const Component& component) {
  const std::vector<fs::path> names = list_directory(component.path);
  return std::any_of(names.begin(), names.end(), is_safetensors);
}

std::vector<Component> models_in(const fs::path& path) {
  if (!is_pipeline(path)) return {{"", "", path}};
  std::vector<Component> components = read_components(path);
  std::erase_if(components, [](const Component& component) { return !holds_weights(component); });
  return components;
}

std::string name_prefix(const Component& component) { return component.name.empty() ? "" : component.name + "/"; }

}  // namespace qfuse::checkpoint
