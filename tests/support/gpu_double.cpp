#include "support/gpu_double.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "backend/cpu/kernels.h"
#include "backend/vendor.h"
#include "contract/ops.h"
#include "ops/registry.h"
#include "runtime/vendors.h"

namespace qfuse::tests {

GpuDouble& gpu_double() {
  static GpuDouble instance;
  return instance;
}

namespace {

using contract::Outcome;

// Allocations of one kind of memory, by their first address.
class Memory {
 public:
  void* allocate(std::int64_t size) {
    auto bytes = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(size));
    std::memset(bytes.get(), 0xa5, static_cast<std::size_t>(size));
    void* const begin = bytes.get();
    blocks_[begin] = {std::move(bytes), size};
    return begin;
  }
  // Frees the block and returns its size.
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

// First step of every call that can fail.
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

// Runs an op on the CPU, after checking that its arrays are in device memory.
template <class Op, Outcome (*kOnCpu)(const Op&, const qfuse_exec&)>
Outcome launch(const Op& p, const qfuse_exec& exec) {
  if (Outcome o = attempt(exec.device.index, "a launch"); !o.ok()) return o;
  const contract::ArrayList arrays(p);
  for (const contract::Array& array : arrays.all())
    if (array.size > 0 && !device_memory.holds(array.data)) return broken("an array is not in the GPU's memory");
  return enqueue(exec.stream, [p] {
    const qfuse_exec cpu = QFUSE_EXEC_INIT;
    return kOnCpu(p, cpu);
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

int device_count() { return gpu_double().devices; }

Outcome why_none() { return contract::unsupported("double: no device"); }

std::string describe(int index) { return index < device_count() ? "a double" : ""; }

Outcome allocate(int device, qfuse_memory_kind kind, std::int64_t size, void** memory) {
  GpuDouble& gpu = gpu_double();
  return kind == QFUSE_MEMORY_DEVICE
             ? allocate(device, "memory", device_memory, size, gpu.device_bytes, gpu.most_device_bytes, *memory)
             : allocate(device, "pinned memory", pinned_memory, size, gpu.pinned_bytes, gpu.most_pinned_bytes, *memory);
}

void release(int /*device*/, qfuse_memory_kind kind, void* memory) {
  if (kind == QFUSE_MEMORY_DEVICE)
    gpu_double().device_bytes -= device_memory.release(memory);
  else
    gpu_double().pinned_bytes -= pinned_memory.release(memory);
}

Outcome create_stream(int device, void** stream) {
  if (Outcome o = attempt(device, "a stream"); !o.ok()) return o;
  auto made = std::make_unique<DoubleStream>();
  made->late = ++streams_made % 2 == 0;
  *stream = made.get();
  streams[*stream] = std::move(made);
  return {};
}

Outcome synchronize(int device, void* handle) {
  DoubleStream& stream = *streams.at(handle);
  for (; !stream.work.empty(); stream.work.pop_front())
    if (stream.failure.ok()) stream.failure = stream.work.front()();
  if (!stream.busy) return stream.failure;
  --gpu_double().busy;
  stream.busy = false;
  if (Outcome o = attempt(device, "work"); !o.ok()) return o;
  return stream.failure;
}

// Like a real stream, it finishes its pending work.
void destroy_stream(int device, void* stream) {
  static_cast<void>(synchronize(device, stream));
  streams.erase(stream);
}

Outcome copy(int device, void* to, const void* from, std::int64_t size, void* stream) {
  if (Outcome o = attempt(device, "a copy"); !o.ok()) return o;
  const auto is_host = [](const void* address) { return !gpu_double().pinned_only || pinned_memory.holds(address); };
  const bool in = device_memory.holds(to) && is_host(from);
  const bool out = is_host(to) && device_memory.holds(from);
  if (!in && !out) return broken("a copy that is not between pinned memory and the GPU's");
  return enqueue(stream, [=] {
    std::memcpy(to, from, static_cast<std::size_t>(size));
    return Outcome{};
  });
}

constexpr backend::Vendor kVendor = {QFUSE_CUDA, device_count,  why_none,       describe, allocate,
                                     release,    create_stream, destroy_stream, copy,     synchronize};

}  // namespace

void install_gpu_double() {
  using namespace contract;
  runtime::replace_vendor(kVendor);
  ops::replace_backend(
      {QFUSE_CUDA,
       {launch<Dequantize4bit, cpu::dequantize_4bit>, launch<Quantize4bit, cpu::quantize_4bit>,
        launch<QuantizeBlockwise, cpu::quantize_blockwise>, launch<DequantizeBlockwise, cpu::dequantize_blockwise>,
        launch<DequantizeInt8, cpu::dequantize_int8>, launch<Swiglu, cpu::swiglu>, launch<Matmul4bit, cpu::matmul_4bit>,
        launch<LoraMerge, cpu::lora_merge>, launch_each<launch<Matmul4bit, cpu::matmul_4bit>>,
        launch<Matmul4bitGrouped, cpu::matmul_4bit_grouped>, launch<RotatedInt8Quantize, cpu::rotated_int8_quantize>,
        launch<RotatedInt8WeightScales, cpu::rotated_int8_weight_scales>,
        launch<RotatedInt8Weight, cpu::rotated_int8_weight>, launch<RotatedInt8Matmul, cpu::rotated_int8_matmul>,
        launch<DequantizeFp8, cpu::dequantize_fp8>, launch<RotatedInt8Swiglu, cpu::rotated_int8_swiglu>}});
}

}  // namespace qfuse::tests
