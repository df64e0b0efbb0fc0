// Files as the operating system gives them, read and written at an offset.
// Input is read with pread and never mapped: a mapped file that someone truncates kills the process, a short read is
// an error like any other.
#ifndef QFUSE_CHECKPOINT_FILES_FILE_H
#define QFUSE_CHECKPOINT_FILES_FILE_H

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace qfuse::checkpoint {

// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  [[nodiscard]] int get() const { return fd_; }
  int release();

 private:
  int fd_;
};

// A regular file, open for reading; symbolic links are followed.
class InputFile {
 public:
  explicit InputFile(const std::filesystem::path& path);
  [[nodiscard]] const std::string& name() const { return name_; }     // printable
  [[nodiscard]] std::int64_t size() const { return size_; }           // bytes, when it was opened
  [[nodiscard]] std::timespec modified() const { return modified_; }  // when it was last written to, since 1970
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  // Fills `out` from byte `offset` on; io_error if the file ends before.
  void read(std::int64_t offset, std::span<std::byte> out) const;

 private:
  std::filesystem::path path_;
  std::string name_;
  Descriptor fd_;
  std::int64_t size_ = 0;
  std::timespec modified_{};
};

// The whole of a file of at most `limit` bytes; invalid_data if it is longer.
std::string read_text(const std::filesystem::path& path, std::int64_t limit);

// A new file; `path` must not exist. It is complete only after finish().
class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& path);
  void write_at(std::int64_t offset, std::span<const std::byte> bytes);
  void finish();  // to stable storage, and closed

 private:
  std::string name_;
  Descriptor fd_;
};

// Room on disk for what is too large for memory. Has no name in `directory`, so that nothing is left of it.
class ScratchFile {
 public:
  explicit ScratchFile(const std::filesystem::path& directory);
  void write(std::int64_t offset, std::span<const std::byte> bytes);
  // Fills `out` with what was written at `offset`.
  void read(std::int64_t offset, std::span<std::byte> out) const;

 private:
  std::string name_;  // that it had, for messages
  Descriptor fd_;
};

// The names in a directory, sorted.
std::vector<std::filesystem::path> list_directory(const std::filesystem::path& path);

// Whether link() failed with `error` because the file system has no links, or none there, or no more of that file.
bool is_without_links(int error);

// A new directory; `path` must not exist.
void make_directory(const std::filesystem::path& path);

// Makes the names in a directory durable, and, of the second, those in all directories below it.
void sync_directory(const std::filesystem::path& path);
void sync_directories(const std::filesystem::path& path);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_FILE_H
