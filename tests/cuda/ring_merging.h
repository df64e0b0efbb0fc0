// Which arrivals of a protocol are one move with what their actor did before (ring_explorer.h says why).
#ifndef QFUSE_TESTS_CUDA_RING_MERGING_H
#define QFUSE_TESTS_CUDA_RING_MERGING_H

#include <vector>

#include "ring_explorer.h"

namespace qfuse::tests {

// Of those at `empty` of ring r, at 2 * r, and of those at `full`, at 2 * r + 1.
std::vector<bool> merged_arrivals(const Protocol& protocol);

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_CUDA_RING_MERGING_H
