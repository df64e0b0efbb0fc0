// The kernels of matmul_4bit: which exist, what each takes, the shapes of its tiles, and the clocks of each shape. A
// plan names one of them, and launch.cu launches it.
#ifndef QFUSE_BACKEND_CUDA_MATMUL_4BIT_KERNELS_H
#define QFUSE_BACKEND_CUDA_MATMUL_4BIT_KERNELS_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "backend/cuda/align.h"
#include "backend/cuda/facts.h"
#include "contract/matmul_4bit_grouped.h"

namespace qfuse::cuda::matmul_4bit {

enum class Kernel {
  split_k,           // SPLIT, few tokens: each warp multiplies a chain of terms, in its registers
  factored_split_k,  // FACTORED: likewise, also many tokens
  factored,          // FACTORED on every GPU with matrix instructions, element by element
  warp_specialized,  // on Hopper: a pipeline of producer, decoding and multiplying warps
  register_weights,  // on Hopper, forward: wgmma's left operand, the weights, is decoded to registers
  multistage,        // PLAIN: stages of codes and inputs are copied to shared memory ahead
  tiled,             // matrix instructions on tiles that are decoded to shared memory, by loads of 16 bytes
  tiled_unaligned,   // likewise, at any address and of any size
  fp32               // sums in fp32
};

// Whether the kernel uses wgmma.
constexpr bool is_pipeline(Kernel kernel) {
  return kernel == Kernel::warp_specialized || kernel == Kernel::register_weights;
}
constexpr bool is_split_k(Kernel kernel) { return kernel == Kernel::split_k || kernel == Kernel::factored_split_k; }
// Kernels with one tile per thread block. They include those for every GPU, address and size.
constexpr bool is_for_any(Kernel kernel) { return !is_pipeline(kernel) && !is_split_k(kernel); }

// Whether this build has the kernel.
constexpr bool exists(Kernel kernel) {
  return kernel == Kernel::fp32 || (kHasMatrixInstructions && (kHasWgmma || !is_pipeline(kernel)));
}

// How rows are split among weights: one weight, or a stack of experts.
struct Owners {
  std::int64_t count = 1;
  bool are_experts = false;
};

// Turing has 64 KiB of shared memory per thread block, and no asynchronous copies to it (cp.async).
constexpr bool is_turing(const DeviceFacts& facts) { return facts.compute_capability < kAmpere; }

// Vector loads, in kernels that need aligned operands.
inline constexpr std::size_t kLoadBytes = 16;    // the widest load of every architecture
inline constexpr std::int64_t kCodesALoad = 32;  // 4-bit codes per load: in one block, as blocks have at least 32
inline constexpr std::int64_t kValuesALoad = 8;  // 16-bit values per load

// The tile of a thread block of `tiled`: 64 outputs, 16 for each of 4 warps, of 8 or 64 tokens; 128 elements of K at a
// time.
inline constexpr int kTileThreads = 128;
inline constexpr int kTileOutputs = 64;
inline constexpr int kTileTerms = QFUSE_SPLIT_WINDOW;
inline constexpr std::array kTileTokens = {8, 64};
inline constexpr int kUnalignedTileTokens = 64;

// Split-K: a warp multiplies one chain of terms, for 16 outputs at a time.
inline constexpr int kSplitKOutputs = 16;
inline constexpr int kSplitKWarps = 16;      // at most
inline constexpr int kSplitKBlocksize = 64;  // bitsandbytes' own
inline constexpr int kSplitKChainBlocks = QFUSE_SPLIT_TERMS / kSplitKBlocksize;
inline constexpr std::array kSplitKTokens = {8, 16};
inline constexpr std::int64_t kMostTokenTiles = 65535;  // limit of gridDim.y
inline constexpr std::int64_t kMostSplitKTokens = 64;   // for SPLIT: with more, tiles that are decoded once are faster
inline constexpr int kSplitKProducts = 4;               // at most, in one launch

// Shared memory of a thread block: a table with a row of value pairs for each byte of codes; for each product, map and
// offset of nested absmax; slots, each for the partial sums of all warps for a tile; and, if chains take several
// rounds, a total for each tile. The partial sums of a team of tiles are added at once. With 8 tokens there are slots
// for two teams: one is added while the other is made. With 16, those would leave too little of the L1, and there are
// slots for one team. GPUs with less shared memory have slots for one team or for one tile.
constexpr std::int64_t pair_table_bytes(bool is_turing) { return is_turing ? 1 << 15 : 1 << 16; }
inline constexpr int kSplitKTeam = 2;  // tiles
constexpr int most_split_k_slots(int tokens) { return tokens == kSplitKTokens[0] ? 2 * kSplitKTeam : kSplitKTeam; }
constexpr std::int64_t split_k_shared_bytes(bool is_turing, int tokens, int slots, std::int64_t totals, int products) {
  constexpr std::int64_t kFloat = sizeof(float);
  const std::int64_t sums = std::int64_t{tokens} * kSplitKOutputs * (std::int64_t{slots} * kSplitKWarps + totals);
  return pair_table_bytes(is_turing) + kFloat * (std::int64_t{products} * (format::kCodes8 + 4) + sums);
}
// Number of slots that fit in shared_bytes; 0 if none does.
constexpr int split_k_slots(bool is_turing, int tokens, std::int64_t totals, int products, std::int64_t shared_bytes) {
  int slots = most_split_k_slots(tokens);
  while (slots > 0 && split_k_shared_bytes(is_turing, tokens, slots, totals, products) > shared_bytes) slots /= 2;
  return slots;
}
// For a stack of experts.
constexpr std::int64_t split_k_groups_bytes(bool is_turing) { return pair_table_bytes(is_turing) + (20 << 10); }

// A warp-specialized pipeline: producer, decoding and multiplying warps pass stages of K on through shared memory.
inline constexpr int kStageTerms = 128;
inline constexpr int kWarpgroupRows = 64;  // of wgmma's left operand: tokens, or outputs if tokens are many or few
inline constexpr int kProducerWarps = 2;   // warps
inline constexpr int kPanelCols = 64;      // codes of a row that a thread decodes at once: one block or several
inline constexpr int kWarpgroupWarps = 4;  // of a warpgroup

// The tile of a thread block, its decoding warps, its slots in shared memory, and the clocks of a stage on an H200
// (docs/history/tried.md), by which the plan is chosen.
struct StageShape {
  int outputs;
  int tokens;
  int decoders;
  int teams;  // of decoders, each of which decodes a stage while others decode the next ones
  int decoded_slots;
  int input_slots;
  int code_slots;
  int clocks;

