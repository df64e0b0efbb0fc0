#include "checkpoint/errors.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace qfuse::checkpoint {

std::string printable(std::string_view text) {
  constexpr std::size_t kLongest = 300;  // bytes: a message stays readable, and fits qfuse_error
  std::size_t length = std::min(text.size(), kLongest);
  while (length < text.size() && (text[length] & 0xC0) == 0x80) --length;  // not within a UTF-8 sequence
  std::string line;
  for (const char c : text.substr(0, length)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F)
      line += fmt::format("\\x{:02x}", byte);
    else
      line += c;
  }
  if (length < text.size()) line += "...";
  return line;
}

std::string printable(std::span<const std::int64_t> shape) {
  return printable(fmt::format("[{}]", fmt::join(shape, ", ")));
}

void fail_errno(std::string_view path, std::string_view verb) {
  const std::string reason = std::generic_category().message(errno);
  fail(Status::io_error, "{}: cannot {}: {}", printable(path), verb, reason);
}

}  // namespace qfuse::checkpoint
