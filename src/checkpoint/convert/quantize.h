// The plan of quantize(), for a model of which some tensors are changed on the way.
#ifndef QFUSE_CHECKPOINT_CONVERT_QUANTIZE_H
#define QFUSE_CHECKPOINT_CONVERT_QUANTIZE_H

#include <qfuse/checkpoint.hpp>
#include <set>
#include <string>
#include <vector>

#include "checkpoint/convert/conversion.h"
#include "checkpoint/files/bitsandbytes.h"
#include "checkpoint/files/quant_state.h"

namespace qfuse::checkpoint {

class ChangedWeights {
 public:
  ChangedWeights() = default;
  ChangedWeights(const ChangedWeights&) = delete;
  ChangedWeights& operator=(const ChangedWeights&) = delete;
  virtual ~ChangedWeights() = default;

  [[nodiscard]] virtual bool has(const std::string& name) const = 0;
  // One that is not quantized.
  [[nodiscard]] virtual PlannedTensor plain(const Tensor& tensor) const = 0;
  // Completes the plan of one that is: how it is opened, and what it needs. None is turned.
  virtual void encode(const Tensor& tensor, const QuantState& state, PlannedTensor& planned) const = 0;
  // Of tensors that no file of the model has, and that stay plain.
  [[nodiscard]] virtual std::vector<std::string> new_modules() const = 0;
};

// `options` and `changed` outlive the plan's making alone.
ConversionPlan plan_quantization(const Model& model, const QuantizeOptions& options, const ChangedWeights& changed);

// The tensors of a plain model that quantize() takes.
std::set<std::string> names_to_quantize(const Model& model, const QuantizeOptions& options);

// A pattern that matches nothing is a typing error, which would otherwise be found in the finished model: throws
// invalid_argument. `kind`: the option's name.
void check_patterns(const char* kind, const std::vector<std::string>& patterns, const Model& model,
                    const std::vector<Tensor>& tensors);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_QUANTIZE_H
