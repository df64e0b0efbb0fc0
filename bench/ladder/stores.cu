// in:     packed [n/2] u8, absmax_8bit [n/64] u8, nested_absmax [n/64/256] fp32, map, offset; aligned to 16
// out:    [n] fp16 or bf16, aligned to 16
// math:   A = ftz(map[q] * nested_absmax) + offset; out = round(ftz(code[nibble] * A)), each step rounded in fp32
// cost:   n/2 + n/64 bytes read, 2n written
// oracle: reference/dequantize_4bit.cpp
// One kernel, the absmax decoded where it is used; three ways to put two elements of a byte where they belong.
#include "ladder/steps.cuh"

namespace qfuse::bench {
namespace ladder {
namespace {

constexpr int kThreads = 256;

// A thread has a byte and stores its elements one after the other, so that a warp's stores leave every other element
// out.
template <class Out>
__global__ void __launch_bounds__(kThreads) store_interleaved(Weight w, Out* out) {
  __shared__ float table[format::kCodes4];
  load_table(table);
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  const float absmax = decode_absmax(w, 2 * i / kBlock);
  const unsigned byte = w.packed[i];
  out[2 * i] = Rounding<Out>::one(mul_ftz(table[byte >> 4], absmax));
  out[2 * i + 1] = Rounding<Out>::one(mul_ftz(table[byte & 0xf], absmax));
}

// The two joined into one store of 4 bytes.
template <class Out>
__global__ void __launch_bounds__(kThreads) store_joined(Weight w, std::uint32_t* out) {
  __shared__ float table[format::kCodes4];
  load_table(table);
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  out[i] = decode_pair<Out>(table, w.packed[i], decode_absmax(w, 2 * i / kBlock));
}

// A thread has an element, and loads the byte that its neighbour loads too: dense stores without joining.
template <class Out>
__global__ void __launch_bounds__(kThreads) load_twice(Weight w, Out* out) {
  __shared__ float table[format::kCodes4];
  load_table(table);
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  const unsigned byte = w.packed[i / 2];
  const unsigned code = i % 2 == 0 ? byte >> 4 : byte & 0xf;
  out[i] = Rounding<Out>::one(mul_ftz(table[code], decode_absmax(w, i / kBlock)));
}

}  // namespace
}  // namespace ladder

void interleaved_stores(const Climb& climb) {
  using namespace ladder;
  for_dtype(climb.p.out_dtype, [&]<class Out>() {
    store_interleaved<<<whole_tiles(climb.p.n, 2 * kThreads), kThreads, 0, climb.stream>>>(
        weight_of(climb.p), static_cast<Out*>(climb.p.out));
  });
}

void joined_stores(const Climb& climb) {
  using namespace ladder;
  for_dtype(climb.p.out_dtype, [&]<class Out>() {
    store_joined<Out><<<whole_tiles(climb.p.n, 2 * kThreads), kThreads, 0, climb.stream>>>(
        weight_of(climb.p), static_cast<std::uint32_t*>(climb.p.out));
  });
}

void double_load(const Climb& climb) {
  using namespace ladder;
  for_dtype(climb.p.out_dtype, [&]<class Out>() {
    load_twice<<<whole_tiles(climb.p.n, kThreads), kThreads, 0, climb.stream>>>(weight_of(climb.p),
                                                                                static_cast<Out*>(climb.p.out));
  });
}

}  // namespace qfuse::bench
