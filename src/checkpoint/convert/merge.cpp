// LoRA adapters onto their base.
#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <deque>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <qfuse/checkpoint.hpp>
#include <set>
#include <utility>

#include "checkpoint/convert/conversion.h"
#include "checkpoint/convert/decode.h"
#include "checkpoint/convert/encode.h"
#include "checkpoint/convert/merge_rules.h"
#include "checkpoint/convert/merged_weight.h"
#include "checkpoint/convert/quantize.h"
#include "checkpoint/files/adapter.h"
#include "checkpoint/files/components.h"
#include "checkpoint/files/config.h"
#include "checkpoint/files/errors.h"
#include "checkpoint/files/foreign.h"
#include "checkpoint/files/json.h"
#include "checkpoint/files/progress.h"
#include "checkpoint/output/target.h"
#include "format/elements.h"

namespace qfuse::checkpoint {
namespace {

namespace fs = std::filesystem;

constexpr const char* kReadme = "README.md";

HeadTie tie_of(Head head) {
  switch (head) {
    case Head::as_trained: return HeadTie::keep_function;
    case Head::tie: return HeadTie::tie;
    case Head::untie: return HeadTie::untie;
  }
  return HeadTie::keep_function;
}

// What an adapter's directory may have that belongs to the model which it was trained for.
bool is_tokenizers(const fs::path& file) {
  constexpr std::array<std::string_view, 7> kNames{
      "added_tokens.json", "merges.txt", "special_tokens_map.json", "spiece.model",
      "vocab.json",        "vocab.txt",  "preprocessor_config.json"};
  const std::string& name = file.native();
  return name.starts_with("tokenizer") || name.starts_with("chat_template") ||
         std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

// A base's values as the sum begins with them, and what is made of them.
struct MergeTask {
  Tensor tensor;
  std::optional<StoredTensor> replacement;
  std::optional<QuantState> seen_as;  // bitsandbytes' codes, through which the base is seen
  Merging merging;
  Dtype dtype = Dtype::bfloat16;  // of the result
  Exec exec;

  // Scales of those codes wait in `scratch`, behind its first `scratch_begin` bytes.
  [[nodiscard]] PlainWeight base(ScratchFile* scratch, std::int64_t scratch_begin) const {
    if (replacement) return plain_weight(*replacement);
    const PlainWeight stored = decoded_weight(tensor, tensor.quantized_dtype().value_or(dtype), exec);
    if (!seen_as) return stored;
    return weight_through_codes(stored, *seen_as, *scratch, scratch_begin, exec);
  }
  [[nodiscard]] std::int64_t scratch_bytes() const { return seen_as ? absmax_bytes(*seen_as) : 0; }
};

// ---- how much an adapter changes -------------------------------------------------------------------------------

// Sums over a tensor's elements, in fp64.
struct Measured {
  double added = 0.0;   // of squares
  double weight = 0.0;  // of squares
  double kept = 0.0;    // of what was added times what is left of it
};

float element(std::span<const std::byte> values, std::int64_t i, Dtype dtype) {
  return format::load_as_float(values.data(), i, static_cast<qfuse_dtype>(dtype));
}

// `values` as they are when they were encoded to 4 bits and decoded, in fp32; absmax that are not nested.
std::vector<std::byte> through_4bit(std::span<const std::byte> values, Dtype dtype, const QuantState& state) {
  const auto count = static_cast<std::int64_t>(values.size() / dtype_size(dtype));
  Weight4bitArrays encoded(1, count, state.blocksize, state.quant_type, false);
  quantize_4bit(values, dtype, encoded.out());
  std::vector<std::byte> decoded(static_cast<std::size_t>(count) * sizeof(float));
  dequantize_4bit(encoded.view(), decoded, Dtype::float32);
  return decoded;
}

void measure_piece(std::span<const std::byte> base, Dtype base_dtype, std::span<const std::byte> sums,
                   std::span<const std::byte> left, Measured& to) {
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(sums.size() / sizeof(float)); ++i) {
    const double w = element(base, i, base_dtype);
    const double d = element(sums, i, Dtype::float32) - w;
    to.weight += w * w;
    to.added += d * d;
    if (!left.empty()) to.kept += (element(left, i, Dtype::float32) - w) * d;
  }
}

// Of one tensor, piece by piece; `encoded`, if it is given, is what the result becomes.
MergedTensor measured(MergedTensor row, const MergeTask& task, const std::optional<QuantState>& encoded,
                      ScratchFile* scratch, ProgressMeter& meter) {
  constexpr std::int64_t kPiece = 1 << 20;  // elements: whole blocks
  const std::int64_t elements = task.merging.shape.elements();
  const PlainWeight base = task.base(scratch, 0);
  const PlainWeight start = task.base(scratch, 0);  // that the sum reads: each goes its own way through the tensor
  const PlainWeight sums = merged_weight(start, task.merging, Dtype::float32, task.exec);
  Measured m;
  std::vector<std::byte> base_bytes;
  std::vector<std::byte> sum_bytes;
  std::vector<std::byte> rounded;
  for (std::int64_t at = 0; at < elements; at += kPiece) {
    const std::int64_t count = std::min(kPiece, elements - at);
    base_bytes.resize(static_cast<std::size_t>(count) * dtype_size(base.dtype));
    sum_bytes.resize(static_cast<std::size_t>(count) * sizeof(float));
    base.read(at * static_cast<std::int64_t>(dtype_size(base.dtype)), base_bytes);
    sums.read(at * static_cast<std::int64_t>(sizeof(float)), sum_bytes);
    std::vector<std::byte> left;
    if (encoded) {
      rounded.resize(static_cast<std::size_t>(count) * dtype_size(task.dtype));
      for (std::int64_t i = 0; i < count; ++i)
        format::store_rounded(rounded.data(), i, static_cast<qfuse_dtype>(task.dtype),
                              element(sum_bytes, i, Dtype::float32));
      left = through_4bit(rounded, task.dtype, *encoded);
    }
    measure_piece(base_bytes, base.dtype, sum_bytes, left, m);
    meter.advance(row.name, count);
  }
  const auto n = static_cast<double>(std::max(elements, std::int64_t{1}));
  row.added_rms = std::sqrt(m.added / n);
  row.weight_rms = std::sqrt(m.weight / n);
  if (encoded && m.added > 0.0) row.survival = m.kept / m.added;
  return row;
}

// ---- the transform ---------------------------------------------------------------------------------------------

class Merge : public Transform {
 public:
  Merge(std::span<const AdapterInput> inputs, const MergeOptions& options, MergeReport& report)
      : inputs_(inputs), options_(options), report_(report) {
    for (const AdapterInput& input : inputs) {
      if (!std::isfinite(input.weight))
        fail(Status::invalid_argument, "{}: its weight is {}, and must be a number", shown(input.path), input.weight);
      const Adapter& adapter = adapters_.emplace_back(input.path);
      if (!options.allow_nonfinite) adapter.check_finite();
    }
  }

