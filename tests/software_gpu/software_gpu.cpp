// A GPU made of this process. One block runs at a time, and of it one thread, until it comes to a barrier, exchanges a
// value with its warp, or sleeps; then the next one runs. QFUSE_GPU_ORDER chooses the order of blocks and of threads:
// forward, backward, or shuffle:SEED. What is wrong ends the process with a message: threads of a block that wait at
// different barriers, or for threads that have returned, or, asleep, for what no thread will do.
#include <cuda_runtime.h>
#include <ucontext.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#include <sanitizer/common_interface_defs.h>
#define QFUSE_ASAN 1
// Before a jump it would forget what it knows of the stack, which is neither needed nor cheap: the frames stay.
#define QFUSE_JUMPS __attribute__((no_sanitize("address")))
#else
#define QFUSE_JUMPS
#endif

thread_local dim3 threadIdx;
thread_local dim3 blockIdx;
thread_local dim3 blockDim;

// The shared memory of all kernels: the linker names the section's ends.
extern char __start_qfuse_shared[] __attribute__((weak));
extern char __stop_qfuse_shared[] __attribute__((weak));

namespace qfuse::software_gpu {
namespace {

constexpr std::size_t kStackBytes = std::size_t{128} << 10;
constexpr unsigned kWarp = 32;
constexpr std::align_val_t kSharedAlignment{128};
constexpr int kSpoilt = 0xff;  // a NaN in every float type

enum class State { ready, at_barrier, at_warp, asleep, returned };

using Place = void* [5];  // to jump to: swapcontext() would ask the kernel twice for each switch

struct Fiber {
  ucontext_t context{};  // to begin with
  Place place{};         // to go on
  bool begun = false;
  std::unique_ptr<char[]> stack = std::make_unique_for_overwrite<char[]>(kStackBytes);
  State state = State::ready;
  std::uint64_t given[2] = {};  // for its warp, in one exchange and in the next
  unsigned exchanges = 0;
  void* asan_stack = nullptr;
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

// The multiprocessor. Its fibers outlast blocks and launches: each runs one thread after the other.
class Multiprocessor {
 public:
  static Multiprocessor& only() {
    static Multiprocessor only;
    return only;
  }

  // A launch's dynamic shared memory, aligned; exactly as much, so that the address sanitizer sees what lies beyond.
  void lend(std::size_t bytes) {
    shared_bytes_ = bytes;
    shared_.reset(bytes == 0 ? nullptr : ::operator new(bytes, kSharedAlignment));
  }
  [[nodiscard]] void* shared() const { return shared_.get(); }

