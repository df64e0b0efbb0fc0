// qfuse-bench nf4 on a GPU: runs all tables.
#include <fmt/format.h>

#include <array>
#include <memory>

#include "gpu/gpu.h"
#include "gpu/nf4.h"

namespace qfuse::bench {
namespace {

constexpr std::array kShapes = {
    Shape{1024, 4096},  Shape{2048, 8192},  Shape{4096, 14336}, Shape{8192, 28672},
    Shape{4096, 11008}, Shape{5120, 13824}, Shape{6656, 17920}, Shape{8192, 22016},  // the MLPs of LLaMA 7B to 65B
};

// GPUs for which measurements are wanted, by the names that their drivers give.
constexpr std::array kWantedCards = {"T4", "L4", "A100"};

void say_what_is_missing(Report& report, const Card& card) {
  Json missing = Json::array();
  std::string text = "\nnot measured here:";
  for (const std::string wanted : kWantedCards) {
    if ((card.name + "-").find(" " + wanted + "-") != std::string::npos) continue;
    text += " " + wanted;
    missing.push_back(wanted);
  }
  text += "; whoever has one: qfuse bench nf4 --device cuda --json nf4.json";
  report.note("not_measured", missing, text);
}

}  // namespace

void time_nf4_on_gpu(const Options& options, Report& report, const Card& card) {
  std::unique_ptr<Peer> peer;
  if (!options.peer.empty()) peer = std::make_unique<Peer>(options.peer);
  const auto shapes = shapes_to_time(options, kShapes);
  for (const Shape shape : shapes)
    report.attempt_if_wanted("decode " + text_of(shape), [&] { time_decode(report, card, peer.get(), shape); });
  for (const Shape shape : shapes)
    for (const qfuse_dtype dtype : {QFUSE_FLOAT16, QFUSE_BFLOAT16})
      report.attempt_if_wanted(fmt::format("encode {} {}", text_of(shape), name_of(dtype)),
                               [&] { time_encode(report, card, peer.get(), shape, dtype); });
  report.attempt_if_wanted("the published test", [&] { time_published(report, card, peer.get()); });
  say_what_is_missing(report, card);
}

}  // namespace qfuse::bench
