// Merges LoRA adapters into their base model.
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <qfuse/checkpoint.hpp>
#include <utility>

#include "checkpoint/convert/check_output.h"
#include "checkpoint/convert/conversion.h"
#include "checkpoint/convert/encode.h"
#include "checkpoint/convert/quantization_records.h"
#include "checkpoint/convert/quantize.h"
#include "checkpoint/convert/quantize_fp8.h"
#include "checkpoint/files/components.h"
#include "checkpoint/files/errors.h"
#include "checkpoint/files/foreign.h"
#include "checkpoint/files/hub.h"
#include "checkpoint/files/json.h"
#include "checkpoint/merge/back_to_blocks.h"
#include "checkpoint/merge/find_base.h"
#include "checkpoint/merge/merge_figures.h"
#include "checkpoint/merge/merge_texts.h"
#include "checkpoint/merge/merged_model.h"
#include "checkpoint/merge/sum.h"
#include "checkpoint/names/names.h"
#include "checkpoint/names/plain_names.h"
#include "checkpoint/output/shards_plan.h"
#include "checkpoint/output/target.h"

namespace qfuse::checkpoint {
namespace {

namespace fs = std::filesystem;

class Merge : public Transform {
 public:
  Merge(std::span<const AdapterInput> inputs, const MergeOptions& options)
      : options_(options), adapters_(inputs, options.allow_nonfinite) {}

  void try_device(Pipeline& pipeline) const override {
    if (options_.to_4bit) require_encodable(*options_.to_4bit, options_.blocksize, pipeline);
    if (options_.base_as) require_encodable(*options_.base_as, options_.blocksize, pipeline);
    require_mergeable(pipeline);
  }

  // Includes the adapters, because they are not among the inputs of a plan.
  [[nodiscard]] nlohmann::json command() const override {
    nlohmann::json adapters = nlohmann::json::array();
    for (const auto& [adapter, weight] : adapters_.all()) {
      adapters.push_back({{"name", spoken_name(adapter->path())},
                          {"weight", weight},
                          {"file", file_identity(adapter->file().file())}});
      if (adapter->is_directory())
        adapters.back()["config"] = file_identity(InputFile(adapter->path() / kAdapterConfigFile));
    }
    return {{"command", "merge"},
            {"adapters", adapters},
            {"to", options_.to_4bit     ? name_of(*options_.to_4bit)
                   : options_.to_blocks ? name_of(*options_.to_blocks)
                                        : ""},
            {"ue8m0", options_.ue8m0},
            {"keep_scales", options_.keep_scales},
            {"base_as", options_.base_as ? name_of(*options_.base_as) : ""},
            {"block_size", options_.blocksize},
            {"double_quant", options_.double_quant},
            {"include", options_.include},
            {"exclude", options_.exclude},
            {"prefix", options_.prefix},
            {"head", static_cast<int>(options_.head)},
            {"lora_b_layout", static_cast<int>(options_.lora_b_layout)}};
  }

  [[noreturn]] void refuse(const Model& model) const override {
    fail(Status::invalid_data, "{}: the adapters change nothing of it", model.name());
  }

  [[nodiscard]] bool converts(const Component& component) const override {
    return !adapters_.of(component.name).empty();
  }

  [[nodiscard]] CardChanges card() const override {
    CardChanges changes{.tags = {"lora", "qfuse"}};
    if (options_.to_4bit)
      changes.tags.insert(changes.tags.begin(), {"4-bit", "bitsandbytes"});
    else if (options_.to_blocks)
      changes.tags.insert(changes.tags.begin(), std::string(name_of(*options_.to_blocks)));
    else
      changes.old_tags = kTagsOfQuantized;
    const auto trained_on = [](const WeightedAdapter& one) { return hub_model(one.adapter->config().base_model()); };
    for (const WeightedAdapter& one : adapters_.all())
      if (const std::optional<HubModel> model = trained_on(one); model && model->id.find('/') != model->id.npos)
        changes.base_model = model->id;
    return changes;
  }

  // Must be called before anything is planned.
  void settle(const fs::path& base) { adapters_.settle(base, options_.components); }

