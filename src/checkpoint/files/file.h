// Files of the operating system, read and written at an offset. Input is read with pread and never mapped: if someone
// truncates a mapped file, the process is killed, while a short read is an ordinary error.
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
  [[nodiscard]] std::timespec modified() const { return modified_; }  // time of the last write, since 1970
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  // Fills `out` from byte `offset` on; fails with io_error if the file ends before that.
  void read(std::int64_t offset, std::span<std::byte> out) const;

 private:
  std::filesystem::path path_;
  std::string name_;
  Descriptor fd_;
  std::int64_t size_ = 0;
  std::timespec modified_{};
};

// Returns the content of a file of at most `limit` bytes; fails with invalid_data if it is longer.
std::string read_text(const std::filesystem::path& path, std::int64_t limit);

// A new file; `path` must not exist. It is complete only after finish().
class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& path);
  void write_at(std::int64_t offset, std::span<const std::byte> bytes);
  void finish();  // flushes to stable storage and closes

 private:
  std::string name_;
  Descriptor fd_;
};

// Disk space for data too large for memory. The file has no name in `directory`, so nothing is left of it.
class ScratchFile {
 public:
  explicit ScratchFile(const std::filesystem::path& directory);
  void write(std::int64_t offset, std::span<const std::byte> bytes);
  // Fills `out` with the bytes written at `offset`.
  void read(std::int64_t offset, std::span<std::byte> out) const;

 private:
  std::string name_;  // the name before it was unlinked, for messages
  Descriptor fd_;
};

// Returns the sorted names in a directory.
std::vector<std::filesystem::path> list_directory(const std::filesystem::path& path);

// Whether link() failed with `error` because links are impossible here: unsupported, across devices, or too many.
bool is_without_links(int error);

// Creates a directory; `path` must not exist.
void make_directory(const std::filesystem::path& path);

// Makes the names in a directory durable; the second function also those in all directories below it.
void sync_directory(const std::filesystem::path& path);
void sync_directories(const std::filesystem::path& path);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_FILE_H
