#include "checkpoint/files/json.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace qfuse::checkpoint {
namespace {

constexpr std::array<std::string_view, 3> kSpecialNumbers{"-Infinity", "Infinity", "NaN"};

// The JSON strings that stand for them.
constexpr std::array<std::string_view, 3> kHidden{R"("\u0000-Infinity")", R"("\u0000Infinity")", R"("\u0000NaN")"};

}  // namespace

std::size_t find_escaped_zero(std::string_view json) {
  for (std::size_t at = json.find('\\'); at < json.size(); at = json.find('\\', at + 2))
    if (json.substr(at).starts_with("\\u0000")) return at;
  return std::string_view::npos;
}

std::string hide_special_numbers(std::string_view json) {
  std::string hidden;
  bool in_string = false;
  while (!json.empty()) {
    std::size_t taken = in_string && json[0] == '\\' ? 2 : 1;  // an escaped quote ends no string
    std::string_view copied = json.substr(0, taken);
    if (copied == "\"") in_string = !in_string;
    for (std::size_t i = 0; i < kHidden.size(); ++i)
      if (!in_string && json.starts_with(kSpecialNumbers[i])) {
        taken = kSpecialNumbers[i].size();
        copied = kHidden[i];
      }
    hidden += copied;
    json.remove_prefix(std::min(taken, json.size()));
  }
  return hidden;
}

std::string restore_special_numbers(std::string_view json) {
  std::string restored;
  while (!json.empty()) {
    std::size_t taken = 1;
    std::string_view copied = json.substr(0, 1);
    for (std::size_t i = 0; i < kHidden.size(); ++i)
      if (json.starts_with(kHidden[i])) {
        taken = kHidden[i].size();
        copied = kSpecialNumbers[i];
      }
    restored += copied;
    json.remove_prefix(taken);
  }
  return restored;
}

std::string json_string(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0; };
  std::string json = "\"";
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' || text[i] == '\\')
      json += {'\\', text[i]};
    else if (byte(i) < 0x20 || byte(i) == 0x7F)
      json += fmt::format("\\u{:04x}", byte(i));
    else if (byte(i) == 0xC2 && byte(i + 1) >= 0x80 && byte(i + 1) < 0xA0)  // in UTF-8, U+0080 to U+009F
      json += fmt::format("\\u{:04x}", byte(++i));
    else
      json += text[i];
  }
  return json + '"';
}

std::string json_number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : "null"; }

}  // namespace qfuse::checkpoint
