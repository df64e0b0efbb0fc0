#include "definition.h"

namespace qfuse::cli {
namespace {

// Returns the names in the braces of a type name such as "TEXT:{nf4,fp4}", with which CLI11 describes its check that a
// value is one of them.
std::vector<std::string> choices_in(const std::string& type) {
  const std::size_t begin = type.find('{');
  const std::size_t end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos) return {};
  return CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',');
}

OptionText text_of(const CLI::Option& option) {
  OptionText text;
  if (option.get_positional()) text.names.push_back(option.get_name(true));
  for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  text.description = option.get_description();
  if (option.get_items_expected_max() > 0) {
    const std::string type = option.get_type_name();
    text.value = type.substr(0, type.find(':'));
    text.choices = choices_in(type);
  }
  text.default_value = option.get_default_str();
  text.required = option.get_required();
  text.repeatable = option.get_items_expected_max() > 1;
  return text;
}

CommandText text_of(const CLI::App& parser) {
  CommandText text{parser.get_name(), parser.get_description(), parser.get_footer(), {}, {}};
  for (const CLI::Option* option : parser.get_options())
    if (!option->get_group().empty())
      (option->get_positional() ? text.arguments : text.options).push_back(text_of(*option));
  return text;
}

}  // namespace

Definition definition_of(const CLI::App& app) {
  Definition definition{text_of(app), {}};
  for (const CLI::App* parser : app.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); }))
    definition.commands.push_back(text_of(*parser));
  return definition;
}

}  // namespace qfuse::cli
