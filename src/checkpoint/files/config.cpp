#include "checkpoint/files/config.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <qfuse/checkpoint.hpp>

#include "checkpoint/files/errors.h"
#include "checkpoint/files/json.h"

namespace qfuse::checkpoint {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr const char* kQuantizationConfig = "quantization_config";
constexpr const char* kCompressionConfig = "compression_config";  // older name, of compressed-tensors
constexpr const char* kBlockStructure = "block_structure";
constexpr const char* kTextConfig = "text_config";
constexpr const char* kSkipModules = "llm_int8_skip_modules";
constexpr const char* kModelType = "model_type";
constexpr const char* kClassName = "_class_name";  // diffusers' name for model_type
constexpr const char* kQuantMethod = "bitsandbytes";
constexpr std::array<const char*, 2> kDtypeKeys{"dtype", "torch_dtype"};

bool drop_quantization_in(OrderedJson& object) {
  bool had_any = false;
  for (const char* key : {kQuantizationConfig, kCompressionConfig}) {
    had_any = had_any || (object.contains(key) && object[key].is_object());
    object.erase(key);
  }
  for (const auto& [key, value] : object.items())
    if (value.is_object()) had_any = drop_quantization_in(value) || had_any;
  return had_any;
}

// The dtype that the object itself states; older files spell it "torch.float16".
std::optional<Dtype> own_dtype(const OrderedJson& object) {
  constexpr std::string_view kTorch = "torch.";
  for (const char* key : kDtypeKeys) {
    const auto stated = object.find(key);
    if (stated == object.end() || !stated->is_string()) continue;
    std::string_view name = stated->get_ref<const std::string&>();
    if (name.starts_with(kTorch)) name.remove_prefix(kTorch.size());
    if (const std::optional<Dtype> dtype = dtype_from_name(name)) return dtype;
  }
  return std::nullopt;
}

// The object's own dtype, or else that of its first part that has one; the text part is searched first.
std::optional<Dtype> dtype_in(const OrderedJson& object) {
  std::optional<Dtype> dtype = own_dtype(object);
  const auto text = object.find(kTextConfig);
  if (!dtype && text != object.end() && text->is_object()) dtype = dtype_in(*text);
  for (auto part = object.begin(); !dtype && part != object.end(); ++part)
    if (part->is_object() && part != text && part.key() != kQuantizationConfig) dtype = dtype_in(*part);
  return dtype;
}

void set_dtype_in(OrderedJson& object, Dtype dtype) {
  for (const char* key : kDtypeKeys)
    if (object.contains(key)) object[key] = dtype_name(dtype);
}

// Sets the dtype of parts that state the model's: transformers would apply it to them anyway, other loaders may not.
void set_dtype_of_parts(OrderedJson& object, std::optional<Dtype> before, Dtype dtype) {
  for (const auto& [key, part] : object.items()) {
    if (!part.is_object()) continue;
    if (const std::optional<Dtype> own = own_dtype(part); own && own == before) set_dtype_in(part, dtype);
    set_dtype_of_parts(part, before, dtype);
  }
}

std::string foreign_method_in(const OrderedJson& object) {
  for (const auto& [key, value] : object.items()) {
    if (!value.is_object()) continue;
    const auto method = value.find("quant_method");
    const bool states_method = key == kQuantizationConfig && method != value.end() && method->is_string();
    if (states_method && *method != kQuantMethod) return method->get<std::string>();
    if (std::string nested = foreign_method_in(value); !nested.empty()) return nested;
  }
  return "";
}

template <class Visit>
void for_each_quantization(const OrderedJson& object, const Visit& visit) {
  for (const auto& [key, value] : object.items())
    if (value.is_object())
      key == kQuantizationConfig || key == kCompressionConfig ? visit(value) : for_each_quantization(value, visit);
}

// Appends the two positive numbers of a field, rows and columns; nothing if the field is missing or null.
void add_block(const OrderedJson& object, const char* key, const std::string& where, std::vector<ScaleBlock>& blocks) {
  const auto stated = object.find(key);
  if (stated == object.end() || stated->is_null()) return;
  const std::vector<std::int64_t> sizes = stated->is_array() ? numbers_in(*stated) : std::vector<std::int64_t>();
  if (sizes.size() != 2 || std::ranges::min(sizes) < 1)
    fail(Status::invalid_data, "{}: {} is {}, and must be two numbers above 0, rows and columns", where, key,
         printable(stated->dump(-1, ' ', false, OrderedJson::error_handler_t::replace)));
  blocks.push_back({sizes[0], sizes[1]});
}

// Older versions of compressed-tensors write "128x128" for [128, 128].
OrderedJson with_numbers(OrderedJson object, const char* key) {
  const auto stated = object.find(key);
  if (stated == object.end() || !stated->is_string()) return object;
  const std::string text = stated->get<std::string>();
  const char* const end = text.data() + text.size();
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  const auto [cross, first] = std::from_chars(text.data(), end, rows);
  if (first != std::errc() || cross == end || *cross != 'x') return object;
  const auto [last, second] = std::from_chars(cross + 1, end, columns);
  if (second == std::errc() && last == end) *stated = {rows, columns};
  return object;
}

// Appends the block of an FP8 group of compressed-tensors, which is a set of layers quantized alike.
void add_block_of_group(const OrderedJson& group, const std::string& where, std::vector<ScaleBlock>& blocks) {
  const auto weights = group.find("weights");
  if (weights == group.end() || !weights->is_object()) return;
  if (weights->value("num_bits", OrderedJson()) != 8 || weights->value("type", OrderedJson()) != "float") return;
  const auto group_size = weights->find("group_size");
  if (group_size != weights->end() && group_size->is_number_integer() && *group_size > 0)
    blocks.push_back({1, group_size->get<std::int64_t>()});
  else
    add_block(with_numbers(*weights, kBlockStructure), kBlockStructure, where, blocks);
}

// Appends the model types of the parts' configs, at any depth.
void add_model_types(const OrderedJson& object, std::vector<std::string>& types) {
  for (const auto& [key, value] : object.items()) {
    if (!value.is_object()) continue;
    if (const auto stated = value.find(kModelType); stated != value.end() && stated->is_string())
      types.push_back(stated->get<std::string>());
    add_model_types(value, types);
  }
}

// Pointer to a field, given as names with dots between them.
nlohmann::json_pointer<std::string> pointer_to(const std::string& field) {
  nlohmann::json_pointer<std::string> pointer;
  for (std::size_t begin = 0, end = 0; end != field.npos; begin = end + 1) {
    end = field.find('.', begin);
    pointer.push_back(field.substr(begin, end - begin));
  }
  return pointer;
}

// Older files have the fields of a part at the top level of the model's config.
nlohmann::json_pointer<std::string> place_of(const OrderedJson& json, const std::string& field) {
  const auto pointer = pointer_to(field);
  const auto part = pointer.parent_pointer();
  const bool has_part = part.empty() || (json.contains(part) && json.at(part).is_object());
  return has_part ? pointer : pointer_to(pointer.back());
}

void untie_in(OrderedJson& object) {
  for (const auto& [key, value] : object.items())
    if (value.is_object())
      untie_in(value);
    else if (key == Config::kTie && value.is_boolean())
      value = false;
}

void grow_in(OrderedJson& object, const Config::Vocabulary& vocabulary) {
  for (const auto& [key, value] : object.items())
    if (value.is_object())
      grow_in(value, vocabulary);
    else if (key == "vocab_size" && value == vocabulary.before)
      value = vocabulary.now;
}

OrderedJson quantization_json(const QuantizationConfig& quantization) {
  OrderedJson skip_modules;
  if (quantization.skip_modules) skip_modules = *quantization.skip_modules;
  return {{"_load_in_4bit", true},
          {"_load_in_8bit", false},
          {"bnb_4bit_compute_dtype", dtype_name(quantization.compute_dtype)},
          {"bnb_4bit_quant_storage", "uint8"},
          {"bnb_4bit_quant_type", name_of(quantization.quant_type)},
          {"bnb_4bit_use_double_quant", quantization.double_quant},
          {"llm_int8_enable_fp32_cpu_offload", false},
          {"llm_int8_has_fp16_weight", false},
          {kSkipModules, skip_modules},
          {"llm_int8_threshold", 6.0},
          {"load_in_4bit", true},
          {"load_in_8bit", false},
          {"quant_method", kQuantMethod}};
}

std::optional<Config> read_config_in(const std::filesystem::path& directory) {
  constexpr std::int64_t kLongest = 16 << 20;  // bytes; real files have thousands
  const std::filesystem::path path = directory / kConfigFile;
  if (!std::filesystem::exists(path)) return std::nullopt;
  return Config(read_text(path, kLongest), printable(path.native()));
}

}  // namespace

