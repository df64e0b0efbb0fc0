// Tests each op as the first call of a thread, on each GPU, for any context and current device of the thread: the
// result is right, and the thread keeps its context and device. Another thread owns the memory and streams.
#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <barrier>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <qfuse/qfuse.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "backend/cuda/device/driver.h"
#include "backend/cuda/gpu.h"
#include "backend/cuda/matmul_4bit/plan.h"
#include "cases/matmul_4bit.h"
#include "support/call_cpp.h"
#include "support/compare.h"
#include "support/quick.h"
#include "support/run.h"
#include "support/samples.h"
#include "support/ways.h"

namespace qfuse::tests {
namespace {

// ---- context and device of a thread ----

template <class Function>
Function driver_function(const char* name, unsigned since) {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  if (cudaGetDriverEntryPointByVersion(name, &entry, since, cudaEnableDefault, &found) != cudaSuccess) entry = nullptr;
  if (entry == nullptr) throw std::runtime_error(std::string("the driver has no ") + name);
  return reinterpret_cast<Function>(entry);
}

struct Current {
  CUcontext context = nullptr;
  int device = -1;  // current device of the runtime, 0 for a thread without a context
  bool operator==(const Current&) const = default;
};

Current current() {
  static const auto get = driver_function<CUresult (*)(CUcontext*)>("cuCtxGetCurrent", 4000);
  Current here;
  EXPECT_EQ(get(&here.context), CUDA_SUCCESS);
  EXPECT_EQ(cudaGetDevice(&here.device), cudaSuccess);
  return here;
}

bool has_primary_context(int device) {
  static const auto get = driver_function<CUresult (*)(CUdevice, unsigned*, int*)>("cuDevicePrimaryCtxGetState", 7000);
  unsigned flags = 0;
  int active = 0;
  EXPECT_EQ(get(device, &flags, &active), CUDA_SUCCESS);
  return active != 0;
}

// Creates a context that is current while this object lives.
class OwnContext {
 public:
  explicit OwnContext(int device) {
    const auto create = driver_function<CUresult (*)(CUcontext*, unsigned, CUdevice)>("cuCtxCreate", 3020);
    EXPECT_EQ(create(&context_, 0, device), CUDA_SUCCESS);
  }
  OwnContext(const OwnContext&) = delete;
  OwnContext& operator=(const OwnContext&) = delete;
  ~OwnContext() {
    EXPECT_EQ(current().context, context_);
    EXPECT_EQ(driver_function<CUresult (*)(CUcontext)>("cuCtxDestroy", 4000)(context_), CUDA_SUCCESS);
  }

