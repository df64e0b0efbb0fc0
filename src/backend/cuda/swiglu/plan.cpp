#include "backend/cuda/swiglu/plan.h"

#include <algorithm>
#include <cstddef>

#include "backend/cuda/align.h"

namespace qfuse::cuda::swiglu {
namespace {

bool rows_are_aligned(const void* array, std::int64_t stride) {
  return is_aligned(array, std::size_t{2} * kChunk) && stride % kChunk == 0;
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

Format format_of(const contract::Swiglu& p) {
  if (contract::has_other_scales_alone(p)) return Format::scaled_e4m3;
  if (contract::has_other_format(p)) return Format::any;
  return p.format.payload_type == QFUSE_E4M3 ? Format::e4m3 : Format::int8;
}

Extras extras_of(const contract::Swiglu& p) {
  if (contract::has_activation(p)) return Extras::any;
  return contract::has_weights(p) ? Extras::weights : Extras::none;
}

// Returns the most specialized kernel that takes the call.
Kernel kernel_of(const contract::Swiglu& p, bool wide) {
  for (const Format format : {format_of(p), Format::any})
    for (const Extras extras : {extras_of(p), Extras::any})
      for (const bool experts : {contract::has_experts(p), true})
        for (const unsigned outputs : {wanted_outputs(p), 0U}) {
          const Kernel kernel = {contract::wants_gradients(p), outputs, format, extras, experts, wide, false};
          if (exists(kernel)) return kernel;
        }
  return {};
}

// Splitting one launch in two needs a kernel that writes any outputs.
Plan apart(Plan plan) {
  plan.together = false;
  plan.kernel.outputs = 0;
  return plan;
}

Plan plan_with(const contract::Swiglu& p, const DeviceFacts& facts, int threads) {
  Plan plan;
  const bool wide = rows_are_aligned(p.x, contract::x_stride(p)) &&
                    rows_are_aligned(p.grad_y, contract::grad_y_stride(p)) && is_aligned(p.grad_input.q, kChunk) &&
                    is_aligned(p.y.q, kChunk) && are_aligned_to_floats(p);
  plan.kernel = kernel_of(p, wide);
  plan.wide_t = columns_are_aligned(p);
  plan.threads = threads;
  plan.blocks = p.h / kTile * contract::most_token_tiles(p);
  const bool has_three_planes = contract::wants_transposed(p) && contract::wants_y_transposed(p);
  return has_three_planes && facts.shared_bytes < 3 * kPlaneBytes ? apart(plan) : plan;
}

// The plan is staged if there is such a kernel and the device has room for its blocks.
Plan staged_plan(const contract::Swiglu& p, const DeviceFacts& facts) {
  Plan plan = plan_with(p, facts, staged_threads(contract::wants_gradients(p)));
  Kernel staged = plan.kernel;
  staged.staged = true;
  if (exists(staged) && std::max(contract::x_stride(p), contract::grad_y_stride(p)) <= kMostStagedStride &&
      facts.shared_bytes >= kStagedBytesPerMultiprocessor)
    plan.kernel = staged;
  return plan;
}

// Number of tiles; with experts an estimate, with about half of the blocks that their last tiles may need.
std::int64_t tiles_there(const contract::Swiglu& p) {
  const std::int64_t all = contract::most_token_tiles(p);
  const std::int64_t of_tokens = format::ceil_div(p.m, std::int64_t{kTile});
  return p.h / kTile * ((all + of_tokens) / 2);
}

// Whether the last wave of a forward leaves less idle with four (staged) blocks per multiprocessor than with five.
bool staged_wastes_less(std::int64_t tiles, const DeviceFacts& facts) {
  const auto room = [&](int blocks) {
    const std::int64_t wave = std::int64_t{facts.multiprocessors} * blocks;
    return format::ceil_div(tiles, wave) * wave;
  };
  constexpr int kStagedBlocks = kThreadsPerMultiprocessor / kFewerThreads;
  return tiles > std::int64_t{facts.multiprocessors} * kForwardBlocks && room(kStagedBlocks) < room(kForwardBlocks);
}

}  // namespace

std::array<contract::Field, 11> Plan::fields() const {
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

std::vector<Plan> candidates(const contract::Swiglu& p, const DeviceFacts& facts) {
  std::vector<Plan> all;
  for (const int threads : {kThreads, kFewerThreads}) {
    all.push_back(plan_with(p, facts, threads));
    if (all.back().together) all.push_back(apart(all.back()));
  }
  if (const Plan plan = staged_plan(p, facts); plan.kernel.staged) all.push_back(plan);
  return all;
}

Plan plan(const contract::Swiglu& p, const DeviceFacts& facts) {
  const std::int64_t tiles = tiles_there(p);
  const std::int64_t wave = std::int64_t{facts.multiprocessors} * (kThreadsPerMultiprocessor / kThreads);
  const Plan large = plan_with(p, facts, kThreads);
  if (tiles <= wave) return large;
  const Plan staged = staged_plan(p, facts);
  const Plan small = plan_with(p, facts, kFewerThreads);
  if (!contract::wants_gradients(p)) return staged.kernel.staged && staged_wastes_less(tiles, facts) ? staged : small;
  if (!contract::wants_transposed(p) && tiles <= 2 * wave) return small;
  return staged.kernel.staged ? staged : large;
}

}  // namespace qfuse::cuda::swiglu
