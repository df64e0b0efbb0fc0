// Functions of every bf16 value as the first GPU computes them, indexed by the value's bits.
#ifndef QFUSE_TESTS_CUDA_SIGMOIDS_H
#define QFUSE_TESTS_CUDA_SIGMOIDS_H

namespace qfuse::tests {

struct Sigmoids {
  static constexpr unsigned kValues = 1U << 16;
  float exponential[kValues];  // expf
  float plain[kValues];        // the sigmoid that the contract defines
  float fast[kValues];         // the kernel's fast sigmoid, in its range
};

// Returns false if the GPU fails.
bool load_sigmoids(Sigmoids& sigmoids);

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_CUDA_SIGMOIDS_H
