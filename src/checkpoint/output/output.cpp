#include "checkpoint/output/output.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

#include "checkpoint/files/errors.h"

namespace qfuse::checkpoint {

namespace fs = std::filesystem;

PendingOutput::PendingOutput(const fs::path& target, OutputKind kind, bool force, const fs::path& input,
                             std::int64_t bytes, std::vector<fs::path> folders)
    : target_(check_target(target, kind, force, input, bytes, folders)),
      kind_(kind),
      force_(force),
      folders_(std::move(folders)),
      work_(partial_directory(target_)),
      result_(work_.path() / target_.filename()) {
  if (kind_ != OutputKind::file) make_directory(result_);
}

fs::path PendingOutput::place(const fs::path& name) const {
  return kind_ == OutputKind::file ? result_ : result_ / name;
}

void Destination::create_text(const fs::path& name, std::string_view text) const {
  OutputFile file = create(name);
  file.write_at(0, std::as_bytes(std::span(text)));
  file.finish();
  publish(name);
}

void Destination::create_copy(const fs::path& from, const fs::path& name, ProgressMeter* meter) const {
  constexpr std::int64_t kPiece = 1 << 20;  // bytes
  const InputFile source(from);
  OutputFile copy = create(name);
  std::vector<std::byte> buffer;
  for (std::int64_t at = 0; at < source.size(); at += kPiece) {
    buffer.resize(static_cast<std::size_t>(std::min(source.size() - at, kPiece)));
    source.read(at, buffer);
    copy.write_at(at, buffer);
    if (meter != nullptr) meter->advance(name.native(), std::ssize(buffer));
  }
  copy.finish();
  publish(name);
}

void PendingOutput::create_link(const fs::path& from, const fs::path& name) const {
  const fs::path to = place(name);
  if (::link(from.c_str(), to.c_str()) == 0) return;
  if (!is_without_links(errno)) fail_errno(to.native(), "link");
  create_copy(from, name);
}

void PendingOutput::create_folder(const fs::path& name) const { make_directory(place(name)); }

// Checks the target again, because another process may have created it meanwhile.
void PendingOutput::commit() {
  check_replaceable(target_, kind_, force_, folders_);
  if (kind_ == OutputKind::file) {
    fs::rename(result_, target_);
  } else {
    sync_directories(result_);
    replace_directory();
  }
  sync_directory(parent_of(target_));
}

// rename() cannot replace a directory that is not empty, so the old one is moved away first.
void PendingOutput::replace_directory() const {
  const fs::path old = old_directory(target_);
  const bool replaces = fs::exists(fs::symlink_status(target_));
  if (replaces) fs::rename(target_, old);
  std::error_code error;
  fs::rename(result_, target_, error);
  if (error && replaces) fs::rename(old, target_);
  if (error) throw fs::filesystem_error("rename", result_, target_, error);
  if (replaces) fs::remove_all(old);
}

}  // namespace qfuse::checkpoint