Config::Config(std::string_view text, const std::string& where) : where_(where), text_(text) {
  constexpr std::size_t kMostKeys = 65'536;  // image classifiers with tens of thousands of labels exist
  json_ = parse_json<OrderedJson>(text, where, kMostKeys);
  if (!json_.is_object()) fail(Status::invalid_data, "{}: is not a JSON object", where);
}

std::optional<Dtype> Config::dtype() const { return dtype_in(json_); }

std::string Config::unquantized(Dtype dtype) const {
  Config plain = *this;
  plain.drop_quantization();
  plain.set_dtype(dtype);
  return plain.text();
}

void Config::set_dtype(Dtype dtype) {
  set_dtype_of_parts(json_, this->dtype(), dtype);
  set_dtype_in(json_, dtype);
  if (!json_.contains(kDtypeKeys[0]) && !json_.contains(kDtypeKeys[1])) json_[kDtypeKeys[1]] = dtype_name(dtype);
  changed_ = true;
}

std::vector<std::string> Config::model_types() const {
  std::vector<std::string> types{""};
  for (const char* key : {kClassName, kModelType})
    if (const auto stated = json_.find(key); stated != json_.end() && stated->is_string())
      types.front() = stated->get<std::string>();
  add_model_types(json_, types);
  return types;
}

