// Encodes plain weights as the tensors that bitsandbytes saves for them.
#ifndef QFUSE_CHECKPOINT_CONVERT_ENCODE_H
#define QFUSE_CHECKPOINT_CONVERT_ENCODE_H

#include <qfuse/qfuse.hpp>

#include <cstdint>
#include <optional>

#include "checkpoint/convert/importance.h"
#include "checkpoint/convert/round_trip.h"
#include "checkpoint/convert/source.h"
#include "checkpoint/files/bitsandbytes.h"
#include "checkpoint/files/file.h"

namespace qfuse::checkpoint {

// Throws unless the device can encode weights with these settings; encodes one element to find out.
void require_encodable(QuantType quant_type, std::int64_t blocksize, Pipeline& pipeline);

// Makes the tensors of encoded_parts() except quant_state, in that order. `scratch` holds absmax_bytes() bytes from
// byte `place` on, from when the absmax are made until all are read. It must outlive the sources.
// importance: of each column, for plain absmax; NULL: absmax are the scales.
OpenedTensor encoded(const Source& weight, const QuantState& state, ScratchFile& scratch, std::int64_t place = 0,
                     Vector importance = nullptr);
std::int64_t absmax_bytes(const QuantState& state);

// The round trip through such codes, with absmax that are not nested, or with those of a stored weight.
RoundTrip through_4bit(const QuantState& state, const std::optional<StoredWeight4bit>& kept = {});

// The codes alone of a source that has encoded its values.
Source encoded_codes(const Source& weight);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_ENCODE_H
