// parallel_for over oneTBB: the default.
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

#include "backend/cpu/parallel_for.h"

namespace qfuse::cpu::detail {

void parallel_for(std::int64_t count, std::int64_t grain, int threads, const void* body, RangeFunction call) {
  if (count <= 0) return;
  if (threads == 1 || count <= grain) return call(body, 0, count);
  const auto run = [&] {
    tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, count, grain),
                      [&](const auto& range) { call(body, range.begin(), range.end()); });
  };
  if (threads == 0) return run();
  // An arena that asks for more threads than oneTBB may start makes it print a warning.
  const auto most = static_cast<int>(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
  tbb::task_arena(std::min(threads, most)).execute(run);
}

}  // namespace qfuse::cpu::detail
