// The soak: runs case after case in mode after mode until the time is over or there is a fault.
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
  std::string program;  // argv[0]
  double seconds = 30;
  std::uint64_t seed = 1;
  std::vector<std::string> ops;
  int device = 0;
  std::optional<Case> only;  // run only this case
  std::optional<Mode> mode;  // run only in this mode
  bool new_threads = true;
  bool verbose = false;
  std::int64_t most_faults = 1;
};

// Ends the soak as if its time were over. Safe to call from a signal handler.
void interrupt();

// Prints the results. Returns the program's exit status: 1 after a fault, 130 if interrupted.
int soak(const Options& options);

}  // namespace qfuse::soak

#endif  // QFUSE_TESTS_SOAK_SOAK_H
