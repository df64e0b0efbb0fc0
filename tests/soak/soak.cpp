#include "soak.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <memory>

namespace qfuse::soak {
namespace {

constexpr std::int64_t kMostMemory = std::int64_t{36} << 30;  // bytes, if the GPU has that much
constexpr double kProgressSeconds = 10;
constexpr int kMostRefused = 100;  // consecutive refused cases of an op
constexpr int kInterrupted = 130;

volatile std::sig_atomic_t is_interrupted = 0;

struct Totals {
  std::int64_t cases = 0;
  std::int64_t with_oracle = 0;
  std::int64_t refused = 0;
  std::int64_t without_room = 0;
  std::int64_t calls = 0;
  std::int64_t bytes = 0;
  std::int64_t faults = 0;                       // wrong calls and failed calls
  std::map<std::string, std::int64_t> calls_of;  // per op
};

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

Card choose_card(int device) {
  cudaDeviceProp facts{};
  require(cudaGetDeviceProperties(&facts, device), "looking for the GPU; --device names another");
  return find_card(device);
}

// Leaves more than half of the free memory for others, and for the mode `pressure`.
std::int64_t arena_size() {
  std::size_t free = 0;
  std::size_t total = 0;
  require(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return std::min(kMostMemory, static_cast<std::int64_t>(free / 20 * 9));
}

class Soak {
 public:
  explicit Soak(const Options& options)
      : options_(options),
        context_(choose_card(options.device), arena_size()),
        around_(context_),
        random_(options.seed) {}

  int run();

 private:
  [[nodiscard]] double elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }
  [[nodiscard]] bool is_over() const {
    return is_interrupted != 0 || totals_.faults >= options_.most_faults ||
           (elapsed() >= options_.seconds && totals_.calls > 0) || elapsed() >= options_.seconds + kProgressSeconds;
  }

  std::vector<Mode> modes();
  std::unique_ptr<CaseRun> start(const Case& c);
  bool run_case(const Case& c);
  void run_modes(const Case& c, CaseRun& run);
  void report(const Case& c, const char* mode, std::int64_t call, const std::string& text);
  [[nodiscard]] std::string command(const Case& c, const char* mode) const;
  [[nodiscard]] std::string summary() const;
  void print_progress();
  void print_end() const;

  const Options& options_;
  Context context_;
  Surroundings around_;
  Random random_;
  Totals totals_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double next_progress_ = kProgressSeconds;
};

// Returns all modes in random order. For the first case `alone` comes first, because a fault once hid there.
std::vector<Mode> Soak::modes() {
  if (options_.mode) return {*options_.mode};
  std::vector<Mode> all;
  for (const ModeText& text : kModes)
    if (text.mode != Mode::new_threads || options_.new_threads) all.push_back(text.mode);
  for (std::size_t i = all.size() - 1; i > 0; --i)
    std::swap(all[i], all[static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(i) + 1))]);
  if (totals_.cases == 0) std::ranges::stable_partition(all, [](Mode mode) { return mode == Mode::alone; });
  return all;
}

// Returns null if the case is skipped.
std::unique_ptr<CaseRun> Soak::start(const Case& c) {
  for (const bool is_again : {false, true}) {
    try {
      return std::make_unique<CaseRun>(c, context_, around_);
    } catch (const CaseRun::Refused&) {
      ++totals_.refused;
      return nullptr;
    } catch (const NoRoom&) {
      if (is_again) ++totals_.without_room;
      context_.forget();
    }
  }
  return nullptr;
}

std::string Soak::command(const Case& c, const char* mode) const {
  std::string text;
  for (const char* const name : {"LD_LIBRARY_PATH", "QFUSE_PLAN"})
    if (const std::string value = variable(name); !value.empty()) text.append(name).append("='" + value + "' ");
  text.append(options_.program).append(" --seed ").append(std::to_string(options_.seed));
  if (options_.device != 0) text.append(" --device ").append(std::to_string(options_.device));
  return text.append(" --case '").append(print(c)).append("' --mode ").append(mode);
}

void Soak::report(const Case& c, const char* mode, std::int64_t call, const std::string& text) {
  std::printf("qfuse-soak: FAULT in %s, mode %s, call %lld of the case, %lld in all: %s\n  again: %s\n",
              print(c).c_str(), mode, static_cast<long long>(call + 1), static_cast<long long>(totals_.calls),
              text.c_str(), command(c, mode).c_str());
  std::fflush(stdout);
}

