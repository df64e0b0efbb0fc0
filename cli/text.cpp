#include "text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <stdexcept>
#include <utility>

#include "terminal.h"

namespace qfuse::cli {
namespace {

// Without a terminal, a program reads the output: lines are then never wrapped, whatever $COLUMNS says.
std::size_t line_columns(int file_descriptor) {
  return ::isatty(file_descriptor) == 1 ? static_cast<std::size_t>(columns_of(file_descriptor).value_or(INT_MAX))
                                        : std::string::npos;
}

struct Unit {
  std::string_view name;
  std::int64_t bytes;
};

constexpr std::array<Unit, 10> kUnits{{
    {"", 1},
    {"b", 1},
    {"kb", 1'000},
    {"mb", 1'000'000},
    {"gb", 1'000'000'000},
    {"tb", 1'000'000'000'000},
    {"kib", std::int64_t{1} << 10},
    {"mib", std::int64_t{1} << 20},
    {"gib", std::int64_t{1} << 30},
    {"tib", std::int64_t{1} << 40},
}};

// Number of code points, which is the width on a terminal of the names that checkpoints use.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// Whether byte `i` belongs to a control character. U+0080 to U+009F (C2 80 to C2 9F in UTF-8) move a cursor too.
bool is_control(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0; };
  const auto is_c1 = [&](std::size_t at) { return byte(at) == 0xC2 && byte(at + 1) >= 0x80 && byte(at + 1) < 0xA0; };
  return byte(i) < 0x20 || byte(i) == 0x7F || is_c1(i) || (i > 0 && is_c1(i - 1));
}

// Fewest letters to insert, remove or replace that turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replace});
    }
  }
  return row[b.size()];
}

}  // namespace

std::int64_t parse_size(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string unit;
  for (const char* c = end; c != text.data() + text.size(); ++c)
    if (*c != ' ') unit += static_cast<char>(std::tolower(static_cast<unsigned char>(*c)));
  const auto* const known = std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& u) { return u.name == unit; });
  constexpr std::int64_t kUnitIsMissing = 1000;  // a smaller number without a unit is a mistake
  if (error == std::errc() && unit.empty() && number > 0 && number < kUnitIsMissing)
    throw std::invalid_argument(
        fmt::format("'{}' would be bytes: write {}GB or {}MB, or {}B", text, number, number, number));
  std::int64_t bytes = 0;
  if (error != std::errc() || known == kUnits.end() || number < 1 ||
      __builtin_mul_overflow(number, known->bytes, &bytes))
    throw std::invalid_argument(
        fmt::format("'{}' is not a size: write bytes, or a whole number of KB, MB, GB, TB, KiB, MiB, GiB, TiB", text));
  return bytes;
}

checkpoint::Shard parse_shard(std::string_view text) {
  checkpoint::Shard shard;
  const char* const text_end = text.data() + text.size();
  const auto [slash, error] = std::from_chars(text.data(), text_end, shard.index);
  const bool has_count = error == std::errc() && slash != text_end && *slash == '/';
  const auto [end, count_error] = std::from_chars(has_count ? slash + 1 : text_end, text_end, shard.count);
  if (count_error != std::errc() || end != text_end)
    throw std::invalid_argument(fmt::format("'{}' is no shard: write I/N, as 0/8 to 7/8", text));
  if (shard.index < 0 || shard.index >= shard.count)
    throw std::invalid_argument(
        fmt::format("'{}' is no shard: I counts from 0, so that N processes have 0/N to N-1/N", text));
  return shard;
}

std::string human_size(double bytes) {
  constexpr std::array<const char*, 5> kNames{"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  while (bytes >= 999.5 && unit + 1 < kNames.size()) {
    bytes /= 1000;
    ++unit;
  }
  if (unit == 0) return fmt::format("{:.0f} B", bytes);
  const int decimals = bytes < 9.995 ? 2 : bytes < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}", bytes, decimals, kNames[unit]);
}

std::string shape_text(const std::vector<std::int64_t>& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

std::string printable(std::string_view text) {
  std::string line;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (is_control(text, i))
      line += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i]));
    else
      line += text[i];
  return line;
}

std::string nearest(std::string_view word, const std::vector<std::string>& words) {
  constexpr std::size_t kMostEdits = 3;
  std::string found;
  std::size_t least = kMostEdits + 1;
  for (const std::string& candidate : words)
    if (const std::size_t edits = edit_distance(word, candidate); edits < least && edits < candidate.size()) {
      least = edits;
      found = candidate;
    }
  return found;
}

std::string with_own_options(std::string message) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 19> kOptions{
      {{"`allow_nonfinite`", "--allow-nonfinite"},
       {"`allow_other_names`", "--allow-other-names"},
       {"`base_as`", "--base-as"},
       {"`component`", "--component"},
       {"`double_quant` off", "--no-double-quant"},
       {"`exclude`", "--exclude"},
       {"`experts`", "--experts"},
       {"`fail_below`", "--fail-below"},
       {"`force`", "--force"},
       {"`importance`", "--importance"},
       {"`include`", "--include"},
       {"`keep_scales`", "--keep-scales"},
       {"`lora_b_layout`", "--lora-b-layout"},
       {"`prefix`", "--prefix"},
       {"`shard`", "--shard"},
       {"`tie`", "--tie"},
       {"`to`", "--to"},
       {"`ue8m0`", "--ue8m0"},
       {"`untie`", "--untie"}}};
  for (const auto& [name, own] : kOptions) message = replaced(message, name, own);
  return message;
}

std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent) {
  std::string lines;
  std::string line;
  const auto end_line = [&] {
    if (!line.empty()) lines += std::string(indent, ' ') + line + "\n";
    line.clear();
  };
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (word.empty()) continue;
    if (indent + width(line) + 1 + width(word) > columns) end_line();
    line += (line.empty() ? "" : " ") + std::string(word);
  }
  end_line();
  return lines;
}

void say(std::FILE* file, const std::string& line) {
  constexpr char kStaying = '\x1f';  // a character that printable text never contains
  const std::size_t columns = line_columns(file == stderr ? STDERR_FILENO : STDOUT_FILENO);
  if (width(line) <= columns) return fmt::print(file, "{}\n", line);
  const std::size_t indent = line.find_first_not_of(' ');
  std::string text = line.substr(indent);
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    is_quoted = is_quoted != (text[i] == '`');
    const bool is_between = text[i] == ' ' && text[i - 1] != ' ' && text[i - 1] != kStaying && text[i + 1] != ' ';
    if (text[i] == ' ' && (is_quoted || !is_between)) text[i] = kStaying;  // keeps columns aligned, too
  }
  text = wrapped(text, columns, indent);
  std::ranges::replace(text, kStaying, ' ');
  fmt::print(file, "{}", text);
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

void Table::print() const {
  constexpr std::string_view kIndent = "   ";
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  std::size_t all = 0;
  for (const std::size_t one : widths) all += one + 2;
  const std::size_t columns = line_columns(STDOUT_FILENO);
  const bool has_two_lines = all - 2 > columns;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - width(row[i]), ' ');
      if (i == 0)
        line += has_two_lines ? fmt::format("{}\n{}", row[i], kIndent) : row[i] + padding;
      else
        line += "  " + padding + row[i];
    }
    line.erase(line.find_last_not_of(" \n") + 1);
    fmt::print("{}\n", line);
  }
}

}  // namespace qfuse::cli
