// The text that --help prints.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "definition.h"
#include "text.h"

namespace qfuse::cli {
namespace {

struct Entry {
  std::string name;
  std::string description;
};

// Returns an entry whose name looks like "--type nf4|fp4". A long list of values is left to the man page.
Entry entry_of(const OptionText& option) {
  constexpr std::size_t kLongestList = 30;
  const std::string list = fmt::format("{}", fmt::join(option.choices, "|"));
  const std::string value = list.empty() || list.size() > kLongestList ? option.value : list;
  const bool has_dashes = option.names.front().starts_with('-');
  const std::string repeated = option.repeatable && !has_dashes ? "..." : "";
  std::string description = option.description;
  if (!option.default_value.empty()) description += fmt::format(" (default {})", option.default_value);
  return {
      fmt::format("{}{}{}", fmt::join(option.names, ", "), repeated, has_dashes && !value.empty() ? " " + value : ""),
      description};
}

// Formats names on the left with descriptions beside them, or below them where the columns are too few.
std::string list(const std::string& heading, const std::vector<Entry>& entries, std::size_t columns) {
  if (entries.empty()) return "";
  constexpr std::size_t kIndent = 2;
  constexpr std::size_t kGap = 2;
  constexpr std::size_t kWidestName = 26;  // longest name with its description beside it
  constexpr std::size_t kLeastBeside = 40;
  std::size_t beside = 0;
  for (const Entry& entry : entries)
    if (entry.name.size() <= kWidestName) beside = std::max(beside, kIndent + entry.name.size() + kGap);
  if (beside + kLeastBeside > columns) beside = 0;
  std::string text = "\n" + heading + ":\n";
  for (const auto& [name, description] : entries) {
    const bool fits = kIndent + name.size() + kGap <= beside;
    const std::string paragraph = wrapped(description, columns, beside == 0 ? kIndent + 4 : beside);
    text += "  " + name;
    text += fits ? paragraph.substr(kIndent + name.size()) : "\n" + paragraph;
  }
  return text;
}

std::vector<Entry> entries_of(const std::vector<OptionText>& options) {
  std::vector<Entry> entries;
  std::transform(options.begin(), options.end(), std::back_inserter(entries), entry_of);
  return entries;
}

// Cuts descriptions after their first sentence, which a full stop or a colon outside parentheses ends.
std::vector<Entry> without_details(std::vector<Entry> entries) {
  for (Entry& entry : entries) {
    int depth = 0;
    std::size_t end = 0;
    for (const std::string& text = entry.description; end < text.size(); ++end) {
      if (text[end] == '(') ++depth;
      if (text[end] == ')') --depth;
      if (depth == 0 && (text.compare(end, 2, ". ") == 0 || text.compare(end, 2, ": ") == 0)) break;
    }
    entry.description.resize(end);
  }
  return entries;
}

// Wraps text, but keeps indented lines as they are.
std::string prose(const std::string& text, std::size_t columns) {
  std::string lines;
  for (const std::string& line : CLI::detail::split(text, '\n'))
    lines += line.starts_with("  ") || line.empty() ? line + "\n" : wrapped(line, columns, 0);
  return lines;
}

std::string usage(const std::string& program, const CommandText& command) {
  std::string line = program + (command.name == program ? "" : " " + command.name) + " [options]";
  for (const OptionText& argument : command.arguments) {
    const std::string name = argument.names.front() + (argument.repeatable ? "..." : "");
    line += argument.required ? " " + name : " [" + name + "]";
  }
  for (const OptionText& option : command.options)
    if (option.required) line += fmt::format(" {} {}", option.names.front(), option.value);
  return line;
}

std::string text_of(const std::string& program, const CommandText& command, const std::vector<Entry>& commands,
                    std::size_t columns) {
  return wrapped(command.description, columns, 0) + "\n" +
         wrapped("Usage: " + usage(program, command) + (commands.empty() ? "" : " SUBCOMMAND ..."), columns, 0) +
         list("Arguments", entries_of(command.arguments), columns) +
         list("Options", entries_of(command.options), columns) + list("Subcommands", commands, columns) +
         (command.footer.empty() ? "" : "\n" + prose(command.footer, columns));
}

}  // namespace

std::string short_help(const Definition& definition, const std::string& subcommand, std::size_t columns) {
  const std::string& program = definition.program.name;
  const CommandText* command = &definition.program;
  std::vector<Entry> commands;
  for (const CommandText& one : definition.commands) {
    if (one.name == subcommand) command = &one;
    if (subcommand.empty()) commands.push_back({one.name, one.description});
  }
  const std::string more = program + (subcommand.empty() ? "" : " " + subcommand) + " --help";
  return wrapped("Usage: " + usage(program, *command) + (commands.empty() ? "" : " SUBCOMMAND ..."), columns, 0) +
         list("Arguments", without_details(entries_of(command->arguments)), columns) +
         list("Options", without_details(entries_of(command->options)), columns) +
         list("Subcommands", without_details(commands), columns) + "\n" + more + " says more.\n";
}

std::string help(const Definition& definition, const std::string& subcommand, std::size_t columns) {
  const std::string& program = definition.program.name;
  std::vector<Entry> commands;
  for (const CommandText& command : definition.commands) {
    if (command.name == subcommand) return text_of(program, command, {}, columns);
    commands.push_back({command.name, command.description});
  }
  return text_of(program, definition.program, commands, columns);
}

}  // namespace qfuse::cli
