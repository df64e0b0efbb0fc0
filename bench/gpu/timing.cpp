#include "gpu/timing.h"

#include <algorithm>
#include <memory>

#include "gpu/error.h"
#include "statistics.h"

namespace qfuse::bench {
namespace {

constexpr int kWarmUps = 2;
constexpr int kRounds = 21;
constexpr std::int64_t kCacheFactor = 8;             // all sets together, in sizes of the L2 cache
constexpr std::int64_t kGraphBytes = 4'000'000'000;  // over a millisecond a graph: its launch is then below 1 %
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

class Stream {
 public:
  Stream() { require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate"); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { cudaStreamDestroy(stream_); }
  [[nodiscard]] cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

class Graph {
 public:
  Graph(cudaStream_t stream, const Candidate& candidate, int launches, int sets) {
    require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    for (int i = 0; i < launches; ++i) candidate.enqueue(candidate.cache == Cache::warm ? 0 : i % sets, stream);
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

// Runs run(c, stream) of every candidate c in turn, round by round; each is `launches` runs of it.
std::vector<Timing> rounds(const std::vector<Candidate>& candidates, cudaStream_t stream, int launches,
                           const auto& run) {
  Event begin;
  Event end;
  std::vector<std::vector<double>> times(candidates.size());
  for (int round = 0; round < kWarmUps + kRounds; ++round) {
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      if (candidates[c].cache == Cache::warm) candidates[c].enqueue(0, stream);
      begin.record(stream);
      run(c, stream);
      end.record(stream);
      const double time = end.microseconds_since(begin) / launches;
      if (round >= kWarmUps) times[c].push_back(time);
    }
  }
  std::vector<Timing> timings;
  timings.reserve(times.size());
  for (const std::vector<double>& t : times) timings.push_back({median(t), quantile(t, 0.1), quantile(t, 0.9)});
  return timings;
}

}  // namespace

int sets_for(std::int64_t bytes, std::int64_t l2_bytes) {
  return static_cast<int>(std::max<std::int64_t>(2, kCacheFactor * l2_bytes / bytes + 1));
}

std::vector<Timing> time_in_turn(const std::vector<Candidate>& candidates, int sets, std::int64_t bytes) {
  const int wanted = std::max(kMinLaunches, static_cast<int>(kGraphBytes / bytes));
  const int launches = (wanted + sets - 1) / sets * sets;
  const Stream stream;
  for (const Candidate& candidate : candidates) candidate.enqueue(0, stream.get());  // a capture may load no kernel
  require(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");
  std::vector<std::unique_ptr<Graph>> graphs;
  graphs.reserve(candidates.size());
  for (const Candidate& candidate : candidates)
    graphs.push_back(std::make_unique<Graph>(stream.get(), candidate, launches, sets));
  return rounds(candidates, stream.get(), launches, [&](std::size_t c, cudaStream_t s) { graphs[c]->launch(s); });
}

std::vector<Timing> time_launches(const std::vector<Candidate>& candidates, int sets) {
  return rounds(candidates, nullptr, kDefaultStreamLaunches, [&](std::size_t c, cudaStream_t s) {
    for (int i = 0; i < kDefaultStreamLaunches; ++i)
      candidates[c].enqueue(candidates[c].cache == Cache::warm ? 0 : i % sets, s);
  });
}

}  // namespace qfuse::bench
