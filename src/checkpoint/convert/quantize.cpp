// Quantizes plain weights to 4 bits. Everything but the printed length of each quant_state follows from the headers, so
// the quant_state is a PlannedTensor's text.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <qfuse/checkpoint.hpp>
#include <set>
#include <utility>

#include "checkpoint/convert/conversion.h"
#include "checkpoint/convert/encode.h"
#include "checkpoint/convert/importance.h"
#include "checkpoint/convert/notes.h"
#include "checkpoint/convert/quantize.h"
#include "checkpoint/convert/transpose.h"
#include "checkpoint/files/config.h"
#include "checkpoint/files/errors.h"
#include "checkpoint/files/foreign.h"
#include "checkpoint/files/layout.h"
#include "checkpoint/names/families.h"
#include "checkpoint/names/linear.h"
#include "checkpoint/names/patterns.h"

namespace qfuse::checkpoint {
namespace {

std::vector<Tensor> read_plain_layout(const Model& model, const std::optional<Config>& config) {
  std::vector<Tensor> tensors = read_layout(model, config).tensors;
  for (const Tensor& tensor : tensors)
    if (tensor.quantized_dtype())
      fail(Status::invalid_data, "{}: is quantized already: dequantize the checkpoint first", tensor.values().where());
  return tensors;
}

void refuse_foreign(const Model& model, const std::optional<Config>& config, std::span<const Tensor> tensors) {
  if (const std::string method = foreign_method(model, config, tensors); !method.empty())
    fail(Status::unsupported, "{}: {}", model.name(), method);
  if (const std::string kind = foreign_kind(model); !kind.empty())
    fail(Status::unsupported, "{}: {}", model.name(), kind);
}

// Fails for plain stacks of experts in a family that transformers loads quantized only with experts stored one by one.
// With some stacks in 4 bits, the output is for other readers anyway.
void refuse_plain_stacks(const ExpertCount& experts, const Families& families, const Model& model) {
  if (families.is_quantizable() || experts.stack_bytes == 0 || experts.stacks_4bit > 0) return;
  fail(Status::unsupported,
       "{}: is of type '{}': transformers loads such a model quantized only if its experts are stored one by one, and "
       "here they are one tensor; load it with transformers' BitsAndBytesConfig instead, or quantize it with `experts` "
       "for other readers",
       model.name(), printable(families.name()));
}

// Whether a pipeline's component is usually large and loses little when quantized: denoisers and language models.
// Autoencoders, vision models and controlnets stay as they are, as is usual among diffusers' users.
bool is_large_model(const Component& component) {
  constexpr std::array<std::string_view, 4> kClasses{"DiT", "Transformer", "UNet", "UVit"};
  constexpr std::array<std::string_view, 3> kNames{"language_model", "mllm", "text_encoder"};
  return std::any_of(kClasses.begin(), kClasses.end(),
                     [&](std::string_view part) { return component.class_name.find(part) != std::string::npos; }) ||
         std::any_of(kNames.begin(), kNames.end(),
                     [&](std::string_view beginning) { return component.name.starts_with(beginning); });
}

class Quantization : public Transform {
 public:
  explicit Quantization(const QuantizeOptions& options, SourceOf source_of = {},
                        std::vector<std::string> new_modules = {})
      : options_(options),
        source_of_(std::move(source_of)),
        new_modules_(std::move(new_modules)),
        importance_(options.importance) {
    if (!options.importance.empty() && options.double_quant)
      fail(Status::invalid_argument,
           "`importance` chooses scales that may be negative, which cannot be nested: it needs `double_quant` off");
  }

  void try_device(Pipeline& pipeline) const override {
    require_encodable(options_.quant_type, options_.blocksize, pipeline);
  }

  [[nodiscard]] nlohmann::json command() const override {
    nlohmann::json command = of_options();
    if (!options_.importance.empty()) command["importance"] = importance_.identity();
    return command;
  }

