// in:     x [m, 2h] bf16 (gate, up), grad_y [m, h] bf16; whole tiles of 128 x 128, aligned to 16
// out:    grad_input_q [m, 2h] i8, grad_input_s [m, 2h/128] fp32; y_q_t [h, m] i8, y_s_t [h, m/128] fp32
// math:   that of qfuse.h; Reciprocal's alone is another
// cost:   9.1 bytes an element, the fewest; two kernels: 13, x read once more, or y written and read
// oracle: gpu/swiglu_kernels.cu
// The library's own steps in another order, or with one thing done otherwise.
#include <cuda_runtime.h>

#include <array>
#include <stdexcept>

#include "backend/cuda/swiglu/columns.cuh"
#include "backend/cuda/swiglu/steps.cuh"
#include "backend/cuda/swiglu/tiles.cuh"
#include "variants/variants.h"

namespace qfuse::bench {
namespace {

using cuda::differentiate;
using cuda::Inputs;
using cuda::kChunk;
using cuda::kPairs;
using cuda::kRowChunks;
using cuda::larger_magnitudes;
using cuda::Outputs;
using cuda::place;
using cuda::SwigluArguments;
using cuda::Tile;
using cuda::write_columns;

// ---- policy ----

constexpr int kTile = cuda::kSwigluTile;
constexpr int kThreads = cuda::kSwigluThreads;  // at most
constexpr int kPassThreads = 256;

// Thread blocks of 512 that a multiprocessor is to hold: with two, a thread has 64 registers. Kernels that need them
// all get more of them from compute capability 10.0 on, where the compiler would put some in memory.
constexpr int kBlocks = cuda::kSwigluThreadsPerMultiprocessor / kThreads;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
constexpr int kHungryBlocks = 1;
#else
constexpr int kHungryBlocks = kBlocks;
#endif

using YTile = uint4[kTile * kRowChunks];

__device__ cuda::Columns y_of(const SwigluArguments& a, const Tile& tile) {
  return cuda::columns_of<false, cuda::Int8>(a, tile, {}, true);
}

__device__ int chunk_of_thread() { return static_cast<int>(threadIdx.x) % kRowChunks; }

template <bool kGradients>
__device__ Inputs load_row(const SwigluArguments& a, const Tile& tile, int token, int chunk) {
  Inputs in = {};
  cuda::load_row<true, kGradients>(a, cuda::source_at<kGradients>(a, tile, token, chunk), in);
  return in;
}

template <class Payload = cuda::Int8>
__device__ void write_row(const SwigluArguments& a, const Tile& tile, int token, int chunk, const Outputs& out) {
  cuda::write_gradients<true, Payload>(a, cuda::gradients_at<Payload>(a, tile, token, chunk), true, chunk, out);
}

// ---- two kernels, one for each direction of the groups ----

// A thread has a chunk, and neighbours have neighbouring ones: no tiles, no shared memory, no barrier.
template <bool kWriteY>
__global__ void __launch_bounds__(kPassThreads) pass_rows(const SwigluArguments a, uint4* y) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kPassThreads + threadIdx.x;
  const std::int64_t chunks = a.h / kChunk;
  const Tile row = {i / chunks, i % chunks / kRowChunks * kTile, 1};
  const Outputs out = differentiate(a, load_row<true>(a, row, 0, chunk_of_thread()));
  if constexpr (kWriteY) y[i] = *reinterpret_cast<const uint4*>(out.y);
  write_row(a, row, 0, chunk_of_thread(), out);
}

template <bool kReadY>
__global__ void __launch_bounds__(kPassThreads) pass_columns(const SwigluArguments a, const uint4* from) {
  __shared__ YTile y;
  const Tile tile = cuda::locate_tokens(a);
  const int chunk = chunk_of_thread();
#pragma unroll 4
  for (int row = static_cast<int>(threadIdx.x) / kRowChunks; row < kTile; row += kPassThreads / kRowChunks) {
    if constexpr (kReadY) {
      y[place(row, chunk)] = __ldg(from + ((tile.token + row) * a.h + tile.channel) / kChunk + chunk);
    } else {
      const Outputs out = differentiate(a, load_row<false>(a, tile, row, chunk));
      y[place(row, chunk)] = *reinterpret_cast<const uint4*>(out.y);
    }
  }
  __syncthreads();
  write_columns<true>(a, y, y_of(a, tile), tile.channel);
}

// ---- y held in registers until the largest of each column is known; it crosses shared memory as finished payload ----

constexpr int kRows = kTile / (kThreads / kRowChunks);     // neighbouring tokens a thread has: a word of payload
constexpr int kWords = kTile / kRows;                      // words of a channel's payload
constexpr int kChannelsPerWarp = kTile / (kThreads / 32);  // that it writes out
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
    std::uint32_t most = y[0][i];
#pragma unroll
    for (int row = 1; row < kRows; ++row) most = larger_magnitudes(most, y[row][i]);
    most = cuda::magnitudes(larger_magnitudes(most, __shfl_xor_sync(0xffffffffU, most, kRowChunks)));
    if (threadIdx.x % 32 < kRowChunks) {
      atomicMax(columns.absmax + chunk * kChunk + 2 * i, most & 0xffffU);
      atomicMax(columns.absmax + chunk * kChunk + 2 * i + 1, most >> 16);
    }
  }
}

