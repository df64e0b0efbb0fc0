#include <fmt/format.h>

#include <memory>
#include <qfuse/checkpoint.hpp>

#include "adapters.h"
#include "command.h"
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
  bool json = false;
  bool quiet = false;
  bool all = false;
};

void print_table(const CompareReport& report, bool all) {
  Table table(
      {"name", "difference", "differing", "elements", "max abs", "max rel", "rmse", "SNR dB", "first at", "A / B"});
  std::size_t differing = 0;
  for (const TensorComparison& t : report.tensors) {
    const bool has_values = t.difference == Difference::values;
    if (t.difference != Difference::equal) ++differing;
    if (t.difference == Difference::equal && !all) continue;
    if (has_values)
      table.add({printable(t.name), std::string(name_of(t.difference)), std::to_string(t.differing),
                 std::to_string(t.elements), fmt::format("{:.3g}", t.max_abs), fmt::format("{:.3g}", t.max_rel),
                 fmt::format("{:.3g}", t.rmse), fmt::format("{:.1f}", t.snr_db), std::to_string(t.first_differing),
                 fmt::format("{:.6g} / {:.6g}", t.first_a, t.first_b)});
    else
      table.add({printable(t.name), std::string(name_of(t.difference)), "", "", "", "", "", "", "", t.note});
  }
  if (!table.empty()) table.print();
  if (differing == 0)
    fmt::print("equal: {} tensors, bit by bit\n", report.tensors.size());
  else
    fmt::print("different: {} of {} tensors\n", differing, report.tensors.size());
}

int run(const CompareArguments& args) {
  const auto compare = [&](checkpoint::ProgressCallback progress) {
    checkpoint::CompareOptions options;
    options.adapters = adapters_of(args);
    set_adapter_options(args, options);
    options.progress = std::move(progress);
    return checkpoint::compare(args.a, args.b, options);
  };
  const CompareReport report = with_progress("compare", args.quiet, compare).report;
  if (args.json)
    fmt::print("{}\n", checkpoint::to_json(report, args.all));
  else if (!args.quiet)
    print_table(report, args.all);
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
  for (const char* option :
       {"--base-as", "--block-size", "--no-double-quant", "--include", "--exclude", "--tie", "--untie", "--prefix"})
    parser->get_option(option)->needs(adapter);
  parser->add_flag("--json", args->json, "Print JSON");
  parser->add_flag("--quiet", args->quiet, "Print only errors; the exit code is the answer");
  parser->add_flag("--all", args->all, "List equal tensors too");
  parser->footer(
      "Quantized weights are decoded by the scalar reference code, to the dtype of the other side if only one side is "
      "quantized. With --adapter, A is a base and B is what qfuse merge made of it; repeat the options that qfuse "
      "merge "
      "was given. Then B is right if the two are equal. -0 and +0 differ; any NaN equals any NaN. Exit codes: 0 equal, "
      "1 "
      "different, 3 could not compare.");
  return {parser, [args] { return run(*args); }, kCannotTell};
}

}  // namespace qfuse::cli
