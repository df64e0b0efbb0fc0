// Command-line completions for bash, zsh and fish: commands, options, listed values, and paths for options and
// arguments that are paths.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command.h"
#include "definition.h"
#include "text.h"

namespace qfuse::cli {
namespace {

bool takes_paths(const CommandText& command) {
  const bool passes_on = command.options.empty();  // the arguments belong to another program and are unknown here
  return passes_on || (!command.arguments.empty() && command.arguments.front().value == kPath);
}

std::vector<std::string> option_names(const CommandText& command) {
  std::vector<std::string> names;
  for (const OptionText& option : command.options) names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

std::string command_names(const Definition& definition) {
  std::string names;
  for (const CommandText& command : definition.commands) names += (names.empty() ? "" : " ") + command.name;
  return names;
}

std::vector<std::string> argument_choices(const CommandText& command) {
  return command.arguments.empty() ? std::vector<std::string>() : command.arguments.front().choices;
}

// ---- bash

// Returns one branch of the `case` over "<command>:<previous word>".
std::string bash_branch(const CommandText& command, const OptionText& option) {
  std::vector<std::string> patterns;
  for (const std::string& name : option.names) patterns.push_back(command.name + ":" + name);
  const std::string values =
      option.value == kPath ? "paths=1" : fmt::format("words='{}'", fmt::join(option.choices, " "));
  return fmt::format("    {}) {} ;;\n", fmt::join(patterns, " | "), values);
}

std::string bash_branches(const CommandText& command) {
  std::string branches;
  for (const OptionText& option : command.options)
    if (!option.value.empty()) branches += bash_branch(command, option);
  std::vector<std::string> words = option_names(command);
  for (const std::string& choice : argument_choices(command)) words.push_back(choice);
  return branches + fmt::format("    {}:*) words='{}'{} ;;\n", command.name, fmt::join(words, " "),
                                takes_paths(command) ? " paths=1" : "");
}

constexpr const char* kBashBegin = R"(_{0}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} command= words= paths=
  if ((COMP_CWORD > 1)); then command=${{COMP_WORDS[1]}}; fi
  # To bash, --option=value is three words.
  if [[ $word == '=' ]]; then
    word=
  elif [[ $before == '=' ]]; then
    before=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  case $command:$before in
)";

constexpr const char* kBashEnd = R"(    :*) words='{1} {2}' ;;
  esac
  if [[ $paths && $word != -* ]]; then
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
    compopt -o filenames 2>/dev/null
  else
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  fi
}}
complete -F _{0} {0}
)";

// ---- zsh

std::string zsh_quoted(const std::string& text) { return "'" + replaced(text, "'", R"('\'')") + "'"; }

std::string zsh_described(std::string text) {
  for (const char* special : {"\\", "[", "]", ":"}) text = replaced(text, special, std::string("\\") + special);
  return text;
}

// zsh autoloads this file and calls the function; when `source` reads the file, compdef registers the function.
constexpr const char* kZshEnd = R"(  esac
}}

if [[ $funcstack[1] == _{0} ]]; then
  _{0} "$@"
else
  compdef _{0} {0}
fi
)";

// Returns the zsh specification that completes a value: a label for the user, and the choices or files.
std::string zsh_value(const std::string& name, const OptionText& option) {
  if (option.value.empty()) return "";
  if (!option.choices.empty()) return fmt::format(":{}:({})", name, fmt::join(option.choices, " "));
  return fmt::format(":{}:{}", name, option.value == kPath ? "_files" : "");
}

// Writes one specification per option name. Each name excludes the others, and itself unless the option is repeatable.
std::string zsh_option(const OptionText& option) {
  std::string lines;
  for (const std::string& name : option.names) {
    const std::string others = option.repeatable ? "*" : fmt::format("({})", fmt::join(option.names, " "));
    const std::string equals = name.starts_with("--") && !option.value.empty() ? "=" : "";
    lines +=
        " \\\n        " + zsh_quoted(fmt::format("{}{}{}[{}]{}", others, name, equals,
                                                 zsh_described(option.description), zsh_value(option.value, option)));
  }
  return lines;
}

std::string zsh_arguments(const CommandText& command) {
  if (command.options.empty()) return "_files";
  std::string line = "_arguments";
  for (const OptionText& option : command.options) line += zsh_option(option);
  for (const OptionText& argument : command.arguments)
    line +=
        " \\\n        " + zsh_quoted((argument.repeatable ? "*" : "") + zsh_value(argument.names.front(), argument));
  return line;
}

// ---- fish

std::string fish_quoted(const std::string& text) {
  return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'";
}

std::string fish_option(const std::string& program, const std::string& condition, const OptionText& option) {
  std::string line = fmt::format("complete -c {} -n {}", program, fish_quoted(condition));
  for (const std::string& name : option.names)
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (option.value == kPath)
    line += " -r -F";
  else if (!option.value.empty())
    line += fmt::format(" -x -a '{}'", fmt::join(option.choices, " "));
  return line + " -d " + fish_quoted(option.description) + "\n";
}

}  // namespace

std::string bash_completion(const Definition& definition) {
  const CommandText& program = definition.program;
  std::string text = fmt::format(kBashBegin, program.name);
  for (const CommandText& command : definition.commands) text += bash_branches(command);
  return text + fmt::format(kBashEnd, program.name, command_names(definition), fmt::join(option_names(program), " "));
}

std::string zsh_completion(const Definition& definition) {
  const std::string& program = definition.program.name;
  std::string text = fmt::format("#compdef {0}\n\n_{0}() {{\n  local -a commands=(\n", program);
  for (const CommandText& command : definition.commands)
    text += "    " + zsh_quoted(command.name + ":" + zsh_described(command.description)) + "\n";
  text += "  )\n  if ((CURRENT == 2)); then\n    _describe command commands\n    _arguments";
  for (const OptionText& option : definition.program.options) text += zsh_option(option);
  text += "\n    return\n  fi\n  shift words\n  ((CURRENT--))\n  case $words[1] in\n";
  for (const CommandText& command : definition.commands)
    text += fmt::format("    {})\n      {} ;;\n", command.name, zsh_arguments(command));
  return text + fmt::format(kZshEnd, program);
}

std::string fish_completion(const Definition& definition) {
  const std::string& program = definition.program.name;
  const char* before = "__fish_use_subcommand";
  std::string text = fmt::format("complete -c {} -f -n {}\n", program, before);
  for (const OptionText& option : definition.program.options) text += fish_option(program, before, option);
  for (const CommandText& command : definition.commands) {
    text += fmt::format("complete -c {} -n {} -a {} -d {}\n", program, before, command.name,
                        fish_quoted(command.description));
    const std::string condition = "__fish_seen_subcommand_from " + command.name;
    if (!takes_paths(command)) text += fmt::format("complete -c {} -f -n '{}'\n", program, condition);
    for (const std::string& choice : argument_choices(command))
      text += fmt::format("complete -c {} -n '{}' -a {}\n", program, condition, choice);
    for (const OptionText& option : command.options) text += fish_option(program, condition, option);
  }
  return text;
}

}  // namespace qfuse::cli
