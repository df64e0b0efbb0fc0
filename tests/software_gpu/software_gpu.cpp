// A GPU emulated in this process. It runs one thread of one block at a time, until that thread reaches a barrier,
// exchanges a value with its warp, or sleeps; then the next thread runs. QFUSE_GPU_ORDER sets the order of blocks, of
// threads, and of asynchronous operations (bulk copies and products of tiles): forward, backward, or shuffle:SEED. If
// shuffled, a block's warps run in another order each time, some are left out for long, a thread may also stop before
// an arrival or a wait, and a copy may finish after many later ones. A fault ends the process with a message: threads
// of a block that wait at different barriers, for returned threads, or, asleep, for something that no thread will do;
// waits and arrivals two phases off (device/hopper_portable.cuh).
#include <cuda_runtime.h>
#include <ucontext.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#include <sanitizer/common_interface_defs.h>
#define QFUSE_ASAN 1
// Otherwise AddressSanitizer clears its state of the stack at a jump, which is slow and unneeded: frames stay.
#define QFUSE_JUMPS __attribute__((no_sanitize("address")))
#else
#define QFUSE_JUMPS
#endif

thread_local dim3 threadIdx;
thread_local dim3 blockIdx;
thread_local dim3 blockDim;

// The shared memory of all kernels is one section. The linker defines these symbols at its ends.
extern char __start_qfuse_shared[] __attribute__((weak));
extern char __stop_qfuse_shared[] __attribute__((weak));

namespace qfuse::software_gpu {

AsyncView async_view;

namespace {

constexpr std::size_t kStackBytes = std::size_t{128} << 10;
constexpr unsigned kWarp = 32;
constexpr std::align_val_t kSharedAlignment{128};
constexpr int kSpoilt = 0xff;  // NaN in every float type

enum class State { ready, yielded, at_barrier, at_warp, asleep, returned };

using Place = void* [5];  // for jumps, because swapcontext() makes two system calls per switch

// A started product of tiles and the group that it belongs to.
struct Product {
  std::function<void()> run;
  int group;
};

struct Fiber {
  ucontext_t context{};  // for the first entry
  Place place{};         // for later entries
  bool begun = false;
  std::unique_ptr<char[]> stack = std::make_unique_for_overwrite<char[]>(kStackBytes);
  State state = State::ready;
  std::uint64_t given[2] = {};  // values for its warp, in this exchange and the next
  unsigned exchanges = 0;
  void* asan_stack = nullptr;
  std::deque<Product> products;  // started, not yet computed
  int closed_products = 0;       // number of groups
};

// A started bulk copy.
struct Copy {
  std::function<void()> run;
  void* to;
  unsigned bytes;
  bool is_slow;
};

struct Order {
  enum class Kind { forward, backward, shuffle } kind = Kind::forward;
  unsigned seed = 0;
};

Order order_from_environment() {
  const char* const text = std::getenv("QFUSE_GPU_ORDER");
  const std::string order = text == nullptr ? "forward" : text;
  if (order == "backward") return {Order::Kind::backward};
  if (order.rfind("shuffle:", 0) == 0)
    return {Order::Kind::shuffle, static_cast<unsigned>(std::stoul(order.substr(8)))};
  return {};
}

std::vector<unsigned> numbers(unsigned count, const Order& order, unsigned salt) {
  std::vector<unsigned> all(count);
  std::iota(all.begin(), all.end(), 0U);
  if (order.kind == Order::Kind::backward) std::reverse(all.begin(), all.end());
  if (order.kind == Order::Kind::shuffle) std::shuffle(all.begin(), all.end(), std::minstd_rand(order.seed + salt));
  return all;
}

[[noreturn]] void fault(const char* what) {
  const char* const order = std::getenv("QFUSE_GPU_ORDER");
  std::fprintf(stderr, "software GPU: block %u, thread %u: %s (QFUSE_GPU_ORDER=%s)\n", blockIdx.x, threadIdx.x, what,
               order == nullptr ? "forward" : order);
  std::abort();
}

// The copy of shared memory that async_view refers to.
class AsyncMemory {
 public:
  void look_at(const void* memory, std::size_t bytes) {
    constexpr std::size_t kAlignment = 1024;  // of tiles with the longest swizzle; the copy keeps addresses modulo this
    const auto begin = reinterpret_cast<std::uintptr_t>(memory);
    if (copy_.size() < bytes + kAlignment) copy_.resize(bytes + kAlignment);
    const auto copy = reinterpret_cast<std::uintptr_t>(copy_.data());
    async_view = {begin, begin + bytes, static_cast<std::intptr_t>(copy + (begin - copy) % kAlignment - begin)};
  }
  static void refresh() { refresh(reinterpret_cast<const void*>(async_view.begin), async_view.end - async_view.begin); }
  static void refresh(const void* begin, std::size_t bytes) {
    if (!async_view.has(begin, bytes)) fault("a bulk copy goes outside of shared memory");
    if (bytes > 0)
      std::memcpy(reinterpret_cast<void*>(reinterpret_cast<std::intptr_t>(begin) + async_view.to_copy), begin, bytes);
  }

