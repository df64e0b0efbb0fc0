// Maps the stored tensors of a checkpoint to the tensors of the decoded model: unquantized ones one to one, quantized
// ones from several stored tensors. A layout is the way in which a library stores quantized weights. Each has a file
// here, with a type for a stored weight and a function that claims all such weights by names, types and shapes;
// layout.cpp lists them. A tensor is claimed at most once, for a weight or as activation scale. An unclaimed one is a
// tensor of its own, unless a layout knows that it can only be a part.
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
  // StoredTensor: not quantized
  std::variant<StoredTensor, StoredWeight4bit, StoredWeightInt8, StoredWeightFp8, StoredWeightScaled4bit,
               StoredWeightGptq>
      storage;
  std::vector<StoredTensor> parts;  // all stored tensors that it consists of, in any order

  [[nodiscard]] std::int64_t elements() const;
  [[nodiscard]] std::optional<Dtype> quantized_dtype() const;  // default dtype to decode to; nullopt if unquantized
  [[nodiscard]] bool is_of_bitsandbytes() const;               // quantized by bitsandbytes
  [[nodiscard]] bool is_of_other_methods() const;  // quantized otherwise: FP8, 4-bit with block scales, GPTQ, AWQ
  [[nodiscard]] std::string_view format() const;   // as inspect shows it: "nf4", "int8", "fp8", "mxfp4", or its dtype
  // Whether it decodes to a torch.nn.Linear's [out, in], even if the unquantized model has [in, out].
  [[nodiscard]] bool is_of_linear() const { return is_of_bitsandbytes() || is_gptq(); }
  [[nodiscard]] bool is_gptq() const { return std::holds_alternative<StoredWeightGptq>(storage); }  // or AWQ
  [[nodiscard]] const StoredTensor& values() const;  // the part with its values or codes
  [[nodiscard]] std::int64_t stored_bytes() const;   // of all its parts
  // After decoding to `dtype`, which matters only for quantized tensors.
  [[nodiscard]] TensorType decoded_type(Dtype dtype) const;
  [[nodiscard]] std::int64_t decoded_bytes(Dtype dtype) const;
};

struct Layout {
  std::vector<Tensor> tensors;                  // of the decoded model, in the order in which their values are stored
  std::vector<StoredTensor> activation_scales;  // left out of a decoded model

  // Whether any tensor is quantized by such a method.
  [[nodiscard]] bool has_other_methods() const;
  [[nodiscard]] bool has_gptq() const;
};

// Reads the layout and checks every size, type and relation on which decoding depends; fails with invalid_data or
// unsupported. The model's `config` supplies dtypes to decode to and scale blocks, where the tensors do not show them.
Layout read_layout(const Model& model, const std::optional<Config>& config);

// The stored tensors of a model that layouts have claimed.
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

  // Claims the tensor `name` as part of `weight`, if it exists; else returns NULL.
  const StoredTensor* find(Tensor& weight, const std::string& name);
  // Like find(), but fails with invalid_data that names `because` if the tensor does not exist.
  const StoredTensor& get(Tensor& weight, const StoredTensor& because, const std::string& name);
  // Claims a scale of activations.
  void add_activation_scale(const StoredTensor& scale);
  // Adds a weight whose parts are all claimed.
  void add(Tensor weight);

  [[nodiscard]] bool is_claimed(const StoredTensor& stored) const { return parts_.contains(stored.entry->name); }
  [[nodiscard]] bool has_gptq() const { return has_gptq_; }
  [[nodiscard]] bool has_other_methods() const { return has_other_methods_; }
  // Whether a quantized weight with this name in the decoded model, or within this module, was claimed.
  [[nodiscard]] bool has_weight(const std::string& name) const { return names_.contains(name); }
  [[nodiscard]] bool has_weight_within(const std::string& module) const;

  // Returns the layout after all claims. Calls `refuse_left` for each unclaimed tensor.
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
  std::unordered_map<std::string_view, Tensor> weights_;  // by the name of the tensor with their values
  std::set<std::string> names_;                           // names of claimed weights in the decoded model
  std::vector<StoredTensor> activation_scales_;
  bool has_gptq_ = false;
  bool has_other_methods_ = false;
};

// Fails unless `part` has this type.
void require_type(const StoredTensor& part, TensorType type);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_LAYOUT_H
