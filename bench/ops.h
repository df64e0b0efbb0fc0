// Calls an op through the C interface and turns its errors into exceptions.
#ifndef QFUSE_BENCH_OPS_H
#define QFUSE_BENCH_OPS_H

#include <stdexcept>

#include "capi/call.h"

namespace qfuse::bench {

// Runs the op. Throws its error message if it fails.
template <class Op>
void run(const Op& p, const qfuse_exec& exec) {
  qfuse_error error{};
  if (capi::call(p, &exec, &error) != QFUSE_OK) throw std::runtime_error(error.message);
}

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_OPS_H
