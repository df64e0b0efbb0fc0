// Finds the arrivals that form one move with their actor's previous steps (reasons: ring_explorer.h).
#ifndef QFUSE_TESTS_CUDA_RING_MERGING_H
#define QFUSE_TESTS_CUDA_RING_MERGING_H

#include <vector>

#include "ring_explorer.h"

namespace qfuse::tests {

// Whether arrivals are merged: at index 2 * r for `empty` of ring r, at 2 * r + 1 for `full`.
std::vector<bool> merged_arrivals(const Protocol& protocol);

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_CUDA_RING_MERGING_H