 private:
  std::vector<char> copy_;
};

// The multiprocessor. Its fibers outlive blocks and launches: each runs one thread after the other.
class Multiprocessor {
 public:
  static Multiprocessor& only() {
    static Multiprocessor only;
    return only;
  }

  // Allocates dynamic shared memory, aligned and of the exact size, so that AddressSanitizer detects overruns.
  void lend(std::size_t bytes) {
    shared_bytes_ = bytes;
    shared_.reset(bytes == 0 ? nullptr : ::operator new(bytes, kSharedAlignment));
    if (bytes > 0)
      async_memory_.look_at(shared_.get(), bytes);
    else
      async_memory_.look_at(__start_qfuse_shared, static_bytes());
  }
  [[nodiscard]] void* shared() const { return shared_.get(); }

  void run_block(unsigned threads, const std::function<void()>& thread, const Order& order) {
    if (shared_bytes_ > 0) std::memset(shared_.get(), kSpoilt, shared_bytes_);
    if (static_bytes() > 0) std::memset(__start_qfuse_shared, kSpoilt, static_bytes());
    AsyncMemory::refresh();
    while (fibers_.size() < threads) fibers_.push_back(std::make_unique<Fiber>());
    for (std::vector<Words>& words : words_)
      if (words.size() < threads) words.resize(threads);
    threads_ = threads;
    thread_ = &thread;
    order_ = order;
    random_.seed(order.seed + blockIdx.x);
    slow_warp_ = static_cast<unsigned>(random_()) % (threads / kWarp + 1);
    for (unsigned i = 0; i < threads; ++i) {
      fibers_[i]->state = State::ready;
      fibers_[i]->exchanges = 0;
      fibers_[i]->closed_products = 0;
    }
    std::vector<unsigned> numbers_of_threads = numbers(threads, order, blockIdx.x);
    while (step(numbers_of_threads)) {
    }
    if (!copies_.empty()) fault("a block ends before its copies have come");
    for (unsigned i = 0; i < threads; ++i)
      if (!fibers_[i]->products.empty()) fault("a block ends before its products are made");
  }

  // Asynchronous operations of the hardware.
  void copy(Copy copy) {
    copy.is_slow = one_in(4);
    copies_.push_back(std::move(copy));
  }
  // All lanes of a warp decide alike, because products exchange values among them.
  void multiply(std::function<void()> product) {
    Fiber& fiber = *fibers_[now_];
    const unsigned choice = order_.seed + now_ / kWarp + static_cast<unsigned>(fiber.closed_products) * 7;
    const bool is_late = order_.kind == Order::Kind::backward || (is_shuffled() && choice % 3 != 0);
    if (!is_late && fiber.products.empty())
      product();
    else
      fiber.products.push_back({std::move(product), fiber.closed_products});
  }
  void close_products() { ++fibers_[now_]->closed_products; }
  void wait_for_products(int pending) {
    Fiber& fiber = *fibers_[now_];
    for (; !fiber.products.empty() && fiber.products.front().group < fiber.closed_products - pending;
         fiber.products.pop_front())
      fiber.products.front().run();
  }
  void let_others_run() {
    if (is_shuffled() && one_in(4)) wait(State::yielded);
  }

  // Called by a fiber.
  void wait(State state) {
    Fiber& fiber = *fibers_[now_];
    fiber.state = state;
    leave(fiber);
  }
  void note_atomic() { had_atomic_ = true; }
  void give(std::uint64_t bits) {
    Fiber& fiber = *fibers_[now_];
    fiber.given[++fiber.exchanges % 2] = bits;
  }
  std::uint64_t given_by(unsigned lane) {
    const unsigned other = now_ / kWarp * kWarp + lane;
    if (lane >= kWarp || other >= threads_) fault("exchanges with a thread that is not there");
    return fibers_[other]->given[fibers_[now_]->exchanges % 2];
  }
  void give(const Words& words) { words_[++fibers_[now_]->exchanges % 2][now_] = words; }
  const Words* words_given() {
    const unsigned first = now_ / kWarp * kWarp;
    if (first + kWarp > threads_) fault("exchanges with threads that are not there");
    return &words_[fibers_[now_]->exchanges % 2][first];
  }

