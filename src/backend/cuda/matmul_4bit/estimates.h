// Estimated times of products, which decide plans and advice. They were measured on an H200, for older GPUs too, with
// the kernels of those (docs/history/tried.md). They are scaled by a GPU's clock, memory rate and number of
// multiprocessors.
#ifndef QFUSE_BACKEND_CUDA_MATMUL_4BIT_ESTIMATES_H
#define QFUSE_BACKEND_CUDA_MATMUL_4BIT_ESTIMATES_H

#include "backend/cuda/matmul_4bit/plan.h"

namespace qfuse::cuda::matmul_4bit {

// Number of tiles on the busiest multiprocessor. For experts, the expected number if rows per expert, which a router
// decides, are exponentially distributed: P(rows > r) = exp(-r / mean).
double busiest_tiles(const contract::Matmul4bit& p, const Owners& owners, const DeviceFacts& facts, int outputs,
                     int tokens);

// Clocks of a product by `multistage` with this shape; infinity if the device has no such kernel.
double multistage_clocks(const contract::Matmul4bit& p, const Owners& owners, const DeviceFacts& facts,
                         const MultistageShape& shape);

// Estimated microseconds of a plan for one weight, including the launch; infinity for a kernel that was not measured.
double plan_us(const Plan& plan, const contract::Matmul4bit& p, const DeviceFacts& facts);

// Microseconds to decode the weight to memory and multiply by the decoded weight.
double decoded_us(const contract::Matmul4bit& p, const DeviceFacts& facts);

// Whether the device reports the facts that the estimates need.
bool has_estimates(const DeviceFacts& facts);

}  // namespace qfuse::cuda::matmul_4bit

#endif  // QFUSE_BACKEND_CUDA_MATMUL_4BIT_ESTIMATES_H