  void run_block(unsigned threads, const std::function<void()>& thread, const std::vector<unsigned>& order) {
    if (shared_bytes_ > 0) std::memset(shared_.get(), kSpoilt, shared_bytes_);
    if (__start_qfuse_shared != nullptr)
      std::memset(__start_qfuse_shared, kSpoilt, static_cast<std::size_t>(__stop_qfuse_shared - __start_qfuse_shared));
    while (fibers_.size() < threads) fibers_.push_back(std::make_unique<Fiber>());
    threads_ = threads;
    thread_ = &thread;
    for (unsigned i = 0; i < threads; ++i) {
      fibers_[i]->state = State::ready;
      fibers_[i]->exchanges = 0;
    }
    while (step(order)) {
    }
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

  // Runs all that can; then lets on who waits together, and wakes who sleeps. False when all have returned.
  bool step(const std::vector<unsigned>& order) {
    had_atomic_ = false;
    for (const unsigned number : order)
      while (fibers_[number]->state == State::ready) resume(number);
    const bool slept = wake();
    bool released = false;
    for (unsigned first = 0; first < threads_; first += kWarp)
      released = release(first, std::min(first + kWarp, threads_), State::at_warp) || released;
    if (released || release(0, threads_, State::at_barrier)) return true;
    // Who sleeps looks again at what atomics change: if there was none since all of them looked, there will be none.
    if (slept && !had_atomic_) fault("threads wait for arrivals that do not come");
    if (slept) return true;
    for (unsigned i = 0; i < threads_; ++i)
      if (fibers_[i]->state != State::returned)
        fault("threads of a block wait at different barriers, or have returned");
    return false;
  }

  // Whether any slept.
  bool wake() {
    bool slept = false;
    for (unsigned i = 0; i < threads_; ++i) {
      if (fibers_[i]->state != State::asleep) continue;
      fibers_[i]->state = State::ready;
      slept = true;
    }
    return slept;
  }

  // If all of them wait so.
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
  std::unique_ptr<void, Release> shared_;
  std::size_t shared_bytes_ = 0;
  const std::function<void()>* thread_ = nullptr;
  unsigned threads_ = 0;
  unsigned now_ = 0;
  bool had_atomic_ = false;  // in this round
  Place main_{};
  [[maybe_unused]] void* asan_main_ = nullptr;
  [[maybe_unused]] const void* main_stack_ = nullptr;
  [[maybe_unused]] std::size_t main_stack_size_ = 0;
};

}  // namespace

cudaError_t run(dim3 grid, dim3 block, std::size_t shared_bytes, const std::function<void()>& thread) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  const Order order = order_from_environment();
  blockDim = block;
  Multiprocessor::only().lend(shared_bytes);
  for (const unsigned number : numbers(grid.x, order, 0)) {
    blockIdx = {number, 0, 0};
    Multiprocessor::only().run_block(block.x, thread, numbers(block.x, order, number));
  }
  return cudaSuccess;
}

void* dynamic_shared() { return Multiprocessor::only().shared(); }

// All of a warp give before any takes. Who then gives again does not spoil what others still have to take: it waits with
// them before it gives a third time.
std::uint64_t exchange(std::uint64_t bits, unsigned lane) {
  Multiprocessor& all = Multiprocessor::only();
  all.give(bits);
  all.wait(State::at_warp);
  return all.given_by(lane);
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

// ---- the runtime ----

namespace {

thread_local int current_device = 0;
constexpr std::size_t kAlignment = 256;

cudaError_t allocate(void** memory, std::size_t bytes) {
  *memory = nullptr;
  if (bytes > PTRDIFF_MAX) return cudaErrorMemoryAllocation;
  return ::posix_memalign(memory, kAlignment, std::max<std::size_t>(bytes, 1)) == 0 ? cudaSuccess
                                                                                    : cudaErrorMemoryAllocation;
}

}  // namespace

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess: return "no error";
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorInvalidDevice: return "invalid device ordinal";
    case cudaErrorInvalidResourceHandle: return "invalid resource handle";
    default: return "unknown error";
  }
}
cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = current_device;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  if (device != 0) return cudaErrorInvalidDevice;
  current_device = device;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (device != 0) return cudaErrorInvalidDevice;
  switch (attribute) {
    case cudaDevAttrMultiProcessorCount: *value = 2; break;
    case cudaDevAttrL2CacheSize: *value = 1 << 20; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = 227 << 10; break;
    case cudaDevAttrComputeCapabilityMajor: *value = 9; break;
    case cudaDevAttrComputeCapabilityMinor: *value = 0; break;
  }
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (device != 0) return cudaErrorInvalidDevice;
  *properties = {"software GPU", 9, 0, 2, std::size_t{1} << 30};
  return cudaSuccess;
}
cudaError_t cudaMalloc(void** memory, std::size_t bytes) { return allocate(memory, bytes); }
cudaError_t cudaMallocHost(void** memory, std::size_t bytes) { return allocate(memory, bytes); }
cudaError_t cudaFree(void* memory) {
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* memory) { return cudaFree(memory); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = reinterpret_cast<cudaStream_t>(new char);
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete reinterpret_cast<char*>(stream);
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t) {
  if (bytes > 0) std::memcpy(to, from, bytes);
  return cudaSuccess;
}
