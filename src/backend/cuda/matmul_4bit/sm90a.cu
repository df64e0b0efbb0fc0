// in:     in [m, terms] fp16 or bf16, rows apart; a 4-bit weight [rows, cols]; bias [rows] or none; of LoRA lora_in
//         [m, lora_rank] and lora_weight [rows, lora_rank] or, backward, [lora_rank, cols]; in, packed and both of LoRA's
//         aligned to 16 bytes, cols a multiple of 64, lora_rank one of 8, blocks of 64 or more
// out:    [m, outputs], rows apart; any address
// math:   out[i][o] = round(sum over t of in[i][t] * round(weight of (o, t)) + sum over j of lora_in[i][j] * lora_weight
//         of (o, j) + bias[o]), both in one sum in the order PLAIN
// cost:   about 4 instructions a weight to decode it, once for each tile of tokens
// oracle: reference/matmul_4bit.cpp
// Hopper's way with more tokens, in both directions. The warps of a thread block have roles, and hand stages of 128 terms
// on to one another through shared memory: one thread asks for codes, another one for inputs; some warps decode; a
// warpgroup for each 64 tokens multiplies, or, where tokens are many, for each 64 outputs. The last stages are LoRA's, whose
// values are loaded where others are decoded.
// Compiled for Hopper alone, whose instructions for warpgroups no later one has.
#include <algorithm>
#include <cstdint>

#include "backend/cuda/device/hopper.cuh"
#include "backend/cuda/device/launch.cuh"
#include "backend/cuda/matmul_4bit/steps.cuh"

