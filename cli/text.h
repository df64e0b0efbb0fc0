// Text in and out: sizes, lines, tables.
#ifndef QFUSE_CLI_TEXT_H
#define QFUSE_CLI_TEXT_H

#include <cstdint>
#include <cstdio>
#include <qfuse/checkpoint.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace qfuse::cli {

// "5GB", "500 MB", "4GiB" or plain bytes, in whole numbers. Throws std::invalid_argument.
std::int64_t parse_size(std::string_view text);

// "2/8", the first of which is 0/8. Throws std::invalid_argument.
checkpoint::Shard parse_shard(std::string_view text);

// "4.97 GB": three digits, powers of 1000.
std::string human_size(double bytes);

std::string shape_text(const std::vector<std::int64_t>& shape);  // "[4096, 1024]"

// Text from a file for a terminal: control characters as \xNN, so that it stays on its line and cannot move the cursor.
std::string printable(std::string_view text);

// The word that `word` may be a misspelling of; empty if none is near.
std::string nearest(std::string_view word, const std::vector<std::string>& words);

// A message of the library, which calls options `as_here`, as the command calls them: --as-here.
std::string with_own_options(std::string message);

// A paragraph in lines of at most `columns`, broken between words, each with `indent` spaces before it.
std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent);

// A line of prose to stdout or stderr, on a terminal broken between words where it is too long; what is in `backquotes`
// stays whole, to be copied.
void say(std::FILE* file, const std::string& line);

// `text` with every `from` replaced by `to`.
std::string replaced(std::string text, std::string_view from, std::string_view to);

// Columns as wide as their widest cell, the first left-aligned, the others right-aligned. On a terminal that is too
// narrow the first stands on a line of its own.
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
