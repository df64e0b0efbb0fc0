// A weight as training saw it: encoded with bitsandbytes and decoded again.
#ifndef QFUSE_CHECKPOINT_MERGE_THROUGH_CODES_H
#define QFUSE_CHECKPOINT_MERGE_THROUGH_CODES_H

#include "checkpoint/convert/source.h"
#include "checkpoint/files/quant_state.h"

namespace qfuse::checkpoint {

// `weight`, encoded and decoded as by bitsandbytes, on the host. All absmax, absmax_bytes(state) bytes, are computed
// before the first piece and kept in `scratch`.
Source through_codes(const Source& weight, const QuantState& state, ScratchFile& scratch);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_MERGE_THROUGH_CODES_H
