// GPU kernels of the swiglu benchmark beside the op: its inputs, a slow checker that uses none of the library's
// kernels, and the roof.
#ifndef QFUSE_BENCH_GPU_SWIGLU_KERNELS_H
#define QFUSE_BENCH_GPU_SWIGLU_KERNELS_H

#include <cuda_runtime_api.h>

#include <cstdint>
#include <vector>

#include "contract/ops.h"
#include "gpu/kernels.h"

namespace qfuse::bench {

// Fills with random bf16 numbers, normal with deviation 1. Each seed gives different numbers.
void fill_normal(void* to, std::int64_t count, std::uint32_t seed, cudaStream_t stream);

// Fills with random fp32 router weights in [0, 1).
void fill_weights(float* to, std::int64_t count, std::uint32_t seed, cudaStream_t stream);

// Computes p's outputs as the contract defines them, one thread per group. Rows must be contiguous. `ends` are the
// experts' ends on the host, equal to p's, or empty if there are no experts.
void check_swiglu(const contract::Swiglu& p, const std::vector<std::int64_t>& ends, cudaStream_t stream);

// Reads p's inputs and writes its payloads, contiguously, without experts' padding. Reads 4 bytes an element and writes
// 2 (forward), or 6 and 3 (backward), or 5 with the transposed gradient. Throws if p is not whole tiles.
void move_as_swiglu(const contract::Swiglu& p, const RoofTile& tile, cudaStream_t stream);
std::int64_t bytes_of_move(const contract::Swiglu& p);

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_GPU_SWIGLU_KERNELS_H
