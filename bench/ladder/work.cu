// in:     packed [n/2] u8, absmax_8bit [n/64] u8, nested_absmax [n/64/256] fp32, map, offset; aligned to 16
// out:    [n] fp16 or bf16, aligned to 16
// math:   A = ftz(map[q] * nested_absmax) + offset; out = round(ftz(code[nibble] * A)), each step rounded in fp32
// cost:   n/2 + n/64 bytes read, 2n written
// oracle: reference/dequantize_4bit.cpp
// Joined 4-byte stores; three ways to deal out the work.
#include "ladder/steps.cuh"

namespace qfuse::bench {
namespace ladder {
namespace {

constexpr int kThreads = 256;
constexpr int kBlocksPerMultiprocessor = 8;  // all the threads that one has

// Row tiles: 4 rows of 256 bytes, 2 bytes a thread.
constexpr int kTileRows = 4;
constexpr int kTileBytes = 256;
constexpr int kTileThreads = 512;
constexpr int kRowThreads = kTileThreads / kTileRows;

// As many threads as the GPU has at once; each takes a byte, then the next one a grid further.
template <class Out>
__global__ void __launch_bounds__(kThreads) stride(Weight w, std::uint32_t* out) {
  __shared__ float table[format::kCodes4];
  load_table(table);
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kThreads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < w.n / 2; i += step)
    out[i] = decode_pair<Out>(table, w.packed[i], decode_absmax(w, 2 * i / kBlock));
}

// The matrix cut into tiles of rows and columns, as a kernel for matrices would.
template <class Out>
__global__ void __launch_bounds__(kTileThreads) tile_rows(Weight w, std::int64_t row_bytes, std::uint32_t* out) {
  __shared__ float table[format::kCodes4];
  load_table(table);
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.y) * kTileRows + threadIdx.x / kRowThreads;
  const std::int64_t first =
      row * row_bytes + static_cast<std::int64_t>(blockIdx.x) * kTileBytes + threadIdx.x % kRowThreads;
#pragma unroll
  for (int b = 0; b < kTileBytes / kRowThreads; ++b) {
    const std::int64_t i = first + b * kRowThreads;
    out[i] = decode_pair<Out>(table, w.packed[i], decode_absmax(w, 2 * i / kBlock));
  }
}

// A warp has a quantization block, a byte a lane; one lane decodes the absmax for all.
template <class Out>
__global__ void __launch_bounds__(kThreads) own_block(Weight w, std::uint32_t* out) {
  static_assert(kBlock == 2 * kWarp);
  __shared__ float table[format::kCodes4];
  load_table(table);
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  float absmax = 0.0F;
  if (threadIdx.x % kWarp == 0) absmax = decode_absmax(w, i / kWarp);
  absmax = __shfl_sync(0xffffffffU, absmax, 0);
  out[i] = decode_pair<Out>(table, w.packed[i], absmax);
}

}  // namespace
}  // namespace ladder

void grid_stride(const Climb& climb) {
  using namespace ladder;
  const auto grid = static_cast<unsigned>(climb.multiprocessors * kBlocksPerMultiprocessor);
  for_dtype(climb.p.out_dtype, [&]<class Out>() {
    stride<Out><<<grid, kThreads, 0, climb.stream>>>(weight_of(climb.p), static_cast<std::uint32_t*>(climb.p.out));
  });
}

void row_tiles(const Climb& climb) {
  using namespace ladder;
  const std::int64_t row_bytes = climb.shape.cols / 2;
  const dim3 grid(whole_tiles(row_bytes, kTileBytes), whole_tiles(climb.shape.rows, kTileRows));
  for_dtype(climb.p.out_dtype, [&]<class Out>() {
    tile_rows<Out><<<grid, kTileThreads, 0, climb.stream>>>(weight_of(climb.p), row_bytes,
                                                            static_cast<std::uint32_t*>(climb.p.out));
  });
}

void warp_per_block(const Climb& climb) {
  using namespace ladder;
  for_dtype(climb.p.out_dtype, [&]<class Out>() {
    own_block<Out><<<whole_tiles(climb.p.n, 2 * kThreads), kThreads, 0, climb.stream>>>(
        weight_of(climb.p), static_cast<std::uint32_t*>(climb.p.out));
  });
}

}  // namespace qfuse::bench
