// qfuse-bench: times qfuse's kernels and compares them with the memory roof of the same bytes.
#include <fmt/format.h>
#include <qfuse/qfuse.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <regex>
#include <string>

#include "cpu/cpu.h"
#include "gpu/gpu.h"
#include "options.h"
#include "plans.h"

namespace {

using qfuse::bench::Options;

constexpr const char* kDescription =
    "Times qfuse's kernels beside the memory roof: the same bytes, read and written with no arithmetic.\n"
    "Every result is compared with the scalar oracle before it is timed; a difference is a failure, exit status 1.";

constexpr const char* kColumns =
    "Columns: median, p10 to p90, bytes moved a second, share of the roof's speed in the same run, and how many times\n"
    "faster than the peer.\n"
    "On a GPU, candidates run in turn, each as a CUDA graph that goes round enough buffers that the L2 cache holds\n"
    "none; 'in L2': one buffer over and over. The roof is the best of several launch shapes.\n"
    "On the CPU: every SIMD target, one thread and all; kernel and roof (plain and streaming stores) in turn.\n"
    "\n"
    "Examples:\n"
    "  qfuse-bench nf4 --json nf4.json\n"
    "  qfuse-bench nf4 --device cpu --filter 'decode/bf16/avx2'\n"
    "  qfuse-bench nf4 --device cuda --peer libbitsandbytes_cuda130.so\n"
    "  qfuse-bench matmul --device cpu --filter 'forward/m:1/'\n"
    "  qfuse-bench swiglu --quick\n"
    "  qfuse-bench rotated_int8 --device cuda --filter 'forward, m = 8192'\n"
    "  qfuse-bench nf4 --device cuda --plan dequantize_4bit:stream=1";

struct Benchmark {
  const char* name;
  const char* summary;
};

constexpr Benchmark kBenchmarks[] = {
    {"nf4", "NF4 decode and encode, block 64, nested in blocks of 256"},
    {"dequantize_4bit", "MXFP4, NVFP4 and INT4 in groups decoded, with scales of rows"},
    {"dequantize_fp8", "FP8 decoded, with scales of blocks and of rows"},
    {"matmul", "Products with an NF4 weight and its transpose, in bf16: 1 token to many"},
    {"lora_merge", "A LoRA adapter of rank 8 to 64 added to a bf16 weight"},
    {"swiglu", "The SwiGLU backward and forward in INT8 and FP8: 12 published shapes on a GPU, 3 of them on a CPU"},
    {"rotated_int8", "Products in INT8 with an NF4 weight in training, rotated: the weight, x or dy, the product"},
};

void add_benchmark(CLI::App& app, const Benchmark& benchmark, Options& options) {
  CLI::App* command = app.add_subcommand(benchmark.name, benchmark.summary);
  command->footer(kColumns);
  command->add_option("--device", options.device, "auto (the first GPU if there is one, else the CPU), cpu, cuda[:N]")
      ->capture_default_str();
  command->add_option("--json", options.json, "Every figure, for machines")->type_name("FILE");
  command->add_option("--commit", options.commit, "The commit of qfuse, kept with the figures")->type_name("HASH");
  command->add_option("--filter", options.filter, "Only the rows, or on a GPU the tables, whose name matches")
      ->type_name("REGEX");
  command->add_option("--rounds", options.rounds, "How often each candidate is timed")->check(CLI::PositiveNumber);
  command->add_flag("--quick", options.quick, "One small shape, three rounds: does it work? The figures say little");
  command
      ->add_option("--plan", options.plan,
                   "Force plans of kernels, as QFUSE_PLAN does: 'swiglu:threads=256'; the command plans\n"
                   "lists what there is. On a GPU")
      ->type_name("OP:FIELD=VALUE,...");
  if (benchmark.name == std::string("nf4"))
    command
        ->add_option("--peer", options.peer,
                     "GPU: bitsandbytes' own shared object, libbitsandbytes_cuda*.so, to be timed in turn with qfuse\n"
                     "and to agree with it to the bit; LD_LIBRARY_PATH finds libcudart and libcublas for it")
        ->type_name("PATH");
  command->callback([&options, &benchmark] { options.benchmark = benchmark.name; });
}

void add_plans(CLI::App& app, Options& options) {
  CLI::App* command = app.add_subcommand("plans", "The plans of the GPU's kernels; needs no GPU");
  command->add_option("--on", options.plans_on, "h100, h200, t4, a100, rtx3090, l4, rtx4090, rtx5090, unknown or all")
      ->capture_default_str();
  command->add_flag("--forced", options.forced, "Print values of QFUSE_PLAN that force each plan there is, one a line");
  command->footer(
      "For each op and shape: the plan that is chosen on such a device, and below it the others that there are, which\n"
      "--plan or the environment variable QFUSE_PLAN forces. QFUSE_LOG_PLANS=1 prints the plan of every call.");
  command->callback([&options] { options.benchmark = "plans"; });
}

// Index of the GPU to run on; nullopt: the CPU.
std::optional<int> gpu_of(const Options& options) {
  if (options.device == "auto") return qfuse_device_count(QFUSE_CUDA) > 0 ? std::optional(0) : std::nullopt;
  qfuse_device device{};
  qfuse_error error{};
  if (qfuse_device_parse(options.device.c_str(), &device, &error) != QFUSE_OK ||
      (device.type != QFUSE_CPU && device.type != QFUSE_CUDA))
    throw qfuse::bench::UsageError("--device is '" + options.device + "': it can be auto, cpu, cuda or cuda:N");
  return device.type == QFUSE_CUDA ? std::optional(device.index) : std::nullopt;
}

int run_benchmark(const Options& options) {
  if (options.benchmark == "plans") return qfuse::bench::print_plans(options);
  if (!options.plan.empty()) setenv("QFUSE_PLAN", options.plan.c_str(), 1);
  if (const std::optional<int> gpu = gpu_of(options)) return qfuse::bench::run_on_gpu(options, *gpu);
  return qfuse::bench::run_on_cpu(options);
}

int run(Options& options) {
  if (!options.benchmark.empty()) return run_benchmark(options);
  if (!options.quick) throw qfuse::bench::UsageError("a subcommand is required, see --help");
  if (!options.json.empty())
    throw qfuse::bench::UsageError("--json takes the figures of one benchmark: qfuse-bench nf4 --quick --json FILE");
  int status = 0;
  for (const Benchmark& benchmark : kBenchmarks) {
    options.benchmark = benchmark.name;
    status = std::max(status, run_benchmark(options));
  }
  return status;
}

int run(int argc, char** argv) {
  Options options;
  options.command = "qfuse-bench";
  for (int i = 1; i < argc; ++i) options.command += std::string(" ") + argv[i];
  CLI::App app(kDescription, "qfuse-bench");
  app.set_version_flag("--version", std::string("qfuse-bench ") + qfuse_version());
  app.require_subcommand(0, 1);  // run() requires one, after unknown arguments are reported
  app.add_flag("--quick", options.quick, "Without a subcommand: all benchmarks, some seconds. The figures say little");
  app.add_option("--json", options.json)->group("");  // hidden: without a subcommand, run() refuses it with a reason
  for (const Benchmark& benchmark : kBenchmarks) add_benchmark(app, benchmark, options);
  add_plans(app, options);
  const auto report = [](const std::exception& error, int status) {
    fmt::print(stderr, "qfuse-bench: {}\n", error.what());
    return status;
  };
  try {
    app.parse(argc, argv);
    return run(options);
  } catch (const CLI::ParseError& error) {
    return error.get_exit_code() == 0 ? app.exit(error) : report(error, 2);  // exit code 0: --help and --version
  } catch (const qfuse::bench::UsageError& error) {
    return report(error, 2);
  } catch (const std::regex_error& error) {
    return report(error, 2);
  } catch (const std::exception& error) {
    return report(error, 1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (...) {  // out of memory while building the parser or printing an error
    return 1;
  }
}
