#include "checkpoint/output/write_behind.h"

namespace qfuse::checkpoint {

WriteBehind::WriteBehind(OutputFile& file, std::span<HostMemory> buffers) : file_(file) {
  for (HostMemory& memory : buffers) buffers_.push_back({&memory, {}, 0});
  thread_ = std::thread([this] { run(); });
}

WriteBehind::~WriteBehind() { stop(); }

std::span<std::byte> WriteBehind::buffer(std::size_t size) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return given_ - written_ < buffers_.size() || failure_ != nullptr; });
  if (failure_ != nullptr) std::rethrow_exception(failure_);
  lock.unlock();  // the writer ignores buffers that were not handed over
  Buffer& free = at(given_);
  free.bytes = free.memory->room(size);
  ++given_;
  return free.bytes;
}

void WriteBehind::write(std::int64_t offset) {
  const std::lock_guard lock(mutex_);
  at(filled_).offset = offset;
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
    const Buffer& next = at(written_);
    lock.unlock();
    std::exception_ptr failure;
    try {
      file_.write_at(next.offset, next.bytes);
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
