// How long products take: by it a plan is chosen, and advice given. The figures were measured on an H200, those of GPUs
// before Hopper by their kernels there (docs/history/2026-11-matmul-4bit.md); other GPUs have their own clock, memory
// and number of multiprocessors.
#ifndef QFUSE_BACKEND_CUDA_MATMUL_4BIT_ESTIMATES_H
#define QFUSE_BACKEND_CUDA_MATMUL_4BIT_ESTIMATES_H

#include "backend/cuda/matmul_4bit/plan.h"

namespace qfuse::cuda::matmul_4bit {

// Tiles of the multiprocessor that has the most. Of owners, whose rows a router shares out unevenly, those that are to
// be expected where their numbers are distributed exponentially: one has more than r with probability exp(-r/mean).
double busiest_tiles(const contract::Matmul4bit& p, const Owners& owners, const DeviceFacts& facts, int outputs,
                     int tokens);

// Of a product by `multistage`.
double multistage_clocks(const contract::Matmul4bit& p, const Owners& owners, const DeviceFacts& facts,
                         const MultistageShape& shape);

// Of one weight, from the first launch on, in microseconds; of a plan that was not measured infinity.
double plan_us(const Plan& plan, const contract::Matmul4bit& p, const DeviceFacts& facts);

// To decode the weight to memory, and to multiply by that.
double decoded_us(const contract::Matmul4bit& p, const DeviceFacts& facts);

// Whether the device says what these ask for.
bool has_estimates(const DeviceFacts& facts);

}  // namespace qfuse::cuda::matmul_4bit

#endif  // QFUSE_BACKEND_CUDA_MATMUL_4BIT_ESTIMATES_H
