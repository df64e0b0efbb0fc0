// Decodes more than 2^31 elements on a device (5 GB of its memory), where 32-bit indices overflow.
#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <qfuse/qfuse.hpp>
#include <string>
#include <vector>

#include "opencl/devices.h"
#include "support/compare.h"
#include "support/run.h"
#include "support/ways.h"

namespace qfuse::tests {
namespace {

constexpr std::int64_t kHugeCount = (std::int64_t{1} << 31) + 12345;
constexpr std::int64_t kHugeBlocksize = 4096;
constexpr std::int64_t kHugeWindow = 16 * kHugeBlocksize;

// Starts of the windows that are compared: the first elements, and those from just before 2^31 to the end.
const std::vector<std::int64_t> kHugeWindows = {0, (std::int64_t{1} << 31) - kHugeWindow / 2};

struct Window {
  explicit Window(std::int64_t at)
      : begin(at),
        count(std::min(kHugeWindow, kHugeCount - at)),
        packed(static_cast<std::size_t>(qfuse_packed_size(count))),
        absmax(static_cast<std::size_t>(qfuse_block_count(count, kHugeBlocksize))) {
    for (std::size_t i = 0; i < packed.size(); ++i)
      packed[i] = static_cast<std::uint8_t>((static_cast<std::size_t>(begin) + i) * 2654435761U >> 13);
    for (std::size_t i = 0; i < absmax.size(); ++i) absmax[i] = 0.5F + static_cast<float>(begin % 97 + std::int64_t(i));
  }
  std::int64_t begin;
  std::int64_t count;
  std::vector<std::uint8_t> packed;
  std::vector<float> absmax;
};

std::unique_ptr<DeviceMemory> memory_if_there_is(qfuse_device device, std::int64_t size) {
  try {
    return std::make_unique<DeviceMemory>(device, static_cast<std::size_t>(size));
  } catch (const Error&) {
    return nullptr;
  }
}

TEST(OpenclHuge, weight_beyond_two_to_the_31) {
  for_each_opencl_device([](qfuse_device device) {
    const auto packed = memory_if_there_is(device, qfuse_packed_size(kHugeCount));
    const auto absmax = memory_if_there_is(device, qfuse_block_count(kHugeCount, kHugeBlocksize) * 4);
    const auto out = memory_if_there_is(device, kHugeCount * 2);
    if (packed == nullptr || absmax == nullptr || out == nullptr)
      GTEST_SKIP() << "the device has no 5 GB, in pieces of up to 4";
    Stream stream(device);
    const std::vector<Window> windows(kHugeWindows.begin(), kHugeWindows.end());
    for (const Window& window : windows) {
      stream.copy(packed->data() + window.begin / 2, window.packed.data(), window.packed.size());
      stream.copy(absmax->data() + window.begin / kHugeBlocksize * 4, window.absmax.data(), window.absmax.size() * 4);
    }
    contract::Dequantize4bit p{};
    p.weight = flat_weight(kHugeCount, kHugeBlocksize, QFUSE_NF4);
    p.weight.packed = reinterpret_cast<const std::uint8_t*>(packed->data());
    p.weight.absmax = reinterpret_cast<const float*>(absmax->data());
    p.out_dtype = QFUSE_BFLOAT16;
    p.out = out->data();
    qfuse_exec exec = QFUSE_EXEC_INIT;
    exec.device = device;
    exec.stream = stream.handle();
    qfuse_error error{};
    ASSERT_EQ(call(p, &exec, &error), QFUSE_OK) << error.message;
    for (const Window& window : windows) {
      SCOPED_TRACE("window from element " + std::to_string(window.begin));
      const auto count = static_cast<std::size_t>(window.count);
      std::vector<std::uint16_t> expected(count);
      std::vector<std::uint16_t> made(count);
      contract::Dequantize4bit part = p;
      part.weight = flat_weight(window.count, kHugeBlocksize, QFUSE_NF4);
      part.weight.packed = window.packed.data();
      part.weight.absmax = window.absmax.data();
      part.out = expected.data();
      ASSERT_EQ(run(part, oracle(), nullptr), QFUSE_OK);
      stream.copy(made.data(), out->data() + window.begin * 2, count * 2);
      stream.synchronize();
      EXPECT_TRUE(same_elements(expected.data(), made.data(), window.count, QFUSE_BFLOAT16));
    }
  });
}

}  // namespace
}  // namespace qfuse::tests
