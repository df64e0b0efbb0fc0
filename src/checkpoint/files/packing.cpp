#include "checkpoint/files/packing.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "checkpoint/files/errors.h"
#include "checkpoint/files/json.h"

namespace qfuse::checkpoint {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr const char* kGptq = "gptq";
constexpr const char* kAwq = "awq";

struct Format {
  std::string_view name;
  Packing packing;
};
constexpr std::array kGptqFormats{Format{kGptq, Packing::gptq}, Format{"gptq_v2", Packing::gptq_v2}};
constexpr std::array kAwqFormats{Format{"gemm", Packing::awq}};

std::string lowered(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// Returns the value of the first of `keys` that is set; null if none is.
OrderedJson first_of(const OrderedJson& record, std::initializer_list<const char*> keys) {
  for (const char* key : keys)
    if (const auto stated = record.find(key); stated != record.end() && !stated->is_null()) return *stated;
  return nullptr;
}

std::string shown_json(const OrderedJson& value) {
  return printable(value.dump(-1, ' ', false, OrderedJson::error_handler_t::replace));
}

// Returns all formats that a record states, because libraries disagree about which key takes precedence.
std::set<std::string> formats_of(const OrderedJson& record, bool is_awq) {
  std::set<std::string> formats;
  for (const char* key : {"checkpoint_format", "format", "version"}) {
    const auto stated = record.find(key);
    const bool is_meant = is_awq || key != std::string_view("version");
    if (is_meant && stated != record.end() && stated->is_string()) formats.insert(lowered(stated->get<std::string>()));
  }
  if (record.value("is_marlin_format", OrderedJson()) == true) formats.insert("marlin");
  if (record.value("backend", OrderedJson()) == "llm-awq") formats.insert("llm-awq");
  if (formats.empty()) formats.insert(is_awq ? "gemm" : kGptq);
  return formats;
}

// Returns why weights with this record are not read ("in 3 bits"); "" if they are.
std::string unread_part(const OrderedJson& record, const std::set<std::string>& formats, bool is_known) {
  if (const OrderedJson bits = first_of(record, {"bits", "w_bit"}); !bits.is_null() && bits != 4)
    return fmt::format("in {} bits", shown_json(bits));
  if (formats.size() > 1)
    return fmt::format("in two formats, '{}' and '{}'", printable(*formats.begin()), printable(*formats.rbegin()));
  if (!is_known) return fmt::format("in the format '{}'", printable(*formats.begin()));
  const OrderedJson pack_dtype = first_of(record, {"pack_dtype"});
  if (!pack_dtype.is_null() && pack_dtype != "int32") return fmt::format("packed in {}", shown_json(pack_dtype));
  return "";
}

// Returns nullopt for other methods. `method` applies if the record states none, but does state the bits.
std::optional<PackingRecord> record_of(const OrderedJson& json, const char* method, const std::string& file) {
  const OrderedJson stated = first_of(json, {"quant_method", "method"});
  if (stated.is_null() && first_of(json, {"bits", "w_bit"}).is_null()) return std::nullopt;
  const std::string name = lowered(stated.is_string() ? stated.get<std::string>() : method);
  const bool is_awq = name == kAwq;
  if (!is_awq && name != kGptq) return std::nullopt;
  const std::set<std::string> formats = formats_of(json, is_awq);
  const auto find_in = [&](const auto& known) -> std::optional<Packing> {
    const auto found = std::ranges::find(known, *formats.begin(), &Format::name);
    return found == known.end() ? std::nullopt : std::optional(found->packing);
  };
  PackingRecord record{.packing = is_awq ? find_in(kAwqFormats) : find_in(kGptqFormats)};
  if (const std::string part = unread_part(json, formats, record.packing.has_value()); !part.empty()) {
    record.packing = std::nullopt;
    record.unread = fmt::format(
        "is quantized by {} {}, as its {} says; qfuse reads 4 bits in int32, in GPTQ's formats gptq and gptq_v2 and "
        "AWQ's gemm: load it with transformers with gptqmodel and save it in 16 bits",
        is_awq ? "AWQ" : "GPTQ", part, file);
  }
  const OrderedJson group_size = first_of(json, {"group_size", "q_group_size"});
  const OrderedJson rules = first_of(json, {"dynamic"});
  if (group_size.is_number_integer() && rules.empty()) record.group_size = group_size.get<std::int64_t>();
  record.sorts_columns = first_of(json, {"desc_act"}) == true;
  return record;
}

std::optional<PackingRecord> read_file_of(const std::filesystem::path& directory, const char* name,
                                          const char* method) {
  constexpr std::int64_t kLongest = 16 << 20;  // bytes
  constexpr std::size_t kMostKeys = 65'536;
  const std::filesystem::path path = directory / name;
  if (!std::filesystem::exists(path)) return std::nullopt;
  const auto json = parse_json<OrderedJson>(read_text(path, kLongest), shown(path), kMostKeys);
  return json.is_object() ? record_of(json, method, name) : std::nullopt;
}

// Reads the method's own config file; if both exist, the second.
std::optional<PackingRecord> read_own_file(const Model& model) {
  const std::filesystem::path directory = model.is_directory() ? model.path() : model.path().parent_path();
  std::optional<PackingRecord> record;
  for (const char* name : kPackingFiles) {
    try {
      if (auto found = read_file_of(directory, name, name == kPackingFiles[0] ? kGptq : kAwq)) record = found;
    } catch (const Error&) {
      if (model.is_directory()) throw;  // beside a single file, an unrelated file may have this name
    }
  }
  return record;
}

}  // namespace

std::string_view name_of(Packing packing) { return packing == Packing::awq ? kAwq : kGptq; }

std::optional<PackingRecord> read_packing(const Model& model, const std::optional<Config>& config) {
  const std::optional<Config> beside = config ? std::nullopt : config_beside(model);
  const std::optional<Config>& stated = config ? config : beside;
  const std::vector<OrderedJson> records = stated ? stated->quantization_records() : std::vector<OrderedJson>();
  std::optional<PackingRecord> record;
  for (const OrderedJson& json : records)
    if (!record) record = record_of(json, "", std::string(kConfigFile));
  if (!records.empty() && !record) return std::nullopt;
  std::optional<PackingRecord> own = read_own_file(model);
  if (!record) return own;
  if (own && own->packing != record->packing)
    return PackingRecord{
        .unread = fmt::format("has a config.json that says another format of 4-bit weights than {} or {} beside it: "
                              "remove the one that is wrong",
                              kPackingFiles[0], kPackingFiles[1])};
  return record;
}

}  // namespace qfuse::checkpoint
