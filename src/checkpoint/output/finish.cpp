// Assembles an output from the files of a conversion's shards. Removes nothing that the shards made before the output
// has its final name, so that finish() can be repeated after any interruption.
#include <algorithm>
#include <map>
#include <optional>
#include <qfuse/checkpoint.hpp>
#include <set>
#include <system_error>
#include <utility>

#include "checkpoint/files/bitsandbytes.h"
#include "checkpoint/files/errors.h"
#include "checkpoint/files/progress.h"
#include "checkpoint/output/output.h"
#include "checkpoint/output/shards.h"

namespace qfuse::checkpoint {
namespace {

namespace fs = std::filesystem;

// Formats names like "a, b, c and 4 more".
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 3;  // as many as fit in a line
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
  fail(Status::invalid_argument, "{}: nothing to finish: there is no {}, which conversions with `shard` make",
       shown(target), shown(shards.filename() / kPlanFile));
}

// Fails for files that are not part of the output, because they would be deleted with the directory.
void check_known(const fs::path& shards, const ShardsPlan& plan) {
  std::set<std::string> names;
  for (const ShardsPlan::File& file : plan.files) names.insert(file.name);
  for (const fs::path& name : list_shards(shards))
    if (!names.contains(name) && !plan.others.contains(name) && !plan.folders.contains(name))
      fail(Status::invalid_data, "{}: '{}' is no part of the output: move or remove it", shown(shards), shown(name));
}

std::string described(const TensorEntry& entry) {
  return fmt::format("{} {}", type_name(entry.type), printable(entry.shape));
}

// The length of a printed quant_state is only known when it is made; the plan has its maximum.
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

ShardsPlan read_plan(const fs::path& shards) {
  try {
    return parse_shards_plan(read_shards_plan(shards), shown(shards / kPlanFile));
  } catch (const Error& error) {
    if (error.status() != Status::invalid_data) throw;
    fail(Status::invalid_data, "{}: remove {} and run all shards again", error.what(), shown(shards));
  }
}

struct FinishedFile {
  std::string name;
  std::vector<TensorEntry> entries;
  std::int64_t bytes;  // of tensor data
};

// Problems with the files of a directory, and the shards that must run again.
struct Faults {
  std::vector<std::string> missing;  // names
  std::vector<std::string> wrong;    // messages that begin with the path
  std::set<std::int64_t> shards;

