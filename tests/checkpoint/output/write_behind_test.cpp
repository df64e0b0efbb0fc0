#include "checkpoint/output/write_behind.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <string>
#include <system_error>

#include "checkpoint/files/errors.h"
#include "support.h"

namespace qfuse::checkpoint {
namespace {

// Limits files of this process to `bytes` during its lifetime: writing further fails with EFBIG.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_{};
};

void put(WriteBehind& behind, std::size_t offset, std::size_t size, char byte) {
  std::ranges::fill(behind.buffer(size), static_cast<std::byte>(byte));
  behind.write(static_cast<std::int64_t>(offset));
}

TEST(Errors, of_the_system_are_qfuse_s) {  // e.g. a thread that cannot be started
  const std::error_code error(EAGAIN, std::generic_category());
  EXPECT_EQ(error_of(Status::io_error, [&] { with_qfuse_errors([&] { throw std::system_error(error); }); }),
            "Resource temporarily unavailable");
}

TEST(WriteBehind, writes_everything) {
  const TemporaryDirectory directory;
  OutputFile file(directory / "file");
  std::array<HostMemory, 3> buffers;
  WriteBehind behind(file, buffers);
  std::string expected;
  for (int i = 0; i < 200; ++i) {
    const std::size_t size = i % 7 == 0 ? 0 : static_cast<std::size_t>(i % 50) * 1000 + 1;
    put(behind, expected.size(), size, static_cast<char>('a' + i % 26));
    expected.append(size, static_cast<char>('a' + i % 26));
  }
  behind.finish();
  file.finish();
  EXPECT_TRUE(read_file(directory / "file") == expected);
}

// An encoder writes like this: it fills several tensors of a file in turn.
TEST(WriteBehind, writes_where_it_is_told) {
  const TemporaryDirectory directory;
  OutputFile file(directory / "file");
  file.write_at(0, std::as_bytes(std::span("header", 6)));
  std::array<HostMemory, 3> buffers;
  WriteBehind behind(file, buffers);
  constexpr std::size_t kPiece = 1000;
  constexpr std::size_t kPieces = 60;
  std::string expected = "header" + std::string(2 * kPieces * kPiece, '?');
  for (std::size_t i = 0; i < 2 * kPieces; ++i) {
    const std::size_t place = 6 + (i % 2 * kPieces + kPieces - 1 - i / 2) * kPiece;  // two tensors, each back to front
    const char byte = static_cast<char>('a' + i % 26);
    put(behind, place, kPiece, byte);
    expected.replace(place, kPiece, kPiece, byte);
  }
  behind.finish();
  file.finish();
  EXPECT_TRUE(read_file(directory / "file") == expected);
}

TEST(WriteBehind, a_failure_reaches_the_caller) {
  const TemporaryDirectory directory;
  OutputFile file(directory / "file");
  const FileSizeLimit limit(10'000);
  std::array<HostMemory, 3> buffers;
  WriteBehind behind(file, buffers);
  EXPECT_THROW(
      {
        for (std::size_t i = 0; i < 100; ++i) put(behind, 1000 * i, 1000, 'x');
        behind.finish();
      },
      Error);
}

TEST(WriteBehind, a_failure_of_the_last_write_reaches_finish) {
  const TemporaryDirectory directory;
  OutputFile file(directory / "file");
  const FileSizeLimit limit(100);
  std::array<HostMemory, 3> buffers;
  WriteBehind behind(file, buffers);
  put(behind, 0, 1000, 'x');
  EXPECT_THROW(behind.finish(), Error);
}

TEST(WriteBehind, may_be_abandoned) {
  const TemporaryDirectory directory;
  OutputFile file(directory / "file");
  std::array<HostMemory, 3> buffers;
  WriteBehind behind(file, buffers);
  put(behind, 0, 1000, 'x');
  behind.buffer(10);  // taken, but not written
}

}  // namespace
}  // namespace qfuse::checkpoint
