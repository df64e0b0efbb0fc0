// The subcommands: each add_*() function adds one to the parser and returns the function to run if it was chosen.
#ifndef QFUSE_CLI_COMMAND_H
#define QFUSE_CLI_COMMAND_H

#include <CLI/CLI.hpp>
#include <functional>

namespace qfuse::cli {

inline constexpr int kSuccess = 0;
inline constexpr int kFailure = 1;  // bad data or a system error
inline constexpr int kUsage = 2;
inline constexpr int kCancelled = 130;  // the exit code that shells use for SIGINT

// Exit codes of compare and check, as of diff: 0 equal or valid, 1 different or wrong, larger if it could not tell.
inline constexpr int kDifferent = 1;
inline constexpr int kCannotTell = 3;

inline constexpr const char* kPath = "PATH";  // type name of arguments that are paths, which shells complete

struct Command {
  CLI::App* parser = nullptr;
  std::function<int()> run;  // returns the exit code; throws qfuse::Error
  int failure = kFailure;    // exit code when `run` throws
};

Command add_dequantize(CLI::App& app);
Command add_quantize(CLI::App& app);
Command add_merge(CLI::App& app);
Command add_finish(CLI::App& app);
Command add_inspect(CLI::App& app);
Command add_check(CLI::App& app);
Command add_compare(CLI::App& app);
Command add_devices(CLI::App& app);
Command add_bench(CLI::App& app);

}  // namespace qfuse::cli

#endif  // QFUSE_CLI_COMMAND_H
