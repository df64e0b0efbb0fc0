#include "checkpoint/config.h"

#include <array>

#include "checkpoint/errors.h"
#include "checkpoint/json.h"

namespace qfuse::checkpoint {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<const char*, 2> kDtypeKeys{"dtype", "torch_dtype"};

struct DtypeName {
  Dtype dtype;
  const char* name;
};
constexpr std::array<DtypeName, 3> kDtypeNames{{
    {Dtype::float32, "float32"},
    {Dtype::float16, "float16"},
    {Dtype::bfloat16, "bfloat16"},
}};

void unquantize(Json& object, const std::string& dtype) {
  object.erase("quantization_config");
  for (const auto& [key, value] : object.items()) {
    const bool states_dtype = value.is_string() && (key == kDtypeKeys[0] || key == kDtypeKeys[1]);
    if (states_dtype) value = dtype;
    if (value.is_object()) unquantize(value, dtype);
  }
}

}  // namespace

Config::Config(std::string_view text, const std::string& where) {
  constexpr std::size_t kMostKeys = 65'536;  // image classifiers with tens of thousands of labels exist
  json_ = parse_json<Json>(text, where, kMostKeys);
  if (!json_.is_object()) fail(Status::invalid_data, "{}: is not a JSON object", where);
}

std::optional<Dtype> Config::dtype() const {
  for (const char* key : kDtypeKeys)
    for (const DtypeName& known : kDtypeNames)
      if (const auto stated = json_.find(key); stated != json_.end() && *stated == known.name) return known.dtype;
  return std::nullopt;
}

std::string Config::unquantized(Dtype dtype) const {
  std::string name;
  for (const DtypeName& known : kDtypeNames)
    if (known.dtype == dtype) name = known.name;
  Json json = json_;
  unquantize(json, name);
  for (const char* key : kDtypeKeys)
    if (json.contains(key)) json[key] = name;
  if (!json.contains(kDtypeKeys[0]) && !json.contains(kDtypeKeys[1])) json[kDtypeKeys[1]] = name;
  return print_json(json);
}

std::optional<Config> read_config(const Model& model) {
  constexpr std::int64_t kLongest = 16 << 20;  // bytes; real ones have thousands
  const std::filesystem::path path = model.path() / kConfigFile;
  if (!model.is_directory() || !std::filesystem::exists(path)) return std::nullopt;
  return Config(read_text(path, kLongest), printable(path.native()));
}

Dtype int8_dtype(const std::optional<Config>& config) {
  const std::optional<Dtype> stated = config ? config->dtype() : std::nullopt;
  return stated.value_or(Dtype::bfloat16);
}

}  // namespace qfuse::checkpoint
