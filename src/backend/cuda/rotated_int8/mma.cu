// in:     in_q [m, k] and weight_q [n, k] i8, in_scale [m] and weight_scale [n] fp32, bias [n] or none, lora_in [m,
//         lora_rank], lora_weight [n, lora_rank] or, backward, [lora_rank, n], addend [m, n] or none; faster if in_q
//         and weight_q are aligned to 16 bytes
// out:    [m, n] fp32, fp16 or bf16, with a row stride; any address
// math:   v = values, rotated in blocks by sums and differences at distances 1, 2, 4 and so on;
//         scale = (max(max |v|, 2^-100) * 1/127) * root; q = nearest(v * (root / scale));
//         out = round(chain of fma of LoRA's terms from (sum * in_scale) * weight_scale, + bias, + addend)
// cost:   m*n*k integer products in matrix instructions, and for LoRA m*n*lora_rank FMAs outside them
// oracle: reference/rotated_int8.cpp
// For every GPU from Turing on: stages of 64 terms of both operands are copied to shared memory while others are
// multiplied. Turing has no asynchronous copies and uses loads and stores.
#include "backend/cuda/rotated_int8/tile_end.cuh"

namespace qfuse::cuda::rotated_int8 {
namespace {

// ---- a tile, and the layout of shared memory ----

constexpr int kRowVectors = kMmaTerms / static_cast<int>(kVectorBytes);
constexpr int kStageSteps = kMmaTerms / format::kInt8StepTerms;
constexpr int kStepVectors = kRowVectors / kStageSteps;

template <int kAt>
struct Tile {
  static constexpr MmaShape kShape = kMmaShapes[kAt];
  static constexpr int kThreads = kShape.threads();
  static constexpr int kFragments = kShape.warp_tokens / 16;  // per warp
  static constexpr int kColumns = kShape.warp_outputs / 8;    // likewise
  static constexpr int kRowsApart = kThreads / kRowVectors;   // rows between a thread's vectors
  using Sums = LaneSums<int, kFragments, kColumns>;
  using End = TileEnd<kShape.tokens, kShape.outputs>;
  static_assert(sizeof(End) == end_shared_bytes(kShape.tokens, kShape.outputs) &&
                static_cast<std::int64_t>(sizeof(End)) <= kShape.shared_bytes());
};

template <class Of>
struct Stage {
  uint4 in[Of::kShape.tokens * kRowVectors];
  uint4 weight[Of::kShape.outputs * kRowVectors];
};

// The vectors of a row are permuted by row (swizzled), so that a warp's reads have no bank conflicts.
__device__ inline int vector_place(int row, int vector) { return row * kRowVectors + (row / 2 % kRowVectors ^ vector); }

// ---- steps ----

// Copies a thread's part of an operand, stage by stage: vectors of some rows, with zeros for rows beyond the last.
template <class Of, int kRows, bool kWide>
struct OperandCopier {
  static constexpr int kEach = kRows * kRowVectors / Of::kThreads;
  static_assert(kEach * Of::kThreads == kRows * kRowVectors && Of::kRowsApart % (2 * kRowVectors) == 0);
  const std::int8_t* from;
  std::int64_t apart;
  int rows;  // how many of the thread's rows exist

  __device__ OperandCopier(const std::int8_t* values, std::int64_t first, std::int64_t count, std::int64_t k) {
    const int thread = static_cast<int>(threadIdx.x);
    const std::int64_t row = first + thread / kRowVectors;
    from = values + row * k + thread % kRowVectors * kVectorBytes;
    apart = Of::kRowsApart * k;
    rows = 0;
    for (int v = 0; v < kEach; ++v) rows += row + v * Of::kRowsApart < count ? 1 : 0;
  }

