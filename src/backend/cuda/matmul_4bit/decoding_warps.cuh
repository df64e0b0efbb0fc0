// The warp-specialized kernel: the decoding warps. A team of them decodes a stage, from a slot of codes to a slot of
// decoded weights, while the other teams decode the next stages.
#ifndef QFUSE_BACKEND_CUDA_MATMUL_4BIT_DECODING_WARPS_CUH
#define QFUSE_BACKEND_CUDA_MATMUL_4BIT_DECODING_WARPS_CUH

#include <cstdint>

#include "backend/cuda/matmul_4bit/decode_codes.cuh"
#include "backend/cuda/matmul_4bit/producer_warps.cuh"

namespace qfuse::cuda::matmul_4bit {

// `before`: panel rows before the weight's first one.
template <bool kForward>
__device__ LaneRows lane_rows(const MatmulArguments& a, std::uint32_t before, int output, int row, int panel) {
  const auto panels_of_row = static_cast<std::uint32_t>(a.cols / kPanelCols);
  const int rows_left = static_cast<int>(a.rows) - row - (kForward ? output : 0);
  const int cols_left = static_cast<int>(a.cols) - panel * kPanelCols - (kForward ? 0 : output);
  const bool exists = rows_left > 0 && cols_left > 0;
  const std::uint32_t first_row = static_cast<std::uint32_t>(kForward ? output + row : row);
  const std::uint32_t first_panel = static_cast<std::uint32_t>(kForward ? panel : output / kPanelCols + panel);
  return {.first = before + first_row * panels_of_row + first_panel,
          .apart = kForward ? kStagePanels : kStageTerms * panels_of_row,
          .stages = exists ? ((kForward ? cols_left : rows_left) + kStageTerms - 1) / kStageTerms : 0};
}

// Loads a stage of LoRA's weights by TMA, to a slot of decoded weights.
template <bool kForward, class Tiles, class Scheduler>
__device__ void load_lora_weights(const PipelineArguments& a, const Scheduler& scheduler,
                                  const typename Scheduler::Tile& tile, int stage, unsigned char* decoded,
                                  Mbarrier& full) {
  arrive_expect_tx(full, Tiles::kDecodedBytes);
  const int row = kForward ? scheduler.output(tile) : stage * kStageTerms;
  const int col = kForward ? stage * kStageTerms : scheduler.output(tile);
  for (int panel = 0; panel < Tiles::kPanels; ++panel) {
    unsigned char* const to = decoded + panel * Tiles::kRows * Tiles::kRowBytes;
    const int byte = col * 2 + panel * Tiles::kRowBytes;
    if constexpr (Scheduler::kIsGrouped)
      load_tile(to, a.lora_weights, byte, row, scheduler.expert(tile), full);
    else
      load_tile(to, a.lora_weights, byte, row, full);
  }
}

// The weights that a lane's codes of a stage can mean: those of the first block, and the absmax of all its blocks. Of
// four, which would take too many registers, `absmax` has the loaded word.
template <class Value, class Format, class Tiles>
struct RowWeights {
  static constexpr bool kHasTwoHalves = Tiles::kLaneCols == kPanelCols;
  static constexpr int kParts = kHasTwoHalves || Format::kParts == 1 ? Format::kParts : Format::kParts / 2;
  static constexpr int kPartVectors = Tiles::kLaneCols / 8 / kParts;
  static constexpr bool kKeepsWords = kParts > 2;
  WeightsOf<Value, Format> weights[Tiles::kRowsEach];
  float absmax[Tiles::kRowsEach][kKeepsWords ? 1 : kParts];
};

// Decodes a lane's panel rows and stores them for wgmma; all at once, as their look-ups do not wait for one another.
// absmax_of: returns the absmax of a row's block.
template <class Value, class Format, class Tiles, class AbsmaxOf>
__device__ void store_rows(const Weight4bit& w, RowWeights<Value, Format, Tiles>& rows, const AbsmaxOf& absmax_of,
                           const std::uint32_t (&codes)[Tiles::kRowsEach][Tiles::kLaneCols / 8], int row, int panel,
                           unsigned char* decoded) {
  constexpr int kVectors = Tiles::kLaneCols / 8;
  constexpr int kPartVectors = RowWeights<Value, Format, Tiles>::kPartVectors;
  constexpr PairOrder kOrder = pair_order(Format::kIsLowFirst);
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    if (v > 0 && v % kPartVectors == 0) {
#pragma unroll
      for (int i = 0; i < Tiles::kRowsEach; ++i)
        rows.weights[i] = weights_of_format<Value, Format>(w.values, absmax_of(i, v / kPartVectors));
    }
#pragma unroll
    for (int i = 0; i < Tiles::kRowsEach; ++i) {
      const int line = (panel + i * Tiles::kPanelsApart) * Tiles::kRows + row + i * Tiles::kRowsApart;
      *reinterpret_cast<uint4*>(decoded + line * Tiles::kRowBytes + swizzled_bytes<Tiles::kRowBytes>(row, v)) =
          decode_eight(rows.weights[i], kOrder, codes[i][v]);
    }
  }
}

