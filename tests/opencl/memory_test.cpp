// Tests memory, streams and copies of OpenCL devices, as specified in qfuse.h.
#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <qfuse/qfuse.hpp>
#include <string>
#include <thread>
#include <vector>

#include "backend/opencl/handles.h"
#include "opencl/devices.h"
#include "support/run.h"
#include "support/ways.h"

namespace qfuse::tests {
namespace {

std::string message_of(qfuse_status expected, qfuse_status status, const qfuse_error& error) {
  EXPECT_EQ(status, expected) << error.message;
  return error.message;
}

TEST(OpenclMemory, is_aligned_and_there_is_some_of_0_bytes) {
  for_each_opencl_device([](qfuse_device device) {
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{1000003}}) {
      const DeviceMemory there(device, size);
      const PinnedMemory here(device, size);
      ASSERT_NE(there.data(), nullptr);
      ASSERT_NE(here.data(), nullptr);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(there.data()) % 128, 0U);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(here.data()) % 256, 0U);
    }
  });
}

TEST(OpenclMemory, that_is_too_much_is_refused_in_words) {
  for_each_opencl_device([](qfuse_device device) {
    void* memory = nullptr;
    qfuse_error error{};
    const std::int64_t most = std::numeric_limits<std::int64_t>::max() - 4096;
    EXPECT_NE(message_of(QFUSE_OUT_OF_MEMORY, qfuse_memory_allocate(device, QFUSE_MEMORY_DEVICE, most, &memory, &error),
                         error)
                  .find("bytes of its memory: OpenCL: "),
              std::string::npos);
    message_of(QFUSE_OUT_OF_MEMORY, qfuse_memory_allocate(device, QFUSE_MEMORY_PINNED, most, &memory, &error), error);
  });
}

// Copies between all kinds of memory, at odd addresses, run in the order of their calls.
TEST(OpenclMemory, copies_in_every_direction) {
  for_each_opencl_device([](qfuse_device device) {
    constexpr std::size_t kSize = 100003;
    const DeviceMemory first(device, kSize + 5);
    const DeviceMemory second(device, kSize + 5);
    const PinnedMemory pinned(device, kSize);
    std::vector<std::uint8_t> in(kSize);
    for (std::size_t i = 0; i < kSize; ++i) in[i] = static_cast<std::uint8_t>(i * 2654435761U >> 11);
    std::vector<std::uint8_t> out(kSize);
    Stream stream(device);
    stream.copy(first.data() + 3, in.data(), kSize);
    stream.copy(second.data() + 5, first.data() + 3, kSize);
    stream.copy(pinned.data(), second.data() + 5, kSize);
    stream.copy(out.data(), pinned.data(), kSize);
    stream.copy(out.data(), out.data(), 0);
    stream.synchronize();
    EXPECT_EQ(in, out);
  });
}

TEST(OpenclMemory, copies_without_a_stream_on_the_devices_own) {
  for_each_opencl_device([](qfuse_device device) {
    const DeviceMemory there(device, 64);
    const std::string in(64, 'x');
    std::string out(64, ' ');
    ASSERT_EQ(qfuse_copy(device, there.data(), in.data(), 64, nullptr, nullptr), QFUSE_OK);
    ASSERT_EQ(qfuse_copy(device, out.data(), there.data(), 64, nullptr, nullptr), QFUSE_OK);
    ASSERT_EQ(qfuse_stream_synchronize(device, nullptr, nullptr), QFUSE_OK);
    EXPECT_EQ(in, out);
  });
}

TEST(OpenclStream, of_another_context_is_refused) {
  for_each_opencl_device([](qfuse_device device) {
    cl_device_id id = opencl::device_ids().at(static_cast<std::size_t>(device.index));
    const opencl::Context context(clCreateContext(nullptr, 1, &id, nullptr, nullptr, nullptr));
    ASSERT_NE(context, nullptr);
    const opencl::Queue queue(clCreateCommandQueueWithProperties(context.get(), id, nullptr, nullptr));
    ASSERT_NE(queue, nullptr);
    qfuse_error error{};
    EXPECT_EQ(message_of(QFUSE_UNSUPPORTED, qfuse_stream_synchronize(device, queue.get(), &error), error),
              "opencl:" + std::to_string(device.index) +
                  ": its work: OpenCL: the stream is another device's or another context's");
    const std::int8_t code = 1;
    const float scale = 1.0F;
    float out = 0.0F;
    contract::DequantizeInt8 p{};
    p.rows = p.cols = 1;
    p.in = &code;
    p.scb = &scale;
    p.out = &out;
    qfuse_exec exec = QFUSE_EXEC_INIT;
    exec.device = device;
    exec.stream = queue.get();
    message_of(QFUSE_UNSUPPORTED, call(p, &exec, &error), error);
  });
}

// Two threads that set the arguments of the same kernel object would mix them up.
TEST(OpenclStream, of_several_threads_do_not_meet) {
  for_each_opencl_device([](qfuse_device device) {
    constexpr int kThreads = 4;
    constexpr int kCalls = 50;
    constexpr std::int64_t kCols = 1001;
    const auto work = [&](int thread, int& right) {
      for (int i = 0; i < kCalls; ++i) {
        const std::vector<std::int8_t> in(kCols, static_cast<std::int8_t>(thread + 1));
        const float scale = static_cast<float>(i + 1);
        std::vector<float> out(kCols);
        contract::DequantizeInt8 p{};
        p.rows = 1;
        p.cols = kCols;
        p.in = in.data();
        p.scb = &scale;
        std::vector<float> expected(kCols);
        p.out = expected.data();
        bool good = call(p) == QFUSE_OK;
        p.out = out.data();
        qfuse_exec exec = QFUSE_EXEC_INIT;
        exec.device = device;
        const Stream stream(device);
        exec.stream = stream.handle();
        good = good && run(p, exec, nullptr) == QFUSE_OK && out == expected;
        right += good ? 1 : 0;
      }
    };
    std::vector<int> right(kThreads);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) threads.emplace_back(work, t, std::ref(right[static_cast<std::size_t>(t)]));
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(right, std::vector<int>(kThreads, kCalls));
  });
}

}  // namespace
}  // namespace qfuse::tests
