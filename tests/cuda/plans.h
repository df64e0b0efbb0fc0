// Calls and device descriptions for tests of plans; the devices need not be present.
#ifndef QFUSE_TESTS_CUDA_PLANS_H
#define QFUSE_TESTS_CUDA_PLANS_H

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "backend/cuda/dequantize_4bit/plan.h"
#include "backend/cuda/matmul_4bit/plan.h"
#include "backend/cuda/quantize_4bit/plan.h"
#include "backend/cuda/rotated_int8/plan.h"
#include "backend/cuda/swiglu/plan.h"

namespace qfuse::cuda {

using dequantize_4bit::candidates;
using dequantize_4bit::plan;
using matmul_4bit::candidates;
using matmul_4bit::plan;
using quantize_4bit::candidates;
using quantize_4bit::plan;
using rotated_int8::candidates;
using rotated_int8::plan;
using swiglu::candidates;
using swiglu::plan;

inline constexpr DeviceFacts kB200 = {148, 126 << 20, 100, 227 << 10};
inline constexpr std::array kWithSplitK = {kT4, kA100, kRtx3090, kL4, kRtx4090, kRtx5090, kB200, kH100, kH200};
// Facts of a driver that reports nothing.
inline constexpr DeviceFacts kUnknown{};
inline constexpr std::array kDevices = {kH100, kH200, kT4, kUnknown};

// Changes the device to compute capability 8.0, whose kernels have no warp-specialized pipeline.
inline DeviceFacts without_pipeline(DeviceFacts facts) {
  facts.compute_capability = 80;
  return facts;
}

// Returns a pointer that is never dereferenced: plans look only at the alignment.
template <class T>
T* address(std::uintptr_t at) {
  return reinterpret_cast<T*>(at);  // NOLINT(performance-no-int-to-ptr)
}
inline qfuse_quantized quantized(std::uintptr_t q, std::uintptr_t s) { return {address<void>(q), address<float>(s)}; }

inline contract::Dequantize4bit decode_of(std::int64_t n, qfuse_dtype dtype = QFUSE_BFLOAT16) {
  contract::Dequantize4bit p{};
  p.weight.rows = 1;
  p.weight.cols = n;
  p.weight.blocksize = 64;
  p.weight.quant_type = QFUSE_NF4;
  p.weight.packed = address<std::uint8_t>(0x1000);
  p.weight.absmax_8bit = address<std::uint8_t>(0x2001);  // bytes need no alignment
  p.weight.nested_absmax = address<float>(0x3000);
  p.weight.nested_quant_map = address<float>(0x4000);
  p.weight.nested_offset = address<float>(0x5000);
  p.weight.nested_blocksize = 256;
  p.out_dtype = dtype;
  p.out = address<void>(0x100000);
  return p;
}

// Like MXFP4, except for the block size.
inline contract::Dequantize4bit decode_rows_of(std::int64_t cols, std::int64_t blocksize) {
  contract::Dequantize4bit p{};
  p.weight.rows = 1440;
  p.weight.cols = cols;
  p.weight.blocksize = blocksize;
  p.weight.quant_type = QFUSE_E2M1;
  p.weight.scale_type = QFUSE_SCALES_UE8M0;
  p.weight.packed = address<std::uint8_t>(0x1000);
  p.weight.scales = address<std::uint8_t>(0x2001);
  p.out_dtype = QFUSE_BFLOAT16;
  p.out = address<void>(0x100000);
  return p;
}

inline contract::Quantize4bit encode_of(std::int64_t n, std::int64_t blocksize) {
  contract::Quantize4bit p{};
  p.in_dtype = QFUSE_BFLOAT16;
  p.in = address<void>(0x1000);
  p.weight.rows = 1;
  p.weight.cols = n;
  p.weight.blocksize = blocksize;
  p.weight.packed = address<std::uint8_t>(0x2000);
  p.weight.absmax = address<float>(0x3000);
  return p;
}

inline contract::Swiglu swiglu_of(std::int64_t m, std::int64_t h) {
  contract::Swiglu p{};
  p.m = m;
  p.h = h;
  p.format.group_size = 128;
  p.x = address<void>(0x1000);
  p.grad_y = address<void>(0x2000);
  p.grad_input = quantized(0x3000, 0x4000);
  p.y_t = quantized(0x5000, 0x6000);
  return p;
}

inline contract::Matmul4bit product_of(std::int64_t m, std::int64_t rows, std::int64_t cols) {
  contract::Matmul4bit p{};
  p.weight = decode_of(1).weight;
  p.weight.rows = rows;
  p.weight.cols = cols;
  p.weight.absmax_8bit = address<std::uint8_t>(0x2000);
  p.dtype = QFUSE_BFLOAT16;
  p.m = m;
  p.in = address<void>(0x6000);
  p.out = address<void>(0x100001);
  p.sum = QFUSE_SUM_SPLIT;
  return p;
}

// Changes the dtype to fp16, for which every GPU here has matrix instructions.
template <class P>
P in_half(P p) {
  p.dtype = QFUSE_FLOAT16;
  return p;
}

// Expects that the plan is among the call's candidates, and that text with all its fields selects it.
template <class Plan>
void expect_candidate(const Plan& plan, const std::vector<Plan>& candidates) {
  const auto is_plan = [&](const Plan& other) { return other.fields() == plan.fields(); };
  EXPECT_EQ(std::ranges::count_if(candidates, is_plan), 1) << contract::print(plan.fields());
  for (const Plan& candidate : candidates) {
    std::string text = contract::print(candidate.fields());
    std::ranges::replace(text, ' ', ',');
    Plan forced = plan;
    const contract::Outcome outcome = contract::force(std::string(Plan::kOp) + ":" + text, candidates, forced);
    EXPECT_TRUE(outcome.ok()) << outcome.message;
    EXPECT_EQ(forced.fields(), candidate.fields());
  }
}

// Returns the plan of a product and expects that its shared memory fits the device.
template <class P>
auto plan_that_can_run(const P& p, const DeviceFacts& facts = kH200) {
  const auto chosen = plan(p, facts);
  EXPECT_LE(chosen.shared_bytes, facts.shared_bytes);
  expect_candidate(chosen, candidates(p, facts));
  return chosen;
}

}  // namespace qfuse::cuda

#endif  // QFUSE_TESTS_CUDA_PLANS_H