  [[nodiscard]] ConversionPlan plan(const Model& model, const std::string& component) override {
    check_kind(model);
    if (!options_.to_4bit) check_names(model);
    const MergedModel base(model, adapters_.of(component), way());
    check_base(base);
    const std::string prefix = name_prefix({component, "", ""});
    const bool quantizes = options_.to_4bit ? !base.is_4bit() : options_.to_blocks && !base.is_quantized();
    ConversionPlan plan = quantizes ? to_codes(base, prefix) : plan_tensors(base, prefix);
    describe(base, options_, card(), plan);
    is_trained_for_it_ = is_trained_for(base, options_);
    if (!options_.to_blocks) drop_quantization_records(base.layout(), model, base.config(), plan);
    check_output(model, base.tensors(), options_, plan);
    if (options_.to_blocks)
      for (const StoredTensor& scale : base.layout().activation_scales) plan.tensors.push_back(copied(scale));
    return plan;
  }

  // Puts the rows of tensors that were made into the report, and fails if too little is left of an adapter.
  void made(const std::string& component, std::span<const PlannedTensor> tensors) override {
    const Row* worst = nullptr;
    for (const PlannedTensor& tensor : tensors) {
      const auto found = rows_.find(name_prefix({component, "", ""}) + tensor.name);
      if (found == rows_.end()) continue;
      Row& row = found->second;
      row.is_made = true;
      if (row.figures) row.figures->put_into(row.said, row.is_encoded);
      if (is_lost(row) && (worst == nullptr || row.said.survival < worst->said.survival)) worst = &row;
    }
    if (worst == nullptr) return;
    if (!options_.dry_run) fail(Status::invalid_data, "{}", said_lost(*worst));
    if (refused_.empty()) refused_ = said_lost(*worst);
  }

  // The error that a dry run predicts for the real run; "" if none.
  [[nodiscard]] const std::string& refused() const { return refused_; }

  // The rows of tensors that were made, by name.
  [[nodiscard]] std::vector<MergedTensor> merged_tensors() const {
    std::vector<MergedTensor> tensors;
    for (const auto& [name, row] : rows_)
      if (row.is_made) tensors.push_back(row.said);
    return tensors;
  }

 private:
  struct Row {
    MergedTensor said;
    bool is_encoded = false;
    bool was_encoded = false;               // the base's values are decoded codes
    std::shared_ptr<MergeFigures> figures;  // NULL: not measured
    bool is_made = false;
  };

  [[nodiscard]] MergeWay way() const {
    return {options_.dtype,
            options_.base_as,
            options_.blocksize,
            options_.double_quant,
            options_.include,
            options_.exclude,
            {options_.prefix, options_.head, options_.lora_b_layout}};
  }

  // Fails for a model that no adapter fits, before an adapter is read.
  static void check_kind(const Model& model) {
    const std::optional<Config> config = read_config(model);
    if (const std::string method = foreign_method(model, config, read_layout(model, config).tensors); !method.empty())
      fail(Status::unsupported, "{}: {}", model.name(), method);
    if (peft_content(model) == PeftContent::adapter)
      fail(Status::invalid_argument, "{}: is an adapter itself; BASE comes first", model.name());
    if (const std::string kind = foreign_kind(model); !kind.empty())
      fail(Status::unsupported, "{}: {}", model.name(), kind);
  }

  // Fails if the decoded model has other names, before the adapter's names are looked up. Names of plain tensors are
  // the same in both.
  static void check_names(const Model& model) {
    const std::vector<Tensor> tensors = read_layout(model, read_config(model)).tensors;
    if (std::ranges::any_of(tensors, [](const Tensor& tensor) { return tensor.quantized_dtype().has_value(); }) &&
        plain_names(read_model_types(model), tensors, model.name()).are_other_names())
      fail(Status::unsupported,
           "{}: its layers are those of a loader of 4-bit models alone: dequantize it, and merge onto that",
           model.name());
  }

  void check_base(const MergedModel& base) const {
    const bool quantizes = (options_.to_4bit || options_.to_blocks) && !base.is_quantized();
    const bool chooses = options_.base_as || quantizes;
    if (options_.keep_scales && quantizes)
      fail(Status::invalid_argument, "{}: is not quantized, and has no scales that `keep_scales` could keep",
           base.model().name());
    if (!chooses && !(options_.include.empty() && options_.exclude.empty()))
      fail(Status::invalid_argument,
           "{}: `include` and `exclude` say what is quantized of a base in 16 or 32 bits, with `base_as` or `to`",
           base.model().name());
    if (options_.to_4bit && base.is_quantized())
      for (const Tensor& tensor : base.tensors()) check_stays_4bit(tensor);
    if (options_.to_blocks) require_blocks(base, *options_.to_blocks);
    if (chooses)
      for (const Tensor& tensor : base.tensors())
        if (base.families().is_transposed(tensor.name, tensor.shape))
          fail(Status::unsupported,
               "{}: keeps '{}' transposed, which cannot be merged and quantized at once: merge to 16 bits first",
               base.model().name(), printable(tensor.name));
  }

