// The two ways in which the CPU backend uses several threads: its own threads, and the caller's.
#ifndef QFUSE_BACKEND_CPU_PARALLEL_FOR_H
#define QFUSE_BACKEND_CPU_PARALLEL_FOR_H

#include <qfuse/qfuse.h>

#include <atomic>
#include <cstdint>
#include <string>

#include "contract/outcome.h"

namespace qfuse::cpu {

namespace detail {
using RangeFunction = void (*)(const void* body, std::int64_t begin, std::int64_t end);
void parallel_for(std::int64_t count, std::int64_t grain, int threads, const void* body, RangeFunction call);
}  // namespace detail

// Calls body(begin, end) on ranges that together cover [0, count) once, from at most `threads` threads (0: one per core
// this process may use), and returns when all are done. Ranges hold about `grain` items or more; oneTBB may halve them.
// Which thread gets which range is undefined, so a body must write only to its own range.
template <class Body>
void parallel_for(std::int64_t count, std::int64_t grain, int threads, const Body& body) {
  detail::parallel_for(count, grain, threads, &body, [](const void* b, std::int64_t begin, std::int64_t end) {
    (*static_cast<const Body*>(b))(begin, end);
  });
}

// Like parallel_for(), on the caller's threads. INVALID_ARGUMENT: exec.parallel_for did not cover [0, count).
template <class Body>
contract::Outcome parallel_for_of_caller(const qfuse_exec& exec, std::int64_t count, std::int64_t grain,
                                         const Body& body) {
  struct Task {
    const Body& body;
    std::int64_t count;
    mutable std::atomic<std::int64_t> done;
  };
  const Task task = {body, count, 0};
  const auto call = [](const void* t, std::int64_t begin, std::int64_t end) {
    const auto& of_caller = *static_cast<const Task*>(t);
    if (begin < 0 || end > of_caller.count || begin >= end) return;
    of_caller.body(begin, end);
    of_caller.done += end - begin;
  };
  if (count > 0) exec.parallel_for(exec.parallel_context, count, grain, call, &task);
  if (task.done == count) return {};
  return contract::invalid_argument("exec.parallel_for covered " + std::to_string(task.done) + " of " +
                                    std::to_string(count) + " items, it must cover each once before it returns");
}

}  // namespace qfuse::cpu

#endif  // QFUSE_BACKEND_CPU_PARALLEL_FOR_H
