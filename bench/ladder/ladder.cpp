// qfuse-bench ladder: every rung beside the roof of the same bytes.
#include "ladder/ladder.h"

#include <fmt/format.h>

#include <array>

#include "gpu/decode.h"
#include "gpu/report.h"
#include "gpu/run.h"

namespace qfuse::bench {
namespace {

constexpr std::array kShapes = {Shape{4096, 14336}, Shape{1024, 4096}};
constexpr qfuse_dtype kTimed = QFUSE_BFLOAT16;

struct Step {
  const char* name;
  Rung rung;                   // null: qfuse's op itself
  int compute_capability = 0;  // that it needs
};

constexpr std::array kSteps = {
    Step{"three launches, as the libraries", three_launches},
    Step{"one kernel, interleaved 2-byte stores", interleaved_stores},
    Step{"joined 4-byte stores", joined_stores},
    Step{"an element a thread, bytes loaded twice", double_load},
    Step{"grid-stride loop", grid_stride},
    Step{"tiles of 4 rows x 256 bytes", row_tiles},
    Step{"a warp per quantization block", warp_per_block},
    Step{"16-byte stores, table in constant memory", constant_table},
    Step{"16-byte stores, table in shared memory", shared_table},
    Step{"16-byte stores, table by shuffle", shuffled_table},
    Step{"16-byte stores, table by byte permutation", permuted_table},
    Step{"16-byte stores, table of products", product_table},
    Step{"qfuse", nullptr},
    Step{"bulk stores through shared memory", bulk_stores, 90},
};

Enqueue enqueue_of(const Step& step, const DecodeWeights& weights, const Card& card, qfuse_dtype dtype) {
  if (step.rung == nullptr)
    return [&weights, &card, dtype](int set, void* stream) {
      enqueue_decode(weights.params(set, dtype), card.index, stream);
    };
  return [&weights, &card, dtype, rung = step.rung](int set, void* stream) {
    rung({weights.params(set, dtype), weights.shape(), weights.scratch(set), card.multiprocessors,
          static_cast<cudaStream_t>(stream)});
  };
}

// The rungs that this card can take and that are right to the bit, in both dtypes.
std::vector<Candidate> right_steps(Report& report, const DecodeWeights& weights, const Card& card) {
  const Bytes fp16 = weights.oracle(QFUSE_FLOAT16);
  const Bytes bf16 = weights.oracle(QFUSE_BFLOAT16);
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < kSteps.size(); ++i) {
    const std::string name = fmt::format("{:2} {}", i + 1, kSteps[i].name);
    if (card.compute_capability < kSteps[i].compute_capability) continue;
    report.attempt(name + ", " + text_of(weights.shape()), [&] {
      require_decoded(weights, fp16, enqueue_of(kSteps[i], weights, card, QFUSE_FLOAT16));
      require_decoded(weights, bf16, enqueue_of(kSteps[i], weights, card, QFUSE_BFLOAT16));
      candidates.push_back({name, enqueue_of(kSteps[i], weights, card, kTimed)});
    });
  }
  return candidates;
}

void climb(Report& report, const Card& card, Shape shape) {
  DecodeWeights weights(card.index, shape);
  const std::int64_t bytes = weights.bytes();
  const int sets = sets_for(bytes, card.l2_bytes);
  weights.allocate_sets(sets);
  std::vector<Candidate> candidates = right_steps(report, weights, card);
  const std::size_t steps = candidates.size();
  for (Candidate& roof : decode_roofs(weights)) candidates.push_back(std::move(roof));
  const std::vector<Timing> timings = time_in_turn(candidates, sets, bytes);

  const std::size_t roof = best(timings, steps, candidates.size());
  report.begin_table(fmt::format("ladder, {}, {}", text_of(shape), name_of(kTimed)));
  const auto row = [&](std::size_t i, double roof_us) {
    report.add({.op = "ladder",
                .name = candidates[i].name,
                .shape = shape,
                .timing = timings[i],
                .bytes = bytes,
                .roof_us = roof_us});
  };
  for (std::size_t i = 0; i < steps; ++i) row(i, timings[roof].median);
  row(roof, 0.0);
}

}  // namespace

int run_gpu_ladder(const Options& options, int device) {
  const Card card = use_card(device);
  if (!options.peer.empty()) throw UsageError("the ladder takes no --peer");
  Report report(options, card);
  for (const Shape shape : kShapes) report.attempt("ladder " + text_of(shape), [&] { climb(report, card, shape); });
  return report.finish();
}

}  // namespace qfuse::bench
