// The designs that have been published for NF4 decode on GPUs, each as small as it can be and right to the bit, so that
// a reader sees what buys what. docs/LADDER.md walks up it.
#ifndef QFUSE_BENCH_LADDER_LADDER_H
#define QFUSE_BENCH_LADDER_LADDER_H

#include <cuda_runtime_api.h>

#include <cstdint>

#include "format/params.h"
#include "gpu/weights.h"

namespace qfuse::bench {

// One decode of a weight in blocks of 64, nested in blocks of 256, to fp16 or bf16, whose size the rung can take.
struct Climb {
  format::Dequantize4bit p;
  Shape shape;
  float* scratch;  // [n/64]
  int multiprocessors;
  cudaStream_t stream;
};

using Rung = void (*)(const Climb& climb);

// libraries.cu
void three_launches(const Climb& climb);
// stores.cu
void interleaved_stores(const Climb& climb);
void joined_stores(const Climb& climb);
void double_load(const Climb& climb);
// work.cu
void grid_stride(const Climb& climb);
void row_tiles(const Climb& climb);
void warp_per_block(const Climb& climb);
// tables.cu
void constant_table(const Climb& climb);
void shared_table(const Climb& climb);
void shuffled_table(const Climb& climb);
void permuted_table(const Climb& climb);
// products.cu
void product_table(const Climb& climb);
// bulk.cu
void bulk_stores(const Climb& climb);  // needs compute capability 9.0

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_LADDER_LADDER_H
