// Tests devices, memory, streams and ops on a test double of a GPU: the promises of qfuse.h, and the error messages.
#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <qfuse/qfuse.hpp>
#include <set>
#include <string>
#include <vector>

#include "support/gpu_double.h"
#include "support/run.h"
#include "support/samples.h"
#include "support/ways.h"

namespace qfuse::tests {
namespace {

constexpr qfuse_device kGpu = {QFUSE_CUDA, 1};

class Gpu : public testing::Test {
 protected:
  void SetUp() override { gpu_double() = {}; }
  void TearDown() override {
    EXPECT_EQ(gpu_double().device_bytes, 0) << "memory was not released";
    EXPECT_EQ(gpu_double().pinned_bytes, 0) << "memory was not released";
    gpu_double() = {};
  }
};

TEST_F(Gpu, is_counted_and_described) {
  EXPECT_EQ(qfuse_device_count(QFUSE_CUDA), 2);
  EXPECT_EQ(describe_device({QFUSE_CUDA, 1}), "a double");
  EXPECT_THROW(describe_device({QFUSE_CUDA, 2}), Error);
  try {
    static_cast<void>(describe_device({QFUSE_CUDA, 2}));
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::unsupported);
    EXPECT_STREQ(error.what(), "device cuda:2: this machine has 2 GPUs for this process, numbered from 0");
  }
  gpu_double().devices = 0;
  EXPECT_EQ(qfuse_device_count(QFUSE_CUDA), 0);
  try {
    static_cast<void>(describe_device({QFUSE_CUDA, 0}));
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "device cuda:0: there is no GPU here: double: no device");
  }
}

TEST_F(Gpu, has_memory_of_two_kinds) {
  {
    const DeviceMemory device(kGpu, 100);
    const PinnedMemory pinned(kGpu, 30);
    EXPECT_NE(device.data(), nullptr);
    EXPECT_EQ(device.size(), 100U);
    EXPECT_EQ(gpu_double().device_bytes, 100);
    EXPECT_EQ(gpu_double().pinned_bytes, 30);
    EXPECT_EQ(gpu_double().used, std::set{1}) << "the device that was named";
  }
  const DeviceMemory nothing(kGpu, 0);
  EXPECT_NE(nothing.data(), nullptr) << "of 0 bytes there is memory too";
}

TEST_F(Gpu, copies_in_order_on_a_stream) {
  const std::string text = "there and back";
  for (int late = 0; late < 2; ++late) {  // every second stream of the double works as late as possible
    const DeviceMemory there(kGpu, text.size());
    const PinnedMemory in(kGpu, text.size());
    const PinnedMemory out(kGpu, text.size());
    std::memcpy(in.data(), text.data(), text.size());
    Stream stream(kGpu);
    stream.copy(there.data(), in.data(), text.size());
    stream.copy(out.data(), there.data(), text.size());
    stream.synchronize();
    EXPECT_EQ(std::memcmp(out.data(), text.data(), text.size()), 0);
  }
}

// Each message names the device and the operation that failed.
TEST_F(Gpu, failures_say_what_failed_where) {
  const auto message_of = [](const std::function<void()>& call, Status status) -> std::string {
    try {
      call();
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), status);
      return error.what();
    }
    return "nothing failed";
  };
  const DeviceMemory there(kGpu, 16);
  const PinnedMemory here(kGpu, 16);
  Stream stream(kGpu);
  const auto plant = [] { gpu_double().failing_call = gpu_double().calls + 1; };
  plant();
  EXPECT_EQ(message_of([] { const DeviceMemory memory(kGpu, 16); }, Status::out_of_memory),
            "cuda:1: 16 bytes of its memory: double: the planted failure of memory");
  plant();
  EXPECT_EQ(message_of([] { const PinnedMemory memory(kGpu, 16); }, Status::out_of_memory),
            "cuda:1: 16 bytes of pinned memory: double: the planted failure of pinned memory");
  plant();
  EXPECT_EQ(message_of([] { const Stream another(kGpu); }, Status::device_error),
            "cuda:1: a stream: double: the planted failure of a stream");
  plant();
  EXPECT_EQ(message_of([&] { stream.copy(there.data(), here.data(), 16); }, Status::device_error),
            "cuda:1: a copy: double: the planted failure of a copy");
  stream.copy(there.data(), here.data(), 16);
  plant();
  EXPECT_EQ(message_of([&] { stream.synchronize(); }, Status::device_error),
            "cuda:1: its work: double: the planted failure of work");
}

TEST_F(Gpu, runs_every_op_on_its_own_memory) {
  gpu_double().pinned_only = false;
  int compared = 0;
  for (int late = 0; late < 2; ++late) {
    for_each_gpu_way([&](const qfuse_exec& exec) {
      for_each_sample([&](const std::string& name, auto p, Arena& arena) {
        if constexpr (requires { p.workspace; }) p.workspace = nullptr;  // run() provides one
        const std::vector<std::uint8_t> inputs = arena.bytes();
        ASSERT_EQ(run(p, QFUSE_EXEC_INIT, nullptr), QFUSE_OK);
        const std::vector<std::uint8_t> expected = arena.bytes();
        EXPECT_NE(inputs, expected) << name;
        arena.clear();
        qfuse_error error{};
        ASSERT_EQ(run(p, exec, &error), QFUSE_OK) << name << ": " << error.message;
        EXPECT_EQ(arena.bytes(), expected) << name;
        ++compared;
      });
    });
  }
  EXPECT_EQ(compared, 2 * 48) << "each sample of support/samples.h, twice";
}

TEST_F(Gpu, an_op_on_memory_of_the_host_fails) {
  const Stream stream(kGpu);
  qfuse_exec exec = QFUSE_EXEC_INIT;
  exec.device = kGpu;
  exec.stream = stream.handle();
  for_each_sample([&](const std::string& name, const auto& p, const Arena& /*arena*/) {
    qfuse_error error{};
    EXPECT_EQ(call(p, &exec, &error), QFUSE_DEVICE_ERROR) << name;
    EXPECT_NE(std::string(error.message).find(": double: an array is not in the GPU's memory"), std::string::npos)
        << error.message;
  });
}

}  // namespace
}  // namespace qfuse::tests
