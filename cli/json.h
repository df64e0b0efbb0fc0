// What --json prints.
#ifndef QFUSE_CLI_JSON_H
#define QFUSE_CLI_JSON_H

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace qfuse::cli {

using Json = nlohmann::ordered_json;

// In ASCII alone, so that no text of a file or a driver can move a terminal's cursor.
inline void print_json(const Json& json) {
  fmt::print("{}\n", json.dump(-1, ' ', true, Json::error_handler_t::replace));
}

inline double to_milliseconds(double seconds) { return std::round(1e3 * seconds) / 1e3; }

}  // namespace qfuse::cli

#endif  // QFUSE_CLI_JSON_H