namespace qfuse::cuda {
namespace {

// ---- policy ----

constexpr int kPanelBytes = 128;                    // of a row in a panel of a tile: 64 values
constexpr int kSwizzleBytes = 8 * kPanelBytes;      // rows after which a panel's swizzle repeats
constexpr int kStepBytes = 2 * format::kStepTerms;  // of a row
constexpr int kStageSteps = kStageTerms / format::kStepTerms;
constexpr int kPanelSteps = kStageRun / format::kStepTerms;
constexpr int kInputPanels = kStageTerms / kStageRun;
static_assert(kStageRun * 2 == kPanelBytes);
constexpr int kRunBytes = kStageRun / 2;  // of codes
constexpr int kVectorBytes = 16;

constexpr StageShape shape_of(int outputs, int tokens) {
  for (const StageShape& shape : kStageShapes)
    if (shape.outputs == outputs && shape.tokens == tokens) return shape;
  return {};
}

// The tiles of a stage. Decoded weights lie as they are stored: forward a row of them is an output, backward a term. A
// panel is 64 columns of a tile.
template <bool kForward, int kOutputs, int kTokens>
struct Stage {
  static constexpr StageShape kShape = shape_of(kOutputs, kTokens);
  static constexpr int kRows = kForward ? kOutputs : kStageTerms;
  static constexpr int kPanels = (kForward ? kStageTerms : kOutputs) / kStageRun;
  static constexpr int kDecodedBytes = kPanels * kRows * kPanelBytes;
  static constexpr int kInputPanelBytes = kTokens * kPanelBytes;
  static constexpr int kSlotPanels = kShape.input_terms() / kStageRun;  // of inputs
  static constexpr int kSlotsEach = kInputPanels / kSlotPanels;         // of a stage
  static constexpr int kInputBytes = kSlotPanels * kInputPanelBytes;
  static constexpr int kCodeRowBytes = kPanels * kRunBytes;
  static constexpr int kCodeBytes = kRows * kCodeRowBytes;
  static constexpr int kRowGroups = kRows / kWarp;
  static constexpr int kTasks = kPanels * kRowGroups;  // of a warp: a run of each of 32 rows
  static constexpr int kDecoders = kShape.decoders;
  static constexpr int kTogether = kTasks < kDecoders ? kTasks : kDecoders;  // decoders of one stage
  static constexpr int kRunsEach = kTasks / kTogether;                       // of a lane: of one row
  static constexpr int kStagesApart = kDecoders / kTogether;
  static constexpr int kMultipliers = kShape.multipliers();
  static constexpr bool kWeightsFirst = kShape.weights_first();
  static constexpr int kColumns = kWeightsFirst ? kTokens : kOutputs;  // of a warpgroup's sums
  static_assert(kStagesApart * kTogether == kDecoders && kRunsEach * kTogether == kTasks &&
                kTogether % kRowGroups == 0 && kStagesApart <= kShape.decoded_slots &&
                kStagesApart <= kShape.code_slots);
};

// ---- what lies in shared memory ----

template <class Tiles>
struct StageShared {
  static constexpr StageShape kShape = Tiles::kShape;
  unsigned char decoded[kShape.decoded_slots][Tiles::kDecodedBytes];
  unsigned char inputs[kShape.input_slots][Tiles::kInputBytes];
  unsigned char codes[kShape.code_slots][Tiles::kCodeBytes];
  float map[format::kCodes8];
  Arrival map_full;
  Arrival decoded_full[kShape.decoded_slots];
  Arrival decoded_empty[kShape.decoded_slots];
  Arrival inputs_full[kShape.input_slots];
  Arrival inputs_empty[kShape.input_slots];
  Arrival codes_full[kShape.code_slots];
  Arrival codes_empty[kShape.code_slots];
};

// Where tiles are aligned to what their swizzle repeats after.
template <class Shared>
__device__ Shared& stage_shared() {
  static_assert(sizeof(Shared) + kStageAlignment <= stage_shared_bytes(Shared::kShape));
  char* const begin = static_cast<char*>(dynamic_shared());
  const auto beyond = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(begin) % kStageAlignment);
  return *reinterpret_cast<Shared*>(begin + (beyond == 0 ? 0 : kStageAlignment - beyond));
}

// By one thread, before the block synchronizes.
template <class Tiles>
__device__ void prepare_arrivals(StageShared<Tiles>& shared) {
  constexpr StageShape kShape = Tiles::kShape;
  prepare(shared.map_full, Tiles::kDecoders);
#pragma unroll
  for (int i = 0; i < kShape.decoded_slots; ++i) {
    prepare(shared.decoded_full[i], Tiles::kTogether);
    prepare(shared.decoded_empty[i], Tiles::kMultipliers);
  }
#pragma unroll
  for (int i = 0; i < kShape.input_slots; ++i) {
    prepare(shared.inputs_full[i], 1);
    prepare(shared.inputs_empty[i], Tiles::kMultipliers);
  }
#pragma unroll
  for (int i = 0; i < kShape.code_slots; ++i) {
    prepare(shared.codes_full[i], 1);
    prepare(shared.codes_empty[i], Tiles::kTogether);
  }
  show_arrivals();
}

// Where a role is in a ring of slots. Arrivals at a slot's first use complete the parity 0, at its second one 1.
template <int kSlots>
struct Place {
  int slot = 0;
  unsigned parity = 0;
  __device__ void advance(int by) {
    slot += by;
    if (slot < kSlots) return;
    slot -= kSlots;
    parity ^= 1U;
  }
};

// ---- what a kernel sees ----

struct StageArguments {
  MatmulArguments matmul;
  TileMap codes;
  TileMap inputs;
  TileMap lora_weights;
  TileMap lora_inputs;
  unsigned input_bytes;  // that a slot's loads bring
  int tiles;
  int stages;       // of the weight, for a tile
  int lora_stages;  // behind them
};

// Tiles of outputs and tokens, which thread blocks take by turns; those of the same outputs are neighbours.
template <int kOutputs, int kTokens>
struct Turns {
  int tiles;
  int token_tiles;
  int weight_stages;
  int stages;  // with LoRA's
  int blocks;
  [[nodiscard]] __device__ int first_output(int tile) const { return tile / token_tiles * kOutputs; }
  [[nodiscard]] __device__ int first_token(int tile) const { return tile % token_tiles * kTokens; }
};

// ---- before the kernel before is done ----

// For loads that come later, which find it in the L2 then.
__device__ inline void prefetch_absmax(const MatmulArguments& a, std::int64_t row, std::int64_t col) {
  if (row >= a.rows || col >= a.cols) return;
  const std::int64_t block = (row * a.cols + col) >> a.weight.block_shift;
  if (a.is_nested)
    prefetch(a.weight.absmax_8bit + block);
  else
    prefetch(a.weight.absmax + block);
}

// The first stages' codes and absmax, which are only brought nearer.
template <bool kForward, class Tiles, class TurnsOf>
__device__ void prefetch_stages(const StageArguments& a, const TurnsOf& turns, int thread) {
  const int stages = turns.weight_stages < Tiles::kShape.code_slots ? turns.weight_stages : Tiles::kShape.code_slots;
  const int output = turns.first_output(static_cast<int>(blockIdx.x));
  if (thread < stages) {
    const int term = thread * kStageTerms;
    prefetch_tile(a.codes, (kForward ? term : output) / 2, kForward ? output : term);
  }
  if (thread < Tiles::kRows) prefetch_absmax(a.matmul, (kForward ? output : 0) + thread, kForward ? 0 : output);
}

// ---- role: loading, by one thread for codes and one for inputs ----

// Stage after stage of all tiles, each into the next slot of a ring.
template <int kSlots, class TurnsOf>
struct Requests {
  int tile = static_cast<int>(blockIdx.x);
  int stage = 0;  // or part of one
  Place<kSlots> place;
  [[nodiscard]] __device__ bool are_done(const TurnsOf& turns) const { return tile >= turns.tiles; }
  __device__ void advance(const TurnsOf& turns, int parts = 1) {
    place.advance(1);
    if (++stage < turns.stages * parts) return;
    stage = 0;
    tile += turns.blocks;
  }
};

template <bool kForward, class Tiles, class TurnsOf>
struct CodeRequests : Requests<Tiles::kShape.code_slots, TurnsOf> {
  __device__ void request(const StageArguments& a, const TurnsOf& turns, StageShared<Tiles>& shared) {
    const int output = turns.first_output(this->tile);
    const int slot = this->place.slot;
    const int row = kForward ? output : this->stage * kStageTerms;
    const int col = kForward ? this->stage * kStageTerms : output;
    wait_for(shared.codes_empty[slot], this->place.parity ^ 1U);
    if (this->stage < turns.weight_stages) {
      expect(shared.codes_full[slot], Tiles::kCodeBytes);
      load_tile(shared.codes[slot], a.codes, col / 2, row, shared.codes_full[slot]);
    } else {
      arrive(shared.codes_full[slot]);  // with nothing, so that slots go on in turn
    }
    this->advance(turns);
  }
};

template <class Tiles, class TurnsOf>
struct InputRequests : Requests<Tiles::kShape.input_slots, TurnsOf> {
  __device__ void request(const StageArguments& a, const TurnsOf& turns, StageShared<Tiles>& shared) {
    const int token = turns.first_token(this->tile);
    const int slot = this->place.slot;
    const int lora_panel = this->stage * Tiles::kSlotPanels - turns.weight_stages * kInputPanels;
    const TileMap& map = lora_panel >= 0 ? a.lora_inputs : a.inputs;
    const int first_panel = lora_panel >= 0 ? lora_panel : this->stage * Tiles::kSlotPanels;
    wait_for(shared.inputs_empty[slot], this->place.parity ^ 1U);
    expect(shared.inputs_full[slot], a.input_bytes);
    for (int panel = 0; panel < Tiles::kSlotPanels; ++panel)
      load_tile(shared.inputs[slot] + panel * Tiles::kInputPanelBytes, map, (first_panel + panel) * kPanelBytes, token,
                shared.inputs_full[slot]);
    this->advance(turns, Tiles::kSlotsEach);
  }
};

template <class RequestsOf, class Tiles, class TurnsOf>
__device__ void request_all(RequestsOf requests, const StageArguments& a, const TurnsOf& turns,
                            StageShared<Tiles>& shared) {
  while (!requests.are_done(turns)) requests.request(a, turns, shared);
}

// As many as there are slots for, by a thread that does other work, too, before it does.
template <int kSlots, class RequestsOf, class Tiles, class TurnsOf>
__device__ void request_first(RequestsOf& requests, const StageArguments& a, const TurnsOf& turns,
                              StageShared<Tiles>& shared) {
  for (int i = 0; i < kSlots && !requests.are_done(turns); ++i) requests.request(a, turns, shared);
}

// ---- role: decoding ----

// Each decoder brings a part of the map, and waits for the others before it uses one.
template <class Tiles>
__device__ void load_map(const MatmulArguments& a, StageShared<Tiles>& shared, int decoder, int lane) {
  constexpr int kStride = Tiles::kDecoders * kWarp;
#pragma unroll
  for (int at = decoder * kWarp + lane; at < format::kCodes8; at += kStride)
    shared.map[at] = a.weight.nested_quant_map[at];
  __syncwarp(kAllLanes);
  if (lane == 0) arrive(shared.map_full);
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
                                     Arrival& full) {
  expect(full, Tiles::kDecodedBytes);
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

// Decoded to where the multipliers read them.
template <class Tiles>
__device__ void store_run(const Weights16& weights, const std::uint32_t (&codes)[8], int row, int panel,
                          unsigned char* decoded) {
  unsigned char* const line = decoded + (panel * Tiles::kRows + row) * kPanelBytes;
#pragma unroll
  for (int v = 0; v < 8; ++v)
    *reinterpret_cast<uint4*>(line + (v ^ row % 8) * kVectorBytes) = decode_eight(weights, codes[v]);
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
  constexpr int kPanelsApart = Tiles::kTogether / Tiles::kRowGroups;
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
  if (scales.is_nested) load_map(matmul, shared, decoder, lane);
  // Where no warps only load: one of these threads asks for codes as soon as a slot is free.
  const bool loads = Tiles::kWeightsFirst && decoder == 0 && lane == 0;
  CodeRequests<kForward, Tiles, TurnsOf> requests;
  if (loads) request_first<Tiles::kShape.code_slots>(requests, a, turns, shared);
  int stage = first;
  for (int tile = static_cast<int>(blockIdx.x); tile < turns.tiles; tile += turns.blocks, stage -= turns.stages) {
    RunsOfLane runs[kRuns];
    Absmax next[kRuns];
#pragma unroll
    for (int i = 0; i < kRuns; ++i) {
      runs[i] = runs_of_lane<kForward>(matmul, turns.first_output(tile), row, panel + i * kPanelsApart);
      next[i] = load_absmax(scales, runs[i], stage);
    }
    if (scales.is_nested) wait_for(shared.map_full);
    for (; stage < turns.stages; stage += kApart) {
      float absmax[kRuns];
#pragma unroll
      for (int i = 0; i < kRuns; ++i) {
        // Beyond the weight absmax is 0, and so are the weights.
        const float there = absmax_of(next[i], scales.is_nested, shared.map, scales.offset);
        absmax[i] = stage < runs[i].stages ? there : 0.0F;
        next[i] = load_absmax(scales, runs[i], stage + kApart);
      }
      Weights16 weights = weights_of<Value>(matmul.weight.values, absmax[0]);
      wait_for(shared.codes_full[from.slot], from.parity);
      if (stage < turns.weight_stages) {
        std::uint32_t codes[8];
        load_codes<Tiles>(shared.codes[from.slot], row, panel, codes);
        wait_for(shared.decoded_empty[to.slot], to.parity ^ 1U);
        store_run<Tiles>(weights, codes, row, panel, shared.decoded[to.slot]);
#pragma unroll
        for (int i = 1; i < kRuns; ++i) {
          weights = weights_of<Value>(matmul.weight.values, absmax[i]);
          load_codes<Tiles>(shared.codes[from.slot], row, panel + i * kPanelsApart, codes);
          store_run<Tiles>(weights, codes, row, panel + i * kPanelsApart, shared.decoded[to.slot]);
        }
        __syncwarp(kAllLanes);
        if (lane == 0) arrive(shared.decoded_full[to.slot]);
      } else {
        wait_for(shared.decoded_empty[to.slot], to.parity ^ 1U);
        if (lane == 0 && task > 0) arrive(shared.decoded_full[to.slot]);
        if (lane == 0 && task == 0)
          request_lora_weights<kForward, Tiles>(a, turns.first_output(tile), stage - turns.weight_stages,
                                                shared.decoded[to.slot], shared.decoded_full[to.slot]);
      }
      if (lane == 0) arrive(shared.codes_empty[from.slot]);
      if (loads && !requests.are_done(turns)) requests.request(a, turns, shared);
      to.advance(kApart);
      from.advance(kApart);
    }
  }
}

// ---- role: multiplying ----

// A lane has of every 8 outputs two neighbours, of two tokens.
template <class Value, int kOutputs>
__device__ void add_bias(const MatmulArguments& a, std::int64_t output, std::int64_t outputs,
                         float (&sums)[kOutputs / 2]) {
  const auto* const bias = static_cast<const Value*>(a.bias);
#pragma unroll
  for (int i = 0; i < kOutputs / 2; ++i) {
    const std::int64_t at = output + i / 4 * 8 + i % 2;
    if (at < outputs) sums[i] = __fadd_rn(sums[i], widen(load_bytes<Value>(bias + at)));
  }
}

template <class Value, int kOutputs>
__device__ void store_token(const MatmulArguments& a, std::int64_t token, int output, int outputs, const float* sums) {
  if (token >= a.m) return;
  Value* const to = static_cast<Value*>(a.out) + token * a.out_stride + output;
  const bool is_even = is_aligned(to, sizeof(std::uint32_t));
#pragma unroll
  for (int j = 0; j < kOutputs; j += 8) {
    const float* const pair = sums + j / 2;
    if (is_even && output + j + 1 < outputs) {
      *reinterpret_cast<std::uint32_t*>(to + j) = Rounding<Value>::word(pair);
    } else {
      if (output + j < outputs) store_bytes(to + j, Rounding<Value>::one(pair[0]));
      if (output + j + 1 < outputs) store_bytes(to + j + 1, Rounding<Value>::one(pair[1]));
    }
  }
}

// Where weights come first, a lane has of two outputs, 8 apart, two neighbouring tokens of every 8. A lane and the one that
// has the outputs beside its own exchange half of them: then each has both outputs of one token, which it stores as one.
template <class Value, class Tiles>
__device__ void store_outputs(const MatmulArguments& a, std::int64_t token, int output, int outputs, int lane,
                              float (&sums)[Tiles::kColumns / 2]) {
  constexpr int kNeighbour = 4;  // lanes from an output to the next one
  const bool is_odd = (lane & kNeighbour) != 0;
#pragma unroll
  for (int i = 0; i < Tiles::kColumns / 2; i += 2) {
    const int pair_output = output - (is_odd ? 1 : 0) + i / 2 % 2 * 8;
    const float other = exchange(is_odd ? sums[i] : sums[i + 1], kNeighbour);
    const float pair[2] = {is_odd ? other : sums[i], is_odd ? sums[i + 1] : other};
    const std::int64_t pair_token = token + i / 4 * 8 + (is_odd ? 1 : 0);
    if (pair_token >= a.m) continue;
    Value* const to = static_cast<Value*>(a.out) + pair_token * a.out_stride + pair_output;
    if (pair_output + 1 < outputs && is_aligned(to, sizeof(std::uint32_t))) {
      *reinterpret_cast<std::uint32_t*>(to) = Rounding<Value>::word(pair);
    } else {
      if (pair_output < outputs) store_bytes(to, Rounding<Value>::one(pair[0]));
      if (pair_output + 1 < outputs) store_bytes(to + 1, Rounding<Value>::one(pair[1]));
    }
  }
}

template <class Value, class Tiles>
__device__ void add_bias_of_rows(const MatmulArguments& a, int output, int outputs,
                                 float (&sums)[Tiles::kColumns / 2]) {
  const auto* const bias = static_cast<const Value*>(a.bias);
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    if (output + 8 * h >= outputs) continue;
    const float value = widen(load_bytes<Value>(bias + output + 8 * h));
#pragma unroll
    for (int i = 2 * h; i < Tiles::kColumns / 2; i += 4)
#pragma unroll
      for (int e = 0; e < 2; ++e) sums[i + e] = __fadd_rn(sums[i + e], value);
  }
}

// The sums of a warpgroup, made.
template <class Value, class Tiles, class TurnsOf>
__device__ void finish_tile(const MatmulArguments& a, const TurnsOf& turns, int tile, int warp, int outputs,
                            float (&sums)[Tiles::kColumns / 2]) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  if constexpr (Tiles::kWeightsFirst) {
    const int output = turns.first_output(tile) + warp * 16 + lane / 4;
    if (a.bias != nullptr) add_bias_of_rows<Value, Tiles>(a, output, outputs, sums);
    store_outputs<Value, Tiles>(a, turns.first_token(tile) + lane % 4 * 2, output, outputs, lane, sums);
  } else {
    const int output = turns.first_output(tile) + lane % 4 * 2;
    const int token = turns.first_token(tile) + warp * 16 + lane / 4;
    if (a.bias != nullptr) add_bias<Value, Tiles::kColumns>(a, output, outputs, sums);
    store_token<Value, Tiles::kColumns>(a, token, output, outputs, sums);
    store_token<Value, Tiles::kColumns>(a, token + 8, output, outputs, sums + 2);
  }
}