 private:
  QFUSE_JUMPS static void enter() {
    Multiprocessor& all = only();
#ifdef QFUSE_ASAN
    __sanitizer_finish_switch_fiber(nullptr, &all.main_stack_, &all.main_stack_size_);
#endif
    for (;;) {
      (*all.thread_)();
      all.wait(State::returned);
    }
  }

  [[noreturn]] QFUSE_JUMPS static void jump_to(Place& place) { __builtin_longjmp(place, 1); }
  [[noreturn]] QFUSE_JUMPS static void go_on(Fiber& fiber) {
    if (fiber.begun) jump_to(fiber.place);
    fiber.begun = true;
    ::getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.get();
    fiber.context.uc_stack.ss_size = kStackBytes;
    ::makecontext(&fiber.context, &Multiprocessor::enter, 0);
    ::setcontext(&fiber.context);
    std::abort();
  }

  QFUSE_JUMPS __attribute__((noinline)) void leave(Fiber& fiber) {
#ifdef QFUSE_ASAN
    __sanitizer_start_switch_fiber(&fiber.asan_stack, main_stack_, main_stack_size_);
#endif
    if (__builtin_setjmp(fiber.place) == 0) jump_to(main_);
#ifdef QFUSE_ASAN
    __sanitizer_finish_switch_fiber(fiber.asan_stack, &main_stack_, &main_stack_size_);
#endif
  }

  QFUSE_JUMPS __attribute__((noinline)) void resume(unsigned number) {
    now_ = number;
    threadIdx = {number, 0, 0};
    Fiber& fiber = *fibers_[number];
#ifdef QFUSE_ASAN
    __sanitizer_start_switch_fiber(&asan_main_, fiber.stack.get(), kStackBytes);
#endif
    if (__builtin_setjmp(main_) == 0) go_on(fiber);
#ifdef QFUSE_ASAN
    __sanitizer_finish_switch_fiber(asan_main_, nullptr, nullptr);
#endif
  }

  [[nodiscard]] bool is_shuffled() const { return order_.kind == Order::Kind::shuffle; }
  bool one_in(unsigned chances) { return static_cast<unsigned>(random_()) % chances == 0; }
  static std::size_t static_bytes() {
    return __start_qfuse_shared == nullptr ? 0 : static_cast<std::size_t>(__stop_qfuse_shared - __start_qfuse_shared);
  }

  // Runs all threads that are ready and not left out. Then finishes copies, wakes sleeping threads, and releases
  // threads that all wait together. Returns false when all have returned.
  bool step(std::vector<unsigned>& order) {
    had_atomic_ = false;
    const bool leaves_out = is_shuffled() && was_busy_;
    if (is_shuffled()) std::shuffle(order.begin(), order.end(), random_);
    std::uint64_t left_out = 0;  // a bit per warp
    for (unsigned warp = 0; leaves_out && warp <= threads_ / kWarp; ++warp)
      if (warp == slow_warp_ ? !one_in(8) : one_in(4)) left_out |= std::uint64_t{1} << warp;
    for (const unsigned number : order)
      while (fibers_[number]->state == State::ready && (left_out >> number / kWarp & 1) == 0) resume(number);
    const bool copied = finish_copies();
    const bool slept = wake();
    bool released = false;
    for (unsigned first = 0; first < threads_; first += kWarp)
      released = release(first, std::min(first + kWarp, threads_), State::at_warp) || released;
    was_busy_ = released || release(0, threads_, State::at_barrier) || had_atomic_ || copied;
    if (was_busy_ || leaves_out) return true;
    // A sleeping thread checks again what atomics change. If there were none since all checked, there will be none.
    if (slept) fault("threads wait for arrivals that do not come");
    for (unsigned i = 0; i < threads_; ++i)
      if (fibers_[i]->state != State::returned)
        fault("threads of a block wait at different barriers, or have returned");
    return false;
  }

  // Finishes started copies: forward all, backward the last one, shuffled random ones, slow ones rarely. Returns
  // whether there were any, because nothing is stuck while copies are under way.
  bool finish_copies() {
    if (copies_.empty()) return false;
    const bool must = !was_busy_;  // otherwise nothing would make progress
    std::vector<Copy> begun = std::exchange(copies_, {});
    if (order_.kind == Order::Kind::backward) {
      finish(begun.back());
      begun.pop_back();
    }
    const std::size_t first = is_shuffled() && must ? static_cast<unsigned>(random_()) % begun.size() : begun.size();
    for (std::size_t i = 0; i < begun.size(); ++i) {
      const bool comes =
          is_shuffled() ? i == first || one_in(begun[i].is_slow ? 64 : 3) : order_.kind == Order::Kind::forward;
      if (comes)
        finish(begun[i]);
      else
        copies_.push_back(std::move(begun[i]));
    }
    return true;
  }
  static void finish(const Copy& copy) {
    copy.run();
    AsyncMemory::refresh(copy.to, copy.bytes);
  }

