// Shows progress on stderr, and stops a run on signals.
#ifndef QFUSE_CLI_PROGRESS_H
#define QFUSE_CLI_PROGRESS_H

#include <functional>
#include <optional>
#include <qfuse/checkpoint.hpp>
#include <type_traits>
#include <utility>

namespace qfuse::cli {

// Runs `work` with a progress callback for its options and returns the seconds it took. Shows progress unless `quiet`:
// on a terminal in one updated line that is erased before this returns or throws, elsewhere (a batch job's log) in a
// new line every half minute or every $QFUSE_PROGRESS_SECONDS. After this call, SIGINT and SIGTERM make the callback
// return false, so that the run stops and cleans up; a second signal ends the process at once.
double run_with_progress(const char* verb, bool quiet, const std::function<void(checkpoint::ProgressCallback)>& work);

template <class Report>
struct Finished {
  Report report;
  double seconds;
};

// Like run_with_progress(), for work that returns a report.
template <class Work>
auto with_progress(const char* verb, bool quiet, const Work& work) {
  using Report = std::invoke_result_t<Work, checkpoint::ProgressCallback>;
  std::optional<Report> report;
  const double seconds = run_with_progress(
      verb, quiet, [&](checkpoint::ProgressCallback progress) { report.emplace(work(std::move(progress))); });
  return Finished<Report>{*std::move(report), seconds};
}

}  // namespace qfuse::cli

#endif  // QFUSE_CLI_PROGRESS_H
