// What the parser knows of the command, as plain data, and what is printed from that: help, man page and completions.
#ifndef QFUSE_CLI_DEFINITION_H
#define QFUSE_CLI_DEFINITION_H

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace qfuse::cli {

struct OptionText {
  std::vector<std::string> names;  // with their dashes, the short one first; an argument without dashes has one name
  std::string description;
  std::string value;                 // what its value is, such as "INT" or kPath; empty for a flag
  std::vector<std::string> choices;  // the values that it accepts, where they can be listed
  std::string default_value;
  bool required = false;
  bool repeatable = false;
};

struct CommandText {
  std::string name;
  std::string description;
  std::string footer;
  std::vector<OptionText> arguments;  // in their order, without dashes
  std::vector<OptionText> options;
};

struct Definition {
  CommandText program;
  std::vector<CommandText> commands;
};

// Hidden options and subcommands (of no group) are left out.
Definition definition_of(const CLI::App& app);

// Of a subcommand, or of the program where `subcommand` is none, in lines of at most `columns` where words allow it.
std::string help(const Definition& definition, const std::string& subcommand, std::size_t columns);

// The same in a line for each option, which the long one says more of.
std::string short_help(const Definition& definition, const std::string& subcommand, std::size_t columns);

// `summary` is the line that searches of man pages find.
std::string man_page(const Definition& definition, std::string_view summary, std::string_view version);

std::string bash_completion(const Definition& definition);
std::string zsh_completion(const Definition& definition);
std::string fish_completion(const Definition& definition);

}  // namespace qfuse::cli

#endif  // QFUSE_CLI_DEFINITION_H
