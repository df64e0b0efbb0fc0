#include "checkpoint/output.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <vector>

#include "checkpoint/errors.h"
#include "checkpoint/json.h"

namespace qfuse::checkpoint {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPartialEnding = ".qfuse-partial";
constexpr const char* kOldEnding = ".qfuse-old";  // what is being replaced, for a moment
constexpr const char* kShardsEnding = ".qfuse-shards";

bool contains(const fs::path& outer, const fs::path& inner) {
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

void check_apart(const fs::path& target, const fs::path& input) {
  const fs::path out = fs::weakly_canonical(fs::absolute(target));
  const fs::path in = fs::canonical(input);
  std::error_code no_such_file;
  if (out == in || fs::equivalent(target, input, no_such_file))
    fail(Status::invalid_argument, "{}: is the input itself, which is never written to", shown(target));
  if (contains(in, out)) fail(Status::invalid_argument, "{}: lies within the input {}", shown(target), shown(input));
  if (contains(out, in)) fail(Status::invalid_argument, "{}: contains the input {}", shown(target), shown(input));
}

bool is_weights(const fs::path& name) { return name.extension() == ".safetensors"; }

// What --force replaces is deleted, so it must look like what was written by an earlier run.
void check_replaceable(const fs::path& target, OutputKind kind, bool force) {
  const fs::file_status status = fs::status(target);
  if (!fs::exists(fs::symlink_status(target))) return;
  if (kind == OutputKind::directory && !fs::is_directory(status))
    fail(Status::invalid_argument, "{}: exists and is no directory, while the output is one", shown(target));
  if (kind == OutputKind::file && !fs::is_regular_file(status))
    fail(Status::invalid_argument, "{}: exists and is no regular file, while the output is one", shown(target));
  if (!force) fail(Status::invalid_argument, "{}: exists already; --force replaces it", shown(target));
  if (kind == OutputKind::file) return;
  if (const fs::path old = beside(target, kOldEnding); fs::exists(fs::symlink_status(old)))
    fail(Status::invalid_argument, "{}: was left by a replacement that was interrupted; move or remove it", shown(old));
  const std::vector<fs::path> names = list_directory(target);
  if (!names.empty() && std::none_of(names.begin(), names.end(), is_weights))
    fail(Status::invalid_argument, "{}: holds no .safetensors file, so it is no output of qfuse; remove it yourself",
         shown(target));
  for (const fs::path& name : names)
    if (fs::is_directory(fs::symlink_status(target / name)))
      fail(Status::invalid_argument, "{}: holds the directory '{}', so it is no output of qfuse; remove it yourself",
           shown(target), shown(name));
}

void check_parent(const fs::path& parent, std::int64_t bytes) {
  if (!fs::is_directory(parent))
    fail(Status::io_error, "{}: is not an existing directory, the output cannot be made there", shown(parent));
  if (::access(parent.c_str(), W_OK | X_OK) != 0) fail_errno(parent.native(), "write into it");
  std::error_code error;
  const fs::space_info space = fs::space(parent, error);
  if (!error && space.available < static_cast<std::uintmax_t>(bytes))
    fail(Status::io_error, "{}: has {} bytes free, the output needs {}", shown(parent), space.available, bytes);
}

}  // namespace

fs::path without_trailing_slash(const fs::path& path) {
  const fs::path normal = path.lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

fs::path parent_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

fs::path beside(const fs::path& target, const char* ending) { return fs::path(target.native() + ending); }

fs::path partial_directory(const fs::path& target) { return beside(target, kPartialEnding); }

fs::path shards_directory(const fs::path& target) { return beside(target, kShardsEnding); }

void check_neighbours(const fs::path& target, const fs::path& input) {
  const fs::path checked = without_trailing_slash(target);
  const fs::path partial = partial_directory(checked);
  const fs::path in = fs::canonical(input);
  for (const fs::path& neighbour :
       {partial, lock_path(partial), beside(checked, kOldEnding), shards_directory(checked)})
    if (contains(fs::weakly_canonical(fs::absolute(neighbour)), in))
      fail(Status::invalid_argument, "{}: the input lies in {}, which is removed on the way to {}: rename one of them",
           shown(input), shown(neighbour), shown(checked));
}

fs::path check_target(const fs::path& target, OutputKind kind, bool force, const fs::path& input, std::int64_t bytes) {
  fs::path checked = without_trailing_slash(target);
  if (!checked.has_filename()) fail(Status::invalid_argument, "'{}': is no name for an output", shown(target));
  check_apart(checked, input);
  check_replaceable(checked, kind, force);
  check_parent(parent_of(checked), bytes);
  return checked;
}

PendingOutput::PendingOutput(const fs::path& target, OutputKind kind, bool force, const fs::path& input,
                             std::int64_t bytes)
    : target_(check_target(target, kind, force, input, bytes)),
      kind_(kind),
      work_(partial_directory(target_)),
      result_(work_.path() / target_.filename()) {
  if (kind_ == OutputKind::directory && ::mkdir(result_.c_str(), 0777) != 0) fail_errno(result_.native(), "create");
}

fs::path PendingOutput::place(const fs::path& name) const {
  return kind_ == OutputKind::file ? result_ : result_ / name;
}

void Destination::create_text(const fs::path& name, std::string_view text) const {
  OutputFile file = create(name);
  file.write(text);
  file.finish();
  publish(name);
}

void Destination::create_copy(const fs::path& from) const {
  constexpr std::int64_t kPiece = 1 << 20;  // bytes
  const InputFile source(from);
  OutputFile copy = create(from.filename());
  std::vector<std::byte> buffer;
  for (std::int64_t at = 0; at < source.size(); at += kPiece) {
    buffer.resize(static_cast<std::size_t>(std::min(source.size() - at, kPiece)));
    source.read(at, buffer);
    copy.write(buffer);
  }
  copy.finish();
  publish(from.filename());
}

void PendingOutput::create_link(const fs::path& from) const {
  const fs::path to = place(from.filename());
  if (::link(from.c_str(), to.c_str()) == 0) return;
  if (!is_without_links(errno)) fail_errno(to.native(), "link");
  create_copy(from);
}

void PendingOutput::commit() {
  if (kind_ == OutputKind::file) {
    fs::rename(result_, target_);
  } else {
    sync_directory(result_);
    replace_directory();
  }
  sync_directory(parent_of(target_));
}

// No rename replaces a directory that holds something, so the old one steps aside first.
void PendingOutput::replace_directory() const {
  const fs::path old = beside(target_, kOldEnding);
  const bool replaces = fs::exists(fs::symlink_status(target_));
  if (replaces) fs::rename(target_, old);
  std::error_code error;
  fs::rename(result_, target_, error);
  if (error && replaces) fs::rename(old, target_);
  if (error) throw fs::filesystem_error("rename", result_, target_, error);
  if (replaces) fs::remove_all(old);
}

std::string weight_file_name(std::size_t i, std::size_t count) {
  if (count == 1) return std::string(kModelFile);
  return fmt::format("model-{:05}-of-{:05}.safetensors", i + 1, count);
}

std::string index_json(std::span<const IndexedFile> files) {
  nlohmann::json index;
  std::int64_t total_size = 0;
  for (const IndexedFile& file : files)
    for (const TensorEntry& entry : file.entries) {
      index["weight_map"][entry.name] = file.name;
      total_size += entry.bytes();
    }
  index["metadata"]["total_size"] = total_size;
  return print_json(index);
}

std::vector<fs::path> companion_files(const Model& model) {
  std::vector<fs::path> names;
  if (!model.is_directory()) return names;
  for (fs::path& name : list_directory(model.path()))
    if (fs::is_regular_file(model.path() / name) && !is_weight_file(name) && name != kConfigFile)
      names.push_back(std::move(name));
  return names;
}

void create_further_files(const Destination& output, const Model& model, std::string_view config) {
  if (!config.empty()) output.create_text(kConfigFile, config);
  for (const fs::path& name : companion_files(model)) output.create_copy(model.path() / name);
}

}  // namespace qfuse::checkpoint
