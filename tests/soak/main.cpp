// qfuse-soak: calls every op on a GPU many times, in every situation in which a program may call it, and compares all
// bytes.
#include <qfuse/qfuse.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "choice.h"
#include "soak.h"

namespace {

using qfuse::soak::Options;

constexpr int kUsage = 2;
constexpr int kNoGpu = 77;  // ctest shows it as skipped

constexpr const char* kDescription =
    "Calls every op on a GPU many times, alone and in bursts, behind a cold cache, beside other work, in graphs, from\n"
    "several threads, and compares every byte of every call, and those around its outputs, with what has to come.\n"
    "What has to come is found elsewhere: by the CPU's ops; of matrix products by a slow kernel that adds as the "
    "manual\n"
    "says; of SwiGLU by the benchmark's slow checker, or, where that has no such case, by the case's first call.";

constexpr const char* kExamples =
    "Exit status: 0, no fault; 1, a fault, whose line 'again' is the command that repeats it; 2, a wrong command "
    "line;\n"
    "77, no GPU (1 with QFUSE_REQUIRE_GPU); 130, interrupted.\n"
    "\n"
    "Examples:\n"
    "  qfuse-soak --seconds 480 --seed 7 --verbose\n"
    "  qfuse-soak --op swiglu --mode graph\n"
    "  qfuse-soak --case 'matmul_4bit:rows=28672,cols=8192,m=64' --mode alone --seconds 10\n"
    "  qfuse-soak --case 'matmul_4bit:rows=28672,cols=8192,m=64' --mode alone --faults 1000000   # how often?\n"
    "  QFUSE_PLAN=matmul_4bit:kernel=register_weights qfuse-soak      # the ops that it names, in that plan alone\n"
    "  LD_LIBRARY_PATH=other/lib qfuse-soak --no-threads              # another build's libqfuse.so.0\n"
    "tools/gpu/soak runs it once for each plan that can be forced.";

void print_list() {
  std::printf("ops, and the fields of their cases with what these are if not named:\n");
  for (const auto& op : qfuse::soak::all_ops()) {
    std::printf("  %s\n", op.op);
    for (const auto& field : op.fields)
      std::printf("    %s=%s%s%s\n", field.name, field.usual, *field.words != '\0' ? ", one of: " : "", field.words);
  }
  std::printf("modes:\n");
  for (const auto& mode : qfuse::soak::kModes) std::printf("  %-12s %s\n", mode.name, mode.what);
  std::printf("layers of models, inputs and outputs:\n");
  for (const auto& layer : qfuse::soak::kModelLayers)
    std::printf("  %-12s %6lld -> %lld\n", layer.model, static_cast<long long>(layer.cols),
                static_cast<long long>(layer.rows));
}

// Returns the ops to call: `op`, else those that QFUSE_PLAN names, else all.
std::vector<std::string> ops_for(const std::string& op) {
  const char* const forced = std::getenv("QFUSE_PLAN");
  const std::string plans = ";" + std::string(forced != nullptr ? forced : "");
  std::vector<std::string> all;
  std::vector<std::string> named;
  for (const auto& known : qfuse::soak::all_ops()) {
    if (op == known.op) return {op};
    all.emplace_back(known.op);
    if (plans.find(";" + std::string(known.op) + ":") != std::string::npos) named.emplace_back(known.op);
  }
  if (!op.empty()) qfuse::soak::parse(op);  // throws an error that lists the ops
  return named.empty() ? all : named;
}

qfuse::soak::Mode mode_of(const std::string& name) {
  std::string known;
  for (const auto& mode : qfuse::soak::kModes) {
    if (name == mode.name) return mode.mode;
    known.append(known.empty() ? "" : ", ").append(mode.name);
  }
  throw qfuse::soak::UsageError("--mode is '" + name + "': it can be " + known);
}

// The texts of the command line, not yet interpreted.
struct Arguments {
  std::string op;
  std::string only;
  std::string mode;
  bool list = false;
  bool no_threads = false;
};

void add_options(CLI::App& app, Options& options, Arguments& arguments) {
  app.add_option("--seconds", options.seconds, "How long, the GPU's start apart")->check(CLI::PositiveNumber);
  app.add_option("--seed", options.seed, "Of the choice of cases, modes and inputs")->capture_default_str();
  app.add_option("--op", arguments.op, "This op alone")->type_name("NAME");
  app.add_option("--device", options.device, "Which GPU")->check(CLI::NonNegativeNumber)->capture_default_str();
  app.add_option("--case", arguments.only, "This case alone, again and again: OP or OP:FIELD=VALUE,...")
      ->type_name("TEXT");
  app.add_option("--mode", arguments.mode, "In this mode alone")->type_name("NAME");
  app.add_option("--faults", options.most_faults, "Stop at fault number N")
      ->type_name("N")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--no-threads", arguments.no_threads, "No calls from new threads that have used no CUDA before");
  app.add_flag("--verbose", options.verbose, "Every case, and a line every 10 seconds, on stderr");
  app.add_flag("--list", arguments.list, "Print ops, fields of cases, modes and layers; needs no GPU");
  app.footer(kExamples);
}

int run(Options& options, const Arguments& arguments) {
  if (arguments.list) {
    print_list();
    return 0;
  }
  options.ops = ops_for(arguments.op);
  options.new_threads = !arguments.no_threads;
  if (!arguments.mode.empty()) options.mode = mode_of(arguments.mode);
  if (!arguments.only.empty()) options.only = qfuse::soak::parse(arguments.only);
  if (qfuse_device_count(QFUSE_CUDA) == 0) {
    std::fprintf(stderr,
                 "qfuse-soak: there is no GPU here that the library can use: nvidia-smi lists those there are\n");
    return std::getenv("QFUSE_REQUIRE_GPU") != nullptr ? 1 : kNoGpu;
  }
  std::signal(SIGINT, [](int) { qfuse::soak::interrupt(); });
  std::signal(SIGTERM, [](int) { qfuse::soak::interrupt(); });
  return qfuse::soak::soak(options);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(kDescription, "qfuse-soak");
  Options options;
  options.program = argv[0];
  Arguments arguments;
  add_options(app, options, arguments);
  try {
    app.parse(argc, argv);
    return run(options, arguments);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsage;
  } catch (const qfuse::soak::UsageError& error) {
    std::fprintf(stderr, "qfuse-soak: %s\n", error.what());
    return kUsage;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "qfuse-soak: %s\n", error.what());
    return 1;
  }
}