// Stores a lane's blocks with a rare scale again, in loops that are short rather than fast.
template <class Value, class Format, class Tiles>
__device__ void store_rare_blocks(const RowWeights<Value, Format, Tiles>& rows, const unsigned char* codes, int row,
                                  int panel, unsigned char* decoded) {
  using Rows = RowWeights<Value, Format, Tiles>;
  constexpr int kVectors = Tiles::kLaneCols / 8;
#pragma unroll
  for (int i = 0; i < Tiles::kRowsEach; ++i) {
    const int in_panel = row + i * Tiles::kRowsApart;
    const int in_stage = panel + i * Tiles::kPanelsApart;
    unsigned char* const to = decoded + (in_stage * Tiles::kRows + in_panel) * Tiles::kRowBytes;
#pragma unroll
    for (int part = 0; part < Rows::kParts; ++part) {
      if (!is_rare_scale(rows.absmax[i][part])) continue;
#pragma unroll 1
      for (int v = part * Rows::kPartVectors; v < (part + 1) * Rows::kPartVectors; ++v)
        *reinterpret_cast<uint4*>(to + swizzled_bytes<Tiles::kRowBytes>(row, v)) = decode_eight_rare(
            rows.absmax[i][part], load_eight<Tiles::kCodeRowBytes>(codes, in_panel, in_stage * kVectors + v));
    }
  }
}

// Finds the panel rows of a tile that a lane decodes, the first of which is at `row` and `panel` of each stage, and
// loads their absmax for `stage`.
template <bool kForward, class Format, class Tiles, class Scheduler>
__device__ void begin_rows(const PipelineArguments& a, const Scheduler& scheduler, const typename Scheduler::Tile& tile,
                           int row, int panel, int stage, ReaderOf<Format>& reader, LaneRows (&rows)[Tiles::kRowsEach],
                           Absmax (&absmax)[Tiles::kRowsEach]) {
  load_own(a, scheduler, tile, reader);
  const std::uint32_t before = first_panel_row(a, scheduler, tile);
#pragma unroll
  for (int i = 0; i < Tiles::kRowsEach; ++i) {
    rows[i] = lane_rows<kForward>(a.matmul, before, scheduler.output(tile), row + i * Tiles::kRowsApart,
                                  panel + i * Tiles::kPanelsApart);
    absmax[i] = load_absmax<Format>(reader, rows[i], stage);
  }
}

// Makes the weights that a stage's codes can mean, and loads the absmax of the team's next stage. Outside the weight,
// absmax and weights are 0. half: which half of a panel row the lane has, if it has only one.
template <class Value, class Format, class Tiles>
__device__ void make_weights(const MatmulArguments& a, const ReaderOf<Format>& reader, const float* map,
                             const LaneRows (&rows)[Tiles::kRowsEach], int stage, unsigned half,
                             Absmax (&next)[Tiles::kRowsEach], RowWeights<Value, Format, Tiles>& made) {
#pragma unroll
  for (int i = 0; i < Tiles::kRowsEach; ++i) {
    using Made = RowWeights<Value, Format, Tiles>;
    const bool exists = stage < rows[i].stages;
    const auto part_of = [&](int part) {
      return exists ? decode_part<Format>(a.weight.absmax_type, reader, map, next[i],
                                          half * Made::kParts + static_cast<unsigned>(part))
                    : 0.0F;
    };
    made.weights[i] = weights_of_format<Value, Format>(a.weight.values, part_of(0));
    if constexpr (Made::kKeepsWords)
      made.absmax[i][0] = next[i].scale;
    else
#pragma unroll
      for (int part = 0; part < Made::kParts; ++part) made.absmax[i][part] = part_of(part);
    next[i] = load_absmax<Format>(reader, rows[i], stage + Tiles::kTeams);
  }
}