  void try_device(Pipeline& pipeline) const override {
    if (options_.to_4bit) require_encodable(*options_.to_4bit, options_.blocksize, pipeline);
    if (options_.base_as) require_encodable(*options_.base_as, options_.blocksize, pipeline);
    require_decodable(pipeline);
  }

  // With the adapters: those of the same name may hold other values; then they were written at another time.
  [[nodiscard]] nlohmann::json command() const override {
    const auto identity = [](const InputFile& file) {
      const std::timespec modified = file.modified();
      return nlohmann::json{{"bytes", file.size()},
                            {"modified", fmt::format("{}.{:09}", modified.tv_sec, modified.tv_nsec)}};
    };
    nlohmann::json adapters = nlohmann::json::array();
    for (std::size_t i = 0; i < adapters_.size(); ++i)
      adapters.push_back({{"name", printable(adapters_[i].path().filename().native())},
                          {"weight", inputs_[i].weight},
                          {"config", identity(InputFile(adapters_[i].path() / kAdapterConfigFile))},
                          {"file", identity(adapters_[i].file().file())}});
    return {{"command", "merge"},
            {"adapters", adapters},
            {"to", options_.to_4bit ? name_of(*options_.to_4bit) : ""},
            {"base_as", options_.base_as ? name_of(*options_.base_as) : ""},
            {"block_size", options_.blocksize},
            {"double_quant", options_.double_quant},
            {"head", static_cast<int>(options_.head)}};
  }

