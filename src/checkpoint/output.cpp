#include "checkpoint/output.h"

#include <fcntl.h>
#include <sys/file.h>
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

std::string shown(const fs::path& path) { return printable(path.native()); }

// "out/" and "out/." name what "out" names; a target's neighbours are found from the latter.
fs::path without_trailing_slash(const fs::path& path) {
  const fs::path normal = path.lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

fs::path parent_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

fs::path beside(const fs::path& target, const char* ending) { return fs::path(target.native() + ending); }

bool contains(const fs::path& outer, const fs::path& inner) {
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

// Whether no other process has it locked. A lock ends with its process, which tells a living run from a dead one. Where
// a file system cannot lock directories, every run counts as dead.
bool lock(const Descriptor& file) { return ::flock(file.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK; }

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

PendingOutput::PendingOutput(const fs::path& target, OutputKind kind, bool force, const fs::path& input,
                             std::int64_t bytes)
    : target_(without_trailing_slash(target)), partial_(beside(target_, kPartialEnding)), kind_(kind) {
  if (!target_.has_filename()) fail(Status::invalid_argument, "'{}': is no name for an output", shown(target));
  check_apart(target_, input);
  check_replaceable(target_, kind, force);
  check_parent(parent_of(target_), bytes);
  claim_partial();
}

void PendingOutput::claim_partial() {
  const Descriptor left(::open(partial_.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (!lock(left)) fail(Status::io_error, "{}: is being written by another process", shown(partial_));
  fs::remove_all(partial_);
  if (::mkdir(partial_.c_str(), 0777) != 0) fail_errno(partial_.native(), "create");
  lock_ = Descriptor(::open(partial_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!lock(lock_)) fail(Status::io_error, "{}: is being written by another process", shown(partial_));
}

PendingOutput::~PendingOutput() {
  std::error_code ignored;  // there is nobody left to tell
  fs::remove_all(partial_, ignored);
}

OutputFile PendingOutput::create(const fs::path& name) const {
  return OutputFile(partial_ / (kind_ == OutputKind::file ? target_.filename() : name));
}

void PendingOutput::create_text(const fs::path& name, std::string_view text) const {
  OutputFile file = create(name);
  file.write(text);
  file.finish();
}

void PendingOutput::create_copy(const fs::path& from) const {
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
}

void PendingOutput::commit() {
  sync_directory(partial_);
  if (kind_ == OutputKind::file)
    fs::rename(partial_ / target_.filename(), target_);
  else
    replace_directory();
  sync_directory(parent_of(target_));
}

// No rename replaces a directory that holds something, so the old one steps aside first.
void PendingOutput::replace_directory() const {
  const fs::path old = beside(target_, kOldEnding);
  const bool replaces = fs::exists(fs::symlink_status(target_));
  if (replaces) fs::rename(target_, old);
  std::error_code error;
  fs::rename(partial_, target_, error);
  if (error && replaces) fs::rename(old, target_);
  if (error) throw fs::filesystem_error("rename", partial_, target_, error);
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

}  // namespace qfuse::checkpoint
