// What transformers will make of the tensors of a planned output.
#ifndef QFUSE_CHECKPOINT_CONVERT_CHECK_OUTPUT_H
#define QFUSE_CHECKPOINT_CONVERT_CHECK_OUTPUT_H

#include <set>
#include <span>
#include <string>

#include "checkpoint/convert/conversion.h"
#include "checkpoint/names/vocabulary.h"

namespace qfuse::checkpoint {

// Names of tied tensors, which need not be in a file: transformers makes them of another one.
std::set<std::string> tied_names(const Vocabulary& vocabulary);

// Of a quantized model, whose names its loader may have chosen: compares names and shapes of a plan with those of its
// class. unsupported where the class misses tensors, and has not those that there are, unless the options allow it;
// otherwise a note says what is missing or not known. `tensors`: of the input.
void check_output(const Model& model, std::span<const Tensor> tensors, const ConversionOptions& options,
                  ConversionPlan& plan);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_CHECK_OUTPUT_H
