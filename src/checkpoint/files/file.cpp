#include "checkpoint/files/file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "checkpoint/files/errors.h"

namespace qfuse::checkpoint {

namespace fs = std::filesystem;

namespace {

void write_at(const Descriptor& fd, const std::string& name, std::int64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::pwrite(fd.get(), bytes.data(), bytes.size(), offset);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail_errno(name, "write");
    offset += put;
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
}

void read_at(const Descriptor& fd, const std::string& name, std::int64_t offset, std::span<std::byte> out) {
  while (!out.empty()) {
    const ssize_t got = ::pread(fd.get(), out.data(), out.size(), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_errno(name, "read");
    if (got == 0)
      fail(Status::io_error, "{}: ends at byte {}, while {} more were there when it was opened", name, offset,
           out.size());
    offset += got;
    out = out.subspan(static_cast<std::size_t>(got));
  }
}

bool raise_limit_on_files() {
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return false;
  limit.rlim_cur = limit.rlim_max;
  return ::setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

// Opens a file, and raises the soft limit (often 1024 or 256) if necessary: all files of a model stay open.
int open_file(const fs::path& path, int flags, mode_t mode = 0) {
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  if (fd >= 0 || errno != EMFILE) return fd;
  if (raise_limit_on_files()) return ::open(path.c_str(), flags | O_CLOEXEC, mode);
  errno = EMFILE;
  return fd;
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

int Descriptor::release() { return std::exchange(fd_, -1); }

// O_NONBLOCK lets a FIFO in place of a file be opened and refused at once, instead of waiting for a writer.
InputFile::InputFile(const fs::path& path)
    : path_(path), name_(printable(path.native())), fd_(open_file(path, O_RDONLY | O_NONBLOCK)) {
  if (fd_.get() < 0) fail_errno(name_, "open");
  struct stat info {};
  if (::fstat(fd_.get(), &info) != 0) fail_errno(name_, "stat");
  if (!S_ISREG(info.st_mode)) fail(Status::io_error, "{}: is not a regular file", name_);
  size_ = info.st_size;
  modified_ = info.st_mtim;
}

void InputFile::read(std::int64_t offset, std::span<std::byte> out) const { read_at(fd_, name_, offset, out); }

std::string read_text(const fs::path& path, std::int64_t limit) {
  const InputFile file(path);
  if (file.size() > limit)
    fail(Status::invalid_data, "{}: has {} bytes, more than {}", file.name(), file.size(), limit);
  std::string text(static_cast<std::size_t>(file.size()), '\0');
  file.read(0, std::as_writable_bytes(std::span(text)));
  return text;
}

OutputFile::OutputFile(const fs::path& path)
    : name_(printable(path.native())), fd_(open_file(path, O_WRONLY | O_CREAT | O_EXCL, 0666)) {
  if (fd_.get() < 0) fail_errno(name_, "create");
}

void OutputFile::write_at(std::int64_t offset, std::span<const std::byte> bytes) {
  checkpoint::write_at(fd_, name_, offset, bytes);
}

void OutputFile::finish() {
  if (::fsync(fd_.get()) != 0) fail_errno(name_, "flush");
  if (::close(fd_.release()) != 0) fail_errno(name_, "close");
}

ScratchFile::ScratchFile(const fs::path& directory) {
  const fs::path path = directory / ".qfuse-scratch";
  name_ = printable(path.native());
  fd_ = Descriptor(open_file(path, O_RDWR | O_CREAT | O_EXCL, 0600));
  if (fd_.get() < 0) fail_errno(name_, "create");
  if (::unlink(path.c_str()) != 0) fail_errno(name_, "unlink");
}

void ScratchFile::write(std::int64_t offset, std::span<const std::byte> bytes) { write_at(fd_, name_, offset, bytes); }

void ScratchFile::read(std::int64_t offset, std::span<std::byte> out) const { read_at(fd_, name_, offset, out); }

bool is_without_links(int error) {
  return error == EPERM || error == EOPNOTSUPP || error == EXDEV || error == EMLINK || error == ENOSYS;
}

void make_directory(const fs::path& path) {
  if (::mkdir(path.c_str(), 0777) != 0) fail_errno(path.native(), "create");
}

void sync_directories(const fs::path& path) {
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path))
    if (entry.is_directory()) sync_directory(entry.path());
  sync_directory(path);
}

void sync_directory(const fs::path& path) {
  const Descriptor fd(open_file(path, O_RDONLY | O_DIRECTORY));
  // Some network file systems cannot flush a directory and return EINVAL; their renames are durable by other means.
  if (fd.get() < 0 || (::fsync(fd.get()) != 0 && errno != EINVAL)) fail_errno(path.native(), "flush");
}

std::vector<fs::path> list_directory(const fs::path& directory) {
  std::vector<fs::path> names;
  std::error_code error;
  fs::directory_iterator entry(directory, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) names.push_back(entry->path().filename());
  if (error) fail(Status::io_error, "{}: cannot list: {}", printable(directory.native()), error.message());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace qfuse::checkpoint
