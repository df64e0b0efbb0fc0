#include "backend/cuda/swiglu/plan.h"

#include <algorithm>
#include <iterator>

#include "backend/cuda/align.h"

namespace qfuse::cuda {
namespace {

bool rows_are_aligned(const void* array, std::int64_t stride) {
  return is_aligned(array, std::size_t{2} * kSwigluChunk) && stride % kSwigluChunk == 0;
}

bool are_aligned_to_floats(const contract::Swiglu& p) {
  for (const void* array : {static_cast<const void*>(p.grad_input_s), static_cast<const void*>(p.y_s),
                            static_cast<const void*>(p.y_s_t), static_cast<const void*>(p.grad_input_s_t),
                            static_cast<const void*>(p.weights), static_cast<const void*>(p.grad_weights),
                            contract::wants_grad_weights(p) ? static_cast<const void*>(p.workspace) : nullptr})
    if (!is_aligned(array, sizeof(float))) return false;
  return true;
}

bool columns_are_aligned(const contract::Swiglu& p) {
  return is_aligned(p.y_q_t, 16) && is_aligned(p.grad_input_q_t, 16) && contract::all_columns(p) % 16 == 0;
}

// Kernels that keep fp32 values have registers for no more.
int most_threads(const contract::Swiglu& p) {
  return contract::keeps_float32(p) ? kSwigluFewerThreads : kSwigluThreads;
}

SwigluPlan plan_with(const contract::Swiglu& p, const DeviceFacts& facts, int threads) {
  SwigluPlan plan;
  plan.wide = rows_are_aligned(p.x, contract::x_stride(p)) && rows_are_aligned(p.grad_y, contract::grad_y_stride(p)) &&
              is_aligned(p.grad_input_q, kSwigluChunk) && is_aligned(p.y_q, kSwigluChunk) && are_aligned_to_floats(p);
  plan.wide_t = columns_are_aligned(p);
  plan.together =
      !contract::wants_transposed(p) || !contract::wants_y_transposed(p) || facts.shared_bytes >= 3 * kSwigluPlaneBytes;
  plan.threads = threads;
  plan.blocks = p.h / kSwigluTile * contract::most_token_tiles(p);
  return plan;
}

// A kernel is compiled for it, and the device has room for its blocks.
bool can_be_staged(const contract::Swiglu& p, const SwigluPlan& plan, const DeviceFacts& facts) {
  const unsigned outputs = wanted_outputs(p);
  const bool is_listed = std::ranges::find(kStagedOutputs, outputs) != std::end(kStagedOutputs);
  const bool is_one_format = !contract::has_other_format(p) || contract::has_other_scales_alone(p);
  return is_listed && is_one_format && !contract::has_activation(p) &&
         !(contract::has_weights(p) && contract::has_other_format(p)) && plan.wide &&
         std::max(contract::x_stride(p), contract::grad_y_stride(p)) <= kMostStagedStride &&
         facts.shared_bytes >= kStagedBytesPerMultiprocessor;
}

SwigluPlan staged_plan(const contract::Swiglu& p, const DeviceFacts& facts) {
  SwigluPlan plan = plan_with(p, facts, staged_threads(contract::wants_gradients(p)));
  plan.staged = can_be_staged(p, plan, facts);
  return plan;
}

// With experts about half of the blocks that the last tile of each may need.
std::int64_t tiles_there(const contract::Swiglu& p) {
  const std::int64_t all = contract::most_token_tiles(p);
  const std::int64_t of_tokens = format::ceil_div(p.m, std::int64_t{kSwigluTile});
  return p.h / kSwigluTile * ((all + of_tokens) / 2);
}

// Whether the last wave of a forward leaves less room idle with four blocks on a multiprocessor than with five.
bool staged_wastes_less(std::int64_t tiles, const DeviceFacts& facts) {
  const auto room = [&](int blocks) {
    const std::int64_t wave = std::int64_t{facts.multiprocessors} * blocks;
    return format::ceil_div(tiles, wave) * wave;
  };
  constexpr int kStagedBlocks = kSwigluThreadsPerMultiprocessor / kSwigluFewerThreads;
  return tiles > std::int64_t{facts.multiprocessors} * kSwigluForwardBlocks &&
         room(kStagedBlocks) < room(kSwigluForwardBlocks);
}

}  // namespace

std::vector<SwigluPlan> candidates(const contract::Swiglu& p, const DeviceFacts& facts) {
  std::vector<SwigluPlan> all;
  for (const int threads : {kSwigluThreads, kSwigluFewerThreads}) {
    if (threads > most_threads(p)) continue;
    all.push_back(plan_with(p, facts, threads));
    if (!all.back().together) continue;
    all.push_back(all.back());
    all.back().together = false;
  }
  if (const SwigluPlan plan = staged_plan(p, facts); plan.staged) all.push_back(plan);
  return all;
}

SwigluPlan plan(const contract::Swiglu& p, const DeviceFacts& facts) {
  if (most_threads(p) < kSwigluThreads) return plan_with(p, facts, most_threads(p));
  const std::int64_t tiles = tiles_there(p);
  const std::int64_t wave = std::int64_t{facts.multiprocessors} * (kSwigluThreadsPerMultiprocessor / kSwigluThreads);
  if (tiles <= wave) return plan_with(p, facts, kSwigluThreads);
  const SwigluPlan staged = staged_plan(p, facts);
  const SwigluPlan small = plan_with(p, facts, kSwigluFewerThreads);
  if (!contract::wants_gradients(p)) return staged.staged && staged_wastes_less(tiles, facts) ? staged : small;
  if (contract::wants_transposed(p)) return staged.staged ? staged : plan_with(p, facts, kSwigluThreads);
  if (tiles <= 2 * wave) return small;
  return staged.staged ? staged : plan_with(p, facts, kSwigluThreads);
}

}  // namespace qfuse::cuda
