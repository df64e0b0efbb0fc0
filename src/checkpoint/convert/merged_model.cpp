#include "checkpoint/convert/merged_model.h"

#include <cmath>
#include <utility>
#include <variant>

#include "checkpoint/convert/seen_in_training.h"
#include "checkpoint/files/errors.h"

namespace qfuse::checkpoint {

Adapters::Adapters(std::span<const AdapterInput> inputs, bool allow_nonfinite) {
  for (const AdapterInput& input : inputs) {
    if (!std::isfinite(input.weight))
      fail(Status::invalid_argument, "{}: its weight is {}, and must be a number", shown(input.path), input.weight);
    const Adapter& adapter = adapters_.emplace_back(input.path);
    if (!allow_nonfinite) adapter.check_finite();
    weighted_.push_back({&adapter, input.weight});
  }
}

MergedModel::MergedModel(const Model& model, const Adapters& adapters, MergeWay way)
    : model_(model),
      way_(std::move(way)),
      config_(read_config(model)),
      tensors_(read_layout(model, int8_dtype(config_))),
      families_(read_model_types(model)),
      rules_(find_rules(model, tensors_, adapters.all(), way_.head, families_, config_)) {
  for (const Tensor& tensor : tensors_) {
    is_quantized_ = is_quantized_ || tensor.quantized_dtype().has_value();
    is_4bit_ = is_4bit_ || std::holds_alternative<StoredWeight4bit>(tensor.storage);
  }
  if (!way_.base_as) return;
  if (is_quantized_)
    fail(Status::invalid_argument, "{}: is quantized already; `base_as` is for a base in 16 or 32 bits", model.name());
  seen_ = names_seen_in_4bit({model, tensors_, families_, rules_, config_}, way_.include, way_.exclude);
}

const TensorChange* MergedModel::change_of(const std::string& tensor) const {
  const auto found = rules_.changes.find(tensor);
  return found == rules_.changes.end() ? nullptr : &found->second;
}

Dtype MergedModel::plain_dtype(const Tensor& tensor) const {
  if (way_.dtype) return *way_.dtype;
  if (tensor.quantized_dtype()) return *tensor.quantized_dtype();
  const std::optional<Dtype> dtype = dtype_of(tensor.values().entry->type);
  if (!dtype)
    fail(Status::unsupported, "{}: is {}, and only F32, F16 and BF16 can be merged into", tensor.values().where(),
         type_name(tensor.values().entry->type));
  return *dtype;
}

MergeTask MergedModel::task(const Tensor& tensor, const TensorChange* change) const {
  MergeTask task{tensor, {}, {}, {}, plain_dtype(tensor), way_.exec};
  if (is_seen(tensor.name)) {
    task.seen_as = QuantState{*way_.base_as, way_.blocksize, plain_dtype(tensor), tensor.shape, {}};
    if (way_.double_quant) task.seen_as->nested = NestedState{};
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

}  // namespace qfuse::checkpoint
