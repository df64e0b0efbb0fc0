// The tensors that a conversion will make, planned from headers only.
#ifndef QFUSE_CHECKPOINT_CONVERT_PLANNED_H
#define QFUSE_CHECKPOINT_CONVERT_PLANNED_H

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/convert/importance.h"
#include "checkpoint/convert/source.h"
#include "checkpoint/files/quant_state.h"
#include "checkpoint/files/safetensors.h"

namespace qfuse::checkpoint {

// A tensor of the converted model, made from one or more input tensors as a unit; all of its parts are in one file.
struct PlannedTensor {
  std::string name;
  bool converted = false;                 // else copied
  std::string kept_as = {};               // kind, if it could be quantized but is not; "": not counted
  bool measured = false;                  // making its source collects statistics, so a dry run makes it too
  std::vector<TensorEntry> outputs = {};  // tensors to write; byte ranges are not set yet
  // One more tensor to write, whose bytes and size are known only after the others were read; has its maximum size.
  std::optional<TensorEntry> text = {};
  std::int64_t input_bytes = 0;                                 // of the input tensors
  std::int64_t progress_bytes = 0;                              // how much making it advances the progress
  std::int64_t scratch_bytes = 0;                               // size of the scratch file needed while it is made
  std::function<OpenedTensor(ScratchFile* scratch)> open = {};  // `scratch` may be NULL if none is needed
};

// Values to be made: they become one plain tensor, or the parts of one encoded tensor.
struct PlannedSource {
  std::vector<std::int64_t> shape;
  Dtype dtype = Dtype::bfloat16;
  std::int64_t input_bytes = 0;
  std::int64_t scratch_bytes = 0;  // at the beginning of the file passed to `open`
  bool measured = false;
  std::function<Source(ScratchFile* scratch)> open = {};

  [[nodiscard]] std::int64_t bytes() const;
};

// Plans a tensor that is copied byte for byte.
PlannedTensor copied(const StoredTensor& stored);
// Plans a converted tensor: written as plain values, or encoded to 4 bits.
PlannedTensor planned_plain(const std::string& name, const PlannedSource& source);
// importance: as for encoded().
PlannedTensor planned_encoded(const std::string& name, const PlannedSource& source, const QuantState& state,
                              const Vector& importance = nullptr);

// Plans a 4-bit weight of which only `codes` are new; its other parts are copied. source: has encoded its values.
PlannedTensor planned_codes(const std::string& name, const PlannedSource& source, const StoredTensor& codes,
                            const std::vector<StoredTensor>& parts);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_PLANNED_H
