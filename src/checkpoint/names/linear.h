// Decides which tensors of a plain model bitsandbytes would quantize: the weights of linear layers, recognized by name,
// shape and dtype, because a checkpoint does not store the type of a layer.
#ifndef QFUSE_CHECKPOINT_NAMES_LINEAR_H
#define QFUSE_CHECKPOINT_NAMES_LINEAR_H

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "checkpoint/files/name_pattern.h"
#include "checkpoint/files/safetensors.h"

namespace qfuse::checkpoint {

enum class Layer {
  other,   // never quantized by transformers: embedding, norm, bias, not a matrix, not a float
  kept,    // linear but worth its bits (output head, router, vision tower), or perhaps not linear
  expert,  // linear, of a single expert stored by itself
  stack,   // all experts in one tensor, [experts, ...]; not a linear layer
  linear,  // any other linear layer
};

Layer layer_of(const TensorEntry& entry);

// Whether it can be encoded at all: fp32, fp16 or bf16, at least two dimensions, not empty.
bool is_encodable(const TensorEntry& entry);

// Human-readable kind of a tensor that is left unquantized: "experts", "embeddings", "output heads".
std::string_view kind_of(const TensorEntry& entry);

// Whether each expert of a stack consists of whole blocks, so that no two experts share a scale.
bool has_whole_blocks(const TensorEntry& stack, std::int64_t blocksize);

// Whether the last part of a module's name is typical of embeddings, norms and other tables, of which few are linear
// layers.
bool is_called_as_table(std::string_view part);

// The names of an llm_int8_skip_modules list. As in transformers, each is the beginning or the end of a module's name,
// or a regular expression for the beginning.
class SkipNames {
 public:
  explicit SkipNames(const std::set<std::string>& names);
  [[nodiscard]] bool leave_out(const std::string& module) const;

 private:
  std::unordered_set<std::string> names_;
  std::vector<NamePattern> patterns_;
};

// Tracks which linear layers are quantized, and which modules a config has to list so that transformers agrees.
class LinearLayers {
 public:
  // `asked`: the caller wants it quantized, whatever transformers makes of its name.
  void add(const TensorEntry& entry, bool quantized, bool asked);

  // Adds modules to list that no tensor of the file names, in the form of the list's own entries.
  void add_further(const std::vector<std::string>& modules) { further_.insert(modules.begin(), modules.end()); }

  // Call this after all add(). transformers compares an entry with the beginning and the end of a module's name, also
  // as a regular expression. A module that an entry matches by accident is therefore not quantized; if the caller asked
  // for it, the further entry is dropped instead. Returns the names of the quantized weights.
  [[nodiscard]] std::set<std::string> settle();

  // Returns the sorted list for the config; call it after settle(). `leaves_out_head`: without a list, transformers
  // leaves out only lm_head. Then returns nullopt if lm_head is all that stays plain; otherwise the list names every
  // plain layer, including lm_head, because a tied one is in no file. If all experts of a layer stay plain, it names
  // the module that holds them.
  [[nodiscard]] std::optional<std::vector<std::string>> modules_to_skip(bool leaves_out_head) const;

 private:
  struct Quantized {
    std::string weight;
    bool asked = false;
  };

  [[nodiscard]] std::set<std::string> names() const;

  std::map<std::string, Quantized> quantized_;            // by module
  std::set<std::string> plain_;                           // without lm_head and experts
  std::map<std::string, std::set<std::string>> experts_;  // plain ones, by the module that holds them
  std::set<std::string> further_;
  bool further_was_left_away_ = false;
};

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_NAMES_LINEAR_H
