// What the benchmark of swiglu_backward runs on a GPU beside the op: its inputs, a slow checker that knows
// nothing of the library's code, and the roof.
#ifndef QFUSE_BENCH_GPU_SWIGLU_KERNELS_H
#define QFUSE_BENCH_GPU_SWIGLU_KERNELS_H

#include <cuda_runtime_api.h>

#include <cstdint>

#include "contract/ops.h"
#include "gpu/kernels.h"

namespace qfuse::bench {

// bf16, random, normal with deviation 1; each seed has numbers of its own.
void fill_normal(void* to, std::int64_t count, std::uint32_t seed, cudaStream_t stream);

// All four outputs of p by the contract's own words, one thread a group. Whole groups alone, rows without gaps.
void check_swiglu(const contract::SwigluBackward& p, cudaStream_t stream);

// Reads p's inputs and writes its payloads, contiguously: 6 and 3 bytes an element. Throws where p is not whole tiles.
void move_as_swiglu(const contract::SwigluBackward& p, const RoofTile& tile, cudaStream_t stream);
std::int64_t bytes_of_move(const contract::SwigluBackward& p);

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_GPU_SWIGLU_KERNELS_H
