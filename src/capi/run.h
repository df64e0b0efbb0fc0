// The way from a C function to an op: exceptions become status codes, callers' structs are copied, then the op runs.
#ifndef QFUSE_CAPI_RUN_H
#define QFUSE_CAPI_RUN_H

#include <qfuse/qfuse.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <string_view>

#include "capi/adopt.h"
#include "contract/outcome.h"
#include "ops/registry.h"

namespace qfuse::capi {

// Copies as many whole UTF-8 characters as fit before the final zero.
inline void copy_message(std::string_view message, char* to, std::size_t size) {
  std::size_t length = std::min(message.size(), size - 1);
  if (length < message.size())
    while (length > 0 && (static_cast<unsigned char>(message[length]) & 0xc0U) == 0x80U) --length;
  std::memcpy(to, message.data(), length);
  to[length] = '\0';
}

inline qfuse_status report(const contract::Outcome& outcome, qfuse_error* error) {
  if (error != nullptr) {
    error->status = outcome.status;
    copy_message(outcome.message, error->message, sizeof error->message);
  }
  return outcome.status;
}

// Runs body and reports its outcome. No exception crosses the C boundary.
template <class Body>
qfuse_status guarded(qfuse_error* error, const Body& body) {
  try {
    return report(body(), error);
  } catch (const std::bad_alloc&) {
    return report({QFUSE_OUT_OF_MEMORY, "out of memory"}, error);
  } catch (const std::exception& e) {
    return report({QFUSE_INTERNAL_ERROR, e.what()}, error);
  }
}

// Copies the caller's structs and calls `action` with them. Every op starts here.
template <class Op, class Params, class Action>
qfuse_status with_params(const Params* caller_params, const qfuse_exec* caller_exec, qfuse_error* error,
                         const Action& action) {
  return guarded(error, [&]() -> contract::Outcome {
    Op p{};
    qfuse_exec exec = QFUSE_EXEC_INIT;
    if (contract::Outcome o = adopt_params(caller_params, p); !o.ok()) return o;
    if (caller_exec != nullptr)
      if (contract::Outcome o = adopt(caller_exec, "exec", exec); !o.ok()) return o;
    return action(p, exec);
  });
}

template <class Op, class List, class Params>
qfuse_status run(ops::Backends<List> backends, const Params* params, const qfuse_exec* exec, qfuse_error* error) {
  return with_params<Op>(params, exec, error,
                         [&](const Op& p, const qfuse_exec& e) { return ops::run_on(backends, p, e); });
}

}  // namespace qfuse::capi

#endif  // QFUSE_CAPI_RUN_H