  // Whether weights are wgmma's left operand, and a warpgroup has all tokens of a tile.
  [[nodiscard]] constexpr bool weights_first() const { return tokens > 128 || tokens < kWarpgroupRows; }
  // With many tokens, sums take so many registers that there are no producer warps, and inputs so much shared memory
  // that a slot has half a stage of them. With few, one warpgroup has all outputs.
  [[nodiscard]] constexpr bool has_producers() const { return tokens <= 128; }
  [[nodiscard]] constexpr int output_groups() const {  // of 64 outputs, of a warpgroup
    return weights_first() && has_producers() ? outputs / kWarpgroupRows : 1;
  }
  [[nodiscard]] constexpr int multipliers() const {
    return (weights_first() ? outputs : tokens) / kWarpgroupRows / output_groups() * kWarpgroupWarps;
  }
  [[nodiscard]] constexpr int input_terms() const { return has_producers() ? kStageTerms : kPanelCols; }  // per slot
  [[nodiscard]] constexpr int threads() const {
    return 32 * (multipliers() + decoders + (has_producers() ? kProducerWarps : 0));
  }
};
// outputs, tokens; decoders, teams; decoded_slots, input_slots, code_slots; clocks
inline constexpr std::array<StageShape, 7> kStageShapes = {{{128, 64, 12, 3, 4, 3, 6, 1500},
                                                            {64, 64, 16, 4, 5, 5, 12, 790},
                                                            {32, 64, 12, 6, 8, 6, 12, 500},
                                                            {128, 128, 8, 2, 3, 3, 4, 2050},
                                                            {64, 128, 12, 3, 4, 4, 7, 1120},
                                                            {128, 256, 4, 1, 2, 4, 3, 3500},
                                                            {128, 32, 16, 4, 4, 4, 8, 1320}}};

// A wait on an mbarrier names its phase only by parity, and passes at once for a team that is two phases ahead of the
// slot. So before a team waits for the codes of stage g, it must know that those of stage g - code_slots, which had the
// slot before, have arrived; bulk copies complete in any order. It knows if it waited for them itself (code_slots is a
// multiple of teams). It also knows if they were decoded and multiplied before it could store stage g - teams: that
// store waited until the multipliers released stage g - teams - decoded_slots, and they take stages in order. Likewise,
// decoded weights need at least as many slots as teams. tests/cuda/rings_test.cpp explores both exhaustively.
constexpr bool keeps_in_phase(const StageShape& shape) {
  return shape.teams <= shape.decoded_slots &&
         (shape.code_slots % shape.teams == 0 || shape.code_slots >= shape.teams + shape.decoded_slots);
}
static_assert(std::ranges::all_of(kStageShapes, keeps_in_phase));
static_assert(std::ranges::all_of(kStageShapes,
                                  [](const StageShape& shape) { return shape.clocks > 0; }));  // 0 would be chosen

constexpr StageShape shape_of(int outputs, int tokens) {
  for (const StageShape& shape : kStageShapes)
    if (shape.outputs == outputs && shape.tokens == tokens) return shape;
  return {};
}

// Forward, register_weights has the largest tile instead, and takes less time. The one of few tokens is for experts in
// bf16, because fp16 has not the registers, and not for their gradient.
constexpr bool has_kernel(const StageShape& shape, bool is_forward, bool are_bf16_experts) {
  if (!shape.weights_first()) return true;
  return shape.has_producers() ? is_forward && are_bf16_experts : !is_forward;
}

inline constexpr std::int64_t kMbarrierBytes = 1024;  // bytes, at most
constexpr std::int64_t stage_shared_bytes(const StageShape& shape) {
  constexpr std::int64_t kValue = 2;  // bytes
  const std::int64_t decoded = kValue * shape.decoded_slots * shape.outputs * kStageTerms;
  const std::int64_t inputs = kValue * shape.input_slots * shape.tokens * shape.input_terms();
  const std::int64_t codes = std::int64_t{shape.code_slots} * shape.outputs * kStageTerms / 2;
  constexpr auto kFloat = static_cast<std::int64_t>(sizeof(float));
  return kTileAlignment + decoded + inputs + codes + format::kCodes8 * kFloat + kMbarrierBytes;
}

// register_weights: the tile of a thread block, the slots of its ring, each for a panel of 64 elements of K, and the
// clocks of a stage, as above. A warpgroup for each 64 outputs decodes and multiplies. Another warpgroup loads, and
// makes the tables by which codes are decoded.
inline constexpr int kRegisterWeightsOutputs = 128;
inline constexpr int kRegisterWeightsTokens = 256;
inline constexpr int kRegisterWeightsSlots = 5;
inline constexpr int kRegisterWeightsClocks = 3150;
inline constexpr int kRegisterWeightsMultipliers = kRegisterWeightsOutputs / kWarpgroupRows * kWarpgroupWarps;  // warps
inline constexpr int kRegisterWeightsThreads = 32 * (kRegisterWeightsMultipliers + kWarpgroupWarps);
constexpr std::int64_t register_weights_shared_bytes() {
  constexpr std::int64_t kValueBytes = std::int64_t{2} * kPanelCols;  // of a token
  constexpr std::int64_t kCodeBytes = kPanelCols / 2;                 // of an output
  constexpr std::int64_t kTable = 32;                                 // of the 16 weights that these can be
  constexpr std::int64_t kSlot = kRegisterWeightsTokens * kValueBytes + kRegisterWeightsOutputs * (kCodeBytes + kTable);
  constexpr auto kFloat = static_cast<std::int64_t>(sizeof(float));
  return kTileAlignment + kRegisterWeightsSlots * kSlot + format::kCodes8 * kFloat + kMbarrierBytes;
}

// multistage: the tile of a thread block, a warp's part of it, the copying warps, the stages in shared memory (on
// Turing, where 0 means no kernel and a stage has kMultistageTerms elements of K, and on later GPUs), the elements of K
// of a later GPU's stage, and the clocks of a multiprocessor per kMultistageTerms of its blocks, forward and backward:
// `each` per block, but at least `least`.
inline constexpr int kMultistageTerms = 64;
struct StageClocks {
  int least;
  int each;
};
struct MultistageShape {
  int outputs;
  int tokens;
  int warp_outputs;
  int warp_tokens;
  int copiers;
  int turing_stages;
  int stages;
  int terms;
  StageClocks forward;
  StageClocks backward;

