#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <qfuse/qfuse.hpp>
#include <string>
#include <system_error>
#include <vector>

#include "command.h"

namespace qfuse::cli {
namespace {

constexpr const char* kProgram = "qfuse-bench";

// Replaces this process with qfuse-bench, taken from this program's folder or else from PATH.
int run(const CLI::App& parser) {
  std::vector<std::string> arguments = parser.remaining();
  arguments.insert(arguments.begin(), kProgram);
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);

  std::signal(SIGPIPE, SIG_DFL);  // this program ignores SIGPIPE; qfuse-bench must not inherit that
  std::error_code unknown;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", unknown);
  ::execv((self.parent_path() / kProgram).c_str(), argv.data());
  ::execvp(kProgram, argv.data());
  throw Error(
      Status::unsupported,
      fmt::format("cannot start {}, neither beside this program nor on PATH: {}; `make` in a clone builds it, and "
                  "the Debian package has it, the Python package has not",
                  kProgram, std::generic_category().message(errno)));
}

}  // namespace

Command add_bench(CLI::App& app) {
  CLI::App* parser = app.add_subcommand("bench", "Measure the ops on this machine, by starting qfuse-bench");
  if (!QFUSE_HAS_BENCH) parser->group("");  // hidden, but still works if qfuse-bench is on PATH
  parser->prefix_command();
  parser->set_help_flag();  // qfuse-bench prints its own help
  parser->footer("`qfuse bench --help` prints the options and subcommands of qfuse-bench.");
  return {parser, [parser] { return run(*parser); }};
}

}  // namespace qfuse::cli
