// What the tensors of a quantized checkpoint are in the plain model. Experts may be one tensor there, and lie one by one
// in the checkpoint: bitsandbytes quantizes linear layers alone, so that loaders of such checkpoints put layers in that
// tensor's place. And peft wraps layers, which shows in their names.
#ifndef QFUSE_CHECKPOINT_CONVERT_PLAIN_NAMES_H
#define QFUSE_CHECKPOINT_CONVERT_PLAIN_NAMES_H

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/files/bitsandbytes.h"

namespace qfuse::checkpoint {

// One tensor of the plain model, and what it is made of: of each expert, in their order, tensors whose rows stand one
// below the other. `is_turned`: each expert's matrix is the transpose of that.
struct JoinedTensor {
  std::string name;
  std::vector<std::vector<const Tensor*>> experts;
  bool is_turned = false;

  // Of all: [experts, rows, columns], or [experts, rows].
  [[nodiscard]] std::vector<std::int64_t> shape() const;
};

struct PlainNames {
  std::vector<JoinedTensor> joined;
  std::vector<std::pair<const Tensor*, std::string>> others;  // the rest, with the names that the plain model has

  [[nodiscard]] bool are_other_names() const;
};

// What `tensors` are in the plain model of these families. invalid_data where an expert is missing, or is unlike others,
// or two tensors would have one name.
PlainNames plain_names(std::span<const std::string> model_types, std::span<const Tensor> tensors,
                       const std::string& model);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_PLAIN_NAMES_H
