// The kernel in stages: the role that decodes.
#ifndef QFUSE_BACKEND_CUDA_MATMUL_4BIT_STAGE_DECODING_CUH
#define QFUSE_BACKEND_CUDA_MATMUL_4BIT_STAGE_DECODING_CUH

#include <cstdint>

#include "backend/cuda/matmul_4bit/stage_loading.cuh"

namespace qfuse::cuda {

// ---- role: decoding ----

// Each of so many warps brings a part of the map, and waits for the others before it uses one.
template <int kWarps>
__device__ void load_map(const MatmulArguments& a, float* map, Mbarrier& full, int warp, int lane) {
#pragma unroll
  for (int at = warp * kWarp + lane; at < format::kCodes8; at += kWarps * kWarp)
    map[at] = a.weight.nested_quant_map[at];
  arrive_as_warp(full, lane);
}

// The runs of codes that a lane decodes, of all runs of the weight: one in each stage, as long as the weight goes on.
struct RunsOfLane {
  std::uint32_t first;
  std::uint32_t apart;
  int stages;
};

template <bool kForward>
__device__ RunsOfLane runs_of_lane(const MatmulArguments& a, int output, int row, int panel) {
  const auto runs_of_row = static_cast<std::uint32_t>(a.cols / kStageRun);
  const int rows_left = static_cast<int>(a.rows) - row - (kForward ? output : 0);
  const int cols_left = static_cast<int>(a.cols) - panel * kStageRun - (kForward ? 0 : output);
  const bool exists = rows_left > 0 && cols_left > 0;
  const std::uint32_t first_row = static_cast<std::uint32_t>(kForward ? output + row : row);
  const std::uint32_t first_run = static_cast<std::uint32_t>(kForward ? panel : output / kStageRun + panel);
  return {.first = first_row * runs_of_row + first_run,
          .apart = kForward ? kInputPanels : kStageTerms * runs_of_row,
          .stages = exists ? ((kForward ? cols_left : rows_left) + kStageTerms - 1) / kStageTerms : 0};
}

__device__ inline float absmax_of(const Absmax& run, bool is_nested, const float* map, float offset) {
  if (!is_nested) return run.scale;
  return __fadd_rn(mul_ftz(map[run.code], run.scale), offset);
}

// The 16 weights that a block can have, rounded, as their low and their high bytes: a permutation of bytes looks up four
// codes at once among eight of them.
struct Weights16 {
  std::uint32_t low[4];
  std::uint32_t high[4];
};

template <class Value>
__device__ Weights16 weights_of(const float* values, float absmax) {
  constexpr std::uint32_t kLowBytes = 0x6420;
  constexpr std::uint32_t kHighBytes = 0x7531;
  std::uint32_t words[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const float pair[2] = {mul_ftz(values[2 * i], absmax), mul_ftz(values[2 * i + 1], absmax)};
    words[i] = Rounding<Value>::word(pair);
  }
  Weights16 weights;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    weights.low[i] = permuted(words[2 * i], words[2 * i + 1], kLowBytes);
    weights.high[i] = permuted(words[2 * i], words[2 * i + 1], kHighBytes);
  }
  return weights;
}

// Where a byte of `upper` is 0xff the entry 8 higher.
__device__ inline std::uint32_t looked_up(const std::uint32_t (&table)[4], std::uint32_t indices, std::uint32_t upper) {
  return (permuted(table[0], table[1], indices) & ~upper) | (permuted(table[2], table[3], indices) & upper);
}

// Four codes, whose low three bits are `indices`: of bytes 0 and 1, then 2 and 3, the one from the high nibble is first.
__device__ inline void decode_four(const Weights16& weights, std::uint32_t indices, std::uint32_t upper,
                                   std::uint32_t* words) {
  constexpr std::uint32_t kFirstTwo = 0x4051;
  constexpr std::uint32_t kLastTwo = 0x6273;
  const std::uint32_t low = looked_up(weights.low, indices, upper);
  const std::uint32_t high = looked_up(weights.high, indices, upper);
  words[0] = permuted(low, high, kFirstTwo);
  words[1] = permuted(low, high, kLastTwo);
}

