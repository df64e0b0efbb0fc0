#include "checkpoint/convert/quantize_fp8.h"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <string_view>

#include "checkpoint/convert/encode_blocks.h"
#include "checkpoint/convert/notes.h"
#include "checkpoint/files/errors.h"
#include "checkpoint/names/linear.h"
#include "checkpoint/names/names.h"
#include "checkpoint/names/patterns.h"

namespace qfuse::checkpoint {
namespace {

constexpr ScaleBlock kBlock{128, 128};

bool is_whole_blocks(const TensorEntry& entry) {
  return entry.shape.size() == 2 && entry.shape[0] % kBlock.rows == 0 && entry.shape[1] % kBlock.columns == 0;
}

BlockTensors fp8_of(const TensorEntry& entry, bool ue8m0) {
  const std::int64_t rows = entry.shape[0];
  const std::int64_t columns = entry.shape[1];
  const TensorType type = ue8m0 ? TensorType::f8_e8m0 : TensorType::f32;
  BlockEncoding encoding{.rule = ue8m0 ? BlockRule::fp8_powers : BlockRule::fp8,
                         .where = fmt::format("'{}'", printable(entry.name)),
                         .rows = rows,
                         .columns = columns,
                         .block_rows = kBlock.rows,
                         .block_columns = kBlock.columns,
                         .scale_type = type};
  const std::int64_t scale_bytes = encoding.scale_bytes(rows);
  return {encoding,
          {entry.name, TensorType::f8_e4m3, entry.shape, 0, encoding.code_bytes(rows)},
          TensorEntry{entry.name + "_scale_inv", type, {rows / kBlock.rows, columns / kBlock.columns}, 0, scale_bytes},
          {}};
}

// The module of the experts that a stack belongs to, as "model.layers.0.mlp.experts", or else the stack's own module.
std::string holder_of(std::string_view stack) {
  constexpr std::string_view kExperts = "experts";
  const std::size_t at = stack.rfind(kExperts);
  return std::string(at == stack.npos ? module_of(stack) : stack.substr(0, at + kExperts.size()));
}

class Fp8Plan {
 public:
  Fp8Plan(const Model& model, const Fp8Options& options, const SourceOf& source_of)
      : model_(model),
        options_(options),
        source_of_(source_of),
        config_(read_config(model)),
        families_(read_model_types(model)),
        tensors_(read_layout(model, config_).tensors) {}

  ConversionPlan make(const std::vector<std::string>& new_modules) {
    check_patterns("include", options_.include, model_, tensors_);
    check_patterns("exclude", options_.exclude, model_, tensors_);
    ConversionPlan plan;
    note_families(families_, model_, plan.notes);
    const std::set<std::string> quantized = choose(new_modules);
    for (const Tensor& tensor : tensors_) plan.tensors.push_back(planned(tensor, quantized.contains(tensor.name)));
    if (uneven_ > 0)
      plan.notes.push_back(fmt::format(
          "{}: linear layers that are not whole blocks of {} x {} stay as they are: {}, as transformers has it",
          model_.name(), kBlock.rows, kBlock.columns, uneven_));
    if (config_)
      plan.config =
          config_->quantized_fp8({kBlock, options_.ue8m0, layers_.modules_to_skip(leaves_out_head(*config_))});
    return plan;
  }

 private:
  std::set<std::string> choose(const std::vector<std::string>& new_modules) {
    std::set<std::string> holders;
    for (const Tensor& tensor : tensors_) {
      const TensorEntry& entry = *tensor.values().entry;
      if (layer_of(entry) == Layer::stack) holders.insert(holder_of(entry.name));
      const bool asked = is_encodable(entry) && !matches_any(entry.name, options_.exclude) &&
                         matches_any(entry.name, options_.include);
      if (asked && !is_whole_blocks(entry))
        fail(Status::invalid_argument, "{}: is {}, and not whole blocks of {} x {}: `include` cannot name it",
             tensor.values().where(), printable(entry.shape), kBlock.rows, kBlock.columns);
      const bool is_default = is_linear(entry) && !matches_any(entry.name, options_.exclude);
      uneven_ += is_default && !is_whole_blocks(entry) ? 1 : 0;
      layers_.add(entry, asked || (is_default && is_whole_blocks(entry)), asked);
    }
    if (config_) layers_.add_further(further_plain_modules(*config_, families_));
    layers_.add_further(new_modules);
    layers_.add_further({holders.begin(), holders.end()});
    std::set<std::string> quantized = layers_.settle();
    if (quantized.empty())
      fail(Status::invalid_data,
           "{}: none of its {} tensors is the weight of a linear layer of whole blocks of {} x {}", model_.name(),
           tensors_.size(), kBlock.rows, kBlock.columns);
    return quantized;
  }

  [[nodiscard]] bool is_linear(const TensorEntry& entry) const {
    const Layer layer = layer_of(entry);
    return is_encodable(entry) && (layer == Layer::linear || layer == Layer::expert) &&
           !families_.stays_plain(entry.name);
  }

  [[nodiscard]] PlannedTensor planned(const Tensor& tensor, bool is_quantized) const {
    const TensorEntry& entry = *tensor.values().entry;
    if (!is_quantized) {
      const std::optional<PlannedSource> source = source_of_(tensor, {});
      return source ? planned_plain(tensor.name, *source) : copied(tensor.values());
    }
    const BlockTensors fp8 = fp8_of(entry, options_.ue8m0);
    if (const std::optional<PlannedSource> source = source_of_(tensor, through_blocks(fp8.encoding)))
      return planned_blocks(entry.name, *source, fp8);
    return planned_blocks(entry.name,
                          {.shape = entry.shape,
                           .dtype = *dtype_of(entry.type),
                           .input_bytes = entry.bytes(),
                           .open = [values = tensor.values()](ScratchFile*) { return stored(values); }},
                          fp8);
  }

  const Model& model_;
  const Fp8Options& options_;
  const SourceOf& source_of_;
  std::optional<Config> config_;
  Families families_;
  std::vector<Tensor> tensors_;
  LinearLayers layers_;
  std::int64_t uneven_ = 0;
};

}  // namespace

ConversionPlan plan_fp8(const Model& model, const Fp8Options& options, const SourceOf& source_of,
                        const std::vector<std::string>& new_modules) {
  return Fp8Plan(model, options, source_of).make(new_modules);
}

}  // namespace qfuse::checkpoint
