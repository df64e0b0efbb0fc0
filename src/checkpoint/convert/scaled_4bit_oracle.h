// 4-bit weights with scales of blocks along rows, decoded once more: each element by itself, as docs/FORMAT.md says it,
// by code that conversions do not use. compare rests on it.
#ifndef QFUSE_CHECKPOINT_CONVERT_SCALED_4BIT_ORACLE_H
#define QFUSE_CHECKPOINT_CONVERT_SCALED_4BIT_ORACLE_H

#include <qfuse/qfuse.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

#include "checkpoint/files/scaled_4bit.h"

namespace qfuse::checkpoint {

// Fills `out` with the decoded weight's elements from `first` on. Holds the codes and scales of the rows and columns
// that these lie in.
void decode_by_oracle(const StoredWeightScaled4bit& weight, Dtype dtype, std::int64_t first, std::span<std::byte> out);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_SCALED_4BIT_ORACLE_H
