// A call with its own arrays: copies of its inputs, and poisoned outputs of the exact size, with the requested
// misalignment. For ops with several outputs. support/output.h is for ops with one.
#ifndef QFUSE_TESTS_SUPPORT_MOVED_H
#define QFUSE_TESTS_SUPPORT_MOVED_H

#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "support/buffer.h"
#include "support/compare.h"
#include "support/run.h"

namespace qfuse::tests {

template <class Op>
class Moved {
 public:
  explicit Moved(const Op& p, std::size_t misalignment = 0) : params(p), misalignment_(misalignment) {
    visit_arrays(params, *this);
  }
  Moved(const Moved&) = delete;
  Moved& operator=(const Moved&) = delete;

  template <class T>
  void operator()(const char* name, T*& array, std::int64_t size) {
    if (size == 0) return;
    Buffer buffer(static_cast<std::size_t>(size), misalignment_);
    if constexpr (std::is_const_v<T>) std::memcpy(buffer.as<void>(), array, buffer.size());
    array = buffer.as<T>();
    (std::is_const_v<T> ? inputs_ : outputs).push_back({name, std::move(buffer)});
  }

  struct Named {
    std::string name;
    Buffer bytes;
  };
  Op params;
  std::vector<Named> outputs;

 private:
  std::vector<Named> inputs_;
  std::size_t misalignment_;
};

// Runs the call on exec's device.
template <class Op>
void run_moved(Moved<Op>& call, const qfuse_exec& exec) {
  qfuse_error error{};
  ASSERT_EQ(run(call.params, exec, &error), QFUSE_OK) << error.message;
  for (const auto& output : call.outputs)
    ASSERT_TRUE(output.bytes.front_is_intact()) << "bytes before " << output.name << " were written";
}

// Expects that a call's outputs have the same bytes as `expected`.
template <class Op>
void expect_moved(const Op& p, const Moved<Op>& expected, const qfuse_exec& exec, std::size_t misalignment = 0) {
  Moved<Op> actual(p, misalignment);
  run_moved(actual, exec);
  for (std::size_t i = 0; i < expected.outputs.size(); ++i)
    ASSERT_TRUE(same_bytes(expected.outputs[i].bytes, actual.outputs[i].bytes)) << actual.outputs[i].name;
}

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_SUPPORT_MOVED_H