  // Wakes sleeping and yielded threads. Returns whether any slept.
  bool wake() {
    bool slept = false;
    for (unsigned i = 0; i < threads_; ++i) {
      if (fibers_[i]->state == State::yielded) fibers_[i]->state = State::ready, had_atomic_ = true;
      if (fibers_[i]->state != State::asleep) continue;
      fibers_[i]->state = State::ready;
      slept = true;
    }
    return slept;
  }

  // Releases the threads if all of them wait in `state`.
  bool release(unsigned begin, unsigned end, State state) {
    for (unsigned i = begin; i < end; ++i)
      if (fibers_[i]->state != state) return false;
    for (unsigned i = begin; i < end; ++i) fibers_[i]->state = State::ready;
    return true;
  }

  struct Release {
    void operator()(void* memory) const { ::operator delete(memory, kSharedAlignment); }
  };

  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Words> words_[2];  // of each thread, for its warp, in this exchange and the next
  std::unique_ptr<void, Release> shared_;
  std::size_t shared_bytes_ = 0;
  const std::function<void()>* thread_ = nullptr;
  unsigned threads_ = 0;
  unsigned now_ = 0;
  Order order_;
  std::minstd_rand random_;
  unsigned slow_warp_ = 0;
  std::vector<Copy> copies_;  // under way, in the order of their start
  AsyncMemory async_memory_;
  bool had_atomic_ = false;  // in this round
  bool was_busy_ = true;     // in the round before
  Place main_{};
  [[maybe_unused]] void* asan_main_ = nullptr;
  [[maybe_unused]] const void* main_stack_ = nullptr;
  [[maybe_unused]] std::size_t main_stack_size_ = 0;
};

std::atomic<std::int64_t> launch_count = 0;
std::atomic<bool> are_launches_only_counted = false;

}  // namespace

void only_count_launches() { are_launches_only_counted = true; }
std::int64_t launches() { return launch_count; }

cudaError_t run(dim3 grid, dim3 block, std::size_t shared_bytes, const std::function<void()>& thread) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  ++launch_count;
  if (are_launches_only_counted) return cudaSuccess;
  const Order order = order_from_environment();
  blockDim = block;
  Multiprocessor::only().lend(shared_bytes);
  for (const unsigned number : numbers(grid.x * grid.y, order, 0)) {
    blockIdx = {number % grid.x, number / grid.x, 0};
    Multiprocessor::only().run_block(block.x, thread, order);
  }
  return cudaSuccess;
}

void* dynamic_shared() { return Multiprocessor::only().shared(); }

void Hardware::copy_in_bulk(void* to, unsigned bytes, std::function<void()> copy) {
  Multiprocessor::only().copy({std::move(copy), to, bytes, false});
}
void Hardware::fence_proxy_async() { AsyncMemory::refresh(); }
void Hardware::multiply(std::function<void()> product) { Multiprocessor::only().multiply(std::move(product)); }
void Hardware::close_products() { Multiprocessor::only().close_products(); }
void Hardware::wait_for_products(int pending) { Multiprocessor::only().wait_for_products(pending); }
void Hardware::let_others_run() { Multiprocessor::only().let_others_run(); }
void Hardware::fault(const char* what) { software_gpu::fault(what); }

// All lanes of a warp give before any takes. A lane that gives again does not overwrite values still to be taken,
// because it waits for the others before it gives a third time.
std::uint64_t exchange(std::uint64_t bits, unsigned lane) {
  Multiprocessor& all = Multiprocessor::only();
  all.give(bits);
  all.wait(State::at_warp);
  return all.given_by(lane);
}
const Words* exchange(const Words& words) {
  Multiprocessor& all = Multiprocessor::only();
  all.give(words);
  all.wait(State::at_warp);
  return all.words_given();
}

}  // namespace qfuse::software_gpu

void __syncthreads() { qfuse::software_gpu::Multiprocessor::only().wait(qfuse::software_gpu::State::at_barrier); }
void __syncwarp(unsigned /*lanes*/) {
  qfuse::software_gpu::Multiprocessor::only().wait(qfuse::software_gpu::State::at_warp);
}
void __nanosleep(unsigned /*nanoseconds*/) {
  qfuse::software_gpu::Multiprocessor::only().wait(qfuse::software_gpu::State::asleep);
}
unsigned atomicAdd(unsigned* at, unsigned value) {
  qfuse::software_gpu::Multiprocessor::only().note_atomic();
  const unsigned before = *at;
  *at += value;
  return before;
}
unsigned atomicSub(unsigned* at, unsigned value) { return atomicAdd(at, 0U - value); }
