// A weight as it was seen in training: through bitsandbytes' codes.
#ifndef QFUSE_CHECKPOINT_MERGE_THROUGH_CODES_H
#define QFUSE_CHECKPOINT_MERGE_THROUGH_CODES_H

#include "checkpoint/convert/source.h"
#include "checkpoint/files/quant_state.h"

namespace qfuse::checkpoint {

// `weight` as it is when bitsandbytes has encoded and decoded it; made on the host. All absmax, absmax_bytes(state) of
// them, are made before the first piece, and wait in `scratch`.
Source through_codes(const Source& weight, const QuantState& state, ScratchFile& scratch);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_MERGE_THROUGH_CODES_H