 private:
  CUcontext context_ = nullptr;
};

// State of a new thread before its first call.
struct Thread {
  std::string name;
  int device = -1;   // current device, or -1
  bool own = false;  // through its own context
};

// Own contexts are only on other devices than the call's: they share no memory with the runtime's contexts.
std::vector<Thread> threads_for(int device) {
  std::vector<Thread> threads = {{"a thread without a context"}};
  for (int other = 0; other < qfuse_device_count(QFUSE_CUDA); ++other) {
    threads.push_back({"a thread of cuda:" + std::to_string(other), other});
    if (other != device)
      threads.push_back({"a thread with its own context on cuda:" + std::to_string(other), other, true});
  }
  return threads;
}

// Calls `body` in a thread of this kind and expects that the thread keeps its context and device. Without a device,
// body is the thread's first call.
template <class Body>
void run_in(const Thread& thread, const Body& body) {
  SCOPED_TRACE(thread.name);
  Current before{nullptr, 0};
  Current after;
  std::thread([&] {
    std::optional<OwnContext> own;
    if (thread.own) own.emplace(thread.device);
    if (!thread.own && thread.device >= 0) {
      EXPECT_EQ(cudaSetDevice(thread.device), cudaSuccess);
    }
    if (thread.device >= 0) before = current();
    body();
    after = current();
  }).join();
  EXPECT_EQ(before.context, after.context);
  EXPECT_EQ(before.device, after.device);
}

// ---- calls ----

qfuse_exec exec_on(int device, void* stream) {
  qfuse_exec exec = QFUSE_EXEC_INIT;
  exec.device = {QFUSE_CUDA, device};
  exec.stream = stream;
  return exec;
}

// Collects the bytes of a call's outputs.
struct Outputs {
  std::vector<std::uint8_t> bytes;
  void operator()(const char* /*name*/, void*& /*array*/, std::int64_t /*size*/, contract::Workspace /*is none*/) {}
  template <class T>
  void operator()(const char* /*name*/, T*& array, std::int64_t size) {
    if (std::is_const_v<T> || array == nullptr) return;
    const auto* const begin = reinterpret_cast<const std::uint8_t*>(array);
    bytes.insert(bytes.end(), begin, begin + size);
  }
};
template <class Op>
std::vector<std::uint8_t> outputs_of(Op p) {
  Outputs outputs;
  visit_arrays(p, outputs);
  return outputs.bytes;
}

struct Caller {
  const char* name;
  bool cpp;
  int device;
};
void PrintTo(const Caller& caller, std::ostream* out) { *out << caller.name; }

// Only the op runs in the new thread; memory and stream belong to this thread.
template <class Op>
void expect_right_from_every_thread(const Caller& caller, const Op& host, const std::vector<std::uint8_t>& expected) {
  const Stream stream({QFUSE_CUDA, caller.device});
  const qfuse_exec exec = exec_on(caller.device, stream.handle());
  for (const Thread& thread : threads_for(caller.device)) {
    Op p = host;
    OnDevice arrays(exec);
    visit_arrays(p, arrays);
    qfuse_status status = QFUSE_INTERNAL_ERROR;
    qfuse_error error{};
    run_in(thread, [&] { status = caller.cpp ? call_cpp(p, exec, &error) : call(p, &exec, &error); });
    ASSERT_EQ(status, QFUSE_OK) << thread.name << ": " << error.message;
    arrays.finish(exec.stream);
    const std::vector<std::uint8_t> found = outputs_of(host);
    ASSERT_TRUE(same_bytes(expected, found)) << thread.name;
  }
}

// Returns the CPU's result, or, for SwiGLU with NVIDIA's own exp, the GPU's result from the test's thread.
template <class Op>
std::vector<std::uint8_t> expected_of(const Op& host, int device) {
  const bool on_gpu = std::is_same_v<Op, contract::Swiglu> && gpus_have_nvidias_steps();
  qfuse_error error{};
  EXPECT_EQ(run(host, on_gpu ? exec_on(device, nullptr) : qfuse_exec QFUSE_EXEC_INIT, &error), QFUSE_OK)
      << error.message;
  return outputs_of(host);
}

class Threads : public testing::Test {
 protected:
  void SetUp() override {
    if (qfuse_device_count(QFUSE_CUDA) > 0) return;
    if (std::getenv("QFUSE_REQUIRE_GPU") != nullptr) FAIL() << "there is no GPU here, and there should be";
    GTEST_SKIP() << "there is no GPU here";
  }
};

class ThreadsOfEveryOp : public Threads, public testing::WithParamInterface<Caller> {
 protected:
  void SetUp() override {
    Threads::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    if (GetParam().device >= qfuse_device_count(QFUSE_CUDA)) GTEST_SKIP() << "there is no second GPU here";
  }

