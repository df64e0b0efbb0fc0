// Plans quantize() for a model some of whose tensors are changed on the way.
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

// Returns the source of a tensor's values if it is changed on the way. `encoded` is the round trip of the output's
// format, empty if the tensor stays plain. A changed tensor that is encoded must not need transposing.
using SourceOf = std::function<std::optional<PlannedSource>(const Tensor& tensor, const RoundTrip& encoded)>;

// `new_modules` are those of tensors that no file of the model has, and that stay plain. `options` need not outlive the
// call.
ConversionPlan plan_quantization(const Model& model, const QuantizeOptions& options, const SourceOf& source_of,
                                 const std::vector<std::string>& new_modules);

// Modules to list as not quantized that no tensor of the file names: output heads that are tied to an embedding.
std::vector<std::string> further_plain_modules(const Config& config, const Families& families);
// Whether transformers leaves out only lm_head if the config has no list.
bool leaves_out_head(const Config& config);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_QUANTIZE_H
