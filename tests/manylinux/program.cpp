// Uses C and C++ library features that are newer than manylinux_2_28: constructors before main (the startup code of
// glibc 2.34), std::filesystem, waits on the steady clock, stat. Prints a line for each that works.
#include <sys/stat.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <thread>

namespace {

struct Constructed {
  int value = std::puts("constructed");
} constructed;

void wait_for_a_thread() {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::unique_lock lock(mutex);
  const auto begin = std::chrono::steady_clock::now();
  changed.wait_for(lock, std::chrono::milliseconds(20), [] { return false; });
  const auto waited = std::chrono::steady_clock::now() - begin;
  std::thread thread([&] {
    const std::lock_guard guard(mutex);
    done = true;
    changed.notify_one();
  });
  const bool told = changed.wait_for(lock, std::chrono::seconds(60), [&] { return done; });
  lock.unlock();
  thread.join();
  if (told && waited >= std::chrono::milliseconds(20)) std::puts("waited");
}

void look_at_files(const char* program) {
  struct stat status {};
  if (stat(program, &status) == 0 && static_cast<std::uintmax_t>(status.st_size) == std::filesystem::file_size(program))
    std::puts("looked");
  try {
    static_cast<void>(std::filesystem::file_size(std::filesystem::path(program) / "nothing"));
  } catch (const std::filesystem::filesystem_error&) {
    std::puts("caught");
  }
}

}  // namespace

int main(int, char** arguments) {
  wait_for_a_thread();
  look_at_files(arguments[0]);
}
