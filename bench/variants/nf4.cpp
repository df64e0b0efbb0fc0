// qfuse-bench nf4-variants: every design of an NF4 decoder beside the roof of the same bytes.
#include <fmt/format.h>

#include <array>

#include "gpu/gpu.h"
#include "gpu/nf4.h"
#include "variants/variants.h"

namespace qfuse::bench {
namespace {

constexpr std::array kNf4Shapes = {Shape{4096, 14336}, Shape{1024, 4096}};
constexpr qfuse_dtype kTimed = QFUSE_BFLOAT16;

Enqueue enqueue_of(const Nf4Variant& variant, const DecodeWeights& weights, const Card& card, qfuse_dtype dtype) {
  if (variant.enqueue == nullptr) return decode_of(weights, card, dtype);
  return [&weights, &card, dtype, enqueue = variant.enqueue](int set, void* stream) {
    enqueue({weights.params(set, dtype), weights.shape(), weights.scratch(set), card.multiprocessors,
             static_cast<cudaStream_t>(stream)});
  };
}

// The variants that this card can take and that are right to the bit, in both dtypes.
std::vector<Candidate> right_variants(Report& report, const DecodeWeights& weights, const Card& card) {
  const Bytes fp16 = weights.oracle(QFUSE_FLOAT16);
  const Bytes bf16 = weights.oracle(QFUSE_BFLOAT16);
  std::vector<Candidate> candidates;
  for (int number = 1; const Nf4Variant& variant : nf4_variants()) {
    const std::string name = fmt::format("{:2} {}", number++, variant.name);
    if (card.compute_capability < variant.compute_capability) continue;
    report.attempt(name + ", " + text_of(weights.shape()), [&] {
      require_decoded(weights, fp16, enqueue_of(variant, weights, card, QFUSE_FLOAT16));
      require_decoded(weights, bf16, enqueue_of(variant, weights, card, QFUSE_BFLOAT16));
      candidates.push_back({name, enqueue_of(variant, weights, card, kTimed)});
    });
  }
  return candidates;
}

}  // namespace

void add_variants(Report& report, const std::string& op, Shape shape, const std::vector<Candidate>& variants,
                  const std::vector<Candidate>& roofs, int sets, std::int64_t bytes, std::int64_t roof_bytes) {
  const BesideRoof times = time_beside_roof(report, roofs, variants, sets, bytes);
  const double roof_us = times.roof.median * static_cast<double>(bytes) / static_cast<double>(roof_bytes);
  report.begin_table(op + ", " + text_of(shape));
  for (std::size_t i = 0; i < variants.size(); ++i)
    report.add({.op = op,
                .name = variants[i].name,
                .shape = shape,
                .timing = times.timings[i],
                .bytes = bytes,
                .roof_us = roof_us});
  report.add({.op = op, .name = times.roof_name, .shape = shape, .timing = times.roof, .bytes = roof_bytes});
}

void time_nf4_variants(const Options& options, Report& report, const Card& card) {
  for (const Shape shape : shapes_to_time(options, kNf4Shapes))
    report.attempt_if_wanted("nf4-variants " + text_of(shape), [&] {
      const DecodeWeights weights(card, shape);
      add_variants(report, "nf4-variants", shape, right_variants(report, weights, card), decode_roofs(weights),
                   weights.sets(), weights.bytes(), weights.bytes());
    });
}

}  // namespace qfuse::bench
