// Small JSON texts, held in memory: config.json, the index, a weight's quant_state. Python writes numbers that JSON
// lacks: NaN, Infinity, -Infinity (in Mamba configs, and in the quant_state of a weight that overflowed). They pass
// through the parser as strings that begin with a zero character, which no other string may contain.
#ifndef QFUSE_CHECKPOINT_FILES_JSON_H
#define QFUSE_CHECKPOINT_FILES_JSON_H

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace qfuse::checkpoint {

inline constexpr char kSpecialNumberMark = '\0';

std::string hide_special_numbers(std::string_view json);
std::string restore_special_numbers(std::string_view json);

// Returns a JSON string. Bytes that are not UTF-8, as in a path, stay unchanged; control characters, including U+0080
// to U+009F, are escaped, so that they cannot move a terminal's cursor.
std::string json_string(std::string_view text);
std::string json_number(double value);  // null for NaN and infinities, which JSON cannot represent

// Parses untrusted JSON; errors are invalid_data, with a message that begins with `where`. Nesting is limited to 100,
// because printing recurses; `most_keys` limits ordered_json, whose key lookup is linear. Instantiated, like
// print_json(), for nlohmann::json and nlohmann::ordered_json.
template <class Json>
Json parse_json(std::string_view text, const std::string& where, std::size_t most_keys);

// Prints in transformers' format: indented by two spaces, with a final newline.
template <class Json>
std::string print_json(const Json& json);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_JSON_H
