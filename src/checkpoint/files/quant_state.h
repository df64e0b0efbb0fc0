// The JSON that bitsandbytes stores beside each 4-bit weight.
#ifndef QFUSE_CHECKPOINT_FILES_QUANT_STATE_H
#define QFUSE_CHECKPOINT_FILES_QUANT_STATE_H

#include <qfuse/qfuse.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/layout.h"

namespace qfuse::checkpoint {

struct NestedState {
  std::int64_t blocksize = format::kNestedBlocksize;  // blocks; a power of two, 64 to 4096
  float offset = 0.0F;                                // any value, also NaN and infinite
};

struct QuantState {
  QuantType quant_type = QuantType::nf4;
  std::int64_t blocksize = 64;      // elements; a power of two, 32 to 4096
  Dtype dtype = Dtype::bfloat16;    // what the weight was before, and decodes to
  std::vector<std::int64_t> shape;  // no negative dimension
  std::optional<NestedState> nested;
};

// Knows the keys that bitsandbytes reads back, refuses any other. `where` begins the message of an error.
QuantState parse_quant_state(std::string_view json, const std::string& where);

// As bitsandbytes prints it: Python's json.dumps, to the byte.
std::string print_quant_state(const QuantState& state);

// The bytes of the longest one that differs from `state` in its offset alone.
std::int64_t longest_quant_state(QuantState state);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_QUANT_STATE_H
