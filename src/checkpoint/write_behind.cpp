#include "checkpoint/write_behind.h"

namespace qfuse::checkpoint {

WriteBehind::WriteBehind(OutputFile& file) : file_(file), thread_([this] { run(); }) {}

WriteBehind::~WriteBehind() { stop(); }

std::span<std::byte> WriteBehind::buffer(std::size_t size) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return filled_ - written_ < kBuffers || failure_ != nullptr; });
  if (failure_ != nullptr) std::rethrow_exception(failure_);
  Buffer& free = buffers_[filled_ % kBuffers];
  lock.unlock();  // the writer does not look at a buffer that is not handed over
  if (free.memory.size() < size) free.memory.resize(size);
  free.size = size;
  return std::span(free.memory).first(size);
}

void WriteBehind::write(std::int64_t offset) {
  const std::lock_guard lock(mutex_);
  buffers_[filled_ % kBuffers].offset = offset;
  ++filled_;
  changed_.notify_all();
}

void WriteBehind::finish() {
  stop();
  if (failure_ != nullptr) std::rethrow_exception(failure_);
}

void WriteBehind::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void WriteBehind::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return written_ < filled_ || done_; });
    if (written_ == filled_) return;
    const Buffer& next = buffers_[written_ % kBuffers];
    lock.unlock();
    std::exception_ptr failure;
    try {
      file_.write_at(next.offset, std::span(next.memory).first(next.size));
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    ++written_;
    failure_ = failure;
    changed_.notify_all();
    if (failure != nullptr) return;
  }
}

}  // namespace qfuse::checkpoint
