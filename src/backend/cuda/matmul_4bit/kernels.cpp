#include "backend/cuda/matmul_4bit/kernels.h"

#include <algorithm>

#include "backend/cuda/align.h"

namespace qfuse::cuda::matmul_4bit {
namespace {

constexpr std::int64_t kMostNestedBlocksize = std::int64_t{1} << 31;  // a 32-bit value is shifted by its log2
constexpr std::int64_t kMostElements = std::int64_t{1} << 37;         // an unsigned int counts their blocks of 64
constexpr std::int64_t kMostCols = std::int64_t{1} << 32;             // and the bytes of codes in a row
constexpr std::int64_t kMostCoordinate = std::int64_t{1} << 30;       // in a tensor map

bool is_mxfp4(const qfuse_weight_4bit& w) {
  return contract::has_scales_of_rows(w) && w.scale_type == QFUSE_SCALES_UE8M0;
}

bool loads_vectors(const contract::Matmul4bit& p) {
  const qfuse_weight_4bit& w = p.weight;
  const std::size_t absmax_bytes = w.absmax == nullptr ? 1 : static_cast<std::size_t>(format::scale_size(w.scale_type));
  return w.cols % kCodesALoad == 0 && is_aligned(w.packed, kLoadBytes) && is_aligned(w.absmax, absmax_bytes) &&
         is_aligned(w.nested_absmax, 4) && is_aligned(w.nested_quant_map, 4) && is_aligned(w.nested_offset, 4) &&
         is_aligned(contract::global_of(w).value, 4) && is_aligned(p.in, kLoadBytes) &&
         in_stride(p) % kValuesALoad == 0 && term_count(p) % kValuesALoad == 0;
}

// Whether split-K takes the blocks: of 64; with scales of rows, those that have at most 16 bits of them for each 32
// codes, or whole words for more. Turing has not the registers for INT4 in groups of 32.
bool has_blocks_of_split_k(const qfuse_weight_4bit& w, const Owners& owners, const DeviceFacts& facts) {
  if (!contract::has_scales_of_rows(w)) return w.blocksize == kSplitKBlocksize;
  const std::int64_t bytes = format::scale_size(w.scale_type);
  if (w.blocksize < kSplitKBlocksize)
    return bytes <= 2 && (is_mxfp4(w) || is_aligned(w.scales, 2)) && !(w.quant_type == QFUSE_INT4 && is_turing(facts));
  return is_aligned(w.absmax, 4) && (bytes == 4 || owners.count * contract::block_count(w) % 2 == 0);
}

// Split-K's limits: forward without LoRA, cols % 64 == 0, blocks that fit, and counts that fit 32 bits.
bool fits_split_k(const contract::Matmul4bit& p, const Owners& owners, const DeviceFacts& facts) {
  const qfuse_weight_4bit& w = p.weight;
  if (!has_tensor_cores(p.dtype, facts) || !is_forward(p) || p.lora_rank > 0 || !loads_vectors(p)) return false;
  if (w.rows == 0 || w.cols == 0 || w.cols >= kMostCols || w.cols % kSplitKBlocksize != 0 ||
      !has_blocks_of_split_k(w, owners, facts) || (contract::is_nested(w) && w.nested_blocksize > kMostNestedBlocksize))
    return false;
  return contract::element_count(w) < kMostElements / owners.count &&
         w.rows < kMostElements / kSplitKBlocksize / owners.count;
}

// In a stack, a tile has up to 8 tokens of one expert.
bool takes_split_k(const contract::Matmul4bit& p, const Owners& owners, const DeviceFacts& facts) {
  if (!fits_split_k(p, owners, facts)) return false;
  if (!owners.are_experts) {
    const SplitKLaunch few = {p.m, p.weight.cols, split_k_tiles(p), 1, kSplitKTokens.front()};
    return (p.sum == QFUSE_SUM_FACTORED ? few.token_tiles() <= kMostTokenTiles : p.m <= kMostSplitKTokens) &&
           few.slots(facts) > 0;
  }
  return p.m < kMostCoordinate && p.weight.rows < kMostCoordinate / owners.count &&
         count_tiles(p, owners, kSplitKOutputs, kSplitKTokens.front()) < kMostCoordinate &&
         split_k_groups_bytes(is_turing(facts)) <= facts.shared_bytes;
}

// Whether TMA can load LoRA's arrays.
bool is_lora_aligned(const contract::Matmul4bit& p) {
  return p.lora_rank % kValuesALoad == 0 && is_aligned(p.lora_in, kLoadBytes) && is_aligned(p.lora_weight, kLoadBytes);
}

// Whether 31 bits number all panel rows (64 codes), from the start of the nested blocks on, which may be before the
// weight. With half of most_elements, the same for vectors of 32 codes.
bool can_count(std::int64_t most_elements, const qfuse_weight_4bit& w, const Owners& owners) {
  const std::int64_t left = most_elements - 1 - owners.count * contract::element_count(w);
  return left >= 0 && w.nested_begin <= left / w.blocksize;
}

// Whether the scales of each panel row can be loaded: one absmax, or scales of rows in words.
bool has_blocks_of_panels(const qfuse_weight_4bit& w, const Owners& owners) {
  if (!contract::has_scales_of_rows(w)) return w.blocksize >= kPanelCols;
  constexpr std::int64_t kWord = 4;  // bytes
  const std::int64_t bytes = owners.count * contract::block_count(w) * format::scale_size(w.scale_type);
  const bool fills_words = bytes % kWord == 0 && is_aligned(w.scales, kWord);
  if (w.blocksize >= kPanelCols) return fills_words;
  return fills_words && format::scale_size(w.scale_type) < kWord;
}

// For Hopper's pipelines, in both directions: rows are whole panels of codes, and coordinates fit a tensor map.
bool takes_stages(const contract::Matmul4bit& p, const Owners& owners, const DeviceFacts& facts) {
  const qfuse_weight_4bit& w = p.weight;
  const auto fits = [&](const StageShape& shape) {
    return stage_shared_bytes(shape) <= facts.shared_bytes &&
           count_tiles(p, owners, shape.outputs, shape.tokens) < kMostCoordinate;
  };
  return facts.compute_capability == kHopper && loads_vectors(p) && term_count(p) > 0 && w.cols % kPanelCols == 0 &&
         has_blocks_of_panels(w, owners) && w.rows < kMostCoordinate / owners.count && w.cols < kMostCoordinate &&
         p.m < kMostCoordinate && p.lora_rank < kMostCoordinate / owners.count && is_lora_aligned(p) &&
         can_count(kMostElements, w, owners) && in_stride(p) < kMostCoordinate &&
         std::ranges::all_of(kStageShapes, fits);
}

// For `multistage`: whole vectors of 32 codes, and rows, columns and numbers of vectors that fit an int.
bool takes_multistage(const contract::Matmul4bit& p, const Owners& owners, const DeviceFacts& facts) {
  const qfuse_weight_4bit& w = p.weight;
  const auto is_there = [&](const MultistageShape& shape) { return has_kernel(shape, facts); };
  return has_tensor_cores(p.dtype, facts) && loads_vectors(p) && w.blocksize >= kCodesALoad &&
         w.rows < kMostCoordinate && w.cols < kMostCoordinate && can_count(kMostElements / 2, w, owners) &&
         std::ranges::any_of(kMultistageShapes, is_there);
}

}  // namespace

qfuse_sum sum_of(const contract::Matmul4bit& p, const DeviceFacts& facts) {
  return sum_with_tensor_cores(p, has_tensor_cores(p.dtype, facts));
}

bool has_tensor_cores(qfuse_dtype dtype, const DeviceFacts& facts) {
  return facts.compute_capability >= (dtype == QFUSE_FLOAT16 ? kTuring : kAmpere);
}

std::int64_t count_tiles(const contract::Matmul4bit& p, const Owners& owners, int outputs, int tokens) {
  const std::int64_t token_tiles = (p.m + std::min(p.m, owners.count) * (tokens - 1)) / tokens;
  return format::ceil_div(output_count(p), outputs) * token_tiles;
}

bool has_whole_chains(const contract::Matmul4bit& p) {
  const qfuse_weight_4bit& w = p.weight;
  return w.cols % QFUSE_SPLIT_TERMS == 0 && !contract::has_scales_of_rows(w) &&
         (!contract::is_nested(w) ||
          (w.nested_blocksize >= kSplitKChainBlocks && w.nested_begin % kSplitKChainBlocks == 0 &&
           is_aligned(w.absmax_8bit, kSplitKChainBlocks)));
}

bool takes(Kernel kernel, const contract::Matmul4bit& p, const Owners& owners, const DeviceFacts& facts) {
  if (!exists(kernel)) return false;
  const qfuse_sum sum = sum_of(p, facts);
  const bool has_tiles = sum == QFUSE_SUM_PLAIN || sum == QFUSE_SUM_SPLIT;
  switch (kernel) {
    case Kernel::split_k: return sum == QFUSE_SUM_SPLIT && takes_split_k(p, owners, facts);
    case Kernel::factored_split_k: return sum == QFUSE_SUM_FACTORED && takes_split_k(p, owners, facts);
    case Kernel::factored: return sum == QFUSE_SUM_FACTORED;
    case Kernel::warp_specialized: return sum == QFUSE_SUM_PLAIN && takes_stages(p, owners, facts);
    case Kernel::register_weights:
      return sum == QFUSE_SUM_PLAIN && is_forward(p) && takes_stages(p, owners, facts) &&
             (p.weight.blocksize >= kPanelCols || is_mxfp4(p.weight)) &&
             register_weights_shared_bytes() <= facts.shared_bytes;
    case Kernel::multistage: return sum == QFUSE_SUM_PLAIN && takes_multistage(p, owners, facts);
    case Kernel::tiled: return has_tiles && loads_vectors(p);
    case Kernel::tiled_unaligned: return has_tiles;
    case Kernel::fp32: return sum == QFUSE_SUM_FP32;
  }
  return false;
}

}  // namespace qfuse::cuda::matmul_4bit