template <class Value, bool kForward, class Format, class Tiles, class Scheduler>
__device__ void decode_stages(const PipelineArguments& a, const Scheduler& scheduler, StageShared<Tiles>& shared,
                              int decoder) {
  constexpr int kTeams = Tiles::kTeams;
  constexpr int kRows = Tiles::kRowsEach;
  const MatmulArguments& matmul = a.matmul;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int task = decoder % Tiles::kTeamDecoders;
  const int row = task % Tiles::kRowGroups * kWarp + lane;
  const int panel = task / Tiles::kRowGroups;
  const int first = decoder / Tiles::kTeamDecoders;
  ReaderOf<Format> reader{absmax_reader(matmul)};
  PipelineState<Tiles::kShape.decoded_slots> to;
  PipelineState<Tiles::kShape.code_slots> from;
  to.advance(first);
  from.advance(first);
  const bool has_map = Format::kAlwaysHasMap || reader.is_nested;
  if (has_map) load_map<Format, Tiles::kDecoders>(matmul, shared.map, shared.map_full, decoder, lane);
  // Without producer warps one of these threads loads codes as soon as a slot is free.
  const bool loads = !Tiles::kShape.has_producers() && decoder == 0 && lane == 0;
  CodeProducer<kForward, Tiles, Scheduler> producer(scheduler);
  if (loads) fill_slots<Tiles::kShape.code_slots>(producer, a, scheduler, shared);
  int stage = first;
  GroupTile& kept = shared.kept_tiles[decoder];
  auto tile = scheduler.first();
  for (; scheduler.has(tile); stage -= scheduler.stages) {
    keep_tile<Scheduler>(tile, kept, lane);
    LaneRows rows[kRows];
    Absmax next[kRows];
    begin_rows<kForward, Format, Tiles>(a, scheduler, tile, row, panel, stage, reader, rows, next);
    const unsigned half = RowWeights<Value, Format, Tiles>::kHasTwoHalves
                              ? 0U
                              : static_cast<unsigned>(scheduler.output(tile) / kSmallBlock % 2);
    if (has_map) wait_for(shared.map_full);
    for (; stage < scheduler.stages; stage += kTeams) {
      RowWeights<Value, Format, Tiles> weights;
      make_weights<Value, Format, Tiles>(matmul, reader, shared.map, rows, stage, half, next, weights);
      wait_for(shared.codes_full[from.slot], from.phase);
      if (stage < scheduler.weight_stages) {
        std::uint32_t codes[kRows][Tiles::kLaneCols / 8];
#pragma unroll
        for (int i = 0; i < kRows; ++i)
          load_codes<Tiles::kCodeRowBytes>(shared.codes[from.slot], row + i * Tiles::kRowsApart,
                                           panel + i * Tiles::kPanelsApart, codes[i]);
        wait_for(shared.decoded_empty[to.slot], to.phase - 1);
        const auto absmax_of = [&](int i, int part) {
          if constexpr (!RowWeights<Value, Format, Tiles>::kKeepsWords) return weights.absmax[i][part];
          const Absmax word = {0, weights.absmax[i][0]};
          return stage < rows[i].stages ? decode_part<Format>(matmul.weight.absmax_type, reader, shared.map, word,
                                                              static_cast<unsigned>(part))
                                        : 0.0F;
        };
        store_rows<Value, Format, Tiles>(matmul.weight, weights, absmax_of, codes, row, panel, shared.decoded[to.slot]);
        if constexpr (kHasPairScale<Value, Format>)
          store_rare_blocks<Value, Format, Tiles>(weights, shared.codes[from.slot], row, panel,
                                                  shared.decoded[to.slot]);
        fence_proxy_async();
        arrive_as_warp(shared.decoded_full[to.slot], lane);
      } else {
        wait_for(shared.decoded_empty[to.slot], to.phase - 1);
        __syncwarp(kAllLanes);  // else a lane that still waits could see the parity of the slot's next phase
        if (lane == 0 && task > 0) arrive(shared.decoded_full[to.slot]);
        if (lane == 0 && task == 0)
          load_lora_weights<kForward, Tiles>(a, scheduler, kept_tile<Scheduler>(tile, kept),
                                             stage - scheduler.weight_stages, shared.decoded[to.slot],
                                             shared.decoded_full[to.slot]);
      }
      if (lane == 0) arrive(shared.codes_empty[from.slot]);  // the warp has synchronized after its loads
      if (loads && !producer.is_done(scheduler)) producer.load(a, scheduler, shared);
      to.advance(kTeams);
      from.advance(kTeams);
    }
    tile = kept_tile<Scheduler>(tile, kept);
    if constexpr (Scheduler::kIsGrouped) __syncwarp(kAllLanes);  // before `kept` is overwritten
    scheduler.advance(tile);
  }
}

}  // namespace qfuse::cuda::matmul_4bit

#endif  // QFUSE_BACKEND_CUDA_MATMUL_4BIT_DECODING_WARPS_CUH