  [[nodiscard]] nlohmann::json of_options() const {
    return {{"command", "quantize"},
            {"type", name_of(options_.quant_type)},
            {"block_size", options_.blocksize},
            {"double_quant", options_.double_quant},
            {"experts", options_.experts},
            {"include", options_.include},
            {"exclude", options_.exclude}};
  }

  [[noreturn]] void refuse(const Model& model) const override {
    fail(Status::invalid_data,
         "{}: nothing to quantize: none of its {} tensors is the weight of a linear layer{} that transformers loads "
         "quantized",
         model.name(), read_plain_layout(model, read_config(model)).size(),
         options_.exclude.empty() ? "" : ", not excluded,");
  }

  [[nodiscard]] bool converts(const Component& component) const override { return is_large_model(component); }
  [[nodiscard]] CardChanges card() const override {
    return {.relation = "quantized", .tags = {"4-bit", "bitsandbytes", "qfuse"}};
  }

  [[nodiscard]] ConversionPlan plan(const Model& model, const std::string& component) override {
    if (!options_.importance.empty() && !component.empty())
      fail(Status::unsupported,
           "{}: is a component of a pipeline: `importance` has the weights of one model, so quantize the folder alone",
           model.name());
    const std::optional<Config> config = read_config(model);
    const std::vector<Tensor> tensors = read_plain_layout(model, config);
    refuse_foreign(model, config, tensors);
    check_patterns("include", options_.include, model, tensors);
    check_patterns("exclude", options_.exclude, model, tensors);
    const Families families(read_model_types(model));
    ConversionPlan plan;
    note_families(families, model, plan.notes);
    LinearLayers layers;
    for (const Tensor& tensor : tensors) {
      const TensorEntry& entry = *tensor.values().entry;
      const bool asked = is_asked(entry);
      layers.add(entry, asked || is_default(entry, families), asked);
    }
    if (config) layers.add_further(further_plain_modules(*config, families));
    layers.add_further(new_modules_);
    const std::set<std::string> quantized = layers.settle();
    DtypeVote vote;
    ExpertCount experts;
    std::int64_t transposed_ones = 0;
    for (const Tensor& tensor : tensors) {
      const StoredTensor& values = tensor.values();
      count_experts(*values.entry, quantized.contains(tensor.name), experts);
      if (!quantized.contains(tensor.name)) {
        plan.tensors.push_back(planned_unquantized(tensor));
        plan.tensors.back().kept_as =
            matches_any(tensor.name, options_.exclude) ? "excluded" : std::string(kind_of(*values.entry));
        continue;
      }
      plan.tensors.push_back(planned(tensor, families));
      vote.add(output_dtype(*values.entry), tensor.elements());
      transposed_ones += families.is_transposed(tensor.name, tensor.shape) ? 1 : 0;
      if (layer_of(*values.entry) == Layer::other)
        plan.notes.push_back(fmt::format(
            "{}: is no linear layer's by its name; transformers does not load it quantized", values.where()));
    }
    if (!quantized.empty()) importance_.note_unused(plan.notes);
    refuse_plain_stacks(experts, families, model);
    note_transposed(transposed_ones, families, model, plan.notes);
    if (!source_of_) note_experts(experts, options_.experts, model, plan.notes);  // merge has no such option
    if (config)
      plan.config = config->quantized(
          {options_.quant_type, options_.double_quant, vote.most(), layers.modules_to_skip(leaves_out_head(*config))});
    return plan;
  }

 private:
  [[nodiscard]] bool is_asked(const TensorEntry& entry) const {
    return is_encodable(entry) && !matches_any(entry.name, options_.exclude) &&
           matches_any(entry.name, options_.include);
  }
  [[nodiscard]] bool is_default(const TensorEntry& entry, const Families& families) const {
    if (!is_encodable(entry) || matches_any(entry.name, options_.exclude)) return false;
    const Layer layer = layer_of(entry);
    const bool expert =
        layer == Layer::expert || (layer == Layer::stack && has_whole_blocks(entry, options_.blocksize));
    return (layer == Layer::linear || (expert && options_.experts)) && !families.stays_plain(entry.name);
  }

