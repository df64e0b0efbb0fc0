// The tensors and shapes that a transformers class has for a config.json: facts of the class, which
// tests/libraries/class_tensors.py extracts from transformers.
#ifndef QFUSE_CHECKPOINT_NAMES_CLASS_TENSORS_H
#define QFUSE_CHECKPOINT_NAMES_CLASS_TENSORS_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/files/config.h"

namespace qfuse::checkpoint {

// Fields are lists of words separated by blanks. `tensors` is a tree of modules in these forms, separated by blanks:
//   name[sizes]mark   a tensor. Sizes are expressions over config fields, in which num_labels is the length of
//                     id2label; ? is an unknown size, * any shape. mark has up to two parts:
//                       empty: always present; ?: optional; ?1: required if others with this mark and number
//                       are present in the innermost numbered module; ?!: present in all or in none of the
//                       numbered modules that are otherwise equal
//                       =a: files may have the tensors marked ~a instead; ~: part of an unknown layout
//   name(...)         a module with its content
//   name@number       a module that several classes share: an element of shared_modules()
//   name=part:class   a module that is a class of the table, with a part of the config, or all of it
// A name #{expression} stands for the numbers from 0 to below the value; #{} for any number.
struct ClassRow {
  std::string_view classes;
  std::string_view config_types;  // model_type values of their configs
  std::string_view model_types;   // model types for which transformers' AutoModel selects one of these classes
  std::string_view prefix;        // optional prefix of names: "model" for LlamaForCausalLM
  std::string_view tensors;
  std::string_view ignored;  // regular expressions of tensor names that transformers ignores
};

std::span<const ClassRow> class_table();
std::span<const std::string_view> shared_modules();

struct ExpectedTensor {
  enum class Presence { always, optional, alike, grouped, of_one_layout };

  std::string pattern;                              // name, with # for numbers
  std::vector<std::optional<std::int64_t>> counts;  // upper bound for each #; nullopt: any number
  std::optional<std::vector<std::optional<std::int64_t>>> shape;
  Presence presence = Presence::always;
  std::string group;   // of a grouped tensor: the same for all that occur together
  std::string layout;  // letter of =a or ~a
};

// Returns the part of a pattern up to its last #, which is the innermost numbered module; "" without a #.
std::string_view numbered_module(std::string_view pattern);

struct ExpectedTensors {
  std::vector<ExpectedTensor> tensors;
  std::vector<std::string> open;      // modules of unknown classes, whose tensors are unknown here
  std::vector<std::string> unstated;  // modules whose config is missing, so that they are optional
  std::string prefix;
  std::vector<std::string> ignored;
};

// Returns nullopt if the class is not in the table, or config.json names code of its own.
std::optional<ExpectedTensors> expected_tensors(const Config& config);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_NAMES_CLASS_TENSORS_H
