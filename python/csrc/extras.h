// Optional inputs of a product besides x and the weight: a bias and the two LoRA factors.
#ifndef QFUSE_PYTHON_CSRC_EXTRAS_H
#define QFUSE_PYTHON_CSRC_EXTRAS_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "call.h"

namespace qfuse::torch_ops {

// Views of the optional tensors. With `experts`, bias and lora_weight hold the values of all experts in order.
struct Extras {
  TensorView bias;
  TensorView lora_in;
  TensorView lora_weight;
  std::optional<std::int64_t> experts;
};

// lora_in is [rows of x, rank]; lora_weight is [outputs, rank] or, backward, [rank, outputs].
template <class Params>
void add_lora(const Call& call, const Extras& extras, ScalarType dtype, std::int64_t outputs, Params& p) {
  const TensorView &lora_in = extras.lora_in, &lora_weight = extras.lora_weight;
  if (lora_in.sizes.size() == 0) refuse("lora_in has shape [], it must be [..., rank]");
  p.lora_rank = lora_in.sizes[lora_in.sizes.size() - 1];
  p.lora_in = call.array(lora_in, "lora_in", dtype, p.m * p.lora_rank);
  const bool forward = p.direction == QFUSE_FORWARD;
  std::vector<std::int64_t> shape = {forward ? outputs : p.lora_rank, forward ? p.lora_rank : outputs};
  if (extras.experts) shape.insert(shape.begin(), *extras.experts);
  if (!std::ranges::equal(lora_weight.sizes, shape))
    refuse("lora_weight has shape ", shape_text(lora_weight.sizes), ", it must be ", shape_text(shape));
  p.lora_weight = call.array(lora_weight, "lora_weight", dtype, elements_of(shape));
}

template <class Params>
void add_extras(const Call& call, const Extras& extras, ScalarType dtype, std::int64_t outputs, Params& p) {
  if (extras.bias.is_tensor())
    p.bias = call.array(extras.bias, "bias", dtype, elements_of(std::array{extras.experts.value_or(1), outputs}));
  if (extras.lora_in.is_tensor() != extras.lora_weight.is_tensor())
    refuse("lora_in and lora_weight are given together, or neither is");
  if (extras.lora_in.is_tensor()) add_lora(call, extras, dtype, outputs, p);
}

inline TensorView view_of(const std::optional<Tensor>& tensor) { return tensor ? TensorView(*tensor) : TensorView(); }

}  // namespace qfuse::torch_ops

#endif  // QFUSE_PYTHON_CSRC_EXTRAS_H
