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
  std::int64_t blocksize = format::kNestedBlocksize;  // in blocks; a power of two, 64 to 4096
  float offset = 0.0F;                                // any value, also NaN and infinity
};

struct QuantState {
  QuantType quant_type = QuantType::nf4;
  std::int64_t blocksize = 64;      // in elements; a power of two, 32 to 4096
  Dtype dtype = Dtype::bfloat16;    // dtype before quantization, to which it decodes
  std::vector<std::int64_t> shape;  // no negative dimension
  std::optional<NestedState> nested;
};

// Parses the keys that bitsandbytes reads back, and fails for any other key. Error messages begin with `where`.
QuantState parse_quant_state(std::string_view json, const std::string& where);

// Prints exactly like bitsandbytes, which uses Python's json.dumps.
std::string print_quant_state(const QuantState& state);

// Maximum bytes of the printed state over all offsets.
std::int64_t longest_quant_state(QuantState state);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_QUANT_STATE_H
