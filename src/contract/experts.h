// The ends of the experts' rows, which are a parameter of several ops.
#ifndef QFUSE_CONTRACT_EXPERTS_H
#define QFUSE_CONTRACT_EXPERTS_H

#include <qfuse/qfuse.h>

#include <cstdint>

#include "contract/outcome.h"

namespace qfuse::contract {

inline constexpr std::int64_t kMostExperts = std::int64_t{1} << 20;

constexpr std::int64_t index_size(qfuse_index_type type) { return type == QFUSE_INDEX_INT64 ? 8 : 4; }

struct ExpertEnds {
  const char* count_name;  // names of the op's fields, for messages
  const char* ends_name;
  const char* type_name;
  std::int64_t count;
  const void* ends;
  qfuse_index_type type;

  // `ends` must be host memory.
  std::int64_t operator[](std::int64_t expert) const {
    if (type == QFUSE_INDEX_INT64) return static_cast<const std::int64_t*>(ends)[expert];
    return static_cast<const std::int32_t*>(ends)[expert];
  }
};

Outcome check_ranges(const ExpertEnds& experts);

// Checks the values of the ends, which must be in host memory.
Outcome check_values(const ExpertEnds& experts, std::int64_t m);

}  // namespace qfuse::contract

#endif  // QFUSE_CONTRACT_EXPERTS_H