// One step of a stage: 16 terms of a warpgroup's 64 rows. The inputs' operand is that of a slot.
template <class Value, bool kForward, class Tiles>
__device__ void multiply_step(TileOperand weights, TileOperand inputs, int step, bool adds,
                              float (&sums)[Tiles::kColumns / 2]) {
  const int in_panel = step % kPanelSteps * kStepBytes;
  const int panel = step / kPanelSteps;
  const TileOperand of_inputs = offset(inputs, panel % Tiles::kSlotPanels * Tiles::kInputPanelBytes + in_panel);
  const TileOperand of_weights = offset(
      weights, kForward ? panel * Tiles::kRows * kPanelBytes + in_panel : step * format::kStepTerms * kPanelBytes);
  if constexpr (Tiles::kWeightsFirst)
    multiply_tiles<Tiles::kColumns, !kForward, false>(sums, of_weights, of_inputs, adds, Value());
  else
    multiply_tiles<Tiles::kColumns, false, !kForward>(sums, of_inputs, of_weights, adds, Value());
}

template <class Value, bool kForward, class Tiles, class TurnsOf>
__device__ void multiply_stages(const StageArguments& a, const TurnsOf& turns, StageShared<Tiles>& shared, int warp) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int group = warp / kStageWarps;
  const auto outputs = static_cast<int>(kForward ? a.matmul.rows : a.matmul.cols);
  // Of the first operand's 64 rows: backward 64 outputs are a panel.
  const int first_weights = Tiles::kWeightsFirst ? group * (kForward ? kStageRows : Tiles::kRows) * kPanelBytes : 0;
  const int first_inputs = Tiles::kWeightsFirst ? 0 : group * kStageRows * kPanelBytes;
  // Where no warps only load: one of these threads asks for inputs as soon as a slot is free.
  const bool loads = Tiles::kWeightsFirst && warp == 0 && lane == 0;
  InputRequests<Tiles, TurnsOf> requests;
  if (loads) request_first<Tiles::kShape.input_slots>(requests, a, turns, shared);
  Place<Tiles::kShape.decoded_slots> decoded;
  Place<Tiles::kShape.input_slots> inputs;
  for (int tile = static_cast<int>(blockIdx.x); tile < turns.tiles; tile += turns.blocks) {
    float sums[Tiles::kColumns / 2] = {};
    int decoded_before = 0;
    int inputs_before = 0;
    const auto release = [&](bool ends_stage) {
      __syncwarp(kAllLanes);
      if (lane != 0) return;
      if (ends_stage) arrive(shared.decoded_empty[decoded_before]);
      arrive(shared.inputs_empty[inputs_before]);
      if (loads && !requests.are_done(turns)) requests.request(a, turns, shared);
    };
    for (int stage = 0; stage < turns.stages; ++stage) {
#pragma unroll
      for (int part = 0; part < Tiles::kSlotsEach; ++part) {
        wait_for(shared.inputs_full[inputs.slot], inputs.parity);
        if (part == 0) wait_for(shared.decoded_full[decoded.slot], decoded.parity);
        begin_products();
        const TileOperand of_inputs =
            tile_operand(shared.inputs[inputs.slot] + first_inputs, kVectorBytes, kSwizzleBytes);
        const TileOperand of_weights =
            tile_operand(shared.decoded[decoded.slot] + first_weights,
                         kForward ? kVectorBytes : Tiles::kRows * kPanelBytes, kSwizzleBytes);
        constexpr int kSteps = kStageSteps / Tiles::kSlotsEach;
#pragma unroll
        for (int step = part * kSteps; step < (part + 1) * kSteps; ++step)
          multiply_step<Value, kForward, Tiles>(of_weights, of_inputs, step, stage > 0 || step > 0, sums);
        end_products();
        if (stage > 0 || part > 0) {
          wait_for_products<1>();
          release(part == 0);  // what the stage before ended with
        }
        if (part == 0) decoded_before = decoded.slot;
        inputs_before = inputs.slot;
        inputs.advance(1);
      }
      decoded.advance(1);
    }
    wait_for_products<0>();
    settle(sums);
    release(true);
    finish_tile<Value, Tiles>(a.matmul, turns, tile, warp, outputs, sums);
  }
}

