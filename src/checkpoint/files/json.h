// Small JSON texts, held whole: config.json, the index, a weight's quant_state.
// Python wrote them, with numbers that JSON lacks: NaN, Infinity, -Infinity (Mamba configs have one, and so has the
// quant_state of a weight that overflowed). They travel through the parser as strings that begin with a zero
// character, which nothing else may hold.
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

// A JSON string. What is not UTF-8, as a path may be, stays as it is; control characters, U+0080 to U+009F among them,
// cannot move a terminal's cursor.
std::string json_string(std::string_view text);
std::string json_number(double value);  // null for what JSON cannot say: NaN and the infinities

// Parses JSON that someone else wrote; `where` begins the message of an invalid_data.
// Containers may nest 100 deep: printing recurses. `most_keys` bounds ordered_json, which looks keys up one by one.
// For nlohmann::json and nlohmann::ordered_json, as print_json().
template <class Json>
Json parse_json(std::string_view text, const std::string& where, std::size_t most_keys);

// As transformers formats its files: two spaces, a final newline.
template <class Json>
std::string print_json(const Json& json);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_JSON_H
