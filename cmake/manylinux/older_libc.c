// Symbols that glibc has only since a version after 2.28, for binaries that run with 2.28 (see link_libraries).
#include <pthread.h>
#include <stddef.h>
#include <time.h>

struct stat;

// stat and its variants are functions since 2.33. Before, they were inlined calls of these, with the number of the
// structure's layout: 1 on x86-64, 0 on the architectures that came later (bits/xstatver.h of glibc 2.32).
#ifdef __x86_64__
enum { kLayout = 1 };
#else
enum { kLayout = 0 };
#endif
int __xstat(int layout, const char* path, struct stat* result);
int __lxstat(int layout, const char* path, struct stat* result);
int __fxstat(int layout, int file, struct stat* result);
int __fxstatat(int layout, int folder, const char* path, struct stat* result, int flags);

int stat(const char* path, struct stat* result) { return __xstat(kLayout, path, result); }
int lstat(const char* path, struct stat* result) { return __lxstat(kLayout, path, result); }
int fstat(int file, struct stat* result) { return __fxstat(kLayout, file, result); }
int fstatat(int folder, const char* path, struct stat* result, int flags) {
  return __fxstatat(kLayout, folder, path, result, flags);
}

// Since 2.32. Nonzero if the process has only one thread, in which case libstdc++ counts references without atomic
// instructions. 0 is always correct.
char __libc_single_threaded = 0;

// Since 2.30. Waits equally long on CLOCK_REALTIME. The wait is wrong by any change of that clock meanwhile, like
// libstdc++'s own waits with an older glibc. The caller checks its clock again.
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const struct timespec* until) {
  enum { kSecond = 1000000000 };
  struct timespec now;
  struct timespec end;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += until->tv_sec - now.tv_sec;
  end.tv_nsec += until->tv_nsec - now.tv_nsec;
  if (end.tv_nsec < 0) {
    end.tv_nsec += kSecond;
    --end.tv_sec;
  } else if (end.tv_nsec >= kSecond) {
    end.tv_nsec -= kSecond;
    ++end.tv_sec;
  }
  return pthread_cond_timedwait(condition, mutex, &end);
}
