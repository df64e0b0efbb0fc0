// The subcommands: each adds itself to the parser and gives back what to run if it was chosen.
#ifndef QFUSE_CLI_COMMAND_H
#define QFUSE_CLI_COMMAND_H

#include <CLI/CLI.hpp>
#include <functional>

namespace qfuse::cli {

inline constexpr int kSuccess = 0;
inline constexpr int kFailure = 1;  // bad data, or the system refused
inline constexpr int kUsage = 2;
inline constexpr int kCancelled = 130;  // as shells report SIGINT

// compare and check speak as diff does: 0 equal or well, 1 different or wrong, more if it could not tell.
inline constexpr int kDifferent = 1;
inline constexpr int kCannotTell = 3;

inline constexpr const char* kPath = "PATH";  // the type of an argument that is a path: shells complete it

struct Command {
  CLI::App* parser = nullptr;
  std::function<int()> run;  // gives back the exit code; throws qfuse::Error
  int failure = kFailure;    // the exit code when it throws
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
