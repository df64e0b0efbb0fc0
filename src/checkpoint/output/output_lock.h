// Locks between processes, possibly on different hosts. A lock ends with its process, so it tells a living run from a
// dead one. It is on a file beside the protected directory, opened for writing, because NFS can lock neither
// directories nor files opened for reading. On a file system without locks, every run counts as dead.
#ifndef QFUSE_CHECKPOINT_OUTPUT_OUTPUT_LOCK_H
#define QFUSE_CHECKPOINT_OUTPUT_OUTPUT_LOCK_H

#include <filesystem>
#include <optional>

#include "checkpoint/files/file.h"

namespace qfuse::checkpoint {

enum class LockKind { shared, exclusive };

// Returns the path of the lock file for `directory`.
std::filesystem::path lock_path(const std::filesystem::path& directory);

// Locks the file `path`, which is created if missing; nullopt while another process holds a conflicting lock.
std::optional<Descriptor> take_lock(const std::filesystem::path& path, LockKind kind);

// A new directory for one process, removed with this object. Removes first what a dead run left there; fails if a
// living process works there.
class WorkDirectory {
 public:
  explicit WorkDirectory(std::filesystem::path path);
  WorkDirectory(const WorkDirectory&) = delete;
  WorkDirectory& operator=(const WorkDirectory&) = delete;
  ~WorkDirectory();  // removes the directory with its content
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  // The exclusive lock on the directory; its file is removed with it.
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
