// qfuse-bench swiglu-ladder: every rung of silu_dot_fwd_bwd_quant_fuse beside the roof of its bytes.
#include "ladder/swiglu_ladder.h"

#include <fmt/format.h>

#include <array>
#include <stdexcept>

#include "backend/cuda/silu_dot_fwd_bwd_quant_fuse.h"
#include "gpu/decode.h"
#include "gpu/report.h"
#include "gpu/run.h"
#include "gpu/swiglu_kernels.h"
#include "gpu/swiglu_tensors.h"

namespace qfuse::bench {
namespace {

// The largest first: it is the one that tools/gpu/test profiles.
constexpr std::array kShapes = {Shape{8192, 4096}, Shape{2048, 4096}, Shape{1024, 2560}};

struct Step {
  const char* name;
  SwigluRung rung;  // null: qfuse's op itself
  bool exact = true;
};

constexpr std::array kSteps = {
    Step{"two kernels, y computed twice", swiglu_y_twice},
    Step{"two kernels, y through memory", swiglu_y_buffer},
    Step{"one tile, y held in registers", swiglu_registers},
    Step{"y in shared memory, tiles down the tokens", swiglu_token_major},
    Step{"y leaves first, gradients last", swiglu_y_first},
    Step{"a division an element", swiglu_divided},
    Step{"times 127 / absmax (not exact)", swiglu_reciprocal, false},
    Step{"loads past the L1 cache", swiglu_past_l1},
    Step{"qfuse's design, whole tiles alone", swiglu_whole_tiles},
    Step{"qfuse", nullptr},
};

int planned_threads(const format::SiluDotFwdBwdQuantFuse& p, const Card& card) {
  cuda::DeviceFacts facts;
  facts.multiprocessors = card.multiprocessors;
  return cuda::plan(p, facts).threads;
}

// What the rungs run on: the tensors, and y's way through memory, one for each set so that it is cold as they are.
struct Ground {
  Ground(const Card& of, Shape shape) : card(of), tensors(of, shape), threads(planned_threads(tensors.params(0), of)) {
    for (int i = 0; i < tensors.sets(); ++i) y.emplace_back(card.index, kElementBytes * shape.count());
  }
  const Card& card;
  SwigluTensors tensors;
  std::vector<DeviceArray> y;
  int threads;
};

Enqueue enqueue_of(const Step& step, const Ground& ground) {
  if (step.rung == nullptr)
    return [&ground](int set, void* stream) { enqueue_swiglu(ground.tensors.params(set), ground.card.index, stream); };
  return [&ground, rung = step.rung](int set, void* stream) {
    rung({ground.tensors.params(set), ground.y[static_cast<std::size_t>(set)].as<void>(), ground.threads,
          static_cast<cudaStream_t>(stream)});
  };
}

// How an inexact rung differs from the checker, for the report.
nlohmann::ordered_json count_inexact(const Step& step, const Ground& ground, const Differing& differing) {
  const std::int64_t outside = ground.tensors.outside_tolerance();
  fmt::print("\n{}, {}: {}; {} values outside the published tolerance\n", step.name, text_of(ground.tensors.shape()),
             text_of(differing), outside);
  nlohmann::ordered_json json = {{"name", step.name},
                                 {"rows", ground.tensors.shape().rows},
                                 {"cols", ground.tensors.shape().cols},
                                 {"outside_published_tolerance", outside}};
  for (std::size_t i = 0; i < differing.size(); ++i) json[kSwigluOutputs[i]] = differing[i];
  return json;
}

// The rungs that are right to the byte, and those that do not claim to be.
std::vector<Candidate> right_steps(Report& report, const Ground& ground, nlohmann::ordered_json& inexact) {
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < kSteps.size(); ++i) {
    const Step& step = kSteps[i];
    const std::string name = fmt::format("{:2} {}", i + 1, step.name);
    report.attempt(name + ", " + text_of(ground.tensors.shape()), [&] {
      const Enqueue enqueue = enqueue_of(step, ground);
      const Differing differing = ground.tensors.differing(enqueue);
      if (step.exact && !text_of(differing).empty())
        throw std::runtime_error("not the checker's: " + text_of(differing));
      if (!step.exact) inexact.push_back(count_inexact(step, ground, differing));
      candidates.push_back({name, enqueue});
    });
  }
  return candidates;
}

void climb(Report& report, const Card& card, Shape shape, nlohmann::ordered_json& inexact) {
  const Ground ground(card, shape);
  std::vector<Candidate> candidates = right_steps(report, ground, inexact);
  const std::size_t steps = candidates.size();
  for (Candidate& roof : swiglu_roofs(ground.tensors)) candidates.push_back(std::move(roof));
  const std::vector<Timing> timings = time_in_turn(candidates, ground.tensors.sets(), ground.tensors.bytes());

  const std::size_t roof = best(timings, steps, candidates.size());
  report.begin_table("ladder of silu_dot_fwd_bwd_quant_fuse, " + text_of(shape));
  const auto row = [&](std::size_t i, std::int64_t bytes, double roof_us) {
    report.add({.op = "swiglu-ladder",
                .name = candidates[i].name,
                .shape = shape,
                .timing = timings[i],
                .bytes = bytes,
                .roof_us = roof_us});
  };
  for (std::size_t i = 0; i < steps; ++i) row(i, ground.tensors.bytes(), floor_us(ground.tensors, timings[roof]));
  row(roof, bytes_of_move(ground.tensors.params(0)), 0.0);
}

}  // namespace

int run_gpu_swiglu_ladder(const Options& options, int device) {
  const Card card = use_card(device);
  if (!options.peer.empty()) throw UsageError("the ladder takes no --peer");
  Report report(options, card);
  nlohmann::ordered_json inexact = nlohmann::ordered_json::array();
  for (const Shape shape : kShapes)
    report.attempt("ladder " + text_of(shape), [&] { climb(report, card, shape, inexact); });
  report.note("inexact", inexact, "\nnot exact: as printed above each table");
  return report.finish();
}

}  // namespace qfuse::bench
