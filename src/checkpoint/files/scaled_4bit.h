// Reads 4-bit weights with block scales along rows, as libraries other than bitsandbytes store them. Each library's
// tensor names are a layout of their own; all store the same type of weight.
//   compressed-tensors  <module>.weight_packed: I32 [rows, ceil(columns/8)] of INT4, with weight_shape I64 [2] and
//                       weight_zero_point I32 [ceil(rows/8), blocks], packed along rows; or U8 [rows, columns/2] of
//                       E2M1. <module>.weight_scale [rows, blocks]: floats for INT4; U8 or F8_E8M0 for MXFP4; F8_E4M3
//                       for NVFP4, with weight_global_scale F32 [1], a divisor
//   transformers        <name>_blocks U8 [experts, rows, columns/32, 16], <name>_scales U8 [experts, rows, columns/32]:
//                       MXFP4 of gpt-oss; <name> decodes to [experts, columns, rows]
//   modelopt            <module>.weight U8 [rows, columns/2], weight_scale F8_E4M3 [rows, columns/16], and
//                       weight_scale_2 F32 [], a factor
//   DeepSeek-V4         <module>.weight I8 [rows, columns/2], scale F8_E8M0 [rows, columns/32]
#ifndef QFUSE_CHECKPOINT_FILES_SCALED_4BIT_H
#define QFUSE_CHECKPOINT_FILES_SCALED_4BIT_H

#include <qfuse/qfuse.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>

#include "checkpoint/files/model.h"

namespace qfuse::checkpoint {

class Claims;
struct Tensor;

struct StoredWeightScaled4bit {
  QuantType quant_type = QuantType::e2m1;         // or int4
  StoredTensor codes = {};                        // [matrices, rows, row_bytes], low nibble first
  StoredTensor scales = {};                       // [matrices, rows, blocks()]
  std::optional<StoredTensor> global_scale = {};  // F32, one element
  bool is_divisor = false;                        // whether the global scale is a divisor, not a factor
  bool is_zero_unsigned = false;                  // code 8 decodes to +0
  std::optional<StoredTensor> zero_points = {};   // I32 [ceil(rows/8), blocks()], nibbles along rows, lowest first
  std::optional<StoredTensor> shape = {};         // INT4's [rows, columns]
  std::int64_t matrices = 1;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t row_bytes = 0;     // stored bytes per row of codes: at least ceil(columns / 2)
  std::int64_t blocksize = 32;    // in elements: a multiple of 16, or at least `columns`
  bool is_transposed = false;     // decodes to [matrices, columns, rows]
  Dtype dtype = Dtype::bfloat16;  // default dtype to decode to

  [[nodiscard]] std::int64_t blocks() const { return qfuse_block_count(columns, blocksize); }  // blocks per row
};

// Each claims the model's weights in one layout, or fails for a leftover part of an incomplete weight (layout.h).
void claim_compressed_tensors(Claims& claims);
void refuse_left_of_compressed_tensors(const Claims& claims, const StoredTensor& stored);
void claim_mxfp4_stacks(Claims& claims);
void refuse_left_of_mxfp4_stacks(const Claims& claims, const StoredTensor& stored);
void claim_modelopt(Claims& claims);
void refuse_left_of_modelopt(const Claims& claims, const StoredTensor& stored);
void claim_deepseek_4bit(Claims& claims);

// Adds a weight whose parts are claimed and whose sizes are set; checks that the shapes of its scales, zero points and
// global scale match these sizes.
void add_scaled_4bit(Claims& claims, Tensor tensor, StoredWeightScaled4bit weight);

// Returns the columns of a row of `bytes` units with `elements` each; fails with invalid_data above any real size.
std::int64_t columns_of_bytes(const StoredTensor& codes, std::int64_t bytes, std::int64_t elements);

// Fails unless the scales have one of these dtypes.
void require_scale_type(const StoredTensor& scales, std::initializer_list<TensorType> types);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_SCALED_4BIT_H