  template <class Op>
  void expect_samples() {
    for (Sample<Op> sample : samples(std::type_identity<Op>())) {
      if constexpr (std::is_same_v<Op, contract::QuantizeBlockwise>)
        if (!has_cpp(sample.params) && GetParam().cpp) sample.params.in_dtype = QFUSE_FLOAT32;
      SCOPED_TRACE(sample.name);
      Arena arena;
      const Op p = placed(sample.params, arena);
      expect_right_from_every_thread(GetParam(), p, expected_of(p, GetParam().device));
      if (HasFatalFailure()) return;
    }
  }
};

TEST_P(ThreadsOfEveryOp, dequantize_4bit) { expect_samples<contract::Dequantize4bit>(); }
TEST_P(ThreadsOfEveryOp, quantize_4bit) { expect_samples<contract::Quantize4bit>(); }
TEST_P(ThreadsOfEveryOp, quantize_blockwise) { expect_samples<contract::QuantizeBlockwise>(); }
TEST_P(ThreadsOfEveryOp, dequantize_blockwise) { expect_samples<contract::DequantizeBlockwise>(); }
TEST_P(ThreadsOfEveryOp, dequantize_int8) { expect_samples<contract::DequantizeInt8>(); }
TEST_P(ThreadsOfEveryOp, swiglu) { expect_samples<contract::Swiglu>(); }
TEST_P(ThreadsOfEveryOp, lora_merge) { expect_samples<contract::LoraMerge>(); }
TEST_P(ThreadsOfEveryOp, matmul_4bit) { expect_samples<contract::Matmul4bit>(); }
TEST_P(ThreadsOfEveryOp, matmul_4bit_many) { expect_samples<contract::Matmul4bitMany>(); }
TEST_P(ThreadsOfEveryOp, matmul_4bit_grouped) { expect_samples<contract::Matmul4bitGrouped>(); }
TEST_P(ThreadsOfEveryOp, rotated_int8_quantize) { expect_samples<contract::RotatedInt8Quantize>(); }
TEST_P(ThreadsOfEveryOp, rotated_int8_weight_scales) { expect_samples<contract::RotatedInt8WeightScales>(); }
TEST_P(ThreadsOfEveryOp, rotated_int8_weight) { expect_samples<contract::RotatedInt8Weight>(); }
TEST_P(ThreadsOfEveryOp, rotated_int8_matmul) { expect_samples<contract::RotatedInt8Matmul>(); }
TEST_P(ThreadsOfEveryOp, dequantize_fp8) { expect_samples<contract::DequantizeFp8>(); }
TEST_P(ThreadsOfEveryOp, rotated_int8_swiglu) { expect_samples<contract::RotatedInt8Swiglu>(); }

// ---- each kernel of matmul_4bit ----

// Arrays and params of a product, for a case whose plan has the kernel under test.
struct Product {
  Product(const Matmul4bitCase& c, qfuse_direction direction, qfuse_sum sum)
      : input(make_input(c, direction, QFUSE_BFLOAT16)), params(make_params(c, direction, QFUSE_BFLOAT16, input)) {
    params.sum = sum;
    out.resize(output_bytes(params));
    params.out = out.data();
  }
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;
  ~Product() = default;

  Matmul4bitInput input;
  std::vector<std::uint8_t> out;
  contract::Matmul4bit params;
};

class ThreadsOfEveryKernel : public ThreadsOfEveryOp {
 protected:
  void SetUp() override {
    ThreadsOfEveryOp::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    ASSERT_TRUE(cuda::device_facts(GetParam().device, facts_).ok());
    if (facts_.compute_capability != cuda::kH100.compute_capability) GTEST_SKIP() << "there is no Hopper GPU here";
  }

  void expect_right(const Matmul4bitCase& c, cuda::matmul_4bit::Kernel kernel,
                    qfuse_direction direction = QFUSE_FORWARD, qfuse_sum sum = QFUSE_SUM_PLAIN) {
    constexpr std::int64_t kMostForTheOracle = std::int64_t{4} << 20;  // M*N*K; beyond, a GPU result is expected
    const Product product(c, direction, sum);
    ASSERT_EQ(cuda::matmul_4bit::plan(product.params, facts_).kernel, kernel);
    const bool is_small = c.m * c.rows * c.cols <= kMostForTheOracle;
    qfuse_error error{};
    ASSERT_EQ(run(product.params, is_small ? oracle() : exec_on(GetParam().device, nullptr), &error), QFUSE_OK)
        << error.message;
    expect_right_from_every_thread(GetParam(), product.params, outputs_of(product.params));
  }

