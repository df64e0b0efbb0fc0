// What a checkpoint that another method than bitsandbytes' quantized has beside its weights and a plain one must not
// have, and what its config says of them.
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

// Leaves out of the output scales of activations, which transformers would not know, and files that say how weights are
// quantized, as modelopt, GPTQ and AWQ have them, which vLLM would believe; notes say so, and what the config says
// otherwise than the tensors do.
void drop_quantization_records(const Layout& layout, const Model& model, const std::optional<Config>& config,
                               ConversionPlan& plan);

// Where the lists of what is not quantized, or the method, are others than the tensors': a line each. Empty for a model
// without such weights.
std::vector<std::string> quantization_disagreements(const Config& config, std::span<const Tensor> tensors);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_QUANTIZATION_RECORDS_H
