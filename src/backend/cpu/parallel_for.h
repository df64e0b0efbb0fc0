// The one way in which the CPU backend uses several threads.
#ifndef QFUSE_BACKEND_CPU_PARALLEL_FOR_H
#define QFUSE_BACKEND_CPU_PARALLEL_FOR_H

#include <cstdint>

namespace qfuse::cpu {

namespace detail {
using RangeFunction = void (*)(const void* body, std::int64_t begin, std::int64_t end);
void parallel_for(std::int64_t count, std::int64_t grain, int threads, const void* body, RangeFunction call);
}  // namespace detail

// Calls body(begin, end) on ranges that together cover [0, count) once, from at most `threads` threads (0: one per core
// this process may use), and returns when all are done. Ranges hold about `grain` items or more; oneTBB may halve them.
// What thread gets what range is not defined: a body writes to its own range alone.
template <class Body>
void parallel_for(std::int64_t count, std::int64_t grain, int threads, const Body& body) {
  detail::parallel_for(count, grain, threads, &body, [](const void* b, std::int64_t begin, std::int64_t end) {
    (*static_cast<const Body*>(b))(begin, end);
  });
}

}  // namespace qfuse::cpu

#endif  // QFUSE_BACKEND_CPU_PARALLEL_FOR_H
