// Tensor maps: which tiles of an array TMA copies to shared memory, from Hopper on. load_tile of hopper.cuh loads them.
#ifndef QFUSE_BACKEND_CUDA_DEVICE_TENSOR_MAP_H
#define QFUSE_BACKEND_CUDA_DEVICE_TENSOR_MAP_H

#include <cstdint>

#include "backend/cuda/platform.h"
#include "contract/outcome.h"
#ifndef QFUSE_PORTABLE
#include <cuda.h>
#endif

namespace qfuse::cuda {

// make_tensor_map, of either kind: the array has `rows` rows of `row_bytes` bytes, from `base` on, `stride_bytes`
// apart. With `layers` it has so many of these matrices, one behind the other, and a tile, whose layer load_tile is
// told, lies in one. A tile has box_rows of them, up to 256, and of each box_bytes: 16, 32, 64 or 128. The array's
// address and stride are multiples of 16. A tile may begin anywhere, before the array too; what lies outside of the
// array is loaded as zeros. In shared memory a tile's rows follow each other. Of chunks of 16 bytes, box_bytes / 16 in
// a row, chunk c lies where chunk c ^ (address / 128 % chunks of a row) would: what a warp reads of one column lies in
// different banks. The driver maps for the thread's current context, and a thread may have none: call it while a
// CurrentDevice lives.

#ifndef QFUSE_PORTABLE
namespace ptx {

// Passed inside of a kernel's __grid_constant__ argument; the driver's type has the alignment that this needs.
struct TensorMap {
  CUtensorMap tensor;
};
contract::Outcome make_tensor_map(TensorMap& map, const void* base, std::int64_t rows, std::int64_t row_bytes,
                                  std::int64_t stride_bytes, int box_rows, int box_bytes, std::int64_t layers = 0);

}  // namespace ptx
#endif

namespace portable {

struct TensorMap {
  const std::uint8_t* base;
  std::int64_t rows;
  std::int64_t row_bytes;
  std::int64_t stride_bytes;
  int box_rows;
  int box_bytes;
  std::int64_t layers;  // 0: two dimensions
};
// Refuses what the driver does, in its words.
contract::Outcome make_tensor_map(TensorMap& map, const void* base, std::int64_t rows, std::int64_t row_bytes,
                                  std::int64_t stride_bytes, int box_rows, int box_bytes, std::int64_t layers = 0);

}  // namespace portable
}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_DEVICE_TENSOR_MAP_H
