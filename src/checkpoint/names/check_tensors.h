// Compares a model's tensors with those of its class: finds tensors that transformers would initialize at random,
// ignore or fail to load.
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
  std::optional<std::vector<std::int64_t>> shape;  // nullopt: unknown
  bool may_be_transposed = false;                  // a quantized matrix, stored as [out, in] or [in, out]
};

struct TensorProblem : CheckProblem {
  bool is_sure = false;  // another, otherwise equal layer has the tensor that is missing here
};

// Problems come in the class's order, then the model's. `made`: tensors that transformers makes from others.
std::vector<TensorProblem> check_tensors(const ExpectedTensors& expected, std::span<const NamedShape> tensors,
                                         const std::set<std::string>& made);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_NAMES_CHECK_TENSORS_H
