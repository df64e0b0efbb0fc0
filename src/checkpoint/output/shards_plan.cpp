#include "checkpoint/output/shards_plan.h"

#include <fmt/ranges.h>

#include <ctime>
#include <iterator>
#include <nlohmann/json.hpp>

#include "checkpoint/files/errors.h"
#include "checkpoint/files/json.h"

namespace qfuse::checkpoint {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* kVersion = "qfuse";  // the keys of a plan
constexpr const char* kConversion = "conversion";
constexpr const char* kShards = "shards";
constexpr const char* kInputs = "inputs";
constexpr const char* kFiles = "files";
constexpr const char* kFolders = "folders";
constexpr const char* kOthers = "others";

// In bytes. A plan with 70,000 experts, each with six tensors when quantized, has 42 MB.
constexpr std::int64_t kLongest = 64'000'000;
constexpr std::size_t kMostKeys = 4'000'000;

bool is_allowed(std::string_view name) { return is_nested_name(name) && !name.starts_with(kOwnPrefix); }

Json tensors_json(std::span<const TensorEntry> entries) {
  Json tensors = Json::object();
  for (const TensorEntry& entry : entries)
    tensors[entry.name] = {{"dtype", type_name(entry.type)}, {"shape", entry.shape}};
  return tensors;
}

Json inputs_json(const Model& model) {
  Json inputs = Json::object();
  const auto add = [&](const InputFile& file) { inputs[file.path().filename().native()] = file_identity(file); };
  for (const SafetensorsFile& file : model.files()) add(file.file());
  if (fs::exists(model.path() / kConfigFile)) add(InputFile(model.path() / kConfigFile));
  return inputs;
}

Json names_json(const std::vector<fs::path>& paths, const Conversion& conversion) {
  Json names = Json::array();
  for (const fs::path& name : paths) {
    if (!is_allowed(name.native()))
      fail(Status::unsupported, "{}: its file '{}' cannot be in a sharded output; rename it", conversion.model.name(),
           shown(name));
    names.push_back(name.native());
  }
  return names;
}

// Without their sizes, because a file such as a log may grow meanwhile.
Json others_json(const Conversion& conversion) {
  Json others = names_json(conversion.companions, conversion);
  if (!conversion.config.empty()) others.insert(others.begin(), kConfigFile);
  return others;
}

// Returns a member of a plan's object. If it is missing, of another type, or `object` is no object, fails with a
// message that begins with `where`.
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
  ShardsPlan::File file;
  const auto& name = value_of(json, "name", Json::value_t::string, where).get_ref<const std::string&>();
  if (name.find('/') != name.npos)
    fail(Status::invalid_data, "{}: '{}' is no name for a file of weights", where, printable(name));
  file.name = parse_name(name, names, where);
  for (const auto& [tensor, entry] : value_of(json, "tensors", Json::value_t::object, where).items())
    file.tensors.push_back(parse_tensor(tensor, entry, where));
  return file;
}

std::set<std::string> parse_names(const Json& json, std::set<std::string>& known, const std::string& where) {
  std::set<std::string> names;
  for (const Json& name : json) {
    if (!name.is_string()) fail(Status::invalid_data, "{}: is no plan of qfuse: a name is no string", where);
    names.insert(parse_name(name.get_ref<const std::string&>(), known, where));
  }
  return names;
}

// Checks that a name's folder is listed.
void check_folder(const std::string& name, const ShardsPlan& plan, const std::string& where) {
  const std::size_t slash = name.rfind('/');
  if (slash != name.npos && !plan.folders.contains(name.substr(0, slash)))
    fail(Status::invalid_data, "{}: '{}' lies in a folder that it does not name", where, printable(name));
}

// Describes where two values first differ, and how; `path` is their location.
std::string difference(const Json& theirs, const Json& ours, const std::string& path) {
  if (!ours.is_structured() || theirs.type() != ours.type())
    return fmt::format("{} is {} there and {} here", printable(path), printable(theirs.dump()), printable(ours.dump()));
  const auto name = [](const Json& json, const Json::const_iterator& at) {
    return json.is_object() ? at.key() : std::to_string(std::distance(json.begin(), at));
  };
  auto a = theirs.begin();
  auto b = ours.begin();
  for (; a != theirs.end() && b != ours.end() && name(theirs, a) == name(ours, b); ++a, ++b)
    if (*a != *b) return difference(*a, *b, path + "/" + name(ours, b));
  const auto next = [&](const Json& json, const Json::const_iterator& at) {
    return at == json.end() ? "nothing more" : fmt::format("'{}'", printable(name(json, at)));
  };
  return fmt::format("{} has {} there and {} here", printable(path), next(theirs, a), next(ours, b));
}

}  // namespace

