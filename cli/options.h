// Options that both conversions have.
#ifndef QFUSE_CLI_OPTIONS_H
#define QFUSE_CLI_OPTIONS_H

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <map>
#include <optional>
#include <qfuse/checkpoint.hpp>
#include <qfuse/qfuse.hpp>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "command.h"
#include "text.h"

namespace qfuse::cli {

// Of --dtype; none for auto.
inline const std::map<std::string, std::optional<Dtype>> kDtypes{
    {"auto", std::nullopt}, {"bf16", Dtype::bfloat16}, {"fp16", Dtype::float16}, {"fp32", Dtype::float32}};

// How torch and numpy spell them is understood too.
inline std::string canonical_dtype(const std::string& name) {
  static const std::map<std::string, std::string> kAliases{{"bfloat16", "bf16"}, {"float16", "fp16"}, {"half", "fp16"},
                                                           {"f16", "fp16"},      {"float32", "fp32"}, {"float", "fp32"},
                                                           {"f32", "fp32"}};
  const auto alias = kAliases.find(name);
  return alias == kAliases.end() ? name : alias->second;
}

// Of --type and others: how 4-bit codes are called.
inline const std::vector<std::string> kQuantTypes{std::string(checkpoint::name_of(QuantType::nf4)),
                                                  std::string(checkpoint::name_of(QuantType::fp4))};
inline QuantType quant_type_of(const std::string& name) {
  return name == kQuantTypes[0] ? QuantType::nf4 : QuantType::fp4;
}

// Turns the exceptions of a parsing function into what the parser reports: a usage error. The help shows `choices`, and
// shells complete them: "{a,b}".
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

// Of --device; none for auto. No help offers "reference", the slow oracle: it is for tests that stop a run midway.
inline std::optional<qfuse_device> device_of(const std::string& name) {
  if (name == "auto") return std::nullopt;
  const std::string type = name.substr(0, name.find(':'));
  if (name != "cpu" && name != "reference" && type != "cuda" && type != "opencl")
    throw std::invalid_argument(fmt::format("'{}' is none of auto, cpu, cuda[:N] and opencl[:N]", name));
  return parse_device(name);
}

struct ConversionArguments {
  std::string in;
  std::string out;
  std::string device = "cpu";
  std::string dtype = "auto";
  std::string max_shard_size = "5GB";
  std::string shard;  // "I/N"; empty: no shard, all of the output
  std::vector<std::string> components;
  int threads = 0;
  bool force = false;
  bool allow_other_names = false;
  bool check = false;
  bool dry_run = false;
  bool quiet = false;
  bool json = false;
};

// Where the output goes: a file that is converted into a directory keeps its name, as with cp and mv.
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

// IN and --output stand first in the help, the others after a subcommand's own; `dtype_help` says what auto is.
inline void add_paths(CLI::App& parser, ConversionArguments& args, const std::string& in_help) {
  parser.add_option("IN", args.in, in_help)->type_name(kPath)->required();
  parser.add_option("-o,--output", args.out, "The file or directory to write; appears when it is complete")
      ->type_name(kPath)
      ->required();
}

inline void add_dtype_option(CLI::App& parser, ConversionArguments& args, const std::string& dtype_help) {
  parser.add_option("--dtype", args.dtype, dtype_help)
      ->check(CLI::IsMember(kDtypes))
      ->transform([](const std::string& name) { return canonical_dtype(name); }, "", "")
      ->capture_default_str();
}

// That --dtype and --component are beside; a subcommand has them if what it converts has a use for them.
inline void add_conversion_options(CLI::App& parser, ConversionArguments& args) {
  parser
      .add_option("--device", args.device,
                  "cpu, cuda[:N], opencl[:N] or auto: the first GPU of CUDA's that works, else the CPU; see below")
      ->type_name("DEVICE")
      ->check(valid_if(device_of, "{auto,cpu,cuda,opencl}"))
      ->capture_default_str();
  parser.add_option("--threads", args.threads, "Of the CPU at most this many; 0: one per core")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  parser.add_option("--max-shard-size", args.max_shard_size, "Of one file in an output directory")
      ->type_name("SIZE")
      ->check(valid_if(parse_size))
      ->capture_default_str();
  CLI::Option* shard =
      parser.add_option("--shard", args.shard, "Make part I of N of a model directory, I from 0; see below")
          ->type_name("I/N")
          ->check(valid_if(parse_shard));
  parser.add_flag("--allow-other-names", args.allow_other_names,
                  "Convert a quantized model also where transformers' class has other tensors");
  CLI::Option* check = parser.add_flag("--check", args.check, "At the end, do what qfuse check does with the output");
  parser.add_flag("--force", args.force, "Replace an existing output, once the new one is complete");
  CLI::Option* dry_run = parser.add_flag("--dry-run", args.dry_run, "Say what would be written, and write nothing");
  check->excludes(shard)->excludes(dry_run);
  parser.add_flag("--quiet", args.quiet, "Print errors only");
  parser.add_flag("--json", args.json, "Print the summary as JSON");
}

inline void add_component_option(CLI::App& parser, ConversionArguments& args) {
  parser.add_option("--component", args.components, "Of a diffusers pipeline: convert this folder; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
}

// The end of the help of `command`.
inline std::string conversion_help(const std::string& command, const std::string& arguments = "IN") {
  return fmt::format(
      "\n\n"
      "Every device writes the same bytes. The default is the CPU: a few cores convert faster than disks write, while "
      "a\n"
      "GPU takes a moment to start. It pays where few cores are free.\n"
      "\n"
      "To share the work among N processes, on hosts that see the same files, start each with --shard I/N, I from 0,\n"
      "and else the same command line. They need no connection. Each makes some of the output's files; when all have\n"
      "ended, `qfuse finish OUT` checks that nothing is missing and makes the output, as one process would have.\n"
      "A process that failed is run again by itself. With SLURM:\n"
      "  srun --ntasks=8 sh -c 'qfuse {} {} -o OUT --shard $SLURM_PROCID/$SLURM_NTASKS' && qfuse finish OUT\n"
      "(torchrun: $RANK/$WORLD_SIZE; Open MPI: $OMPI_COMM_WORLD_RANK/$OMPI_COMM_WORLD_SIZE)",
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

// The end of a summary's line.
inline std::string on_gpu(qfuse_device device) {
  return qfuse_device_has_own_memory(device.type) != 0 ? " on " + device_name(device) : "";
}

// What a summary is of.
inline std::string output_name(const ConversionArguments& args) {
  return printable(args.out) + (args.shard.empty() ? "" : ", shard " + args.shard);
}

// Behind the summary of a shard: what to do when all are done.
inline void print_next_step(const ConversionArguments& args, std::int64_t shards, std::int64_t files) {
  if (files == 0) fmt::print("nothing to do for this shard: the output has fewer files\n");
  fmt::print("when all {} shards are done: qfuse finish {}{}\n", shards, printable(args.out),
             args.force ? " --force" : "");
}

inline void print_notes(const checkpoint::ConversionReport& report, const ConversionArguments& args) {
  if (args.quiet) return;
  for (const std::string& note : report.notes) fmt::print(stderr, "qfuse: note: {}\n", with_own_options(note));
}

// The exit code of a conversion that wrote its output: where --check was asked for, that of what is found.
int check_written(const ConversionArguments& args);

// What a conversion says at its end, of which `done` is the participle, and `sizes` what it says of bytes.
inline void print_summary(const std::string& done, const std::string& sizes, const checkpoint::ConversionReport& report,
                          const ConversionArguments& args, const checkpoint::ConversionOptions& options,
                          double seconds) {
  const qfuse_device device = options.exec.device;
  print_notes(report, args);
  if (args.json) {
    fmt::print(R"({{"tensors": {}, "{}": {}, "files": {}, "bytes_read": {}, "bytes_written": {}, )"
               R"("device": "{}", "seconds": {:.3f}}})"
               "\n",
               report.tensors, done, report.converted, report.files, report.bytes_read, report.bytes_written,
               device_name(device), seconds);
  } else if (!args.quiet && args.dry_run) {
    fmt::print("{}: {} of {} tensors would be {}, {} in {} file{}; nothing was written\n", output_name(args),
               report.converted, report.tensors, done, sizes, report.files, report.files == 1 ? "" : "s");
  } else if (!args.quiet) {
    fmt::print("{}: {} of {} tensors {}, {} in {} file{}, {:.1f} s{}\n", output_name(args), report.converted,
               report.tensors, done, sizes, report.files, report.files == 1 ? "" : "s", seconds, on_gpu(device));
    if (options.shard) print_next_step(args, options.shard->count, report.files);
  }
}

inline void set_conversion_options(const ConversionArguments& args, checkpoint::ConversionOptions& options) {
  options.dtype = kDtypes.at(args.dtype);
  options.max_shard_size = parse_size(args.max_shard_size);
  options.components = args.components;
  options.force = args.force;
  options.allow_other_names = args.allow_other_names;
  options.dry_run = args.dry_run;
  if (!args.shard.empty()) options.shard = parse_shard(args.shard);
  const std::optional<qfuse_device> device = device_of(args.device);
  options.exec.device = device ? *device : checkpoint::best_device();  // which may take a second
  options.exec.threads = args.threads;
}

}  // namespace qfuse::cli

#endif  // QFUSE_CLI_OPTIONS_H
