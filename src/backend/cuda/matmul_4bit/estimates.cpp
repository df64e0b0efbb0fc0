#include "backend/cuda/matmul_4bit/estimates.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace qfuse::cuda::matmul_4bit {
namespace {

// Microseconds from a launch to its first product; fewer with programmatic launch, which Hopper has.
constexpr double kLaunchUs = 3;
constexpr double kProgrammaticLaunchUs = 1.5;
constexpr double kPipelineUs = 2.2;
constexpr double kTiledUs = 2;

// Decoding and cuBLAS take a constant, a time per element of K, and one per byte. cuBLAS splits K, so elements count up
// to kMostTerms, or up to half as many with at most kFewTokens tokens.
constexpr double kDecodedUs = 4.6;
constexpr double kTermUs = 0.7e-3;
constexpr double kMostTerms = 9216;
constexpr std::int64_t kFewTokens = 64;
// Bytes per weight to decode to memory: 0.5 read and 2 written, scaled up to the full memory rate, which decoding does
// not reach; then 2 are read back. Fewer for those decoded weights that stay in the L2, of which they take kPartOfL2.
constexpr double kDecodedBytes = 4.2;
constexpr double kDecodedBytesInL2 = 2.5;
constexpr double kReadBytes = 2;
constexpr double kReadBytesInL2 = 1;
constexpr double kPartOfL2 = 0.45;
// cuBLAS on Hopper reaches this part of the highest rate, at which the clock stays below its maximum.
constexpr double kHopperRate = 0.8;

// `split_k`: clocks per round, and per chain of the round. A round adds clocks per tile, and per chain of a tile, which
// depend on the tokens of a block.
constexpr double kRoundClocks = 2600;
constexpr double kRoundChainClocks = 280;
struct ChainClocks {
  int tokens;
  double of_tile;
  double of_chain;
};
constexpr std::array<ChainClocks, 2> kChainClocks = {{{8, 1200, 153}, {16, 2570, 132}}};
static_assert(kChainClocks[0].tokens == kSplitKTokens[0] && kChainClocks[1].tokens == kSplitKTokens[1]);

// Hopper's pipelines: extra microseconds for each of the first stages, whose latency is not hidden.
constexpr double kFirstStageUs = 0.15;
constexpr double kFirstStages = 12;

// `multistage`: clocks until a wave of blocks has its first stage.
constexpr double kMultistageClocks = 11500;
constexpr double kTuringStageClocks = 1150;       // lower bound: a stage's loads begin one stage ahead
constexpr std::int64_t kReservedBytes = 1 << 10;  // shared memory per block that the system takes

// `tiled`: clocks of a multiprocessor per kTileTerms elements of K: a constant, and more for each of its tiles.
struct TileClocks {
  int tokens;
  int of_any;
  int of_each;
};
constexpr std::array<TileClocks, 2> kTileClocks = {{{8, 2300, 620}, {64, 1900, 2300}}};
static_assert(kTileClocks[0].tokens == kTileTokens[0] && kTileClocks[1].tokens == kTileTokens[1]);

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A clock of Turing counts as two thirds. This is computed, not measured: shared memory delivers 64 bytes per clock,
// and rounding to fp16 takes four times as many clocks.
double clocks_a_us(const DeviceFacts& facts) { return facts.clock_khz / (is_turing(facts) ? 1.5e3 : 1e3); }
double bytes_a_us(const DeviceFacts& facts) {
  return facts.memory_clock_khz / 1e3 * 2 * facts.memory_bus_bits / 8;  // two bits per clock and line
}

double weights_of(const qfuse_weight_4bit& w) { return static_cast<double>(w.rows) * static_cast<double>(w.cols); }

// Per multiprocessor. Infinite if the architecture is unknown, so that this bounds nothing.
double multiplications_a_clock(const DeviceFacts& facts) {
  const Architecture* const known = find_architecture(facts.compute_capability);
  return known == nullptr ? kInfinity : known->multiplications;
}

// Time to read codes and absmax, which every fused kernel does.
double read_us(const qfuse_weight_4bit& w, const DeviceFacts& facts) {
  return weights_of(w) * (0.5 + 1.0 / static_cast<double>(w.blocksize)) / bytes_a_us(facts);
}

double multiply_us(const contract::Matmul4bit& p, const DeviceFacts& facts) {
  return weights_of(p.weight) * static_cast<double>(p.m) /
         (multiplications_a_clock(facts) * facts.multiprocessors * clocks_a_us(facts));
}

double steps_of(const contract::Matmul4bit& p, std::int64_t terms) {
  return static_cast<double>(format::ceil_div(term_count(p), terms));
}

double split_k_us(const Plan& plan, const contract::Matmul4bit& p, const DeviceFacts& facts) {
  const SplitKLaunch launch = {p.m, p.weight.cols, split_k_tiles(p), 1, plan.tokens};
  const ChainClocks& of = plan.tokens == kChainClocks[0].tokens ? kChainClocks[0] : kChainClocks[1];
  const auto tiles = static_cast<double>(format::ceil_div(launch.tiles, launch.blocks(facts)));
  const double chains = plan.threads / 32.0;
  const double clocks = kRoundClocks + chains * kRoundChainClocks + tiles * (of.of_tile + chains * of.of_chain);
  const auto rounds =
      static_cast<double>(split_k_rounds(p.weight.cols) * format::ceil_div(plan.blocks, facts.multiprocessors));
  return (facts.compute_capability == kHopper ? kProgrammaticLaunchUs : kLaunchUs) +
         rounds * clocks / clocks_a_us(facts);
}

double pipeline_us(const Plan& plan, const contract::Matmul4bit& p, const DeviceFacts& facts, std::int64_t terms,
                   int clocks) {
  const double tiles = busiest_tiles(p, {}, facts, plan.outputs, plan.tokens);
  const double stages = steps_of(p, terms);
  return kPipelineUs + kFirstStageUs * std::min(stages, kFirstStages) + stages * tiles * clocks / clocks_a_us(facts);
}

double tiled_us(const Plan& plan, const contract::Matmul4bit& p, const DeviceFacts& facts) {
  const TileClocks& clocks = plan.tokens == kTileClocks[0].tokens ? kTileClocks[0] : kTileClocks[1];
  const double tiles = busiest_tiles(p, {}, facts, plan.outputs, plan.tokens);
  return kTiledUs + steps_of(p, kTileTerms) * (clocks.of_any + clocks.of_each * tiles) / clocks_a_us(facts);
}

}  // namespace

