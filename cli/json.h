// The JSON that --json prints.
#ifndef QFUSE_CLI_JSON_H
#define QFUSE_CLI_JSON_H

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

namespace qfuse::cli {

using Json = nlohmann::ordered_json;

// Prints an array of objects or arrays with one line per element, like the library's own JSON. The output is pure
// ASCII, so that text from a file or a driver cannot move a terminal's cursor.
inline std::string json_text(const Json& json) {
  if (!json.is_structured()) return json.dump(-1, ' ', true, Json::error_handler_t::replace);
  const bool has_lines = json.is_array() && !json.empty() && json.front().is_structured();
  std::string text;
  for (const auto& [key, value] : json.items()) {
    text += (text.empty() ? "" : has_lines ? "," : ", ") + std::string(has_lines ? "\n  " : "");
    if (json.is_object()) text += json_text(key) + ": ";
    text += json_text(value);
  }
  return json.is_object() ? "{" + text + "}" : "[" + text + (has_lines ? "\n]" : "]");
}

inline void print_json(const Json& json) { fmt::print("{}\n", json_text(json)); }

inline double to_milliseconds(double seconds) { return std::round(1e3 * seconds) / 1e3; }

}  // namespace qfuse::cli

#endif  // QFUSE_CLI_JSON_H
