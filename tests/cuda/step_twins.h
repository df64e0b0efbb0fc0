// The steps of NVIDIA's GPUs beside their portable twins, on the first GPU.
#ifndef QFUSE_TESTS_CUDA_STEP_TWINS_H
#define QFUSE_TESTS_CUDA_STEP_TWINS_H

#include <cstdint>
#include <string>
#include <vector>

namespace qfuse::tests {

struct TwinResult {
  std::string step;           // and what it was given
  std::uint64_t inputs = 0;   // that were compared
  std::uint64_t differ = 0;   // of them
  std::uint64_t example = 0;  // the last one that did
};

// Every step that has a twin with the same bits. Empty: the GPU failed.
std::vector<TwinResult> compare_step_twins();

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_CUDA_STEP_TWINS_H
