// What a conversion will make, known from headers alone.
#ifndef QFUSE_CHECKPOINT_CONVERT_PLANNED_H
#define QFUSE_CHECKPOINT_CONVERT_PLANNED_H

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/convert/source.h"
#include "checkpoint/files/quant_state.h"
#include "checkpoint/files/safetensors.h"

namespace qfuse::checkpoint {

// A tensor of the converted model: what is made together, of one or more tensors of the inputs, and stands in one file.
struct PlannedTensor {
  std::string name;
  bool converted = false;                 // else it is copied
  std::string kept_as = {};               // what it is that could be quantized and is not; "": nobody counts that
  bool measured = false;                  // its source takes figures, for which a dry run makes it too
  std::vector<TensorEntry> outputs = {};  // that it becomes; without byte ranges
  // One more, whose bytes, and how many they are, are known only when the others were read; with the most that it can
  // be.
  std::optional<TensorEntry> text = {};
  std::int64_t input_bytes = 0;                                 // of tensors read
  std::int64_t progress_bytes = 0;                              // that making it counts
  std::int64_t scratch_bytes = 0;                               // of a file that is needed while it is read
  std::function<OpenedTensor(ScratchFile* scratch)> open = {};  // NULL: where nobody needs one
};

// Values that will be made: what becomes one plain tensor, or the parts of an encoded one.
struct PlannedSource {
  std::vector<std::int64_t> shape;
  Dtype dtype = Dtype::bfloat16;
  std::int64_t input_bytes = 0;
  std::int64_t scratch_bytes = 0;  // at the beginning of the file that `open` gets
  bool measured = false;
  std::function<Source(ScratchFile* scratch)> open = {};

  [[nodiscard]] std::int64_t bytes() const;
};

// A tensor that is copied byte for byte.
PlannedTensor copied(const StoredTensor& stored);
// One that is converted: written as its values are, or encoded.
PlannedTensor planned_plain(const std::string& name, const PlannedSource& source);
PlannedTensor planned_encoded(const std::string& name, const PlannedSource& source, const QuantState& state);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_PLANNED_H
