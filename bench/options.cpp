#include "options.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace qfuse::bench {
namespace {

std::optional<qfuse_device> parse_device(const std::string& text) {
  if (text == "auto") return std::nullopt;
  qfuse_device device{};
  qfuse_error error{};
  if (qfuse_device_parse(text.c_str(), &device, &error) != QFUSE_OK || device.type == QFUSE_REFERENCE)
    throw UsageError("--device is '" + text + "': it can be auto, cpu, cuda or cuda:N");
  return device;
}

// "--name=value" and "--name value" alike: the value, or nothing where arguments[i] is no such flag.
std::optional<std::string> value_of(std::string_view name, const std::vector<std::string>& arguments, std::size_t& i) {
  const std::string& argument = arguments[i];
  if (!argument.starts_with(name)) return std::nullopt;
  if (argument.size() > name.size() && argument[name.size()] == '=') return argument.substr(name.size() + 1);
  if (argument.size() != name.size()) return std::nullopt;
  if (i + 1 == arguments.size()) throw UsageError(argument + " needs a value");
  return arguments[++i];
}

void parse_flag(const std::vector<std::string>& arguments, std::size_t& i, Options& options) {
  const std::array texts = {std::pair{"--peer", &options.peer}, std::pair{"--json", &options.json},
                            std::pair{"--commit", &options.commit}};
  for (const auto& [name, text] : texts) {
    if (auto value = value_of(name, arguments, i)) {
      *text = *std::move(value);
      return;
    }
  }
  if (const auto device = value_of("--device", arguments, i)) {
    options.device = parse_device(*device);
  } else if (arguments[i] == "--help" || arguments[i] == "-h") {
    options.help = true;
  } else {
    options.others.push_back(arguments[i]);
  }
}

}  // namespace

Options parse_options(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  Options options;
  options.command = "qfuse-bench";
  for (const std::string& argument : arguments) options.command += " " + argument;
  std::size_t i = 0;
  if (!arguments.empty() && !arguments[0].starts_with('-')) options.what = arguments[i++];
  constexpr std::array kAll = {"nf4", "ladder", "swiglu", "swiglu-ladder"};
  if (std::find(kAll.begin(), kAll.end(), options.what) == kAll.end())
    throw UsageError("'" + options.what + "' is nothing to time; there are: nf4, ladder, swiglu, swiglu-ladder");
  for (; i < arguments.size(); ++i) parse_flag(arguments, i, options);
  return options;
}

}  // namespace qfuse::bench
