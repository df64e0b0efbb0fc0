#include "progress.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>

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

std::chrono::milliseconds between_lines(bool terminal) {
  if (terminal) return std::chrono::milliseconds(100);  // as often as an eye can use
  const char* const asked = std::getenv("QFUSE_PROGRESS_SECONDS");
  const double seconds = asked == nullptr ? 30.0 : std::strtod(asked, nullptr);
  return std::chrono::milliseconds(static_cast<std::int64_t>(1000.0 * std::clamp(seconds, 0.0, 1e6)));
}

}  // namespace

ProgressLine::ProgressLine(std::string verb, bool quiet)
    : verb_(std::move(verb)),
      shown_(!quiet),
      terminal_(::isatty(STDERR_FILENO) == 1),
      between_(between_lines(terminal_)),
      last_(terminal_ ? Clock::time_point() : start_) {
  catch_signals();
}

ProgressLine::~ProgressLine() {
  if (shown_ && terminal_) std::fputs("\r\033[K", stderr);
}

checkpoint::ProgressCallback ProgressLine::callback() {
  return [this](const checkpoint::Progress& progress) {
    if (shown_) show(progress);
    return !stop_asked.load();
  };
}

double ProgressLine::seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

void ProgressLine::show(const checkpoint::Progress& progress) {
  const Clock::time_point now = Clock::now();
  if (now - last_ < between_) return;
  last_ = now;
  const auto done = static_cast<double>(progress.bytes_done);
  const auto total = static_cast<double>(progress.bytes_total);
  const double rate = done / std::max(seconds(), 1e-9);
  fmt::print(stderr, "{}{} {:3.0f}%  {} of {}  {}/s  {:.0f} s left{}", terminal_ ? "\r\033[K" : "", verb_,
             100.0 * done / total, human_size(done), human_size(total), human_size(rate), (total - done) / rate,
             terminal_ ? "" : "\n");
  std::fflush(stderr);
}

}  // namespace qfuse::cli
