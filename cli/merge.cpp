#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <qfuse/checkpoint.hpp>
#include <string>
#include <utility>
#include <vector>

#include "adapters.h"
#include "command.h"
#include "json.h"
#include "options.h"
#include "progress.h"
#include "text.h"

namespace qfuse::cli {
namespace {

struct MergeArguments : ConversionArguments, AdapterArguments {
  std::string to = "auto";
  double fail_below = 0.5;
  bool ue8m0 = false;
  bool keep_scales = false;
  bool allow_nonfinite = false;
};

bool is_4bit(const std::string& name) { return name == kQuantTypes[0] || name == kQuantTypes[1]; }

std::string number(double value) { return std::isnan(value) ? "" : fmt::format("{:.3g}", value); }

std::string share(double value) { return std::isnan(value) ? "" : fmt::format("{:.1f} %", 100.0 * value); }

void print_table(const checkpoint::MergeReport& report) {
  const bool is_encoded =
      std::ranges::any_of(report.merged, [](const auto& tensor) { return !std::isnan(tensor.survival); });
  std::vector<std::string> heads{"tensor", "rule", "rank", "scale", "change rms", "change / weight"};
  if (is_encoded) heads.emplace_back("survives");
  Table table(heads);
  for (const checkpoint::MergedTensor& t : report.merged) {
    std::vector<std::string> row{printable(t.name),
                                 t.rule,
                                 t.rank == 0 ? "" : std::to_string(t.rank),
                                 t.rank == 0 ? "" : fmt::format("{:.6g}", t.scale),
                                 number(t.added_rms),
                                 share(t.added_rms / t.weight_rms)};
    if (is_encoded) row.push_back(share(t.survival));
    table.add(row);
  }
  table.print();
}

void set_merge_options(const MergeArguments& args, checkpoint::MergeOptions& options) {
  if (is_4bit(args.to)) options.to_4bit = quant_type_of(args.to);
  if (const auto blocks = kBlockFormats.find(args.to); blocks != kBlockFormats.end())
    options.to_blocks = blocks->second;
  options.ue8m0 = args.ue8m0;
  options.keep_scales = args.keep_scales;
  set_adapter_options(args, options);
  options.fail_below = args.fail_below;
  options.allow_nonfinite = args.allow_nonfinite;
}

// Prints the share of the adapters' change that survives in the quantized codes: over all tensors, and in the tensor
// that keeps the least. Prints nothing if no survival was measured.
void print_survival(const checkpoint::MergeReport& report, const std::string& to) {
  const checkpoint::MergedTensor* least = nullptr;
  double added = 0.0;
  double left = 0.0;
  for (const checkpoint::MergedTensor& t : report.merged) {
    if (std::isnan(t.survival)) continue;
    double elements = 1.0;
    for (const std::int64_t size : t.shape) elements *= static_cast<double>(size);
    added += t.added_rms * t.added_rms * elements;
    left += t.survival * t.added_rms * t.added_rms * elements;
    if (least == nullptr || t.survival < least->survival) least = &t;
  }
  if (least != nullptr)
    say(stdout,
        fmt::format("  of what the adapter adds, {:.1f} % is left in {}; least in {}, {:.1f} %", 100.0 * left / added,
                    is_4bit(to) ? "4 bits" : to, printable(least->name), 100.0 * least->survival));
}

Json json_of(const checkpoint::MergeReport& report, const checkpoint::ConversionOptions& options, double seconds) {
  return {{"tensors", report.tensors},
          {"merged", report.merged.size()},
          {"files", report.files},
          {"bytes_read", report.bytes_read},
          {"bytes_written", report.bytes_written},
          {"device", device_name(options.exec.device)},
          {"seconds", to_milliseconds(seconds)},
          {"changes", Json::parse(checkpoint::to_json(report))}};
}

// Returns the exit code; throws if the merge was refused. A dry run ends like the real run.
int finish(const checkpoint::MergeReport& report, const MergeArguments& args) {
  if (report.refused.empty()) return check_written(args);
  std::fflush(stdout);
  throw Error(Status::invalid_data, report.refused);
}

int run(MergeArguments args) {
  if (args.adapters.empty()) {  // the only argument is the adapter
    args.adapters.push_back(std::exchange(args.in, ""));
    args.in = checkpoint::find_base(parse_adapter(args.adapters.front()).path).native();
    if (!args.quiet) say(stderr, fmt::format("qfuse: the base is {}, as the adapter says", printable(args.in)));
  }
  args.out = output_path(args);
  args.dtype = is_4bit(args.to) || kBlockFormats.contains(args.to) ? "auto" : args.to;
  checkpoint::MergeOptions options;
  const auto [report, seconds] = with_progress("merge", args.quiet, [&](checkpoint::ProgressCallback progress) {
    set_conversion_options(args, options);
    set_merge_options(args, options);
    options.progress = std::move(progress);
    return checkpoint::merge(args.in, adapters_of(args), args.out, options);
  });
  if (args.json) {
    print_notes(report, args);
    print_json(json_of(report, options, seconds));
    return finish(report, args);
  }
  if (args.dry_run && !args.quiet) print_table(report);
  checkpoint::ConversionReport summary = report;
  summary.converted = std::ssize(report.merged);  // others may only have been decoded
  print_summary("merged", human_size(static_cast<double>(report.bytes_written)), summary, args, options, seconds);
  if (!args.quiet) print_survival(report, args.to);
  return finish(report, args);
}

}  // namespace

Command add_merge(CLI::App& app) {
  CLI::App* parser = app.add_subcommand("merge", "Merge LoRA adapters into a model");
  auto args = std::make_shared<MergeArguments>();
  parser
      ->add_option(
          "BASE|ADAPTER", args->in,
          "The model: a .safetensors file, a model directory or a diffusers pipeline, plain, or "
          "quantized as dequantize reads it. Or one adapter of peft and nothing else: its base is the one that its "
          "adapter_config.json names, a directory here or beside the adapter, or a model in the Hub's cache")
      ->type_name(kPath)
      ->required();
  parser
      ->add_option("ADAPTER", args->adapters,
                   "A directory as peft saves it, or a LoRA file of diffusers or of kohya's scripts. ADAPTER@WEIGHT "
                   "multiplies its scale, as in lora@0.5. Several adapters are added in order")
      ->type_name(kPath)
      ->check(valid_if(parse_adapter));
  add_output_option(*parser, *args);
  std::vector<std::string> types = kDtypeNames;
  types.insert(types.end(), kQuantTypes.begin(), kQuantTypes.end());
  for (const auto& [name, format] : kBlockFormats) types.push_back(name);
  parser
      ->add_option(
          "--to,--dtype", args->to,
          "The dtype of the model (auto: the one that each weight had or decodes to); or nf4 or fp4 to quantize "
          "the result as qfuse quantize does; or fp8, mxfp4, nvfp4 or int4 to keep a base in that format, and "
          "encode again only what the adapter changes. fp8 also quantizes a 16-bit base, in blocks of 128 x 128")
      ->type_name("TYPE")
      ->transform(one_of(types, kDtypeAliases))
      ->capture_default_str();
  add_merge_options(*parser, *args);
  parser
      ->add_option(
          "--fail-below", args->fail_below,
          "With --to a quantized format, refuse if less than this share of what the adapter adds survives in a "
          "tensor, as happens where a base was quantized before")
      ->type_name("SHARE")
      ->check(valid_if(check_number))
      ->capture_default_str();
  parser->add_flag("--ue8m0", args->ue8m0, "With --to fp8, use powers of two as scales even if the base does not");
  parser->add_flag("--keep-scales", args->keep_scales,
                   "Back to the base's own 4 bits or fp8, keep its absmax or scales and make only new codes; nvfp4 "
                   "always does");
  parser->add_flag("--allow-nonfinite", args->allow_nonfinite, "Merge adapters even if they hold NaN or infinity");
  add_conversion_options(*parser, *args);
  add_component_option(*parser, args->components,
                       "Merge into this folder of a diffusers pipeline alone, also a LoRA file that names another one");
  parser->footer(
      "Each weight becomes base + scale * B * A, summed in fp32 and rounded once. Every tensor of an adapter is used, "
      "or the merge is refused before it writes a byte. --dry-run shows what each tensor gets, and how much that is.\n"
      "\n"
      "Onto which base? A QLoRA adapter was trained on weights that bitsandbytes had quantized. Merged onto those (the "
      "4-bit checkpoint, or the 16-bit one with --base-as nf4), the model computes what was trained. Merged onto the "
      "16-bit base, it is rid of the rounding errors of 4 bits, but also of what the adapter learned to make up for "
      "them. Merged from a 4-bit base back to 4 bits, also with --base-as, a small adapter is lost in the rounding: "
      "--fail-below refuses that.\n"
      "\n"
      "--base-as quantizes what transformers' BitsAndBytesConfig does: every linear layer except output heads. If "
      "training left out others, --exclude '*.vision_tower.*' says so; a pattern is a shell's and matches whole names. "
      "With --to nf4 or fp4, the same holds for what is written. --exclude wins over --include." +
      conversion_help("merge", "BASE ADAPTER"));
  return {parser, [args] { return run(*args); }};
}

}  // namespace qfuse::cli