bool Config::is_of_diffusers() const { return json_.contains(kClassName); }

bool Config::has_architecture(std::string_view ending) const {
  const auto stated = json_.find("architectures");
  return stated != json_.end() && stated->is_array() &&
         std::any_of(stated->begin(), stated->end(), [&](const OrderedJson& name) {
           return name.is_string() && name.get_ref<const std::string&>().ends_with(ending);
         });
}

std::string Config::foreign_quant_method() const { return foreign_method_in(json_); }

std::optional<std::vector<std::string>> Config::skip_modules() const {
  const auto record = json_.find(kQuantizationConfig);
  if (record == json_.end() || !record->is_object()) return std::nullopt;
  const auto stated = record->find(kSkipModules);
  if (stated == record->end() || !stated->is_array()) return std::nullopt;
  std::vector<std::string> modules;
  for (const OrderedJson& name : *stated)
    if (name.is_string()) modules.push_back(name.get<std::string>());
  return modules;
}

std::vector<ScaleBlock> Config::scale_blocks() const {
  std::vector<ScaleBlock> blocks;
  for_each_quantization(json_, [&](const OrderedJson& record) {
    add_block(record, "weight_block_size", where_, blocks);
    const auto groups = record.find("config_groups");
    if (groups == record.end() || !groups->is_object()) return;
    for (const auto& [name, group] : groups->items())
      if (group.is_object()) add_block_of_group(group, where_, blocks);
  });
  return blocks;
}

std::vector<OrderedJson> Config::quantization_records() const {
  std::vector<OrderedJson> records;
  for_each_quantization(json_, [&](const OrderedJson& record) { records.push_back(record); });
  return records;
}

std::vector<std::string> Config::plain_modules() const {
  std::vector<std::string> modules;
  for_each_quantization(json_, [&](const OrderedJson& record) {
    for (const char* key : {"modules_to_not_convert", "ignored_layers", "ignore", "exclude_modules"})
      if (const auto stated = record.find(key); stated != record.end() && stated->is_array())
        for (const OrderedJson& name : *stated)
          if (name.is_string() && name != "") modules.push_back(name.get<std::string>());  // "" is no module's name
  });
  return modules;
}

std::string Config::class_name() const {
  const auto stated = json_.find("architectures");
  const bool has_one = stated != json_.end() && stated->is_array() && !stated->empty() && stated->front().is_string();
  return has_one ? stated->front().get<std::string>() : "";
}

std::optional<bool> Config::flag(const std::string& field) const {
  const auto pointer = place_of(json_, field);
  if (!json_.contains(pointer) || !json_.at(pointer).is_boolean()) return std::nullopt;
  return json_.at(pointer).get<bool>();
}

std::optional<std::int64_t> Config::number(const std::string& field) const {
  const auto pointer = place_of(json_, field);
  if (!json_.contains(pointer) || !json_.at(pointer).is_number_integer()) return std::nullopt;
  const auto number = json_.at(pointer).get<std::int64_t>();
  return number < 0 ? std::nullopt : std::optional(number);
}

std::vector<std::int64_t> Config::numbers(const std::string& field) const {
  const auto pointer = place_of(json_, field);
  return json_.contains(pointer) ? numbers_in(json_.at(pointer)) : std::vector<std::int64_t>();
}

