// in:     x [m, 2h] bf16 (gate, up), grad_y [m, h] bf16; whole tiles of 128 x 128, aligned to 16
// out:    grad_input_q [m, 2h] i8, grad_input_s [m, 2h/128] fp32; y_q_t [h, m] i8, y_s_t [h, m/128] fp32
// math:   that of qfuse.h
// cost:   13 bytes an element, where 9 are the fewest: y's pass reads x again, or y is written and read
// oracle: gpu/swiglu_kernels.cu
// Two kernels, one for each direction of the groups.
#include "variants/swiglu_steps.cuh"

namespace qfuse::bench {
namespace swiglu {
namespace {

constexpr int kThreads = 256;
constexpr int kRows = kThreads / kChunks;  // of a tile that are loaded at once

// A thread has a chunk, and neighbours have neighbouring ones: no tiles, no shared memory, no barrier.
template <bool kWriteY>
__global__ void __launch_bounds__(kThreads) pass_rows(const Arguments a) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  const std::int64_t chunks = a.h / kChunk;
  const std::int64_t token = i / chunks;
  const std::int64_t channel = i % chunks * kChunk;
  const Outputs out = differentiate(load_row<true>(a, token, channel));
  if constexpr (kWriteY)
    *reinterpret_cast<uint4*>(a.y + token * a.h + channel) = *reinterpret_cast<const uint4*>(out.y);
  write_gradients(a, token, channel, out);
}

template <bool kReadY>
__global__ void __launch_bounds__(kThreads) pass_columns(const Arguments a) {
  __shared__ YTile y;
  const Tile tile = channel_major_tile(a);
  const int chunk = static_cast<int>(threadIdx.x) % kChunks;
  const std::int64_t channel = tile.channel + chunk * kChunk;
#pragma unroll 4
  for (int row = static_cast<int>(threadIdx.x) / kChunks; row < kTile; row += kRows) {
    const std::int64_t token = tile.token + row;
    if constexpr (kReadY) {
      y[place(row, chunk)] = __ldg(reinterpret_cast<const uint4*>(a.y + token * a.h + channel));
    } else {
      const Outputs out = differentiate(load_row<false>(a, token, channel));
      y[place(row, chunk)] = *reinterpret_cast<const uint4*>(out.y);
    }
  }
  __syncthreads();
  write_columns(a, tile, y);
}

template <bool kThroughMemory>
void launch(const SwigluRun& run) {
  const Arguments a = arguments_of(run);
  pass_rows<kThroughMemory><<<static_cast<unsigned>(a.m * a.h / kChunk / kThreads), kThreads, 0, run.stream>>>(a);
  require(cudaGetLastError(), "the rows' pass");
  pass_columns<kThroughMemory><<<tiles_of(a), kThreads, 0, run.stream>>>(a);
  require(cudaGetLastError(), "the columns' pass");
}

}  // namespace
}  // namespace swiglu

void swiglu_y_twice(const SwigluRun& run) { swiglu::launch<false>(run); }
void swiglu_y_buffer(const SwigluRun& run) { swiglu::launch<true>(run); }

}  // namespace qfuse::bench