  void add(std::vector<std::string>& list, std::string text, std::int64_t shard) {
    list.push_back(std::move(text));
    shards.insert(shard);
  }
};

// Throws if there are any faults.
void report_faults(const Faults& faults, const fs::path& shards, const ShardsPlan& plan) {
  if (faults.shards.empty()) return;
  std::string what;
  if (!faults.missing.empty())
    what = fmt::format("{}: {} of {} files {} missing ({})", shown(shards), faults.missing.size(),
                       plan.files.size() + plan.folders.size() + plan.others.size(),
                       faults.missing.size() == 1 ? "is" : "are", some_of(faults.missing));
  if (!faults.wrong.empty()) what += (what.empty() ? "" : "; ") + faults.wrong.front();
  if (faults.wrong.size() > 1) what += fmt::format("; {} more wrong", faults.wrong.size() - 1);
  fail(Status::invalid_data, "{}: run {}", what, shards_name(faults.shards, plan.shards));
}

// Checks the files against the plan, and returns their contents.
std::vector<FinishedFile> check_files(const fs::path& shards, const ShardsPlan& plan) {
  std::vector<FinishedFile> files;
  Faults faults;
  const auto is_there = [&](const std::string& name, std::int64_t shard, fs::file_type type = fs::file_type::regular) {
    const bool is = is_in_shards(shards, name, type);
    if (!is) faults.add(faults.missing, fmt::format("'{}'", printable(name)), shard);
    return is;
  };
  for (const std::string& name : plan.folders) is_there(name, 0, fs::file_type::directory);
  for (const std::string& name : plan.others) is_there(name, 0);
  for (std::size_t i = 0; i < plan.files.size(); ++i) {
    const std::int64_t shard = shard_of(i, plan.shards);
    if (!is_there(plan.files[i].name, shard)) continue;
    try {
      const SafetensorsFile file(shards / plan.files[i].name);
      check_tensors(file, plan.files[i].tensors);
      files.push_back({plan.files[i].name, file.entries(), file.data_bytes()});
    } catch (const Error& error) {
      if (error.status() != Status::invalid_data) throw;
      faults.add(faults.wrong, error.what(), shard);
    }
  }
  report_faults(faults, shards, plan);
  return files;
}

// Returns the name of the output's index.
std::string index_name(const ShardsPlan& plan) { return index_file_name(stem_of(plan.files.front().name)); }

// Whether `target` was made from these very files by a run that ended before it removed them: the same files,
// hard-linked in both places, while target and shards are not the same directory.
bool is_made_of(const fs::path& target, const fs::path& shards, const ShardsPlan& plan) {
  std::error_code none;
  if (fs::is_symlink(target, none) || fs::equivalent(target, shards, none)) return false;
  const auto is_linked = [&](const std::string& name) {
    return is_in_shards(target, name, fs::file_type::regular) && fs::equivalent(target / name, shards / name, none);
  };
  return (plan.files.size() == 1 || fs::exists(target / index_name(plan), none)) &&
         std::all_of(plan.folders.begin(), plan.folders.end(),
                     [&](const std::string& name) { return is_in_shards(target, name, fs::file_type::directory); }) &&
         std::all_of(plan.others.begin(), plan.others.end(), is_linked) &&
         std::all_of(plan.files.begin(), plan.files.end(),
                     [&](const ShardsPlan::File& file) { return is_linked(file.name); });
}

FinishReport report_of(const ShardsPlan& plan, const std::vector<FinishedFile>& files) {
  FinishReport report;
  report.shards = plan.shards;
  report.files = std::ssize(files);
  std::set<std::string_view> names;
  for (const FinishedFile& file : files) {
    for (const TensorEntry& entry : file.entries) names.insert(entry.name);
    report.bytes += file.bytes;
  }
  report.tensors = tensor_count(names);
  return report;
}

void assemble(const PendingOutput& output, const fs::path& shards, const ShardsPlan& plan,
              const std::vector<FinishedFile>& files, ProgressMeter& meter) {
  for (const FinishedFile& file : files) {
    output.create_link(shards / file.name, file.name);
    meter.advance(file.name, file.bytes);
  }
  if (files.size() > 1) output.create_text(index_name(plan), index_json(index_of(files)));
  for (const std::string& name : plan.folders) output.create_folder(name);
  for (const std::string& name : plan.others) output.create_link(shards / name, name);
}

// Moves the shards in one step into the directory that its owner removes. Releases the lock, because NFS cannot remove
// a directory with an open file.
void discard(const fs::path& shards, const fs::path& work, Descriptor /*lock*/) {
  fs::rename(shards, work / shards.filename());
}

// Completes a run that ended while it removed the shards, which was its last step.
std::optional<FinishReport> finish_removal(const fs::path& target, const fs::path& shards) {
  const fs::path partial = partial_directory(target);
  if (fs::exists(fs::symlink_status(shards)) || !fs::is_directory(target) ||
      !fs::is_directory(fs::symlink_status(partial / shards.filename())))
    return std::nullopt;
  const Model model(target);
  const WorkDirectory work(partial);
  FinishReport report;
  report.files = std::ssize(model.files());
  std::set<std::string_view> names;
  for (const SafetensorsFile& file : model.files())
    for (const TensorEntry& entry : file.entries()) names.insert(entry.name);
  report.tensors = tensor_count(names);
  report.bytes = model.data_bytes();
  return report;
}

FinishReport finish_shards(const fs::path& out, const FinishOptions& options) {
  const fs::path target = without_trailing_slash(out);
  const fs::path shards = shards_directory(target);
  if (const std::optional<FinishReport> report = finish_removal(target, shards)) return *report;
  check_begun(target, shards);
  Descriptor lock = lock_shards(shards, LockKind::exclusive);
  const ShardsPlan plan = read_plan(shards);
  check_known(shards, plan);
  const std::vector<FinishedFile> files = check_files(shards, plan);
  const FinishReport report = report_of(plan, files);
  if (is_made_of(target, shards, plan)) {
    const WorkDirectory work(partial_directory(target));
    sync_directory(parent_of(target));
    discard(shards, work.path(), std::move(lock));
    return report;
  }
  PendingOutput output(target, OutputKind::directory, options.force, shards, 0,
                       {plan.folders.begin(), plan.folders.end()});
  ProgressMeter meter(options.progress, report.bytes);
  assemble(output, shards, plan, files, meter);
  output.commit();
  discard(shards, output.work(), std::move(lock));
  return report;
}

}  // namespace

FinishReport finish(const fs::path& out, const FinishOptions& options) {
  return with_qfuse_errors([&] { return finish_shards(out, options); });
}

}  // namespace qfuse::checkpoint
