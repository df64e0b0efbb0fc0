// What the fuzzers of whole directories share.
#ifndef QFUSE_FUZZ_SCRATCH_H
#define QFUSE_FUZZ_SCRATCH_H

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <qfuse/checkpoint.hpp>
#include <string>

#include "expect.h"

namespace qfuse::fuzz {

namespace fs = std::filesystem;

// A directory of this process, in memory if /dev/shm exists. A failed run leaves the directory for inspection. Also
// counts how far inputs get: most must get past the headers, or the code after that is not tested.
struct Scratch {
  Scratch() { fs::create_directory(path); }
  ~Scratch() {
    fs::remove_all(path);
    for (const auto& [what, count] : counts) std::fprintf(stderr, "%ld %s\n", count, what.c_str());
  }
  fs::path path = (fs::exists("/dev/shm") ? "/dev/shm" : fs::temp_directory_path()) /
                  fs::path("qfuse-fuzz-" + std::to_string(::getpid()));
  std::map<std::string, long> counts;
};

// Returns whether `work` succeeded.
template <typename Work>
bool succeeds(Work work) {
  try {
    work();
    return true;
  } catch (const Error& error) {
    expect_readable(error, "");
    return false;
  }
}

inline void expect_whole(const fs::path& out, const checkpoint::ConversionReport& report) {
  const checkpoint::Inventory inventory = checkpoint::inspect(out);
  expect(report.tensors == static_cast<std::int64_t>(inventory.tensors.size()), "the output has all tensors");
  expect(report.files == inventory.files, "the output has all files");
  expect(report.bytes_written == inventory.bytes, "the output has all bytes");
}

}  // namespace qfuse::fuzz

#endif  // QFUSE_FUZZ_SCRATCH_H
