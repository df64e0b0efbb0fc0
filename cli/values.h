// Valid values of options, and the error messages for other values.
#ifndef QFUSE_CLI_VALUES_H
#define QFUSE_CLI_VALUES_H

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <exception>
#include <map>
#include <optional>
#include <qfuse/checkpoint.hpp>
#include <qfuse/qfuse.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace qfuse::cli {

// Turns the exceptions of a parsing function into usage errors. A message that begins with "is" continues after the
// option's name. The help shows `choices`, as in "{a,b}", and shells complete them.
template <class Parse>
CLI::Validator valid_if(Parse parse, const std::string& choices = "") {
  return CLI::Validator(
      [parse](const std::string& text) {
        try {
          parse(text);
          return std::string();
        } catch (const std::exception& error) {
          return std::string(error.what());
        }
      },
      choices);
}

// Maps other spellings of values to the values.
using Aliases = std::map<std::string, std::string>;

// "a, b or c"
inline std::string listed(const std::vector<std::string>& names) {
  return fmt::format("{} or {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

// For Option::transform: accepts a value of `choices` in any case, or an alias of one, and replaces it by the choice.
inline CLI::Validator one_of(const std::vector<std::string>& choices, const Aliases& aliases = {}) {
  return CLI::Validator(
      [choices, aliases](std::string& text) {
        std::string name = CLI::detail::to_lower(text);
        if (const auto alias = aliases.find(name); alias != aliases.end()) name = alias->second;
        if (std::find(choices.begin(), choices.end(), name) == choices.end())
          return fmt::format("is '{}', it can be {}", text, listed(choices));
        text = name;
        return std::string();
      },
      fmt::format("{{{}}}", fmt::join(choices, ",")));
}

// Values of --dtype; nullopt for auto.
inline const std::map<std::string, std::optional<Dtype>> kDtypes{
    {"auto", std::nullopt}, {"bf16", Dtype::bfloat16}, {"fp16", Dtype::float16}, {"fp32", Dtype::float32}};
inline const std::vector<std::string> kDtypeNames{"auto", "bf16", "fp16", "fp32"};

// The names that torch and numpy use are accepted too.
inline const Aliases kDtypeAliases{{"bfloat16", "bf16"}, {"float16", "fp16"}, {"half", "fp16"}, {"f16", "fp16"},
                                   {"float32", "fp32"},  {"float", "fp32"},   {"f32", "fp32"}};

// Names of the 4-bit types, for --type and other options.
inline const std::vector<std::string> kQuantTypes{std::string(checkpoint::name_of(QuantType::nf4)),
                                                  std::string(checkpoint::name_of(QuantType::fp4))};
inline QuantType quant_type_of(const std::string& name) {
  return name == kQuantTypes[0] ? QuantType::nf4 : QuantType::fp4;
}

// Block formats that merge's --to also accepts.
inline const std::map<std::string, checkpoint::BlockFormat> kBlockFormats{{"fp8", checkpoint::BlockFormat::fp8},
                                                                          {"mxfp4", checkpoint::BlockFormat::mxfp4},
                                                                          {"nvfp4", checkpoint::BlockFormat::nvfp4},
                                                                          {"int4", checkpoint::BlockFormat::int4}};

inline const std::vector<std::string> kBlockSizes{"32", "64", "128", "256", "512", "1024", "2048", "4096"};

// Parses --device; nullopt for auto. No help offers "reference", the slow oracle: tests use it to stop a run midway.
inline std::optional<qfuse_device> device_of(const std::string& text) {
  const std::string name = CLI::detail::to_lower(text);
  if (name == "auto") return std::nullopt;
  const std::string type = name.substr(0, name.find(':'));
  if (name != "cpu" && name != "reference" && type != "cuda" && type != "opencl")
    throw std::invalid_argument(fmt::format("is '{}', it can be auto, cpu, cuda[:N] or opencl[:N]", text));
  return parse_device(name);
}

// Accepts an integer that is at least 0 and fits an int.
inline void check_count(const std::string& text) {
  int count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 0)
    throw std::invalid_argument(fmt::format("is {}, it can be 0 or more", text));
}

inline void check_number(const std::string& text) {
  double number = 0.0;
  if (!CLI::detail::lexical_cast(text, number))
    throw std::invalid_argument(fmt::format("is '{}', it can be a number", text));
}

}  // namespace qfuse::cli

#endif  // QFUSE_CLI_VALUES_H
