#include "checkpoint/output/output_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "checkpoint/files/errors.h"

namespace qfuse::checkpoint {
namespace {

namespace fs = std::filesystem;

// Returns whether the lock was free, or the file system has no locks, like some network file systems.
bool lock(const Descriptor& file, int operation, const fs::path& path) {
  int result = 0;
  do result = ::flock(file.get(), operation);
  while (result != 0 && errno == EINTR);
  if (result == 0 || errno == ENOSYS || errno == EOPNOTSUPP || errno == EINVAL) return true;
  if (errno != EWOULDBLOCK) fail_errno(path.native(), "lock");
  return false;
}

// Whether `file` is still at `path`: an earlier owner removes it in the end, and another process may then make one.
bool is_at(const Descriptor& file, const fs::path& path) {
  struct stat opened {};
  struct stat there {};
  if (::fstat(file.get(), &opened) != 0) fail_errno(path.native(), "stat");
  if (::lstat(path.c_str(), &there) != 0 && errno != ENOENT) fail_errno(path.native(), "stat");
  // If no file is there, st_ino is 0. If st_nlink is 0, the file was removed, and lstat() saw a stale cache entry.
  return opened.st_nlink > 0 && opened.st_dev == there.st_dev && opened.st_ino == there.st_ino;
}

}  // namespace

fs::path lock_path(const fs::path& directory) { return fs::path(directory.native() + ".lock"); }

std::optional<Descriptor> take_lock(const fs::path& path, LockKind kind) {
  constexpr int kTries = 100;  // more than ever needed; avoids hanging on a file system that loses its own files
  const int operation = (kind == LockKind::shared ? LOCK_SH : LOCK_EX) | LOCK_NB;
  for (int i = 0; i < kTries; ++i) {
    Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0666));
    if (file.get() < 0) fail_errno(path.native(), "create");
    if (!lock(file, operation, path)) return std::nullopt;
    if (is_at(file, path)) return file;
  }
  fail(Status::io_error, "{}: was gone each of {} times that it was made to be locked", printable(path.native()),
       kTries);
}

WorkDirectory::Lock::Lock(const fs::path& directory) : path_(lock_path(directory)) {
  std::optional<Descriptor> lock = take_lock(path_, LockKind::exclusive);
  if (!lock) fail(Status::io_error, "{}: is being written by another process", printable(directory.native()));
  file_ = std::move(*lock);
}

WorkDirectory::Lock::~Lock() { ::unlink(path_.c_str()); }

WorkDirectory::WorkDirectory(fs::path path) : path_(std::move(path)), lock_(path_) {
  fs::remove_all(path_);
  if (::mkdir(path_.c_str(), 0777) != 0) fail_errno(path_.native(), "create");
}

WorkDirectory::~WorkDirectory() {
  std::error_code ignored;  // nobody is left to tell
  fs::remove_all(path_, ignored);
}

}  // namespace qfuse::checkpoint
