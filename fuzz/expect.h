// Assertions of all fuzz targets. A false condition aborts the run, and libFuzzer saves the input.
#ifndef QFUSE_FUZZ_EXPECT_H
#define QFUSE_FUZZ_EXPECT_H

#include <cstdio>
#include <cstdlib>
#include <qfuse/qfuse.hpp>
#include <string>

namespace qfuse::fuzz {

inline void expect(bool condition, const std::string& rule) {
  if (condition) return;
  std::fprintf(stderr, "broken: %s\n", rule.c_str());
  std::abort();
}

// Expects an error message of one short line that begins with `where`.
inline void expect_readable(const Error& error, const std::string& where) {
  const std::string message = error.what();
  expect(message.starts_with(where), "a message begins with where: " + message);
  expect(message.find('\n') == std::string::npos, "a message is one line: " + message);
  expect(message.size() < 2000, "a message is short: " + message);
}

}  // namespace qfuse::fuzz

#endif  // QFUSE_FUZZ_EXPECT_H
