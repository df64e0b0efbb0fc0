// Which tensors of a plain model bitsandbytes would quantize: the weights of linear layers, told by name, shape and
// type, because nothing in a checkpoint says what kind of layer a tensor belongs to.
#ifndef QFUSE_CHECKPOINT_LINEAR_H
#define QFUSE_CHECKPOINT_LINEAR_H

#include <span>
#include <string>
#include <string_view>

#include "checkpoint/safetensors.h"

namespace qfuse::checkpoint {

enum class Layer {
  other,   // what transformers never quantizes: an embedding, a norm, a bias, no matrix, no float
  kept,    // linear, but worth its bits: an output head, a router, a vision tower; or perhaps not linear
  linear,  // any other linear layer
};

Layer layer_of(const TensorEntry& entry);

// Whether it can be encoded at all: fp32, fp16 or bf16, two or more dimensions, not empty.
bool is_encodable(const TensorEntry& entry);

// The module of a weight: its name without ".weight".
std::string_view module_of(std::string_view name);

// Whether one of the shell patterns is that of the whole name: * stands for any text, dots included, ? for any
// character, [...] for one of a set.
bool matches_any(const std::string& name, std::span<const std::string> patterns);

// Whether a model's linear layers keep their matrices as [in, out], as GPT-2's Conv1D does. transformers turns them
// when it quantizes, and expects a quantized checkpoint to hold them turned.
bool has_turned_matrices(std::string_view model_type);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_LINEAR_H
