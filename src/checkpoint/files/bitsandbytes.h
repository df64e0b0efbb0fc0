// The bitsandbytes layout, read and written: which tensors of a checkpoint are one quantized weight, by their names
// alone.
//   4-bit      <base>.quant_state.bitsandbytes__nf4|fp4 (JSON), <base> (codes), <base>.absmax, <base>.quant_map, and
//              with double quantization <base>.nested_absmax, <base>.nested_quant_map
//   LLM.int8   <prefix>.weight (I8), <prefix>.SCB, <prefix>.weight_format
// The parts of one weight may lie in different shards. <base> need not end in ".weight"; its shape may have any rank.
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

// Whether a tensor of that name holds a quant_state.
bool is_quant_state(std::string_view name);

struct StoredWeight4bit {
  QuantState state;
  StoredTensor packed;  // ceil(n/2) bytes, under whatever type they were stored as
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

// The weights of a model that are stored so, and what is left of one whose other parts are missing (layout.h).
void claim_bitsandbytes(Claims& claims);
void refuse_left_of_bitsandbytes(const Claims& claims, const StoredTensor& stored);

// How many tensors of the decoded model these names of all files are, where what is quantized is 4-bit.
std::int64_t tensor_count(const std::set<std::string_view>& names);

// The tensors that stand for one encoded weight, as bitsandbytes names and shapes them; without byte ranges.
struct EncodedParts {
  std::vector<TensorEntry> arrays;  // codes, absmax, quant_map; where they are nested, nested_absmax, nested_quant_map
  TensorEntry quant_state;          // its length depends on the offset: here it is the longest that any offset gives
};
EncodedParts encoded_parts(const std::string& name, const QuantState& state);

// The values of an encoded weight's quant_map and nested_quant_map.
std::vector<float> stored_quant_map(QuantType quant_type);
std::vector<float> stored_nested_quant_map();

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_BITSANDBYTES_H
