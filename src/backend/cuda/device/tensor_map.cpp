#include "backend/cuda/device/tensor_map.h"

#include <string>

#include "backend/cuda/align.h"
#include "backend/cuda/device/driver.h"

namespace qfuse::cuda {
namespace {

// Appended to the driver's message.
std::string tiles_text(std::int64_t rows, std::int64_t row_bytes, std::int64_t stride_bytes, int box_rows,
                       int box_bytes) {
  return ": tiles of " + std::to_string(box_rows) + " rows of " + std::to_string(box_bytes) + " bytes in an array of " +
         std::to_string(rows) + " rows of " + std::to_string(row_bytes) + " bytes, " + std::to_string(stride_bytes) +
         " bytes apart";
}

}  // namespace

#ifndef QFUSE_PORTABLE
namespace ptx {
namespace {

CUtensorMapSwizzle swizzle_of(int box_bytes) {
  switch (box_bytes) {
    case 32: return CU_TENSOR_MAP_SWIZZLE_32B;
    case 64: return CU_TENSOR_MAP_SWIZZLE_64B;
    case 128: return CU_TENSOR_MAP_SWIZZLE_128B;
    default: return CU_TENSOR_MAP_SWIZZLE_NONE;
  }
}

}  // namespace

contract::Outcome make_tensor_map(TensorMap& map, const void* base, std::int64_t rows, std::int64_t row_bytes,
                                  std::int64_t stride_bytes, int box_rows, int box_bytes, std::int64_t layers) {
  const Driver* driver = nullptr;
  if (contract::Outcome o = find_driver(driver); !o.ok()) return o;
  const cuuint64_t sizes[3] = {static_cast<cuuint64_t>(row_bytes), static_cast<cuuint64_t>(rows),
                               static_cast<cuuint64_t>(layers)};
  const cuuint64_t strides[2] = {static_cast<cuuint64_t>(stride_bytes), static_cast<cuuint64_t>(rows * stride_bytes)};
  const cuuint32_t box[3] = {static_cast<cuuint32_t>(box_bytes), static_cast<cuuint32_t>(box_rows), 1};
  const cuuint32_t steps[3] = {1, 1, 1};
  // The driver's parameter is not const, but the driver does not write to it.
  const CUresult error = driver->cuTensorMapEncodeTiled(
      &map.tensor, CU_TENSOR_MAP_DATA_TYPE_UINT8, layers == 0 ? 2 : 3, const_cast<void*>(base), sizes, strides, box,
      steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle_of(box_bytes), CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  contract::Outcome outcome = outcome_of(*driver, "cuTensorMapEncodeTiled", error);
  if (error == CUDA_ERROR_INVALID_VALUE) outcome.status = QFUSE_UNSUPPORTED;  // the driver cannot map such an array
  if (!outcome.ok()) outcome.message += tiles_text(rows, row_bytes, stride_bytes, box_rows, box_bytes);
  return outcome;
}

}  // namespace ptx
#endif

namespace portable {
namespace {

// The software GPU's maps need a current context because the driver's maps do.
contract::Outcome check_context() {
#if defined(QFUSE_PORTABLE) && defined(QFUSE_HAS_DRIVER)
  const Driver* driver = nullptr;
  if (contract::Outcome o = find_driver(driver); !o.ok()) return o;
  CUdevice current{};
  return outcome_of(*driver, "cuTensorMapEncodeTiled", driver->cuCtxGetDevice(&current));
#else
  return {};
#endif
}

}  // namespace

contract::Outcome make_tensor_map(TensorMap& map, const void* base, std::int64_t rows, std::int64_t row_bytes,
                                  std::int64_t stride_bytes, int box_rows, int box_bytes, std::int64_t layers) {
  constexpr std::int64_t kMostSize = std::int64_t{1} << 32;
  constexpr std::int64_t kStrideEnd = std::int64_t{1} << 40;
  constexpr int kMostBoxRows = 256;
  const bool has_sizes = rows >= 1 && rows <= kMostSize && row_bytes >= 1 && row_bytes <= kMostSize;
  const bool has_stride = stride_bytes >= 0 && stride_bytes < kStrideEnd && stride_bytes % 16 == 0 &&
                          (layers == 0 || rows * stride_bytes < kStrideEnd) && layers <= kMostSize;
  const bool has_box = box_rows >= 1 && box_rows <= kMostBoxRows &&
                       (box_bytes == 16 || box_bytes == 32 || box_bytes == 64 || box_bytes == 128);
  contract::Outcome outcome = check_context();
  if (outcome.ok() && (!has_sizes || !has_stride || !has_box || !is_aligned(base, 16)))
    outcome = contract::unsupported("CUDA: cuTensorMapEncodeTiled: CUDA_ERROR_INVALID_VALUE (1): invalid argument");
  if (!outcome.ok()) outcome.message += tiles_text(rows, row_bytes, stride_bytes, box_rows, box_bytes);
  if (!outcome.ok()) return outcome;
  map = {static_cast<const std::uint8_t*>(base), rows, row_bytes, stride_bytes, box_rows, box_bytes, layers};
  return {};
}

}  // namespace portable
}  // namespace qfuse::cuda
