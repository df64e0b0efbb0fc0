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
  CLI::App* parser = app.add_subcommand("dequantize", "Turn a quantized checkpoint into plain weights");
  auto args = std::make_shared<ConversionArguments>();
  add_paths(*parser, *args,
            "A checkpoint of bitsandbytes, in FP8, or in the 4-bit formats of GPTQ, AWQ, compressed-tensors, modelopt, "
            "gpt-oss and DeepSeek-V4: a .safetensors file, a model directory or a diffusers pipeline");
  add_dtype_option(*parser, *args,
                   "The dtype of the decoded weights; auto: the one that each had before it was quantized, or, where "
                   "its file does not say that, config.json's, or bf16");
  add_conversion_options(*parser, *args);
  add_component_option(*parser, args->components, "Convert only this folder of a diffusers pipeline");
  parser->footer(
      "Weights that are not quantized are copied byte for byte, and so are the tokenizer and the other files and "
      "folders of a directory. config.json loses its quantization_config. What a model has for quantizing "
      "activations is left out. Ctrl-C leaves no partial output." +
      conversion_help("dequantize"));
  return {parser, [args] { return run(*args); }};
}

}  // namespace qfuse::cli
