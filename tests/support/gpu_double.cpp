#include "support/gpu_double.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <deque>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>

#include "backend/cpu/dequantize_4bit.h"
#include "backend/cpu/dequantize_blockwise.h"
#include "backend/cpu/dequantize_int8.h"
#include "backend/cpu/quantize_4bit.h"
#include "backend/cpu/quantize_blockwise.h"
#include "backend/cpu/silu_dot_fwd_bwd_quant_fuse.h"
#include "backend/cuda/dequantize_4bit.h"
#include "backend/cuda/dequantize_blockwise.h"
#include "backend/cuda/dequantize_int8.h"
#include "backend/cuda/gpu.h"
#include "backend/cuda/quantize_4bit.h"
#include "backend/cuda/quantize_blockwise.h"
#include "backend/cuda/silu_dot_fwd_bwd_quant_fuse.h"

namespace qfuse::tests {

GpuDouble& gpu_double() {
  static GpuDouble instance;
  return instance;
}

namespace {

using format::Outcome;

// Memory of one kind by where it begins.
class Memory {
 public:
  void* allocate(std::int64_t size) {
    auto bytes = std::make_unique<std::byte[]>(static_cast<std::size_t>(size));
    std::memset(bytes.get(), 0xa5, static_cast<std::size_t>(size));
    void* const begin = bytes.get();
    blocks_[begin] = {std::move(bytes), size};
    return begin;
  }
  // Gives back the size.
  std::int64_t release(void* memory) {
    const auto block = blocks_.extract(memory);
    return block ? block.mapped().size : 0;
  }
  [[nodiscard]] bool holds(const void* address) const {
    const auto after = blocks_.upper_bound(address);
    if (after == blocks_.begin()) return false;
    const auto& [begin, block] = *std::prev(after);
    return address < static_cast<const std::byte*>(begin) + block.size;
  }

 private:
  struct Block {
    std::unique_ptr<std::byte[]> bytes;
    std::int64_t size = 0;
  };
  std::map<const void*, Block, std::less<>> blocks_;
};

struct DoubleStream {
  bool late = false;
  bool busy = false;
  std::deque<std::function<Outcome()>> work;
  Outcome failure;
};

Memory device_memory;
Memory pinned_memory;
std::map<void*, std::unique_ptr<DoubleStream>> streams;
int streams_made = 0;

Outcome broken(const std::string& how) { return {QFUSE_DEVICE_ERROR, "double: " + how}; }

// What a call that can fail begins with.
Outcome attempt(int device, const char* what) {
  GpuDouble& gpu = gpu_double();
  gpu.used.insert(device);
  if (++gpu.calls != gpu.failing_call) return {};
  return broken(std::string("the planted failure of ") + what);
}

Outcome enqueue(void* handle, std::function<Outcome()> work) {
  const auto found = streams.find(handle);
  if (found == streams.end()) return broken("no such stream");
  DoubleStream& stream = *found->second;
  GpuDouble& gpu = gpu_double();
  if (!stream.busy) gpu.most_busy = std::max(gpu.most_busy, ++gpu.busy);
  stream.busy = true;
  if (stream.late) {
    stream.work.push_back(std::move(work));
  } else if (stream.failure.ok()) {
    stream.failure = work();
  }
  return {};
}

// An op whose arrays must be the device's, done by the CPU.
template <typename Params>
Outcome launch(Outcome (*op)(const Params&, const qfuse_exec&), const Params& p, const qfuse_exec& exec,
               std::initializer_list<const void*> arrays) {
  if (Outcome o = attempt(exec.device.index, "a launch"); !o.ok()) return o;
  for (const void* array : arrays)
    if (array != nullptr && !device_memory.holds(array)) return broken("an array is not in the GPU's memory");
  return enqueue(exec.stream, [op, p] {
    const qfuse_exec cpu = QFUSE_EXEC_INIT;
    return op(p, cpu);
  });
}

Outcome allocate(int device, const char* what, Memory& kind, std::int64_t bytes, std::int64_t& now, std::int64_t& most,
                 void*& memory) {
  if (Outcome o = attempt(device, what); !o.ok()) return {QFUSE_OUT_OF_MEMORY, o.message};
  memory = kind.allocate(bytes);
  now += bytes;
  most = std::max(most, now);
  return {};
}

}  // namespace
}  // namespace qfuse::tests

