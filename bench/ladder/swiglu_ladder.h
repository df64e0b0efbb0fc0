// The designs among which silu_dot_fwd_bwd_quant_fuse was chosen, each as small as it can be and right to the byte but
// for one that says so. docs/LADDER.md walks up it.
#ifndef QFUSE_BENCH_LADDER_SWIGLU_LADDER_H
#define QFUSE_BENCH_LADDER_SWIGLU_LADDER_H

#include <cuda_runtime_api.h>

#include "format/params.h"

namespace qfuse::bench {

// One run on whole tiles: m and h multiples of 128, rows without gaps, arrays aligned to 16, all outputs.
struct SwigluClimb {
  format::SiluDotFwdBwdQuantFuse p;
  void* y;      // scratch: [m, h] bf16
  int threads;  // of a block of the tile rungs: what the library's plan has for this shape
  cudaStream_t stream;
};

using SwigluRung = void (*)(const SwigluClimb& climb);

// swiglu_passes.cu
void swiglu_y_twice(const SwigluClimb& climb);
void swiglu_y_buffer(const SwigluClimb& climb);
// swiglu_registers.cu
void swiglu_registers(const SwigluClimb& climb);
// swiglu_tile.cu
void swiglu_token_major(const SwigluClimb& climb);
void swiglu_y_first(const SwigluClimb& climb);
void swiglu_divided(const SwigluClimb& climb);
void swiglu_reciprocal(const SwigluClimb& climb);  // not exact
void swiglu_past_l1(const SwigluClimb& climb);
void swiglu_whole_tiles(const SwigluClimb& climb);

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_LADDER_SWIGLU_LADDER_H
