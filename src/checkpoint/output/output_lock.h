// Who may work where, among processes that may be on different hosts: locks that end with their process, which tells a
// living run from a dead one. The lock is on a file beside what it protects, and the file is open for writing: NFS
// locks neither directories nor files open for reading. Where a file system cannot lock, every run counts as dead.
#ifndef QFUSE_CHECKPOINT_OUTPUT_OUTPUT_LOCK_H
#define QFUSE_CHECKPOINT_OUTPUT_OUTPUT_LOCK_H

#include <filesystem>
#include <optional>

#include "checkpoint/files/file.h"

namespace qfuse::checkpoint {

enum class LockKind { shared, exclusive };

// The file of the lock on `directory`.
std::filesystem::path lock_path(const std::filesystem::path& directory);

// The lock on the file `path`, which is made where it is missing; none while another process has it otherwise.
std::optional<Descriptor> take_lock(const std::filesystem::path& path, LockKind kind);

// A new directory that one process works in, and that goes with it. What a dead run left there is removed first; while
// a living one works there, a second is refused.
class WorkDirectory {
 public:
  explicit WorkDirectory(std::filesystem::path path);
  WorkDirectory(const WorkDirectory&) = delete;
  WorkDirectory& operator=(const WorkDirectory&) = delete;
  ~WorkDirectory();  // with all that is in it
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  // The exclusive lock on it, whose file goes with it.
  class Lock {
   public:
    explicit Lock(const std::filesystem::path& directory);
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
    ~Lock();

   private:
    std::filesystem::path path_;
    Descriptor file_;
  };

  std::filesystem::path path_;
  Lock lock_;
};

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_OUTPUT_OUTPUT_LOCK_H
