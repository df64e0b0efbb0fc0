// How launches are planned, for devices that need not be there.
#include <gtest/gtest.h>

#include <cstdint>

#include "backend/cuda/dequantize_4bit.h"
#include "backend/cuda/quantize_4bit.h"
#include "backend/cuda/silu_dot_fwd_bwd_quant_fuse.h"

namespace qfuse::cuda {
namespace {

// From the vendors' data sheets.
constexpr DeviceFacts kT4{.multiprocessors = 40, .l2_bytes = 4 << 20, .compute_capability = 75};
constexpr DeviceFacts kH100{.multiprocessors = 132, .l2_bytes = 50 << 20, .compute_capability = 90};

template <class T>
T* address(std::uintptr_t at) {
  return reinterpret_cast<T*>(at);  // never read: plans look at the alignment alone
}

format::Dequantize4bit decode_of(std::int64_t n, qfuse_dtype dtype = QFUSE_BFLOAT16) {
  format::Dequantize4bit p{};
  p.n = n;
  p.blocksize = 64;
  p.out_dtype = dtype;
  p.packed = address<std::uint8_t>(0x1000);
  p.out = address<void>(0x100000);
  return p;
}

TEST(DecodePlan, TilesCoverEveryElementOnce) {
  for (const qfuse_dtype dtype : {QFUSE_FLOAT32, QFUSE_FLOAT16, QFUSE_BFLOAT16}) {
    for (const std::int64_t n : {std::int64_t{1}, std::int64_t{4095}, std::int64_t{4096}, std::int64_t{4097},
                                 std::int64_t{4096} * 14336, (std::int64_t{1} << 31) + 1, std::int64_t{1} << 40}) {
      const Dequantize4bitPlan how = plan(decode_of(n, dtype), kH100);
      const std::int64_t tile = std::int64_t{how.threads} * how.groups * how.group;
      EXPECT_GE(how.blocks * tile, n);
      EXPECT_LT((how.blocks - 1) * tile, n);
      EXPECT_LT(how.blocks, std::int64_t{1} << 31) << "more than a grid can have";
    }
  }
}

TEST(DecodePlan, AnyOddAddressIsDecodedElementByElement) {
  EXPECT_TRUE(plan(decode_of(4096), kH100).wide);
  format::Dequantize4bit p = decode_of(4096);
  p.out = address<void>(0x100008);
  EXPECT_FALSE(plan(p, kH100).wide);
  p = decode_of(4096);
  p.packed = address<std::uint8_t>(0x1002);
  EXPECT_FALSE(plan(p, kH100).wide);
  p.out_dtype = QFUSE_FLOAT32;  // a group of 4 has 2 bytes of codes
  EXPECT_TRUE(plan(p, kH100).wide);
  p = decode_of(4096);
  p.nested_absmax = address<float>(0x2001);
  EXPECT_FALSE(plan(p, kH100).wide);
}

TEST(DecodePlan, WhatFitsTheCacheStaysThere) {
  EXPECT_FALSE(plan(decode_of(std::int64_t{2048} * 8192), kH100).stream);
  EXPECT_TRUE(plan(decode_of(std::int64_t{2048} * 8192), kT4).stream);
  EXPECT_TRUE(plan(decode_of(std::int64_t{4096} * 14336), kH100).stream);
  EXPECT_EQ(describe(plan(decode_of(std::int64_t{4096} * 14336), kH100)),
            "14336 blocks of 256 threads, 2 groups of 8 elements each, 16-byte stores past the caches");
}

TEST(EncodePlan, BlocksShareLanesAndMeansHaveChunks) {
  format::Quantize4bit p{};
  p.n = std::int64_t{4096} * 14336;
  p.blocksize = 64;
  p.in = address<void>(0x1000);
  p.packed = address<std::uint8_t>(0x2000);
  p.absmax = address<float>(0x3000);
  p.absmax_8bit = address<std::uint8_t>(0x4000);
  EXPECT_EQ(describe(plan(p)), "14336 blocks of 256 threads, 4 to a scale, 16-byte loads, mean of 224 chunks");
  p.in = address<void>(0x1002);
  p.absmax_8bit = nullptr;
  p.blocksize = 4096;
  EXPECT_EQ(describe(plan(p)), "14336 blocks of 256 threads, 256 to a scale, loads element by element");
}

format::SiluDotFwdBwdQuantFuse silu_of(std::int64_t m, std::int64_t h) {
  format::SiluDotFwdBwdQuantFuse p{};
  p.m = m;
  p.h = h;
  p.group_size = 128;
  p.x = address<void>(0x1000);
  p.grad_y = address<void>(0x2000);
  p.grad_input_q = address<std::int8_t>(0x3000);
  p.grad_input_s = address<float>(0x4000);
  p.y_q_t = address<std::int8_t>(0x5000);
  p.y_s_t = address<float>(0x6000);
  return p;
}

TEST(SiluPlan, TilesThatJustMissAWaveAreMadeByFewerThreads) {
  EXPECT_EQ(describe(plan(silu_of(1024, 2560), kH100)),
            "160 tiles of 128 x 128 by 512 threads each, 16-byte loads, 16-byte stores of y");
  EXPECT_EQ(plan(silu_of(2048, 2560), kH100).threads, 256);
  EXPECT_EQ(plan(silu_of(4096, 2560), kH100).threads, 512);
  EXPECT_EQ(plan(silu_of(2048, 2560), kT4).threads, 512);
  EXPECT_EQ(plan(silu_of(1, 128), kH100).blocks, 1);
  EXPECT_EQ(plan(silu_of(129, 256), kH100).blocks, 4);
}

TEST(SiluPlan, OddAddressesAndStridesGoElementByElement) {
  EXPECT_EQ(describe(plan(silu_of(1000, 128), kH100)),
            "8 tiles of 128 x 128 by 512 threads each, 16-byte loads, stores of y byte by byte");
  for (const auto spoil : {+[](format::SiluDotFwdBwdQuantFuse& p) { p.x = address<void>(0x1002); },
                           +[](format::SiluDotFwdBwdQuantFuse& p) { p.x_stride = 2 * p.h + 1; },
                           +[](format::SiluDotFwdBwdQuantFuse& p) { p.grad_y = address<void>(0x2008); },
                           +[](format::SiluDotFwdBwdQuantFuse& p) { p.grad_y_stride = p.h + 4; },
                           +[](format::SiluDotFwdBwdQuantFuse& p) { p.grad_input_q = address<std::int8_t>(0x3004); },
                           +[](format::SiluDotFwdBwdQuantFuse& p) { p.grad_input_s = address<float>(0x4002); },
                           +[](format::SiluDotFwdBwdQuantFuse& p) { p.y_s_t = address<float>(0x6001); }}) {
    format::SiluDotFwdBwdQuantFuse p = silu_of(1024, 2560);
    spoil(p);
    EXPECT_FALSE(plan(p, kH100).wide);
    EXPECT_TRUE(plan(p, kH100).wide_y);
  }
}

}  // namespace
}  // namespace qfuse::cuda
