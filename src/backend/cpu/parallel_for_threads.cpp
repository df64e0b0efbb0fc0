// parallel_for over std::thread: for ThreadSanitizer, which cannot see into a oneTBB built without it, and for machines
// without oneTBB. Each call starts its own threads.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

#include "backend/cpu/parallel_for.h"

namespace qfuse::cpu::detail {

void parallel_for(std::int64_t count, std::int64_t grain, int threads, const void* body, RangeFunction call) {
  if (count <= 0) return;
  const std::int64_t ranges = (count - 1) / grain + 1;
  const std::int64_t most = threads > 0 ? threads : std::max(1U, std::thread::hardware_concurrency());
  std::atomic<std::int64_t> next{0};
  const auto work = [&] {
    for (std::int64_t r = next++; r < ranges; r = next++) call(body, r * grain, std::min(count, (r + 1) * grain));
  };
  std::vector<std::thread> helpers;
  try {
    for (std::int64_t i = 1; i < std::min(most, ranges); ++i) helpers.emplace_back(work);
  } catch (const std::exception&) {
    // Out of threads or memory: this thread and those that started do all the work.
  }
  work();
  for (std::thread& helper : helpers) helper.join();
}

}  // namespace qfuse::cpu::detail
