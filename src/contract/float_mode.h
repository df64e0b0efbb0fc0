// The floating-point mode that every op on the host runs in, whatever the caller's is: nearest even, nothing flushed.
#ifndef QFUSE_CONTRACT_FLOAT_MODE_H
#define QFUSE_CONTRACT_FLOAT_MODE_H

#include <cfenv>

namespace qfuse::contract {

// In this thread, as long as the object lives; then the caller's mode again, and the caller's exception flags.
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
