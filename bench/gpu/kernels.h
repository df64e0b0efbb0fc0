// Kernels that qfuse's are compared with: roofs that move the same bytes with no arithmetic, and a reader.
#ifndef QFUSE_BENCH_GPU_KERNELS_H
#define QFUSE_BENCH_GPU_KERNELS_H

#include <cuda_runtime_api.h>

#include <array>
#include <cstdint>
#include <string>

#include "contract/ops.h"

namespace qfuse::bench {

// One configuration of a roof kernel. The fastest configuration is the roof.
struct RoofTile {
  int threads;  // per thread block
  int groups;   // groups of 8 elements that a thread has in flight: 1, 2 or 4
  bool stream;  // use streaming stores, which bypass the caches
};
inline constexpr std::array kRoofTiles = {
    RoofTile{128, 1, false}, RoofTile{128, 2, false}, RoofTile{128, 2, true}, RoofTile{128, 4, true},
    RoofTile{256, 1, false}, RoofTile{256, 2, false}, RoofTile{256, 2, true}, RoofTile{256, 4, true},
    RoofTile{512, 1, false}, RoofTile{512, 2, false}, RoofTile{512, 2, true}, RoofTile{512, 4, false},
};
std::string describe(const RoofTile& tile);

// The roof of decoding: reads p's codes and 8-bit absmax and writes meaningless bytes to its 16-bit output.
void move_as_decode(const contract::Dequantize4bit& p, const RoofTile& tile, cudaStream_t stream);

// The roof of encoding: reads p's 16-bit weights and writes meaningless bytes to its codes and absmax.
void move_as_encode(const contract::Quantize4bit& p, const RoofTile& tile, cudaStream_t stream);

// The roofs of rounding x and of rounding a 4-bit weight to 8 bits: writes `bytes` (a multiple of 32), which are half
// or twice the bytes read.
enum class MoveTo { half, twice };
void move_bytes(const void* from, void* to, std::int64_t bytes, MoveTo size, const RoofTile& tile, cudaStream_t stream);

// Reads `bytes` (a multiple of 16), like a consumer of decoded weights. It writes nothing, but the compiler cannot
// prove that and keeps the reads.
void read_all(const void* from, std::int64_t bytes, int multiprocessors, cudaStream_t stream);

// values[i] += *offset in one launch, as torch does between the two decoders of bitsandbytes.
void add_offset(float* values, std::int64_t count, const float* offset, cudaStream_t stream);

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_GPU_KERNELS_H
