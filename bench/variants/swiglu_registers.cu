// in:     x [m, 2h] bf16 (gate, up), grad_y [m, h] bf16; whole tiles of 128 x 128, aligned to 16
// out:    grad_input_q [m, 2h] i8, grad_input_s [m, 2h/128] fp32; y_q_t [h, m] i8, y_s_t [h, m/128] fp32
// math:   that of qfuse.h
// cost:   9.1 bytes an element, the fewest
// oracle: gpu/swiglu_kernels.cu
// y waits in registers until the largest of each column is known, and crosses shared memory as finished payload.
#include "variants/swiglu_steps.cuh"

namespace qfuse::bench {
namespace swiglu {
namespace {

constexpr int kThreads = 512;
constexpr int kWarps = kThreads / 32;                //
constexpr int kRows = kTile / (kThreads / kChunks);  // neighbouring tokens a thread has: a word of payload
constexpr int kWords = kTile / kRows;                // words of a channel's payload
constexpr int kChannelsPerWarp = kTile / kWarps;     // that it writes out
static_assert(kRows == 4 && kWords == 32);

struct Columns {
  unsigned absmax[kTile];            // bits of bf16, which order as magnitudes do
  float factors[kTile];              //
  std::uint32_t payload[kTile][32];  // a row a channel, its words swizzled
};

// Where the word of tokens 4 * word to 4 * word + 3 stands: the 16 chunks of a half warp fall into different banks, and
// a warp that reads a channel meets all of them.
__device__ int word_place(int channel, int word) { return word ^ 2 * (channel / kChunk); }

// Half a warp has the rows from `row` on; the two halves join, then one of them adds to the block's.
__device__ void join_absmax(Columns& columns, int chunk, const std::uint32_t (&y)[kRows][kPairs]) {
#pragma unroll
  for (int i = 0; i < kPairs; ++i) {
    std::uint32_t most = cuda::magnitudes(y[0][i]);
#pragma unroll
    for (int row = 1; row < kRows; ++row) most = larger_magnitudes(most, cuda::magnitudes(y[row][i]));
    most = larger_magnitudes(most, __shfl_xor_sync(kAllLanes, most, kChunks));
    if (threadIdx.x % 32 < kChunks) {
      atomicMax(columns.absmax + chunk * kChunk + 2 * i, most & 0xffffU);
      atomicMax(columns.absmax + chunk * kChunk + 2 * i + 1, most >> 16);
    }
  }
}

__device__ void make_factor(const Arguments& a, const Tile& tile, Columns& columns, int channel) {
  const float most = __uint_as_float(columns.absmax[channel] << 16);
  const float scale = cuda::group_scale(most);
  columns.factors[channel] = cuda::group_factor(most, scale);
  a.y_s_t[(tile.channel + channel) * a.token_tiles + tile.token / kTile] = scale;
}

__device__ void quantize_rows(Columns& columns, int chunk, int word, const std::uint32_t (&y)[kRows][kPairs]) {
#pragma unroll
  for (int c = 0; c < kChunk; ++c) {
    const int channel = chunk * kChunk + c;
    const unsigned half = c % 2 == 0 ? 0x5410 : 0x7632;
    columns.payload[channel][word_place(channel, word)] =
        cuda::quantize_values(__byte_perm(y[0][c / 2], y[1][c / 2], half), __byte_perm(y[2][c / 2], y[3][c / 2], half),
                              columns.factors[channel]);
  }
}

__device__ void write_payload_rows(const Arguments& a, const Tile& tile, const Columns& columns) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int first = static_cast<int>(threadIdx.x) / 32 * kChannelsPerWarp;
#pragma unroll
  for (int channel = first; channel < first + kChannelsPerWarp; ++channel) {
    auto* const to = reinterpret_cast<std::uint32_t*>(a.y_q_t + (tile.channel + channel) * a.m + tile.token);
    __stcs(to + lane, columns.payload[channel][word_place(channel, lane)]);
  }
}

__global__ void __launch_bounds__(kThreads, kHungryBlocks) hold_tile(const Arguments a) {
  __shared__ Columns columns;
  const Tile tile = channel_major_tile(a);
  const int chunk = static_cast<int>(threadIdx.x) % kChunks;
  const int word = static_cast<int>(threadIdx.x) / kChunks;
  // 32 bits hold any index of the timed shapes' rows and spare the registers that y needs.
  const int token = static_cast<int>(tile.token) + word * kRows;
  const int channel = static_cast<int>(tile.channel) + chunk * kChunk;
  if (threadIdx.x < kTile) columns.absmax[threadIdx.x] = 0;
  std::uint32_t y[kRows][kPairs];
#pragma unroll
  for (int row = 0; row < kRows; ++row) {
    const Outputs out = differentiate(load_row<true>(a, token + row, channel));
    write_gradients(a, token + row, channel, out);
#pragma unroll
    for (int i = 0; i < kPairs; ++i) y[row][i] = out.y[i];
  }
  __syncthreads();
  join_absmax(columns, chunk, y);
  __syncthreads();
  if (threadIdx.x < kTile) make_factor(a, tile, columns, static_cast<int>(threadIdx.x));
  __syncthreads();
  quantize_rows(columns, chunk, word, y);
  __syncthreads();
  write_payload_rows(a, tile, columns);
}

}  // namespace
}  // namespace swiglu

void swiglu_registers(const SwigluRun& run) {
  using namespace swiglu;
  const Arguments a = arguments_of(run);
  hold_tile<<<tiles_of(a), kThreads, 0, run.stream>>>(a);
  require(cudaGetLastError(), "the tile in registers");
}

}  // namespace qfuse::bench
