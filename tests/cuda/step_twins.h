// Compares NVIDIA's instructions (device/ptx.cuh) with their portable twins on the first GPU.
#ifndef QFUSE_TESTS_CUDA_STEP_TWINS_H
#define QFUSE_TESTS_CUDA_STEP_TWINS_H

#include <cstdint>
#include <string>
#include <vector>

namespace qfuse::tests {

struct TwinResult {
  std::string step;           // the step and its inputs
  std::uint64_t inputs = 0;   // how many were compared
  std::uint64_t differ = 0;   // how many results differ
  std::uint64_t example = 0;  // the last input with a different result
};

// Compares every step whose twin gives the same bits. Returns an empty list if the GPU fails.
std::vector<TwinResult> compare_step_twins();

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_CUDA_STEP_TWINS_H