// ---- kernel ----

template <class Value, bool kForward, int kOutputs, int kTokens>
__global__ void __launch_bounds__(shape_of(kOutputs, kTokens).threads(), 1)
    multiply_staged(const __grid_constant__ StageArguments a) {
  using Tiles = Stage<kForward, kOutputs, kTokens>;
  auto& shared = stage_shared<StageShared<Tiles>>();
  using TurnsOf = Turns<kOutputs, kTokens>;
  const TurnsOf turns = {.tiles = a.tiles,
                         .token_tiles = static_cast<int>(a.matmul.token_tiles),
                         .weight_stages = a.stages,
                         .stages = a.stages + a.lora_stages,
                         .blocks = static_cast<int>(a.matmul.blocks)};
  const int thread = static_cast<int>(threadIdx.x);
  const int warp = __shfl_sync(kAllLanes, thread / kWarp, 0);  // which tells the compiler that lanes agree
  if (thread == 0) prepare_arrivals(shared);
  prefetch_stages<kForward, Tiles>(a, turns, thread);
  let_next_kernel_begin();
  wait_for_kernel_before();
  __syncthreads();
  constexpr int kLoaders = Tiles::kMultipliers + Tiles::kDecoders;
  if (warp < Tiles::kMultipliers)
    multiply_stages<Value, kForward>(a, turns, shared, warp);
  else if (warp < kLoaders)
    decode_stages<Value, kForward>(a, turns, shared, warp - Tiles::kMultipliers);
  else if (thread == kLoaders * kWarp)
    request_all(CodeRequests<kForward, Tiles, TurnsOf>(), a, turns, shared);
  else if (thread == (kLoaders + 1) * kWarp)
    request_all(InputRequests<Tiles, TurnsOf>(), a, turns, shared);
}

