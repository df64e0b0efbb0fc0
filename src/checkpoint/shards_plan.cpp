#include "checkpoint/shards_plan.h"

#include <array>
#include <set>
#include <utility>

#include "checkpoint/errors.h"
#include "checkpoint/file.h"
#include "checkpoint/json.h"

namespace qfuse::checkpoint {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* kVersion = "qfuse";  // its keys
constexpr const char* kConversion = "conversion";
constexpr const char* kShards = "shards";
constexpr const char* kFiles = "files";
constexpr const char* kOthers = "others";

constexpr std::int64_t kLongest = kLongestHeader;  // bytes: the tensors are those of headers
constexpr std::size_t kMostKeys = 10'000'000;

bool is_allowed(std::string_view name) { return is_plain_name(name) && !name.starts_with(kOwnPrefix); }

Json tensors_json(std::span<const TensorEntry> entries) {
  Json tensors = Json::object();
  for (const TensorEntry& entry : entries)
    tensors[entry.name] = {{"dtype", type_name(entry.type)}, {"shape", entry.shape}};
  return tensors;
}

Json others_json(const Model& model, std::string_view config) {
  Json others = Json::object();
  if (!config.empty()) others[std::string(kConfigFile)] = config.size();
  for (const fs::path& name : companion_files(model)) {
    if (!is_allowed(name.native()))
      fail(Status::unsupported, "{}: its file '{}' cannot be in a sharded output; rename it", model.name(),
           printable(name.native()));
    others[name.native()] = fs::file_size(model.path() / name);
  }
  return others;
}

// A value of a plan; `where` says of which, and begins the message if it is missing or of another kind.
const Json& value_of(const Json& object, const char* key, Json::value_t type, const std::string& where) {
  const auto found = object.find(key);
  if (found == object.end() || found->type() != type)
    fail(Status::invalid_data, "{}: is no plan of qfuse: '{}' is missing or wrong", where, key);
  return *found;
}

std::int64_t number(const Json& value, const std::string& where) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX))
    fail(Status::invalid_data, "{}: is no plan of qfuse: a number is none, or too large", where);
  return value.get<std::int64_t>();
}

TensorEntry parse_tensor(const std::string& name, const Json& json, const std::string& file) {
  const std::string where = fmt::format("{}: tensor '{}'", file, printable(name));
  if (!json.is_object()) fail(Status::invalid_data, "{}: is no plan of qfuse: no object", where);
  const auto& dtype = value_of(json, "dtype", Json::value_t::string, where).get_ref<const std::string&>();
  const std::optional<TensorType> type = type_from_name(dtype);
  if (!type) fail(Status::invalid_data, "{}: dtype '{}' is unknown", where, printable(dtype));
  TensorEntry entry{name, *type, {}, 0, 0};
  for (const Json& dimension : value_of(json, "shape", Json::value_t::array, where))
    entry.shape.push_back(number(dimension, where));
  return entry;
}

std::string parse_name(const std::string& name, std::set<std::string>& names, const std::string& where) {
  if (!is_allowed(name)) fail(Status::invalid_data, "{}: '{}' is no name for a file", where, printable(name));
  if (!names.insert(name).second) fail(Status::invalid_data, "{}: has '{}' twice", where, printable(name));
  return name;
}

ShardsPlan::File parse_file(const Json& json, std::set<std::string>& names, const std::string& where) {
  if (!json.is_object()) fail(Status::invalid_data, "{}: is no plan of qfuse: a file is no object", where);
  ShardsPlan::File file;
  file.name = parse_name(value_of(json, "name", Json::value_t::string, where).get<std::string>(), names, where);
  for (const auto& [name, tensor] : value_of(json, "tensors", Json::value_t::object, where).items())
    file.tensors.push_back(parse_tensor(name, tensor, where));
  return file;
}

}  // namespace

std::string shard_name(const Shard& shard) { return fmt::format("{}/{}", shard.index, shard.count); }

void check_shard(const std::optional<Shard>& shard, const Model& model) {
  if (!shard) return;
  if (shard->count < 1 || shard->index < 0 || shard->index >= shard->count)
    fail(Status::invalid_argument, "shard {}: must be one of {}, which count from 0", shard_name(*shard), shard->count);
  if (!model.is_directory())
    fail(Status::invalid_argument, "{}: is a single file, which has no shards: convert it without one", model.name());
}

std::int64_t shard_of(std::size_t i, std::int64_t count) { return static_cast<std::int64_t>(i) % count; }

bool is_own(const std::optional<Shard>& shard, std::size_t i) {
  return !shard || shard_of(i, shard->count) == shard->index;
}

std::string print_shards_plan(const Conversion& conversion, std::int64_t shards) {
  const std::string& model = conversion.model.name();
  Json plan;
  plan[kVersion] = qfuse_version();  // of another, other bytes may come
  plan[kConversion] = conversion.command;
  plan[kShards] = shards;
  for (std::size_t i = 0; i < conversion.files.size(); ++i)
    plan[kFiles].push_back({{"name", conversion.files[i].name},
                            {"shard", shard_of(i, shards)},
                            {"tensors", tensors_json(conversion.files[i].entries)}});
  plan[kOthers] = others_json(conversion.model, conversion.config);
  std::string text;
  try {
    text = plan.dump() + "\n";
  } catch (const Json::type_error&) {
    fail(Status::unsupported, "{}: a name of a file, or a pattern, is no UTF-8: convert it without shards", model);
  }
  if (static_cast<std::int64_t>(text.size()) > kLongest)
    fail(Status::unsupported, "{}: the plan for its shards has {} bytes, more than {}", model, text.size(), kLongest);
  return text;
}

ShardsPlan parse_shards_plan(const std::string& text, const std::string& where) {
  const auto json = parse_json<Json>(text, where, kMostKeys);
  if (!json.is_object()) fail(Status::invalid_data, "{}: is no plan of qfuse: no object", where);
  const auto& version = value_of(json, kVersion, Json::value_t::string, where).get_ref<const std::string&>();
  if (version != qfuse_version())
    fail(Status::invalid_data, "{}: is of qfuse {}, and this is {}", where, printable(version), qfuse_version());
  ShardsPlan plan;
  plan.shards = number(value_of(json, kShards, Json::value_t::number_unsigned, where), where);
  if (plan.shards < 1) fail(Status::invalid_data, "{}: is no plan of qfuse: has no shards", where);
  std::set<std::string> names{std::string(kIndexFile)};
  for (const Json& file : value_of(json, kFiles, Json::value_t::array, where))
    plan.files.push_back(parse_file(file, names, where));
  if (plan.files.empty()) fail(Status::invalid_data, "{}: is no plan of qfuse: has no files", where);
  for (const auto& [name, bytes] : value_of(json, kOthers, Json::value_t::object, where).items())
    plan.others.emplace(parse_name(name, names, where), number(bytes, where));
  return plan;
}

std::string read_shards_plan(const fs::path& shards) { return read_text(shards / kPlanFile, kLongest); }

std::string plan_difference(const std::string& text, const std::string& ours) {
  const Json theirs = Json::parse(text, nullptr, false);
  const Json own = Json::parse(ours);
  if (!theirs.is_object()) return "no plan of qfuse";
  constexpr std::array kWhat{std::pair{kVersion, "another version of qfuse"},
                             std::pair{kShards, "another number of shards"}, std::pair{kConversion, "other options"}};
  for (const auto& [key, what] : kWhat)
    if (theirs.find(key) == theirs.end() || theirs[key] != own[key]) return what;
  return "another input";
}

}  // namespace qfuse::checkpoint
