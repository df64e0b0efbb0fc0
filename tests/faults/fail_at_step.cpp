// Preloaded, makes one step of a run fail. A step is a call that creates, writes, moves, removes or reads a file.
// QFUSE_FAIL_AT=<step>,<errno> selects it; with errno 0 the process is killed before the call.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace {

bool fails() {
  static std::atomic<long> steps{0};
  const char* where = std::getenv("QFUSE_FAIL_AT");
  long step = 0;
  int error = 0;
  if (where == nullptr || std::sscanf(where, "%ld,%d", &step, &error) != 2) return false;
  if (++steps != step) return false;
  if (error == 0) ::raise(SIGKILL);
  errno = error;
  return true;
}

// Returns the libc function that this library overrides.
template <typename Call>
Call* next(const char* name) {
  return reinterpret_cast<Call*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  std::va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if ((flags & O_CREAT) != 0 && fails()) return -1;
  return next<int(const char*, int, ...)>("open")(path, flags, mode);
}
ssize_t pread(int fd, void* out, size_t size, off_t offset) {
  return fails() ? -1 : next<decltype(pread)>("pread")(fd, out, size, offset);
}
ssize_t write(int fd, const void* bytes, size_t size) {
  return fd > STDERR_FILENO && fails() ? -1 : next<decltype(write)>("write")(fd, bytes, size);
}
ssize_t pwrite(int fd, const void* bytes, size_t size, off_t offset) {
  return fails() ? -1 : next<decltype(pwrite)>("pwrite")(fd, bytes, size, offset);
}
int fsync(int fd) { return fails() ? -1 : next<decltype(fsync)>("fsync")(fd); }
int mkdir(const char* path, mode_t mode) noexcept {
  return fails() ? -1 : next<int(const char*, mode_t)>("mkdir")(path, mode);
}
int rename(const char* from, const char* to) noexcept {
  return fails() ? -1 : next<int(const char*, const char*)>("rename")(from, to);
}
int link(const char* from, const char* to) noexcept {
  return fails() ? -1 : next<int(const char*, const char*)>("link")(from, to);
}
int unlink(const char* path) noexcept { return fails() ? -1 : next<int(const char*)>("unlink")(path); }
int unlinkat(int directory, const char* path, int flags) noexcept {
  return fails() ? -1 : next<int(int, const char*, int)>("unlinkat")(directory, path, flags);
}
int remove(const char* path) noexcept { return fails() ? -1 : next<int(const char*)>("remove")(path); }

}  // extern "C"