std::int64_t Config::labels(const std::string& part) const {
  constexpr std::int64_t kWhereNothingIsSaid = 2;  // default of transformers' PreTrainedConfig
  const auto pointer = place_of(json_, part + "id2label");
  if (json_.contains(pointer) && json_.at(pointer).is_object())
    return static_cast<std::int64_t>(json_.at(pointer).size());
  return number(part + "num_labels").value_or(kWhereNothingIsSaid);
}

std::optional<std::string> Config::word(const std::string& field) const {
  const auto pointer = pointer_to(field);
  if (!json_.contains(pointer) || !json_.at(pointer).is_string()) return std::nullopt;
  return json_.at(pointer).get<std::string>();
}

bool Config::has_own_code() const { return json_.contains("auto_map"); }

bool Config::is_quantized() const {
  return json_.contains(kQuantizationConfig) && json_[kQuantizationConfig].is_object();
}

void Config::untie(std::span<const std::string> fields) {
  untie_in(json_);
  for (const std::string& field : fields) json_[place_of(json_, field)] = false;
  changed_ = true;
}

bool Config::drop_quantization() {
  const bool had_any = drop_quantization_in(json_);
  changed_ = changed_ || had_any;
  return had_any;
}

void Config::grow(const Vocabulary& vocabulary, std::span<const std::string> fields) {
  if (fields.empty()) grow_in(json_, vocabulary);
  for (const std::string& field : fields) {
    json_[place_of(json_, field)] = vocabulary.now;
    const auto own = pointer_to(pointer_to(field).back());  // the top level may repeat it
    if (json_.contains(own) && json_.at(own) == vocabulary.before) json_[own] = vocabulary.now;
  }
  changed_ = true;
}

std::string Config::print() const { return print_json(json_); }

std::string Config::quantized(const QuantizationConfig& quantization) const {
  return with_record(quantization_json(quantization));
}

std::string Config::quantized_fp8(const Fp8Config& quantization) const {
  OrderedJson record{{"activation_scheme", "dynamic"}, {"fmt", "e4m3"}};
  if (quantization.skip_modules) record["modules_to_not_convert"] = *quantization.skip_modules;
  record["quant_method"] = "fp8";
  if (quantization.ue8m0) record["scale_fmt"] = "ue8m0";
  record["weight_block_size"] = {quantization.block.rows, quantization.block.columns};
  return with_record(record);
}

std::string Config::with_record(const OrderedJson& record) const {
  OrderedJson plain = json_;
  drop_quantization_in(plain);
  const auto by_key = [](const auto& a, const auto& b) { return a.first < b.first; };
  const auto& members = plain.get_ref<const OrderedJson::object_t&>();
  const bool sorted = std::is_sorted(members.begin(), members.end(), by_key);
  OrderedJson json = OrderedJson::object();
  for (const auto& [key, value] : members) {
    if (sorted && key > kQuantizationConfig && !json.contains(kQuantizationConfig)) json[kQuantizationConfig] = record;
    json[key] = value;
  }
  if (!json.contains(kQuantizationConfig)) json[kQuantizationConfig] = record;
  return print_json(json);
}

std::vector<std::int64_t> numbers_in(const OrderedJson& value) {
  const auto is_number = [](const OrderedJson& one) { return one.is_number_integer(); };
  if (is_number(value)) return {value.get<std::int64_t>()};
  if (!value.is_array() || !std::ranges::all_of(value, is_number)) return {};
  return value.get<std::vector<std::int64_t>>();
}

std::optional<Config> read_config(const Model& model) {
  if (!model.is_directory()) return std::nullopt;
  return read_config_in(model.path());
}

std::optional<Config> config_beside(const Model& model) {
  if (model.is_directory()) return std::nullopt;
  try {
    return read_config_in(model.path().parent_path());
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::vector<ScaleBlock> scale_blocks_beside(const Model& model) {
  try {
    const std::optional<Config> config = config_beside(model);
    return config ? config->scale_blocks() : std::vector<ScaleBlock>();
  } catch (const Error&) {
    return {};  // an unrelated config.json
  }
}

std::vector<std::string> read_model_types(const Model& model) {
  try {
    const std::optional<Config> config =
        read_config_in(model.is_directory() ? model.path() : model.path().parent_path());
    return config ? config->model_types() : std::vector<std::string>();
  } catch (const Error&) {
    if (model.is_directory()) throw;
    return {};  // the file's directory may have an unrelated config.json
  }
}

Dtype unstated_dtype(const std::optional<Config>& config) {
  const std::optional<Dtype> stated = config ? config->dtype() : std::nullopt;
  return stated.value_or(Dtype::bfloat16);
}

}  // namespace qfuse::checkpoint
