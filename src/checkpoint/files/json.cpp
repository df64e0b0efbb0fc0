#include "checkpoint/files/json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "checkpoint/files/errors.h"

namespace qfuse::checkpoint {
namespace {

using Spellings = std::array<std::string_view, 3>;

constexpr Spellings kSpecialNumbers{"-Infinity", "Infinity", "NaN"};

// JSON strings that replace these numbers.
constexpr Spellings kHidden{R"("\u0000-Infinity")", R"("\u0000Infinity")", R"("\u0000NaN")"};

// Replaces each occurrence in `json` of an element of `from`, outside strings, by its counterpart in `to`.
std::string respelled(std::string_view json, const Spellings& from, const Spellings& to) {
  std::string text;
  bool in_string = false;
  while (!json.empty()) {
    const auto is_here = [&](std::string_view number) { return !in_string && json.starts_with(number); };
    if (const auto* const found = std::ranges::find_if(from, is_here); found != from.end()) {
      text += to[static_cast<std::size_t>(found - from.begin())];
      json.remove_prefix(found->size());
      continue;
    }
    const std::string_view copied = json.substr(0, in_string && json[0] == '\\' ? 2 : 1);  // skips an escaped quote
    if (copied == "\"") in_string = !in_string;
    text += copied;
    json.remove_prefix(copied.size());
  }
  return text;
}

// Returns the position of an escaped \u0000 (not of a backslash before "u0000"); npos if there is none.
std::size_t find_escaped_zero(std::string_view json) {
  for (std::size_t at = json.find('\\'); at < json.size(); at = json.find('\\', at + 2))
    if (json.substr(at).starts_with("\\u0000")) return at;
  return std::string_view::npos;
}

}  // namespace

std::string hide_special_numbers(std::string_view json) { return respelled(json, kSpecialNumbers, kHidden); }

std::string restore_special_numbers(std::string_view json) { return respelled(json, kHidden, kSpecialNumbers); }

std::string json_string(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0; };
  std::string json = "\"";
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' || text[i] == '\\')
      json += {'\\', text[i]};
    else if (byte(i) < 0x20 || byte(i) == 0x7F)
      json += fmt::format("\\u{:04x}", byte(i));
    else if (byte(i) == 0xC2 && byte(i + 1) >= 0x80 && byte(i + 1) < 0xA0)  // U+0080 to U+009F in UTF-8
      json += fmt::format("\\u{:04x}", byte(++i));
    else
      json += text[i];
  }
  return json + '"';
}

std::string json_number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : "null"; }

template <class Json>
Json parse_json(std::string_view text, const std::string& where, std::size_t most_keys) {
  constexpr int kDeepest = 100;
  // The parser would treat a zero byte as the end of the text.
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

template <class Json>
std::string print_json(const Json& json) {
  return restore_special_numbers(json.dump(2)) + "\n";
}

template nlohmann::json parse_json(std::string_view, const std::string&, std::size_t);
template nlohmann::ordered_json parse_json(std::string_view, const std::string&, std::size_t);
template std::string print_json(const nlohmann::json&);
template std::string print_json(const nlohmann::ordered_json&);

}  // namespace qfuse::checkpoint
