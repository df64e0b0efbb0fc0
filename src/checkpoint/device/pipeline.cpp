#include "checkpoint/device/pipeline.h"

#include <map>

#include "checkpoint/files/errors.h"

namespace qfuse::checkpoint {
namespace {

// On the host, an op is complete when it returns, and works directly in host memory.
class HostPiece : public Piece {
 public:
  using Piece::Piece;

  std::span<std::byte> host(std::size_t array, std::size_t size) override { return memory_[array].room(size); }
  std::span<const std::byte> send(std::size_t /*array*/, std::span<const std::byte> filled) override { return filled; }
  std::span<std::byte> on_device(std::size_t array, std::size_t size) override { return host(array, size); }
  std::span<std::byte> output(std::size_t /*array*/, std::span<std::byte> out) override { return out; }
  void fetch(std::size_t /*array*/, std::span<std::byte> /*out*/) override {}

 private:
  void wait() override {}

  std::map<std::size_t, HostMemory> memory_;
};

class GpuPiece : public Piece {
 public:
  explicit GpuPiece(const Exec& exec) : Piece(exec), stream_(exec.device) { run_on(stream_.handle()); }

  // Waits, because the GPU may still be copying from or to memory freed next. Ignores errors of abandoned work.
  ~GpuPiece() override {
    try {
      stream_.synchronize();
    } catch (...) {
    }
  }

  std::span<std::byte> host(std::size_t array, std::size_t size) override {
    return host_.try_emplace(array, exec().device).first->second.room(size);
  }

  std::span<const std::byte> send(std::size_t array, std::span<const std::byte> filled) override {
    const std::span<std::byte> there = on_device(array, filled.size());
    stream_.copy(there.data(), filled.data(), filled.size());
    return there;
  }

  std::span<std::byte> on_device(std::size_t array, std::size_t size) override {
    return room_in(device_[array], exec().device, size);
  }

  std::span<std::byte> output(std::size_t array, std::span<std::byte> out) override {
    return on_device(array, out.size());
  }

  void fetch(std::size_t array, std::span<std::byte> out) override {
    stream_.copy(out.data(), on_device(array, out.size()).data(), out.size());
  }

 private:
  void wait() override { stream_.synchronize(); }

  Stream stream_;
  std::map<std::size_t, HostMemory> host_;
  std::map<std::size_t, std::unique_ptr<DeviceMemory>> device_;
};

// So that a GPU can copy in one piece, compute a second and copy out a third at the same time.
constexpr std::size_t kPiecesOfGpu = 3;

bool is_gpu(const Exec& exec) { return qfuse_device_has_own_memory(exec.device.type) != 0; }

std::unique_ptr<Piece> make_piece(const Exec& exec) {
  if (is_gpu(exec)) return std::make_unique<GpuPiece>(exec);
  return std::make_unique<HostPiece>(exec);
}

}  // namespace

Exec Piece::host_exec() const {
  Exec exec = exec_;
  exec.stream = nullptr;
  if (is_gpu(exec)) exec.device = {QFUSE_CPU, 0};
  return exec;
}

void Piece::complete() {
  wait();
  for (const auto& rest : std::exchange(rest_, {})) rest();
}

Pipeline::Pipeline(const Exec& exec) {
  const bool gpu = is_gpu(exec);
  if (gpu) static_cast<void>(describe_device(exec.device));  // throws with the reason if there is no such device
  if (exec.stream != nullptr)
    fail(Status::invalid_argument, "stream is given, but a conversion has streams of its own");
  const std::size_t pieces = gpu ? kPiecesOfGpu : 1;
  for (std::size_t i = 0; i < pieces + 2; ++i) buffers_.push_back(gpu ? HostMemory(exec.device) : HostMemory());
  for (std::size_t i = 0; i < pieces; ++i) pieces_.push_back(make_piece(exec));
}

Piece& Pipeline::next() {
  Piece& oldest = *pieces_[given_++ % pieces_.size()];
  oldest.complete();
  return oldest;
}

void Pipeline::finish() {
  for (std::size_t i = 0; i < pieces_.size(); ++i) next();
}

}  // namespace qfuse::checkpoint
