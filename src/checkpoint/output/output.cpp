#include "checkpoint/output/output.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <vector>

#include "checkpoint/files/errors.h"

namespace qfuse::checkpoint {

namespace fs = std::filesystem;

PendingOutput::PendingOutput(const fs::path& target, OutputKind kind, bool force, const fs::path& input,
                             std::int64_t bytes)
    : target_(check_target(target, kind, force, input, bytes)),
      kind_(kind),
      force_(force),
      work_(partial_directory(target_)),
      result_(work_.path() / target_.filename()) {
  if (kind_ != OutputKind::file && ::mkdir(result_.c_str(), 0777) != 0) fail_errno(result_.native(), "create");
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

void PendingOutput::create_link(const fs::path& from) const {
  const fs::path to = place(from.filename());
  if (::link(from.c_str(), to.c_str()) == 0) return;
  if (!is_without_links(errno)) fail_errno(to.native(), "link");
  create_copy(from, from.filename());
}

fs::path PendingOutput::create_folder(const std::string& name) const {
  fs::path folder = result_ / name;
  if (::mkdir(folder.c_str(), 0777) != 0) fail_errno(folder.native(), "create");
  return folder;
}

// Another process may have made the target meanwhile.
void PendingOutput::commit() {
  check_replaceable(target_, kind_, force_);
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
