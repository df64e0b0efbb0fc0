// Spreads work of the host for which there is no op over the threads that ops use.
#ifndef QFUSE_CHECKPOINT_DEVICE_ON_THREADS_H
#define QFUSE_CHECKPOINT_DEVICE_ON_THREADS_H

#include <qfuse/qfuse.hpp>

#include <atomic>
#include <cstdint>
#include <exception>

#include "backend/cpu/parallel_for.h"

namespace qfuse::checkpoint {

// Calls body(begin, end) on ranges that together cover [0, count) once, as cpu::parallel_for() does, and returns when
// all are done. Which thread gets which range is undefined, so a body must write only to its own range. Throws what a
// body threw; of several errors, any one.
template <class Body>
void on_threads(const Exec& exec, std::int64_t count, std::int64_t grain, const Body& body) {
  std::exception_ptr error;
  std::atomic<bool> has_failed{false};
  const auto run = [&](std::int64_t begin, std::int64_t end) noexcept {
    try {
      body(begin, end);
    } catch (...) {
      if (!has_failed.exchange(true)) error = std::current_exception();
    }
  };
  if (exec.parallel_for != nullptr) {
    const contract::Outcome outcome = cpu::parallel_for_of_caller(detail::to_c(exec), count, grain, run);
    if (!outcome.ok()) throw Error(static_cast<Status>(outcome.status), outcome.message);
  } else {
    cpu::parallel_for(count, grain, exec.threads, run);
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_DEVICE_ON_THREADS_H
