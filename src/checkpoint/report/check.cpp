// Checks, from headers and config.json only, whether transformers would load a checkpoint with every weight in its
// place.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <qfuse/checkpoint.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/convert/check_output.h"
#include "checkpoint/convert/quantization_records.h"
#include "checkpoint/files/adapter_config.h"
#include "checkpoint/files/components.h"
#include "checkpoint/files/config.h"
#include "checkpoint/files/errors.h"
#include "checkpoint/files/foreign.h"
#include "checkpoint/files/hub.h"
#include "checkpoint/files/json.h"
#include "checkpoint/files/layout.h"
#include "checkpoint/files/special_tokens.h"
#include "checkpoint/files/tokenizer.h"
#include "checkpoint/names/check_tensors.h"
#include "checkpoint/names/class_tensors.h"
#include "checkpoint/names/tensor_names.h"
#include "checkpoint/names/vocabulary.h"

namespace qfuse::checkpoint {
namespace {

class ModelCheck {
 public:
  ModelCheck(const Component& component, CheckReport& report)
      : model_(component.path), prefix_(name_prefix(component)), report_(report) {}

  void run() {
    report_.files += static_cast<std::int64_t>(model_.files().size());
    const std::optional<Config> config = read_config(model_);
    if (peft_content(model_) != PeftContent::adapter) check_adapter();
    if (const std::string kind = foreign_kind(model_); !kind.empty()) return add("content", "", kind);
    const std::vector<Tensor> tensors = read_layout(model_, config).tensors;
    if (const std::string method = foreign_method(model_, config, tensors); !method.empty())
      return cannot_tell(fmt::format("{}; its names and shapes are not compared", method));
    report_.tensors += std::ssize(tensors);
    if (!model_.is_directory()) return cannot_tell("is a file, whose class no config.json names: nothing was compared");
    if (!config) return add("config", "", "there is no config.json: transformers cannot load it");
    if (config->is_of_diffusers()) return cannot_tell("is a class of diffusers: its names and shapes are not compared");
    check_quantization(*config, tensors);
    const TensorNames names(tensors);
    const Vocabulary vocabulary(config, names, tensors);
    check_names(*config, vocabulary, tensors);
    check_tokenizer(vocabulary);
    check_special_tokens(*config);
  }

 private:
  void check_quantization(const Config& config, std::span<const Tensor> tensors) {
    const auto count =
        std::ranges::count_if(tensors, [](const Tensor& it) { return it.quantized_dtype().has_value(); });
    if (count > 0 && !config.is_quantized())
      add("quantization", "",
          fmt::format("{} weights are quantized, and config.json has no quantization_config: transformers would not "
                      "load them",
                      count));
    for (std::string& line : quantization_disagreements(config, tensors)) add("quantization", "", std::move(line));
    const auto is_stack = [](const Tensor& it) { return it.is_of_bitsandbytes() && it.shape.size() != 2; };
    if (const auto stacks = std::ranges::count_if(tensors, is_stack); stacks > 0)
      add("quantization", std::ranges::find_if(tensors, is_stack)->name,
          fmt::format(
              "is a 4-bit weight that is no matrix, as {} others: transformers quantizes linear layers alone, and "
              "refuses to load it",
              stacks - 1));
    if (count == 0 && config.is_quantized() && config.foreign_quant_method().empty())
      add("quantization", "", "config.json has a quantization_config of bitsandbytes, and no weight is quantized");
  }

  void check_names(const Config& config, const Vocabulary& vocabulary, std::span<const Tensor> tensors) {
    const std::optional<ExpectedTensors> expected = expected_tensors(config);
    if (!expected)
      return cannot_tell(fmt::format("the class '{}' is not known here: names and shapes are not compared",
                                     printable(config.class_name())));
    std::vector<NamedShape> named;
    for (const Tensor& tensor : tensors)
      named.push_back({tensor.name, tensor.shape, tensor.quantized_dtype().has_value()});
    for (TensorProblem& problem : check_tensors(*expected, named, tied_names(vocabulary)))
      add(std::move(problem.kind), problem.tensor, std::move(problem.message));
    for (const std::string& open : expected->open)
      cannot_tell(
          fmt::format("'{}' is of a family that is not known here: what is in it is not compared", printable(open)));
    for (const std::string& unstated : expected->unstated)
      if (std::ranges::any_of(tensors, [&](const Tensor& it) { return it.name.starts_with(unstated + "."); }))
        cannot_tell(fmt::format("config.json does not say of which family '{}' is: what is in it is not compared",
                                printable(unstated)));
  }

  void check_tokenizer(const Vocabulary& vocabulary) {
    const std::optional<std::int64_t> largest = largest_token(model_.path());
    if (!largest || vocabulary.groups().empty()) return;
    const Tensor* embedding = vocabulary.groups().front().values;
    if (embedding != nullptr && !embedding->shape.empty() && *largest >= embedding->shape[0])
      add("tokenizer", embedding->name,
          fmt::format("has {} rows, and the tokenizer has tokens up to {}", embedding->shape[0], *largest));
  }

  void check_special_tokens(const Config& config) {
    const auto find = [&](const std::string& name) { return model_.path() / name; };
    for (TokenConflict& conflict : token_conflicts(find, config))
      if (conflict.is_harmful)
        add("tokenizer", "", std::move(conflict.message));
      else
        note(conflict.message);
  }

  // Given a directory with an adapter config, transformers loads the adapter and its base instead of the model.
  void check_adapter() {
    if (!std::filesystem::exists(model_.path() / kAdapterConfigFile)) return;
    add("content", "",
        fmt::format(
            "{} is beside the model: transformers loads that adapter and the base that it names, not this model",
            kAdapterConfigFile));
  }

  void add(std::string kind, const std::string& tensor, std::string message) {
    report_.problems.push_back({std::move(kind), tensor.empty() ? "" : prefix_ + tensor, std::move(message)});
  }
  void note(const std::string& text) { report_.notes.push_back(fmt::format("{}: {}", model_.name(), text)); }
  void cannot_tell(const std::string& text) {
    note(text);
    report_.cannot_tell = true;
  }

  Model model_;
  std::string prefix_;
  CheckReport& report_;
};

std::string json_of(const CheckReport& report) {
  std::vector<std::string> problems;
  for (const CheckProblem& problem : report.problems)
    problems.push_back(fmt::format("\n  {{\"kind\": {}, \"tensor\": {}, \"message\": {}}}", json_string(problem.kind),
                                   json_string(problem.tensor), json_string(problem.message)));
  std::vector<std::string> notes;
  for (const std::string& note : report.notes) notes.push_back(json_string(note));
  return fmt::format("{{\"files\": {}, \"tensors\": {}, \"cannot_tell\": {}, \"notes\": [{}], \"problems\": [{}\n]}}",
                     report.files, report.tensors, report.cannot_tell, fmt::join(notes, ", "),
                     fmt::join(problems, ","));
}

}  // namespace

CheckReport check(const std::filesystem::path& in) {
  return with_qfuse_errors([&] {
    CheckReport report;
    for (const Component& component : models_in(located(in))) ModelCheck(component, report).run();
    return report;
  });
}

std::string to_json(const CheckReport& report) {
  return with_qfuse_errors([&] { return json_of(report); });
}

}  // namespace qfuse::checkpoint