  // Fails if a 4-bit base would have to change its type of codes.
  void check_stays_4bit(const Tensor& tensor) const {
    const auto* weight = std::get_if<StoredWeight4bit>(&tensor.storage);
    if (weight != nullptr && weight->state.quant_type != *options_.to_4bit)
      fail(Status::invalid_argument, "{}: is {}, and cannot become {}: dequantize the base first",
           tensor.values().where(), name_of(weight->state.quant_type), name_of(*options_.to_4bit));
    if (tensor.quantized_dtype() && weight == nullptr)
      fail(Status::invalid_argument, "{}: is {}, and cannot become {}: dequantize the base first",
           tensor.values().where(), tensor.format(), name_of(*options_.to_4bit));
  }

  // The source of a tensor that is not copied: adapters change it, or it is only decoded, cast, or rounded to 4 bits
  // first (`base_as`). `encoded` is the round trip of the output's format, empty if the output is plain.
  PlannedSource source_of(const MergedModel& base, const std::string& prefix, const std::string& name,
                          const Tensor& tensor, const RoundTrip& encoded = {}) {
    const TensorChange* change = base.change_of(name);
    const MergeTask task = base.task(tensor, change);
    PlannedSource source{.shape = change == nullptr ? tensor.shape : change->shape,
                         .dtype = task.dtype,
                         .input_bytes = tensor.stored_bytes(),
                         .scratch_bytes = task.scratch_bytes()};
    if (change == nullptr || !add_row(base, prefix + name, *change, encoded.begin != nullptr).figures) {
      source.open = [task](ScratchFile* scratch) { return merged(task.base(scratch), task.merging, task.dtype); };
      return source;
    }
    source.measured = true;
    source.open = [task, encoded, figures = rows_.at(prefix + name).figures](ScratchFile* scratch) {
      return measured(task.base_in_parts(scratch), task.merging, task.dtype, encoded, figures);
    };
    return source;
  }

  // Adds a changed tensor to the report. A dry run measures how large the change is. So does a merge to codes, because
  // the change may be lost in them.
  Row& add_row(const MergedModel& base, const std::string& name, const TensorChange& change, bool is_encoded) {
    constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
    Row row{{name, change.shape, change.rule, change.rank, change.scale, kUnknown, kUnknown, kUnknown},
            is_encoded,
            was_encoded(*change.base) || base.is_seen(change.base->name),
            {}};
    if (options_.dry_run || is_encoded) row.figures = std::make_shared<MergeFigures>();
    return rows_.insert_or_assign(name, std::move(row)).first->second;
  }

  // ---- to 16 or 32 bits, or back to the base's own codes ----

  // Whether the base's tensor has codes of a kind that a merge back to the base's format makes again.
  [[nodiscard]] bool was_encoded(const Tensor& base) const {
    return std::holds_alternative<StoredWeight4bit>(base.storage) || (options_.to_blocks && base.quantized_dtype());
  }

  [[nodiscard]] bool stays_encoded(const MergedModel& base) const {
    return (base.is_4bit() && options_.to_4bit) || (base.is_quantized() && options_.to_blocks);
  }

  [[nodiscard]] ConversionPlan plan_tensors(const MergedModel& base, const std::string& prefix) {
    ConversionPlan plan;
    DtypeVote vote;
    for (const Tensor& tensor : base.tensors()) {
      const bool is_changed = base.change_of(tensor.name) != nullptr;
      if (stays_encoded(base))
        plan.tensors.push_back(is_changed ? stays_quantized(tensor, base, prefix) : copied_parts(tensor));
      else if (!is_changed && !tensor.quantized_dtype() && !base.is_seen(tensor.name) && !base.is_cast(tensor))
        plan.tensors.push_back(copied(tensor.values()));
      else
        plan.tensors.push_back(planned_plain(tensor.name, source_of(base, prefix, tensor.name, tensor)));
      if (tensor.quantized_dtype()) vote.add(base.plain_dtype(tensor), tensor.elements());
    }
    add_untied(base, prefix, plan);
    note_other_dtypes(base, plan);
    if (!base.config()) return plan;
    Config config = *base.config();
    change_config(base, config);
    if (!base.is_quantized() && config.drop_quantization())
      plan.notes.push_back(
          fmt::format("{}: its config.json says that it is quantized, and its weights are plain: the output's does not",
                      base.model().name()));
    if (options_.dtype && !options_.to_4bit) config.set_dtype(*options_.dtype);
    plan.config = base.is_quantized() && !stays_encoded(base) ? config.unquantized(vote.most()) : config.text();
    return plan;
  }

