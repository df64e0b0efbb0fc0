// Names of MoE experts' weights in adapters and files, which store experts one by one or all in one tensor, possibly
// under other names than in memory.
#ifndef QFUSE_CHECKPOINT_NAMES_EXPERT_NAMES_H
#define QFUSE_CHECKPOINT_NAMES_EXPERT_NAMES_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/names/tensor_names.h"

namespace qfuse::checkpoint {

// A linear layer of an expert. Gate and up may be one layer, with gate's rows before up's or interleaved with them.
enum class ExpertLayer { gate, up, gate_up, down };

// Module of one expert: "model.layers.0.mlp.experts.3.w1" or "....experts.gate_up_projs.3".
struct ExpertModule {
  std::string holder;  // module of all experts: "model.layers.0.mlp.experts"
  std::int64_t expert = 0;
  ExpertLayer layer = ExpertLayer::gate;
};
// Returns nullopt if the name is not that of an expert's module.
std::optional<ExpertModule> expert_module(const std::string& module);

// Returns the layer that a module's last part names; nullopt for other names.
std::optional<ExpertLayer> expert_layer(std::string_view name);

// Returns possible names of an expert's layer stored as a tensor of its own.
std::vector<std::string> names_one_by_one(const ExpertModule& module);

// A tensor with one layer of all experts: [experts, out, in], or transposed.
struct ExpertStack {
  const Tensor* tensor = nullptr;
  ExpertLayer layer = ExpertLayer::gate;
  bool in_turns = false;  // gate_up interleaved in the file, according to its name, but not in memory
};

// Returns the tensors with the layer: gate_up may be one tensor or two, and gate or up may be part of a gate_up. Empty
// if there are none. `where` begins the error message for a name that matches several tensors.
std::vector<ExpertStack> find_stacks(const TensorNames& names, const std::string& holder, ExpertLayer layer,
                                     const std::string& where);

// Whether files of these families store experts as [experts, in, out].
bool are_experts_transposed(std::span<const std::string> model_types);

// Whether files of these families interleave the rows of gate and up.
bool do_rows_take_turns(std::span<const std::string> model_types);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_NAMES_EXPERT_NAMES_H
