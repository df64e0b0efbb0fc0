// Reports progress to the caller, who can cancel the run.
#ifndef QFUSE_CHECKPOINT_FILES_PROGRESS_H
#define QFUSE_CHECKPOINT_FILES_PROGRESS_H

#include <qfuse/checkpoint.hpp>

#include <cstdint>
#include <string_view>

#include "checkpoint/files/errors.h"

namespace qfuse::checkpoint {

class ProgressMeter {
 public:
  ProgressMeter(const ProgressCallback& callback, std::int64_t bytes_total)
      : callback_(callback), bytes_total_(bytes_total) {}

  // Throws Error cancelled if the callback returns false.
  void advance(std::string_view tensor, std::int64_t bytes) {
    bytes_done_ += bytes;
    if (callback_ && !callback_({tensor, bytes_done_, bytes_total_})) fail(Status::cancelled, "cancelled");
  }

 private:
  const ProgressCallback& callback_;
  std::int64_t bytes_total_;
  std::int64_t bytes_done_ = 0;
};

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_PROGRESS_H
