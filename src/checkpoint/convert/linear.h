// Which tensors of a plain model bitsandbytes would quantize: the weights of linear layers, told by name, shape and
// type, because nothing in a checkpoint says what kind of layer a tensor belongs to.
#ifndef QFUSE_CHECKPOINT_CONVERT_LINEAR_H
#define QFUSE_CHECKPOINT_CONVERT_LINEAR_H

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/files/safetensors.h"

namespace qfuse::checkpoint {

enum class Layer {
  other,   // what transformers never quantizes: an embedding, a norm, a bias, no matrix, no float
  kept,    // linear, but worth its bits: an output head, a router, a vision tower; or perhaps not linear
  expert,  // linear, one of a mixture of experts that are stored one by one
  linear,  // any other linear layer
};

Layer layer_of(const TensorEntry& entry);

// Whether it can be encoded at all: fp32, fp16 or bf16, two or more dimensions, not empty.
bool is_encodable(const TensorEntry& entry);

// The module of a weight: its name without ".weight".
std::string_view module_of(std::string_view name);

// Gathers the linear layers of a model, and says which ones stay plain.
class LinearLayers {
 public:
  void add(const TensorEntry& entry, bool quantized);

  // What a config has to name, sorted, `further` among it. transformers leaves out lm_head by itself, but only if it is
  // given no list. So there is none where lm_head is all that stays plain, and otherwise one that names every layer,
  // lm_head too: a tied one is in no file. Where all experts of a layer stay plain, the module that holds them is named.
  [[nodiscard]] std::optional<std::vector<std::string>> modules_to_skip(const std::vector<std::string>& further) const;

 private:
  std::set<std::string> plain_;                           // but for lm_head and experts
  std::map<std::string, std::set<std::string>> experts_;  // that are plain, by the module that holds them
  std::set<std::string, std::less<>> quantized_holders_;  // of experts, one of which at least is quantized
  bool head_is_quantized_ = false;
};

// Whether one of the shell patterns is that of the whole name: * stands for any text, dots included, ? for any
// character, [...] for one of a set.
bool matches_any(const std::string& name, std::span<const std::string> patterns);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_LINEAR_H
