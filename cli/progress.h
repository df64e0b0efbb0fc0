// What stderr says of how far a run is, and the way to stop one.
#ifndef QFUSE_CLI_PROGRESS_H
#define QFUSE_CLI_PROGRESS_H

#include <chrono>
#include <qfuse/checkpoint.hpp>
#include <string>

namespace qfuse::cli {

class ProgressLine {
 public:
  // Not shown if `quiet`: on a terminal a line that changes, elsewhere, as in a batch job's log, a line every half
  // minute, or every $QFUSE_PROGRESS_SECONDS. From here on SIGINT and SIGTERM ask the run to stop and clean up, by
  // the answer that callback() gives it; a second one ends the process at once.
  ProgressLine(std::string verb, bool quiet);
  ~ProgressLine();  // leaves no trace of the line
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // For the options of a run; must not outlive this.
  checkpoint::ProgressCallback callback();
  [[nodiscard]] double seconds() const;  // since this was made

 private:
  using Clock = std::chrono::steady_clock;

  void show(const checkpoint::Progress& progress);

  std::string verb_;
  bool shown_;
  bool terminal_;
  Clock::duration between_;  // two lines
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_;
};

}  // namespace qfuse::cli

#endif  // QFUSE_CLI_PROGRESS_H
