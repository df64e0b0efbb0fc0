// in:     packed [ceil(n/2)] u8, absmax [blocks] fp32, or absmax_8bit [blocks] u8 with nested_absmax, map and offset
// out:    [n] fp32, fp16 or bf16; 16-byte stores where it is aligned to 16 bytes and packed to 4; else any address
// math:   A = ftz(map[q] * nested_absmax) + offset; out = round(ftz(code[nibble] * A)), each step rounded in fp32
// cost:   n/2 + n/blocksize bytes read, 2n or 4n written: bound by the device's memory
// oracle: reference/dequantize_4bit.cpp
#include "backend/cuda/dequantize_4bit.h"

#include <algorithm>

#include "backend/cuda/device/launch.cuh"
#include "backend/cuda/device/memory.cuh"
#include "backend/cuda/device/rounding.cuh"
#include "format/codebook4.h"
#include "format/layout.h"

namespace qfuse::cuda {
namespace {

// ---- policy ----

// Measured on an H100 among 128, 256 and 512 threads with 1, 2 and 4 groups: within 1 % of the best at every size.
constexpr int kThreads = 256;
constexpr int kGroups = 2;
constexpr int kStoreBytes = 16;  // the widest store of every architecture
constexpr int kNarrowGroup = 2;  // one byte of codes: neighbouring threads then write neighbouring elements

template <class Out>
constexpr int kWideGroup = kStoreBytes / static_cast<int>(sizeof(Out));

// ---- what a kernel sees ----

struct Arguments {
  std::int64_t n;
  int block_shift;   // log2 of elements a block
  int nested_shift;  // log2 of blocks a nested block
  const std::uint8_t* packed;
  const float* absmax;
  const std::uint8_t* absmax_8bit;
  const float* nested_absmax;
  const float* nested_quant_map;
  const float* nested_offset_at;
  float nested_offset;
  void* out;
  float values[format::kCodes4];
};

// Looked up by every thread. Its 16 values lie in 16 banks of shared memory, so that reading them never conflicts.
template <bool kNested>
struct Tables {
  float values[format::kCodes4];
  float map[kNested ? format::kCodes8 : 1];
};

// ---- steps ----

template <bool kWide, bool kNested>
__device__ void load_tables(const Arguments& a, Tables<kNested>& tables) {
  for (unsigned i = threadIdx.x; i < format::kCodes4; i += kThreads) tables.values[i] = a.values[i];
  if constexpr (kNested)
    for (unsigned i = threadIdx.x; i < format::kCodes8; i += kThreads)
      tables.map[i] = load<kWide>(a.nested_quant_map + i);
}

// What is left of a block's absmax when the tables are there.
struct Absmax {
  unsigned code;  // nested
  float scale;    // of the nested block; plain: absmax itself
};

template <bool kWide, bool kNested>
__device__ Absmax load_absmax(const Arguments& a, std::int64_t block) {
  if constexpr (!kNested) return {0, load<kWide>(a.absmax + block)};
  return {__ldg(a.absmax_8bit + block), load<kWide>(a.nested_absmax + (block >> a.nested_shift))};
}

template <bool kNested>
__device__ float decode_absmax(const Tables<kNested>& tables, Absmax absmax, float offset) {
  if constexpr (!kNested) return absmax.scale;
  return __fadd_rn(mul_ftz(tables.map[absmax.code], absmax.scale), offset);
}

// The codes of kGroup elements, or of the `left` ones that exist.
template <int kGroup>
__device__ std::uint32_t load_codes(const std::uint8_t* packed, int left) {
  if (left >= kGroup) return load_once<kGroup / 2>(packed);
  std::uint32_t codes = 0;
  for (int j = 0; 2 * j < left; ++j) codes |= static_cast<std::uint32_t>(packed[j]) << (8 * j);
  return codes;
}

// Element e of a group: the high nibble of byte e/2 comes first.
__device__ inline unsigned nibble(std::uint32_t codes, int e) {
  return codes >> (8 * (e / 2) + (e % 2 == 0 ? 4 : 0)) & 0xfU;
}

template <bool kWide, bool kStream, class Out, int kGroup>
__device__ void store_group(Out* out, int left, const float (&weights)[kGroup]) {
  constexpr int kPerWord = sizeof(std::uint32_t) / sizeof(Out);
  if constexpr (kWide) {
    if (left >= kGroup) {
      const uint4 words = {Rounding<Out>::word(weights), Rounding<Out>::word(weights + kPerWord),
                           Rounding<Out>::word(weights + 2 * kPerWord), Rounding<Out>::word(weights + 3 * kPerWord)};
      store_vector<kStream>(out, words);
      return;
    }
  }
#pragma unroll
  for (int e = 0; e < kGroup; ++e)
    if (e < left) store<kWide>(out + e, Rounding<Out>::one(weights[e]));
}

// ---- kernel ----

template <class Out, bool kNested, bool kWide, bool kStream>
__global__ void __launch_bounds__(kThreads) decode(const __grid_constant__ Arguments a) {
  constexpr int kGroup = kWide ? kWideGroup<Out> : kNarrowGroup;
  constexpr int kTile = kThreads * kGroups * kGroup;  // a power of two, so that blocks and tiles contain one another
  __shared__ Tables<kNested> tables;
  const std::int64_t tile = static_cast<std::int64_t>(blockIdx.x) * kTile;
  const int count = static_cast<int>(a.n - tile < kTile ? a.n - tile : kTile);
  const std::uint8_t* const packed = a.packed + tile / 2;
  std::uint32_t codes[kGroups];
  Absmax absmax[kGroups];
#pragma unroll
  for (int g = 0; g < kGroups; ++g) {
    const int at = (g * kThreads + static_cast<int>(threadIdx.x)) * kGroup;
    if (at >= count) continue;
    codes[g] = load_codes<kGroup>(packed + at / 2, count - at);
    absmax[g] = load_absmax<kWide, kNested>(a, (tile >> a.block_shift) + (at >> a.block_shift));
  }
  float offset = a.nested_offset;
  if constexpr (kNested)
    if (a.nested_offset_at != nullptr) offset = load<kWide>(a.nested_offset_at);
  load_tables<kWide>(a, tables);
  __syncthreads();
  Out* const out = static_cast<Out*>(a.out) + tile;
#pragma unroll
  for (int g = 0; g < kGroups; ++g) {
    const int at = (g * kThreads + static_cast<int>(threadIdx.x)) * kGroup;
    if (at >= count) continue;
    const float scale = decode_absmax(tables, absmax[g], offset);
    float weights[kGroup];
#pragma unroll
    for (int e = 0; e < kGroup; ++e) weights[e] = mul_ftz(tables.values[nibble(codes[g], e)], scale);
    store_group<kWide, kStream>(out + at, count - at, weights);
  }
}

template <class Out, bool kNested>
auto* kernel_for(const Dequantize4bitPlan& plan) {
  if (!plan.wide) return decode<Out, kNested, false, false>;
  return plan.stream ? decode<Out, kNested, true, true> : decode<Out, kNested, true, false>;
}

template <class Out>
format::Outcome launch_decode(const Dequantize4bitPlan& plan, const Arguments& a, const qfuse_exec& exec) {
  auto* kernel = a.absmax_8bit != nullptr ? kernel_for<Out, true>(plan) : kernel_for<Out, false>(plan);
  return launch(kernel, plan.blocks, plan.threads, a, exec);
}

Arguments arguments_of(const format::Dequantize4bit& p) {
  Arguments a{.n = p.n,
              .block_shift = log2(p.blocksize),
              .nested_shift = format::is_nested(p) ? log2(p.nested_blocksize) : 0,
              .packed = p.packed,
              .absmax = p.absmax,
              .absmax_8bit = p.absmax_8bit,
              .nested_absmax = p.nested_absmax,
              .nested_quant_map = p.nested_quant_map,
              .nested_offset_at = p.nested_offset_at,
              .nested_offset = p.nested_offset,
              .out = p.out,
              .values = {}};
  std::ranges::copy(format::codebook4(p.quant_type).values, a.values);
  return a;
}

}  // namespace

// ---- plan ----

Dequantize4bitPlan plan(const format::Dequantize4bit& p, const DeviceFacts& facts) {
  Dequantize4bitPlan plan;
  plan.group = kStoreBytes / static_cast<int>(format::dtype_size(p.out_dtype));
  plan.wide = is_aligned(p.out, kStoreBytes) && is_aligned(p.packed, plan.group / 2) && is_aligned(p.absmax, 4) &&
              is_aligned(p.nested_absmax, 4) && is_aligned(p.nested_quant_map, 4) && is_aligned(p.nested_offset_at, 4);
  if (!plan.wide) plan.group = kNarrowGroup;
  // What fits the L2 cache is left there for who reads it next (a quarter of decode + read, on an H100); what does not
  // would only drive out other data (1 % of the decoding).
  plan.stream = plan.wide && p.n * format::dtype_size(p.out_dtype) > facts.l2_bytes;
  plan.groups = kGroups;
  plan.threads = kThreads;
  plan.blocks = format::ceil_div(p.n, std::int64_t{plan.group} * plan.groups * plan.threads);
  return plan;
}

std::string describe(const Dequantize4bitPlan& plan) {
  return std::to_string(plan.blocks) + " blocks of " + std::to_string(plan.threads) + " threads, " +
         std::to_string(plan.groups) + " groups of " + std::to_string(plan.group) + " elements each, " +
         (!plan.wide    ? "stores element by element"
          : plan.stream ? "16-byte stores past the caches"
                        : "16-byte stores");
}

format::Outcome dequantize_4bit(const format::Dequantize4bit& p, const qfuse_exec& exec) {
  DeviceFacts facts;
  if (format::Outcome o = device_facts(exec.device.index, facts); !o.ok()) return o;
  const Dequantize4bitPlan how = plan(p, facts);
  const Arguments a = arguments_of(p);
  switch (p.out_dtype) {
    case QFUSE_FLOAT32: return launch_decode<float>(how, a, exec);
    case QFUSE_FLOAT16: return launch_decode<__half>(how, a, exec);
    case QFUSE_BFLOAT16: return launch_decode<__nv_bfloat16>(how, a, exec);
  }
  return {};
}

}  // namespace qfuse::cuda