void Soak::run_modes(const Case& c, CaseRun& run) {
  std::int64_t calls = 0;
  do {
    for (const Mode mode : modes()) {
      if (is_over()) return;
      const char* const name = std::ranges::find(kModes, mode, &ModeText::mode)->name;
      const std::int64_t before = calls;
      try {
        const std::optional<Fault> fault = run.run(mode, random_, calls);
        totals_.calls += calls - before;
        totals_.bytes += (calls - before) * run.image_size();
        totals_.calls_of[c.op()] += calls - before;
        if (!fault) continue;
        totals_.faults += fault->wrong;
        report(c, name, before + fault->call, fault->text);
      } catch (const std::exception& error) {
        totals_.calls += calls - before;
        ++totals_.faults;
        report(c, name, before, error.what());
        require(cudaDeviceSynchronize(), "the GPU after a fault");  // if this fails, no more calls are possible
      }
    }
    print_progress();
  } while (options_.only);
}

// Returns whether the case was called.
bool Soak::run_case(const Case& c) {
  const std::unique_ptr<CaseRun> run = start(c);
  if (run != nullptr) {
    run_modes(c, *run);
    ++totals_.cases;
    if (run->has_oracle()) ++totals_.with_oracle;
  }
  require(cudaDeviceSynchronize(), "the end of a case");
  context_.end_case();
  return run != nullptr;
}

std::string Soak::summary() const {
  const std::string plan = variable("QFUSE_PLAN");
  return "qfuse-soak: " + context_.card().name + ", plan " + (plan.empty() ? "chosen" : plan) + ": " +
         std::to_string(totals_.cases) + " cases, " + std::to_string(totals_.calls) + " calls, " +
         std::to_string(totals_.bytes) + " bytes compared, " + std::to_string(totals_.faults) + " faults in " +
         std::to_string(static_cast<std::int64_t>(elapsed() + 0.5)) + " s";
}

void Soak::print_progress() {
  if (elapsed() < next_progress_) return;
  next_progress_ = elapsed() + kProgressSeconds;
  if (options_.verbose || isatty(STDERR_FILENO) != 0) std::fprintf(stderr, "%s\n", summary().c_str());
}

void Soak::print_end() const {
  std::printf(
      "qfuse-soak: of the cases %lld were compared with an independent oracle, %lld with their first call alone; "
      "beside them %lld cannot have the plan, %lld found no room\n",
      static_cast<long long>(totals_.with_oracle), static_cast<long long>(totals_.cases - totals_.with_oracle),
      static_cast<long long>(totals_.refused), static_cast<long long>(totals_.without_room));
  std::string calls;
  for (const auto& [op, count] : totals_.calls_of)
    calls.append(calls.empty() ? "" : ", ").append(op).append(" ").append(std::to_string(count));
  std::printf("qfuse-soak: calls of %s\n%s\n", calls.c_str(), summary().c_str());
}

int Soak::run() {
  begin_ = std::chrono::steady_clock::now();  // excludes the GPU's start
  if (!options_.only)
    for (const std::string& op : options_.ops) totals_.calls_of[op] = 0;
  std::vector<std::string> ops = options_.ops;
  int refused = 0;
  for (std::int64_t number = 0; !is_over() && (number == 0 || !options_.only); ++number) {
    const Case c = options_.only ? *options_.only : next_case(random_, ops, number);
    if (options_.verbose) std::fprintf(stderr, "qfuse-soak: %s\n", print(c).c_str());
    try {
      // If a forced plan supports only few calls of an op, draws more of its cases until one supports the plan.
      refused = run_case(c) ? 0 : refused + 1;
      ops = refused > 0 && refused < kMostRefused ? std::vector{c.op()} : options_.ops;
    } catch (const std::exception& error) {
      ++totals_.faults;
      report(c, "burst", 0, error.what());
      break;  // the GPU may be unusable now
    }
  }
  print_end();
  if (totals_.faults > 0) return 1;
  if (totals_.calls == 0 && is_interrupted == 0) {
    std::fprintf(stderr, "qfuse-soak: nothing was called: no case that was drawn can have the plan\n");
    return 1;
  }
  return is_interrupted != 0 ? kInterrupted : 0;
}

}  // namespace

void interrupt() { is_interrupted = 1; }

int soak(const Options& options) { return Soak(options).run(); }

}  // namespace qfuse::soak
