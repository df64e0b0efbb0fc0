#include "checkpoint/files/name_pattern.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace qfuse::checkpoint {
namespace {

bool is_digit(char character) { return character >= '0' && character <= '9'; }

// Of what stands behind an opening brace, "9}" or "2,9}": the largest number, 1 at least and `most` at most.
std::size_t largest_count(std::string_view rest, std::size_t most) {
  std::size_t largest = 1;
  std::size_t number = 0;
  for (const char character : rest) {
    if (!is_digit(character) && character != ',') break;
    number = is_digit(character) ? std::min(10 * number + static_cast<std::size_t>(character - '0'), most) : 0;
    largest = std::max(largest, number);
  }
  return largest;
}

// libstdc++ copies what is counted, as "a{9}", so many times, recurses once for a copy, and reads numbers without a look
// at overflow. So the copies are bounded as if all counts were nested, and no number is longer than any real one.
bool is_modest(const std::string& expression) {
  constexpr std::size_t kMostCopies = 4000;  // of one character each; real ones have under 200
  constexpr std::size_t kMostDigits = 9;
  std::size_t copies = std::max<std::size_t>(expression.size(), 1);
  std::size_t digits = 0;
  for (std::size_t at = 0; at < expression.size(); ++at) {
    if (expression[at] == '{') copies *= largest_count(std::string_view(expression).substr(at + 1), kMostCopies + 1);
    digits = is_digit(expression[at]) ? digits + 1 : 0;
    if (copies > kMostCopies || digits > kMostDigits) return false;
  }
  return true;
}

bool is_short(const std::string& name) {
  constexpr std::size_t kLongest = 1000;
  return name.size() <= kLongest;
}

}  // namespace

std::optional<NamePattern> NamePattern::compile(const std::string& expression) {
  constexpr std::size_t kLongest = 520;  // bytes; real ones have under 100
  if (expression.size() > kLongest || !is_modest(expression)) return std::nullopt;
  auto flags = std::regex_constants::ECMAScript;
#if defined(__GLIBCXX__)
  flags |= std::regex_constants::__polynomial;
#endif
  try {
    return NamePattern(std::regex(expression, flags));
  } catch (const std::regex_error&) {
    return std::nullopt;
  }
}

bool NamePattern::fits(const std::string& name) const { return is_short(name) && std::regex_match(name, regex_); }

bool NamePattern::fits_beginning_of(const std::string& name) const {
  return is_short(name) && std::regex_search(name, regex_, std::regex_constants::match_continuous);
}

bool NamePattern::fits_within(const std::string& name) const {
  return is_short(name) && std::regex_search(name, regex_);
}

}  // namespace qfuse::checkpoint
