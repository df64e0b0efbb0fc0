// The soak's own GPU kernels: they fill inputs, compare, and compete with an op for the GPU.
#ifndef QFUSE_TESTS_SOAK_KERNELS_H
#define QFUSE_TESTS_SOAK_KERNELS_H

#include <cuda_runtime_api.h>
#include <qfuse/qfuse.h>

#include <cstdint>

namespace qfuse::soak {

enum class Values {
  bytes,    // random bits; count is in bytes
  normal,   // a normal distribution with deviation `scale`
  uniform,  // from scale/8 to scale
  special   // normal with some zeros, subnormal and huge numbers, infinities and NaN
};

struct Fill {
  Values values = Values::normal;
  qfuse_dtype dtype = QFUSE_FLOAT32;
  float scale = 1.0F;
  std::uint32_t seed = 0;
};

// Writes `count` elements of the dtype, the same for the same seed. `to` is aligned to an element.
void fill(void* to, std::int64_t count, const Fill& what, cudaStream_t stream);

// Result of comparisons. Must be zero before the first one.
struct Difference {
  unsigned long long bytes;       // number of differing bytes
  unsigned long long complement;  // ~ of the first differing byte's index; 0 if none
};

// Adds to *found. Both arrays are aligned to 16 bytes, and their size is a multiple of 16.
void compare(const std::uint8_t* expected, const std::uint8_t* actual, std::int64_t size, Difference* found,
             cudaStream_t stream);

// Writes the whole memory, which evicts other data from the L2 cache.
void overwrite(void* memory, std::int64_t size, cudaStream_t stream);

// Some tens of microseconds of work on every multiprocessor, for the memory or for the arithmetic units.
void move_bytes(void* memory, std::int64_t size, int multiprocessors, cudaStream_t stream);
void compute(float* result, int multiprocessors, cudaStream_t stream);

}  // namespace qfuse::soak

#endif  // QFUSE_TESTS_SOAK_KERNELS_H
