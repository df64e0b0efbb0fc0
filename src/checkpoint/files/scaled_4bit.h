// 4-bit weights with scales of blocks along rows, as other libraries than bitsandbytes store them, read. Each library's
// names are a layout of their own; what they store is one type.
//   compressed-tensors  <module>.weight_packed: I32 [rows, ceil(columns/8)] of INT4 beside weight_shape I64 [2], and
//                       weight_zero_point I32 [ceil(rows/8), blocks], packed along rows; or U8 [rows, columns/2] of
//                       E2M1. <module>.weight_scale [rows, blocks]: floats; U8 or F8_E8M0 of MXFP4; F8_E4M3 of NVFP4,
//                       beside weight_global_scale F32 [1], a divisor
//   transformers        <name>_blocks U8 [experts, rows, columns/32, 16], <name>_scales U8 [experts, rows, columns/32]:
//                       MXFP4 of gpt-oss, whose `name` is [experts, columns, rows] when decoded
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
  bool is_divisor = false;                        // the global scale; else it is a factor
  bool is_zero_unsigned = false;                  // code 8 is +0
  std::optional<StoredTensor> zero_points = {};   // I32 [ceil(rows/8), blocks()] of nibbles, low first, along rows
  std::int64_t matrices = 1;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t row_bytes = 0;     // that a row's codes are stored in: ceil(columns / 2) or more
  std::int64_t blocksize = 32;    // elements: a multiple of 16, or `columns` and more
  bool is_transposed = false;     // what is decoded is [matrices, columns, rows]
  Dtype dtype = Dtype::bfloat16;  // that it decodes to by default

  [[nodiscard]] std::int64_t blocks() const { return qfuse_block_count(columns, blocksize); }  // of a row
};

// The weights of a model that are stored so, and what is left of one whose other parts are missing (layout.h).
void claim_compressed_tensors(Claims& claims);
void refuse_left_of_compressed_tensors(const Claims& claims, const StoredTensor& stored);
void claim_mxfp4_stacks(Claims& claims);
void refuse_left_of_mxfp4_stacks(const Claims& claims, const StoredTensor& stored);
void claim_modelopt(Claims& claims);
void refuse_left_of_modelopt(const Claims& claims, const StoredTensor& stored);
void claim_deepseek_4bit(Claims& claims);

// A weight whose parts are claimed and whose sizes are set: that its scales, and what else it has, are as many as these
// say, is checked here.
void add_scaled_4bit(Claims& claims, Tensor tensor, StoredWeightScaled4bit weight);

// `bytes` of `elements` each; invalid_data beyond all bounds, as a tensor without rows may be.
std::int64_t columns_of_bytes(const StoredTensor& codes, std::int64_t bytes, std::int64_t elements);

// Of the scales of a layout: one of these types.
void require_scale_type(const StoredTensor& scales, std::initializer_list<TensorType> types);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_SCALED_4BIT_H
