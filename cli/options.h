// Options and summaries that all conversions have in common.
#ifndef QFUSE_CLI_OPTIONS_H
#define QFUSE_CLI_OPTIONS_H

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <qfuse/checkpoint.hpp>
#include <qfuse/qfuse.hpp>
#include <string>
#include <system_error>
#include <vector>

#include "command.h"
#include "text.h"
#include "values.h"

namespace qfuse::cli {

struct ConversionArguments {
  std::string in;
  std::string out;
  std::string device = "cpu";
  std::string dtype = "auto";
  std::string max_shard_size = "5GB";
  std::string shard;  // "I/N"; empty: write the whole output, not one shard
  std::vector<std::string> components;
  int threads = 0;
  bool force = false;
  bool allow_other_names = false;
  bool check = false;
  bool dry_run = false;
  bool quiet = false;
  bool json = false;
};

// Returns the path to write: a file converted into a directory keeps its name, as with cp and mv.
inline std::string output_path(const ConversionArguments& args) {
  namespace fs = std::filesystem;
  std::error_code unknown;
  if (fs::is_directory(args.in, unknown)) {
    if (fs::path(args.out).extension() == ".safetensors")
      throw Error(Status::invalid_argument,
                  fmt::format("{} is a directory, so its output is one: '{}' has the name of a file",
                              printable(args.in), printable(args.out)));
    return args.out;
  }
  const bool into_directory = !args.out.empty() && (args.out.back() == '/' || fs::is_directory(args.out, unknown));
  return into_directory ? (fs::path(args.out) / fs::path(args.in).filename()).native() : args.out;
}

// IN and --output come first in the help; the other common options follow the subcommand's own.
inline void add_output_option(CLI::App& parser, ConversionArguments& args) {
  parser
      .add_option("-o,--output", args.out,
                  "The file or directory to write. It appears under this name when it is complete")
      ->type_name(kPath)
      ->required();
}

inline void add_paths(CLI::App& parser, ConversionArguments& args, const std::string& in_help) {
  parser.add_option("IN", args.in, in_help)->type_name(kPath)->required();
  add_output_option(parser, args);
}

// `dtype_help` says what "auto" means.
inline void add_dtype_option(CLI::App& parser, ConversionArguments& args, const std::string& dtype_help) {
  parser.add_option("--dtype", args.dtype, dtype_help)
      ->type_name("DTYPE")
      ->transform(one_of(kDtypeNames, kDtypeAliases))
      ->capture_default_str();
}

// Adds the options that every conversion has. Subcommands add --dtype and --component themselves where they apply.
inline void add_conversion_options(CLI::App& parser, ConversionArguments& args) {
  parser
      .add_option("--device", args.device,
                  "The device to run on. cuda:N and opencl:N choose one of several; auto takes the first CUDA GPU that "
                  "works, or else the CPU")
      ->type_name("DEVICE")
      ->check(valid_if(device_of, "{auto,cpu,cuda,opencl}"))
      ->capture_default_str();
  parser.add_option("--threads", args.threads, "The most CPU threads to use; 0 means one per core")
      ->type_name("N")
      ->check(valid_if(check_count))
      ->capture_default_str();
  parser.add_option("--max-shard-size", args.max_shard_size, "The largest file of an output directory, such as 500MB")
      ->type_name("SIZE")
      ->check(valid_if(parse_size))
      ->capture_default_str();
  CLI::Option* shard =
      parser
          .add_option("--shard", args.shard,
                      "Write only part I of N of a model directory, counting from 0, as explained at the end")
          ->type_name("I/N")
          ->check(valid_if(parse_shard));
  parser.add_flag("--allow-other-names", args.allow_other_names,
                  "Convert a quantized model even if a tensor of a layer has another name than in the other layers");
  CLI::Option* check = parser.add_flag("--check", args.check, "Afterwards, check the output as qfuse check does");
  parser.add_flag("--force", args.force, "Replace an existing output once the new one is complete");
  CLI::Option* dry_run = parser.add_flag("--dry-run", args.dry_run, "Say what would be written, but write nothing");
  check->excludes(shard)->excludes(dry_run);
  parser.add_flag("--quiet", args.quiet, "Print only errors");
  parser.add_flag("--json", args.json, "Print the summary as JSON");
}

inline void add_component_option(CLI::App& parser, std::vector<std::string>& components,
                                 const std::string& component_help) {
  parser.add_option("--component", components, component_help + "; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
}

// Returns the end of the help text of `command`.
inline std::string conversion_help(const std::string& command, const std::string& arguments = "IN") {
  return fmt::format(
      "\n\n"
      "Every device writes the same bytes. The default is the CPU, because a few cores convert faster than disks write "
      "and a GPU takes a moment to start. A GPU pays off where few cores are free.\n"
      "\n"
      "To share the work among N processes, on any hosts that see the same files, start each with --shard I/N, where I "
      "counts from 0, and otherwise with the same command line. They need no connection to each other: each writes "
      "some of the output's files. When all are done, `qfuse finish OUT` checks that nothing is missing and makes the "
      "output, the same as from a single process. If one of the processes fails, run it again. With SLURM:\n"
      "  srun --ntasks=8 sh -c '\n"
      "    qfuse {} {} -o OUT --shard $SLURM_PROCID/$SLURM_NTASKS' &&\n"
      "  qfuse finish OUT\n"
      "torchrun sets $RANK and $WORLD_SIZE, Open MPI sets $OMPI_COMM_WORLD_RANK and $OMPI_COMM_WORLD_SIZE.",
      command, arguments);
}

inline std::string device_name(qfuse_device device) {
  switch (device.type) {
    case QFUSE_CPU: return "cpu";
    case QFUSE_CUDA: return fmt::format("cuda:{}", device.index);
    case QFUSE_REFERENCE: return "reference";
    case QFUSE_OPENCL: return fmt::format("opencl:{}", device.index);
  }
  return "";
}

// Prints the report's notes to stderr, unless --quiet.
void print_notes(const checkpoint::ConversionReport& report, const ConversionArguments& args);

// Prints a conversion's summary. `done` is a participle such as "quantized"; `sizes` is the text about bytes.
void print_summary(const std::string& done, const std::string& sizes, const checkpoint::ConversionReport& report,
                   const ConversionArguments& args, const checkpoint::ConversionOptions& options, double seconds);

// Returns the exit code of a conversion that wrote its output: with --check, the result of checking that output.
int check_written(const ConversionArguments& args);

inline void set_conversion_options(const ConversionArguments& args, checkpoint::ConversionOptions& options) {
  options.dtype = kDtypes.at(args.dtype);
  options.max_shard_size = parse_size(args.max_shard_size);
  options.components = args.components;
  options.force = args.force;
  options.allow_other_names = args.allow_other_names;
  options.dry_run = args.dry_run;
  if (!args.shard.empty()) options.shard = parse_shard(args.shard);
  const std::optional<qfuse_device> device = device_of(args.device);
  options.exec.device = device ? *device : checkpoint::best_device();  // may take a second
  options.exec.threads = args.threads;
}

}  // namespace qfuse::cli

#endif  // QFUSE_CLI_OPTIONS_H
