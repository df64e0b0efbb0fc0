// Reads and writes the bitsandbytes layout: groups the tensors of a checkpoint into quantized weights by their names.
//   4-bit      <base>.quant_state.bitsandbytes__nf4|fp4 (JSON), <base> (codes), <base>.absmax, <base>.quant_map, and
//              with double quantization <base>.nested_absmax, <base>.nested_quant_map
//   LLM.int8   <prefix>.weight (I8), <prefix>.SCB, <prefix>.weight_format
// The parts of one weight may be in different shards. <base> need not end in ".weight"; its shape may have any rank.
#ifndef QFUSE_CHECKPOINT_FILES_BITSANDBYTES_H
#define QFUSE_CHECKPOINT_FILES_BITSANDBYTES_H

#include <qfuse/qfuse.hpp>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/files/model.h"
#include "checkpoint/files/quant_state.h"

namespace qfuse::checkpoint {

class Claims;

// Whether a tensor of this name holds a quant_state.
bool is_quant_state(std::string_view name);

struct StoredWeight4bit {
  QuantState state;
  StoredTensor packed;  // ceil(n/2) bytes, stored with any of several dtypes
  StoredTensor absmax;  // [blocks], F32; U8 when nested
  // Only when nested:
  StoredTensor nested_absmax;     // F32 [ceil(blocks / state.nested->blocksize)]
  StoredTensor nested_quant_map;  // F32 [256]
};

struct StoredWeightInt8 {
  StoredTensor weight;  // I8 [rows, cols]
  StoredTensor scb;     // F32 [rows]
  Dtype dtype = Dtype::bfloat16;
};

// Claims the model's weights in this layout; fails for a leftover part of an incomplete weight (layout.h).
void claim_bitsandbytes(Claims& claims);
void refuse_left_of_bitsandbytes(const Claims& claims, const StoredTensor& stored);

// Number of tensors of the decoded model, given all tensor names of a model whose quantized weights are 4-bit.
std::int64_t tensor_count(const std::set<std::string_view>& names);

// The tensors of one encoded weight, with bitsandbytes' names and shapes; without byte ranges.
struct EncodedParts {
  std::vector<TensorEntry> arrays;  // codes, absmax, quant_map; with nested absmax also nested_absmax, nested_quant_map
  TensorEntry quant_state;          // has the maximum length, because its length depends on the offset
};
EncodedParts encoded_parts(const std::string& name, const QuantState& state);

// Returns the values of an encoded weight's quant_map and nested_quant_map.
std::vector<float> stored_quant_map(QuantType quant_type);
std::vector<float> stored_nested_quant_map();

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_BITSANDBYTES_H
