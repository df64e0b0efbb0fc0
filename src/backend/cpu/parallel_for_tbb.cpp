// parallel_for over oneTBB: the default.
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>

#include "backend/cpu/parallel_for.h"

namespace qfuse::cpu::detail {
namespace {

// An arena bounds the threads of a call. oneTBB keeps a good part of each one that it is told to end (its 2021.8 about
// 10 KB), so arenas are kept here, for the next call of as many threads. No two calls have one at the same time: they
// would share its threads, or wait for each other.
struct Arena {
  explicit Arena(int its_threads) : threads(its_threads), arena(its_threads) {}

  const int threads;
  tbb::task_arena arena;
  std::atomic<bool> taken{true};
  Arena* next = nullptr;
};

// All arenas there are: as many of each number of threads as calls have run at once. None ever leaves, because oneTBB
// may be gone when a process ends; and there is no lock, which a fork could find locked for good.
constinit std::atomic<Arena*> first_arena{nullptr};

Arena& new_arena(int threads) {
  auto* const arena = new Arena(threads);
  arena->next = first_arena.load(std::memory_order_relaxed);
  while (!first_arena.compare_exchange_weak(arena->next, arena, std::memory_order_release, std::memory_order_relaxed)) {
  }
  return *arena;
}

Arena& take_arena(int threads) {
  for (Arena* arena = first_arena.load(std::memory_order_acquire); arena != nullptr; arena = arena->next)
    if (arena->threads == threads && !arena->taken.exchange(true, std::memory_order_acquire)) return *arena;
  return new_arena(threads);
}

class TakenArena {
 public:
  explicit TakenArena(int threads) : arena_(take_arena(threads)) {}
  TakenArena(const TakenArena&) = delete;
  TakenArena& operator=(const TakenArena&) = delete;
  ~TakenArena() { arena_.taken.store(false, std::memory_order_release); }

  template <class Run>
  void execute(const Run& run) {
    arena_.arena.execute(run);
  }

 private:
  Arena& arena_;
};

}  // namespace

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
  TakenArena(std::min(threads, most)).execute(run);
}

}  // namespace qfuse::cpu::detail
