// Tests device names and descriptions, the CPU targets, and the functions that need no op.
#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstring>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "backend/cpu/targets.h"
#include "format/dynamic8.h"

namespace qfuse::tests {
namespace {

TEST(Devices, are_named) {
  qfuse_device device{};
  qfuse_error error{};
  EXPECT_EQ(qfuse_device_parse("cpu", &device, &error), QFUSE_OK);
  EXPECT_EQ(device.type, QFUSE_CPU);
  EXPECT_EQ(qfuse_device_parse("cuda:3", &device, &error), QFUSE_OK);
  EXPECT_EQ(device.type, QFUSE_CUDA);
  EXPECT_EQ(device.index, 3);
  EXPECT_EQ(qfuse_device_parse("reference", &device, &error), QFUSE_OK);
  EXPECT_EQ(device.type, QFUSE_REFERENCE);
  for (const char* bad : {"", "gpu", "cuda:", "cuda:-1", "cuda:1x", "cuda:99999999999", "CPU", "cpu:0"})
    EXPECT_EQ(qfuse_device_parse(bad, &device, &error), QFUSE_INVALID_ARGUMENT) << bad;
  EXPECT_EQ(qfuse_device_parse(nullptr, &device, &error), QFUSE_INVALID_ARGUMENT);
}

TEST(Devices, are_described) {
  std::array<char, 200> text{};
  EXPECT_EQ(qfuse_device_count(QFUSE_CPU), 1);
  EXPECT_EQ(qfuse_device_describe({QFUSE_CPU, 0}, text.data(), text.size(), nullptr), QFUSE_OK);
  EXPECT_NE(std::string(text.data()).find("threads"), std::string::npos);
  EXPECT_EQ(qfuse_device_describe({QFUSE_CPU, 0}, text.data(), 4, nullptr), QFUSE_OK);
  EXPECT_EQ(std::strlen(text.data()), 3U);
  EXPECT_EQ(qfuse_device_describe({QFUSE_CPU, 1}, text.data(), text.size(), nullptr), QFUSE_UNSUPPORTED);
  EXPECT_EQ(qfuse_device_describe({QFUSE_CUDA, qfuse_device_count(QFUSE_CUDA)}, text.data(), text.size(), nullptr),
            QFUSE_UNSUPPORTED);
  EXPECT_EQ(qfuse_device_describe({QFUSE_CPU, 0}, nullptr, 0, nullptr), QFUSE_INVALID_ARGUMENT);
}

std::string with_avx512_as(const std::string& spelling, std::string name) {
  constexpr std::string_view kAvx512 = "avx512";
  if (const std::size_t at = name.find(kAvx512); at != std::string::npos) name.replace(at, kAvx512.size(), spelling);
  return name;
}

// Other accepted spellings of a target: upper case with "AVX-512", and Highway's name ("avx3").
std::vector<std::string> other_spellings(std::string name) {
  const std::string highway = with_avx512_as("avx3", name);
  name = with_avx512_as("avx-512", name);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return {name, highway};
}

TEST(Devices, every_target_runs_the_code_of_its_name) {
  std::set<std::string> names;
  std::string last;
  for (int i = 0; const char* name = qfuse_cpu_target_name(i); ++i) {
    std::size_t row = 0;
    ASSERT_TRUE(cpu::choose_target(name, row).ok());
    EXPECT_EQ(cpu::compiled_target(row), name);
    for (const std::string& other : other_spellings(name)) {
      std::size_t same = row + 1;
      EXPECT_TRUE(cpu::choose_target(other.c_str(), same).ok()) << other;
      EXPECT_EQ(same, row) << other;
    }
    names.insert(name);
    last = name;
  }
  EXPECT_EQ(last, "scalar");
  EXPECT_EQ(qfuse_cpu_target_name(-1), nullptr);
#if defined(__x86_64__)
  EXPECT_GE(names.size(), 2U) << "every x86-64 machine of the last 15 years has SSSE3";
#elif defined(__aarch64__)
  EXPECT_TRUE(names.contains("neon"));
#endif
}

TEST(Names, and_sizes_are_those_of_the_manual) {
  EXPECT_EQ(qfuse_packed_size(0), 0);
  EXPECT_EQ(qfuse_packed_size(7), 4);
  EXPECT_EQ(qfuse_packed_size(INT64_MAX), INT64_MAX / 2 + 1);
  EXPECT_EQ(qfuse_block_count(65, 64), 2);
  EXPECT_EQ(qfuse_dtype_size(QFUSE_BFLOAT16), 2U);
  EXPECT_EQ(qfuse_dtype_size(static_cast<qfuse_dtype>(77)), 0U);
  EXPECT_STREQ(qfuse_status_string(QFUSE_UNSUPPORTED), "unsupported");
  EXPECT_STREQ(qfuse_status_string(static_cast<qfuse_status>(99)), "unknown status");
  std::array<float, 256> map{};
  qfuse_nested_quant_map(map.data());
  EXPECT_EQ(format::dynamic8::crc32(map), 454261483U);
}

}  // namespace
}  // namespace qfuse::tests
