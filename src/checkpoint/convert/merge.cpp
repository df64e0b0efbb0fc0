// LoRA adapters onto their base.
#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <qfuse/checkpoint.hpp>
#include <set>
#include <utility>

#include "checkpoint/convert/check_output.h"
#include "checkpoint/convert/conversion.h"
#include "checkpoint/convert/encode.h"
#include "checkpoint/convert/linear.h"
#include "checkpoint/convert/merge_measure.h"
#include "checkpoint/convert/merged_model.h"
#include "checkpoint/convert/merged_weight.h"
#include "checkpoint/convert/plain_names.h"
#include "checkpoint/convert/quantize.h"
#include "checkpoint/files/components.h"
#include "checkpoint/files/errors.h"
#include "checkpoint/files/foreign.h"
#include "checkpoint/files/json.h"
#include "checkpoint/files/progress.h"
#include "checkpoint/files/tokenizer.h"
#include "checkpoint/output/shards_plan.h"
#include "checkpoint/output/target.h"

namespace qfuse::checkpoint {
namespace {

namespace fs = std::filesystem;

constexpr const char* kReadme = "README.md";

// What an adapter's directory may have that belongs to the model which it was trained for.
bool is_tokenizers(const fs::path& file) {
  constexpr std::array<std::string_view, 7> kNames{
      "added_tokens.json", "merges.txt", "special_tokens_map.json", "spiece.model",
      "vocab.json",        "vocab.txt",  "preprocessor_config.json"};
  const std::string& name = file.native();
  return name.starts_with("tokenizer") || name.starts_with("chat_template") ||
         std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

// ---- the transform ---------------------------------------------------------------------------------------------

class Merge : public Transform {
 public:
  Merge(std::span<const AdapterInput> inputs, const MergeOptions& options, MergeReport& report)
      : options_(options), report_(report), adapters_(inputs, options.allow_nonfinite) {}

  void try_device(Pipeline& pipeline) const override {
    if (options_.to_4bit) require_encodable(*options_.to_4bit, options_.blocksize, pipeline);
    if (options_.base_as) require_encodable(*options_.base_as, options_.blocksize, pipeline);
    require_mergeable(pipeline);
  }

  // With the adapters, which the inputs of a plan are not.
  [[nodiscard]] nlohmann::json command() const override {
    nlohmann::json adapters = nlohmann::json::array();
    for (const auto& [adapter, weight] : adapters_.all()) {
      adapters.push_back(
          {{"name", name_of(*adapter)}, {"weight", weight}, {"file", file_identity(adapter->file().file())}});
      if (adapter->is_directory())
        adapters.back()["config"] = file_identity(InputFile(adapter->path() / kAdapterConfigFile));
    }
    return {{"command", "merge"},
            {"adapters", adapters},
            {"to", options_.to_4bit ? checkpoint::name_of(*options_.to_4bit) : ""},
            {"base_as", options_.base_as ? checkpoint::name_of(*options_.base_as) : ""},
            {"block_size", options_.blocksize},
            {"double_quant", options_.double_quant},
            {"include", options_.include},
            {"exclude", options_.exclude},
            {"prefix", options_.prefix},
            {"head", static_cast<int>(options_.head)}};
  }

  [[noreturn]] void refuse(const Model& model) const override {
    fail(Status::invalid_data, "{}: the adapters change nothing of it", model.name());
  }

  [[nodiscard]] bool converts(const Component& component) const override {
    return !adapters_.of(component.name).empty();
  }

  // Before anything is planned.
  void require_used(const fs::path& base) const { adapters_.require_used(base, options_.components); }

  [[nodiscard]] ConversionPlan plan(const Model& model, const std::string& component) const override {
    check_kind(model);
    const MergedModel base(model, adapters_.of(component), way());
    check_base(base);
    ConversionPlan plan = options_.to_4bit && !base.is_4bit() ? to_4bit(base) : plan_tensors(base);
    report_rows(base, name_prefix({component, "", ""}));
    finish_plan(base, plan);
    check_output(model, base.tensors(), options_, plan);
    return plan;
  }

 private:
  [[nodiscard]] MergeWay way() const {
    return {options_.dtype,   options_.base_as, options_.blocksize, options_.double_quant, options_.include,
            options_.exclude, options_.prefix,  options_.head,      options_.exec};
  }

  static std::string name_of(const Adapter& adapter) {
    return printable(fs::absolute(adapter.path()).lexically_normal().filename().native());
  }

  // Before an adapter is looked at, which fits none of these.
  static void check_kind(const Model& model) {
    if (const std::string method = foreign_method(model, read_config(model)); !method.empty())
      fail(Status::unsupported, "{}: {}", model.name(), method);
    if (peft_content(model) == PeftContent::adapter)
      fail(Status::invalid_argument, "{}: is an adapter itself; BASE comes first", model.name());
    if (const std::string kind = foreign_kind(model); !kind.empty())
      fail(Status::unsupported, "{}: {}", model.name(), kind);
  }

  void check_base(const MergedModel& base) const {
    const bool chooses = options_.base_as || (options_.to_4bit && !base.is_quantized());
    if (!chooses && !(options_.include.empty() && options_.exclude.empty()))
      fail(Status::invalid_argument,
           "{}: `include` and `exclude` say what becomes 4-bit of a base in 16 or 32 bits, with `base_as` or `to`",
           base.model().name());
    if (base.is_quantized() && !options_.to_4bit &&
        plain_names(read_model_types(base.model()), base.tensors(), base.model().name()).are_other_names())
      fail(Status::unsupported,
           "{}: its layers are those of a loader of 4-bit models alone: dequantize it, and merge onto that",
           base.model().name());
    if (options_.to_4bit && base.is_quantized())
      for (const Tensor& tensor : base.tensors()) check_stays_4bit(tensor);
    if ((options_.to_4bit && !base.is_quantized()) || options_.base_as)
      for (const Tensor& tensor : base.tensors())
        if (base.families().is_turned(tensor.name, tensor.shape))
          fail(Status::unsupported,
               "{}: keeps '{}' turned, which cannot be merged and quantized at once: merge to 16 bits first",
               base.model().name(), printable(tensor.name));
  }

  // A 4-bit base keeps its kind of codes.
  void check_stays_4bit(const Tensor& tensor) const {
    const auto* weight = std::get_if<StoredWeight4bit>(&tensor.storage);
    if (weight != nullptr && weight->state.quant_type != *options_.to_4bit)
      fail(Status::invalid_argument, "{}: is {}, and cannot become {}: dequantize the base first",
           tensor.values().where(), checkpoint::name_of(weight->state.quant_type),
           checkpoint::name_of(*options_.to_4bit));
    if (std::holds_alternative<StoredWeightInt8>(tensor.storage))
      fail(Status::invalid_argument, "{}: is LLM.int8, and cannot become {}: dequantize the base first",
           tensor.values().where(), checkpoint::name_of(*options_.to_4bit));
  }

  [[nodiscard]] static PlannedTensor planned_plain(const std::string& name, std::vector<std::int64_t> shape,
                                                   const MergeTask& task) {
    const std::int64_t bytes = task.merging.shape.elements() * static_cast<std::int64_t>(dtype_size(task.dtype));
    PlannedTensor planned;
    planned.name = name;
    planned.converted = true;
    planned.outputs = {{name, type_of(task.dtype), std::move(shape), 0, bytes}};
    planned.input_bytes = task.tensor.stored_bytes();
    planned.progress_bytes = bytes;
    planned.scratch_bytes = task.scratch_bytes();
    planned.open = [task](ScratchFile* scratch) {
      return OpenedTensor{{open_merged(task.base(scratch, 0), task.merging, task.dtype, kPieceBytes)}};
    };
    return planned;
  }

  // ---- to 16 or 32 bits, or from 4 bits to 4 bits ----

  [[nodiscard]] ConversionPlan plan_tensors(const MergedModel& base) const {
    ConversionPlan plan;
    DtypeVote vote;
    for (const Tensor& tensor : base.tensors()) {
      const TensorChange* changed = base.change_of(tensor.name);
      if (base.is_4bit() && options_.to_4bit)
        plan.tensors.push_back(stays_quantized(tensor, changed, base));
      else if (changed == nullptr && !tensor.quantized_dtype() && !base.is_seen(tensor.name))
        plan.tensors.push_back(copied(tensor.values()));
      else
        plan.tensors.push_back(
            planned_plain(tensor.name, changed == nullptr ? tensor.shape : changed->shape, base.task(tensor, changed)));
      if (tensor.quantized_dtype()) vote.add(base.plain_dtype(tensor), tensor.elements());
    }
    add_untied(base, plan);
    if (!base.config()) return plan;
    Config config = *base.config();
    change_config(base, config);
    plan.config = base.is_quantized() && !options_.to_4bit ? config.unquantized(vote.most()) : config.text();
    return plan;
  }

  // The head that was tied to the embedding, and stands in no file of the base.
  void add_untied(const MergedModel& base, ConversionPlan& plan) const {
    for (const auto& [name, change] : base.rules().changes)
      if (base.model().find(name) == nullptr)
        plan.tensors.push_back(planned_plain(name, change.shape, base.task(*change.base, &change)));
  }

  [[nodiscard]] PlannedTensor stays_quantized(const Tensor& tensor, const TensorChange* change,
                                              const MergedModel& base) const {
    const auto* weight = std::get_if<StoredWeight4bit>(&tensor.storage);
    if (change == nullptr) return weight == nullptr ? copied(tensor.values()) : copied_parts(tensor);
    if (weight == nullptr || change->replacement)
      return planned_plain(tensor.name, change->shape, base.task(tensor, change));
    PlannedTensor planned;
    QuantState state = weight->state;
    EncodedParts parts = encoded_parts(tensor.name, state);
    const TensorEntry& codes = *weight->packed.entry;  // under another type than U8 where training shards them (FSDP)
    if (codes.bytes() == parts.arrays.front().bytes()) {
      parts.arrays.front().type = codes.type;
      parts.arrays.front().shape = codes.shape;
    }
    planned.name = tensor.name;
    planned.converted = true;
    planned.outputs = std::move(parts.arrays);
    planned.text = std::move(parts.quant_state);
    planned.input_bytes = tensor.stored_bytes();
    encode(base.task(tensor, change), state, planned);
    return planned;
  }

  // Completes the plan of a tensor that is merged and then encoded: rounded to the dtype that it decodes to in between.
  static void encode(const MergeTask& task, const QuantState& state, PlannedTensor& planned) {
    planned.progress_bytes = task.merging.shape.elements() * static_cast<std::int64_t>(dtype_size(task.dtype));
    const std::int64_t absmax = absmax_bytes(state);
    planned.scratch_bytes = absmax + task.scratch_bytes();
    planned.open = [task, state, absmax](ScratchFile* scratch) {
      return open_encoded(merged_weight(task.base(scratch, absmax), task.merging, task.dtype, task.exec), state,
                          *scratch);
    };
  }

  static PlannedTensor copied_parts(const Tensor& tensor) {
    PlannedTensor planned;
    planned.name = tensor.name;
    for (const StoredTensor& part : tensor.parts) planned.outputs.push_back(*part.entry);
    planned.input_bytes = planned.progress_bytes = tensor.stored_bytes();
    planned.open = [parts = tensor.parts](ScratchFile*) {
      OpenedTensor opened;
      for (const StoredTensor& part : parts) opened.readers.push_back(open_stored(part));
      return opened;
    };
    return planned;
  }

  // ---- from 16 bits to 4 bits: what quantize() would do to the merged model ----

  class Changed : public ChangedWeights {
   public:
    explicit Changed(const MergedModel& base) : base_(base) {}
    [[nodiscard]] bool has(const std::string& name) const override {
      return base_.change_of(name) != nullptr || base_.is_seen(name);
    }
    [[nodiscard]] PlannedTensor plain(const Tensor& tensor) const override {
      const TensorChange* change = base_.change_of(tensor.name);
      return planned_plain(tensor.name, change == nullptr ? tensor.shape : change->shape, base_.task(tensor, change));
    }
    void encode(const Tensor& tensor, const QuantState& state, PlannedTensor& planned) const override {
      Merge::encode(base_.task(tensor, base_.change_of(tensor.name)), state, planned);
    }
    [[nodiscard]] std::vector<std::string> new_modules() const override {
      std::vector<std::string> modules;
      for (const auto& [name, change] : base_.rules().changes)
        if (name.ends_with(kWeightSuffix) && base_.model().find(name) == nullptr) modules.emplace_back(module_of(name));
      return modules;
    }

   private:
    const MergedModel& base_;
  };

  [[nodiscard]] QuantizeOptions quantize_options() const {
    QuantizeOptions options;
    options.dtype = options_.dtype;
    options.quant_type = *options_.to_4bit;
    options.blocksize = options_.blocksize;
    options.double_quant = options_.double_quant;
    options.include = options_.include;
    options.exclude = options_.exclude;
    return options;
  }

  [[nodiscard]] ConversionPlan to_4bit(const MergedModel& base) const {
    const QuantizeOptions options = quantize_options();
    ConversionPlan plan = plan_quantization(base.model(), options, Changed(base));
    add_untied(base, plan);
    if (!plan.config.empty() && (base.rules().unties || base.rules().vocabulary)) {
      Config config(plan.config, std::string(kConfigFile));
      change_config(base, config);
      plan.config = config.text();
    }
    return plan;
  }

  static void change_config(const MergedModel& base, Config& config) {
    const MergeRules& rules = base.rules();
    if (!rules.untie_fields.empty()) config.untie(rules.untie_fields);
    if (!rules.decoder_size_field.empty()) config.grow({rules.tokens, rules.tokens}, {&rules.decoder_size_field, 1});
    if (rules.vocabulary) config.grow({rules.old_vocabulary, *rules.vocabulary}, rules.size_fields);
  }

  // ---- what is said of it ----

  // Of each changed tensor; measured where the caller only wants to know, or where an adapter may not survive. `prefix`:
  // of their names in a pipeline.
  void report_rows(const MergedModel& base, const std::string& prefix) const {
    const bool may_be_lost = base.is_4bit() && options_.to_4bit;
    std::int64_t elements = 0;
    for (const auto& [name, change] : base.rules().changes) elements += change.merging.shape.elements();
    ProgressMeter meter(options_.progress, elements);
    std::set<std::string> encoded;
    if (options_.to_4bit && !base.is_quantized()) encoded = names_to_quantize(base.model(), quantize_options());
    for (const auto& [name, change] : base.rules().changes) {
      constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
      MergedTensor row{prefix + name, change.shape, change.rule, change.rank,
                       change.scale,  kUnknown,     kUnknown,    kUnknown};
      if (options_.dry_run || may_be_lost) {
        const MergeTask task = base.task(*change.base, &change);
        std::optional<QuantState> state;
        if (const auto* weight = std::get_if<StoredWeight4bit>(&change.base->storage);
            weight != nullptr && options_.to_4bit)
          state = weight->state;
        if (encoded.contains(name))
          state = QuantState{*options_.to_4bit, options_.blocksize, task.dtype, change.shape, {}};
        std::optional<ScratchFile> scratch;
        if (task.scratch_bytes() > 0) scratch.emplace(fs::temp_directory_path());
        row = measured(row, task, state, scratch ? &*scratch : nullptr, meter);
      }
      report_.merged.push_back(row);
    }
    if (may_be_lost && !options_.dry_run) refuse_lost();
  }

  // What is left may be less than nothing, so that 0 is no bound, but says that there is none.
  void refuse_lost() const {
    if (options_.fail_below <= 0.0) return;
    const MergedTensor* worst = nullptr;
    for (const MergedTensor& row : report_.merged)
      if (row.survival < options_.fail_below && (worst == nullptr || row.survival < worst->survival)) worst = &row;
    if (worst != nullptr)
      fail(Status::invalid_data,
           "tensor '{}': of what the adapter adds, {:.1f} % is left when the sum is quantized again, less than {:.0f} "
           "%: merge to 16 bits, or from the 16-bit base to {}; `fail_below` 0 does it all the same",
           printable(worst->name), 100.0 * worst->survival, 100.0 * options_.fail_below,
           checkpoint::name_of(*options_.to_4bit));
  }

  void finish_plan(const MergedModel& base, ConversionPlan& plan) const {
    std::string adapters;
    for (const auto& [adapter, weight] : base.adapters())
      adapters += fmt::format("{}{}@{}", adapters.empty() ? "" : ", ", name_of(*adapter), weight);
    const std::string seen = options_.base_as ? fmt::format(" as {}", checkpoint::name_of(*options_.base_as)) : "";
    plan.metadata = {{"qfuse_merge", fmt::format("base {}{}; adapters {}", base_name(base), seen, adapters)}};
    note_base(base, plan.notes);
    note_adapters(base, plan.notes);
    if (base.rules().unties && base.rules().untie_fields.empty())
      plan.notes.push_back(fmt::format(
          "{}: no field of its config says that tensors are no longer tied: transformers 5 sees it, 4 does not",
          base.model().name()));
    if (!base.model().is_directory()) return;
    plan.texts[kReadme] = readme(base, seen);
    for (const auto& [adapter, weight] : base.adapters()) {
      if (!adapter->is_directory()) continue;
      for (const fs::path& name : list_directory(adapter->path()))
        if (is_tokenizers(name) && fs::is_regular_file(adapter->path() / name))
          plan.further_files[name] = adapter->path() / name;
    }
  }

  static std::string base_name(const MergedModel& base) {
    return printable(fs::absolute(base.model().path()).lexically_normal().filename().native());
  }

  // Onto which base is the one question that no file answers.
  void note_base(const MergedModel& base, std::vector<std::string>& notes) const {
    for (const auto& [adapter, weight] : base.adapters()) {
      const std::string& trained_on = adapter->config().base_model();
      const bool says_4bit = trained_on.find("4bit") != trained_on.npos || trained_on.find("4-bit") != trained_on.npos;
      if (says_4bit && !base.is_quantized() && !options_.base_as)
        notes.push_back(
            fmt::format("{}: was trained on '{}', which is quantized: `base_as` nf4 merges it onto what it saw",
                        adapter->name(), printable(trained_on)));
    }
    if (options_.base_as) note_divided(base, notes);
  }

  // Their parts have scales of their own in training.
  static void note_divided(const MergedModel& base, std::vector<std::string>& notes) {
    const auto count = std::ranges::count_if(
        base.tensors(), [&](const Tensor& tensor) { return base.families().is_divided(tensor.name); });
    if (count > 0)
      notes.push_back(
          fmt::format("{}: transformers divides or joins {} matrices as it loads a '{}'; these are taken in 16 bits, "
                      "where training may have seen them in 4: merge onto the 4-bit model that it saved",
                      base.model().name(), count, printable(base.families().name())));
  }

  // What was probably meant otherwise.
  void note_adapters(const MergedModel& base, std::vector<std::string>& notes) const {
    std::string with_tokenizer;
    const std::int64_t tokens = base.rules().tokens;
    for (const auto& [adapter, weight] : base.adapters()) {
      if (adapter->adds_nothing())
        notes.push_back(fmt::format("{}: every lora_B is zero: it adds nothing", adapter->name()));
      const std::optional<std::int64_t> largest = largest_token(adapter->path());
      if (!largest) continue;
      if (tokens > 0 && *largest >= tokens)
        notes.push_back(
            fmt::format("{}: its tokenizer has tokens up to {}, and the model {} rows for them: was the embedding "
                        "resized, and not saved?",
                        adapter->name(), *largest, tokens));
      if (!with_tokenizer.empty())
        notes.push_back(fmt::format("{}: has a tokenizer, and so has {}: the last one's is taken", adapter->name(),
                                    with_tokenizer));
      with_tokenizer = adapter->name();
    }
  }

  [[nodiscard]] std::string readme(const MergedModel& base, const std::string& seen) const {
    std::string text = fmt::format(
        "# Merged model\n\nMade by qfuse {} of a base and {} LoRA adapter{}; each weight is their sum, rounded "
        "once.\n\n"
        "| what | where from | weight |\n|---|---|---|\n| base | {}{} | |\n",
        qfuse_version(), base.adapters().size(), base.adapters().size() == 1 ? "" : "s", base_name(base), seen);
    for (const auto& [adapter, weight] : base.adapters()) {
      const std::string& trained_on = adapter->config().base_model();
      text += fmt::format("| adapter | {}{} | {} |\n", name_of(*adapter),
                          trained_on.empty() ? "" : ", trained on " + printable(trained_on), weight);
    }
    return text + fmt::format("\n{} tensors were changed.{}\n", base.rules().changes.size(),
                              base.rules().unties ? " The output head is no longer tied to the embedding." : "");
  }

  const MergeOptions& options_;
  MergeReport& report_;
  Adapters adapters_;
};

MergeReport merge_checked(const fs::path& base, std::span<const AdapterInput> adapters, const fs::path& out,
                          const MergeOptions& options) {
  if (adapters.empty()) fail(Status::invalid_argument, "no adapter is given");
  if (!(options.fail_below >= 0.0 && options.fail_below <= 1.0))
    fail(Status::invalid_argument, "`fail_below` is {}, must be a share from 0 to 1", options.fail_below);
  MergeReport report;
  const Merge transform(adapters, options, report);
  transform.require_used(base);
  for (const AdapterInput& adapter : adapters) {
    check_apart(out, adapter.path);
    check_neighbours(out, adapter.path);
  }
  static_cast<ConversionReport&>(report) = convert(base, out, options, transform);
  return report;
}

std::string json_of(const MergedTensor& t) {
  return fmt::format(
      R"({{"name": {}, "shape": [{}], "rule": {}, "rank": {}, "scale": {}, "added_rms": {}, "weight_rms": {}, )"
      R"("survival": {}}})",
      json_string(t.name), fmt::join(t.shape, ", "), json_string(t.rule), t.rank, json_number(t.scale),
      json_number(t.added_rms), json_number(t.weight_rms), json_number(t.survival));
}

}  // namespace

MergeReport merge(const fs::path& base, std::span<const AdapterInput> adapters, const fs::path& out,
                  const MergeOptions& options) {
  return with_qfuse_errors([&] { return merge_checked(base, adapters, out, options); });
}

std::string to_json(const MergeReport& report) {
  return with_qfuse_errors([&] {
    std::string text = "[";
    for (const MergedTensor& row : report.merged) text += (text.size() > 1 ? ",\n  " : "\n  ") + json_of(row);
    return text + "\n]";
  });
}

}  // namespace qfuse::checkpoint