// ---- the kernel of a plan ----

using StagedKernel = void (*)(StageArguments);

template <class Value, bool kForward>
StagedKernel find_shape(const Matmul4bitPlan& plan) {
  const auto is = [&](int outputs, int tokens) { return plan.outputs == outputs && plan.tokens == tokens; };
  if (is(128, 64)) return multiply_staged<Value, kForward, 128, 64>;
  if (is(64, 64)) return multiply_staged<Value, kForward, 64, 64>;
  if (is(128, 128)) return multiply_staged<Value, kForward, 128, 128>;
  if (is(64, 128)) return multiply_staged<Value, kForward, 64, 128>;
  if (is(128, 256)) return multiply_staged<Value, kForward, 128, 256>;
  if constexpr (kForward) return multiply_staged<Value, kForward, 32, 64>;
  return nullptr;
}

template <class Value>
StagedKernel find_staged(const contract::Matmul4bit& p, const Matmul4bitPlan& plan) {
  return is_forward(p) ? find_shape<Value, true>(plan) : find_shape<Value, false>(plan);
}

contract::Outcome make_lora_maps(StageArguments& arguments, const contract::Matmul4bit& p, int weight_rows,
                                 int tokens) {
  constexpr int kValue = 2;  // bytes
  const std::int64_t rows = is_forward(p) ? p.weight.rows : p.lora_rank;
  const std::int64_t row_bytes = kValue * (is_forward(p) ? p.lora_rank : p.weight.cols);
  if (contract::Outcome o =
          make_tile_map(arguments.lora_weights, p.lora_weight, rows, row_bytes, row_bytes, weight_rows, kPanelBytes);
      !o.ok())
    return o;
  const std::int64_t input_bytes = kValue * p.lora_rank;
  return make_tile_map(arguments.lora_inputs, p.lora_in, p.m, input_bytes, input_bytes, tokens, kPanelBytes);
}

}  // namespace

