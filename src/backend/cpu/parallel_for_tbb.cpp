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

// An arena limits the threads of a call. oneTBB does not free all memory of a destroyed arena (2021.8 keeps about 10
// KB), so later calls with the same number of threads reuse an arena. Two concurrent calls never share one: they would
// share its threads, or wait for each other.
struct Arena {
  explicit Arena(int its_threads) : threads(its_threads), arena(its_threads) {}

  const int threads;
  tbb::task_arena arena;
  std::atomic<bool> taken{true};
  Arena* next = nullptr;
};

// List of all arenas: for each number of threads, as many as calls have run concurrently. Arenas are never destroyed,
// because oneTBB may be gone when a process ends. There is no lock, because a fork could leave it locked forever.
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
  // oneTBB prints a warning for an arena with more threads than it may start.
  const auto most = static_cast<int>(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
  TakenArena(std::min(threads, most)).execute(run);
}

}  // namespace qfuse::cpu::detail
