// What the tensors of a quantized checkpoint are in the plain model. Experts may be one tensor there, and lie one by
// one in the checkpoint, or gate apart from up: bitsandbytes quantizes linear layers alone, so that loaders of such
// checkpoints put layers in that tensor's place. And peft wraps layers, which shows in their names.
#ifndef QFUSE_CHECKPOINT_NAMES_PLAIN_NAMES_H
#define QFUSE_CHECKPOINT_NAMES_PLAIN_NAMES_H

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/files/layout.h"

namespace qfuse::checkpoint {

// One tensor of the plain model, [experts, rows, columns] or [experts, rows], and what it is made of.
struct JoinedTensor {
  std::string name;
  std::vector<std::int64_t> shape;
  // Of each expert, in their order, tensors whose rows stand one below the other. `is_transposed`: each expert's matrix
  // is the transpose of that.
  std::vector<std::vector<const Tensor*>> experts;
  bool is_transposed = false;
  // If not 0, there is one entry in `experts`, of tensors that each have all experts: they are so many equal stretches,
  // and those of all tensors take turns.
  std::int64_t stretches = 0;
};

struct PlainNames {
  std::vector<JoinedTensor> joined;
  std::vector<std::pair<const Tensor*, std::string>> others;  // the rest, with the names that the plain model has

  [[nodiscard]] bool are_other_names() const;
};

// A tensor's name without what peft puts around and into it.
std::string without_peft(std::string name);

// What `tensors` are in the plain model of these families. invalid_data where an expert is missing, or is unlike
// others, or two tensors would have one name.
PlainNames plain_names(std::span<const std::string> model_types, std::span<const Tensor> tensors,
                       const std::string& model);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_NAMES_PLAIN_NAMES_H
