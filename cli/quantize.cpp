#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <qfuse/checkpoint.hpp>
#include <string>
#include <vector>

#include "command.h"
#include "options.h"
#include "progress.h"
#include "text.h"

namespace qfuse::cli {
namespace {

struct QuantizeArguments : ConversionArguments {
  std::string type{checkpoint::name_of(QuantType::nf4)};
  std::int64_t block_size = 64;
  bool no_double_quant = false;
  bool experts = false;
  bool report_error = false;
  std::vector<std::string> include;
  std::vector<std::string> exclude;
  std::string importance;
};

// Decodes the output again and prints the signal-to-noise ratio over all changed weights and of the worst ones.
void print_error(const QuantizeArguments& args) {
  constexpr std::size_t kWorst = 5;
  const auto compare = [&](checkpoint::ProgressCallback progress) {
    checkpoint::CompareOptions options;
    options.threads = args.threads;
    options.progress = std::move(progress);
    return checkpoint::compare(args.in, args.out, options);
  };
  const checkpoint::CompareReport report = with_progress("compare", args.quiet, compare).report;
  std::vector<const checkpoint::TensorComparison*> changed;
  for (const checkpoint::TensorComparison& t : report.tensors)
    if (t.difference == checkpoint::Difference::values && std::isfinite(t.snr_db)) changed.push_back(&t);
  if (changed.empty()) return fmt::print("no weight was changed by it\n");
  std::sort(changed.begin(), changed.end(), [](const auto* a, const auto* b) { return a->snr_db < b->snr_db; });
  say(stdout, fmt::format("signal-to-noise ratio of the {} weights that changed: {:.2f} dB in all; lowest:",
                          changed.size(), report.snr_db));
  for (std::size_t i = 0; i < std::min(kWorst, changed.size()); ++i)
    fmt::print("  {:6.2f} dB  {}\n", changed[i]->snr_db, printable(changed[i]->name));
}

int run(QuantizeArguments args) {
  args.out = output_path(args);
  checkpoint::QuantizeOptions options;
  options.quant_type = quant_type_of(args.type);
  options.blocksize = args.block_size;
  options.double_quant = !args.no_double_quant;
  options.experts = args.experts;
  options.include = args.include;
  options.exclude = args.exclude;
  options.importance = args.importance;
  const auto [report, seconds] = with_progress("quantize", args.quiet, [&](checkpoint::ProgressCallback progress) {
    set_conversion_options(args, options);
    options.progress = std::move(progress);
    return checkpoint::quantize(args.in, args.out, options);
  });
  const std::string sizes = fmt::format("{} to {}", human_size(static_cast<double>(report.bytes_read)),
                                        human_size(static_cast<double>(report.bytes_written)));
  print_summary("quantized", sizes, report, args, options, seconds);
  if (args.report_error) print_error(args);
  return check_written(args);
}

}  // namespace

Command add_quantize(CLI::App& app) {
  CLI::App* parser = app.add_subcommand("quantize", "Quantize a model to 4 bits, as bitsandbytes does");
  auto args = std::make_shared<QuantizeArguments>();
  add_paths(*parser, *args, "A plain checkpoint: a .safetensors file, a model directory or a diffusers pipeline");
  parser->add_option("--type", args->type, "The 4-bit code")
      ->type_name("TYPE")
      ->transform(one_of(kQuantTypes))
      ->capture_default_str();
  parser->add_option("--block-size", args->block_size, "How many weights share a scale: a power of two from 32 to 4096")
      ->type_name("N")
      ->transform(one_of(kBlockSizes))
      ->capture_default_str();
  parser->add_flag("--no-double-quant", args->no_double_quant, "Keep the scales in fp32");
  parser
      ->add_option("--importance", args->importance,
                   "Choose scales by the mean square of each input of a weight: fp32 vectors under the weights' names, "
                   "in a .safetensors file. Needs --no-double-quant")
      ->type_name("FILE");
  parser->add_flag("--experts", args->experts,
                   "Quantize experts too. qfuse and bitsandbytes read them. transformers 4 loads those that are stored "
                   "one by one, transformers 5 does not; neither loads those that are stored as one tensor");
  CLI::Option* report_error =
      parser->add_flag("--report-error", args->report_error,
                       "Decode the output again and print how far it is from the input, as signal-to-noise ratios");
  parser
      ->add_option("--include", args->include,
                   "Also quantize the tensors whose names match this pattern; may be repeated")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  parser
      ->add_option("--exclude", args->exclude,
                   "Do not quantize the tensors whose names match this pattern; may be repeated")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  add_dtype_option(*parser, *args, "The dtype that weights will decode to; auto: the one that each has");
  add_conversion_options(*parser, *args);
  add_component_option(*parser, args->components, "Convert only this folder of a diffusers pipeline");
  for (const char* other : {"--dry-run", "--json", "--quiet", "--shard"}) report_error->excludes(other);
  parser->footer(
      "The weights of linear layers are quantized, except those of output heads, routers, experts and vision towers. "
      "Everything else is copied byte for byte. A pattern is a shell's and matches whole names: "
      "--exclude '*.self_attn.*' keeps every attention layer as it is. --exclude wins over --include. Ctrl-C leaves no "
      "partial output." +
      conversion_help("quantize"));
  return {parser, [args] { return run(*args); }};
}

}  // namespace qfuse::cli
