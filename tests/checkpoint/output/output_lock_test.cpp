// Locks between processes, on failing file systems, and beside processes that start and end.
#include "checkpoint/output/output_lock.h"

#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <functional>

#include "support.h"

namespace {

// Runs before each flock(); returns 0 to lock, or an errno to fail with.
std::function<int()> before_flock;  // NOLINT(cert-err58-cpp): empty

}  // namespace

// Overrides the C library's flock().
extern "C" int flock(int file, int operation) noexcept {
  errno = before_flock ? before_flock() : 0;
  return errno != 0 ? -1 : static_cast<int>(::syscall(SYS_flock, file, operation));
}

namespace qfuse::checkpoint {
namespace {

class Lock : public testing::Test {
 protected:
  ~Lock() override { before_flock = nullptr; }

  bool is_taken() { return take_lock(path_, LockKind::exclusive).has_value(); }
  std::string error() {
    return error_of(Status::io_error, [&] { is_taken(); });
  }

  TemporaryDirectory directory_;
  fs::path path_ = directory_ / "sub/lock";

  void SetUp() override { fs::create_directory(directory_ / "sub"); }
};

TEST_F(Lock, is_one_processs) {
  const auto shared = take_lock(path_, LockKind::shared);
  EXPECT_TRUE(shared && take_lock(path_, LockKind::shared)) << "there are several of those";
  EXPECT_FALSE(is_taken());
}

TEST_F(Lock, interrupted_by_a_signal_is_tried_again) {
  const auto other = take_lock(path_, LockKind::exclusive);
  int calls = 0;
  before_flock = [&] { return ++calls < 3 ? EINTR : 0; };
  EXPECT_FALSE(is_taken()) << "to be interrupted is not to have it";
  EXPECT_EQ(calls, 3);
}

TEST_F(Lock, counts_as_taken_only_where_the_file_system_has_none) {
  for (const int number : {ENOSYS, EOPNOTSUPP, EINVAL}) {
    before_flock = [&] { return number; };
    EXPECT_TRUE(is_taken());
  }
  for (const int number : {ENOLCK, EIO, EBADF}) {
    before_flock = [&] { return number; };
    EXPECT_TRUE(holds(error(), "lock: cannot lock: "));
  }
}

TEST_F(Lock, whose_file_another_process_removed_or_replaced_is_taken_again) {
  int calls = 0;
  before_flock = [&] {
    if (++calls < 3) fs::remove(path_);
    if (calls == 2) write_file(path_, "another's");
    return 0;
  };
  EXPECT_TRUE(is_taken());
  EXPECT_EQ(calls, 3);
}

TEST_F(Lock, whose_file_is_removed_for_ever_is_given_up) {
  before_flock = [&] { return fs::remove(path_), 0; };
  EXPECT_TRUE(holds(error(), "was gone each of 100 times"));
}

TEST_F(Lock, whose_file_cannot_be_looked_at_is_an_error) {
  int calls = 0;
  before_flock = [&] {
    ++calls;
    fs::remove_all(directory_ / "sub");
    write_file(directory_ / "sub", "no directory");
    return 0;
  };
  EXPECT_TRUE(holds(error(), "lock: cannot stat: Not a directory"));
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace qfuse::checkpoint
