// The man page qfuse(1), in the macros of man(7).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "definition.h"
#include "text.h"

namespace qfuse::cli {
namespace {

// Escapes text so that roff prints it unchanged, with dashes that can be copied into a shell.
std::string escaped(std::string text) {
  text = replaced(text, "\\", "\\e");
  for (const auto& [from, to] : {std::pair("-", "\\-"), {"'", "\\(aq"}, {"`", "\\(ga"}, {"^", "\\(ha"}, {"~", "\\(ti"}})
    text = replaced(text, from, to);
  return text.starts_with('.') ? "\\&" + text : text;
}

std::string bold(const std::string& text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + escaped(text) + "\\fR"; }

// The paragraphs of the program's footer that begin with these lines become sections of their own.
constexpr std::string_view kExamplesHeading = "Examples:";
constexpr std::string_view kExitCodes = "Exit codes: ";

// Converts prose to roff: blank lines end paragraphs, and indented lines are printed line by line.
std::string prose(const std::string& text) {
  std::string page;
  bool begins = true;
  bool verbatim = false;
  for (const std::string& line : CLI::detail::split(text, '\n')) {
    const bool indented = line.starts_with("  ");
    if (verbatim && !indented) page += ".fi\n";
    if (begins && line == kExamplesHeading)
      page += ".SH EXAMPLES\n";
    else if (begins && line.starts_with(kExitCodes))
      page += ".SH EXIT STATUS\n" + escaped(line.substr(kExitCodes.size())) + "\n";
    else if (!line.empty()) {
      if ((begins || verbatim != indented) && !page.empty()) page += ".PP\n";
      if (indented && !verbatim) page += ".nf\n";
      page += escaped(line.substr(indented ? 2 : 0)) + "\n";
    }
    verbatim = indented;
    begins = line.empty();
  }
  return verbatim ? page + ".fi\n" : page;
}

// Returns the value shown after an option's name: "auto|bf16", or "INT".
std::string value_of(const OptionText& option) {
  if (option.choices.empty()) return italic(option.value);
  std::vector<std::string> choices;
  for (const std::string& choice : option.choices) choices.push_back(bold(choice));
  return fmt::format("{}", fmt::join(choices, "|"));
}

std::string entry(const OptionText& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) names.push_back(bold(name));
  const std::string value = option.value.empty() ? "" : " " + value_of(option);
  const std::string preset = option.default_value.empty() ? "" : fmt::format(" (default {})", option.default_value);
  return fmt::format(".TP\n{}{}\n{}\n", fmt::join(names, ", "), value, escaped(option.description + preset));
}

std::string argument_entry(const OptionText& argument) {
  return fmt::format(".TP\n{}\n{}\n", italic(argument.names.front()), escaped(argument.description));
}

std::string synopsis(const std::string& program, const CommandText& command) {
  std::string line = bold(program + " " + command.name);
  line += command.options.empty() ? " ..." : " [" + italic("options") + "]";
  for (const OptionText& argument : command.arguments) {
    const std::string name = italic(argument.names.front()) + (argument.repeatable ? "..." : "");
    line += argument.required ? " " + name : " [" + name + "]";
  }
  for (const OptionText& option : command.options)
    if (option.required) line += " " + bold(option.names.front()) + " " + value_of(option);
  return line + "\n";
}

// Returns the section of one command, without --help, which is described once for the whole program.
std::string section(const CommandText& program, const CommandText& command) {
  std::string page =
      fmt::format(".SS {}\n{}.\n", escaped(program.name + " " + command.name), escaped(command.description));
  for (const OptionText& argument : command.arguments) page += argument_entry(argument);
  for (const OptionText& option : command.options)
    if (option.names != program.options.front().names) page += entry(option);
  return command.footer.empty() ? page : page + ".PP\n" + prose(command.footer);
}

}  // namespace

std::string man_page(const Definition& definition, std::string_view summary, std::string_view version) {
  const std::string& program = definition.program.name;
  std::string page = fmt::format(".TH QFUSE 1 \"\" \"qfuse {}\" \"User Commands\"\n.nh\n.ad l\n", version);
  page += fmt::format(".SH NAME\n{} \\- {}\n.SH SYNOPSIS\n.nf\n", escaped(program), escaped(std::string(summary)));
  for (const CommandText& command : definition.commands) page += synopsis(program, command);
  page += ".fi\n.SH DESCRIPTION\n" + prose(definition.program.description) + ".SH OPTIONS\n";
  for (const OptionText& option : definition.program.options) page += entry(option);
  page += ".SH COMMANDS\n";
  for (const CommandText& command : definition.commands) page += section(definition.program, command);
  return page + prose(definition.program.footer);
}

}  // namespace qfuse::cli
