// Floating-point mode of every op on the host, whatever the caller's is: round to nearest even, no flush to zero.
#ifndef QFUSE_CONTRACT_FLOAT_MODE_H
#define QFUSE_CONTRACT_FLOAT_MODE_H

#include <cfenv>

namespace qfuse::contract {

// Sets this thread's mode while the object lives, then restores the caller's mode and exception flags.
class DefaultFloatMode {
 public:
  DefaultFloatMode() {
    std::fegetenv(&callers_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatMode() { std::fesetenv(&callers_); }
  DefaultFloatMode(const DefaultFloatMode&) = delete;
  DefaultFloatMode& operator=(const DefaultFloatMode&) = delete;

 private:
  std::fenv_t callers_{};
};

}  // namespace qfuse::contract

#endif  // QFUSE_CONTRACT_FLOAT_MODE_H
