// in:     x [m, 2h] bf16 (gate, up), grad_y [m, h] bf16; whole tiles of 128 x 128, aligned to 16
// out:    grad_input_q [m, 2h] i8, grad_input_s [m, 2h/128] fp32; y_q_t [h, m] i8, y_s_t [h, m/128] fp32
// math:   that of qfuse.h; Reciprocal's alone is another
// cost:   9.1 bytes an element, the fewest; y first: x and grad_y once more, from the L2 cache if it has them still
// oracle: gpu/swiglu_kernels.cu
// The library's kernel for whole tiles, and what becomes of it when one thing is done otherwise.
#include "variants/swiglu_steps.cuh"

namespace qfuse::bench {
namespace swiglu {
namespace {

constexpr int kThreads = 512;  // at most

// ---- what is done otherwise ----

// A true division an element.
struct Division {
  static __device__ float prepare(float /*absmax*/, float scale) { return scale; }
  static __device__ std::uint32_t quantize(std::uint32_t first_pair, std::uint32_t second_pair, float scale) {
    const std::uint32_t pairs[] = {first_pair, second_pair};
    std::uint32_t bytes = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int q = __float2int_rz(__fdiv_rn(widen<__nv_bfloat16>(pairs, i), scale));
      bytes |= (static_cast<std::uint32_t>(q) & 0xffU) << (8 * i);
    }
    return bytes;
  }
};

// As quantizers are often written: times 127 / absmax. Quotients just below a whole number are lifted to it, or not.
struct Reciprocal {
  static __device__ float prepare(float absmax, float scale) {
    return scale > format::kMinGroupScale ? __fdividef(127.0F, absmax) : __fdividef(1.0F, scale);
  }
  static __device__ std::uint32_t quantize(std::uint32_t first_pair, std::uint32_t second_pair, float factor) {
    return cuda::quantize_values(first_pair, second_pair, factor);
  }
};

// Past the L1 cache, as nothing is read twice.
struct UncachedLoad {
  static __device__ uint4 load(const uint4* from) {
    uint4 v;
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(from));
    return v;
  }
};

struct AsQfuse {
  using Quotient = NudgedFactor;
  using Load = CachedLoad;
  static constexpr bool kTokenMajor = false;
  static constexpr bool kYFirst = false;
  static constexpr int kBlocksPerMultiprocessor = kBlocks;
};
struct TokenMajor : AsQfuse {
  static constexpr bool kTokenMajor = true;
};
struct YFirst : AsQfuse {
  static constexpr bool kYFirst = true;
};
struct Divided : AsQfuse {
  using Quotient = Division;
  static constexpr int kBlocksPerMultiprocessor = kHungryBlocks;
};
struct Reciprocated : AsQfuse {
  using Quotient = Reciprocal;
};
struct PastL1 : AsQfuse {
  using Load = UncachedLoad;
};

// ---- kernel ----

template <class Policy>
__device__ Tile locate(const Arguments& a) {
  if constexpr (!Policy::kTokenMajor) return channel_major_tile(a);
  return {static_cast<std::int64_t>(blockIdx.x % a.token_tiles) * kTile,
          static_cast<std::int64_t>(blockIdx.x / a.token_tiles) * kTile};
}

// The rows of a tile, the next one's loads under way while one is worked on.
template <class Policy, bool kGradients, bool kY>
__device__ void take_rows(const Arguments& a, const Tile& tile, uint4* y) {
  const int chunk = static_cast<int>(threadIdx.x) % kChunks;
  const int rows = static_cast<int>(blockDim.x) / kChunks;
  const std::int64_t channel = tile.channel + chunk * kChunk;
  int row = static_cast<int>(threadIdx.x) / kChunks;
  Inputs next = load_row<kGradients, typename Policy::Load>(a, tile.token + row, channel);
#pragma unroll 1
  for (; row < kTile; row += rows) {
    const Inputs in = next;
    if (row + rows < kTile) next = load_row<kGradients, typename Policy::Load>(a, tile.token + row + rows, channel);
    const Outputs out = differentiate(in);
    if constexpr (kY) y[place(row, chunk)] = *reinterpret_cast<const uint4*>(out.y);
    if constexpr (kGradients) write_gradients<typename Policy::Quotient>(a, tile.token + row, channel, out);
  }
}

template <class Policy>
__global__ void __launch_bounds__(kThreads, Policy::kBlocksPerMultiprocessor)
    differentiate_whole_tile(const Arguments a) {
  __shared__ YTile y;
  const Tile tile = locate<Policy>(a);
  take_rows<Policy, !Policy::kYFirst, true>(a, tile, y);
  __syncthreads();
  write_columns<typename Policy::Quotient>(a, tile, y);
  if constexpr (Policy::kYFirst) take_rows<Policy, true, false>(a, tile, y);
}

template <class Policy>
void launch(const SwigluRun& run) {
  const Arguments a = arguments_of(run);
  differentiate_whole_tile<Policy><<<tiles_of(a), static_cast<unsigned>(run.threads), 0, run.stream>>>(a);
  require(cudaGetLastError(), "the tile through shared memory");
}

}  // namespace
}  // namespace swiglu

void swiglu_token_major(const SwigluRun& run) { swiglu::launch<swiglu::TokenMajor>(run); }
void swiglu_y_first(const SwigluRun& run) { swiglu::launch<swiglu::YFirst>(run); }
void swiglu_divided(const SwigluRun& run) { swiglu::launch<swiglu::Divided>(run); }
void swiglu_reciprocal(const SwigluRun& run) { swiglu::launch<swiglu::Reciprocated>(run); }
void swiglu_past_l1(const SwigluRun& run) { swiglu::launch<swiglu::PastL1>(run); }
void swiglu_whole_tiles(const SwigluRun& run) { swiglu::launch<swiglu::AsQfuse>(run); }

void swiglu_y_twice(const SwigluRun& run);    // swiglu_passes.cu
void swiglu_y_buffer(const SwigluRun& run);   // swiglu_passes.cu
void swiglu_registers(const SwigluRun& run);  // swiglu_registers.cu

std::span<const SwigluVariant> swiglu_variants() {
  static constexpr SwigluVariant kVariants[] = {
      {"two kernels, y computed twice", swiglu_y_twice},
      {"two kernels, y through memory", swiglu_y_buffer},
      {"one tile, y held in registers", swiglu_registers},
      {"y in shared memory, tiles down the tokens", swiglu_token_major},
      {"y leaves first, gradients last", swiglu_y_first},
      {"a division an element", swiglu_divided},
      {"times 127 / absmax (not exact)", swiglu_reciprocal, false},
      {"loads past the L1 cache", swiglu_past_l1},
      {"qfuse's design, whole tiles alone", swiglu_whole_tiles},
      {"qfuse", nullptr},
  };
  return kVariants;
}

}  // namespace qfuse::bench
