// Makes an output of what the shards of a conversion left. Nothing that they made is removed before the output has its
// name, so that whatever happens on the way, it can be run again.
#include <algorithm>
#include <map>
#include <qfuse/checkpoint.hpp>
#include <set>
#include <system_error>

#include "checkpoint/bitsandbytes.h"
#include "checkpoint/errors.h"
#include "checkpoint/output.h"
#include "checkpoint/progress.h"
#include "checkpoint/shards.h"

namespace qfuse::checkpoint {
namespace {

namespace fs = std::filesystem;

// "a, b, c and 4 more"
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 3;  // what a line has room for
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kMost) text += fmt::format(" and {} more", names.size() - kMost);
  return text;
}

void check_begun(const fs::path& target, const fs::path& shards) {
  if (fs::is_directory(fs::symlink_status(shards)) && fs::exists(shards / kPlanFile)) return;
  if (fs::exists(target))
    fail(Status::invalid_argument, "{}: nothing to finish: it exists, and no {} beside it", shown(target),
         shown(shards.filename()));
  fail(Status::invalid_argument, "{}: nothing to finish: there is no {}, which --shard makes", shown(target),
       shown(shards.filename() / kPlanFile));
}

// What is no part of the output is not thrown away with the directory.
void check_known(const fs::path& shards, const ShardsPlan& plan) {
  std::set<std::string> names;
  for (const ShardsPlan::File& file : plan.files) names.insert(file.name);
  for (const fs::path& name : list_shards(shards))
    if (!names.contains(name) && !plan.others.contains(name))
      fail(Status::invalid_data, "{}: '{}' is no part of the output: move or remove it", shown(shards), shown(name));
}

void check_complete(const fs::path& shards, const ShardsPlan& plan) {
  std::vector<std::string> missing;
  std::set<std::int64_t> of_shards;
  const auto look_for = [&](const std::string& name, std::int64_t shard) {
    if (fs::is_regular_file(fs::symlink_status(shards / name))) return;
    missing.push_back(fmt::format("'{}'", printable(name)));
    of_shards.insert(shard);
  };
  for (const std::string& name : plan.others) look_for(name, 0);
  for (std::size_t i = 0; i < plan.files.size(); ++i) look_for(plan.files[i].name, shard_of(i, plan.shards));
  if (missing.empty()) return;
  std::vector<std::string> again;
  again.reserve(of_shards.size());
  for (const std::int64_t shard : of_shards) again.push_back(shard_name({shard, plan.shards}));
  fail(Status::invalid_data, "{}: {} of {} files are missing ({}): run --shard {}", shown(shards), missing.size(),
       plan.files.size() + plan.others.size(), some_of(missing), some_of(again));
}

std::string described(const TensorEntry& entry) {
  return fmt::format("{} {}", type_name(entry.type), printable(entry.shape));
}

// How long a quant_state prints is known only when it is made; the plan has the most that it can be.
bool is_as_planned(const TensorEntry& found, const TensorEntry& planned) {
  if (found.type != planned.type) return false;
  if (!is_quant_state(planned.name)) return found.shape == planned.shape;
  return found.shape.size() == 1 && found.bytes() >= 1 && planned.shape.size() == 1 &&
         found.shape.front() <= planned.shape.front();
}

void check_tensors(const SafetensorsFile& file, const std::vector<TensorEntry>& planned) {
  std::map<std::string_view, const TensorEntry*> found;
  for (const TensorEntry& entry : file.entries()) found.emplace(entry.name, &entry);
  for (const TensorEntry& entry : planned) {
    const auto its = found.find(entry.name);
    if (its == found.end())
      fail(Status::invalid_data, "{}: tensor '{}' is missing", file.name(), printable(entry.name));
    if (!is_as_planned(*its->second, entry))
      fail(Status::invalid_data, "{}: tensor '{}': is {}, the plan says {}", file.name(), printable(entry.name),
           described(*its->second), described(entry));
  }
  if (found.size() != planned.size())
    fail(Status::invalid_data, "{}: has {} tensors, the plan says {}", file.name(), found.size(), planned.size());
}

