// Parsing and printing of text: sizes, lines, tables.
#ifndef QFUSE_CLI_TEXT_H
#define QFUSE_CLI_TEXT_H

#include <cstdint>
#include <cstdio>
#include <qfuse/checkpoint.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace qfuse::cli {

// Parses "5GB", "500 MB", "4GiB" or plain bytes; only whole numbers. Throws std::invalid_argument.
std::int64_t parse_size(std::string_view text);

// Parses a shard such as "2/8"; the first one is 0/8. Throws std::invalid_argument.
checkpoint::Shard parse_shard(std::string_view text);

// Formats bytes like "4.97 GB": three digits, powers of 1000.
std::string human_size(double bytes);

std::string shape_text(const std::vector<std::int64_t>& shape);  // "[4096, 1024]"

// Makes text from a file safe for a terminal: prints control characters as \xNN, so that they cannot move the cursor.
std::string printable(std::string_view text);

// Returns the word of which `word` may be a misspelling, or an empty string if none is close.
std::string nearest(std::string_view word, const std::vector<std::string>& words);

// Renames options in a library message to the command's spelling: `as_here` becomes --as-here.
std::string with_own_options(std::string message);

// Wraps a paragraph between words to at most `columns`, with `indent` spaces before each line.
std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent);

// Prints a line of prose to stdout or stderr. On a terminal, long lines are wrapped between words; text in `backquotes`
// is not broken, so that it can be copied.
void say(std::FILE* file, const std::string& line);

// Returns `text` with every `from` replaced by `to`.
std::string replaced(std::string text, std::string_view from, std::string_view to);

// A table with columns as wide as their widest cell; the first is left-aligned, the others right-aligned. If the
// terminal is too narrow, the first column is printed on a line of its own.
class Table {
 public:
  explicit Table(std::vector<std::string> header) : rows_{std::move(header)} {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  [[nodiscard]] bool empty() const { return rows_.size() == 1; }
  void print() const;  // to stdout

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace qfuse::cli

#endif  // QFUSE_CLI_TEXT_H