  [[nodiscard]] constexpr int multipliers() const { return outputs / warp_outputs * (tokens / warp_tokens); }
  [[nodiscard]] constexpr int threads() const { return 32 * (multipliers() + copiers); }
  [[nodiscard]] constexpr int blocks() const { return outputs * tokens > 128 * 64 ? 1 : 2; }  // per SM, by registers
  [[nodiscard]] constexpr int stages_of(bool is_turing) const { return is_turing ? turing_stages : stages; }
  [[nodiscard]] constexpr int terms_of(bool is_turing) const { return is_turing ? kMultistageTerms : terms; }
};
// outputs, tokens; warp_outputs, warp_tokens; copiers; turing_stages, stages, terms; forward; backward
inline constexpr std::array<MultistageShape, 8> kMultistageShapes = {
    {{32, 16, 16, 16, 2, 2, 4, 128, {240, 210}, {500, 330}},
     {32, 32, 16, 32, 2, 2, 4, 128, {310, 255}, {450, 400}},
     {32, 64, 16, 32, 2, 2, 3, 128, {425, 360}, {545, 490}},
     {64, 32, 16, 32, 4, 2, 3, 128, {430, 385}, {555, 530}},
     {64, 64, 16, 64, 4, 2, 4, 64, {700, 590}, {775, 690}},
     {128, 32, 32, 32, 4, 3, 3, 128, {725, 640}, {840, 755}},
     {128, 64, 32, 64, 2, 2, 3, 64, {1150, 940}, {1405, 1010}},
     {128, 128, 32, 128, 4, 0, 3, 64, {1740, 1700}, {1740, 1700}}}};

constexpr MultistageShape multistage_shape(int outputs, int tokens) {
  for (const MultistageShape& shape : kMultistageShapes)
    if (shape.outputs == outputs && shape.tokens == tokens) return shape;
  return {};
}

// Shared memory: a table with a pair of values for each byte of codes, in 16 copies; the stages; for two stages, an
// absmax per 32 codes; the map of nested absmax; and the arguments of the block's product.
inline constexpr std::int64_t kMultistageTableBytes = 1 << 15;
inline constexpr std::int64_t kMultistageArgumentBytes = 512;  // at most
constexpr std::int64_t multistage_shared_bytes(const MultistageShape& shape, bool is_turing) {
  constexpr auto kFloat = static_cast<std::int64_t>(sizeof(float));
  const std::int64_t terms = shape.terms_of(is_turing);
  const std::int64_t code_bytes = shape.outputs * terms / 2;
  return kMultistageTableBytes + shape.stages_of(is_turing) * (shape.tokens * terms * 2 + code_bytes) +
         2 * kFloat * code_bytes / static_cast<std::int64_t>(kLoadBytes) + format::kCodes8 * kFloat +
         kMultistageArgumentBytes;
}
constexpr bool has_kernel(const MultistageShape& shape, const DeviceFacts& facts) {
  const bool on_turing = is_turing(facts);
  return shape.stages_of(on_turing) > 0 && multistage_shared_bytes(shape, on_turing) <= facts.shared_bytes;
}

// factored: FACTORED for products that split-K does not take.
inline constexpr int kFactoredThreads = 128;
inline constexpr int kFactoredTokens = 8;

// fp32: a warp (forward) or a thread (backward) makes one output, for kFp32Tokens tokens.
inline constexpr int kFp32Threads = 256;
inline constexpr int kFp32Tokens = 4;

// The sum that the call gets on the device.
qfuse_sum sum_of(const contract::Matmul4bit& p, const DeviceFacts& facts);

// Whether the device has matrix instructions for the dtype.
bool has_tensor_cores(qfuse_dtype dtype, const DeviceFacts& facts);

// Number of tiles of the call; with several owners, which share no tile, an upper bound.
std::int64_t count_tiles(const contract::Matmul4bit& p, const Owners& owners, int outputs, int tokens);

// Split-K: whether every chain is full, and its absmax codes are in one word and one nested block. Scales of rows never
// are.
bool has_whole_chains(const contract::Matmul4bit& p);
// Tiles, and rounds in which the warps of a thread block take all chains, one chain each per round.
inline std::int64_t split_k_tiles(const contract::Matmul4bit& p) {
  return format::ceil_div(p.weight.rows, kSplitKOutputs);
}
constexpr std::int64_t split_k_rounds(std::int64_t cols) {
  return format::ceil_div(format::ceil_div(cols, QFUSE_SPLIT_TERMS), kSplitKWarps);
}
// Split-K's grid: one row of blocks per 8 or 16 tokens, whose inputs are in registers. The blocks of a row share the
// tiles of all products. Counts the blocks of a row, the totals of a block, and the slots that fit.
struct SplitKLaunch {
  std::int64_t m;
  std::int64_t cols;
  std::int64_t tiles;
  int products;
  int tokens;

