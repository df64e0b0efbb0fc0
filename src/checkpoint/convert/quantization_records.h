// For checkpoints quantized by a method other than bitsandbytes: records that a plain checkpoint must not have, and
// what the config says about the quantized tensors.
#ifndef QFUSE_CHECKPOINT_CONVERT_QUANTIZATION_RECORDS_H
#define QFUSE_CHECKPOINT_CONVERT_QUANTIZATION_RECORDS_H

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/convert/conversion.h"
#include "checkpoint/files/config.h"
#include "checkpoint/files/layout.h"

namespace qfuse::checkpoint {

// Leaves activation scales out of the output, because transformers would not know them, and also the files in which
// modelopt, GPTQ and AWQ say how weights are quantized, because vLLM would believe them. Adds notes about both, and
// about disagreements between config and tensors.
void drop_quantization_records(const Layout& layout, const Model& model, const std::optional<Config>& config,
                               ConversionPlan& plan);

// Returns a line for each disagreement between config and tensors about the method or the lists of modules that are not
// quantized. Empty for a model without such weights.
std::vector<std::string> quantization_disagreements(const Config& config, std::span<const Tensor> tensors);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_QUANTIZATION_RECORDS_H
