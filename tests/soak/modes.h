// The modes in which a case is called. An op's results must not depend on the mode.
#ifndef QFUSE_TESTS_SOAK_MODES_H
#define QFUSE_TESTS_SOAK_MODES_H

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "choice.h"
#include "context.h"
#include "prepared.h"

namespace qfuse::soak {

enum class Mode { burst, alone, behind, cold, beside, graph, threads, new_threads, pressure };

struct ModeText {
  Mode mode;
  const char* name;
  const char* what;
};
inline constexpr std::array kModes = {
    ModeText{Mode::burst, "burst", "4 to 16 calls back to back"},
    ModeText{Mode::alone, "alone", "the device is idle before and after each call"},
    ModeText{Mode::behind, "behind", "the stream is waited for behind each call"},
    ModeText{Mode::cold, "cold", "nothing that is read lies in the L2 cache"},
    ModeText{Mode::beside, "beside", "other streams move bytes and compute"},
    ModeText{Mode::graph, "graph", "captured in a CUDA graph, which is replayed"},
    ModeText{Mode::threads, "threads", "from several host threads at once, each with its stream"},
    ModeText{Mode::new_threads, "new-threads", "each from a new host thread, which has used no CUDA before"},
    ModeText{Mode::pressure, "pressure", "while the GPU has little memory left"},
};

// A failed batch of calls.
struct Fault {
  std::string text;
  std::int64_t call = 0;   // the first wrong call of its batch, from 0
  std::int64_t wrong = 1;  // wrong calls in the batch
};

// Streams and memory around the calls, which belong to no case. Shared by all cases.
class Surroundings {
 public:
  static constexpr int kMostSlots = 16;
  static constexpr int kMostThreads = 8;

  explicit Surroundings(Context& context);
  Surroundings(const Surroundings&) = delete;
  Surroundings& operator=(const Surroundings&) = delete;
  ~Surroundings();

  [[nodiscard]] cudaStream_t thread_stream(int thread) const { return thread_streams_[thread].get(); }
  [[nodiscard]] Difference* found(int slot) const { return found_ + slot; }
  void empty_l2(cudaStream_t stream) const;  // evicts what calls read
  void occupy() const;                       // keeps other streams busy
  void clear_found(cudaStream_t stream) const;
  // Waits for the stream.
  [[nodiscard]] std::array<Difference, kMostSlots> read_found(cudaStream_t stream) const;

 private:
  Card card_;
  std::int64_t flush_size_;
  void* flush_ = nullptr;
  void* moved_ = nullptr;
  float* computed_ = nullptr;
  Difference* found_ = nullptr;       // [kMostSlots]
  Difference* found_host_ = nullptr;  // pinned
  std::array<OwnStream, kMostThreads> thread_streams_;
  std::array<OwnStream, 2> side_streams_;
};

// A case whose op is called.
class CaseRun {
 public:
  // Throws NoRoom. Throws Refused if the op returns UNSUPPORTED, as it does if a plan is forced that does not support
  // the call.
  struct Refused {};
  CaseRun(const Case& c, Context& context, const Surroundings& around);

  [[nodiscard]] bool has_oracle() const { return static_cast<bool>(made_.expect); }
  [[nodiscard]] std::int64_t image_size() const { return made_.image_size; }

  // Runs a batch of calls and compares each. Adds their number to `calls`.
  std::optional<Fault> run(Mode mode, Random& random, std::int64_t& calls);

 private:
  struct Slot {
    std::uint8_t* image;
    void* workspace;
  };

  void find_expected();
  void take_slots();
  void poison(int slot, cudaStream_t stream) const;
  void call(int slot, cudaStream_t stream) const;
  void check(int slot, cudaStream_t stream) const;
  [[nodiscard]] std::optional<Fault> judge(int count) const;
  [[nodiscard]] Fault describe(int slot, const Difference& difference) const;

  void run_burst(int count) const;
  void run_synchronized(int count, bool also_before) const;
  void run_cold(int count, Random& random) const;
  void run_beside(int count) const;
  std::optional<Fault> run_graph(int count, int replays) const;
  void run_threads(int count, int threads) const;
  void run_in_new_threads(int count) const;
  void run_under_pressure(int count) const;

  Context& context_;
  const Surroundings& around_;
  Prepared made_;
  std::uint8_t* expected_ = nullptr;
  std::vector<Slot> slots_;
  double seconds_ = 0;  // approximate seconds per call
};

}  // namespace qfuse::soak

#endif  // QFUSE_TESTS_SOAK_MODES_H
