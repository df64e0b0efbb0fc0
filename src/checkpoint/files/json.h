// Small JSON texts, held whole: config.json, the index, a weight's quant_state.
// Python wrote them, with numbers that JSON lacks: NaN, Infinity, -Infinity (Mamba configs have one, and so has the
// quant_state of a weight that overflowed). They travel through the parser as strings that begin with a zero
// character, which nothing else may hold.
#ifndef QFUSE_CHECKPOINT_FILES_JSON_H
#define QFUSE_CHECKPOINT_FILES_JSON_H

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "checkpoint/files/errors.h"

namespace qfuse::checkpoint {

inline constexpr char kSpecialNumberMark = '\0';

// Where a string holds \u0000, and not a backslash before "u0000"; npos: nowhere.
std::size_t find_escaped_zero(std::string_view json);
std::string hide_special_numbers(std::string_view json);
std::string restore_special_numbers(std::string_view json);

// A JSON string. What is not UTF-8, as a path may be, stays as it is; control characters, U+0080 to U+009F among them,
// cannot move a terminal's cursor.
std::string json_string(std::string_view text);
std::string json_number(double value);  // null for what JSON cannot say: NaN and the infinities

// Parses JSON that someone else wrote; `where` begins the message of an invalid_data.
// Containers may nest 100 deep: printing recurses. `most_keys` bounds ordered_json, which looks keys up one by one.
template <class Json>
Json parse_json(std::string_view text, const std::string& where, std::size_t most_keys) {
  constexpr int kDeepest = 100;
  // The parser would take a zero byte for the end of the text.
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos)
    fail(Status::invalid_data, "{}: is not valid JSON: byte {} is zero", where, zero);
  if (const std::size_t zero = find_escaped_zero(text); zero != std::string_view::npos)
    fail(Status::invalid_data, "{}: holds a zero character, at byte {}", where, zero);
  std::size_t keys = 0;
  const auto check = [&](int depth, typename Json::parse_event_t event, Json& parsed) {
    if (depth > kDeepest) fail(Status::invalid_data, "{}: is nested more than {} deep", where, kDeepest);
    if (event != Json::parse_event_t::key) return true;
    if (++keys > most_keys) fail(Status::invalid_data, "{}: has more than {} keys", where, most_keys);
    if (parsed.template get_ref<const std::string&>().starts_with(kSpecialNumberMark))
      fail(Status::invalid_data, "{}: is not valid JSON: a key is a number", where);
    return true;
  };
  try {
    return Json::parse(hide_special_numbers(text), check);
  } catch (const typename Json::exception& error) {
    fail(Status::invalid_data, "{}: is not valid JSON: {}", where, printable(error.what()));
  }
}

// As transformers formats its files: two spaces, a final newline.
template <class Json>
std::string print_json(const Json& json) {
  return restore_special_numbers(json.dump(2)) + "\n";
}

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_JSON_H