std::string shards_name(const std::set<std::int64_t>& shards, std::int64_t count) {
  std::vector<std::string> ranges;
  for (auto at = shards.begin(); at != shards.end();) {
    const std::int64_t first = *at;
    std::int64_t last = first;
    while (++at != shards.end() && *at == last + 1) last = *at;
    if (last > first + 1) {
      ranges.push_back(fmt::format("{}-{}", first, last));
    } else {
      ranges.push_back(std::to_string(first));
      if (last != first) ranges.push_back(std::to_string(last));
    }
  }
  const std::string end = ranges.back();
  ranges.pop_back();
  return fmt::format("{} {}{}{} of {}", shards.size() == 1 ? "shard" : "shards", fmt::join(ranges, ", "),
                     ranges.empty() ? "" : " and ", end, count);
}

void check_shard(const std::optional<Shard>& shard, const Model& model) {
  if (!shard) return;
  if (shard->count < 1 || shard->index < 0 || shard->index >= shard->count)
    fail(Status::invalid_argument, "shard {}/{}: must be one of {}, which count from 0", shard->index, shard->count,
         shard->count);
  if (!model.is_directory())
    fail(Status::invalid_argument, "{}: is a single file, which has no shards: convert it without one", model.name());
}

std::int64_t shard_of(std::size_t i, std::int64_t count) { return static_cast<std::int64_t>(i) % count; }

bool is_own(const std::optional<Shard>& shard, std::size_t i) {
  return !shard || shard_of(i, shard->count) == shard->index;
}

Json file_identity(const InputFile& file) {
  const std::timespec modified = file.modified();
  return {{"bytes", file.size()}, {"modified", fmt::format("{}.{:09}", modified.tv_sec, modified.tv_nsec)}};
}

std::string print_shards_plan(const Conversion& conversion, std::int64_t shards) {
  const std::string& model = conversion.model.name();
  Json plan;
  plan[kVersion] = qfuse_version();  // another version may write other bytes
  plan[kConversion] = conversion.command;
  plan[kShards] = shards;
  plan[kInputs] = inputs_json(conversion.model);
  for (const IndexedFile& file : conversion.files)
    plan[kFiles].push_back({{"name", file.name}, {"tensors", tensors_json(file.entries)}});
  plan[kFolders] = names_json(conversion.folders, conversion);
  plan[kOthers] = others_json(conversion);
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
  const auto& version = value_of(json, kVersion, Json::value_t::string, where).get_ref<const std::string&>();
  if (version != qfuse_version())
    fail(Status::invalid_data, "{}: is of qfuse {}, and this is {}", where, printable(version), qfuse_version());
  ShardsPlan plan;
  plan.shards = number(value_of(json, kShards, Json::value_t::number_unsigned, where), where);
  if (plan.shards < 1) fail(Status::invalid_data, "{}: is no plan of qfuse: has no shards", where);
  std::set<std::string> names;
  for (const std::string_view stem : kStems) names.insert(index_file_name(stem));
  for (const Json& file : value_of(json, kFiles, Json::value_t::array, where))
    plan.files.push_back(parse_file(file, names, where));
  if (plan.files.empty()) fail(Status::invalid_data, "{}: is no plan of qfuse: has no files", where);
  plan.folders = parse_names(value_of(json, kFolders, Json::value_t::array, where), names, where);
  plan.others = parse_names(value_of(json, kOthers, Json::value_t::array, where), names, where);
  for (const std::set<std::string>* some : {&plan.folders, &plan.others})
    for (const std::string& name : *some) check_folder(name, plan, where);
  return plan;
}

std::string read_shards_plan(const fs::path& shards) { return read_text(shards / kPlanFile, kLongest); }

std::string plan_difference(const std::string& text, const std::string& ours) {
  constexpr const char* kNoPlan = "no plan of qfuse";
  const Json own = Json::parse(ours);
  Json theirs;
  try {
    theirs = parse_json<Json>(text, "", kMostKeys);
  } catch (const Error&) {  // no JSON, or too much of it
    return kNoPlan;
  }
  if (!theirs.is_object()) return kNoPlan;
  for (const char* key : {kVersion, kShards, kConversion, kInputs, kFiles, kFolders, kOthers})
    if (const Json their = theirs.value(key, Json()); their != own[key]) return difference(their, own[key], key);
  return "more keys there than here";
}

}  // namespace qfuse::checkpoint
