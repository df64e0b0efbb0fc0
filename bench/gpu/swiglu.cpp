// qfuse-bench swiglu on a GPU: swiglu at its published shapes, compared with the roof of its bytes.
#include <fmt/format.h>

#include <array>
#include <stdexcept>
#include <vector>

#include "gpu/gpu.h"
#include "gpu/swiglu_kernels.h"
#include "gpu/swiglu_tensors.h"

namespace qfuse::bench {
namespace {

// A mixture-of-experts layer whose experts have equal numbers of tokens.
struct SwigluLayer {
  int experts;
  std::int64_t tokens;  // per expert
  std::int64_t channels;
  [[nodiscard]] Shape shape() const { return {experts * tokens, channels}; }
};

constexpr std::array kLayers = {
    SwigluLayer{8, 128, 2560},  SwigluLayer{8, 256, 2560},  SwigluLayer{16, 128, 2560}, SwigluLayer{16, 256, 2560},
    SwigluLayer{32, 128, 2560}, SwigluLayer{32, 256, 2560}, SwigluLayer{8, 128, 4096},  SwigluLayer{8, 256, 4096},
    SwigluLayer{16, 128, 4096}, SwigluLayer{16, 256, 4096}, SwigluLayer{32, 128, 4096}, SwigluLayer{32, 256, 4096},
};

std::string layer_text(const SwigluLayer& layer) {
  return fmt::format("{} x {} tokens, H = {}", layer.experts, layer.tokens, layer.channels);
}

// The timed cases: the published outputs; all outputs in e4m3; uneven experts, with their columns side by side or
// apart; router weights with their gradient; MN-major scales, as FP8 products take them; torchao's scales, which are
// not powers of two; and the forward. A case without `experts` passes no ends, because equal experts fill whole groups.
struct Asked {
  const char* name;
  const char* text;
  SwigluAsked of;
  bool experts = false;
};
const SwigluAsked kAll = {.payload = QFUSE_E4M3, .transposed = true};
const SwigluAsked kForward = {.payload = QFUSE_E4M3, .forward = true};
const std::array kAsked = {
    Asked{"qfuse", "", {}},
    Asked{"experts", ", uneven experts", {}, true},
    Asked{"experts/apart", ", uneven experts apart", {.apart = true}, true},
    Asked{"e4m3/all", ", all outputs in e4m3", kAll},
    Asked{"e4m3/all/mn_major",
          ", all outputs in e4m3, MN-major scales",
          {.payload = QFUSE_E4M3, .transposed = true, .mn_major = true}},
    Asked{"e4m3/all/experts", ", all outputs in e4m3, uneven experts", kAll, true},
    Asked{"e4m3/all/experts/apart",
          ", all outputs in e4m3, uneven experts apart",
          {.payload = QFUSE_E4M3, .transposed = true, .apart = true},
          true},
    Asked{"e4m3/all/weights",
          ", all outputs in e4m3, router weights",
          {.payload = QFUSE_E4M3, .transposed = true, .weights = true}},
    Asked{"e4m3/all/torchao",
          ", all outputs in e4m3, torchao's scales",
          {.payload = QFUSE_E4M3, .transposed = true, .torchao = true}},
    Asked{"e4m3/forward", ", forward in e4m3", kForward},
    Asked{"e4m3/forward/mn_major",
          ", forward in e4m3, MN-major scales",
          {.payload = QFUSE_E4M3, .forward = true, .mn_major = true}},
    Asked{"e4m3/forward/weights",
          ", forward in e4m3, router weights",
          {.payload = QFUSE_E4M3, .forward = true, .weights = true}},
};

// A table of all shapes, printed after all are timed.
struct Summary {
  std::string text = fmt::format("\n{:<63} {:>6} {:>10} {:>10} {:>9}", "", "M", "floor us", "qfuse us", "% roof");
  Json json = Json::array();
  void add(const SwigluLayer& layer, const Asked& asked, double floor_us, double median_us) {
    json.push_back({{"name", asked.name},
                    {"experts", layer.experts},
                    {"tokens", layer.tokens},
                    {"channels", layer.channels},
                    {"floor_us", floor_us},
                    {"median_us", median_us}});
    text += fmt::format("\n{:<63} {:>6} {:>10.2f} {:>10.2f} {:>8.1f}%", layer_text(layer) + asked.text,
                        layer.shape().rows, floor_us, median_us, 100.0 * floor_us / median_us);
  }
};

// Ends of experts of increasing size. The first expert has no tokens, and the last takes the remainder.
std::vector<std::int64_t> uneven_ends(std::int64_t tokens, int experts) {
  std::vector<std::int64_t> ends;
  const std::int64_t shares = std::int64_t{experts} * (experts - 1) / 2;
  for (std::int64_t e = 0; e < experts; ++e) ends.push_back(tokens * (e * (e + 1) / 2) / shares);
  return ends;
}

SwigluAsked asked_of(const SwigluLayer& layer, const Asked& asked) {
  SwigluAsked of = asked.of;
  if (asked.experts) of.ends = uneven_ends(layer.shape().rows, layer.experts);
  return of;
}

void time_layer(Report& report, const Card& card, const SwigluLayer& layer, const Asked& asked, Summary& summary) {
  const SwigluTensors tensors(card, layer.shape(), asked_of(layer, asked));
  if (const std::string wrong = text_of(tensors.differing(swiglu_of(tensors, card))); !wrong.empty())
    throw std::runtime_error("not the checker's: " + wrong);
  const BesideRoof times = time_beside_roof(report, swiglu_roofs(tensors), {{"qfuse", swiglu_of(tensors, card)}},
                                            tensors.sets(), tensors.bytes());
  const double floor = floor_us(tensors, times.roof);
  const Json experts = {{"experts", layer.experts}};
  report.begin_table("swiglu, " + layer_text(layer) + asked.text);
  report.add({.op = "swiglu",
              .name = times.roof_name,
              .shape = layer.shape(),
              .timing = times.roof,
              .bytes = bytes_of_move(tensors.params(0)),
              .more = experts});
  report.add({.op = "swiglu",
              .name = asked.name,
              .shape = layer.shape(),
              .timing = times.timings[0],
              .bytes = tensors.bytes(),
              .roof_us = floor,
              .more = experts});
  summary.add(layer, asked, floor, times.timings[0].median);
}

// Applies the published tolerance in addition to the byte comparison, which is stricter: the tolerance accepts many
// wrong results.
void note_tolerance(Report& report, const Card& card, const SwigluLayer& layer) {
  const SwigluTensors tensors(card, layer.shape());
  const std::string wrong = text_of(tensors.differing(swiglu_of(tensors, card)));
  const std::int64_t outside = tensors.outside_tolerance();
  report.note(
      "published_tolerance",
      {{"rows", layer.shape().rows}, {"cols", layer.shape().cols}, {"values_outside", outside}, {"differing", wrong}},
      fmt::format("\n{}: {} values outside the published tolerance; differing bytes: {}", layer_text(layer), outside,
                  wrong.empty() ? "none" : wrong));
  if (outside != 0) throw std::runtime_error("outside the published tolerance");
}

}  // namespace

void time_swiglu_on_gpu(const Options& options, Report& report, const Card& card) {
  Summary summary;
  for (const Asked& asked : kAsked)
    for (const SwigluLayer& layer : shapes_to_time(options, kLayers))
      report.attempt_if_wanted(layer_text(layer) + asked.text,
                               [&] { time_layer(report, card, layer, asked, summary); });
  report.attempt("the published tolerance", [&] { note_tolerance(report, card, kLayers.front()); });
  report.note("floors", summary.json, summary.text);
}

}  // namespace qfuse::bench
