// A LoRA adapter added to a bf16 weight on a GPU, compared with a copy of the same number of bytes.
#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/device.h"
#include "gpu/gpu.h"
#include "gpu/timing.h"
#include "merge_oracle.h"

namespace qfuse::bench {
namespace {

constexpr std::array kMergeShapes = {Shape{1024, 4096}, Shape{4096, 4096}, Shape{14336, 4096}, Shape{4096, 14336}};

struct MergeSet {
  DeviceArray in;
  DeviceArray out;
};

void require_merged(const MergeAnswers& answers, const DeviceArray& out) {
  const Bytes merged = out.read<std::uint8_t>();
  const std::string wrong = difference(answers.merged.data(), merged.data(), out.size(), kElementBytes);
  if (!wrong.empty()) throw std::runtime_error(wrong);
}

void time_merge(Report& report, const Card& card, const MergeAnswers& answers) {
  const auto copy = [&](const auto& values) {
    return DeviceArray(card.index, values.data(), static_cast<std::int64_t>(values.size() * sizeof values[0]));
  };
  const DeviceArray a = copy(answers.a);
  const DeviceArray b = copy(answers.b);
  std::vector<MergeSet> sets;
  for (int i = sets_for(2 * static_cast<std::int64_t>(answers.in.size()), card.l2_bytes); i > 0; --i)
    sets.push_back({copy(answers.in), DeviceArray(card.index, static_cast<std::int64_t>(answers.in.size()))});
  const auto params = [&](const DeviceArray& in, const DeviceArray& out) {
    return merge_params(answers.shape, answers.rank, in.as<void>(), a.as<float>(), b.as<float>(), out.as<void>());
  };
  const auto set_of = [&](int set) -> const MergeSet& { return sets[static_cast<std::size_t>(set)]; };
  const Enqueue merge = [&](int set, void* stream) {
    run(params(set_of(set).in, set_of(set).out), exec_on(card, stream));
  };
  const Enqueue in_place = [&](int set, void* stream) {
    run(params(set_of(set).out, set_of(set).out), exec_on(card, stream));
  };
  const Enqueue copied = [&](int set, void* stream) {
    require(cudaMemcpyAsync(set_of(set).out.as<void>(), set_of(set).in.as<void>(), answers.in.size(),
                            cudaMemcpyDeviceToDevice, static_cast<cudaStream_t>(stream)),
            "cudaMemcpyAsync");
  };
  merge(0, nullptr);
  require_merged(answers, sets[0].out);
  copied(0, nullptr);
  in_place(0, nullptr);
  require_merged(answers, sets[0].out);
  const std::int64_t bytes = contract::bytes(params(sets[0].in, sets[0].out));
  const std::vector<Candidate> candidates = {{"merge bf16", merge}, {"merge bf16, in place", in_place}};
  const BesideRoof times =
      time_beside_roof(report, {{"a copy of the weight", copied}}, candidates, static_cast<int>(sets.size()), bytes);
  report.add(
      {.op = "lora_merge", .name = times.roof_name, .shape = answers.shape, .timing = times.roof, .bytes = bytes});
  for (std::size_t i = 0; i < candidates.size(); ++i)
    report.add({.op = "lora_merge",
                .name = candidates[i].name,
                .shape = answers.shape,
                .timing = times.timings[i],
                .bytes = bytes,
                .roof_us = times.roof.median});
}

}  // namespace

void time_merge_on_gpu(const Options& options, Report& report, const Card& card) {
  for (const Shape shape : shapes_to_time(options, kMergeShapes))
    for (const std::int64_t rank : shapes_to_time(options, kMergeRanks)) {
      const std::string name = "rank " + std::to_string(rank) + ", " + text_of(shape);
      report.attempt_if_wanted(name, [&] {
        report.begin_table(name);
        time_merge(report, card, MergeAnswers(shape, rank));
      });
    }
}

}  // namespace qfuse::bench