namespace qfuse::cuda {

using tests::gpu_double;

int device_count() { return gpu_double().devices; }

std::string describe_device(int index) { return index < device_count() ? "a double" : ""; }

format::Outcome device_facts(int index, DeviceFacts& /*facts*/) {
  return index < device_count() ? format::Outcome{} : format::unsupported("double: no device");
}

format::Outcome allocate(int device, std::int64_t bytes, void*& memory) {
  tests::GpuDouble& gpu = gpu_double();
  return tests::allocate(device, "memory", tests::device_memory, bytes, gpu.device_bytes, gpu.most_device_bytes,
                         memory);
}

void release(int /*device*/, void* memory) { gpu_double().device_bytes -= tests::device_memory.release(memory); }

format::Outcome allocate_pinned(int device, std::int64_t bytes, void*& memory) {
  tests::GpuDouble& gpu = gpu_double();
  return tests::allocate(device, "pinned memory", tests::pinned_memory, bytes, gpu.pinned_bytes, gpu.most_pinned_bytes,
                         memory);
}

void release_pinned(int /*device*/, void* memory) { gpu_double().pinned_bytes -= tests::pinned_memory.release(memory); }

format::Outcome create_stream(int device, void*& stream) {
  if (format::Outcome o = tests::attempt(device, "a stream"); !o.ok()) return o;
  auto made = std::make_unique<tests::DoubleStream>();
  made->late = ++tests::streams_made % 2 == 0;
  stream = made.get();
  tests::streams[stream] = std::move(made);
  return {};
}

// As a real one, it does not forget the work that it has.
void destroy_stream(int device, void* stream) {
  static_cast<void>(synchronize(device, stream));
  tests::streams.erase(stream);
}

format::Outcome copy(int device, void* to, const void* from, std::int64_t bytes, void* stream) {
  if (format::Outcome o = tests::attempt(device, "a copy"); !o.ok()) return o;
  const bool in = tests::device_memory.holds(to) && tests::pinned_memory.holds(from);
  const bool out = tests::pinned_memory.holds(to) && tests::device_memory.holds(from);
  if (!in && !out) return tests::broken("a copy that is not between pinned memory and the GPU's");
  return tests::enqueue(stream, [=] {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
    return format::Outcome{};
  });
}

format::Outcome synchronize(int device, void* handle) {
  tests::DoubleStream& stream = *tests::streams.at(handle);
  for (; !stream.work.empty(); stream.work.pop_front())
    if (stream.failure.ok()) stream.failure = stream.work.front()();
  if (!stream.busy) return stream.failure;
  --gpu_double().busy;
  stream.busy = false;
  if (format::Outcome o = tests::attempt(device, "work"); !o.ok()) return o;
  return stream.failure;
}

format::Outcome dequantize_4bit(const format::Dequantize4bit& p, const qfuse_exec& exec) {
  return tests::launch(cpu::dequantize_4bit, p, exec,
                       {p.packed, p.absmax, p.absmax_8bit, p.nested_absmax, p.nested_quant_map, p.out});
}

format::Outcome quantize_4bit(const format::Quantize4bit& p, const qfuse_exec& exec) {
  return tests::launch(cpu::quantize_4bit, p, exec, {p.in, p.packed, p.absmax, p.absmax_8bit, p.nested_absmax});
}

format::Outcome quantize_blockwise(const format::QuantizeBlockwise& p, const qfuse_exec& exec) {
  return tests::launch(cpu::quantize_blockwise, p, exec, {p.in, p.codes, p.absmax});
}

format::Outcome dequantize_blockwise(const format::DequantizeBlockwise& p, const qfuse_exec& exec) {
  return tests::launch(cpu::dequantize_blockwise, p, exec, {p.codes, p.absmax, p.quant_map, p.out});
}

format::Outcome dequantize_int8(const format::DequantizeInt8& p, const qfuse_exec& exec) {
  return tests::launch(cpu::dequantize_int8, p, exec, {p.in, p.scb, p.out});
}

format::Outcome silu_dot_fwd_bwd_quant_fuse(const format::SiluDotFwdBwdQuantFuse& p, const qfuse_exec& exec) {
  return tests::launch(cpu::silu_dot_fwd_bwd_quant_fuse, p, exec,
                       {p.x, p.grad_y, p.grad_input_q, p.grad_input_s, p.y_q_t, p.y_s_t});
}

}  // namespace qfuse::cuda