  [[nodiscard]] std::int64_t token_tiles() const { return format::ceil_div(m, tokens); }
  // Blocks per row of blocks: about one per multiprocessor in all; more if a block's totals would not fit.
  [[nodiscard]] std::int64_t blocks(const DeviceFacts& facts) const {
    const std::int64_t most_totals = is_turing(facts) ? 45 : 50;
    const std::int64_t least = split_k_rounds(cols) > 1 ? format::ceil_div(tiles, most_totals) : 1;
    const std::int64_t most = facts.multiprocessors / std::max<std::int64_t>(1, token_tiles());
    return std::max<std::int64_t>(1, std::min(tiles, std::max(least, most)));
  }
  [[nodiscard]] std::int64_t totals(std::int64_t of_blocks) const {
    return split_k_rounds(cols) > 1 ? format::ceil_div(tiles, of_blocks) : 0;
  }
  [[nodiscard]] int slots(const DeviceFacts& facts) const {
    return split_k_slots(is_turing(facts), tokens, totals(blocks(facts)), products, facts.shared_bytes);
  }
};

// Whether the kernel takes the call. Rows belong to `owners`; the device has the call's sum. Kernels for any GPU take
// every call of their sum, except that `tiled` and `multistage` need operands that allow loads of 16 bytes.
bool takes(Kernel kernel, const contract::Matmul4bit& p, const Owners& owners, const DeviceFacts& facts);

}  // namespace qfuse::cuda::matmul_4bit

#endif  // QFUSE_BACKEND_CUDA_MATMUL_4BIT_KERNELS_H
