// Which tensors of a plain model bitsandbytes would quantize: the weights of linear layers, told by name, shape and
// type, because nothing in a checkpoint says what kind of layer a tensor belongs to.
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
  other,   // what transformers never quantizes: an embedding, a norm, a bias, no matrix, no float
  kept,    // linear, but worth its bits: an output head, a router, a vision tower; or perhaps not linear
  expert,  // linear, one of a mixture of experts that are stored one by one
  stack,   // all experts of a mixture in one tensor, [experts, ...]: no linear layer
  linear,  // any other linear layer
};

Layer layer_of(const TensorEntry& entry);

// Whether it can be encoded at all: fp32, fp16 or bf16, two or more dimensions, not empty.
bool is_encodable(const TensorEntry& entry);

// What a tensor is that is not quantized, in a word for people: "experts", "embeddings", "output heads".
std::string_view kind_of(const TensorEntry& entry);

// Whether each of the experts of a stack is whole blocks, so that none shares a scale with the next.
bool has_whole_blocks(const TensorEntry& stack, std::int64_t blocksize);

// Whether the last part of a module's name is one that embeddings, norms and other tables have, of which few are linear
// layers.
bool is_called_as_table(std::string_view part);

// The names of an llm_int8_skip_modules, as transformers applies them to a module: each is the beginning of its name,
// or the end, or a regular expression for the beginning.
class SkipNames {
 public:
  explicit SkipNames(const std::set<std::string>& names);
  [[nodiscard]] bool leave_out(const std::string& module) const;

 private:
  std::unordered_set<std::string> names_;
  std::vector<NamePattern> patterns_;
};

// Which linear layers of a model are quantized, and what a config has to name so that transformers expects that.
class LinearLayers {
 public:
  // `asked`: it is quantized whatever transformers makes of its name.
  void add(const TensorEntry& entry, bool quantized, bool asked);

  // Adds to what a config names: modules that no tensor of the file names, as patterns like those of the list itself.
  void add_further(const std::vector<std::string>& modules) { further_.insert(modules.begin(), modules.end()); }

  // To be called when all are added. transformers takes a name of the list as the end of a module's name too, and as
  // its beginning, or as a regular expression for that. So what a name of the list would leave out is not quantized,
  // or, if it was asked for, such a further name is left away. Gives back the names of the weights that are.
  [[nodiscard]] std::set<std::string> settle();

  // What a config has to name, sorted; to be called behind settle(). `leaves_out_head`: given no list, transformers
  // leaves out lm_head by itself, and nothing else. So there is none where lm_head is all that stays plain, and
  // otherwise one that names every layer, lm_head too: a tied one is in no file. Where all experts of a layer stay
  // plain, the module that holds them is named.
  [[nodiscard]] std::optional<std::vector<std::string>> modules_to_skip(bool leaves_out_head) const;

 private:
  struct Quantized {
    std::string weight;
    bool asked = false;
  };

  [[nodiscard]] std::set<std::string> names() const;

  std::map<std::string, Quantized> quantized_;            // by module
  std::set<std::string> plain_;                           // but for lm_head and experts
  std::map<std::string, std::set<std::string>> experts_;  // that are plain, by the module that holds them
  std::set<std::string> further_;
  bool further_was_left_away_ = false;
};

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_NAMES_LINEAR_H