__device__ inline uint4 decode_eight(const Weights16& weights, std::uint32_t codes) {
  constexpr std::uint32_t kIndices = 0x77777777;
  const std::uint32_t indices = codes & kIndices;
  const std::uint32_t moved = codes << 4;  // the highest bits of low nibbles are bytes' signs here
  std::uint32_t words[4];
  decode_four(weights, indices, spread_signs<0>(codes, moved), words);
  decode_four(weights, indices >> 16, spread_signs<1>(codes, moved), words + 2);
  return vector_of(words);
}

// Vectors of 16 bytes lie in a tile of codes as load_tile puts them.
template <class Tiles>
__device__ int place_of_codes(int row, int vector) {
  constexpr bool kIsWide = Tiles::kCodeRowBytes == 64;
  return row * Tiles::kCodeRowBytes + (vector ^ (kIsWide ? row / 2 % 4 : row / 4 % 2)) * kVectorBytes;
}

// Of a stage of LoRA's, in place of decoded weights.
template <bool kForward, class Tiles>
__device__ void request_lora_weights(const StageArguments& a, int output, int stage, unsigned char* decoded,
                                     Mbarrier& full) {
  arrive_expect_tx(full, Tiles::kDecodedBytes);
  for (int panel = 0; panel < Tiles::kPanels; ++panel) {
    const int byte = (kForward ? stage * kInputPanels + panel : output / kStageRun + panel) * kPanelBytes;
    load_tile(decoded + panel * Tiles::kRows * kPanelBytes, a.lora_weights, byte,
              kForward ? output : stage * kStageTerms, full);
  }
}

// The codes of a lane's run, in its row and panel of a stage.
template <class Tiles>
__device__ void load_codes(const unsigned char* tile, int row, int panel, std::uint32_t (&codes)[8]) {
#pragma unroll
  for (int v = 0; v < 2; ++v)
    unpack(*reinterpret_cast<const uint4*>(tile + place_of_codes<Tiles>(row, panel * 2 + v)), codes + 4 * v);
}

// Decoded to where the multipliers read them: all runs of a lane at once, of which none waits for another.
template <class Tiles>
__device__ void store_runs(const Weights16 (&weights)[Tiles::kRunsEach],
                           const std::uint32_t (&codes)[Tiles::kRunsEach][8], int row, int panel,
                           unsigned char* decoded) {
#pragma unroll
  for (int v = 0; v < 8; ++v)
#pragma unroll
    for (int i = 0; i < Tiles::kRunsEach; ++i) {
      unsigned char* const line = decoded + ((panel + i * Tiles::kPanelsApart) * Tiles::kRows + row) * kPanelBytes;
      *reinterpret_cast<uint4*>(line + (v ^ row % 8) * kVectorBytes) = decode_eight(weights[i], codes[i][v]);
    }
}

// How a block's absmax is found from a run's number.
struct Scales {
  const std::uint8_t* absmax_8bit;
  const float* scales;
  int block_shift;
  int scale_shift;
  float offset;
  bool is_nested;
};

__device__ inline Scales scales_of(const MatmulArguments& a) {
  constexpr int kRunShift = 6;
  static_assert(1 << kRunShift == kStageRun);
  constexpr int kMostShift = 31;  // of a number of runs, of which there are fewer than 2^31
  const int block_shift = a.weight.block_shift - kRunShift;
  const int nested_shift = a.weight.nested_shift - kRunShift;
  return {.absmax_8bit = a.weight.absmax_8bit,
          .scales = a.is_nested ? a.weight.nested_absmax : a.weight.absmax,
          .block_shift = block_shift,
          .scale_shift = !a.is_nested                ? block_shift
                         : nested_shift < kMostShift ? nested_shift
                                                     : kMostShift,
          .offset = a.is_nested ? *a.weight.nested_offset : 0.0F,
          .is_nested = a.is_nested};
}

