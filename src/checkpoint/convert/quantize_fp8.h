// Quantizes plain weights to FP8 in blocks of 128 x 128, as transformers' Fp8Quantize does.
#ifndef QFUSE_CHECKPOINT_CONVERT_QUANTIZE_FP8_H
#define QFUSE_CHECKPOINT_CONVERT_QUANTIZE_FP8_H

#include <string>
#include <vector>

#include "checkpoint/convert/conversion.h"
#include "checkpoint/convert/quantize.h"

namespace qfuse::checkpoint {

struct Fp8Options {
  bool ue8m0 = false;  // scales are powers of two, as F8_E8M0
  std::vector<std::string> include;
  std::vector<std::string> exclude;
};

// Quantizes linear layers, including experts that are stored one by one. As in transformers, layers that are not whole
// blocks stay plain, and so do stacks of experts. `source_of`, `new_modules`: see plan_quantization().
ConversionPlan plan_fp8(const Model& model, const Fp8Options& options, const SourceOf& source_of,
                        const std::vector<std::string>& new_modules);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_QUANTIZE_FP8_H
