// Compares the tensors of a model with those of its class: what transformers would make up at random, pass over, or not
// load.
#ifndef QFUSE_CHECKPOINT_NAMES_CHECK_TENSORS_H
#define QFUSE_CHECKPOINT_NAMES_CHECK_TENSORS_H

#include <cstdint>
#include <optional>
#include <qfuse/checkpoint.hpp>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/names/class_tensors.h"

namespace qfuse::checkpoint {

// A tensor of the decoded model.
struct NamedShape {
  std::string name;
  std::optional<std::vector<std::int64_t>> shape;  // none: not known
  bool may_be_transposed = false;  // of a quantized matrix, which may be stored as [out, in] or [in, out]
};

struct TensorProblem : CheckProblem {
  bool is_sure = false;  // not by the class alone: another layer, which is else alike, has what this one lacks
};

// In the order of the class's tensors, then of the model's. `made`: names of tensors that transformers makes of others.
std::vector<TensorProblem> check_tensors(const ExpectedTensors& expected, std::span<const NamedShape> tensors,
                                         const std::set<std::string>& made);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_NAMES_CHECK_TENSORS_H
