// Converts quantized weights to plain ones.
#include <fmt/format.h>

#include <algorithm>
#include <qfuse/checkpoint.hpp>

#include "checkpoint/convert/check_output.h"
#include "checkpoint/convert/conversion.h"
#include "checkpoint/convert/decode.h"
#include "checkpoint/convert/notes.h"
#include "checkpoint/convert/quantization_records.h"
#include "checkpoint/convert/transpose.h"
#include "checkpoint/files/config.h"
#include "checkpoint/files/errors.h"
#include "checkpoint/files/foreign.h"
#include "checkpoint/files/layout.h"
#include "checkpoint/names/families.h"
#include "checkpoint/names/plain_names.h"

namespace qfuse::checkpoint {
namespace {

void refuse_foreign_method(const Model& model, const std::optional<Config>& config, std::span<const Tensor> tensors) {
  if (const std::string method = foreign_method(model, config, tensors); !method.empty())
    fail(Status::unsupported, "{}: {}", model.name(), method);
}

class Dequantization : public Transform {
 public:
  explicit Dequantization(const DequantizeOptions& options) : options_(options) {}

  void try_device(Pipeline& pipeline) const override { require_decodable(pipeline); }
  [[nodiscard]] nlohmann::json command() const override { return {{"command", "dequantize"}}; }

  [[noreturn]] void refuse(const Model& model) const override {
    const std::string kind = foreign_kind(model);
    const std::optional<Config> config = read_config(model);
    const char* const stale =
        config && config->is_quantized() ? ", though its config.json says so: remove its quantization_config" : "";
    fail(Status::invalid_data, "{}: nothing to dequantize: {}", model.name(),
         kind.empty() ? fmt::format("none of its tensors is quantized{}", stale) : kind);
  }

  // Always true, because the plan copies tensors that are not quantized.
  [[nodiscard]] bool converts(const Component&) const override { return true; }
  [[nodiscard]] CardChanges card() const override { return {.tags = {"qfuse"}, .old_tags = kTagsOfQuantized}; }

  [[nodiscard]] ConversionPlan plan(const Model& model, const std::string& /*component*/) override {
    const std::optional<Config> config = read_config(model);
    if (peft_content(model) == PeftContent::model_with_adapter)
      fail(Status::unsupported, "{}: {}", model.name(), foreign_kind(model));
    const Layout layout = read_layout(model, config);
    const std::vector<Tensor>& tensors = layout.tensors;
    refuse_foreign_method(model, config, tensors);
    const std::vector<std::string> model_types = read_model_types(model);
    const Families families(model_types);
    const PlainNames names = plain_names(model_types, tensors, model.name());
    ConversionPlan plan;
    note_families(families, model, plan.notes);
    DtypeVote vote;
    std::int64_t transposed_ones = 0;
    for (const auto& [tensor, name] : names.others) {
      transposed_ones += is_stored_transposed(*tensor, families) ? 1 : 0;
      plan.tensors.push_back(planned(*tensor, families));  // fails for an invalid dtype before the vote
      plan.tensors.back().name = plan.tensors.back().outputs.front().name = name;
    }
    for (const JoinedTensor& joined : names.joined) plan.tensors.push_back(planned(joined));
    for (const Tensor& tensor : tensors)
      if (is_quantized(tensor)) vote.add(output_dtype(tensor), tensor.elements());
    if (peft_content(model) == PeftContent::wrapped_model)
      plan.notes.push_back(
          fmt::format("{}: the names of its tensors are those that peft gives them; written without", model.name()));
    else if (names.are_other_names())
      plan.notes.push_back(fmt::format(
          "{}: its layers are those of a loader of 4-bit models alone; written as the plain model has them, with {} "
          "tensors of all experts",
          model.name(), names.joined.size()));
    note_transposed(transposed_ones, families, model, plan.notes);
    note_other_dtypes(tensors, model, plan.notes);
    drop_quantization_records(layout, model, config, plan);
    if (config) plan.config = config->unquantized(vote.most());
    check_output(model, tensors, options_, plan);
    return plan;
  }

 private:
  static bool is_quantized(const Tensor& tensor) { return tensor.quantized_dtype().has_value(); }

