// A stored 4-bit weight as an argument of the ops: `Tensor[] weight`, a shape and a few scalars.
#ifndef QFUSE_PYTHON_CSRC_WEIGHT_4BIT_H
#define QFUSE_PYTHON_CSRC_WEIGHT_4BIT_H

#include <cstdint>
#include <string>
#include <vector>

#include "call.h"

namespace qfuse::torch_ops {

// A plain weight is [packed, absmax]; a nested one is [packed, absmax_8bit, nested_absmax, nested_quant_map,
// nested_offset]; one with scales of rows is [packed, scales] or [packed, scales, global scale]. Weight4bit in
// python/qfuse/weight makes these lists.
using Tensors = std::vector<Tensor>;
using TensorViews = std::vector<TensorView>;

// Returns the packed codes. The op runs on their device.
const TensorView& packed_of(const TensorViews& weight);

// Returns the number of nested offsets or global scales of a stack: one, or one per expert.
std::int64_t nested_parts(const TensorViews& weight, std::int64_t experts);

// Checks what the C API cannot: dtypes, lengths, layouts and devices. A stack of experts is one matrix, of which
// `parts` parts are each nested by themselves, or have each a global scale.
qfuse_weight_4bit weight_4bit(const Call& call, const TensorViews& weight, Shape shape, const std::string& quant_type,
                              std::int64_t blocksize, std::int64_t nested_blocksize, std::int64_t parts = 1);

}  // namespace qfuse::torch_ops

#endif  // QFUSE_PYTHON_CSRC_WEIGHT_4BIT_H
