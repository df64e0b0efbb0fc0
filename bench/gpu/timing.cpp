#include "gpu/timing.h"

#include <algorithm>
#include <memory>

#include "gpu/device.h"

namespace qfuse::bench {
namespace {

constexpr Rounds kRounds{2, 21};
constexpr std::int64_t kCacheFactor = 8;             // bytes of all sets, in L2 cache sizes
constexpr std::int64_t kGraphBytes = 4'000'000'000;  // over 1 ms per graph, so that its launch is below 1 %
constexpr int kMinLaunches = 10;
constexpr int kDefaultStreamLaunches = 50;

class Event {
 public:
  Event() { require(cudaEventCreate(&event_), "cudaEventCreate"); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { cudaEventDestroy(event_); }

  void record(cudaStream_t stream) { require(cudaEventRecord(event_, stream), "cudaEventRecord"); }
  [[nodiscard]] double microseconds_since(const Event& begin) const {
    require(cudaEventSynchronize(event_), "cudaEventSynchronize");
    float milliseconds = 0.0F;
    require(cudaEventElapsedTime(&milliseconds, begin.event_, event_), "cudaEventElapsedTime");
    return 1000.0 * milliseconds;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

// Enqueues `runs` runs of a candidate one after the other.
void enqueue_runs(const Candidate& candidate, int runs, int sets, cudaStream_t stream) {
  for (int i = 0; i < runs; ++i) candidate.enqueue(candidate.cache == Cache::warm ? 0 : i % sets, stream);
}

class Graph {
 public:
  Graph(cudaStream_t stream, const Candidate& candidate, int launches, int sets) {
    require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    enqueue_runs(candidate, launches, sets, stream);
    cudaGraph_t graph = nullptr;
    require(cudaStreamEndCapture(stream, &graph), ("capturing " + candidate.name).c_str());
    const cudaError_t error = cudaGraphInstantiate(&runnable_, graph, 0);
    cudaGraphDestroy(graph);
    require(error, "cudaGraphInstantiate");
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() { cudaGraphExecDestroy(runnable_); }

  void launch(cudaStream_t stream) const { require(cudaGraphLaunch(runnable_, stream), "cudaGraphLaunch"); }

 private:
  cudaGraphExec_t runnable_ = nullptr;
};

// Times candidates with events. run(c) enqueues `launches` runs of candidate c.
std::vector<Timing> time_by_events(const Report& report, const std::vector<Candidate>& candidates, cudaStream_t stream,
                                   int launches, const auto& run) {
  Event begin;
  Event end;
  return time_in_turn(candidates.size(), report.rounds(kRounds), [&](std::size_t c) {
    if (candidates[c].cache == Cache::warm) candidates[c].enqueue(0, stream);
    begin.record(stream);
    run(c);
    end.record(stream);
    return end.microseconds_since(begin) / launches;
  });
}

}  // namespace

int sets_for(std::int64_t bytes, std::int64_t l2_bytes) {
  return static_cast<int>(std::max<std::int64_t>(2, kCacheFactor * l2_bytes / bytes + 1));
}

BesideRoof time_beside_roof(const Report& report, const std::vector<Candidate>& roofs,
                            const std::vector<Candidate>& candidates, int sets, std::int64_t bytes) {
  std::vector<Candidate> all = roofs;
  all.insert(all.end(), candidates.begin(), candidates.end());
  const int wanted = std::max(kMinLaunches, static_cast<int>(kGraphBytes / bytes));
  const int launches = (wanted + sets - 1) / sets * sets;
  int device = 0;
  require(cudaGetDevice(&device), "cudaGetDevice");
  Stream owned({QFUSE_CUDA, device});
  auto* const stream = static_cast<cudaStream_t>(owned.handle());
  for (const Candidate& candidate : all) candidate.enqueue(0, stream);  // loads the kernels, which a capture may not do
  owned.synchronize();
  std::vector<std::unique_ptr<Graph>> graphs;
  graphs.reserve(all.size());
  for (const Candidate& candidate : all) graphs.push_back(std::make_unique<Graph>(stream, candidate, launches, sets));
  const std::vector<Timing> timings =
      time_by_events(report, all, stream, launches, [&](std::size_t c) { graphs[c]->launch(stream); });
  const auto first_candidate = timings.begin() + static_cast<std::ptrdiff_t>(roofs.size());
  const auto best = std::min_element(timings.begin(), first_candidate,
                                     [](const Timing& a, const Timing& b) { return a.median < b.median; });
  return {all[static_cast<std::size_t>(best - timings.begin())].name, *best, {first_candidate, timings.end()}};
}

std::vector<Timing> time_launches(const Report& report, const std::vector<Candidate>& candidates, int sets) {
  return time_by_events(report, candidates, nullptr, kDefaultStreamLaunches,
                        [&](std::size_t c) { enqueue_runs(candidates[c], kDefaultStreamLaunches, sets, nullptr); });
}

}  // namespace qfuse::bench
