// For ops with one output array, named `out`: runs a call and compares its output.
#ifndef QFUSE_TESTS_SUPPORT_OUTPUT_H
#define QFUSE_TESTS_SUPPORT_OUTPUT_H

#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "support/buffer.h"
#include "support/compare.h"
#include "support/run.h"

namespace qfuse::tests {

// Size of a call's `out` in bytes.
template <class Op>
std::size_t output_size(Op p) {
  struct {
    void operator()(const char* name, const void* /*array*/, std::int64_t bytes) {
      if (std::string_view(name) == "out") size = static_cast<std::size_t>(bytes);
    }
    void operator()(const char* /*name*/, const void* /*array*/, std::int64_t /*bytes*/, contract::Workspace) {}
    std::size_t size = 0;
  } visit;
  visit_arrays(p, visit);
  return visit.size;
}

// Returns a call's `out`, written into a poisoned buffer of the exact size with the requested misalignment.
template <class Op>
Buffer output_of(Op p, const qfuse_exec& exec, std::size_t misalignment = 0) {
  Buffer out(output_size(p), misalignment);
  p.out = out.template as<void>();
  qfuse_error error{};
  EXPECT_EQ(run(p, exec, &error), QFUSE_OK) << error.message;
  EXPECT_TRUE(out.front_is_intact()) << "bytes before the output were written";
  return out;
}

template <class Op>
void expect_output(const Op& p, std::span<const std::uint8_t> expected, const qfuse_exec& exec,
                   std::size_t misalignment = 0) {
  const Buffer out = output_of(p, exec, misalignment);
  ASSERT_TRUE(same_bytes(expected, out));
}

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_SUPPORT_OUTPUT_H