  // Notes tensors of other dtypes, because users who ask for a dtype may expect it of the whole model.
  void note_other_dtypes(const MergedModel& base, ConversionPlan& plan) const {
    if (!options_.dtype || options_.to_4bit) return;
    const auto has_another = [&](const PlannedTensor& tensor) {
      return std::ranges::any_of(tensor.outputs, [&](const TensorEntry& entry) {
        const std::optional<Dtype> dtype = dtype_of(entry.type);
        return dtype && *dtype != *options_.dtype;
      });
    };
    if (const auto others = std::ranges::count_if(plan.tensors, has_another); others > 0)
      plan.notes.push_back(fmt::format("{}: tensors that keep their own dtype, which is not the model's: {}",
                                       base.model().name(), others));
  }

  // Adds the head that was tied to the embedding, and that no file of the base has.
  void add_untied(const MergedModel& base, const std::string& prefix, ConversionPlan& plan) {
    for (const auto& [name, change] : base.rules().changes)
      if (!base.has(name)) plan.tensors.push_back(planned_plain(name, source_of(base, prefix, name, *change.base)));
  }

  [[nodiscard]] PlannedTensor stays_quantized(const Tensor& tensor, const MergedModel& base,
                                              const std::string& prefix) {
    if (options_.to_blocks && tensor.quantized_dtype()) {
      const BlockTensors blocks = blocks_of(base, tensor, options_);
      return planned_blocks(tensor.name, source_of(base, prefix, tensor.name, tensor, through_blocks(blocks.encoding)),
                            blocks);
    }
    const auto* weight = std::get_if<StoredWeight4bit>(&tensor.storage);
    if (weight == nullptr || base.change_of(tensor.name)->replacement)
      return planned_plain(tensor.name, source_of(base, prefix, tensor.name, tensor));
    if (options_.keep_scales)
      return planned_codes(tensor.name,
                           source_of(base, prefix, tensor.name, tensor, through_4bit(weight->state, *weight)),
                           weight->packed, tensor.parts);
    PlannedTensor planned = planned_encoded(
        tensor.name, source_of(base, prefix, tensor.name, tensor, through_4bit(weight->state)), weight->state);
    const TensorEntry& codes = *weight->packed.entry;  // of another type than U8 if training sharded them (FSDP)
    TensorEntry& written = planned.outputs.front();
    if (codes.bytes() == written.bytes()) {
      written.type = codes.type;
      written.shape = codes.shape;
    }
    return planned;
  }

  static PlannedTensor copied_parts(const Tensor& tensor) {
    if (!tensor.quantized_dtype()) return copied(tensor.values());
    PlannedTensor planned;
    planned.name = tensor.name;
    for (const StoredTensor& part : tensor.parts) planned.outputs.push_back(*part.entry);
    planned.input_bytes = planned.progress_bytes = tensor.stored_bytes();
    planned.open = [parts = tensor.parts](ScratchFile*) {
      OpenedTensor opened;
      for (const StoredTensor& part : parts) opened.sources.push_back(stored(part));
      return opened;
    };
    return planned;
  }

  // ---- from 16 bits to codes, as quantize() would encode the merged model ----

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

