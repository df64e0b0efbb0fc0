// What stderr says of how far a run is, and the way to stop one.
#ifndef QFUSE_CLI_PROGRESS_H
#define QFUSE_CLI_PROGRESS_H

#include <functional>
#include <optional>
#include <qfuse/checkpoint.hpp>
#include <type_traits>
#include <utility>

namespace qfuse::cli {

// Runs `work` with a callback for its options, and shows how far it is unless `quiet`: on a terminal in a line that
// changes and is gone before this returns or throws; elsewhere, as in a batch job's log, in a line every half minute,
// or every $QFUSE_PROGRESS_SECONDS. From here on SIGINT and SIGTERM ask the run to stop and clean up, by the answer of
// the callback; a second one ends the process at once. Gives back how many seconds it took.
double run_with_progress(const char* verb, bool quiet, const std::function<void(checkpoint::ProgressCallback)>& work);

template <class Report>
struct Finished {
  Report report;
  double seconds;
};

// The same, of a run that gives back a report.
template <class Work>
auto with_progress(const char* verb, bool quiet, const Work& work) {
  std::optional<std::invoke_result_t<Work, checkpoint::ProgressCallback>> report;
  const double seconds = run_with_progress(
      verb, quiet, [&](checkpoint::ProgressCallback progress) { report.emplace(work(std::move(progress))); });
  return Finished{*std::move(report), seconds};
}

}  // namespace qfuse::cli

#endif  // QFUSE_CLI_PROGRESS_H