  [[noreturn]] void refuse(const Model& model) const override {
    fail(Status::invalid_data, "{}: the adapters change nothing of it", model.name());
  }

  [[nodiscard]] bool converts(const Component&) const override { return false; }

  [[nodiscard]] ConversionPlan plan(const Model& model) const override {
    Base base(model);
    check_kind(base);
    base.rules = find_rules(model, base.tensors, weighted(), tie_of(options_.head), base.families, base.config);
    check_base(base);
    if (options_.base_as) base.seen = quantized_names(model, *options_.base_as);
    ConversionPlan plan = options_.to_4bit && !base.is_4bit ? to_4bit(base) : plan_tensors(base);
    report_rows(base);
    finish_plan(base, plan);
    return plan;
  }

 private:
  // What is known of the base before anything is made.
  struct Base {
    const Model& model;
    std::optional<Config> config;
    std::vector<Tensor> tensors;
    Families families;
    MergeRules rules;
    bool is_quantized = false;
    bool is_4bit = false;
    std::set<std::string> seen;  // tensors that are seen through codes

    explicit Base(const Model& of)
        : model(of),
          config(read_config(of)),
          tensors(read_layout(of, int8_dtype(config))),
          families(read_model_types(of)) {
      for (const Tensor& tensor : tensors) {
        is_quantized = is_quantized || tensor.quantized_dtype().has_value();
        is_4bit = is_4bit || std::holds_alternative<StoredWeight4bit>(tensor.storage);
      }
    }
  };

  [[nodiscard]] std::vector<WeightedAdapter> weighted() const {
    std::vector<WeightedAdapter> all;
    for (std::size_t i = 0; i < adapters_.size(); ++i) all.push_back({&adapters_[i], inputs_[i].weight});
    return all;
  }

  // Before an adapter is looked at, which fits none of these.
  static void check_kind(const Base& base) {
    if (const std::string method = base.is_quantized ? "" : foreign_method(base.model, base.config); !method.empty())
      fail(Status::unsupported, "{}: {}", base.model.name(), method);
    if (const std::string kind = foreign_kind(base.model); !kind.empty())
      fail(Status::invalid_argument, "{}: is an adapter itself; BASE comes first", base.model.name());
  }

  void check_base(const Base& base) const {
    if (options_.base_as && base.is_quantized)
      fail(Status::invalid_argument, "{}: is quantized already; --base-as is for a base in 16 or 32 bits",
           base.model.name());
    if (options_.to_4bit && base.is_quantized)
      for (const Tensor& tensor : base.tensors) check_stays_4bit(tensor);
    if ((options_.to_4bit && !base.is_quantized) || options_.base_as)
      for (const Tensor& tensor : base.tensors)
        if (base.families.is_turned(tensor.name, tensor.shape))
          fail(Status::unsupported,
               "{}: keeps '{}' turned, which cannot be merged and quantized at once: merge to 16 bits first",
               base.model.name(), printable(tensor.name));
  }

  // A 4-bit base keeps its kind of codes.
  void check_stays_4bit(const Tensor& tensor) const {
    const auto* weight = std::get_if<StoredWeight4bit>(&tensor.storage);
    if (weight != nullptr && weight->state.quant_type != *options_.to_4bit)
      fail(Status::invalid_argument, "{}: is {}, and cannot become {}: dequantize the base first",
           tensor.values().where(), name_of(weight->state.quant_type), name_of(*options_.to_4bit));
    if (std::holds_alternative<StoredWeightInt8>(tensor.storage))
      fail(Status::invalid_argument, "{}: is LLM.int8, and cannot become {}: dequantize the base first",
           tensor.values().where(), name_of(*options_.to_4bit));
  }