// Calls `work`; where it finds something wrong with a file, the message ends with `advice`.
template <typename Work>
auto advising(const std::string& advice, Work work) {
  try {
    return work();
  } catch (const Error& error) {
    if (error.status() != Status::invalid_data) throw;
    fail(Status::invalid_data, "{}: {}", error.what(), advice);
  }
}

std::string run_again(std::int64_t shard, const ShardsPlan& plan) {
  return fmt::format("run --shard {} again", shard_name({shard, plan.shards}));
}

ShardsPlan read_plan(const fs::path& shards) {
  return advising(fmt::format("remove {} and run all shards again", shown(shards)),
                  [&] { return parse_shards_plan(read_shards_plan(shards), shown(shards / kPlanFile)); });
}

struct FinishedFile {
  std::string name;
  std::vector<TensorEntry> entries;
};

// What the files hold, which is what was planned.
std::vector<FinishedFile> check_files(const fs::path& shards, const ShardsPlan& plan) {
  std::vector<FinishedFile> files;
  for (std::size_t i = 0; i < plan.files.size(); ++i)
    advising(run_again(shard_of(i, plan.shards), plan), [&] {
      const SafetensorsFile file(shards / plan.files[i].name);
      check_tensors(file, plan.files[i].tensors);
      files.push_back({plan.files[i].name, file.entries()});
    });
  return files;
}

// Whether `target` was made of these very files by a run that was killed before it removed them.
bool is_made_of(const fs::path& target, const fs::path& shards, const ShardsPlan& plan) {
  std::error_code no_such_file;
  return std::all_of(plan.files.begin(), plan.files.end(), [&](const ShardsPlan::File& file) {
    return fs::equivalent(target / file.name, shards / file.name, no_such_file);
  });
}

FinishReport report_of(const ShardsPlan& plan, const std::vector<FinishedFile>& files) {
  FinishReport report;
  report.shards = plan.shards;
  report.files = static_cast<std::int64_t>(files.size());
  for (const FinishedFile& file : files)
    for (const TensorEntry& entry : file.entries) {
      ++report.tensors;
      report.bytes += entry.bytes();
    }
  return report;
}

void assemble(const PendingOutput& output, const fs::path& shards, const ShardsPlan& plan,
              const std::vector<FinishedFile>& files, ProgressMeter& meter) {
  for (const FinishedFile& file : files) {
    std::int64_t bytes = 0;
    for (const TensorEntry& entry : file.entries) bytes += entry.bytes();
    output.create_link(shards / file.name);
    meter.advance(file.name, bytes);
  }
  if (files.size() > 1) output.create_text(kIndexFile, index_json(index_of(files)));
  for (const std::string& name : plan.others) output.create_link(shards / name);
}

FinishReport finish_shards(const fs::path& out, const FinishOptions& options) {
  const fs::path target = without_trailing_slash(out);
  const fs::path shards = shards_directory(target);
  check_begun(target, shards);
  Descriptor lock = lock_shards(shards, LockKind::exclusive);
  const ShardsPlan plan = read_plan(shards);
  check_known(shards, plan);
  check_complete(shards, plan);
  const std::vector<FinishedFile> files = check_files(shards, plan);
  const FinishReport report = report_of(plan, files);
  PendingOutput output(target, OutputKind::directory, options.force || is_made_of(target, shards, plan), shards, 0);
  ProgressMeter meter(options.progress, report.bytes);
  assemble(output, shards, plan, files, meter);
  output.commit();
  output.discard(shards);
  lock = Descriptor();  // NFS cannot remove the directory of a file that is open
  return report;
}

}  // namespace

FinishReport finish(const fs::path& out, const FinishOptions& options) {
  return with_qfuse_errors([&] { return finish_shards(out, options); });
}

}  // namespace qfuse::checkpoint