  void count_experts(const TensorEntry& entry, bool quantized, ExpertCount& experts) const {
    const Layer layer = layer_of(entry);
    if (layer == Layer::expert && !quantized) experts.single_bytes += entry.bytes();
    if (layer == Layer::stack && quantized) ++experts.stacks_4bit;
    if (layer != Layer::stack || quantized) return;
    experts.stack_bytes += entry.bytes();
    if (options_.experts && is_encodable(entry) && !has_whole_blocks(entry, options_.blocksize))
      ++experts.uneven_stacks;
  }

  // The dtype that an encodable tensor will decode to.
  [[nodiscard]] Dtype output_dtype(const TensorEntry& entry) const {
    return options_.dtype.value_or(*dtype_of(entry.type));
  }

  // The source of a tensor that is changed on the way; none if it is not changed.
  [[nodiscard]] std::optional<PlannedSource> changed(const Tensor& tensor, const RoundTrip& encoded) const {
    return source_of_ ? source_of_(tensor, encoded) : std::nullopt;
  }

  [[nodiscard]] PlannedTensor planned_unquantized(const Tensor& tensor) const {
    const std::optional<PlannedSource> source = changed(tensor, {});
    return source ? planned_plain(tensor.name, *source) : copied(tensor.values());
  }

  [[nodiscard]] PlannedTensor planned(const Tensor& tensor, const Families& families) {
    const StoredTensor& values = tensor.values();
    const TensorEntry& entry = *values.entry;
    const bool is_transposed = families.is_transposed(entry.name, entry.shape);
    QuantState state{options_.quant_type, options_.blocksize, output_dtype(entry), entry.shape, {}};
    if (is_transposed) std::ranges::reverse(state.shape);
    if (options_.double_quant) state.nested = NestedState{};
    if (const std::optional<PlannedSource> source = changed(tensor, through_4bit(state)))
      return planned_encoded(entry.name, *source, state);
    const auto open = [values, is_transposed](ScratchFile*) {
      const std::vector<std::int64_t>& shape = values.entry->shape;
      return is_transposed ? transposed(stored(values), shape[0], shape[1]) : stored(values);
    };
    return planned_encoded(
        entry.name, {.shape = entry.shape, .dtype = *dtype_of(entry.type), .input_bytes = entry.bytes(), .open = open},
        state, importance_.of(entry.name, state.shape.back()));
  }

  const QuantizeOptions& options_;
  SourceOf source_of_;  // empty: no tensor is changed
  std::vector<std::string> new_modules_;
  Importance importance_;
};

}  // namespace

// lm_head is recognized without this list.
std::vector<std::string> further_plain_modules(const Config& config, const Families& families) {
  std::vector<std::string> modules = families.further_plain_modules();
  if (config.has_architecture("ForMaskedLM") || config.has_architecture("ForPreTraining"))
    modules.emplace_back("predictions.decoder");
  return modules;
}

// Without a list, transformers leaves out the output embedding, what is tied to one, and the last layer. That is
// lm_head or nothing, except for these architectures: their lm_head is no embedding, or their last layer is quantized
// here. diffusers leaves out nothing.
bool leaves_out_head(const Config& config) {
  constexpr std::array<std::string_view, 3> kOthers{"ForCTC", "ForQuestionAnswering", "WithProjection"};
  return !config.is_of_diffusers() && std::none_of(kOthers.begin(), kOthers.end(), [&](std::string_view ending) {
    return config.has_architecture(ending);
  });
}

ConversionPlan plan_quantization(const Model& model, const QuantizeOptions& options, const SourceOf& source_of,
                                 const std::vector<std::string>& new_modules) {
  return Quantization(options, source_of, new_modules).plan(model, "");
}

ConversionReport quantize(const std::filesystem::path& in, const std::filesystem::path& out,
                          const QuantizeOptions& options) {
  Quantization quantization(options);
  return convert(in, out, options, quantization);
}

}  // namespace qfuse::checkpoint
