#include "checkpoint/output/target.h"

#include <unistd.h>

#include <algorithm>
#include <set>
#include <system_error>
#include <vector>

#include "checkpoint/files/components.h"
#include "checkpoint/files/errors.h"
#include "checkpoint/files/file.h"
#include "checkpoint/files/model.h"
#include "checkpoint/output/output_lock.h"

namespace qfuse::checkpoint {
namespace {

namespace fs = std::filesystem;

// Returns the path beside the target with its name and a suffix.
fs::path beside(const fs::path& target, const char* ending) { return fs::path(target.native() + ending); }

bool contains(const fs::path& outer, const fs::path& inner) {
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

// Checks that `force` may delete the directory.
void check_model_directory(const fs::path& target, std::span<const fs::path> folders) {
  const std::vector<fs::path> names = list_directory(target);
  if (!names.empty() && std::none_of(names.begin(), names.end(), is_safetensors))
    fail(Status::invalid_argument, "{}: holds no .safetensors file, so it is no output of qfuse; remove it yourself",
         shown(target));
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(target)) {
    const fs::path name = entry.path().lexically_relative(target);
    if (fs::is_directory(entry.symlink_status()) && std::find(folders.begin(), folders.end(), name) == folders.end())
      fail(Status::invalid_argument, "{}: holds the directory '{}', which the output does not; remove it yourself",
           shown(target), shown(name));
  }
}

void check_pipeline_directory(const fs::path& target) {
  const std::vector<fs::path> names = list_directory(target);
  if (names.empty()) return;
  if (!is_pipeline(target))
    fail(Status::invalid_argument, "{}: holds no {}, so it is no output of qfuse; remove it yourself", shown(target),
         kPipelineFile);
  std::set<fs::path> folders;
  for (const Component& component : read_components(target)) folders.insert(component.name);
  for (const fs::path& name : names)
    if (fs::is_directory(fs::symlink_status(target / name)) && !folders.contains(name))
      fail(Status::invalid_argument, "{}: holds the directory '{}', which {} does not name; remove it yourself",
           shown(target), shown(name), kPipelineFile);
}

void check_parent(const fs::path& parent, std::int64_t bytes) {
  if (!fs::is_directory(parent))
    fail(Status::io_error, "{}: is not an existing directory, the output cannot be made there{}", shown(parent),
         fs::exists(parent) ? "" : fmt::format(": `mkdir -p {}` makes it", shown(parent)));
  if (::access(parent.c_str(), W_OK | X_OK) != 0) fail_errno(parent.native(), "write into it");
  std::error_code error;
  const fs::space_info space = fs::space(parent, error);
  if (!error && space.available < static_cast<std::uintmax_t>(bytes))
    fail(Status::io_error, "{}: has {} free, the output needs {}", shown(parent),
         human_size(static_cast<std::int64_t>(space.available)), human_size(bytes));
}

}  // namespace

void check_apart(const fs::path& target, const fs::path& input) {
  const fs::path out = fs::weakly_canonical(fs::absolute(target));
  const fs::path in = fs::canonical(input);
  std::error_code no_such_file;
  if (out == in || fs::equivalent(target, input, no_such_file))
    fail(Status::invalid_argument, "{}: is the input itself, which is never written to", shown(target));
  if (contains(in, out)) fail(Status::invalid_argument, "{}: lies within the input {}", shown(target), shown(input));
  if (contains(out, in)) fail(Status::invalid_argument, "{}: contains the input {}", shown(target), shown(input));
}

fs::path without_trailing_slash(const fs::path& path) {
  const fs::path normal = path.lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

fs::path parent_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

fs::path partial_directory(const fs::path& target) { return beside(target, ".qfuse-partial"); }

fs::path old_directory(const fs::path& target) { return beside(target, ".qfuse-old"); }

fs::path shards_directory(const fs::path& target) { return beside(target, ".qfuse-shards"); }

// `force` deletes what it replaces, so that must look like the output of an earlier run.
void check_replaceable(const fs::path& target, OutputKind kind, bool force, std::span<const fs::path> folders) {
  const fs::file_status status = fs::status(target);
  if (!fs::exists(fs::symlink_status(target))) return;
  if (kind != OutputKind::file && !fs::is_directory(status))
    fail(Status::invalid_argument, "{}: exists and is no directory, while the output is one", shown(target));
  if (kind == OutputKind::file && !fs::is_regular_file(status))
    fail(Status::invalid_argument, "{}: exists and is no regular file, while the output is one", shown(target));
  if (!force) fail(Status::invalid_argument, "{}: exists already; `force` replaces it", shown(target));
  if (kind == OutputKind::file) return;
  if (const fs::path old = old_directory(target); fs::exists(fs::symlink_status(old)))
    fail(Status::invalid_argument, "{}: was left by a replacement that was interrupted; move or remove it", shown(old));
  if (kind == OutputKind::directory) check_model_directory(target, folders);
  if (kind == OutputKind::pipeline) check_pipeline_directory(target);
}

void check_neighbours(const fs::path& target, const fs::path& input) {
  const fs::path checked = without_trailing_slash(target);
  const fs::path partial = partial_directory(checked);
  const fs::path in = fs::canonical(input);
  for (const fs::path& neighbour : {partial, lock_path(partial), old_directory(checked), shards_directory(checked)})
    if (contains(fs::weakly_canonical(fs::absolute(neighbour)), in))
      fail(Status::invalid_argument, "{}: the input lies in {}, which is removed on the way to {}: rename one of them",
           shown(input), shown(neighbour), shown(checked));
}

fs::path check_target(const fs::path& target, OutputKind kind, bool force, const fs::path& input, std::int64_t bytes,
                      std::span<const fs::path> folders) {
  fs::path checked = without_trailing_slash(target);
  const fs::path name = checked.filename();
  if (name.empty() || name == "." || name == "..")
    fail(Status::invalid_argument, "'{}': is no name for an output", shown(target));
  check_apart(checked, input);
  check_replaceable(checked, kind, force, folders);
  check_parent(parent_of(checked), bytes);
  return checked;
}

}  // namespace qfuse::checkpoint
