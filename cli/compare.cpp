#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <qfuse/checkpoint.hpp>

#include "adapters.h"
#include "command.h"
#include "options.h"
#include "progress.h"
#include "text.h"

namespace qfuse::cli {
namespace {

using checkpoint::CompareReport;
using checkpoint::Difference;
using checkpoint::TensorComparison;

struct CompareArguments : AdapterArguments {
  std::string a;
  std::string b;
  int threads = 0;
  bool json = false;
  bool quiet = false;
  bool all = false;
  std::vector<std::string> components;
};

std::string figure(const char* format, double value) {
  return std::isnan(value) ? "" : fmt::format(fmt::runtime(format), value);
}

// Prints the tensors that both sides have with different values, or with `all` the equal ones too; --json prints more.
void print_values(const CompareReport& report, bool all) {
  Table table({"tensor", "differing", "max abs", "max rel", "SNR dB"});
  for (const TensorComparison& t : report.tensors) {
    const bool is_equal = t.difference == Difference::equal;
    if (t.difference != Difference::values && !(is_equal && all)) continue;
    const double share =
        100.0 * static_cast<double>(t.differing) / static_cast<double>(std::max<std::int64_t>(t.elements, 1));
    table.add({printable(t.name), is_equal ? "0 %" : fmt::format("{:.2g} %", share), figure("{:.2e}", t.max_abs),
               figure("{:.2e}", t.max_rel), figure("{:.1f}", t.snr_db)});
  }
  if (!table.empty()) table.print();
}

void print_others(const CompareReport& report) {
  for (const TensorComparison& t : report.tensors)
    if (t.difference != Difference::values && t.difference != Difference::equal)
      say(stdout,
          fmt::format("{}: {}{}{}", printable(t.name), name_of(t.difference), t.note.empty() ? "" : ": ", t.note));
}

void print_report(const CompareReport& report, bool all) {
  print_values(report, all);
  print_others(report);
  if (report.equal) return say(stdout, fmt::format("equal: {} tensors, bit by bit", report.tensors.size()));
  const auto count = static_cast<std::int64_t>(report.tensors.size());
  say(stdout, fmt::format("different: {} of {} tensors; {} are equal, bit by bit", report.different, count,
                          count - report.different));
  if (std::isfinite(report.snr_db))
    say(stdout, fmt::format("where values differ: signal-to-noise ratio {:.2f} dB, relative error {:.3g}",
                            report.snr_db, report.relative_error));
}

int run(const CompareArguments& args) {
  const auto compare = [&](checkpoint::ProgressCallback progress) {
    checkpoint::CompareOptions options;
    options.adapters = adapters_of(args);
    set_adapter_options(args, options);
    options.components = args.components;
    options.threads = args.threads;
    options.progress = std::move(progress);
    return checkpoint::compare(args.a, args.b, options);
  };
  const CompareReport report = with_progress("compare", args.quiet, compare).report;
  if (args.json)
    fmt::print("{}\n", checkpoint::to_json(report, args.all));
  else if (!args.quiet)
    print_report(report, args.all);
  return report.equal ? kSuccess : kDifferent;
}

}  // namespace

Command add_compare(CLI::App& app) {
  CLI::App* parser = app.add_subcommand("compare", "Compare two checkpoints tensor by tensor, bit by bit");
  auto args = std::make_shared<CompareArguments>();
  parser->add_option("A", args->a, "A .safetensors file or a model directory, quantized or not")
      ->type_name(kPath)
      ->required();
  parser->add_option("B", args->b, "The other one")->type_name(kPath)->required();
  CLI::Option* adapter =
      parser
          ->add_option("--adapter", args->adapters,
                       "Merge this adapter into A first, ADAPTER@WEIGHT with another scale; may be repeated")
          ->type_name(kPath)
          ->allow_extra_args(false)
          ->check(valid_if(parse_adapter));
  add_merge_options(*parser, *args);
  add_component_option(*parser, args->components, "The folder of the pipeline A that the adapters are for");
  for (const char* option : {"--base-as", "--block-size", "--no-double-quant", "--include", "--exclude", "--tie",
                             "--untie", "--prefix", "--component", "--lora-b-layout"})
    parser->get_option(option)->needs(adapter);
  parser->add_option("--threads", args->threads, "The most CPU threads to use; 0 means one per core, up to 16")
      ->type_name("N")
      ->check(valid_if(check_count))
      ->capture_default_str();
  parser->add_flag("--json", args->json, "Print JSON, with all figures of each tensor");
  parser->add_flag("--quiet", args->quiet, "Print only errors; the exit code is the answer");
  parser->add_flag("--all", args->all, "List equal tensors too");
  parser->footer(
      "Quantized weights are decoded by the scalar reference code, to the dtype of the other side if only one side is "
      "quantized. With --adapter, A is a base and B is what qfuse merge made of it; repeat the options that qfuse "
      "merge was given. Then B is right if the two are equal. -0 and +0 differ; any NaN equals any NaN. Exit codes: 0 "
      "equal, 1 different, 3 could not compare.");
  return {parser, [args] { return run(*args); }, kCannotTell};
}

}  // namespace qfuse::cli
