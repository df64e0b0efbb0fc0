// The result of a check or an op inside the library: a status and, if it is not OK, one line for the user.
#ifndef QFUSE_CONTRACT_OUTCOME_H
#define QFUSE_CONTRACT_OUTCOME_H

#include <qfuse/qfuse.h>

#include <string>
#include <utility>

namespace qfuse::contract {

struct [[nodiscard]] Outcome {
  qfuse_status status = QFUSE_OK;
  std::string message;  // empty if and only if status is QFUSE_OK; built from the checked values

  [[nodiscard]] bool ok() const { return status == QFUSE_OK; }
};

inline Outcome invalid_argument(std::string message) { return {QFUSE_INVALID_ARGUMENT, std::move(message)}; }
inline Outcome unsupported(std::string message) { return {QFUSE_UNSUPPORTED, std::move(message)}; }

}  // namespace qfuse::contract

#endif  // QFUSE_CONTRACT_OUTCOME_H
