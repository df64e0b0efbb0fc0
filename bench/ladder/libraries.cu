// in:     packed [n/2] u8, absmax_8bit [n/64] u8, nested_absmax [n/64/256] fp32, map, offset; aligned to 16
// out:    [n] fp16 or bf16, aligned to 16
// math:   A = ftz(map[q] * nested_absmax) + offset; out = round(ftz(code[nibble] * A)), each step rounded in fp32
// cost:   n/2 + n/64 bytes read, 2n written; and 4n/64 written, read, written and read again
// oracle: reference/dequantize_4bit.cpp
// The way of the libraries: absmax is decoded to memory, shifted there, and read by the decoder.
#include "ladder/steps.cuh"

namespace qfuse::bench {
namespace ladder {
namespace {

constexpr int kThreads = 256;

__global__ void __launch_bounds__(kThreads) decode_codes(Weight w, float* absmax, std::int64_t blocks) {
  const std::int64_t block = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (block < blocks)
    absmax[block] = mul_ftz(w.nested_quant_map[w.absmax_8bit[block]], w.nested_absmax[block / kNested]);
}

__global__ void __launch_bounds__(kThreads) add_offset(Weight w, float* absmax, std::int64_t blocks) {
  const std::int64_t block = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (block < blocks) absmax[block] = __fadd_rn(absmax[block], w.nested_offset);
}

template <class Out>
__global__ void __launch_bounds__(kThreads) decode_plain(Weight w, const float* absmax, Out* out) {
  __shared__ float table[format::kCodes4];
  load_table(table);
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  const std::uint32_t codes = reinterpret_cast<const std::uint32_t*>(w.packed)[i];
  float values[kGroup];
#pragma unroll
  for (int e = 0; e < kGroup; ++e) values[e] = table[nibble(codes, e)];
  reinterpret_cast<uint4*>(out)[i] = scale_group<Out>(values, absmax[i * kGroup / kBlock]);
}

}  // namespace
}  // namespace ladder

void three_launches(const Climb& climb) {
  using namespace ladder;
  const Weight w = weight_of(climb.p);
  const std::int64_t blocks = w.n / kBlock;
  const auto grid = static_cast<unsigned>(format::ceil_div(blocks, kThreads));
  decode_codes<<<grid, kThreads, 0, climb.stream>>>(w, climb.scratch, blocks);
  ladder::add_offset<<<grid, kThreads, 0, climb.stream>>>(w, climb.scratch, blocks);
  for_dtype(climb.p.out_dtype, [&]<class Out>() {
    decode_plain<<<whole_tiles(w.n, kThreads * kGroup), kThreads, 0, climb.stream>>>(w, climb.scratch,
                                                                                     static_cast<Out*>(climb.p.out));
  });
}

}  // namespace qfuse::bench
