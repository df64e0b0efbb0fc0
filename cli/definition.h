// The parser's commands and options as plain data, from which help, man page and completions are printed.
#ifndef QFUSE_CLI_DEFINITION_H
#define QFUSE_CLI_DEFINITION_H

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace qfuse::cli {

struct OptionText {
  std::vector<std::string> names;  // with their dashes, the short name first; a positional argument has one name
  std::string description;
  std::string value;                 // type name of the value, such as "INT" or kPath; empty for a flag
  std::vector<std::string> choices;  // accepted values, where they can be listed
  std::string default_value;
  bool required = false;
  bool repeatable = false;
};

struct CommandText {
  std::string name;
  std::string description;
  std::string footer;
  std::vector<OptionText> arguments;  // positional, in their order
  std::vector<OptionText> options;
};

struct Definition {
  CommandText program;
  std::vector<CommandText> commands;
};

// Leaves out hidden options and subcommands, which are those in no group.
Definition definition_of(const CLI::App& app);

// Returns the help of `subcommand`, or of the program if it is empty, wrapped to `columns` where words allow it.
std::string help(const Definition& definition, const std::string& subcommand, std::size_t columns);

// Returns a shorter help, with the first sentence of each description.
std::string short_help(const Definition& definition, const std::string& subcommand, std::size_t columns);

// `summary` is the line that man page searches (apropos) find.
std::string man_page(const Definition& definition, std::string_view summary, std::string_view version);

std::string bash_completion(const Definition& definition);
std::string zsh_completion(const Definition& definition);
std::string fish_completion(const Definition& definition);

}  // namespace qfuse::cli

#endif  // QFUSE_CLI_DEFINITION_H
