// The C interface's own promises: versions of structs, errors as values, devices by name, targets that are what they
// say.
#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <array>
#include <cstring>
#include <set>
#include <string>

#include "backend/cpu/targets.h"
#include "format/dynamic8.h"

namespace qfuse::tests {
namespace {

struct Call {
  std::array<std::uint8_t, 32> packed{};
  std::array<float, 1> absmax{1.0F};
  std::array<float, 64> out{};
  qfuse_dequantize_4bit_params params{};
  qfuse_exec exec = QFUSE_EXEC_INIT;
  qfuse_error error{};

  Call() {
    params.struct_size = sizeof params;
    params.n = 64;
    params.blocksize = 64;
    params.quant_type = QFUSE_NF4;
    params.packed = packed.data();
    params.absmax = absmax.data();
    params.out = out.data();
  }
  qfuse_status run() { return qfuse_dequantize_4bit(&params, &exec, &error); }
};

TEST(Capi, NullExecAndNullErrorAreFine) {
  Call call;
  EXPECT_EQ(qfuse_dequantize_4bit(&call.params, nullptr, nullptr), QFUSE_OK);
  EXPECT_EQ(call.out[0], -1.0F);
  call.params.n = -1;
  EXPECT_EQ(qfuse_dequantize_4bit(&call.params, nullptr, nullptr), QFUSE_INVALID_ARGUMENT);
}

TEST(Capi, StructSizeIsChecked) {
  Call call;
  call.params.struct_size = 0;
  EXPECT_EQ(call.run(), QFUSE_INVALID_ARGUMENT);
  EXPECT_NE(std::string(call.error.message).find("params.struct_size is 0"), std::string::npos) << call.error.message;
  call = Call();
  call.exec.struct_size = 8;
  EXPECT_EQ(call.run(), QFUSE_INVALID_ARGUMENT);
  EXPECT_EQ(qfuse_dequantize_4bit(nullptr, nullptr, &call.error), QFUSE_INVALID_ARGUMENT);
  EXPECT_STREQ(call.error.message, "params is NULL");
}

TEST(Capi, ANewerCallersStructPassesUnlessItUsesWhatWeLack) {
  Call call;
  struct {
    qfuse_dequantize_4bit_params known;
    std::uint64_t added;
  } newer{call.params, 0};
  newer.known.struct_size = sizeof newer;
  EXPECT_EQ(qfuse_dequantize_4bit(&newer.known, nullptr, &call.error), QFUSE_OK) << call.error.message;
  newer.added = 1;
  EXPECT_EQ(qfuse_dequantize_4bit(&newer.known, nullptr, &call.error), QFUSE_UNSUPPORTED);
}

TEST(Capi, SuccessClearsTheError) {
  Call call;
  call.params.n = -1;
  EXPECT_EQ(call.run(), QFUSE_INVALID_ARGUMENT);
  call.params.n = 64;
  EXPECT_EQ(call.run(), QFUSE_OK);
  EXPECT_EQ(call.error.status, QFUSE_OK);
  EXPECT_STREQ(call.error.message, "");
}

TEST(Capi, ZeroElementsTouchNothing) {
  for (const qfuse_device_type type : {QFUSE_CPU, QFUSE_REFERENCE}) {
    qfuse_exec exec = QFUSE_EXEC_INIT;
    exec.device.type = type;
    qfuse_dequantize_4bit_params d{};
    d.struct_size = sizeof d;
    d.blocksize = 64;
    d.quant_type = QFUSE_NF4;
    EXPECT_EQ(qfuse_dequantize_4bit(&d, &exec, nullptr), QFUSE_OK);
    qfuse_quantize_4bit_params q{};
    q.struct_size = sizeof q;
    q.blocksize = 64;
    q.quant_type = QFUSE_NF4;
    EXPECT_EQ(qfuse_quantize_4bit(&q, &exec, nullptr), QFUSE_OK);
    qfuse_dequantize_int8_params i{};
    i.struct_size = sizeof i;
    i.cols = 17;
    EXPECT_EQ(qfuse_dequantize_int8(&i, &exec, nullptr), QFUSE_OK);
  }
}

TEST(Capi, DevicesAreNamed) {
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

TEST(Capi, AMissingDeviceIsAClearFailure) {
  Call call;
  call.exec.device = {QFUSE_CUDA, qfuse_device_count(QFUSE_CUDA)};  // one past the last
  EXPECT_EQ(call.run(), QFUSE_UNSUPPORTED);
  EXPECT_NE(std::string(call.error.message).find("dequantize_4bit"), std::string::npos) << call.error.message;
  call = Call();
  call.exec.cpu_target = "avx1024";
  EXPECT_EQ(call.run(), QFUSE_UNSUPPORTED);
  EXPECT_NE(std::string(call.error.message).find("'avx1024', this machine has: "), std::string::npos)
      << call.error.message;
}

TEST(Capi, DevicesAreDescribed) {
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

TEST(Capi, EveryTargetRunsTheCodeOfItsName) {
  std::set<std::string> names;
  std::string last;
  for (int i = 0; const char* name = qfuse_cpu_target_name(i); ++i) {
    std::size_t row = 0;
    ASSERT_TRUE(cpu::choose_target(name, row).ok());
    std::string compiled = cpu::compiled_target(row);
    for (char& c : compiled) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    EXPECT_EQ(compiled, name);
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

TEST(Capi, SizesAndNames) {
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
