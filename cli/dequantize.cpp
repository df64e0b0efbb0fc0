#include <fmt/format.h>

#include <memory>
#include <qfuse/checkpoint.hpp>

#include "command.h"
#include "options.h"
#include "progress.h"
#include "text.h"

namespace qfuse::cli {
namespace {

struct Arguments : ConversionArguments {
  std::string device = "auto";
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
    fmt::print("{}: {} of {} tensors dequantized, {} in {} file{}, {:.1f} s\n", output_name(args), report.dequantized,
               report.tensors, human_size(static_cast<double>(report.bytes_written)), report.files,
               report.files == 1 ? "" : "s", seconds);
}

int run(const Arguments& args) {
  checkpoint::DequantizeOptions options;
  options.exec.device = device_of(args.device);
  set_conversion_options(args, options);
  ProgressLine line("dequantize", args.quiet);
  options.progress = line.callback();
  const checkpoint::DequantizeReport report = checkpoint::dequantize(args.in, args.out, options);
  print_summary(report, args, line.seconds());
  if (options.shard && !args.quiet && !args.json) print_next_step(args, report.files);
  return kSuccess;
}

}  // namespace

Command add_dequantize(CLI::App& app) {
  CLI::App* parser = app.add_subcommand("dequantize", "Write the same model with plain weights");
  auto args = std::make_shared<Arguments>();
  add_paths(*parser, *args, "A bitsandbytes checkpoint: a .safetensors file or a model directory");
  parser->add_option("--device", args->device, "auto, cpu, reference (slow, for judging the others) or cuda[:N]")
      ->check(valid_if(device_of))
      ->capture_default_str();
  add_conversion_options(*parser, *args, "auto, bf16, fp16 or fp32; auto: what each weight was before");
  parser->footer(
      "Weights that are not quantized are copied byte for byte, and so are tokenizer and other files of a directory;\n"
      "config.json loses its quantization_config. Ctrl-C leaves no partial output." +
      shard_help("dequantize"));
  return {parser, [args] { return run(*args); }};
}

}  // namespace qfuse::cli
