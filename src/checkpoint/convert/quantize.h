// The plan of quantize(), for a model of which some tensors are changed on the way.
#ifndef QFUSE_CHECKPOINT_CONVERT_QUANTIZE_H
#define QFUSE_CHECKPOINT_CONVERT_QUANTIZE_H

#include <functional>
#include <optional>
#include <qfuse/checkpoint.hpp>
#include <string>
#include <vector>

#include "checkpoint/convert/conversion.h"
#include "checkpoint/convert/planned.h"
#include "checkpoint/files/layout.h"
#include "checkpoint/files/quant_state.h"

namespace qfuse::checkpoint {

// Where the values of a tensor come from, if it is changed on the way; `encoded`: what it becomes, NULL if it stays
// plain. None that is encoded is transposed.
using SourceOf = std::function<std::optional<PlannedSource>(const Tensor& tensor, const QuantState* encoded)>;

// `new_modules`: of tensors that no file of the model has, and that stay plain. `options` outlive the plan's making
// alone.
ConversionPlan plan_quantization(const Model& model, const QuantizeOptions& options, const SourceOf& source_of,
                                 const std::vector<std::string>& new_modules);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_QUANTIZE_H
