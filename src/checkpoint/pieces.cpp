#include "checkpoint/pieces.h"

#include <array>
#include <bit>
#include <optional>

#include "checkpoint/errors.h"
#include "runtime/devices.h"
#include "runtime/memory.h"

namespace qfuse::checkpoint {
namespace {

// An op on the host is done when it returns, and works in the host's memory.
class HostSlot : public Slot {
 public:
  using Slot::Slot;

  std::span<std::byte> host(std::size_t array, std::size_t size) override { return memory_.at(array).room(size); }
  std::span<const std::byte> send(std::size_t /*array*/, std::span<const std::byte> filled) override { return filled; }
  std::span<std::byte> output(std::size_t /*array*/, std::span<std::byte> out) override { return out; }
  void fetch(std::size_t /*array*/, std::span<std::byte> /*out*/) override {}
  void wait() override {}

 private:
  std::array<HostMemory, kArrays> memory_;
};

class GpuSlot : public Slot {
 public:
  explicit GpuSlot(const Exec& exec) : Slot(exec), stream_(exec.device.index) {
    run_on(stream_.handle());
    for (HostMemory& memory : host_) memory = HostMemory(exec.device.index);
  }

  // A GPU may still be copying from and to what is freed next. Work that fails now was given up before.
  ~GpuSlot() override {
    try {
      stream_.synchronize();
    } catch (...) {
    }
  }

  std::span<std::byte> host(std::size_t array, std::size_t size) override { return host_.at(array).room(size); }

  std::span<const std::byte> send(std::size_t array, std::span<const std::byte> filled) override {
    const std::span<std::byte> there = on_device(array, filled.size());
    stream_.copy(there.data(), filled.data(), filled.size());
    return there;
  }

  std::span<std::byte> output(std::size_t array, std::span<std::byte> out) override {
    return on_device(array, out.size());
  }

  void fetch(std::size_t array, std::span<std::byte> out) override {
    stream_.copy(out.data(), on_device(array, out.size()).data(), out.size());
  }

  void wait() override { stream_.synchronize(); }

 private:
  std::span<std::byte> on_device(std::size_t array, std::size_t size) {
    std::optional<runtime::DeviceMemory>& memory = device_.at(array);
    if (!memory || memory->size() < size) {
      memory.reset();
      memory.emplace(exec().device.index, std::bit_ceil(size));
    }
    return {memory->data(), size};
  }

  runtime::Stream stream_;
  std::array<HostMemory, kArrays> host_;
  std::array<std::optional<runtime::DeviceMemory>, kArrays> device_;
};

// A GPU copies to it, works and copies back at the same time, one piece each.
constexpr std::size_t kSlotsOfGpu = 3;

std::unique_ptr<Slot> make_slot(const Exec& exec) {
  if (exec.device.type == QFUSE_CUDA) return std::make_unique<GpuSlot>(exec);
  return std::make_unique<HostSlot>(exec);
}

}  // namespace

Pieces::Pieces(const Exec& exec) : host_exec_(exec) {
  const bool gpu = exec.device.type == QFUSE_CUDA;
  if (gpu) runtime::require(runtime::check_gpu(exec.device.index));
  if (exec.stream != nullptr)
    fail(Status::invalid_argument, "stream is given, but a conversion has streams of its own");
  if (gpu) host_exec_.device = {QFUSE_CPU, 0};
  const std::size_t slots = gpu ? kSlotsOfGpu : 1;
  for (std::size_t i = 0; i < slots + 2; ++i) buffers_.push_back(gpu ? HostMemory(exec.device.index) : HostMemory());
  for (std::size_t i = 0; i < slots; ++i) ring_.push_back({make_slot(exec), {}});
}

Slot& Pieces::next() {
  UnderWay& piece = ring_[given_++ % ring_.size()];
  complete(piece);
  return *piece.slot;
}

void Pieces::then(std::function<void()> rest) { ring_[(given_ - 1) % ring_.size()].rest = std::move(rest); }

void Pieces::finish() {
  for (std::size_t i = 0; i < ring_.size(); ++i) complete(ring_[(given_ + i) % ring_.size()]);  // the oldest first
}

void Pieces::complete(UnderWay& piece) {
  piece.slot->wait();
  if (const auto rest = std::exchange(piece.rest, {})) rest();
}

}  // namespace qfuse::checkpoint
