// Tensor maps describe the tiles of an array that TMA (Hopper and later) copies to shared memory with load_tile.
#ifndef QFUSE_BACKEND_CUDA_DEVICE_TENSOR_MAP_H
#define QFUSE_BACKEND_CUDA_DEVICE_TENSOR_MAP_H

#include <cstdint>

#include "backend/cuda/platform.h"
#include "contract/outcome.h"
#ifndef QFUSE_PORTABLE
#include <cuda.h>
#endif

namespace qfuse::cuda {

// make_tensor_map, both versions: the array has `rows` rows of `row_bytes` bytes, `stride_bytes` apart, from `base` on.
// If `layers` is not 0, there are that many such matrices, one after the other, and a tile is in the one layer that
// load_tile gets. A tile has box_rows rows, up to 256, with box_bytes of each: 16, 32, 64 or 128. The array's address
// and stride are multiples of 16. A tile may begin anywhere, even before the array; what is outside the array is loaded
// as zeros. In shared memory a tile's rows are contiguous. They consist of 16-byte chunks, box_bytes / 16 per row, and
// chunk c is stored at the place of chunk c ^ (address / 128 % chunks per row), so that a warp reads a column without
// bank conflicts. The driver makes maps for the thread's current context, which may be missing: call this while a
// CurrentDevice lives.

#ifndef QFUSE_PORTABLE
namespace ptx {

// Passed inside a kernel's __grid_constant__ argument; the driver's type has the alignment that this needs.
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
// Rejects what the driver rejects, with the same message.
contract::Outcome make_tensor_map(TensorMap& map, const void* base, std::int64_t rows, std::int64_t row_bytes,
                                  std::int64_t stride_bytes, int box_rows, int box_bytes, std::int64_t layers = 0);

}  // namespace portable
}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_DEVICE_TENSOR_MAP_H
