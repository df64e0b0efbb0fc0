// What the benchmark of swiglu runs on a GPU beside the op: its inputs, a slow checker that knows nothing of the
// library's code, and the roof.
#ifndef QFUSE_BENCH_GPU_SWIGLU_KERNELS_H
#define QFUSE_BENCH_GPU_SWIGLU_KERNELS_H

#include <cuda_runtime_api.h>

#include <cstdint>
#include <vector>

#include "contract/ops.h"
#include "gpu/kernels.h"

namespace qfuse::bench {

// bf16, random, normal with deviation 1; each seed has numbers of its own.
void fill_normal(void* to, std::int64_t count, std::uint32_t seed, cudaStream_t stream);

// Router weights, fp32, random, from 0 to 1.
void fill_weights(float* to, std::int64_t count, std::uint32_t seed, cudaStream_t stream);

// The outputs of p by the contract's own words, one thread a group. Rows without gaps; experts with scales row by row,
// whose ends are `ends` and lie on the host too.
void check_swiglu(const contract::Swiglu& p, const std::vector<std::int64_t>& ends, cudaStream_t stream);

// Reads p's inputs and writes its payloads, contiguously: forward 4 bytes an element and 2; backward 6 and 3, or 5 with
// the gradient transposed; without what fills up experts' columns. Throws where p is not whole tiles.
void move_as_swiglu(const contract::Swiglu& p, const RoofTile& tile, cudaStream_t stream);
std::int64_t bytes_of_move(const contract::Swiglu& p);

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_GPU_SWIGLU_KERNELS_H
