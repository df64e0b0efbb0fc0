#include "checkpoint/files/errors.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace qfuse::checkpoint {

namespace {

// Returns the bytes of the printable character at the start of `text`; 0 for a control character or invalid UTF-8.
std::size_t character_length(std::string_view text) {
  struct Row {
    unsigned char first, last;  // range of the leading byte
    unsigned char low, high;    // range of the second byte; further ones are 80 to BF
    std::size_t length;
  };
  // UTF-8's table without 7F and C2 80 to C2 9F, which are control characters of terminals.
  constexpr std::array<Row, 10> kRows{{{0x20, 0x7E, 0, 0, 1},
                                       {0xC2, 0xC2, 0xA0, 0xBF, 2},
                                       {0xC3, 0xDF, 0x80, 0xBF, 2},
                                       {0xE0, 0xE0, 0xA0, 0xBF, 3},
                                       {0xE1, 0xEC, 0x80, 0xBF, 3},
                                       {0xED, 0xED, 0x80, 0x9F, 3},
                                       {0xEE, 0xEF, 0x80, 0xBF, 3},
                                       {0xF0, 0xF0, 0x90, 0xBF, 4},
                                       {0xF1, 0xF3, 0x80, 0xBF, 4},
                                       {0xF4, 0xF4, 0x80, 0x8F, 4}}};
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0; };
  for (const Row& row : kRows) {
    if (byte(0) < row.first || byte(0) > row.last) continue;
    bool whole = row.length == 1 || (byte(1) >= row.low && byte(1) <= row.high);
    for (std::size_t i = 2; i < row.length; ++i) whole = whole && (byte(i) & 0xC0) == 0x80;
    return whole ? row.length : 0;
  }
  return 0;
}

}  // namespace

std::string printable(std::string_view text) {
  constexpr std::size_t kLongest = 300;  // bytes: keeps messages readable, and fits qfuse_error
  std::string line;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const std::string piece = length != 0 ? std::string(text.substr(0, length))
                                          : fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    if (line.size() + piece.size() > kLongest) return line + "...";
    line += piece;
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return line;
}

std::string printable(std::span<const std::int64_t> shape) {
  return printable(fmt::format("[{}]", fmt::join(shape, ", ")));
}

std::string human_size(std::int64_t bytes) {
  constexpr std::array<std::string_view, 6> kUnits{"kB", "MB", "GB", "TB", "PB", "EB"};
  if (bytes < 1000) return fmt::format("{} bytes", bytes);
  auto size = static_cast<double>(bytes) / 1000.0;
  std::size_t unit = 0;
  for (; size >= 999.5 && unit + 1 < kUnits.size(); ++unit) size /= 1000.0;
  const int decimals = size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}", size, decimals, kUnits[unit]);
}

void fail_errno(std::string_view path, std::string_view verb) {
  const std::string reason = std::generic_category().message(errno);
  fail(Status::io_error, "{}: cannot {}: {}", printable(path), verb, reason);
}

}  // namespace qfuse::checkpoint
