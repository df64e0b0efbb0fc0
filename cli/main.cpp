// The qfuse command: parses arguments, runs one subcommand, turns errors into a one-line message and an exit code.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <qfuse/qfuse.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "command.h"
#include "definition.h"
#include "terminal.h"
#include "text.h"
#include "values.h"

namespace qfuse::cli {
namespace {

constexpr const char* kDescription =
    "Convert, merge, inspect, check and compare checkpoints of models, quantized by bitsandbytes (NF4, FP4, LLM.int8), "
    "in FP8, in other libraries' 4-bit formats, or plain. A checkpoint is a .safetensors file, a model directory as "
    "transformers saves it, or a diffusers pipeline.";

constexpr const char* kExamples =
    "Examples:\n"
    "  qfuse inspect llama-bnb-4bit               what is quantized, and how\n"
    "  qfuse dequantize llama-bnb-4bit -o llama   back to the dtypes from before\n"
    "  qfuse dequantize model.safetensors -o plain.safetensors --dtype fp16\n"
    "  qfuse quantize llama -o llama-bnb-4bit     to NF4, as transformers saves it\n"
    "  qfuse quantize llama -o out --shard 2/8    part 2 of 8, on any host\n"
    "  qfuse finish out                           when all 8 parts are there\n"
    "  qfuse merge llama adapter -o llama-mine    a LoRA adapter into its base\n"
    "  qfuse check llama-mine                     would transformers load it all?\n"
    "  qfuse compare llama llama-bnb-4bit         are these the same weights?\n"
    "\n"
    "Exit codes: 0 done, 1 bad data or a failure, 2 a wrong command line, 130 interrupted. "
    "compare: 0 equal, 1 different, 3 could not compare. check: 0 nothing is wrong, 1 something is, 3 could not check.";

constexpr const char* kSummary = "convert, merge, inspect and compare quantized checkpoints of language models";

// Returns the terminal's width, limited to a readable maximum.
std::size_t help_columns() {
  constexpr int kWidest = 100;
  return static_cast<std::size_t>(std::min(columns_of(STDOUT_FILENO).value_or(80), kWidest));
}

// Adds the hidden option with which the build prints the man page.
void add_manual(CLI::App& app) {
  const auto print_and_end = [&app] {
    fmt::print("{}", man_page(definition_of(app), kSummary, qfuse_version()));
    throw CLI::Success();
  };
  app.add_flag_callback("--print-manual", print_and_end)->group("");
}

Command add_completions(CLI::App& app) {
  CLI::App* parser = app.add_subcommand("completions", "Print the completions for a shell");
  const auto shell = std::make_shared<std::string>();
  parser->add_option("SHELL", *shell, "bash, zsh or fish")->transform(one_of({"bash", "zsh", "fish"}))->required();
  parser->footer(
      "Packages install these. To load them by hand, type this or put it into the shell's startup file:\n"
      "  bash:  source <(qfuse completions bash)\n"
      "  zsh:   source <(qfuse completions zsh)\n"
      "  fish:  qfuse completions fish | source");
  return {parser, [&app, shell] {
            const Definition all = definition_of(app);
            fmt::print("{}", *shell == "bash"  ? bash_completion(all)
                             : *shell == "zsh" ? zsh_completion(all)
                                               : fish_completion(all));
            return kSuccess;
          }};
}

// Added last, so that it knows all other subcommands.
Command add_help(CLI::App& app) {
  std::vector<std::string> names;
  for (const CommandText& command : definition_of(app).commands) names.push_back(command.name);
  names.emplace_back("help");
  CLI::App* parser = app.add_subcommand("help", "Print the help of a subcommand");
  const auto subcommand = std::make_shared<std::string>();
  parser->add_option("SUBCOMMAND", *subcommand, "The subcommand; without it, the help of qfuse itself")
      ->transform(one_of(names));
  return {parser, [&app, subcommand] {
            fmt::print("{}", help(definition_of(app), *subcommand, help_columns()));
            return kSuccess;
          }};
}

// For a wrong command line: a message about an unknown subcommand or option; empty if all are known.
std::string unknown_word(const Definition& all, int argc, char** argv) {
  if (argc < 2) return "";
  const auto said = [](const char* what, const std::string& word, const std::vector<std::string>& words) {
    const std::string meant = nearest(word, words);
    const std::string hint = meant.empty() ? "see qfuse --help" : fmt::format("did you mean {}?", meant);
    return fmt::format("{} '{}' is unknown: {}", what, printable(word), hint);
  };
  std::vector<std::string> names;
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

// Returns the last positional argument if there is one more than the subcommand takes, else an empty string.
std::string last_argument(const CLI::App& parser) {
  const std::vector<std::string> left = parser.remaining();
  if (!left.empty()) return left.back();
  for (const CLI::Option* option : parser.get_options())
    if (option->get_positional() && option->results().size() > 1) return option->results().back();
  return "";
}

// Returns the message for a command line whose subcommand and options are all known but that is still wrong.
std::string said_of(const CLI::ParseError& error, const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  const std::string see = chosen.empty() ? "qfuse --help" : fmt::format("qfuse {} --help", chosen.front()->get_name());
  std::string message = error.what();
  if (const std::size_t at = message.find(": is "); at != std::string::npos) message.erase(at, 1);
  if (message == "--output is required" && !chosen.empty()) {
    const std::string last = last_argument(*chosen.front());
    message += last.empty() ? ": say where to write with -o" : fmt::format(": did you mean -o {}?", printable(last));
  }
  return fmt::format("{} (see {})", message, see);
}

// Writes to stdout. If the reader closed the pipe, as `head` does, the rest is dropped without an error.
ssize_t write_or_drop(void*, const char* text, std::size_t size) {
  for (std::size_t done = 0; done < size;) {
    const ssize_t written = ::write(STDOUT_FILENO, text + done, size - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno == EPIPE ? static_cast<ssize_t>(size) : 0;
    done += static_cast<std::size_t>(written);
  }
  return static_cast<ssize_t>(size);
}

void allow_closed_pipe() {
  std::signal(SIGPIPE, SIG_IGN);
  std::FILE* const out = ::fopencookie(nullptr, "w", {nullptr, write_or_drop, nullptr, nullptr});
  if (out == nullptr) return;
  if (::isatty(STDOUT_FILENO) == 1) std::setvbuf(out, nullptr, _IOLBF, BUFSIZ);
  stdout = out;
}

int report(const std::string& message, int exit_code) {
  say(stderr, fmt::format("qfuse: error: {}", message));
  return exit_code;
}

int run(const Command& command) {
  try {
    const int code = command.run();
    return std::fflush(stdout) == 0 ? code : report("cannot write to the standard output", command.failure);
  } catch (const Error& error) {
    return report(with_own_options(error.what()), error.status() == Status::cancelled ? kCancelled : command.failure);
  } catch (const std::bad_alloc&) {
    return report("out of memory", command.failure);
  } catch (const std::exception& error) {
    return report(error.what(), command.failure);
  }
}

int run(int argc, char** argv) {
  CLI::App app(kDescription, "qfuse");
  const bool is_short = std::any_of(argv, argv + argc, [](std::string_view word) { return word == "-h"; });
  app.formatter_fn([&app, is_short](const CLI::App* parser, const std::string&, CLI::AppFormatMode) {
    return (is_short ? short_help : help)(definition_of(app), parser == &app ? "" : parser->get_name(), help_columns());
  });
  app.set_help_flag("-h,--help", "Print this help and exit. -h prints less");
  app.set_version_flag("-V,--version", std::string("qfuse ") + qfuse_version(), "Print the version and exit");
  add_manual(app);
  app.require_subcommand(1);
  const std::array commands{add_dequantize(app), add_quantize(app),    add_merge(app),   add_finish(app),
                            add_inspect(app),    add_check(app),       add_compare(app), add_devices(app),
                            add_bench(app),      add_completions(app), add_help(app)};
  app.footer(kExamples);  // added after the subcommands, so that none inherits it
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help and --version
    const std::string unknown = unknown_word(definition_of(app), argc, argv);
    return report(unknown.empty() ? said_of(error, app) : unknown, kUsage);
  }
  for (const Command& command : commands)
    if (command.parser->parsed()) return run(command);
  return kUsage;  // unreachable: the parser requires a subcommand
}

}  // namespace
}  // namespace qfuse::cli

int main(int argc, char** argv) {
  try {
    qfuse::cli::allow_closed_pipe();
    return qfuse::cli::run(argc, argv);
  } catch (...) {  // building the parser or printing an error ran out of memory
    return 1;
  }
}
