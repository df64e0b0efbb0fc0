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
#include "checkpoint/convert/round_trip.h"
#include "checkpoint/files/layout.h"
#include "checkpoint/names/families.h"

namespace qfuse::checkpoint {

// Where the values of a tensor come from, if it is changed on the way; `encoded`: what its codes leave, nothing if it
// stays plain. None that is encoded is transposed.
using SourceOf = std::function<std::optional<PlannedSource>(const Tensor& tensor, const RoundTrip& encoded)>;

// `new_modules`: of tensors that no file of the model has, and that stay plain. `options` outlive the plan's making
// alone.
ConversionPlan plan_quantization(const Model& model, const QuantizeOptions& options, const SourceOf& source_of,
                                 const std::vector<std::string>& new_modules);

// What a config lists as not quantized that no tensor of the file names: output heads that are tied to an embedding.
std::vector<std::string> further_plain_modules(const Config& config, const Families& families);
// Whether transformers, given no list, leaves out lm_head alone.
bool leaves_out_head(const Config& config);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_QUANTIZE_H