__device__ void make_factor(const SwigluArguments& a, const Tile& tile, Columns& columns, int channel) {
  const float most = __uint_as_float(columns.absmax[channel] << 16);
  const float scale = cuda::group_scale(most);
  columns.factors[channel] = cuda::group_factor(most, scale);
  static_cast<float*>(a.y_s_t)[(tile.channel + channel) * (a.m / kTile) + tile.token / kTile] = scale;
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

__device__ void write_payload_rows(const SwigluArguments& a, const Tile& tile, const Columns& columns) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int first = static_cast<int>(threadIdx.x) / 32 * kChannelsPerWarp;
#pragma unroll
  for (int channel = first; channel < first + kChannelsPerWarp; ++channel) {
    auto* const to = reinterpret_cast<std::uint32_t*>(a.y_q_t + (tile.channel + channel) * a.m + tile.token);
    __stcs(to + lane, columns.payload[channel][word_place(channel, lane)]);
  }
}

__global__ void __launch_bounds__(kThreads, kHungryBlocks) hold_tile(const SwigluArguments a) {
  __shared__ Columns columns;
  const Tile tile = cuda::locate_tokens(a);
  const int chunk = static_cast<int>(threadIdx.x) % kRowChunks;
  const int word = static_cast<int>(threadIdx.x) / kRowChunks;
  if (threadIdx.x < kTile) columns.absmax[threadIdx.x] = 0;
  std::uint32_t y[kRows][kPairs];
#pragma unroll
  for (int row = 0; row < kRows; ++row) {
    const int token = word * kRows + row;
    const Outputs out = differentiate(a, load_row<true>(a, tile, token, chunk));
    write_row(a, tile, token, chunk, out);
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

// ---- one tile through shared memory, as the library, with one thing done otherwise ----

// A true division an element.
struct Division : cuda::Int8 {
  static __device__ float prepare(float /*absmax*/, float scale) { return scale; }
  static __device__ std::uint32_t quantize(std::uint32_t first_pair, std::uint32_t second_pair, float scale) {
    const std::uint32_t pairs[] = {first_pair, second_pair};
    std::uint32_t bytes = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int q = __float2int_rz(__fdiv_rn(cuda::widen<cuda::Bfloat16>(pairs, i), scale));
      bytes |= (static_cast<std::uint32_t>(q) & 0xffU) << (8 * i);
    }
    return bytes;
  }
};

// As quantizers are often written: times 127 / absmax. Quotients just below a whole number are lifted to it, or not.
struct Reciprocal : cuda::Int8 {
  static __device__ float prepare(float absmax, float scale) {
    return scale > format::kMinGroupScale ? __fdividef(127.0F, absmax) : __fdividef(1.0F, scale);
  }
  static __device__ std::uint32_t quantize(std::uint32_t first_pair, std::uint32_t second_pair, float factor) {
    return cuda::quantize_values(first_pair, second_pair, factor);
  }
};

struct AsQfuse {
  using Payload = cuda::Int8;
  static constexpr bool kTokenMajor = false;
  static constexpr bool kYFirst = false;
  static constexpr bool kPastL1 = false;
  static constexpr int kBlocksPerMultiprocessor = kBlocks;
};
struct TokenMajor : AsQfuse {
  static constexpr bool kTokenMajor = true;
};
struct YFirst : AsQfuse {
  static constexpr bool kYFirst = true;
};
struct Divided : AsQfuse {
  using Payload = Division;
  static constexpr int kBlocksPerMultiprocessor = kHungryBlocks;
};
struct Reciprocated : AsQfuse {
  using Payload = Reciprocal;
};
struct PastL1 : AsQfuse {
  static constexpr bool kPastL1 = true;
};

template <class Policy>
__device__ Tile locate(const SwigluArguments& a) {
  if constexpr (!Policy::kTokenMajor) return cuda::locate_tokens(a);
  const auto token_tiles = static_cast<unsigned>(a.m / kTile);
  return {static_cast<std::int64_t>(blockIdx.x % token_tiles) * kTile,
          static_cast<std::int64_t>(blockIdx.x / token_tiles) * kTile, kTile};
}

// As nothing is read twice.
__device__ void load_past_l1(const std::uint8_t* from, std::uint32_t (&pairs)[kPairs]) {
  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(pairs[0]), "=r"(pairs[1]), "=r"(pairs[2]), "=r"(pairs[3])
               : "l"(from));
}

