#include "progress.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "terminal.h"
#include "text.h"

namespace qfuse::cli {
namespace {

std::atomic<bool> stop_asked{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes it");

void ask_to_stop(int) { stop_asked.store(true); }

void catch_signals() {
  struct sigaction action {};
  action.sa_handler = ask_to_stop;
  action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

// A terminal without escape sequences gets the same output as a log file.
bool is_terminal() {
  const char* const type = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && (type == nullptr || std::string_view(type) != "dumb");
}

// Returns the progress line, with fewer figures if the full line does not fit into `columns`.
std::string line_of(const std::string& verb, const checkpoint::Progress& progress, double seconds,
                    std::size_t columns) {
  const auto done = static_cast<double>(progress.bytes_done);
  const auto total = static_cast<double>(progress.bytes_total);
  const double rate = done / std::max(seconds, 1e-9);
  const std::string percent = fmt::format("{} {:3.0f}%", verb, total > 0 ? 100.0 * done / total : 100.0);
  const std::string bytes = fmt::format("  {} of {}", human_size(done), human_size(total));
  const std::string speed = fmt::format("  {}/s", human_size(rate));
  const std::string left = rate > 0 ? fmt::format("  {:.0f} s left", (total - done) / rate) : "";
  for (const std::string& line : {percent + bytes + speed + left, percent + bytes + left, percent + left, percent})
    if (line.size() <= columns) return line;
  return percent.substr(0, columns);
}

// Erases from the cursor, which show() leaves at the line's start by a final \r, to the end of the screen. This erases
// the whole line, even if a terminal that became narrower has wrapped it.
constexpr const char* kWipe = "\r\033[J";

std::chrono::milliseconds between_lines(bool terminal) {
  if (terminal) return std::chrono::milliseconds(100);  // fast enough for the eye
  const char* const asked = std::getenv("QFUSE_PROGRESS_SECONDS");
  const double seconds = asked == nullptr ? 30.0 : std::strtod(asked, nullptr);
  return std::chrono::milliseconds(static_cast<std::int64_t>(1000.0 * std::clamp(seconds, 0.0, 1e6)));
}

class ProgressLine {
 public:
  ProgressLine(const char* verb, bool shown)
      : verb_(verb),
        shown_(shown),
        terminal_(is_terminal()),
        between_(between_lines(terminal_)),
        last_(terminal_ ? Clock::time_point() : start_) {}
  ~ProgressLine() {
    if (drawn_ && terminal_) std::fputs(kWipe, stderr);
  }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  [[nodiscard]] double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  void show(const checkpoint::Progress& progress) {
    const Clock::time_point now = Clock::now();
    if (!shown_ || now - last_ < between_) return;
    last_ = now;
    drawn_ = true;
    if (terminal_) {
      // Leaves the last column free, because some terminals wrap after writing it.
      const int columns = columns_of(STDERR_FILENO).value_or(80) - 1;
      fmt::print(stderr, "{}{}\r", kWipe, line_of(verb_, progress, seconds(), static_cast<std::size_t>(columns)));
    } else {
      fmt::print(stderr, "{}\n", line_of(verb_, progress, seconds(), std::string::npos));
    }
    std::fflush(stderr);
  }

 private:
  using Clock = std::chrono::steady_clock;

  std::string verb_;
  bool shown_;
  bool drawn_ = false;
  bool terminal_;
  Clock::duration between_;  // minimum time between two lines
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_;
};

}  // namespace

double run_with_progress(const char* verb, bool quiet, const std::function<void(checkpoint::ProgressCallback)>& work) {
  catch_signals();
  ProgressLine line(verb, !quiet);
  work([&line](const checkpoint::Progress& progress) {
    line.show(progress);
    return !stop_asked.load();
  });
  return line.seconds();
}

}  // namespace qfuse::cli
