// What the first GPU computes for every bf16 value, by its bits.
#ifndef QFUSE_TESTS_CUDA_SIGMOIDS_H
#define QFUSE_TESTS_CUDA_SIGMOIDS_H

namespace qfuse::tests {

struct Sigmoids {
  static constexpr unsigned kValues = 1U << 16;
  float exponential[kValues];  // expf
  float plain[kValues];        // the sigmoid of the contract
  float fast[kValues];         // the kernel's, for the values that it is used for
};

// False: the GPU failed.
bool load_sigmoids(Sigmoids& sigmoids);

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_CUDA_SIGMOIDS_H