  cuda::DeviceFacts facts_;
};

TEST_P(ThreadsOfEveryKernel, split_k) {
  expect_right({"split_k", 3, 40, 2 * QFUSE_SPLIT_TERMS}, cuda::matmul_4bit::Kernel::split_k, QFUSE_FORWARD,
               QFUSE_SUM_SPLIT);
}
TEST_P(ThreadsOfEveryKernel, factored) {  // split-K, also with a partial chunk; block size 128 by elements
  using cuda::matmul_4bit::Kernel;
  for (const std::int64_t m : {3, 13}) {
    for (const std::int64_t cols : {2 * QFUSE_SPLIT_TERMS, QFUSE_SPLIT_TERMS + 64})
      expect_right({"factored", m, 40, cols}, Kernel::factored_split_k, QFUSE_FORWARD, QFUSE_SUM_FACTORED);
    expect_right({"factored", m, 40, QFUSE_SPLIT_TERMS + 64, 128}, Kernel::factored, QFUSE_FORWARD, QFUSE_SUM_FACTORED);
  }
}
TEST_P(ThreadsOfEveryKernel, warp_specialized) {
  const Matmul4bitCase c{.risk = "warp_specialized", .m = 5, .rows = 136, .cols = 128, .lora_rank = 16};
  for (const qfuse_direction direction : {QFUSE_FORWARD, QFUSE_BACKWARD})
    expect_right(c, cuda::matmul_4bit::Kernel::warp_specialized, direction);
}
TEST_P(ThreadsOfEveryKernel, register_weights) {  // needs more rows on larger GPUs
  const auto has_register_weights = [&](const Matmul4bitCase& c) {
    contract::Matmul4bit p = matmul_4bit_sample(QFUSE_FORWARD, false);
    p.m = c.m;
    p.weight.rows = c.rows;
    p.weight.cols = c.cols;
    p.sum = QFUSE_SUM_PLAIN;
    return cuda::matmul_4bit::plan(p, facts_).kernel == cuda::matmul_4bit::Kernel::register_weights;
  };
  Matmul4bitCase c{"register_weights", 129, 64, 64};
  while (!has_register_weights(c)) ASSERT_LT(c.rows += 64, 100'000);
  expect_right(c, cuda::matmul_4bit::Kernel::register_weights);
}
TEST_P(ThreadsOfEveryKernel, multistage) {
  for (const std::int64_t m : {5, 40}) expect_right({"multistage", m, 33, 96}, cuda::matmul_4bit::Kernel::multistage);
}
TEST_P(ThreadsOfEveryKernel, tiled) {
  for (const std::int64_t m : {5, 40})
    expect_right({"tiled", m, 33, 96}, cuda::matmul_4bit::Kernel::tiled, QFUSE_FORWARD, QFUSE_SUM_SPLIT);
}

std::vector<Caller> callers() {
  if (kQuick) return {{"c_on_0", false, 0}, {"cpp_on_1", true, 1}};
  return {{"c_on_0", false, 0}, {"cpp_on_0", true, 0}, {"c_on_1", false, 1}, {"cpp_on_1", true, 1}};
}
std::string caller_name(const testing::TestParamInfo<Caller>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Callers, ThreadsOfEveryOp, testing::ValuesIn(callers()), caller_name);
INSTANTIATE_TEST_SUITE_P(Callers, ThreadsOfEveryKernel, testing::ValuesIn(callers()), caller_name);

// ---- own contexts, many threads, errors ----

// The memory and the stream belong to that context, too.
TEST_F(Threads, a_context_of_the_callers_own_is_used) {
  for (int device = 0; device < qfuse_device_count(QFUSE_CUDA); ++device) {
    Arena arena;
    const auto p = placed(dequantize_4bit_sample(true), arena);
    const std::vector<std::uint8_t> expected = expected_of(p, device);
    arena.clear();
    run_in({"a thread with its own context", device, true}, [&] {
      const Stream stream({QFUSE_CUDA, device});
      qfuse_error error{};
      EXPECT_EQ(run(p, exec_on(device, stream.handle()), &error), QFUSE_OK) << error.message;
    });
    EXPECT_EQ(outputs_of(p), expected);
  }
}

// Functions for memory and streams leave a thread without a context as it is.
TEST_F(Threads, memory_and_streams_leave_a_thread_as_it_was) {
  for (int device = 0; device < qfuse_device_count(QFUSE_CUDA); ++device)
    run_in({"a thread without a context"}, [&] {
      EXPECT_FALSE(describe_device({QFUSE_CUDA, device}).empty());
      const std::vector<std::uint8_t> in = {1, 2, 3};
      std::vector<std::uint8_t> out(in.size());
      {
        const DeviceMemory there({QFUSE_CUDA, device}, in.size());
        const PinnedMemory pinned({QFUSE_CUDA, device}, in.size());
        Stream stream({QFUSE_CUDA, device});
        stream.copy(there.data(), in.data(), in.size());
        stream.copy(pinned.data(), there.data(), in.size());
        stream.copy(out.data(), there.data(), in.size());
        stream.synchronize();
        EXPECT_EQ(std::memcmp(pinned.data(), in.data(), in.size()), 0);
      }
      EXPECT_EQ(out, in);
    });
}

// Uses all devices in turn, and tensor maps on Hopper GPUs.
TEST_F(Threads, many_at_once) {
  constexpr int kThreads = 16;
  constexpr int kCalls = 20;
  const int devices = qfuse_device_count(QFUSE_CUDA);
  Product expected({"few tiles", 5, 72, 64}, QFUSE_FORWARD, QFUSE_SUM_PLAIN);
  ASSERT_EQ(run(expected.params, gpu_adds_as_the_oracle() ? oracle() : exec_on(0, nullptr), nullptr), QFUSE_OK);
  std::barrier together(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] {
      Product product({"few tiles", 5, 72, 64}, QFUSE_FORWARD, QFUSE_SUM_PLAIN);
      Arena arena;
      const auto decode = placed(dequantize_4bit_sample(true), arena);
      const std::vector<std::uint8_t> decoded = expected_of(decode, 0);
      together.arrive_and_wait();
      for (int n = 0; n < kCalls; ++n) {
        const int device = (i + n) % devices;
        const Stream stream({QFUSE_CUDA, device});
        const qfuse_exec exec = exec_on(device, stream.handle());
        qfuse_error error{};
        EXPECT_EQ(n % 5 == 0 ? run(product.params, exec, &error) : run(decode, exec, &error), QFUSE_OK)
            << error.message;
        EXPECT_EQ(product.out, expected.out);
        EXPECT_EQ(outputs_of(decode), decoded);
      }
      EXPECT_EQ(current().context, nullptr);
    });
  for (std::thread& thread : threads) thread.join();
}

TEST_F(Threads, a_device_that_is_not_there_has_a_name_and_a_number) {
  for_each_sample([](const std::string& name, auto p, Arena& /*arena*/) {
    for (const int device : {qfuse_device_count(QFUSE_CUDA), 99}) {
      const qfuse_exec exec = exec_on(device, nullptr);
      qfuse_status status = QFUSE_OK;
      qfuse_error error{};
      run_in({"a thread without a context"}, [&] { status = call(p, &exec, &error); });
      EXPECT_EQ(status, QFUSE_UNSUPPORTED) << name;
      const std::string message = error.message;
      EXPECT_TRUE(message.ends_with("CUDA: invalid device ordinal (cudaErrorInvalidDevice, 101)") ||
                  message.ends_with("CUDA: cuDeviceGet: CUDA_ERROR_INVALID_DEVICE (101): invalid device ordinal"))
          << message;
    }
  });
}

TEST_F(Threads, a_stream_of_another_device_is_refused) {
  if (qfuse_device_count(QFUSE_CUDA) < 2) GTEST_SKIP() << "there is no second GPU here";
  const Stream stream({QFUSE_CUDA, 1});
  Arena arena;
  const auto p = placed(dequantize_int8_sample(), arena);
  const qfuse_exec exec = exec_on(0, stream.handle());
  qfuse_error error{};
  run_in({"a thread without a context"}, [&] { EXPECT_EQ(call(p, &exec, &error), QFUSE_UNSUPPORTED); });
  EXPECT_TRUE(std::string(error.message).ends_with("the stream belongs to cuda:1, the call names cuda:0"))
      << error.message;
}

// Runs in a new process, because other tests use all devices; the exit code is the result.
int leave_other_devices_alone() {
  const int last = qfuse_device_count(QFUSE_CUDA) - 1;
  bool right = true;
  std::thread([&] {
    Arena arena;
    const auto p = placed(dequantize_int8_sample(), arena);
    const Stream stream({QFUSE_CUDA, last});
    right = run(p, exec_on(last, stream.handle()), nullptr) == QFUSE_OK && current().context == nullptr;
  }).join();
  for (int device = 0; device < last; ++device) right = right && !has_primary_context(device);
  return right && has_primary_context(last) && current() == Current{nullptr, 0} ? 0 : 1;
}

TEST_F(Threads, no_context_appears_on_another_device) {
  if (qfuse_device_count(QFUSE_CUDA) < 2) GTEST_SKIP() << "there is no second GPU here";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(std::exit(leave_other_devices_alone()), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace qfuse::tests
