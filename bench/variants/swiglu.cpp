// qfuse-bench swiglu-variants: every design of the SwiGLU backward beside the roof of its bytes.
#include <fmt/format.h>

#include <array>
#include <stdexcept>

#include "backend/cuda/gpu.h"
#include "gpu/gpu.h"
#include "gpu/swiglu_kernels.h"
#include "gpu/swiglu_tensors.h"
#include "variants/variants.h"

namespace qfuse::bench {
namespace {

// The largest first: it is the one that tools/gpu_test profiles.
constexpr std::array kSwigluShapes = {Shape{8192, 4096}, Shape{2048, 4096}, Shape{1024, 2560}};

cuda::SwigluPlan plan_of(const contract::Swiglu& p, const Card& card) {
  cuda::DeviceFacts facts;
  if (const contract::Outcome o = cuda::device_facts(card.index, facts); !o.ok()) throw std::runtime_error(o.message);
  return cuda::plan(p, facts);
}

// The tensors, and y's way through memory, one for each set so that it is cold as they are.
struct Buffers {
  Buffers(const Card& of, Shape shape) : card(of), tensors(of, shape), plan(plan_of(tensors.params(0), of)) {
    for (int i = 0; i < tensors.sets(); ++i) y.emplace_back(card.index, kElementBytes * shape.count());
  }
  const Card& card;
  SwigluTensors tensors;
  std::vector<DeviceArray> y;
  cuda::SwigluPlan plan;
};

Enqueue enqueue_of(const SwigluVariant& variant, const Buffers& buffers) {
  if (variant.enqueue == nullptr) return swiglu_of(buffers.tensors, buffers.card);
  return [&buffers, enqueue = variant.enqueue](int set, void* stream) {
    enqueue({buffers.tensors.params(set), buffers.plan, buffers.y[static_cast<std::size_t>(set)].as<void>(),
             static_cast<cudaStream_t>(stream)});
  };
}

// How a variant that is not exact differs from the checker, for the report.
Json count_inexact(const SwigluVariant& variant, const SwigluTensors& tensors, const Differing& differing) {
  const std::int64_t outside = tensors.outside_tolerance();
  fmt::print("\n{}, {}: {}; {} values outside the published tolerance\n", variant.name, text_of(tensors.shape()),
             text_of(differing), outside);
  Json json = {{"name", variant.name},
               {"rows", tensors.shape().rows},
               {"cols", tensors.shape().cols},
               {"outside_published_tolerance", outside}};
  for (std::size_t i = 0; i < differing.size(); ++i) json[kSwigluOutputs[i]] = differing[i];
  return json;
}

// The variants that are right to the byte, and those that do not claim to be.
std::vector<Candidate> right_variants(Report& report, const Buffers& buffers, Json& inexact) {
  std::vector<Candidate> candidates;
  for (int number = 1; const SwigluVariant& variant : swiglu_variants()) {
    const std::string name = fmt::format("{:2} {}", number++, variant.name);
    report.attempt(name + ", " + text_of(buffers.tensors.shape()), [&] {
      const Enqueue enqueue = enqueue_of(variant, buffers);
      const Differing differing = buffers.tensors.differing(enqueue);
      if (variant.exact && !text_of(differing).empty())
        throw std::runtime_error("not the checker's: " + text_of(differing));
      if (!variant.exact) inexact.push_back(count_inexact(variant, buffers.tensors, differing));
      candidates.push_back({name, enqueue});
    });
  }
  return candidates;
}

}  // namespace

void time_swiglu_variants(const Options& options, Report& report, const Card& card) {
  Json inexact = Json::array();
  for (const Shape shape : shapes_to_time(options, kSwigluShapes))
    report.attempt_if_wanted("swiglu-variants " + text_of(shape), [&] {
      const Buffers buffers(card, shape);
      const SwigluTensors& tensors = buffers.tensors;
      add_variants(report, "swiglu-variants", shape, right_variants(report, buffers, inexact), swiglu_roofs(tensors),
                   tensors.sets(), tensors.bytes(), bytes_of_move(tensors.params(0)));
    });
  report.note("inexact", inexact, "\nnot exact: as printed above each table");
}

}  // namespace qfuse::bench
