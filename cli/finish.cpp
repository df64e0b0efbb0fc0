#include <fmt/format.h>

#include <memory>
#include <qfuse/checkpoint.hpp>
#include <string>

#include "command.h"
#include "json.h"
#include "progress.h"
#include "text.h"

namespace qfuse::cli {
namespace {

struct FinishArguments {
  std::string out;
  bool force = false;
  bool quiet = false;
  bool json = false;
};

void print_summary(const checkpoint::FinishReport& report, const FinishArguments& args, double seconds) {
  if (args.json)
    print_json({{"shards", report.shards},
                {"files", report.files},
                {"tensors", report.tensors},
                {"bytes", report.bytes},
                {"seconds", to_milliseconds(seconds)}});
  else if (!args.quiet)
    say(stdout,
        fmt::format(
            "{}: {} tensors, {} in {} file{}{}, {:.1f} s", printable(args.out), report.tensors,
            human_size(static_cast<double>(report.bytes)), report.files, report.files == 1 ? "" : "s",
            report.shards == 0 ? "" : fmt::format(" of {} shard{}", report.shards, report.shards == 1 ? "" : "s"),
            seconds));
}

int run(const FinishArguments& args) {
  checkpoint::FinishOptions options;
  options.force = args.force;
  const auto [report, seconds] = with_progress("finish", args.quiet, [&](checkpoint::ProgressCallback progress) {
    options.progress = std::move(progress);
    return checkpoint::finish(args.out, options);
  });
  print_summary(report, args, seconds);
  return kSuccess;
}

}  // namespace

Command add_finish(CLI::App& app) {
  CLI::App* parser = app.add_subcommand("finish", "Put together what a conversion wrote in shards");
  auto args = std::make_shared<FinishArguments>();
  parser->add_option("OUT", args->out, "The output path that the shards were given")->type_name(kPath)->required();
  parser->add_flag("--force", args->force, "Replace an existing output");
  parser->add_flag("--quiet", args->quiet, "Print only errors");
  parser->add_flag("--json", args->json, "Print the summary as JSON");
  parser->footer(
      "Shards gather in OUT.qfuse-shards. This checks that every file is there and holds the tensors that were "
      "planned, and renames the whole to OUT; if something is missing, it names the shards to run again. Where files "
      "can be linked, it needs no room for a second copy. To give up a sharded conversion, remove OUT.qfuse-shards.");
  return {parser, [args] { return run(*args); }};
}

}  // namespace qfuse::cli
