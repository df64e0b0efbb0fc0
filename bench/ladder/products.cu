// in:     packed [n/2] u8, absmax_8bit [n/64] u8, nested_absmax [n/64/256] fp32, map, offset; aligned to 16
// out:    [n] fp16 or bf16, aligned to 16
// math:   A = ftz(map[q] * nested_absmax) + offset; out = round(ftz(code[nibble] * A)), each step rounded in fp32
// cost:   n/2 + n/64 bytes read, 2n written
// oracle: reference/dequantize_4bit.cpp
// A block has 16 possible outputs: they are made once a block, rounded, and then only looked up.
#include "ladder/steps.cuh"

namespace qfuse::bench {
namespace ladder {
namespace {

constexpr int kThreads = 256;
constexpr int kLanes = kBlock / kGroup;                  // threads that share a block, and so its products
constexpr int kPairs = format::kCodes4 / 2;              // words of products
static_assert(kLanes == kPairs && kWarp % kLanes == 0);  // each lane makes one word, and no block leaves its warp

template <class Out>
__global__ void __launch_bounds__(kThreads) look_up_products(Weight w, uint4* out) {
  __shared__ std::uint32_t tables[kThreads / kLanes][kPairs];
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  const std::uint32_t codes = reinterpret_cast<const std::uint32_t*>(w.packed)[i];
  const float absmax = decode_absmax(w, i / kLanes);
  const unsigned lane = threadIdx.x % kLanes;
  std::uint32_t* const table = tables[threadIdx.x / kLanes];
  const float pair[2] = {mul_ftz(kValues[2 * lane], absmax), mul_ftz(kValues[2 * lane + 1], absmax)};
  table[lane] = Rounding<Out>::word(pair);
  __syncwarp();
  const auto* const products = reinterpret_cast<const std::uint16_t*>(table);
  const auto word = [&](int e) {
    return products[nibble(codes, e)] | static_cast<std::uint32_t>(products[nibble(codes, e + 1)]) << 16;
  };
  out[i] = {word(0), word(2), word(4), word(6)};
}

}  // namespace
}  // namespace ladder

void product_table(const Climb& climb) {
  using namespace ladder;
  for_dtype(climb.p.out_dtype, [&]<class Out>() {
    look_up_products<Out><<<whole_tiles(climb.p.n, kThreads * kGroup), kThreads, 0, climb.stream>>>(
        weight_of(climb.p), static_cast<uint4*>(climb.p.out));
  });
}

}  // namespace qfuse::bench
