// Maps the tensors of a quantized checkpoint to those of the plain model. The plain model may have all experts in one
// tensor, while the checkpoint stores them one by one, or gate and up separately: bitsandbytes quantizes only linear
// layers, so loaders of such checkpoints replace that tensor by layers. Also removes peft's wrappers from names.
#ifndef QFUSE_CHECKPOINT_NAMES_PLAIN_NAMES_H
#define QFUSE_CHECKPOINT_NAMES_PLAIN_NAMES_H

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/files/layout.h"

namespace qfuse::checkpoint {

// A tensor of the plain model, [experts, rows, columns] or [experts, rows], and the tensors from which it is made.
struct JoinedTensor {
  std::string name;
  std::vector<std::int64_t> shape;
  // For each expert in order: tensors whose rows are concatenated. `is_transposed`: each expert's matrix is the
  // transpose of that concatenation.
  std::vector<std::vector<const Tensor*>> experts;
  bool is_transposed = false;
  // If not 0, `experts` has one entry, with tensors that each hold all experts: each tensor is split into this many
  // equal stretches, which are interleaved.
  std::int64_t stretches = 0;
};

struct PlainNames {
  std::vector<JoinedTensor> joined;
  std::vector<std::pair<const Tensor*, std::string>> others;  // all other tensors, with their names in the plain model

  [[nodiscard]] bool are_other_names() const;
};

// Returns a tensor's name without peft's prefix and wrappers.
std::string without_peft(std::string name);

// Maps `tensors` to the plain model of these families. Fails with invalid_data if an expert is missing or differs from
// the others, or if two tensors would have the same name.
PlainNames plain_names(std::span<const std::string> model_types, std::span<const Tensor> tensors,
                       const std::string& model);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_NAMES_PLAIN_NAMES_H
