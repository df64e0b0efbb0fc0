// Checks whether transformers will find the tensors that it needs in a planned output.
#ifndef QFUSE_CHECKPOINT_CONVERT_CHECK_OUTPUT_H
#define QFUSE_CHECKPOINT_CONVERT_CHECK_OUTPUT_H

#include <set>
#include <span>
#include <string>

#include "checkpoint/convert/conversion.h"
#include "checkpoint/names/vocabulary.h"

namespace qfuse::checkpoint {

// Returns the names of tied tensors. They need not be in a file, because transformers makes them from another tensor.
std::set<std::string> tied_names(const Vocabulary& vocabulary);

// Compares names and shapes of the planned tensors with those of the model's class. Applies only to a quantized model,
// whose loader may have chosen its own names. Fails as unsupported if tensors of the class are missing and others are
// unknown to it, unless the options allow that; otherwise adds a note that counts them. `tensors`: of the input.
void check_output(const Model& model, std::span<const Tensor> tensors, const ConversionOptions& options,
                  ConversionPlan& plan);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_CHECK_OUTPUT_H