  [[nodiscard]] Dtype plain_dtype(const Tensor& tensor) const {
    if (options_.dtype) return *options_.dtype;
    if (tensor.quantized_dtype()) return *tensor.quantized_dtype();
    const std::optional<Dtype> dtype = dtype_of(tensor.values().entry->type);
    if (!dtype)
      fail(Status::unsupported, "{}: is {}, and only F32, F16 and BF16 can be merged into", tensor.values().where(),
           type_name(tensor.values().entry->type));
    return *dtype;
  }

  [[nodiscard]] MergeTask task_of(const Tensor& tensor, const TensorChange* change, const Base& base) const {
    MergeTask task{tensor, {}, {}, {}, plain_dtype(tensor), options_.exec};
    if (base.seen.contains(tensor.name)) {
      task.seen_as = QuantState{*options_.base_as, options_.blocksize, plain_dtype(tensor), tensor.shape, {}};
      if (options_.double_quant) task.seen_as->nested = NestedState{};
    }
    if (change != nullptr) {
      task.replacement = change->replacement;
      task.merging = change->merging;
      return task;
    }
    const std::int64_t elements = tensor.elements();
    task.merging.shape = {1, elements == 0 ? 0 : 1, elements};
    return task;
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

  [[nodiscard]] ConversionPlan plan_tensors(const Base& base) const {
    ConversionPlan plan;
    DtypeVote vote;
    for (const Tensor& tensor : base.tensors) {
      const auto change = base.rules.changes.find(tensor.name);
      const TensorChange* changed = change == base.rules.changes.end() ? nullptr : &change->second;
      if (base.is_4bit && options_.to_4bit)
        plan.tensors.push_back(stays_quantized(tensor, changed, base));
      else if (changed == nullptr && !tensor.quantized_dtype() && !base.seen.contains(tensor.name))
        plan.tensors.push_back(copied(tensor.values()));
      else
        plan.tensors.push_back(planned_plain(tensor.name, changed == nullptr ? tensor.shape : changed->shape,
                                             task_of(tensor, changed, base)));
      if (tensor.quantized_dtype()) vote.add(plain_dtype(tensor), tensor.elements());
    }
    add_untied(base, plan);
    if (!base.config) return plan;
    Config config = *base.config;
    change_config(base, config);
    plan.config = base.is_quantized && !options_.to_4bit ? config.unquantized(vote.most()) : config.text();
    return plan;
  }

  // The head that was tied to the embedding, and stands in no file of the base.
  void add_untied(const Base& base, ConversionPlan& plan) const {
    for (const auto& [name, change] : base.rules.changes)
      if (std::none_of(base.tensors.begin(), base.tensors.end(),
                       [&, n = name](const Tensor& t) { return t.name == n; }))
        plan.tensors.push_back(planned_plain(name, change.shape, task_of(*change.base, &change, base)));
  }

  [[nodiscard]] PlannedTensor stays_quantized(const Tensor& tensor, const TensorChange* change,
                                              const Base& base) const {
    const auto* weight = std::get_if<StoredWeight4bit>(&tensor.storage);
    if (change == nullptr) return weight == nullptr ? copied(tensor.values()) : copied_parts(tensor);
    if (weight == nullptr || change->replacement)
      return planned_plain(tensor.name, change->shape, task_of(tensor, change, base));
    PlannedTensor planned;
    QuantState state = weight->state;
    EncodedParts parts = encoded_parts(tensor.name, state);
    planned.name = tensor.name;
    planned.converted = true;
    planned.outputs = std::move(parts.arrays);
    planned.text = std::move(parts.quant_state);
    planned.input_bytes = tensor.stored_bytes();
    encode(task_of(tensor, change, base), state, planned);
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
    Changed(const Merge& merge, const Base& base) : merge_(merge), base_(base) {}
    [[nodiscard]] bool has(const std::string& name) const override {
      return base_.rules.changes.contains(name) || base_.seen.contains(name);
    }
    [[nodiscard]] PlannedTensor plain(const Tensor& tensor) const override {
      const TensorChange* change = change_of(tensor.name);
      return planned_plain(tensor.name, change == nullptr ? tensor.shape : change->shape,
                           merge_.task_of(tensor, change, base_));
    }
    void encode(const StoredTensor& stored, bool /*turned: refused before*/, const QuantState& state,
                PlannedTensor& planned) const override {
      const auto tensor = std::find_if(base_.tensors.begin(), base_.tensors.end(),
                                       [&](const Tensor& t) { return t.name == stored.entry->name; });
      Merge::encode(merge_.task_of(*tensor, change_of(tensor->name), base_), state, planned);
    }

   private:
    [[nodiscard]] const TensorChange* change_of(const std::string& name) const {
      const auto found = base_.rules.changes.find(name);
      return found == base_.rules.changes.end() ? nullptr : &found->second;
    }

    const Merge& merge_;
    const Base& base_;
  };

  [[nodiscard]] QuantizeOptions quantize_options(QuantType quant_type) const {
    QuantizeOptions options;
    options.dtype = options_.dtype;
    options.quant_type = quant_type;
    options.blocksize = options_.blocksize;
    options.double_quant = options_.double_quant;
    return options;
  }

  // What quantize() takes of the model.
  [[nodiscard]] std::set<std::string> quantized_names(const Model& model, QuantType quant_type) const {
    class None : public ChangedWeights {
      [[nodiscard]] bool has(const std::string&) const override { return false; }
      [[nodiscard]] PlannedTensor plain(const Tensor&) const override { return {}; }
      void encode(const StoredTensor&, bool, const QuantState&, PlannedTensor&) const override {}
    };
    std::set<std::string> names;
    for (const PlannedTensor& tensor : plan_quantization(model, quantize_options(quant_type), None()).tensors)
      if (tensor.converted) names.insert(tensor.name);
    return names;
  }

  [[nodiscard]] ConversionPlan to_4bit(const Base& base) const {
    ConversionPlan plan = plan_quantization(base.model, quantize_options(*options_.to_4bit), Changed(*this, base));
    add_untied(base, plan);
    if (!plan.config.empty() && (base.rules.unties_head || base.rules.vocabulary)) {
      Config config(plan.config, std::string(kConfigFile));
      change_config(base, config);
      plan.config = config.text();
    }
    return plan;
  }

  static void change_config(const Base& base, Config& config) {
    if (base.rules.unties_head) config.untie();
    if (base.rules.vocabulary) config.grow({base.rules.old_vocabulary, *base.rules.vocabulary});
  }

  // ---- what is said of it ----

  // Of each changed tensor; measured where the caller only wants to know, or where an adapter may not survive.
  void report_rows(const Base& base) const {
    const bool may_be_lost = base.is_4bit && options_.to_4bit;
    report_.merged.clear();
    std::int64_t elements = 0;
    for (const auto& [name, change] : base.rules.changes) elements += change.merging.shape.elements();
    ProgressMeter meter(options_.progress, elements);
    std::set<std::string> encoded;
    if (options_.to_4bit && !base.is_quantized) encoded = quantized_names(base.model, *options_.to_4bit);
    for (const auto& [name, change] : base.rules.changes) {
      constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
      MergedTensor row{name, change.shape, change.rule, change.rank, change.scale, kUnknown, kUnknown, kUnknown};
      if (options_.dry_run || may_be_lost) {
        const MergeTask task = task_of(*change.base, &change, base);
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
    if (options_.least_survival <= 0.0) return;
    const MergedTensor* worst = nullptr;
    for (const MergedTensor& row : report_.merged)
      if (row.survival < options_.least_survival && (worst == nullptr || row.survival < worst->survival)) worst = &row;
    if (worst != nullptr)
      fail(Status::invalid_data,
           "tensor '{}': of what the adapter adds, {:.1f} % is left when the sum is quantized again, less than {:.0f} "
           "%: "
           "merge to 16 bits, or onto the 16-bit base with --to {}; --fail-below 0 does it all the same",
           printable(worst->name), 100.0 * worst->survival, 100.0 * options_.least_survival,
           name_of(*options_.to_4bit));
  }

  void finish_plan(const Base& base, ConversionPlan& plan) const {
    std::string adapters;
    for (std::size_t i = 0; i < adapters_.size(); ++i)
      adapters += fmt::format("{}{}@{}", i == 0 ? "" : ", ", printable(adapters_[i].path().filename().native()),
                              inputs_[i].weight);
    const std::string seen = options_.base_as ? fmt::format(" as {}", name_of(*options_.base_as)) : "";
    plan.metadata = {{"qfuse_merge", fmt::format("base {}{}; adapters {}", base_name(base), seen, adapters)}};
    note_base(base, plan.notes);
    if (!base.model.is_directory()) return;
    plan.texts[kReadme] = readme(base, seen);
    for (const Adapter& adapter : adapters_)
      for (const fs::path& name : list_directory(adapter.path()))
        if (is_tokenizers(name) && fs::is_regular_file(adapter.path() / name))
          plan.further_files[name] = adapter.path() / name;
  }

  static std::string base_name(const Base& base) {
    return printable(fs::absolute(base.model.path()).lexically_normal().filename().native());
  }

  // Onto which base is the one question that no file answers.
  void note_base(const Base& base, std::vector<std::string>& notes) const {
    for (const Adapter& adapter : adapters_) {
      const std::string& trained_on = adapter.config().base_model();
      const bool says_4bit = trained_on.find("4bit") != trained_on.npos || trained_on.find("4-bit") != trained_on.npos;
      if (says_4bit && !base.is_quantized && !options_.base_as)
        notes.push_back(
            fmt::format("{}: was trained on '{}', which is quantized: --base-as nf4 merges it onto what it saw",
                        adapter.name(), printable(trained_on)));
    }
  }

  [[nodiscard]] std::string readme(const Base& base, const std::string& seen) const {
    std::string text = fmt::format(
        "# Merged model\n\nMade by qfuse {} of a base and {} LoRA adapter{}; each weight is their sum, rounded "
        "once.\n\n"
        "| what | where from | weight |\n|---|---|---|\n| base | {}{} | |\n",
        qfuse_version(), adapters_.size(), adapters_.size() == 1 ? "" : "s", base_name(base), seen);
    for (std::size_t i = 0; i < adapters_.size(); ++i) {
      const std::string& trained_on = adapters_[i].config().base_model();
      text += fmt::format("| adapter | {}{} | {} |\n", printable(adapters_[i].path().filename().native()),
                          trained_on.empty() ? "" : ", trained on " + printable(trained_on), inputs_[i].weight);
    }
    return text + fmt::format("\n{} tensors were changed.{}\n", base.rules.changes.size(),
                              base.rules.unties_head ? " The output head is no longer tied to the embedding." : "");
  }

  std::span<const AdapterInput> inputs_;
  const MergeOptions& options_;
  MergeReport& report_;
  std::deque<Adapter> adapters_;  // tensors point into them
};

MergeReport merge_checked(const fs::path& base, std::span<const AdapterInput> adapters, const fs::path& out,
                          const MergeOptions& options) {
  if (adapters.empty()) fail(Status::invalid_argument, "no adapter is given");
  if (is_pipeline(base))
    fail(Status::unsupported, "{}: is a diffusers pipeline: merge into the folder of one of its models", shown(base));
  MergeReport report;
  const Merge transform(adapters, options, report);
  for (const AdapterInput& adapter : adapters) {
    check_apart(out, adapter.path);
    check_neighbours(out, adapter.path);
  }
  static_cast<ConversionReport&>(report) = convert(base, out, options, transform);
  return report;
}

std::string json_of(const MergedTensor& t) {
  return fmt::format(
      R"({{"name": {}, "rule": {}, "rank": {}, "scale": {}, "added_rms": {}, "weight_rms": {}, "survival": {}}})",
      json_string(t.name), json_string(t.rule), t.rank, json_number(t.scale), json_number(t.added_rms),
      json_number(t.weight_rms), json_number(t.survival));
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
