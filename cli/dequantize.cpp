#include <fmt/format.h>

#include <memory>
#include <qfuse/checkpoint.hpp>

#include "command.h"
#include "options.h"
#include "progress.h"
#include "text.h"

namespace qfuse::cli {
namespace {

void print_summary(const checkpoint::DequantizeReport& report, const ConversionArguments& args, qfuse_device device,
                   double seconds) {
  if (args.json)
    fmt::print(R"({{"tensors": {}, "dequantized": {}, "files": {}, "bytes_read": {}, "bytes_written": {}, )"
               R"("device": "{}", "seconds": {:.3f}}})"
               "\n",
               report.tensors, report.dequantized, report.files, report.bytes_read, report.bytes_written,
               device_name(device), seconds);
  else if (!args.quiet)
    fmt::print("{}: {} of {} tensors dequantized, {} in {} file{}, {:.1f} s{}\n", output_name(args), report.dequantized,
               report.tensors, human_size(static_cast<double>(report.bytes_written)), report.files,
               report.files == 1 ? "" : "s", seconds, on_gpu(device));
}

int run(const ConversionArguments& args) {
  checkpoint::DequantizeOptions options;
  ProgressLine line("dequantize", args.quiet);
  set_conversion_options(args, options);
  options.progress = line.callback();
  const checkpoint::DequantizeReport report = checkpoint::dequantize(args.in, args.out, options);
  print_summary(report, args, options.exec.device, line.seconds());
  if (options.shard && !args.quiet && !args.json) print_next_step(args, report.files);
  return kSuccess;
}

}  // namespace

Command add_dequantize(CLI::App& app) {
  CLI::App* parser = app.add_subcommand("dequantize", "Write the same model with plain weights");
  auto args = std::make_shared<ConversionArguments>();
  add_paths(*parser, *args, "A bitsandbytes checkpoint: a .safetensors file or a model directory");
  add_conversion_options(*parser, *args, "auto, bf16, fp16 or fp32; auto: what each weight was before");
  parser->footer(
      "Weights that are not quantized are copied byte for byte, and so are tokenizer and other files of a directory;\n"
      "config.json loses its quantization_config. Ctrl-C leaves no partial output." +
      conversion_help("dequantize"));
  return {parser, [args] { return run(*args); }};
}

}  // namespace qfuse::cli
