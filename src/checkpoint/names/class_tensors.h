// Which tensors a class of transformers has, and in which shapes, for a config.json: facts of the class, which
// tests/libraries/class_tensors.py finds in transformers.
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

// Words are separated by blanks. `tensors` is a tree of modules, with these forms, and blanks between them:
//   name[sizes]mark   a tensor. Sizes are expressions over fields of the config, in which num_labels is the length of
//                     id2label; ? for one that is not known, or * for any shape. mark, which may have two parts:
//                       nothing, of one that is always there; ? of one that need not be; ?1 of one that has to be
//                       where others are that are marked so, in the innermost numbered module; ?! of one that numbered
//                       modules which are else alike all have, or all lack
//                       =a  that files may have as those which are marked ~a; ~ alone: in which layout is not known
//   name(...)         a module, and what is in it
//   name@number       a module that several have: one of shared_modules()
//   name=part:class   a module that is a class of the table, with a part of the config, or all of it
// A name #{expression} stands for the numbers from 0 to below that; #{} for any.
struct ClassRow {
  std::string_view classes;
  std::string_view config_types;  // the model_types of their configs
  std::string_view model_types;   // for which transformers' AutoModel takes one of these classes
  std::string_view prefix;        // that a name may have or lack: "model" for LlamaForCausalLM
  std::string_view tensors;
  std::string_view ignored;  // regular expressions: transformers passes over tensors with such names
};

std::span<const ClassRow> class_table();
std::span<const std::string_view> shared_modules();

struct ExpectedTensor {
  enum class Presence { always, optional, alike, grouped, of_one_layout };

  std::string pattern;                              // its name, with # for numbers
  std::vector<std::optional<std::int64_t>> counts;  // of each #: the numbers below that; none: any
  std::optional<std::vector<std::optional<std::int64_t>>> shape;
  Presence presence = Presence::always;
  std::string group;   // of a grouped one: what all that are there together share
  std::string layout;  // letter of =a and ~a
};

// The part of a pattern up to its last #: the innermost numbered module; "" without one.
std::string_view numbered_module(std::string_view pattern);

struct ExpectedTensors {
  std::vector<ExpectedTensor> tensors;
  std::vector<std::string> open;      // modules whose class is not known: what they have, nobody knows here
  std::vector<std::string> unstated;  // and those whose config is not there, as they need not be then
  std::string prefix;
  std::vector<std::string> ignored;
};

// None for a class that is not in the table, and where config.json names code of its own.
std::optional<ExpectedTensors> expected_tensors(const Config& config);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_NAMES_CLASS_TENSORS_H
