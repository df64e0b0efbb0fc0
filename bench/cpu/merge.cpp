// A LoRA adapter added to a bf16 weight on the CPU.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include "cpu/cpu.h"
#include "merge_oracle.h"
#include "ops.h"

namespace qfuse::bench {
namespace {

constexpr Shape kMergeShape{4096, 4096};
constexpr Shape kQuickMergeShape{512, 1024};

struct MergeArrays {
  MergeArrays(Shape shape, std::int64_t rank) : answers(shape, rank), in(answers.in), out(in.size()) {}

  MergeAnswers answers;
  Memory in;
  Memory out;
};

void time_merge(Report& report, Row row, const MergeArrays& arrays, const qfuse_exec& exec) {
  const MergeAnswers& answers = arrays.answers;
  const contract::LoraMerge params = merge_params(answers.shape, answers.rank, arrays.in.data(), answers.a.data(),
                                                  answers.b.data(), arrays.out.data());
  std::ranges::fill(arrays.out.span(), 0);
  run(params, exec);
  if (!std::ranges::equal(arrays.out.span(), answers.merged))
    throw std::runtime_error("the merged weight differs from the oracle's");
  row.bytes = contract::bytes(params);
  report.add(time_beside_roof(std::move(row), arrays.in.span(), arrays.out.span(), exec, report.rounds(kCpuRounds),
                              [&] { run(params, exec); }));
}

}  // namespace

void time_merge_on_cpu(const Options& options, Report& report) {
  const Shape shape = options.quick ? kQuickMergeShape : kMergeShape;
  for (const std::int64_t rank : shapes_to_time(options, kMergeRanks)) {
    std::unique_ptr<MergeArrays> arrays;  // made for the first row selected to run
    for_targets([&](const qfuse_exec& exec, const std::string& target) {
      const std::string name = fmt::format("lora_merge/rank:{}/bf16/{}", rank, target);
      report.attempt_if_wanted(name, [&] {
        if (!arrays) arrays = std::make_unique<MergeArrays>(shape, rank);
        time_merge(report, {.op = "lora_merge", .name = name, .shape = shape}, *arrays, exec);
      });
    });
  }
}

}  // namespace qfuse::bench
