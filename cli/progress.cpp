#include "progress.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>

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

}  // namespace

ProgressLine::ProgressLine(std::string verb, bool quiet)
    : verb_(std::move(verb)), shown_(!quiet && ::isatty(STDERR_FILENO) == 1) {
  catch_signals();
}

ProgressLine::~ProgressLine() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

checkpoint::ProgressCallback ProgressLine::callback() {
  return [this](const checkpoint::Progress& progress) {
    if (shown_) show(progress);
    return !stop_asked.load();
  };
}

double ProgressLine::seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

void ProgressLine::show(const checkpoint::Progress& progress) {
  constexpr auto kBetween = std::chrono::milliseconds(100);  // as often as an eye can use
  const Clock::time_point now = Clock::now();
  if (now - last_ < kBetween) return;
  last_ = now;
  const auto done = static_cast<double>(progress.bytes_done);
  const auto total = static_cast<double>(progress.bytes_total);
  const double rate = done / std::max(seconds(), 1e-9);
  fmt::print(stderr, "\r\033[K{} {:3.0f}%  {} of {}  {}/s  {:.0f} s left", verb_, 100.0 * done / total,
             human_size(done), human_size(total), human_size(rate), (total - done) / rate);
  std::fflush(stderr);
}

}  // namespace qfuse::cli
