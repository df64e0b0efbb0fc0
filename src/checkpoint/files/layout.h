// What the tensors of a checkpoint are in the decoded model: as they are, or quantized, of several stored tensors each.
// How a library stores quantized weights is a layout. Each has a file here, with a type for what is stored of one
// weight and a function that claims all such weights of a model by names, types and shapes; layout.cpp has the table.
// A stored tensor is claimed once: for a weight, or as the scale of activations; else it is a tensor of its own,
// unless a layout knows that it can only be a part.
#ifndef QFUSE_CHECKPOINT_FILES_LAYOUT_H
#define QFUSE_CHECKPOINT_FILES_LAYOUT_H

#include <qfuse/qfuse.hpp>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include "checkpoint/files/bitsandbytes.h"
#include "checkpoint/files/config.h"
#include "checkpoint/files/fp8.h"
#include "checkpoint/files/gptq.h"
#include "checkpoint/files/model.h"
#include "checkpoint/files/scaled_4bit.h"

namespace qfuse::checkpoint {

// A tensor of the decoded model.
struct Tensor {
  std::string name;
  std::vector<std::int64_t> shape;
  // StoredTensor: as it is, not quantized
  std::variant<StoredTensor, StoredWeight4bit, StoredWeightInt8, StoredWeightFp8, StoredWeightScaled4bit,
               StoredWeightGptq>
      storage;
  std::vector<StoredTensor> parts;  // all that it is made of, in no order

  [[nodiscard]] std::int64_t elements() const;
  [[nodiscard]] std::optional<Dtype> quantized_dtype() const;  // what it decodes to by default; none if not quantized
  [[nodiscard]] bool is_of_bitsandbytes() const;               // quantized so
  [[nodiscard]] bool is_of_other_methods() const;  // quantized, and not so: FP8, or 4-bit codes with scales of blocks
  [[nodiscard]] std::string_view format() const;   // as inspect names it: "nf4", "int8", "fp8", "mxfp4", or its type
  // Quantized as [out, in], though the plain model may have [in, out]: by bitsandbytes, GPTQ or AWQ.
  [[nodiscard]] bool is_of_linear() const { return is_of_bitsandbytes() || is_gptq(); }
  [[nodiscard]] bool is_gptq() const { return std::holds_alternative<StoredWeightGptq>(storage); }  // or AWQ
  [[nodiscard]] const StoredTensor& values() const;  // the part that holds its values or codes
  [[nodiscard]] std::int64_t stored_bytes() const;   // of all its parts
  // Decoded to `dtype`, which matters only if it is quantized.
  [[nodiscard]] TensorType decoded_type(Dtype dtype) const;
  [[nodiscard]] std::int64_t decoded_bytes(Dtype dtype) const;
};

struct Layout {
  std::vector<Tensor> tensors;                  // of the decoded model, in the order of their values' files and bytes
  std::vector<StoredTensor> activation_scales;  // which a decoded model has not

  // Whether any is.
  [[nodiscard]] bool has_other_methods() const;
  [[nodiscard]] bool has_gptq() const;
};

// Every size, type and relation that decoding relies on is checked here; invalid_data or unsupported where one does not
// hold. `config`: the model's, which says what weights decode to whose files do not, and the blocks of their scales.
Layout read_layout(const Model& model, const std::optional<Config>& config);

// What is claimed of a model's stored tensors.
class Claims {
 public:
  Claims(const Model& model, const std::optional<Config>& config) : model_(model), config_(config) {}

  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] const std::optional<Config>& config() const { return config_; }

  template <class Visit>
  void for_each_stored(Visit visit) const {
    for (const SafetensorsFile& file : model_.files())
      for (const TensorEntry& entry : file.entries()) visit(StoredTensor{&file, &entry});
  }

  // Claims the tensor `name`, if there is one, as part of `weight`.
  const StoredTensor* find(Tensor& weight, const std::string& name);
  // The same; invalid_data, which names `because`, if there is none.
  const StoredTensor& get(Tensor& weight, const StoredTensor& because, const std::string& name);
  // Claims a scale of activations.
  void add_activation_scale(const StoredTensor& scale);
  // A weight whose parts are all claimed.
  void add(Tensor weight);

  [[nodiscard]] bool is_claimed(const StoredTensor& stored) const { return parts_.contains(stored.entry->name); }
  [[nodiscard]] bool has_gptq() const { return has_gptq_; }
  [[nodiscard]] bool has_other_methods() const { return has_other_methods_; }
  // Whether the decoded model has a weight of that name which was quantized, or one within that module.
  [[nodiscard]] bool has_weight(const std::string& name) const { return names_.contains(name); }
  [[nodiscard]] bool has_weight_within(const std::string& module) const;

  // What became of all tensors, once every layout has claimed its own. `refuse_left` sees those that nobody claimed.
  template <class Refuse>
  Layout settled(Refuse refuse_left) {
    Layout layout;
    for_each_stored([&](const StoredTensor& stored) {
      const std::string& name = stored.entry->name;
      if (const auto weight = weights_.find(name); weight != weights_.end()) {
        layout.tensors.push_back(std::move(weight->second));
      } else if (!is_claimed(stored)) {
        refuse_left(stored);
        layout.tensors.push_back({name, stored.entry->shape, stored, {stored}});
      }
    });
    layout.activation_scales = std::move(activation_scales_);
    return layout;
  }

 private:
  const Model& model_;
  const std::optional<Config>& config_;
  std::unordered_set<std::string_view> parts_;            // names of claimed tensors
  std::unordered_map<std::string_view, Tensor> weights_;  // by the name of their values
  std::set<std::string> names_;                           // theirs in the decoded model
  std::vector<StoredTensor> activation_scales_;
  bool has_gptq_ = false;
  bool has_other_methods_ = false;
};

// `part` must be of that type.
void require_type(const StoredTensor& part, TensorType type);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_LAYOUT_H
