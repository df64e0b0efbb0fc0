#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <qfuse/checkpoint.hpp>
#include <string>
#include <vector>

#include "adapters.h"
#include "command.h"
#include "options.h"
#include "progress.h"
#include "text.h"

namespace qfuse::cli {
namespace {

struct MergeArguments : ConversionArguments, AdapterArguments {
  std::string to = "auto";
  double fail_below = 0.5;
  bool allow_nonfinite = false;
};

bool is_4bit(const std::string& name) { return name == kQuantTypes[0] || name == kQuantTypes[1]; }

void check_to(const std::string& name) {
  if (!is_4bit(name) && !kDtypes.contains(canonical_dtype(name)))
    throw std::invalid_argument(fmt::format("'{}' is none of auto, bf16, fp16, fp32, nf4 and fp4", name));
}

std::string number(double value) { return std::isnan(value) ? "" : fmt::format("{:.3g}", value); }

std::string share(double value) { return std::isnan(value) ? "" : fmt::format("{:.1f} %", 100.0 * value); }

void print_table(const checkpoint::MergeReport& report) {
  Table table({"tensor", "rule", "rank", "scale", "added rms", "of weight's", "survives"});
  for (const checkpoint::MergedTensor& t : report.merged)
    table.add({printable(t.name), t.rule, t.rank == 0 ? "" : std::to_string(t.rank),
               t.rank == 0 ? "" : fmt::format("{:.6g}", t.scale), number(t.added_rms),
               share(t.added_rms / t.weight_rms), share(t.survival)});
  table.print();
}

void set_merge_options(const MergeArguments& args, checkpoint::MergeOptions& options) {
  if (is_4bit(args.to)) options.to_4bit = quant_type_of(args.to);
  set_adapter_options(args, options);
  options.fail_below = args.fail_below;
  options.allow_nonfinite = args.allow_nonfinite;
}

void print_json(const checkpoint::MergeReport& report, const checkpoint::ConversionOptions& options, double seconds) {
  fmt::print(R"({{"tensors": {}, "merged": {}, "files": {}, "bytes_read": {}, "bytes_written": {}, )"
             R"("device": "{}", "seconds": {:.3f}, "changes": {}}})"
             "\n",
             report.tensors, report.merged.size(), report.files, report.bytes_read, report.bytes_written,
             device_name(options.exec.device), seconds, checkpoint::to_json(report));
}

int run(MergeArguments args) {
  args.out = output_path(args);
  args.dtype = is_4bit(args.to) ? "auto" : canonical_dtype(args.to);
  checkpoint::MergeOptions options;
  const auto [report, seconds] = with_progress("merge", args.quiet, [&](checkpoint::ProgressCallback progress) {
    set_conversion_options(args, options);
    set_merge_options(args, options);
    options.progress = std::move(progress);
    return checkpoint::merge(args.in, adapters_of(args), args.out, options);
  });
  if (args.json) {
    print_notes(report, args);
    print_json(report, options, seconds);
    return check_written(args);
  }
  if (args.dry_run && !args.quiet) print_table(report);
  checkpoint::ConversionReport summary = report;
  summary.converted = std::ssize(report.merged);  // of the others, some may only have been decoded
  print_summary("merged", human_size(static_cast<double>(report.bytes_written)), summary, args, options, seconds);
  return check_written(args);
}

}  // namespace

Command add_merge(CLI::App& app) {
  CLI::App* parser = app.add_subcommand("merge", "Write a model with LoRA adapters merged into it");
  auto args = std::make_shared<MergeArguments>();
  parser
      ->add_option(
          "BASE", args->in,
          "The model: a .safetensors file, a model directory or a diffusers pipeline, plain or of bitsandbytes")
      ->type_name(kPath)
      ->required();
  parser
      ->add_option("ADAPTER", args->adapters,
                   "A directory as peft saves it, or a LoRA file of diffusers or kohya's scripts; @WEIGHT behind it "
                   "multiplies its scale. Several are added in order")
      ->type_name(kPath)
      ->check(valid_if(parse_adapter))
      ->required();
  parser->add_option("-o,--output", args->out, "The file or directory to write; appears when it is complete")
      ->type_name(kPath)
      ->required();
  parser
      ->add_option("--to", args->to,
                   "auto, bf16, fp16 or fp32: of merged and quantized weights; nf4 or fp4: as qfuse quantize writes it")
      ->type_name("TYPE")
      ->check(valid_if(check_to, "{auto,bf16,fp16,fp32,nf4,fp4}"))
      ->capture_default_str();
  add_merge_options(*parser, *args);
  parser
      ->add_option("--fail-below", args->fail_below,
                   "Of a 4-bit base merged to 4 bits: refuse where a smaller share of what is added survives")
      ->type_name("SHARE")
      ->capture_default_str();
  parser->add_flag("--allow-nonfinite", args->allow_nonfinite, "Merge adapters with NaN or infinities too");
  add_conversion_options(*parser, *args);
  parser->footer(
      "Each weight becomes base + scale * B * A, summed in fp32 and rounded once. Every tensor of an adapter is used, "
      "or\n"
      "the merge is refused before it writes a byte; --dry-run shows which tensor gets what, and how much that is.\n"
      "\n"
      "Onto which base? A QLoRA adapter was trained on weights that bitsandbytes had quantized. Merged onto those\n"
      "(the 4-bit checkpoint, or the 16-bit one with --base-as nf4) the model computes what was trained. Onto the "
      "16-bit\n"
      "base the rounding errors of 4 bits are gone, but so is what the adapter had learned to make up for them.\n"
      "From a 4-bit base back to 4 bits, a small adapter is lost in the rounding: --fail-below refuses that.\n"
      "--base-as takes what transformers' BitsAndBytesConfig quantizes: every linear layer but output heads. Where "
      "training\n"
      "left out others, --exclude '*.vision_tower.*' says so, a shell's pattern for a tensor's whole name; with --to "
      "nf4 "
      "it is\n"
      "for what is written, too. --exclude wins over --include." +
      conversion_help("merge", "BASE ADAPTER"));
  return {parser, [args] { return run(*args); }};
}

}  // namespace qfuse::cli
