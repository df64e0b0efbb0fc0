// A second decoder of 4-bit weights with scales per block along rows: decodes each element by itself, as docs/FORMAT.md
// specifies, by code that conversions do not use. `qfuse compare` depends on it.
#ifndef QFUSE_CHECKPOINT_CONVERT_SCALED_4BIT_ORACLE_H
#define QFUSE_CHECKPOINT_CONVERT_SCALED_4BIT_ORACLE_H

#include <qfuse/qfuse.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

#include "checkpoint/files/scaled_4bit.h"

namespace qfuse::checkpoint {

// Fills `out` with elements of the decoded weight from `first` on. Holds in memory the codes and scales of the rows and
// columns that contain these elements.
void decode_by_oracle(const StoredWeightScaled4bit& weight, Dtype dtype, std::int64_t first, std::span<std::byte> out);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_SCALED_4BIT_ORACLE_H