// Without branches, which cost more than the loads, and one load for either kind of scale: a second one into the same
// register would wait for the first. Beyond the last run that one is loaded, and not used.
__device__ inline Absmax load_absmax(const Scales& scales, const RunsOfLane& runs, int stage) {
  const int there = stage < runs.stages ? stage : runs.stages - 1;
  const std::uint32_t run = runs.stages > 0 ? runs.first + static_cast<std::uint32_t>(there) * runs.apart : 0;
  const unsigned code = scales.is_nested ? __ldg(scales.absmax_8bit + (run >> scales.block_shift)) : 0U;
  return {code, __ldg(scales.scales + (run >> scales.scale_shift))};
}

template <class Value, bool kForward, class Tiles, class TurnsOf>
__device__ void decode_stages(const StageArguments& a, const TurnsOf& turns, StageShared<Tiles>& shared, int decoder) {
  constexpr int kApart = Tiles::kStagesApart;
  constexpr int kRuns = Tiles::kRunsEach;
  const MatmulArguments& matmul = a.matmul;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int task = decoder % Tiles::kTogether;
  const int row = task % Tiles::kRowGroups * kWarp + lane;
  const int panel = task / Tiles::kRowGroups;
  const int first = decoder / Tiles::kTogether;
  const Scales scales = scales_of(matmul);
  Place<Tiles::kShape.decoded_slots> to;
  Place<Tiles::kShape.code_slots> from;
  to.advance(first);
  from.advance(first);
  if (scales.is_nested) load_map<Tiles::kDecoders>(matmul, shared.map, shared.map_full, decoder, lane);
  // Where no warps only load: one of these threads asks for codes as soon as a slot is free.
  const bool loads = Tiles::kWeightsFirst && decoder == 0 && lane == 0;
  CodeRequests<kForward, Tiles, TurnsOf> requests(turns);
  if (loads) request_first<Tiles::kShape.code_slots>(requests, a, turns, shared);
  int stage = first;
  for (int tile = static_cast<int>(blockIdx.x); tile < turns.tiles; tile += turns.blocks, stage -= turns.stages) {
    RunsOfLane runs[kRuns];
    Absmax next[kRuns];
#pragma unroll
    for (int i = 0; i < kRuns; ++i) {
      runs[i] = runs_of_lane<kForward>(matmul, turns.first_output(tile), row, panel + i * Tiles::kPanelsApart);
      next[i] = load_absmax(scales, runs[i], stage);
    }
    if (scales.is_nested) wait_for(shared.map_full);
    for (; stage < turns.stages; stage += kApart) {
      Weights16 weights[kRuns];
#pragma unroll
      for (int i = 0; i < kRuns; ++i) {
        // Beyond the weight absmax is 0, and so are the weights.
        const float absmax = absmax_of(next[i], scales.is_nested, shared.map, scales.offset);
        weights[i] = weights_of<Value>(matmul.weight.values, stage < runs[i].stages ? absmax : 0.0F);
        next[i] = load_absmax(scales, runs[i], stage + kApart);
      }
      wait_for(shared.codes_full[from.slot], from.phase);
      if (stage < turns.weight_stages) {
        std::uint32_t codes[kRuns][8];
#pragma unroll
        for (int i = 0; i < kRuns; ++i)
          load_codes<Tiles>(shared.codes[from.slot], row, panel + i * Tiles::kPanelsApart, codes[i]);
        wait_for(shared.decoded_empty[to.slot], to.phase - 1);
        store_runs<Tiles>(weights, codes, row, panel, shared.decoded[to.slot]);
        fence_proxy_async();
        arrive_as_warp(shared.decoded_full[to.slot], lane);
      } else {
        wait_for(shared.decoded_empty[to.slot], to.phase - 1);
        __syncwarp(kAllLanes);  // a lane that still waited would find the phase of the slot's next use
        if (lane == 0 && task > 0) arrive(shared.decoded_full[to.slot]);
        if (lane == 0 && task == 0)
          request_lora_weights<kForward, Tiles>(a, turns.first_output(tile), stage - turns.weight_stages,
                                                shared.decoded[to.slot], shared.decoded_full[to.slot]);
      }
      if (lane == 0) arrive(shared.codes_empty[from.slot]);  // the warp has synchronized behind its loads
      if (loads && !requests.are_done(turns)) requests.request(a, turns, shared);
      to.advance(kApart);
      from.advance(kApart);
    }
  }
}

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_MATMUL_4BIT_STAGE_DECODING_CUH
