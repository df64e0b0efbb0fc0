// Plain weights to 4-bit ones. The one thing that the headers do not tell is how long each quant_state prints, so that
// it is a PlannedTensor's text.
#include <algorithm>
#include <qfuse/checkpoint.hpp>
#include <utility>

#include "checkpoint/convert/conversion.h"
#include "checkpoint/convert/encode.h"
#include "checkpoint/convert/linear.h"
#include "checkpoint/files/bitsandbytes.h"
#include "checkpoint/files/config.h"
#include "checkpoint/files/errors.h"

namespace qfuse::checkpoint {
namespace {

// A pattern that matches nothing is a typing error, which would otherwise be found in the finished model.
void check_patterns(const char* kind, const std::vector<std::string>& patterns, const std::vector<Tensor>& tensors) {
  for (const std::string& pattern : patterns)
    if (std::none_of(tensors.begin(), tensors.end(), [&](const Tensor& tensor) {
          return is_encodable(*tensor.values().entry) && matches_any(tensor.name, std::span(&pattern, 1));
        }))
      fail(Status::invalid_argument,
           "{} '{}' matches nothing: of {} tensors, none of that name has F32, F16 or BF16 and two dimensions or more",
           kind, printable(pattern), tensors.size());
}

std::vector<Tensor> read_plain_layout(const Model& model) {
  std::vector<Tensor> tensors = read_layout(model, Dtype::bfloat16);
  for (const Tensor& tensor : tensors)
    if (tensor.quantized_dtype())
      fail(Status::invalid_data, "{}: is quantized already: dequantize the checkpoint first", tensor.values().where());
  return tensors;
}

void check_config(const Config& config, const Model& model) {
  if (const std::string method = config.foreign_quant_method(); !method.empty())
    fail(Status::unsupported, "{}: is quantized by '{}', as its {} says", model.name(), printable(method), kConfigFile);
  if (has_turned_matrices(config.model_type()))
    fail(Status::unsupported,
         "{}: model_type is '{}', which keeps its matrices as [in, out], while transformers expects them turned where "
         "they are quantized",
         model.name(), printable(config.model_type()));
}

class Quantization : public Transform {
 public:
  explicit Quantization(const QuantizeOptions& options) : options_(options) {}

  void try_device(Pipeline& pipeline) const override {
    require_encodable(options_.quant_type, options_.blocksize, pipeline);
  }

  [[nodiscard]] nlohmann::json command() const override {
    return {{"command", "quantize"},
            {"type", name_of(options_.quant_type)},
            {"block_size", options_.blocksize},
            {"double_quant", options_.double_quant},
            {"include", options_.include},
            {"exclude", options_.exclude}};
  }

  [[nodiscard]] ConversionPlan plan(const Model& model) const override {
    const std::vector<Tensor> tensors = read_plain_layout(model);
    check_patterns("include", options_.include, tensors);
    check_patterns("exclude", options_.exclude, tensors);
    ConversionPlan plan;
    LinearLayers layers;
    DtypeVote vote;
    for (const Tensor& tensor : tensors) {
      const StoredTensor& stored = tensor.values();
      const bool selected = is_selected(*stored.entry);
      layers.add(*stored.entry, selected);
      plan.tensors.push_back(selected ? planned(stored) : copied(stored));
      if (selected) vote.add(output_dtype(*stored.entry), tensor.elements());
    }
    if (std::none_of(plan.tensors.begin(), plan.tensors.end(), [](const auto& tensor) { return tensor.converted; }))
      fail(Status::invalid_data, "{}: nothing to quantize: none of its {} tensors is the weight of a linear layer{}",
           model.name(), tensors.size(), options_.exclude.empty() ? "" : " and not excluded");
    if (const std::optional<Config> config = read_config(model)) {
      check_config(*config, model);
      plan.config =
          config->quantized({options_.quant_type, options_.double_quant, vote.most(), layers.modules_to_skip()});
    }
    return plan;
  }

 private:
  [[nodiscard]] bool is_selected(const TensorEntry& entry) const {
    if (!is_encodable(entry) || matches_any(entry.name, options_.exclude)) return false;
    return layer_of(entry) == Layer::linear || matches_any(entry.name, options_.include);
  }

  // What the tensor, which is encodable, will decode to.
  [[nodiscard]] Dtype output_dtype(const TensorEntry& entry) const {
    return options_.dtype.value_or(*dtype_of(entry.type));
  }

  [[nodiscard]] PlannedTensor planned(const StoredTensor& stored) const {
    const TensorEntry& entry = *stored.entry;
    QuantState state{options_.quant_type, options_.blocksize, output_dtype(entry), entry.shape, {}};
    if (options_.double_quant) state.nested = NestedState{};
    EncodedParts parts = encoded_parts(entry.name, state);
    PlannedTensor planned;
    planned.name = entry.name;
    planned.converted = true;
    planned.outputs = std::move(parts.arrays);
    planned.text = std::move(parts.quant_state);
    planned.input_bytes = planned.progress_bytes = entry.bytes();
    planned.scratch_bytes = absmax_bytes(state);
    planned.open = [stored, state](ScratchFile* scratch) { return open_encoded(stored, state, *scratch); };
    return planned;
  }

  const QuantizeOptions& options_;
};

}  // namespace

ConversionReport quantize(const std::filesystem::path& in, const std::filesystem::path& out,
                          const QuantizeOptions& options) {
  return convert(in, out, options, Quantization(options));
}

}  // namespace qfuse::checkpoint