  // If `is_there` is false there is no such stage, and zeros are stored.
  __device__ void copy(Copies& copies, bool is_there, uint4* to) {
    const int thread = static_cast<int>(threadIdx.x);
    to += vector_place(thread / kRowVectors, thread % kRowVectors);
#pragma unroll
    for (int v = 0; v < kEach; ++v) {
      const bool exists = is_there && v < rows;
      const std::int8_t* const vector = from + v * apart;
      if constexpr (kWide)
        copies.begin(v, to + v * Of::kThreads, vector, exists);
      else
        to[v * Of::kThreads] = exists ? load_bytes<uint4>(vector) : uint4{0, 0, 0, 0};
    }
    from += kMmaTerms;
  }
};

// Where a warp's part of the tile begins.
template <class Of>
struct WarpPlace {
  int token;
  int output;
  int lane = static_cast<int>(threadIdx.x) % kWarp;
  __device__ WarpPlace() {
    constexpr int kWarpsOfTokens = Of::kShape.outputs / Of::kShape.warp_outputs;
    const int warp = static_cast<int>(threadIdx.x) / kWarp;
    token = warp / kWarpsOfTokens * Of::kShape.warp_tokens;
    output = warp % kWarpsOfTokens * Of::kShape.warp_outputs;
  }
};

struct Fragment {
  std::uint32_t words[4];
};

// Loads 16 rows of a step: load_left() orders matrices by rows first, load_right() by the two vectors of a row first.
__device__ inline Fragment load_left(const uint4* in, int row, int step, int lane) {
  Fragment fragment;
  const auto place = [&](int m, int r) { return in + vector_place(row + m % 2 * 8 + r, step * kStepVectors + m / 2); };
  load_matrices(place, lane, fragment.words);
  return fragment;
}
__device__ inline Fragment load_right(const uint4* weight, int row, int step, int lane) {
  Fragment fragment;
  const auto place = [&](int m, int r) {
    return weight + vector_place(row + m / 2 * 8 + r, step * kStepVectors + m % 2);
  };
  load_matrices(place, lane, fragment.words);
  return fragment;
}

template <class Of>
__device__ void multiply_stage(const Stage<Of>& stage, const WarpPlace<Of>& warp, typename Of::Sums& sums) {
#pragma unroll
  for (int step = 0; step < kStageSteps; ++step) {
    Fragment left[Of::kFragments];
#pragma unroll
    for (int f = 0; f < Of::kFragments; ++f) left[f] = load_left(stage.in, warp.token + 16 * f, step, warp.lane);
#pragma unroll
    for (int c = 0; c < Of::kColumns; c += 2) {
      const Fragment right = load_right(stage.weight, warp.output + 8 * c, step, warp.lane);
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        const std::uint32_t words[2] = {right.words[2 * h], right.words[2 * h + 1]};
#pragma unroll
        for (int f = 0; f < Of::kFragments; ++f) multiply_int8(left[f].words, words, sums.of[f][c + h]);
      }
    }
  }
}

// The next stages are copied while one is multiplied.
template <class Of, bool kWide>
__device__ void multiply_stages(const MatmulArguments& a, const TilePlace& tile, const WarpPlace<Of>& warp,
                                Stage<Of>* stages, typename Of::Sums& sums) {
  constexpr int kAhead = Of::kShape.stages - 1;
  Copies copies;
  OperandCopier<Of, Of::kShape.tokens, kWide> in(a.in, tile.token, a.m, a.k);
  OperandCopier<Of, Of::kShape.outputs, kWide> weight(a.weight, tile.output, a.n, a.k);
  const auto count = static_cast<int>(a.k / kMmaTerms);
  const auto copy = [&](int stage, int slot) {
    in.copy(copies, stage < count, stages[slot].in);
    weight.copy(copies, stage < count, stages[slot].weight);
    copies.close();
  };
#pragma unroll
  for (int stage = 0; stage < kAhead; ++stage) copy(stage, stage);
  int slot = 0;
  int free = kAhead;
#pragma unroll 1
  for (int stage = 0; stage < count; ++stage) {
    copies.template wait<kAhead - 1>();
    __syncthreads();
    copy(stage + kAhead, free);
    multiply_stage(stages[slot], warp, sums);
    free = slot;
    slot = slot + 1 == Of::kShape.stages ? 0 : slot + 1;
  }
  copies.template wait<0>();
}

// The epilogue's inputs reuse the shared memory of the stages.
template <class Value, class Of>
__device__ void finish_tile(const MatmulArguments& a, const TilePlace& tile, const WarpPlace<Of>& warp,
                            typename Of::End& end, const typename Of::Sums& sums) {
  const LanePlace at(warp.token, warp.output);
  auto y = rounded(sums);
#pragma unroll 1
  for (std::int64_t term = 0; term == 0 || term < a.lora_rank; term += kLoraTerms) {
    __syncthreads();
    fill_end<Value>(a, tile, term, static_cast<int>(threadIdx.x), Of::kThreads, end);
    __syncthreads();
    if (term == 0) scale_sums(end, at, y);
    add_lora(end, at, a.lora_rank - term, y);
  }
  if (a.bias != nullptr) add_bias(end, at, y);
  if (a.addend != nullptr) add_addend<Value>(a, tile.token + at.token, tile.output + warp.output, y);
  store_sums<Value>(a, tile.token + at.token, tile.output + warp.output, y);
}

// ---- kernel ----

template <class Value, int kAt, bool kWide>
__global__ void __launch_bounds__(Tile<kAt>::kThreads, 1) multiply_by_mma(const __grid_constant__ MatmulArguments a) {
  using Of = Tile<kAt>;
  void* const shared = dynamic_shared();
  const TilePlace tile = place_of_tile<Of::kShape.tokens, Of::kShape.outputs>(a, blockIdx.x);
  const WarpPlace<Of> warp;
  typename Of::Sums sums = {};
  multiply_stages<Of, kWide>(a, tile, warp, static_cast<Stage<Of>*>(shared), sums);
  finish_tile<Value>(a, tile, warp, *static_cast<typename Of::End*>(shared), sums);
}

using MmaKernel = void (*)(MatmulArguments);

template <class Value>
MmaKernel find_kernel(const MatmulPlan& plan) {
  constexpr int kSmall = 1;
  if (plan.kernel == Kernel::mma_unaligned) return multiply_by_mma<Value, kSmall, false>;
  return plan.tokens == kMmaShapes[kSmall].tokens ? multiply_by_mma<Value, kSmall, true>
                                                  : multiply_by_mma<Value, 0, true>;
}
MmaKernel find_kernel(qfuse_dtype dtype, const MatmulPlan& plan) {
  switch (dtype) {
    case QFUSE_FLOAT32: return find_kernel<float>(plan);
    case QFUSE_FLOAT16: return find_kernel<Half>(plan);
    case QFUSE_BFLOAT16: return find_kernel<Bfloat16>(plan);
  }
  return nullptr;
}

}  // namespace

contract::Outcome launch_mma(const contract::RotatedInt8Matmul& p, const MatmulPlan& plan, const qfuse_exec& exec) {
  return launch(find_kernel(p.dtype, plan),
                {.blocks = plan.blocks, .threads = plan.threads, .shared_bytes = plan.shared_bytes},
                arguments_of(p, plan), exec);
}

}  // namespace qfuse::cuda::rotated_int8
