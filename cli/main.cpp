// The qfuse command: parses, runs one subcommand, turns errors into one line and an exit code.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <qfuse/qfuse.hpp>
#include <string>
#include <vector>

#include "command.h"
#include "definition.h"
#include "text.h"

namespace qfuse::cli {
namespace {

constexpr const char* kDescription =
    "Takes bitsandbytes checkpoints (NF4, FP4, double quantization, LLM.int8) back to plain 16 or 32-bit weights,\n"
    "makes them from such, merges LoRA adapters into them, looks into them, checks and compares them. A "
    "checkpoint\n"
    "is a .safetensors file or a model directory.";

constexpr const char* kExamples =
    "Examples:\n"
    "  qfuse inspect llama-bnb-4bit                         what is quantized, and how\n"
    "  qfuse dequantize llama-bnb-4bit -o llama             each weight in the dtype it had before\n"
    "  qfuse dequantize llama-bnb-4bit -o llama --dtype fp16 --max-shard-size 2GB\n"
    "  qfuse dequantize model.safetensors -o plain.safetensors\n"
    "  qfuse quantize llama -o llama-bnb-4bit               to NF4, as transformers saves it\n"
    "  qfuse merge llama my-adapter -o llama-mine           a LoRA adapter onto its base\n"
    "  qfuse quantize llama -o out --shard 2/8              one of 8 parts, on any host; then qfuse finish out\n"
    "  qfuse check llama-mine                               would transformers load every weight of it?\n"
    "  qfuse compare llama llama-bnb-4bit                   are these the same weights?\n"
    "\n"
    "Exit codes: 0 done, 1 bad data or a failure, 2 a wrong command line, 130 interrupted;\n"
    "compare: 0 equal, 1 different, 3 could not compare; check: 0 well, 1 problems, 3 could not check.";

constexpr const char* kSummary = "convert, inspect and compare quantized checkpoints of language models";

// Hidden options that the build and packages use: they print what is made from the definition of `app`.
void add_printers(CLI::App& app) {
  const auto add = [&app](const char* option, auto print) {
    const auto print_and_end = [&app, print] {
      fmt::print("{}", print(definition_of(app)));
      throw CLI::Success();
    };
    app.add_flag_callback(option, print_and_end)->group("");
  };
  add("--print-manual", [](const Definition& all) { return man_page(all, kSummary, qfuse_version()); });
  add("--print-bash-completion", bash_completion);
  add("--print-zsh-completion", zsh_completion);
  add("--print-fish-completion", fish_completion);
}

// Of a command line that is wrong: about its first word, or an option, that is none; empty if both are known.
std::string unknown_word(const CLI::App& app, int argc, char** argv) {
  if (argc < 2) return "";
  const auto said = [](const char* what, const std::string& word, const std::vector<std::string>& words) {
    const std::string meant = nearest(word, words);
    const std::string hint = meant.empty() ? "see qfuse --help" : fmt::format("did you mean {}?", meant);
    return fmt::format("{} '{}' is unknown: {}", what, printable(word), hint);
  };
  std::vector<std::string> names;
  const Definition all = definition_of(app);
  for (const CommandText& command : all.commands) names.push_back(command.name);
  const std::string first = argv[1];
  if (first.starts_with('-')) return "";
  const auto command = std::find(names.begin(), names.end(), first);
  if (command == names.end()) return said("the subcommand", first, names);
  std::vector<std::string> options;
  for (const OptionText& option : all.commands[static_cast<std::size_t>(command - names.begin())].options)
    options.insert(options.end(), option.names.begin(), option.names.end());
  for (int i = 2; i < argc; ++i) {
    const std::string word = std::string(argv[i]).substr(0, std::string(argv[i]).find('='));
    if (word.starts_with("--") && word.size() > 2 && std::find(options.begin(), options.end(), word) == options.end())
      return said("the option", word, options);
  }
  return "";
}

int report(const char* message, int exit_code) {
  fmt::print(stderr, "qfuse: error: {}\n", message);
  return exit_code;
}

int run(const Command& command) {
  try {
    const int code = command.run();
    return std::fflush(stdout) == 0 ? code : report("cannot write to the standard output", command.failure);
  } catch (const Error& error) {
    return report(with_own_options(error.what()).c_str(),
                  error.status() == Status::cancelled ? kCancelled : command.failure);
  } catch (const std::bad_alloc&) {
    return report("out of memory", command.failure);
  } catch (const std::exception& error) {
    return report(error.what(), command.failure);
  }
}

int run(int argc, char** argv) {
  CLI::App app(kDescription, "qfuse");
  app.footer(kExamples);
  app.set_version_flag("--version", std::string("qfuse ") + qfuse_version());
  add_printers(app);
  app.require_subcommand(1);
  const std::array commands{add_dequantize(app), add_quantize(app), add_merge(app),   add_finish(app), add_inspect(app),
                            add_check(app),      add_compare(app),  add_devices(app), add_bench(app)};
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help and --version
    const std::string unknown = unknown_word(app, argc, argv);
    return report((unknown.empty() ? fmt::format("{} (see qfuse --help)", error.what()) : unknown).c_str(), kUsage);
  }
  for (const Command& command : commands)
    if (command.parser->parsed()) return run(command);
  return kUsage;  // the parser requires one of them
}

}  // namespace
}  // namespace qfuse::cli

int main(int argc, char** argv) {
  try {
    return qfuse::cli::run(argc, argv);
  } catch (...) {  // building the parser or printing an error ran out of memory
    return 1;
  }
}
