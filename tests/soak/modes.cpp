#include "modes.h"

#include <algorithm>
#include <barrier>
#include <exception>
#include <thread>

namespace qfuse::soak {
namespace {

constexpr double kBatchSeconds = 0.1;  // approximate maximum; slow plans get fewer calls
constexpr int kLeastCalls = 4;
constexpr int kGraphCalls = 4;
constexpr int kReplays = 4;
constexpr std::size_t kMemoryLeft = std::size_t{96} << 20;  // free memory under pressure

// Occupies memory so that others cannot allocate it.
class Pressure {
 public:
  Pressure() {
    std::size_t free = 0;
    std::size_t total = 0;
    require(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    for (std::size_t size = free; size > kMemoryLeft && memory_ == nullptr; size -= std::min(size, kMemoryLeft))
      if (cudaMalloc(&memory_, size - kMemoryLeft) != cudaSuccess) {
        memory_ = nullptr;
        cudaGetLastError();  // clears the expected error
      }
  }
  Pressure(const Pressure&) = delete;
  Pressure& operator=(const Pressure&) = delete;
  ~Pressure() { cudaFree(memory_); }

 private:
  void* memory_ = nullptr;
};

// A graph of the work that `enqueue` submits to the stream.
class Graph {
 public:
  template <class Enqueue>
  Graph(cudaStream_t stream, const Enqueue& enqueue) {
    require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capturing a graph");
    try {
      enqueue();
    } catch (...) {
      cudaStreamEndCapture(stream, &graph_);
      if (graph_ != nullptr) cudaGraphDestroy(graph_);
      throw;
    }
    require(cudaStreamEndCapture(stream, &graph_), "the end of a captured graph");
    const cudaError_t error = cudaGraphInstantiate(&ready_, graph_, 0);
    if (error != cudaSuccess) cudaGraphDestroy(graph_);
    require(error, "instantiating a graph");
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() {
    if (ready_ != nullptr) cudaGraphExecDestroy(ready_);
    cudaGraphDestroy(graph_);
  }
  void launch(cudaStream_t stream) const { require(cudaGraphLaunch(ready_, stream), "launching a graph"); }

 private:
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t ready_ = nullptr;
};

// A thread whose exception is rethrown by join().
class Thread {
 public:
  template <class Work>
  explicit Thread(Work work)
      : thread_([this, work] {
          try {
            work();
          } catch (...) {
            thrown_ = std::current_exception();
          }
        }) {}
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;
  ~Thread() {
    if (thread_.joinable()) thread_.join();
  }
  void join() {
    thread_.join();
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  std::exception_ptr thrown_;
  std::thread thread_;
};

}  // namespace

void CaseRun::run_burst(int count) const {
  for (int i = 0; i < count; ++i) poison(i, context_.stream());
  for (int i = 0; i < count; ++i) call(i, context_.stream());
  for (int i = 0; i < count; ++i) check(i, context_.stream());
}

void CaseRun::run_synchronized(int count, bool also_before) const {
  for (int i = 0; i < count; ++i) {
    poison(i, context_.stream());
    if (also_before) require(cudaDeviceSynchronize(), "before a call");
    call(i, context_.stream());
    require(also_before ? cudaDeviceSynchronize() : cudaStreamSynchronize(context_.stream()), "behind a call");
    check(i, context_.stream());
  }
}

void CaseRun::run_cold(int count, Random& random) const {
  for (int i = 0; i < count; ++i) {
    poison(i, context_.stream());
    around_.empty_l2(context_.stream());
    if (random.one_in(2)) require(cudaStreamSynchronize(context_.stream()), "emptying the L2 cache");
    call(i, context_.stream());
    check(i, context_.stream());
  }
}

void CaseRun::run_beside(int count) const {
  for (int i = 0; i < count; ++i) {
    around_.occupy();
    poison(i, context_.stream());
    call(i, context_.stream());
    check(i, context_.stream());
  }
  require(cudaDeviceSynchronize(), "work beside a call");
}

std::optional<Fault> CaseRun::run_graph(int count, int replays) const {
  const Graph graph(context_.stream(), [&] {
    for (int i = 0; i < count; ++i) call(i, context_.stream());
  });
  for (int replay = 0; replay < replays; ++replay) {
    around_.clear_found(context_.stream());
    for (int i = 0; i < count; ++i) poison(i, context_.stream());
    graph.launch(context_.stream());
    for (int i = 0; i < count; ++i) check(i, context_.stream());
    if (std::optional<Fault> fault = judge(count)) {
      fault->call += replay * count;
      return fault;
    }
  }
  return {};
}

// Each thread calls every `threads`-th slot.
void CaseRun::run_threads(int count, int threads) const {
  require(cudaStreamSynchronize(context_.stream()), "before threads begin");
  std::barrier begin(threads);
  std::vector<std::unique_ptr<Thread>> all;
  for (int thread = 0; thread < threads; ++thread)
    all.push_back(std::make_unique<Thread>([this, thread, threads, count, &begin] {
      const cudaStream_t stream = around_.thread_stream(thread);
      const cudaError_t chosen = cudaSetDevice(context_.card().index);
      begin.arrive_and_wait();
      require(chosen, "cudaSetDevice");
      for (int i = thread; i < count; i += threads) {
        poison(i, stream);
        call(i, stream);
        check(i, stream);
      }
      require(cudaStreamSynchronize(stream), "the calls of a thread");
    }));
  for (const auto& thread : all) thread->join();
}

void CaseRun::run_in_new_threads(int count) const {
  for (int i = 0; i < count; ++i) {
    poison(i, context_.stream());
    Thread([this, i] { call(i, context_.stream()); }).join();
    check(i, context_.stream());
  }
}

void CaseRun::run_under_pressure(int count) const {
  const Pressure pressure;
  run_burst(count);
  require(cudaStreamSynchronize(context_.stream()), "calls under pressure");
}

std::optional<Fault> CaseRun::run(Mode mode, Random& random, std::int64_t& calls) {
  const int slots = static_cast<int>(slots_.size());
  const int affordable = static_cast<int>(std::min(kBatchSeconds / std::max(seconds_, 1e-6), 1e3));
  const int most = std::clamp(affordable, std::min(slots, kLeastCalls), slots);
  int count = mode == Mode::burst ? static_cast<int>(random.from_to(std::min(kLeastCalls, most), most)) : most;
  around_.clear_found(context_.stream());
  if (mode == Mode::graph) {
    count = std::min(count, kGraphCalls);
    calls += count * kReplays;
    return run_graph(count, kReplays);
  }
  calls += count;
  switch (mode) {
    case Mode::burst: run_burst(count); break;
    case Mode::alone: run_synchronized(count, true); break;
    case Mode::behind: run_synchronized(count, false); break;
    case Mode::cold: run_cold(count, random); break;
    case Mode::beside: run_beside(count); break;
    case Mode::threads: run_threads(count, static_cast<int>(random.from_to(2, Surroundings::kMostThreads))); break;
    case Mode::new_threads: run_in_new_threads(count); break;
    case Mode::pressure: run_under_pressure(count); break;
    case Mode::graph: break;
  }
  return judge(count);
}

}  // namespace qfuse::soak