contract::Outcome launch_staged(const MatmulArguments& a, const contract::Matmul4bit& p, const Matmul4bitPlan& plan,
                                const qfuse_exec& exec) {
  constexpr int kValue = 2;      // bytes
  constexpr int kTokenRows = 8;  // that an operand of the matrix instructions consists of
  const int code_rows = is_forward(p) ? plan.outputs : kStageTerms;
  const int code_cols = is_forward(p) ? kStageTerms : plan.outputs;
  const auto tokens =
      static_cast<int>(std::min<std::int64_t>(plan.tokens, format::ceil_div(p.m, kTokenRows) * kTokenRows));
  StageArguments arguments{
      .matmul = a,
      .codes = {},
      .inputs = {},
      .lora_weights = {},
      .lora_inputs = {},
      .input_bytes = static_cast<unsigned>(tokens * shape_of(plan.outputs, plan.tokens).input_terms() * kValue),
      .tiles = static_cast<int>(format::ceil_div(output_count(p), plan.outputs) * a.token_tiles),
      .stages = static_cast<int>(format::ceil_div(term_count(p), kStageTerms)),
      .lora_stages = static_cast<int>(format::ceil_div(p.lora_rank, kStageTerms))};
  if (contract::Outcome o = make_tile_map(arguments.codes, p.weight.packed, p.weight.rows, p.weight.cols / 2,
                                          p.weight.cols / 2, code_rows, code_cols / 2);
      !o.ok())
    return o;
  if (contract::Outcome o = make_tile_map(arguments.inputs, p.in, p.m, term_count(p) * kValue, in_stride(p) * kValue,
                                          tokens, kPanelBytes);
      !o.ok())
    return o;
  if (p.lora_rank > 0)
    if (contract::Outcome o = make_lora_maps(arguments, p, code_rows, tokens); !o.ok()) return o;
  const StagedKernel kernel = p.dtype == QFUSE_FLOAT16 ? find_staged<Half>(p, plan) : find_staged<Bfloat16>(p, plan);
  return launch(kernel,
                {.blocks = plan.blocks, .threads = plan.threads, .shared_bytes = plan.shared_bytes, .overlaps = true},
                arguments, exec);
}

}  // namespace qfuse::cuda
