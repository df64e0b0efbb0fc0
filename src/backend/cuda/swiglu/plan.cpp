#include "backend/cuda/swiglu/plan.h"

#include <algorithm>
#include <cstddef>

#include "backend/cuda/align.h"

namespace qfuse::cuda {
namespace {

bool rows_are_aligned(const void* array, std::int64_t stride) {
  return is_aligned(array, std::size_t{2} * kSwigluChunk) && stride % kSwigluChunk == 0;
}

bool are_aligned_to_floats(const contract::Swiglu& p) {
  for (const void* array : {static_cast<const void*>(p.grad_input.s), static_cast<const void*>(p.y.s),
                            static_cast<const void*>(p.y_t.s), static_cast<const void*>(p.grad_input_t.s),
                            static_cast<const void*>(p.weights), static_cast<const void*>(p.grad_weights),
                            contract::wants_grad_weights(p) ? static_cast<const void*>(p.workspace) : nullptr})
    if (!is_aligned(array, sizeof(float))) return false;
  return true;
}

bool columns_are_aligned(const contract::Swiglu& p) {
  return is_aligned(p.y_t.q, 16) && is_aligned(p.grad_input_t.q, 16) && contract::all_columns(p) % 16 == 0;
}

SwigluFormat format_of(const contract::Swiglu& p) {
  if (contract::has_other_scales_alone(p)) return SwigluFormat::scaled_e4m3;
  if (contract::has_other_format(p)) return SwigluFormat::any;
  return p.format.payload_type == QFUSE_E4M3 ? SwigluFormat::e4m3 : SwigluFormat::int8;
}

SwigluExtras extras_of(const contract::Swiglu& p) {
  if (contract::has_activation(p)) return SwigluExtras::any;
  return contract::has_weights(p) ? SwigluExtras::weights : SwigluExtras::none;
}

// The kernel for a call that knows most of it.
SwigluKernel kernel_of(const contract::Swiglu& p, bool wide) {
  for (const SwigluFormat format : {format_of(p), SwigluFormat::any})
    for (const SwigluExtras extras : {extras_of(p), SwigluExtras::any})
      for (const bool experts : {contract::has_experts(p), true})
        for (const unsigned outputs : {wanted_outputs(p), 0U}) {
          const SwigluKernel kernel = {contract::wants_gradients(p), outputs, format, extras, experts, wide, false};
          if (exists(kernel)) return kernel;
        }
  return {};
}

// One launch can become two only with a kernel that writes any outputs.
SwigluPlan apart(SwigluPlan plan) {
  plan.together = false;
  plan.kernel.outputs = 0;
  return plan;
}

SwigluPlan plan_with(const contract::Swiglu& p, const DeviceFacts& facts, int threads) {
  SwigluPlan plan;
  const bool wide =
      rows_are_aligned(p.x, contract::x_stride(p)) && rows_are_aligned(p.grad_y, contract::grad_y_stride(p)) &&
      is_aligned(p.grad_input.q, kSwigluChunk) && is_aligned(p.y.q, kSwigluChunk) && are_aligned_to_floats(p);
  plan.kernel = kernel_of(p, wide);
  plan.wide_t = columns_are_aligned(p);
  plan.threads = threads;
  plan.blocks = p.h / kSwigluTile * contract::most_token_tiles(p);
  const bool has_three_planes = contract::wants_transposed(p) && contract::wants_y_transposed(p);
  return has_three_planes && facts.shared_bytes < 3 * kSwigluPlaneBytes ? apart(plan) : plan;
}

// If there is such a kernel, and the device has room for its blocks.
SwigluPlan staged_plan(const contract::Swiglu& p, const DeviceFacts& facts) {
  SwigluPlan plan = plan_with(p, facts, staged_threads(contract::wants_gradients(p)));
  SwigluKernel staged = plan.kernel;
  staged.staged = true;
  if (exists(staged) && std::max(contract::x_stride(p), contract::grad_y_stride(p)) <= kMostStagedStride &&
      facts.shared_bytes >= kStagedBytesPerMultiprocessor)
    plan.kernel = staged;
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

std::array<contract::Field, 11> SwigluPlan::fields() const {
  constexpr std::array kFormats = {"int8", "e4m3", "scaled_e4m3", "any"};
  constexpr std::array kExtras = {"none", "weights", "any"};
  return {{{"pass", kernel.backward ? "backward" : "forward"},
           {"outputs", kernel.outputs == 0 ? "any" : "training"},
           {"format", kFormats.at(static_cast<std::size_t>(kernel.format))},
           {"extras", kExtras.at(static_cast<std::size_t>(kernel.extras))},
           contract::field("experts", kernel.experts),
           contract::field("wide", kernel.wide),
           contract::field("staged", kernel.staged),
           contract::field("wide_t", wide_t),
           contract::field("together", together),
           contract::field("threads", threads),
           contract::field("blocks", blocks)}};
}

std::vector<SwigluPlan> candidates(const contract::Swiglu& p, const DeviceFacts& facts) {
  std::vector<SwigluPlan> all;
  for (const int threads : {kSwigluThreads, kSwigluFewerThreads}) {
    all.push_back(plan_with(p, facts, threads));
    if (all.back().together) all.push_back(apart(all.back()));
  }
  if (const SwigluPlan plan = staged_plan(p, facts); plan.kernel.staged) all.push_back(plan);
  return all;
}

SwigluPlan plan(const contract::Swiglu& p, const DeviceFacts& facts) {
  const std::int64_t tiles = tiles_there(p);
  const std::int64_t wave = std::int64_t{facts.multiprocessors} * (kSwigluThreadsPerMultiprocessor / kSwigluThreads);
  const SwigluPlan large = plan_with(p, facts, kSwigluThreads);
  if (tiles <= wave) return large;
  const SwigluPlan staged = staged_plan(p, facts);
  const SwigluPlan small = plan_with(p, facts, kSwigluFewerThreads);
  if (!contract::wants_gradients(p)) return staged.kernel.staged && staged_wastes_less(tiles, facts) ? staged : small;
  if (!contract::wants_transposed(p) && tiles <= 2 * wave) return small;
  return staged.kernel.staged ? staged : large;
}

}  // namespace qfuse::cuda
