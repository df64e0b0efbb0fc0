#include "checkpoint/convert/check_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "checkpoint/files/errors.h"
#include "checkpoint/names/check_tensors.h"
#include "checkpoint/names/class_tensors.h"

namespace qfuse::checkpoint {
namespace {

NamedShape named(const PlannedTensor& planned) {
  if (planned.outputs.size() != 1 || planned.text) return {planned.name, std::nullopt};
  return {planned.name, planned.outputs.front().shape};
}

// Returns text like "2 missing, as 'a' is", or "" if there is no problem of this kind.
std::string counted(std::span<const TensorProblem> problems, std::string_view kind) {
  const auto is_so = [&](const TensorProblem& problem) { return problem.kind == kind; };
  const auto count = std::ranges::count_if(problems, is_so);
  if (count == 0) return "";
  return fmt::format("{} {}, as '{}' is", count, kind, printable(std::ranges::find_if(problems, is_so)->tensor));
}

std::string summary(std::span<const TensorProblem> problems) {
  std::string text;
  for (const std::string_view kind : {"missing", "unexpected", "mismatched"})
    if (const std::string one = counted(problems, kind); !one.empty()) text += (text.empty() ? "" : "; ") + one;
  return text;
}

}  // namespace

std::set<std::string> tied_names(const Vocabulary& vocabulary) {
  std::set<std::string> names;
  for (const VocabularyGroup& group : vocabulary.groups())
    for (const VocabularyTensor& member : group.members)
      if (group.tying == Tying::tied && group.values != nullptr) names.insert(member.in_file);
  return names;
}

void check_output(const Model& model, std::span<const Tensor> tensors, const ConversionOptions& options,
                  ConversionPlan& plan) {
  const auto is_quantized = [](const Tensor& tensor) { return tensor.quantized_dtype().has_value(); };
  if (plan.config.empty() || std::ranges::none_of(tensors, is_quantized)) return;
  const std::optional<Config> config(std::in_place, plan.config, model.name());
  const std::optional<ExpectedTensors> expected = expected_tensors(*config);
  if (!expected) return;
  std::vector<NamedShape> outputs;
  for (const PlannedTensor& planned : plan.tensors) outputs.push_back(named(planned));
  const Vocabulary vocabulary(config, TensorNames(tensors), tensors);
  const std::vector<TensorProblem> problems = check_tensors(*expected, outputs, tied_names(vocabulary));
  if (problems.empty()) return;
  const auto sure = std::ranges::find_if(problems, &TensorProblem::is_sure);
  const auto unexpected = std::ranges::find(problems, "unexpected", &TensorProblem::kind);
  if (sure != problems.end() && unexpected != problems.end() && !options.allow_other_names)
    fail(Status::unsupported,
         "{}: '{}' is in no file, and a layer that is else alike has it, while '{}' is no tensor of {}: transformers "
         "would load the output with random weights. Rename the tensor, or convert it with `allow_other_names`, if a "
         "loader of your own has it so",
         model.name(), printable(sure->tensor), printable(unexpected->tensor), printable(config->class_name()));
  plan.notes.push_back(
      fmt::format("{}: by what is known of {}, tensors of the output are: {}; `qfuse check` lists them", model.name(),
                  printable(config->class_name()), summary(problems)));
}

}  // namespace qfuse::checkpoint