double busiest_tiles(const contract::Matmul4bit& p, const Owners& owners, const DeviceFacts& facts, int outputs,
                     int tokens) {
  if (!owners.are_experts)
    return static_cast<double>(format::ceil_div(count_tiles(p, owners, outputs, tokens), facts.multiprocessors));
  const auto with_rows = static_cast<double>(std::min(p.m, owners.count));
  const double mean = static_cast<double>(p.m) / with_rows;
  const auto output_tiles = static_cast<double>(format::ceil_div(output_count(p), outputs));
  const double tiles = output_tiles * with_rows / -std::expm1(-tokens / mean);
  return std::ceil(tiles / facts.multiprocessors);
}

double multistage_clocks(const contract::Matmul4bit& p, const Owners& owners, const DeviceFacts& facts,
                         const MultistageShape& shape) {
  if (!has_kernel(shape, facts)) return kInfinity;
  const std::int64_t together =
      (facts.shared_bytes + kReservedBytes) / (multistage_shared_bytes(shape, is_turing(facts)) + kReservedBytes);
  const double tiles = busiest_tiles(p, owners, facts, shape.outputs, shape.tokens);
  const double multiplications = static_cast<double>(shape.outputs) * shape.tokens * kMultistageTerms;
  const StageClocks& measured = is_forward(p) ? shape.forward : shape.backward;
  const double least = is_turing(facts) ? std::max<double>(measured.least, kTuringStageClocks) : measured.least;
  const double each = std::max<double>(measured.each, multiplications / multiplications_a_clock(facts));
  return kMultistageClocks * std::ceil(tiles / static_cast<double>(together)) +
         steps_of(p, kMultistageTerms) * std::max(least, each * tiles);
}

double plan_us(const Plan& plan, const contract::Matmul4bit& p, const DeviceFacts& facts) {
  const double floor = std::max(read_us(p.weight, facts), multiply_us(p, facts));
  switch (plan.kernel) {
    case Kernel::split_k: return std::max(floor, split_k_us(plan, p, facts));
    case Kernel::warp_specialized:
      return pipeline_us(plan, p, facts, kStageTerms, shape_of(plan.outputs, plan.tokens).clocks);
    case Kernel::register_weights: return pipeline_us(plan, p, facts, kStageTerms, kRegisterWeightsClocks);
    case Kernel::multistage:
      return std::max(
          floor, multistage_clocks(p, {}, facts, multistage_shape(plan.outputs, plan.tokens)) / clocks_a_us(facts));
    case Kernel::tiled: return std::max(floor, tiled_us(plan, p, facts));
    case Kernel::factored_split_k:
    case Kernel::factored:
    case Kernel::tiled_unaligned:
    case Kernel::fp32: break;
  }
  return kInfinity;
}

double decoded_us(const contract::Matmul4bit& p, const DeviceFacts& facts) {
  const double weights = weights_of(p.weight);
  const double in_l2 = std::min(weights, kPartOfL2 * facts.l2_bytes / 2);
  const double in_memory = weights - in_l2;
  const double terms = std::min(static_cast<double>(term_count(p)), p.m > kFewTokens ? kMostTerms : kMostTerms / 2);
  const double rate = facts.compute_capability == kHopper ? kHopperRate : 1;
  const double decode = (kDecodedBytesInL2 * in_l2 + kDecodedBytes * in_memory) / bytes_a_us(facts);
  const double read = (kReadBytesInL2 * in_l2 + kReadBytes * in_memory) / bytes_a_us(facts);
  return kDecodedUs + kTermUs * terms + decode + std::max(read, multiply_us(p, facts) / rate);
}

bool has_estimates(const DeviceFacts& facts) {
  return facts.multiprocessors > 0 && clocks_a_us(facts) > 0 && bytes_a_us(facts) > 0;
}

}  // namespace qfuse::cuda::matmul_4bit
