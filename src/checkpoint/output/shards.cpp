#include "checkpoint/output/shards.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "checkpoint/files/errors.h"

namespace qfuse::checkpoint {
namespace {

namespace fs = std::filesystem;

// Creates the directory that all shards share, unless another shard already did.
fs::path make_shards_directory(const fs::path& target) {
  fs::path shards = shards_directory(target);
  const bool made = ::mkdir(shards.c_str(), 0777) == 0;
  if (!made && errno != EEXIST) fail_errno(shards.native(), "create");
  if (!fs::is_directory(fs::symlink_status(shards)))
    fail(Status::invalid_argument, "{}: is no directory; move or remove it", shown(shards));
  if (made) sync_directory(parent_of(target));
  return shards;
}

}  // namespace

Descriptor lock_shards(const fs::path& shards, LockKind kind) {
  std::optional<Descriptor> lock = take_lock(shards / ".qfuse-lock", kind);
  if (!lock)
    fail(Status::io_error, "{}: {}", shown(shards),
         kind == LockKind::shared ? "is being finished by another process" : "a shard is still being written there");
  return std::move(*lock);
}

std::vector<fs::path> list_shards(const fs::path& shards) {
  std::vector<fs::path> names;
  for (fs::recursive_directory_iterator entry(shards), end; entry != end; ++entry) {
    const fs::path name = entry->path().lexically_relative(shards);
    if (name.native().starts_with(kOwnPrefix))
      entry.disable_recursion_pending();
    else if (!name.filename().native().starts_with(".nfs"))
      names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool is_in_shards(const fs::path& shards, const fs::path& name, fs::file_type type) {
  fs::path at = shards;
  for (auto part = name.begin(); part != name.end();) {
    at /= *part;
    const bool is_last = ++part == name.end();
    std::error_code error;
    if (fs::symlink_status(at, error).type() != (is_last ? type : fs::file_type::directory)) return false;
  }
  return true;
}

ShardOutput::ShardOutput(const fs::path& target, const Shard& shard, bool force, const fs::path& input,
                         std::int64_t bytes, const std::string& plan, std::span<const fs::path> folders)
    : shards_(make_shards_directory(check_target(target, OutputKind::directory, force, input, bytes, folders))),
      lock_(lock_shards(shards_, LockKind::shared)),
      work_(shards_ / fmt::format(".qfuse-shard-{:05}", shard.index)) {
  agree_on(plan);
  remove_earlier(parse_shards_plan(plan, shown(shards_ / kPlanFile)), shard.index);
}

OutputFile ShardOutput::create(const fs::path& name) const { return OutputFile(work_.path() / name); }

void ShardOutput::publish(const fs::path& name) const {
  fs::rename(work_.path() / name, shards_ / name);
  sync_directory((shards_ / name).parent_path());
}

void ShardOutput::create_folder(const fs::path& name) const {
  make_directory(work_.path() / name);
  make_directory(shards_ / name);
  sync_directory((shards_ / name).parent_path());
}

// link() never replaces a file, so of several processes only the first publishes. Without hard links the last one wins,
// which matters only for processes that start at the same moment with different plans.
void ShardOutput::publish_plan(const std::string& plan) const {
  OutputFile file = create(kPlanFile);
  file.write_at(0, std::as_bytes(std::span(plan)));
  file.finish();
  const fs::path here = work_.path() / kPlanFile;
  const fs::path there = shards_ / kPlanFile;
  if (::link(here.c_str(), there.c_str()) != 0 && errno != EEXIST) {
    if (!is_without_links(errno)) fail_errno(there.native(), "link");
    fs::rename(here, there);
  }
  sync_directory(shards_);
}

void ShardOutput::agree_on(const std::string& plan) const {
  const std::vector<fs::path> files = list_shards(shards_);  // listed first: the plan is older than any file
  if (!fs::exists(fs::symlink_status(shards_ / kPlanFile))) {
    if (!files.empty())
      fail(
          Status::invalid_data,
          "{}: holds '{}' of an unknown conversion, since {} is missing: remove the directory and run all shards again",
          shown(shards_), shown(files.front()), kPlanFile);
    publish_plan(plan);
  }
  const std::string found = read_shards_plan(shards_);
  if (found != plan)
    fail(Status::invalid_argument,
         "{}: holds another conversion ({}): finish it, or remove the directory and run all shards again",
         shown(shards_), plan_difference(found, plan));
}

void ShardOutput::remove_earlier(const ShardsPlan& plan, std::int64_t shard) const {
  for (std::size_t i = 0; i < plan.files.size(); ++i)
    if (shard_of(i, plan.shards) == shard) fs::remove(shards_ / plan.files[i].name);
  if (shard != 0) return;
  for (const std::string& name : plan.others)
    if (is_in_shards(shards_, name, fs::file_type::regular)) fs::remove(shards_ / name);
  // Children first. A folder with an unknown file stays, and creating it again then reports an error.
  for (auto name = plan.folders.rbegin(); name != plan.folders.rend(); ++name)
    if (std::error_code not_empty; is_in_shards(shards_, *name, fs::file_type::directory))
      fs::remove(shards_ / *name, not_empty);
}

}  // namespace qfuse::checkpoint
