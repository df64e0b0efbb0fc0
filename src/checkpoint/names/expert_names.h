// What adapters and files call the weights of a mixture's experts, which lie one by one or all in one tensor, and under
// another name in a file than in memory.
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

// A linear layer of an expert. Gate and up may be one: gate's rows and then up's, or row by row in turns.
enum class ExpertLayer { gate, up, gate_up, down };

// Of a module of one expert, "model.layers.0.mlp.experts.3.w1" or "....experts.gate_up_projs.3".
struct ExpertModule {
  std::string holder;  // of all experts: "model.layers.0.mlp.experts"
  std::int64_t expert = 0;
  ExpertLayer layer = ExpertLayer::gate;
};
// None: it is no such module.
std::optional<ExpertModule> expert_module(const std::string& module);

// What a module's last part says; none: it is called otherwise.
std::optional<ExpertLayer> expert_layer(std::string_view name);

// Names of an expert's layer as a tensor of its own.
std::vector<std::string> names_one_by_one(const ExpertModule& module);

// A tensor that has a layer of all experts: [experts, out, in], or transposed.
struct ExpertStack {
  const Tensor* tensor = nullptr;
  ExpertLayer layer = ExpertLayer::gate;
  bool in_turns = false;  // of gate_up: by the file's name, where memory has it otherwise
};

// Those that hold the layer: of gate_up, also two, of gate and of up; of gate or up, also one of gate_up. Empty: there
// are none. `where`: begins a message of a name that fits several tensors.
std::vector<ExpertStack> find_stacks(const TensorNames& names, const std::string& holder, ExpertLayer layer,
                                     const std::string& where);

// Whether a file of these families has experts as [experts, in, out].
bool are_experts_transposed(std::span<const std::string> model_types);

// Whether rows of gate and up take turns in a file of these families.
bool do_rows_take_turns(std::span<const std::string> model_types);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_NAMES_EXPERT_NAMES_H
