// The soak: case after case, mode after mode, until the time is over or something is wrong.
#ifndef QFUSE_TESTS_SOAK_SOAK_H
#define QFUSE_TESTS_SOAK_SOAK_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "case.h"
#include "modes.h"

namespace qfuse::soak {

struct Options {
  std::string program;  // as it was called
  double seconds = 30;
  std::uint64_t seed = 1;
  std::vector<std::string> ops;
  int device = 0;
  std::optional<Case> only;  // nothing else
  std::optional<Mode> mode;  // in no other one
  bool new_threads = true;
  bool verbose = false;
  std::int64_t most_faults = 1;
};

// Ends the soak as if its time were over. May be called by a signal's handler.
void interrupt();

// Prints what was found. Gives the program's exit status: 1 where there was a fault, 130 where it was interrupted.
int soak(const Options& options);

}  // namespace qfuse::soak

#endif  // QFUSE_TESTS_SOAK_SOAK_H
