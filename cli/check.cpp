#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <qfuse/checkpoint.hpp>
#include <string>

#include "command.h"
#include "options.h"
#include "text.h"

namespace qfuse::cli {
namespace {

struct CheckArguments {
  std::string in;
  bool json = false;
};

constexpr std::size_t kMostShown = 40;

void print_problems(const checkpoint::CheckReport& report, std::FILE* file) {
  for (std::size_t i = 0; i < std::min(report.problems.size(), kMostShown); ++i) {
    const checkpoint::CheckProblem& problem = report.problems[i];
    say(file, fmt::format("{:<13}{}{}{}", problem.kind, printable(problem.tensor), problem.tensor.empty() ? "" : ": ",
                          printable(problem.message)));
  }
  if (report.problems.size() > kMostShown)
    say(file, fmt::format("and {} more, which `qfuse check --json` lists", report.problems.size() - kMostShown));
}

void print_notes(const checkpoint::CheckReport& report) {
  for (const std::string& note : report.notes) say(stderr, fmt::format("qfuse: note: {}", note));
}

int run(const CheckArguments& args) {
  const checkpoint::CheckReport report = checkpoint::check(args.in);
  const int code = !report.problems.empty() ? kDifferent : report.cannot_tell ? kCannotTell : kSuccess;
  if (args.json) {
    fmt::print("{}\n", checkpoint::to_json(report));
    return code;
  }
  print_notes(report);
  print_problems(report, stdout);
  const std::string found = code == kSuccess      ? "nothing is wrong"
                            : code == kCannotTell ? "nothing is wrong in what could be compared"
                                                  : fmt::format("{} problem{}", report.problems.size(),
                                                                report.problems.size() == 1 ? "" : "s");
  say(stdout, fmt::format("{} tensor{} in {} file{}: {}", report.tensors, report.tensors == 1 ? "" : "s", report.files,
                          report.files == 1 ? "" : "s", found));
  return code;
}

}  // namespace

int check_written(const ConversionArguments& args) {
  if (!args.check) return kSuccess;
  const checkpoint::CheckReport report = checkpoint::check(args.out);
  if (!args.quiet) print_notes(report);
  print_problems(report, stderr);
  if (report.problems.empty()) {
    if (!args.quiet && !args.json) say(stdout, fmt::format("{}: checked, nothing is wrong", printable(args.out)));
    return kSuccess;
  }
  say(stderr,
      fmt::format("qfuse: error: {}: was written, and {} of its tensors or files are not as transformers needs them",
                  printable(args.out), report.problems.size()));
  return kFailure;
}

Command add_check(CLI::App& app) {
  CLI::App* parser = app.add_subcommand("check", "Check that transformers would load every weight of a model");
  auto args = std::make_shared<CheckArguments>();
  parser->add_option("IN", args->in, "A model directory, or a diffusers pipeline")->type_name(kPath)->required();
  parser->add_flag("--json", args->json, "Print JSON");
  parser->footer(
      "Reads only the headers and config.json, and compares them with what the model's class has in transformers. It "
      "finds tensors that are missing and would be random, that are not of the class and would be lost, or that have "
      "other shapes; tokens without a row in the embedding; files that contradict each other about the end of a text; "
      "an adapter beside the model; and a quantization_config that does not fit. Exit codes: 0 nothing is wrong, 1 "
      "something is, 3 cannot tell, because something could not be compared. From Python, qfuse.checkpoint.check also "
      "asks transformers itself.");
  return {parser, [args] { return run(*args); }, kCannotTell};
}

}  // namespace qfuse::cli
