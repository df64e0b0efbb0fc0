// A stored 4-bit weight, as every op that reads one takes it: `Tensor[] weight`, a shape and a few scalars.
#ifndef QFUSE_PYTHON_CSRC_WEIGHT_4BIT_H
#define QFUSE_PYTHON_CSRC_WEIGHT_4BIT_H

#include <cstdint>
#include <string>
#include <vector>

#include "call.h"

namespace qfuse::torch_ops {

// A plain weight is packed and absmax; a nested one packed, absmax_8bit, nested_absmax, nested_quant_map and
// nested_offset; one of MXFP4 packed and scales. Weight4bit of python/qfuse/weight makes these lists.
using Tensors = std::vector<Tensor>;
using TensorViews = std::vector<TensorView>;

// The tensor whose device is the op's.
const TensorView& packed_of(const TensorViews& weight);

// How many offsets a nested stack of experts has: one for each that is nested by itself, or one.
std::int64_t nested_parts(const TensorViews& weight, std::int64_t experts);

// Checks what qfuse.h cannot see: dtypes, lengths, layouts, devices. A stack of experts is one matrix; `parts` of it
// are each nested by themselves.
qfuse_weight_4bit weight_4bit(const Call& call, const TensorViews& weight, Shape shape, const std::string& quant_type,
                              std::int64_t blocksize, std::int64_t nested_blocksize, std::int64_t parts = 1);

}  // namespace qfuse::torch_ops

#endif  // QFUSE_PYTHON_CSRC_WEIGHT_4BIT_H