  [[nodiscard]] ConversionPlan to_codes(const MergedModel& base, const std::string& prefix) {
    std::vector<std::string> new_modules;
    for (const auto& [name, change] : base.rules().changes)
      if (name.ends_with(kWeightSuffix) && !base.has(name)) new_modules.emplace_back(module_of(name));
    const auto changed = [&](const Tensor& tensor, const RoundTrip& encoded) -> std::optional<PlannedSource> {
      const bool is_same =
          base.change_of(tensor.name) == nullptr && !base.is_seen(tensor.name) && !base.is_cast(tensor);
      if (is_same) return std::nullopt;
      return source_of(base, prefix, tensor.name, tensor, encoded);
    };
    ConversionPlan plan =
        options_.to_4bit
            ? plan_quantization(base.model(), quantize_options(), changed, new_modules)
            : plan_fp8(base.model(), {options_.ue8m0, options_.include, options_.exclude}, changed, new_modules);
    add_untied(base, prefix, plan);
    if (!plan.config.empty() && (base.rules().unties || base.rules().vocabulary || options_.dtype)) {
      Config config(plan.config, std::string(kConfigFile));
      change_config(base, config);
      if (options_.dtype) config.set_dtype(*options_.dtype);
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

  // The share that is left may be negative, so a bound of 0 means no bound. A 16-bit base that was not decoded from 4
  // bits keeps all of an adapter on average, so a deviation by chance must not count as a loss there. The same holds if
  // blocks get new scales, because all their values are then rounded anew.
  [[nodiscard]] bool is_lost(const Row& row) const {
    constexpr double kStandardErrors = 3.0;
    if (!row.figures || options_.fail_below <= 0.0 || is_trained_for_it_) return false;
    const double chance =
        row.was_encoded && !options_.to_blocks ? 0.0 : kStandardErrors * row.figures->survival_error();
    return row.said.survival + chance < options_.fail_below;
  }

  [[nodiscard]] std::string said_lost(const Row& worst) const {
    const std::string_view from = options_.base_as    ? "or leave out `base_as`"
                                  : worst.was_encoded ? "or from the 16-bit base"
                                                      : "or from the base as it was before it had 4 bits";
    return fmt::format(
        "tensor '{}': of what the adapter adds, {:.1f} % is left when the sum is quantized, less than {:.0f} %: merge "
        "to 16 bits, {}; to write it anyway: `fail_below` 0",
        printable(worst.said.name), 100.0 * worst.said.survival, 100.0 * options_.fail_below, from);
  }

  const MergeOptions& options_;
  Adapters adapters_;
  std::map<std::string, Row> rows_;  // by name, in a pipeline with the component
  bool is_trained_for_it_ = false;
  std::string refused_;
};

// Fails if base and adapter were exchanged, before one is read as the other.
void refuse_exchanged(const fs::path& base, std::span<const AdapterInput> adapters) {
  std::error_code error;
  const auto is_adapter = [&](const fs::path& path) { return fs::exists(path / kAdapterConfigFile, error); };
  const auto is_model = [&](const fs::path& path) {
    return fs::exists(path / kConfigFile, error) || fs::exists(path / "model.safetensors", error);
  };
  if (!is_adapter(base) || is_model(base)) return;
  for (const AdapterInput& adapter : adapters)
    if (!is_adapter(adapter.path) && is_model(adapter.path))
      fail(Status::invalid_argument, "{}: is an adapter, and {} a model; the base comes first: `qfuse merge {} {}`",
           shown(base), shown(adapter.path), shown(adapter.path), shown(base));
}

MergeReport merge_checked(const fs::path& given_base, std::span<const AdapterInput> given_adapters, const fs::path& out,
                          const MergeOptions& options) {
  if (given_adapters.empty()) fail(Status::invalid_argument, "no adapter is given");
  if (options.to_blocks && (options.to_4bit || options.dtype))
    fail(Status::invalid_argument, "the output is {}: neither a dtype nor another format can be asked for",
         name_of(*options.to_blocks));
  if (options.keep_scales && ((!options.to_blocks && !options.to_4bit) || options.ue8m0))
    fail(Status::invalid_argument, "`keep_scales` is of nf4, fp4, fp8, mxfp4, nvfp4 and int4, and not with `ue8m0`");
  if (options.ue8m0 && options.to_blocks != BlockFormat::fp8)
    fail(Status::invalid_argument,
         "`ue8m0` is of fp8: mxfp4 has no other scales, nvfp4 keeps them, int4 has none of them");
  if (!(options.fail_below >= 0.0 && options.fail_below <= 1.0))
    fail(Status::invalid_argument, "`fail_below` is {}, must be a share from 0 to 1", options.fail_below);
  const fs::path base = given_base.empty() ? find_base(given_adapters.front().path) : located(given_base);
  const std::vector<AdapterInput> adapters = located_all(given_adapters);
  refuse_exchanged(base, adapters);
  Merge transform(adapters, options);
  transform.settle(base);
  for (const AdapterInput& adapter : adapters) {
    check_apart(out, adapter.path);
    check_neighbours(out, adapter.path);
  }
  MergeReport report{convert(base, out, options, transform), {}, {}};
  report.merged = transform.merged_tensors();
  report.refused = transform.refused();
  if (given_base.empty())
    report.notes.insert(report.notes.begin(), fmt::format("{}: is the base, as the adapter says", shown(base)));
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
