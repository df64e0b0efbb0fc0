// Options that several subcommands have.
#ifndef QFUSE_CLI_OPTIONS_H
#define QFUSE_CLI_OPTIONS_H

#include <CLI/CLI.hpp>
#include <exception>
#include <map>
#include <optional>
#include <qfuse/qfuse.hpp>
#include <string>

namespace qfuse::cli {

// Of --dtype; none for auto.
inline const std::map<std::string, std::optional<Dtype>> kDtypes{
    {"auto", std::nullopt}, {"bf16", Dtype::bfloat16}, {"fp16", Dtype::float16}, {"fp32", Dtype::float32}};

// Turns the exceptions of a parsing function into what the parser reports: a usage error.
template <typename Parse>
CLI::Validator valid_if(Parse parse) {
  return CLI::Validator(
      [parse](const std::string& text) {
        try {
          parse(text);
          return std::string();
        } catch (const std::exception& error) {
          return std::string(error.what());
        }
      },
      "");
}

}  // namespace qfuse::cli

#endif  // QFUSE_CLI_OPTIONS_H
