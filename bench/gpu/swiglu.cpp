// qfuse-bench swiglu on a GPU: silu_dot_fwd_bwd_quant_fuse at its published shapes, beside the roof of its bytes.
#include <fmt/format.h>

#include <array>
#include <stdexcept>

#include "gpu/decode.h"
#include "gpu/report.h"
#include "gpu/run.h"
#include "gpu/swiglu_kernels.h"
#include "gpu/swiglu_tensors.h"

namespace qfuse::bench {
namespace {

// A layer of a mixture of experts: each expert has as many tokens.
struct Layer {
  int experts;
  std::int64_t tokens;  // of one expert
  std::int64_t channels;
  [[nodiscard]] Shape shape() const { return {experts * tokens, channels}; }
};

constexpr std::array kLayers = {
    Layer{8, 128, 2560},  Layer{8, 256, 2560},  Layer{16, 128, 2560}, Layer{16, 256, 2560},
    Layer{32, 128, 2560}, Layer{32, 256, 2560}, Layer{8, 128, 4096},  Layer{8, 256, 4096},
    Layer{16, 128, 4096}, Layer{16, 256, 4096}, Layer{32, 128, 4096}, Layer{32, 256, 4096},
};

std::string text_of(const Layer& layer) {
  return fmt::format("{} x {} tokens, H = {}", layer.experts, layer.tokens, layer.channels);
}

Enqueue ours(const SwigluTensors& tensors, const Card& card) {
  return [&tensors, &card](int set, void* stream) { enqueue_swiglu(tensors.params(set), card.index, stream); };
}

// The shapes one below the other, once all are timed.
struct Summary {
  std::string text = fmt::format("\n{:<26} {:>6} {:>10} {:>10} {:>9}", "", "M", "floor us", "qfuse us", "% roof");
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  void add(const Layer& layer, double floor_us, double median_us) {
    json.push_back({{"experts", layer.experts},
                    {"tokens", layer.tokens},
                    {"channels", layer.channels},
                    {"floor_us", floor_us},
                    {"median_us", median_us}});
    text += fmt::format("\n{:<26} {:>6} {:>10.2f} {:>10.2f} {:>8.1f}%", text_of(layer), layer.shape().rows, floor_us,
                        median_us, 100.0 * floor_us / median_us);
  }
};

void time_layer(Report& report, const Card& card, const Layer& layer, Summary& summary) {
  const SwigluTensors tensors(card, layer.shape());
  if (const std::string wrong = qfuse::bench::text_of(tensors.differing(ours(tensors, card))); !wrong.empty())
    throw std::runtime_error("not the checker's: " + wrong);
  std::vector<Candidate> candidates = swiglu_roofs(tensors);
  const std::size_t roofs = candidates.size();
  candidates.push_back({"qfuse", ours(tensors, card)});
  const std::vector<Timing> timings = time_in_turn(candidates, tensors.sets(), tensors.bytes());

  const std::size_t roof = best(timings, 0, roofs);
  const double floor = floor_us(tensors, timings[roof]);
  Row row{.op = "swiglu", .name = candidates[roof].name, .shape = layer.shape(), .timing = timings[roof]};
  row.experts = layer.experts;
  row.bytes = bytes_of_move(tensors.params(0));
  report.begin_table("silu_dot_fwd_bwd_quant_fuse, " + text_of(layer));
  report.add(row);
  row.name = candidates[roofs].name;
  row.timing = timings[roofs];
  row.bytes = tensors.bytes();
  row.roof_us = floor;
  report.add(row);
  summary.add(layer, floor, row.timing.median);
}

// The tolerance that was published with the operator, beside the bytes, which say more: it passes much that is wrong.
void note_tolerance(Report& report, const Card& card, const Layer& layer) {
  const SwigluTensors tensors(card, layer.shape());
  const std::string wrong = qfuse::bench::text_of(tensors.differing(ours(tensors, card)));
  const std::int64_t outside = tensors.outside_tolerance();
  report.note(
      "published_tolerance",
      {{"rows", layer.shape().rows}, {"cols", layer.shape().cols}, {"values_outside", outside}, {"differing", wrong}},
      fmt::format("\n{}: {} values outside the published tolerance; differing bytes: {}", text_of(layer), outside,
                  wrong.empty() ? "none" : wrong));
  if (outside != 0) throw std::runtime_error("outside the published tolerance");
}

}  // namespace

int run_gpu_swiglu(const Options& options, int device) {
  const Card card = use_card(device);
  if (!options.peer.empty()) throw UsageError("swiglu takes no --peer");
  Report report(options, card);
  Summary summary;
  for (const Layer& layer : kLayers) report.attempt(text_of(layer), [&] { time_layer(report, card, layer, summary); });
  report.attempt("the published tolerance", [&] { note_tolerance(report, card, kLayers.front()); });
  report.note("floors", summary.json, summary.text);
  return report.finish();
}

}  // namespace qfuse::bench
