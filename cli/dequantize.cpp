#include <memory>
#include <qfuse/checkpoint.hpp>

#include "command.h"
#include "options.h"
#include "progress.h"

namespace qfuse::cli {
namespace {

int run(ConversionArguments args) {
  args.out = output_path(args);
  checkpoint::DequantizeOptions options;
  const auto [report, seconds] = with_progress("dequantize", args.quiet, [&](checkpoint::ProgressCallback progress) {
    set_conversion_options(args, options);
    options.progress = std::move(progress);
    return checkpoint::dequantize(args.in, args.out, options);
  });
  print_summary("dequantized", human_size(static_cast<double>(report.bytes_written)), report, args, options, seconds);
  return check_written(args);
}

}  // namespace

Command add_dequantize(CLI::App& app) {
  CLI::App* parser = app.add_subcommand("dequantize", "Write the same model with plain weights");
  auto args = std::make_shared<ConversionArguments>();
  add_paths(*parser, *args, "A bitsandbytes checkpoint: a .safetensors file or a model directory");
  add_dtype_option(*parser, *args, "auto, bf16, fp16 or fp32; auto: what each weight was before");
  add_conversion_options(*parser, *args);
  add_component_option(*parser, *args);
  parser->footer(
      "Weights that are not quantized are copied byte for byte, and so are tokenizer and other files of a directory;\n"
      "config.json loses its quantization_config. Ctrl-C leaves no partial output." +
      conversion_help("dequantize"));
  return {parser, [args] { return run(*args); }};
}

}  // namespace qfuse::cli
