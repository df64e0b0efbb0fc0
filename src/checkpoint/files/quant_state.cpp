#include "checkpoint/files/quant_state.h"

#include <fmt/ranges.h>

#include <cfloat>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <qfuse/checkpoint.hpp>

#include "checkpoint/files/errors.h"
#include "checkpoint/files/json.h"
#include "checkpoint/files/types.h"

namespace qfuse::checkpoint {
namespace {

using Json = nlohmann::json;

std::string special(const char* number) { return kSpecialNumberMark + std::string(number); }

// Typed access to the members of a quant_state.
class Members {
 public:
  Members(const Json& json, const std::string& where) : json_(json), where_(where) {}

  [[nodiscard]] bool has(const char* key) const { return json_.contains(key); }

  [[nodiscard]] std::string text(const char* key) const {
    const Json& value = get(key);
    if (!value.is_string()) refuse(key, "a string");
    return value.get<std::string>();
  }

  [[nodiscard]] std::int64_t power_of_two(const char* key, std::int64_t low, std::int64_t high) const {
    const Json& value = get(key);
    const bool is_count = value.is_number_unsigned() && value.get<std::uint64_t>() <= static_cast<std::uint64_t>(high);
    const auto number = is_count ? value.get<std::int64_t>() : 0;
    if (number < low || (number & (number - 1)) != 0)
      refuse(key, fmt::format("a power of two from {} to {}", low, high));
    return number;
  }

  // Stored as the shortest decimal of an fp32 value. Read as a double, it converts to that value exactly.
  [[nodiscard]] float fp32(const char* key) const {
    const Json& value = get(key);
    if (value == special("NaN")) return std::numeric_limits<float>::quiet_NaN();
    if (value == special("Infinity")) return std::numeric_limits<float>::infinity();
    if (value == special("-Infinity")) return -std::numeric_limits<float>::infinity();
    if (!value.is_number() || std::abs(value.get<double>()) > FLT_MAX) refuse(key, "a number of fp32");
    return value.get<float>();
  }

  [[nodiscard]] std::vector<std::int64_t> shape() const {
    const Json& value = get("shape");
    if (value.is_null())
      fail(Status::unsupported, "{}: shape is null, which bitsandbytes writes for weights whose shape it did not know",
           where_);
    if (!value.is_array()) refuse("shape", "an array");
    std::vector<std::int64_t> shape;
    for (const Json& dimension : value) {
      if (!dimension.is_number_unsigned() || dimension.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX))
        refuse("shape", "an array of counts");
      shape.push_back(dimension.get<std::int64_t>());
    }
    return shape;
  }

  [[noreturn]] void refuse(const char* key, const std::string& needs) const {
    fail(Status::invalid_data, "{}: {} is {}, needs to be {}", where_, key,
         printable(restore_special_numbers(json_[key].dump())), needs);
  }

 private:
  [[nodiscard]] const Json& get(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end()) fail(Status::invalid_data, "{}: {} is missing", where_, key);
    return *found;
  }

  const Json& json_;
  const std::string& where_;
};

void check_keys(const Json& json, const std::string& where) {
  if (!json.is_object()) fail(Status::invalid_data, "{}: is not a JSON object", where);
  for (const auto& [key, value] : json.items()) {
    bool known = false;
    for (const char* name :
         {"quant_type", "blocksize", "dtype", "shape", "nested_blocksize", "nested_dtype", "nested_offset"})
      known = known || key == name;
    if (!known) fail(Status::invalid_data, "{}: has the unknown key '{}'", where, printable(key));
  }
}

QuantType quant_type_of(const Members& members) {
  if (const auto type = quant_type_from_name(members.text("quant_type"))) return *type;
  members.refuse("quant_type", fmt::format("{} or {}", name_of(QuantType::nf4), name_of(QuantType::fp4)));
}

Dtype dtype_of(const Members& members) {
  if (const auto dtype = dtype_from_name(members.text("dtype"))) return *dtype;
  members.refuse("dtype", "float32, float16 or bfloat16");
}

std::optional<NestedState> nested_of(const Members& members) {
  if (!members.has("nested_blocksize") && !members.has("nested_dtype") && !members.has("nested_offset"))
    return std::nullopt;
  if (members.text("nested_dtype") != "float32") members.refuse("nested_dtype", "float32");
  return NestedState{members.power_of_two("nested_blocksize", 64, 4096), members.fp32("nested_offset")};
}

// Prints like Python's repr(): Python widens the fp32 number to double, so this is the double's shortest decimal.
std::string python_float(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == text.npos) text += ".0";
  return text;
}

}  // namespace

QuantState parse_quant_state(std::string_view text, const std::string& where) {
  constexpr std::size_t kMostKeys = 100;
  const Json json = parse_json<Json>(text, where, kMostKeys);
  check_keys(json, where);
  const Members members(json, where);
  return {quant_type_of(members), members.power_of_two("blocksize", 32, 4096), dtype_of(members), members.shape(),
          nested_of(members)};
}

std::string print_quant_state(const QuantState& state) {
  const std::string nested = !state.nested ? ""
                                           : fmt::format(R"(, "nested_blocksize": {}, "nested_dtype": "float32", )"
                                                         R"("nested_offset": {})",
                                                         state.nested->blocksize, python_float(state.nested->offset));
  return fmt::format(R"({{"quant_type": "{}", "blocksize": {}, "dtype": "{}", "shape": [{}]{}}})",
                     name_of(state.quant_type), state.blocksize, dtype_name(state.dtype), fmt::join(state.shape, ", "),
                     nested);
}

// Sets the offset that prints longest: a sign, 17 digits, a point, and a signed two-digit exponent.
std::int64_t longest_quant_state(QuantState state) {
  if (state.nested) state.nested->offset = -FLT_MIN;
  return static_cast<std::int64_t>(print_quant_state(state).size());
}

}  // namespace qfuse::checkpoint
