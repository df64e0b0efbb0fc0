// What check() refuses, and that its message names the field and its values.
#include "format/params.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>

namespace qfuse::format {
namespace {

constexpr std::int64_t kLots = std::int64_t{1} << 62;

std::array<std::uint8_t, 4096> memory;  // arrays of the valid parameters lie apart in here
template <class T>
T* at(std::size_t offset) {
  return reinterpret_cast<T*>(memory.data() + offset);
}

Dequantize4bit valid_dequantize(bool nested) {
  Dequantize4bit p{};
  p.struct_size = sizeof p;
  p.n = 128;
  p.blocksize = 64;
  p.quant_type = QFUSE_NF4;
  p.out_dtype = QFUSE_BFLOAT16;
  p.packed = at<std::uint8_t>(0);
  p.out = at<void>(1024);
  if (nested) {
    p.absmax_8bit = at<std::uint8_t>(128);
    p.nested_absmax = at<float>(256);
    p.nested_quant_map = at<float>(2048);
    p.nested_blocksize = 256;
  } else {
    p.absmax = at<float>(128);
  }
  return p;
}

Quantize4bit valid_quantize() {
  Quantize4bit p{};
  p.struct_size = sizeof p;
  p.n = 128;
  p.blocksize = 64;
  p.quant_type = QFUSE_FP4;
  p.in_dtype = QFUSE_FLOAT32;
  p.in = at<void>(0);
  p.packed = at<std::uint8_t>(1024);
  p.absmax = at<float>(1152);
  p.absmax_8bit = at<std::uint8_t>(1280);
  p.nested_absmax = at<float>(1408);
  p.nested_offset = at<float>(1536);
  p.nested_blocksize = 256;
  return p;
}

DequantizeInt8 valid_int8() {
  DequantizeInt8 p{};
  p.struct_size = sizeof p;
  p.rows = 4;
  p.cols = 32;
  p.in = at<std::int8_t>(0);
  p.scb = at<float>(128);
  p.out = at<void>(1024);
  return p;
}

// Two tokens of 128 channels.
SiluDotFwdBwdQuantFuse valid_silu() {
  SiluDotFwdBwdQuantFuse p{};
  p.struct_size = sizeof p;
  p.m = 2;
  p.h = 128;
  p.group_size = 128;
  p.x = at<void>(0);
  p.grad_y = at<void>(1024);
  p.grad_input_q = at<std::int8_t>(2048);
  p.grad_input_s = at<float>(2560);
  p.y_q_t = at<std::int8_t>(2688);
  p.y_s_t = at<float>(3072);
  return p;
}

// The outcome is the refusal that is expected, and its message holds every one of `parts`.
void expect_refused(const Outcome& outcome, std::initializer_list<const char*> parts) {
  EXPECT_EQ(outcome.status, QFUSE_INVALID_ARGUMENT);
  for (const char* part : parts)
    EXPECT_NE(outcome.message.find(part), std::string::npos) << "'" << outcome.message << "' lacks '" << part << "'";
}

void expect_refused(const std::function<void(Dequantize4bit&)>& spoil, std::initializer_list<const char*> parts,
                    bool nested = true) {
  Dequantize4bit p = valid_dequantize(nested);
  spoil(p);
  expect_refused(check(p), parts);
}

TEST(Params, ValidOnesPass) {
  EXPECT_TRUE(check(valid_dequantize(true)).ok()) << check(valid_dequantize(true)).message;
  EXPECT_TRUE(check(valid_dequantize(false)).ok());
  EXPECT_TRUE(check(valid_quantize()).ok()) << check(valid_quantize()).message;
  EXPECT_TRUE(check(valid_int8()).ok());
}

TEST(Params, DequantizeRefusesWhatTheManualRefuses) {
  expect_refused([](auto& p) { p.n = -1; }, {"n is -1"});
  expect_refused([](auto& p) { p.n = kLots; }, {"n is 4611686018427387904", "more than memory"});
  for (const std::int64_t blocksize : {0L, -64L, 16L, 63L, 96L, 8192L})
    expect_refused([&](auto& p) { p.blocksize = blocksize; },
                   {"blocksize is", std::to_string(blocksize).c_str(), "32", "4096"});
  expect_refused([](auto& p) { p.quant_type = static_cast<qfuse_quant_type>(7); }, {"quant_type is 7"});
  expect_refused([](auto& p) { p.out_dtype = static_cast<qfuse_dtype>(9); }, {"out_dtype is 9"});
  for (const std::int64_t blocksize : {0L, -1L, 3L, 255L})
    expect_refused([&](auto& p) { p.nested_blocksize = blocksize; },
                   {"nested_blocksize is", std::to_string(blocksize).c_str()});
}

TEST(Params, DequantizeRefusesMissingAndMixedArrays) {
  expect_refused([](auto& p) { p.absmax = at<float>(3000); }, {"absmax and absmax_8bit are both given"});
  expect_refused([](auto& p) { p.absmax_8bit = nullptr; }, {"absmax and absmax_8bit are both NULL"});
  expect_refused([](auto& p) { p.packed = nullptr; }, {"packed is NULL", "64 bytes"});
  expect_refused([](auto& p) { p.out = nullptr; }, {"out is NULL", "256 bytes"});
  expect_refused([](auto& p) { p.nested_absmax = nullptr; }, {"nested_absmax is NULL", "4 bytes"});
  expect_refused([](auto& p) { p.nested_quant_map = nullptr; }, {"nested_quant_map is NULL", "1024 bytes"});
}

TEST(Params, OverlapIsRefusedToTheByte) {
  expect_refused([](auto& p) { p.out = at<void>(63); }, {"output out overlaps input packed"});
  expect_refused([](auto& p) { p.packed = at<std::uint8_t>(1024 + 255); }, {"output out overlaps input packed"});
  expect_refused([](auto& p) { p.absmax = at<float>(1024 + 252); }, {"output out overlaps input absmax"}, false);
  expect_refused([](auto& p) { p.nested_offset_at = at<float>(1024); }, {"output out overlaps input nested_offset_at"});
  Dequantize4bit touching = valid_dequantize(true);
  touching.packed = at<std::uint8_t>(1024 - 64);
  EXPECT_TRUE(check(touching).ok()) << "arrays that only touch do not overlap";
}

TEST(Params, QuantizeRefusesOverlappingOutputsAndMissingOnes) {
  Quantize4bit p = valid_quantize();
  p.absmax = at<float>(1024 + 60);
  expect_refused(check(p), {"output packed overlaps output absmax"});
  p = valid_quantize();
  p.nested_offset = nullptr;
  expect_refused(check(p), {"nested_offset is NULL", "4 bytes"});
  p = valid_quantize();
  p.absmax_8bit = nullptr;  // plain: the rest of the nested outputs is not asked for
  p.nested_absmax = nullptr;
  p.nested_offset = nullptr;
  p.nested_blocksize = 0;
  EXPECT_TRUE(check(p).ok()) << check(p).message;
}

TEST(Params, ReciprocalIsOneOfTwoAndTheApproximateOneIsCudas) {
  Quantize4bit p = valid_quantize();
  p.reciprocal = static_cast<qfuse_reciprocal>(2);
  expect_refused(check(p), {"reciprocal is 2"});
  p.reciprocal = QFUSE_RECIPROCAL_APPROX;
  EXPECT_TRUE(check(p).ok());
  qfuse_exec exec = QFUSE_EXEC_INIT;
  EXPECT_EQ(check_device(p, exec).status, QFUSE_UNSUPPORTED);
  exec.device = {QFUSE_CUDA, 0};
  EXPECT_TRUE(check_device(p, exec).ok());
}

TEST(Params, Int8RefusesOverflowingShapes) {
  DequantizeInt8 p = valid_int8();
  p.rows = std::int64_t{1} << 40;
  p.cols = std::int64_t{1} << 40;
  expect_refused(check(p), {"rows * cols is 1099511627776 * 1099511627776"});
  p = valid_int8();
  p.rows = -4;
  expect_refused(check(p), {"rows is -4"});
}

void expect_silu_refused(const std::function<void(SiluDotFwdBwdQuantFuse&)>& spoil,
                         std::initializer_list<const char*> parts) {
  SiluDotFwdBwdQuantFuse p = valid_silu();
  spoil(p);
  expect_refused(check(p), parts);
}

TEST(Params, SiluRefusesShapesThatAreNone) {
  EXPECT_TRUE(check(valid_silu()).ok()) << check(valid_silu()).message;
  expect_silu_refused([](auto& p) { p.m = -1; }, {"m is -1, it must not be negative"});
  expect_silu_refused([](auto& p) { p.h = -128; }, {"h is -128, it must not be negative"});
  expect_silu_refused([](auto& p) { p.h = kLots; }, {"h is 4611686018427387904, more than memory can hold"});
  for (const std::int64_t group_size : {0L, 64L, -128L, 256L})
    expect_silu_refused([&](auto& p) { p.group_size = group_size; },
                        {("group_size is " + std::to_string(group_size) + ", it must be 128").c_str()});
  expect_silu_refused([](auto& p) { p.h = 130; }, {"h is 130, it must be a multiple of group_size, 128"});
  expect_silu_refused([](auto& p) { p.x_stride = 255; }, {"x_stride is 255, it must be 0 or at least 2h, 256"});
  expect_silu_refused([](auto& p) { p.x_stride = -256; }, {"x_stride is -256, it must be 0 or at least 2h, 256"});
  expect_silu_refused([](auto& p) { p.grad_y_stride = 127; },
                      {"grad_y_stride is 127, it must be 0 or at least h, 128"});
}

TEST(Params, SiluRefusesSizesThatOverflow) {
  const auto much = std::int64_t{1} << 56;
  expect_silu_refused([&](auto& p) { p.m = much; },
                      {"m rows of 256 elements (2h) are 72057594037927936 * 256, more than memory can hold"});
  expect_silu_refused([&](auto& p) { p.x_stride = much << 4; }, {"m rows of 1152921504606846976 elements (x_stride)"});
  expect_silu_refused([&](auto& p) { p.grad_y_stride = much << 4; },
                      {"m rows of 1152921504606846976 elements (grad_y_stride)"});
  // The largest that pass: no sum of their bytes may overflow either.
  SiluDotFwdBwdQuantFuse p{};
  p.m = 1;
  p.h = (std::int64_t{1} << 59) - 128;
  p.group_size = 128;
  expect_refused(check(p), {"both NULL"});
  p = valid_silu();
  p.m = 1;
  p.h = (std::int64_t{1} << 59) - 128;
  EXPECT_EQ(bytes(p), 9 * p.h + p.h / 128 * 8 + p.h * 4);
}

TEST(Params, SiluRefusesHalfAPairOfOutputs) {
  expect_silu_refused([](auto& p) { p.grad_input_q = nullptr; }, {"grad_input_q is NULL, it must hold 512 bytes"});
  expect_silu_refused([](auto& p) { p.grad_input_s = nullptr; }, {"grad_input_s is NULL, it must hold 16 bytes"});
  expect_silu_refused([](auto& p) { p.y_q_t = nullptr; }, {"y_q_t is NULL, it must hold 256 bytes"});
  expect_silu_refused([](auto& p) { p.y_s_t = nullptr; }, {"y_s_t is NULL, it must hold 512 bytes"});
  expect_silu_refused([](auto& p) { p.x = nullptr; }, {"x is NULL, it must hold 1024 bytes"});
  expect_silu_refused([](auto& p) { p.grad_y = nullptr; }, {"grad_y is NULL, it must hold 512 bytes"});
  SiluDotFwdBwdQuantFuse p = valid_silu();
  p.grad_input_q = nullptr;
  p.grad_input_s = nullptr;
  p.grad_y = nullptr;
  EXPECT_TRUE(check(p).ok()) << "y alone needs no gradient: " << check(p).message;
  p.y_q_t = nullptr;
  p.y_s_t = nullptr;
  expect_refused(check(p), {"grad_input_q and y_q_t are both NULL: at least one pair of outputs must be given"});
  p.m = 0;
  EXPECT_TRUE(check(p).ok()) << check(p).message;
  EXPECT_EQ(bytes(p), 0);
}

TEST(Params, SiluRefusesOverlapGapsIncluded) {
  expect_silu_refused([](auto& p) { p.y_q_t = at<std::int8_t>(1023); }, {"output y_q_t overlaps input x"});
  expect_silu_refused([](auto& p) { p.y_s_t = at<float>(1024 + 511); }, {"output y_s_t overlaps input grad_y"});
  expect_silu_refused([](auto& p) { p.y_q_t = at<std::int8_t>(2048 + 511); },
                      {"output grad_input_q overlaps output y_q_t"});
  expect_silu_refused([](auto& p) { p.grad_input_s = at<float>(3072 + 511); },
                      {"output grad_input_s overlaps output y_s_t"});
  // The second row of x lies beyond the array that stands in the gap.
  expect_silu_refused([](auto& p) { p.x_stride = 1200; }, {"output grad_input_q overlaps input x"});
  SiluDotFwdBwdQuantFuse p = valid_silu();
  p.x_stride = 768;  // ends where grad_input_q begins, and covers grad_y: inputs may overlap
  EXPECT_TRUE(check(p).ok()) << check(p).message;
}

TEST(Params, NothingNeedsNothing) {
  Dequantize4bit d{};
  d.blocksize = 64;
  d.quant_type = QFUSE_NF4;
  EXPECT_TRUE(check(d).ok()) << check(d).message;
  Quantize4bit q{};
  q.blocksize = 64;
  q.quant_type = QFUSE_NF4;
  EXPECT_TRUE(check(q).ok()) << check(q).message;
  DequantizeInt8 i{};
  i.rows = 5;
  EXPECT_TRUE(check(i).ok()) << check(i).message;
  SiluDotFwdBwdQuantFuse s{};
  s.group_size = 128;
  s.h = 256;
  EXPECT_TRUE(check(s).ok()) << check(s).message;
}

TEST(Params, ExecRefusesWhatNoDeviceHas) {
  qfuse_exec exec = QFUSE_EXEC_INIT;
  EXPECT_TRUE(check(exec).ok());
  exec.threads = -1;
  expect_refused(check(exec), {"threads is -1"});
  exec = QFUSE_EXEC_INIT;
  exec.stream = &exec;
  expect_refused(check(exec), {"stream is given"});
  exec = QFUSE_EXEC_INIT;
  exec.device = {static_cast<qfuse_device_type>(5), 0};
  expect_refused(check(exec), {"device type is 5"});
  exec.device = {QFUSE_CPU, -2};
  expect_refused(check(exec), {"device index is -2"});
  exec.device = {QFUSE_CPU, 1};
  EXPECT_EQ(check(exec).status, QFUSE_UNSUPPORTED);
}

TEST(Params, BytesCountEachArrayOnce) {
  // 64 packed + 2 codes + 1 nested scale + 256 map entries read, 128 bf16 written.
  EXPECT_EQ(bytes(valid_dequantize(true)), 64 + 2 + 4 + 1024 + 256);
  EXPECT_EQ(bytes(valid_dequantize(false)), 64 + 2 * 4 + 256);
  // 128 fp32 read; 64 packed, 2 absmax, 2 codes, 1 nested scale, 1 offset written.
  EXPECT_EQ(bytes(valid_quantize()), 512 + 64 + 8 + 2 + 4 + 4);
  EXPECT_EQ(bytes(valid_int8()), 128 + 16 + 512);
  // 256 gates and ups, 256 grad_y read; 512 gradients, 4 scales, 256 y, 128 scales written.
  SiluDotFwdBwdQuantFuse p = valid_silu();
  EXPECT_EQ(bytes(p), 1024 + 512 + 512 + 16 + 256 + 512);
  p.x_stride = 512;
  EXPECT_EQ(bytes(p), 1024 + 512 + 512 + 16 + 256 + 512) << "gaps are not read";
  p.grad_input_q = nullptr;
  p.grad_input_s = nullptr;
  EXPECT_EQ(bytes(p), 1024 + 256 + 512);
}

}  // namespace
}  // namespace qfuse::format
