#include <fmt/format.h>

#include <memory>
#include <qfuse/checkpoint.hpp>

#include "command.h"
#include "options.h"
#include "progress.h"
#include "text.h"

namespace qfuse::cli {
namespace {

struct Arguments {
  std::string in;
  std::string out;
  std::string dtype = "auto";
  std::string device = "auto";
  std::string max_shard_size = "5GB";
  int threads = 0;
  bool force = false;
  bool quiet = false;
  bool json = false;
};

// "auto" is the fastest device that decodes checkpoints: the CPU.
qfuse_device device_of(const std::string& name) { return parse_device(name == "auto" ? "cpu" : name); }

void print_summary(const checkpoint::DequantizeReport& report, const Arguments& args, double seconds) {
  if (args.json)
    fmt::print(R"({{"tensors": {}, "dequantized": {}, "files": {}, "bytes_read": {}, "bytes_written": {}, )"
               R"("seconds": {:.3f}}})"
               "\n",
               report.tensors, report.dequantized, report.files, report.bytes_read, report.bytes_written, seconds);
  else if (!args.quiet)
    fmt::print("{}: {} of {} tensors dequantized, {} in {} file{}, {:.1f} s\n", printable(args.out), report.dequantized,
               report.tensors, human_size(static_cast<double>(report.bytes_written)), report.files,
               report.files == 1 ? "" : "s", seconds);
}

int run(const Arguments& args) {
  checkpoint::DequantizeOptions options;
  options.dtype = kDtypes.at(args.dtype);
  options.max_shard_size = parse_size(args.max_shard_size);
  options.force = args.force;
  options.exec.device = device_of(args.device);
  options.exec.threads = args.threads;
  ProgressLine line("dequantize", args.quiet);
  options.progress = line.callback();
  const checkpoint::DequantizeReport report = checkpoint::dequantize(args.in, args.out, options);
  print_summary(report, args, line.seconds());
  return kSuccess;
}

}  // namespace

Command add_dequantize(CLI::App& app) {
  CLI::App* parser = app.add_subcommand("dequantize", "Write the same model with plain weights");
  auto args = std::make_shared<Arguments>();
  parser->add_option("IN", args->in, "A bitsandbytes checkpoint: a .safetensors file or a model directory")->required();
  parser->add_option("-o,--output", args->out, "The file or directory to write; appears when it is complete")
      ->required();
  parser->add_option("--dtype", args->dtype, "auto, bf16, fp16 or fp32; auto: what each weight was before")
      ->check(CLI::IsMember({"auto", "bf16", "fp16", "fp32"}))
      ->capture_default_str();
  parser->add_option("--device", args->device, "auto, cpu, reference (slow, for judging the others) or cuda[:N]")
      ->check(valid_if(device_of))
      ->capture_default_str();
  parser->add_option("--threads", args->threads, "At most this many; 0: one per core")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  parser->add_option("--max-shard-size", args->max_shard_size, "Of one file in an output directory")
      ->check(valid_if(parse_size))
      ->capture_default_str();
  parser->add_flag("--force", args->force, "Replace an existing output, once the new one is complete");
  parser->add_flag("--quiet", args->quiet, "Print errors only");
  parser->add_flag("--json", args->json, "Print the summary as JSON");
  parser->footer(
      "Weights that are not quantized are copied byte for byte, and so are tokenizer and other files of a directory;\n"
      "config.json loses its quantization_config. Ctrl-C leaves no partial output.");
  return {parser, [args] { return run(*args); }};
}

}  // namespace qfuse::cli
