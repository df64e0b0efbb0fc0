// The summary that a conversion prints at its end.
#include <fmt/format.h>

#include "json.h"
#include "options.h"

namespace qfuse::cli {
namespace {

// Returns the end of a summary line: it names a device that has memory of its own, and is empty for others.
std::string on_gpu(qfuse_device device) {
  return qfuse_device_has_own_memory(device.type) != 0 ? " on " + device_name(device) : "";
}

// Returns the output's name in the summary.
std::string output_name(const ConversionArguments& args) {
  return printable(args.out) + (args.shard.empty() ? "" : ", shard " + args.shard);
}

// Prints, after the summary of a shard, the command to run when all shards are done.
void print_next_step(const ConversionArguments& args, std::int64_t shards, std::int64_t files) {
  if (files == 0) fmt::print("nothing to do for this shard: the output has fewer files\n");
  fmt::print("when all {} shards are done: qfuse finish {}{}\n", shards, printable(args.out),
             args.force ? " --force" : "");
}

// For a conversion to 4 bits: prints how much was quantized and what was not.
void print_kept(const checkpoint::ConversionReport& report) {
  if (report.kept.empty()) return;
  std::int64_t bytes = 0;
  std::string kinds;
  for (const checkpoint::KeptTensors& kept : report.kept) {
    bytes += kept.bytes;
    kinds += fmt::format("{}{} of {}{}", kinds.empty() ? "" : ", ", human_size(static_cast<double>(kept.bytes)),
                         kept.kind, kept.kind == "experts" ? " (--experts quantizes them)" : "");
  }
  say(stdout, fmt::format("  in 4 bits: {}, from {}", human_size(static_cast<double>(report.bytes_written - bytes)),
                          human_size(static_cast<double>(report.bytes_read - bytes))));
  say(stdout, "  not quantized: " + kinds);
}

Json json_of(const std::vector<checkpoint::KeptTensors>& all) {
  Json json = Json::array();
  for (const checkpoint::KeptTensors& kept : all)
    json.push_back({{"kind", kept.kind}, {"tensors", kept.tensors}, {"bytes", kept.bytes}});
  return json;
}

}  // namespace

void print_notes(const checkpoint::ConversionReport& report, const ConversionArguments& args) {
  if (args.quiet) return;
  for (const std::string& note : report.notes) say(stderr, fmt::format("qfuse: note: {}", with_own_options(note)));
}

void print_summary(const std::string& done, const std::string& sizes, const checkpoint::ConversionReport& report,
                   const ConversionArguments& args, const checkpoint::ConversionOptions& options, double seconds) {
  const qfuse_device device = options.exec.device;
  print_notes(report, args);
  if (args.json) {
    Json json{{"tensors", report.tensors},
              {done, report.converted},
              {"files", report.files},
              {"bytes_read", report.bytes_read},
              {"bytes_written", report.bytes_written},
              {"device", device_name(device)},
              {"seconds", to_milliseconds(seconds)}};
    if (!report.kept.empty()) json["kept"] = json_of(report.kept);
    print_json(json);
  } else if (!args.quiet && args.dry_run) {
    say(stdout, fmt::format("{}: {} of {} tensors would be {}, {} in {} file{}; nothing was written", output_name(args),
                            report.converted, report.tensors, done, sizes, report.files, report.files == 1 ? "" : "s"));
    print_kept(report);
  } else if (!args.quiet) {
    say(stdout,
        fmt::format("{}: {} of {} tensors {}, {} in {} file{}, {:.1f} s{}", output_name(args), report.converted,
                    report.tensors, done, sizes, report.files, report.files == 1 ? "" : "s", seconds, on_gpu(device)));
    print_kept(report);
    if (options.shard) print_next_step(args, options.shard->count, report.files);
  }
}

}  // namespace qfuse::cli
