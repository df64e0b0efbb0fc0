#include "backend/cuda/device/tile_map.h"

#include <atomic>
#include <string>

#include "backend/cuda/align.h"
#include "backend/cuda/device/current.h"

namespace qfuse::cuda {
namespace {

contract::Outcome no_tile_map(std::int64_t rows, std::int64_t row_bytes, std::int64_t stride_bytes, int box_rows,
                              int box_bytes) {
  return contract::unsupported("the driver maps no tiles of " + std::to_string(box_rows) + " rows of " +
                               std::to_string(box_bytes) + " bytes in an array of " + std::to_string(rows) +
                               " rows of " + std::to_string(row_bytes) + " bytes, " + std::to_string(stride_bytes) +
                               " bytes apart");
}

}  // namespace

#ifndef QFUSE_PORTABLE
namespace ptx {
namespace {

// The driver's library is not linked: where there is none, the library still loads.
using EncodeTiled = decltype(&cuTensorMapEncodeTiled);

EncodeTiled look_up_encode_tiled() {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  constexpr unsigned kSince = 12000;  // of the driver's interface
  if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, kSince, cudaEnableDefault, &found) !=
      cudaSuccess) {
    static_cast<void>(cudaGetLastError());  // the caller's next call is not to find it
    return nullptr;
  }
  return found == cudaDriverEntryPointSuccess ? reinterpret_cast<EncodeTiled>(entry) : nullptr;
}

// Looked up until it is found: what keeps it from being found may pass.
EncodeTiled find_encode_tiled() {
  static std::atomic<EncodeTiled> known{nullptr};
  EncodeTiled encode = known.load(std::memory_order_relaxed);
  if (encode == nullptr) known.store(encode = look_up_encode_tiled(), std::memory_order_relaxed);
  return encode;
}

CUtensorMapSwizzle swizzle_of(int box_bytes) {
  switch (box_bytes) {
    case 32: return CU_TENSOR_MAP_SWIZZLE_32B;
    case 64: return CU_TENSOR_MAP_SWIZZLE_64B;
    case 128: return CU_TENSOR_MAP_SWIZZLE_128B;
    default: return CU_TENSOR_MAP_SWIZZLE_NONE;
  }
}

}  // namespace

contract::Outcome make_tile_map(TileMap& map, const void* base, std::int64_t rows, std::int64_t row_bytes,
                                std::int64_t stride_bytes, int box_rows, int box_bytes) {
  const EncodeTiled encode = find_encode_tiled();
  if (encode == nullptr) return contract::unsupported("CUDA: the driver has no cuTensorMapEncodeTiled: it is too old");
  const cuuint64_t sizes[2] = {static_cast<cuuint64_t>(row_bytes), static_cast<cuuint64_t>(rows)};
  const cuuint64_t strides[1] = {static_cast<cuuint64_t>(stride_bytes)};
  const cuuint32_t box[2] = {static_cast<cuuint32_t>(box_bytes), static_cast<cuuint32_t>(box_rows)};
  const cuuint32_t steps[2] = {1, 1};
  // The driver's parameter is not const, but nothing is written.
  const CUresult result = encode(&map.tensor, CU_TENSOR_MAP_DATA_TYPE_UINT8, 2, const_cast<void*>(base), sizes, strides,
                                 box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle_of(box_bytes),
                                 CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) return no_tile_map(rows, row_bytes, stride_bytes, box_rows, box_bytes);
  return {};
}

}  // namespace ptx
#endif

namespace portable {

contract::Outcome make_tile_map(TileMap& map, const void* base, std::int64_t rows, std::int64_t row_bytes,
                                std::int64_t stride_bytes, int box_rows, int box_bytes) {
  constexpr std::int64_t kMostSize = std::int64_t{1} << 32;
  constexpr std::int64_t kStrideEnd = std::int64_t{1} << 40;
  constexpr int kMostBoxRows = 256;
  const bool has_sizes = rows >= 1 && rows <= kMostSize && row_bytes >= 1 && row_bytes <= kMostSize;
  const bool has_stride = stride_bytes >= 0 && stride_bytes < kStrideEnd && stride_bytes % 16 == 0;
  const bool has_box = box_rows >= 1 && box_rows <= kMostBoxRows &&
                       (box_bytes == 16 || box_bytes == 32 || box_bytes == 64 || box_bytes == 128);
  if (!has_sizes || !has_stride || !has_box || !is_aligned(base, 16))
    return no_tile_map(rows, row_bytes, stride_bytes, box_rows, box_bytes);
  map = {static_cast<const std::uint8_t*>(base), rows, row_bytes, stride_bytes, box_rows, box_bytes};
  return {};
}

}  // namespace portable
}  // namespace qfuse::cuda