template <class Policy, bool kGradients>
__device__ Inputs load(const SwigluArguments& a, const Tile& tile, int token, int chunk) {
  if constexpr (!Policy::kPastL1) return load_row<kGradients>(a, tile, token, chunk);
  Inputs in = {};
  const std::int64_t row = tile.token + token;
  const std::int64_t channel = tile.channel + chunk * kChunk;
  load_past_l1(a.x + 2 * (row * a.x_stride + channel), in.gate);
  load_past_l1(a.x + 2 * (row * a.x_stride + channel + a.h), in.up);
  load_past_l1(a.grad_y + 2 * (row * a.grad_y_stride + channel), in.grad_y);
  return in;
}

// The rows of a tile, the next one's loads under way while one is worked on.
template <class Policy, bool kGradients, bool kY>
__device__ void take_rows(const SwigluArguments& a, const Tile& tile, uint4* y) {
  const int chunk = chunk_of_thread();
  const int rows = static_cast<int>(blockDim.x) / kRowChunks;
  int row = static_cast<int>(threadIdx.x) / kRowChunks;
  Inputs next = load<Policy, kGradients>(a, tile, row, chunk);
#pragma unroll 1
  for (; row < kTile; row += rows) {
    const Inputs in = next;
    if (row + rows < kTile) next = load<Policy, kGradients>(a, tile, row + rows, chunk);
    const Outputs out = differentiate(a, in);
    if constexpr (kY) y[place(row, chunk)] = *reinterpret_cast<const uint4*>(out.y);
    if constexpr (kGradients) write_row<typename Policy::Payload>(a, tile, row, chunk, out);
  }
}

template <class Policy>
__global__ void __launch_bounds__(kThreads, Policy::kBlocksPerMultiprocessor) take_tile(const SwigluArguments a) {
  __shared__ YTile y;
  const Tile tile = locate<Policy>(a);
  take_rows<Policy, !Policy::kYFirst, true>(a, tile, y);
  __syncthreads();
  write_columns<true, typename Policy::Payload>(a, y, y_of(a, tile), tile.channel);
  if constexpr (Policy::kYFirst) take_rows<Policy, true, false>(a, tile, y);
}

// ---- launches ----

SwigluArguments arguments_of(const SwigluRun& run) {
  if (run.p.m % kTile != 0 || !run.plan.wide || !run.plan.wide_t)
    throw std::logic_error("the variants take whole tiles of aligned arrays");
  return cuda::arguments_of(run.p, run.plan);
}

template <bool kThroughMemory>
void two_passes(const SwigluRun& run) {
  const SwigluArguments a = arguments_of(run);
  const auto row_blocks = static_cast<unsigned>(a.m * a.h / kChunk / kPassThreads);
  pass_rows<kThroughMemory><<<row_blocks, kPassThreads, 0, run.stream>>>(a, static_cast<uint4*>(run.y));
  pass_columns<kThroughMemory>
      <<<static_cast<unsigned>(run.plan.blocks), kPassThreads, 0, run.stream>>>(a, static_cast<const uint4*>(run.y));
  require(cudaGetLastError(), "two kernels");
}

void launch(const SwigluRun& run, void (*kernel)(SwigluArguments), int threads) {
  kernel<<<static_cast<unsigned>(run.plan.blocks), static_cast<unsigned>(threads), 0, run.stream>>>(arguments_of(run));
  require(cudaGetLastError(), "launching a variant");
}

void registers(const SwigluRun& run) { launch(run, hold_tile, kThreads); }

template <class Policy>
void one_tile(const SwigluRun& run) {
  launch(run, take_tile<Policy>, run.plan.threads);
}

constexpr std::array kVariants = {
    SwigluVariant{"two kernels, y computed twice", two_passes<false>},
    SwigluVariant{"two kernels, y through memory", two_passes<true>},
    SwigluVariant{"one tile, y held in registers", registers},
    SwigluVariant{"y in shared memory, tiles down the tokens", one_tile<TokenMajor>},
    SwigluVariant{"y leaves first, gradients last", one_tile<YFirst>},
    SwigluVariant{"a division an element", one_tile<Divided>},
    SwigluVariant{"times 127 / absmax (not exact)", one_tile<Reciprocated>, false},
    SwigluVariant{"loads past the L1 cache", one_tile<PastL1>},
    SwigluVariant{"qfuse", nullptr},
};

}  // namespace

std::span<const SwigluVariant> swiglu_variants() { return kVariants; }

}  // namespace qfuse::bench