  // Whether it is the weight of a linear layer that replaced a layer with weights stored as [in, out].
  static bool is_stored_transposed(const Tensor& tensor, const Families& families) {
    return tensor.is_of_linear() && families.is_transposed(tensor.name, tensor.shape);
  }

  // Notes tensors that keep another dtype: a caller who asks for one may expect it of the whole model.
  void note_other_dtypes(const std::vector<Tensor>& tensors, const Model& model,
                         std::vector<std::string>& notes) const {
    if (!options_.dtype) return;
    const auto others = std::count_if(tensors.begin(), tensors.end(), [&](const Tensor& tensor) {
      if (is_quantized(tensor)) return false;
      const std::optional<Dtype> dtype = dtype_of(tensor.values().entry->type);
      return dtype && *dtype != *options_.dtype;
    });
    if (others > 0)
      notes.push_back(
          fmt::format("{}: tensors that were not quantized keep their own dtype: {}", model.name(), others));
  }

  // Returns the dtype to which the quantized `tensor` is decoded.
  [[nodiscard]] Dtype output_dtype(const Tensor& tensor) const {
    return options_.dtype.value_or(*tensor.quantized_dtype());
  }

  [[nodiscard]] PlannedTensor planned(const Tensor& tensor, const Families& families) const {
    if (!is_quantized(tensor)) return copied(tensor.values());
    PlannedSource source{.shape = tensor.shape, .dtype = output_dtype(tensor), .input_bytes = tensor.stored_bytes()};
    source.open = [tensor, dtype = source.dtype](ScratchFile*) { return decoded(tensor, dtype); };
    if (is_stored_transposed(tensor, families)) transpose(tensor, source);
    return planned_plain(tensor.name, source);
  }

  // Transposes the weight back to the model's own order, [in, out].
  static void transpose(const Tensor& tensor, PlannedSource& source) {
    std::ranges::reverse(source.shape);
    source.scratch_bytes = source.bytes();
    if (source.scratch_bytes == 0) return;  // there is nothing to transpose
    source.open = [tensor, dtype = source.dtype](ScratchFile* scratch) {
      return transposed(kept({decoded(tensor, dtype)}, *scratch), tensor.shape[0], tensor.shape[1]);
    };
  }

  [[nodiscard]] PlannedTensor planned(const JoinedTensor& joined) const {
    const Tensor& first = *joined.experts.front().front();
    const std::optional<Dtype> dtype =
        is_quantized(first) ? std::optional(output_dtype(first)) : dtype_of(first.values().entry->type);
    if (!dtype)
      fail(Status::unsupported, "{}: is {}, and only F32, F16 and BF16 can be joined", first.values().where(),
           type_name(first.values().entry->type));
    PlannedSource source{.shape = joined.shape, .dtype = *dtype};
    std::vector<Tensor> parts;
    for (const std::vector<const Tensor*>& expert : joined.experts)
      for (const Tensor* tensor : expert) {
        parts.push_back(*tensor);
        source.input_bytes += tensor->stored_bytes();
      }
    const std::int64_t of_one = std::ssize(joined.experts.front());
    const bool is_whole = joined.stretches > 0 && of_one == 1;
    if (is_whole || source.bytes() == 0) {  // there is nothing to join
      source.open = [first, dtype = *dtype](ScratchFile*) { return decoded(first, dtype); };
    } else {
      source.scratch_bytes = source.bytes();
      source.open = [parts, of_one, stretches = joined.stretches, is_transposed = joined.is_transposed,
                     dtype = *dtype](ScratchFile* scratch) {
        std::vector<Source> sources;
        sources.reserve(parts.size());
        for (const Tensor& part : parts) sources.push_back(decoded(part, dtype));
        const Source all = kept(sources, *scratch);
        if (stretches > 0) return interleaved(all, std::ssize(parts), stretches);
        const std::vector<std::int64_t>& shape = parts.front().shape;
        return is_transposed ? transposed(all, shape[0] * of_one, shape.size() == 2 ? shape[1] : 1) : all;
      };
    }
    return planned_plain(joined.name, source);
  }

  const DequantizeOptions& options_;
};

}  // namespace

ConversionReport dequantize(const std::filesystem::path& in, const std::filesystem::path& out,
                            const DequantizeOptions& options) {
  Dequantization dequantization(options);
  return convert(in, out, options, dequantization);
}

}  // namespace qfuse::checkpoint
