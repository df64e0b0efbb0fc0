// Encodes a weight in memory as codes with block scales, in the formats in which checkpoints ship. The layout of a
// checkpoint's tensors stays; encode_blocks.h makes the tensors.
#ifndef QFUSE_CHECKPOINT_CONVERT_BLOCK_ENCODING_H
#define QFUSE_CHECKPOINT_CONVERT_BLOCK_ENCODING_H

#include <qfuse/qfuse.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/files/model.h"
#include "checkpoint/files/types.h"

namespace qfuse::checkpoint {

// Which library's results are reproduced bit for bit; format/block_codes.h has the steps.
enum class BlockRule {
  fp8,             // e4m3 by transformers' Fp8Quantize
  fp8_powers,      // like fp8, with scales that are powers of two
  fp8_divided,     // e4m3 by compressed-tensors: values are divided by absmax / 448
  mxfp4,           // e2m1 and e8m0 by triton_kernels
  mxfp4_nearest,   // e2m1 and e8m0 by compressed-tensors
  nvfp4_of_scale,  // e2m1 with existing scales, as both libraries that write NVFP4 do
  int4_divided,    // symmetric integers by compressed-tensors: values are divided by absmax / 7.5
};

// Matrices in decoded form, one below the other. Each is cut into bands of `block_rows` rows, of which the last may be
// shorter, and each band into blocks of `block_columns` columns.
struct BlockEncoding {
  BlockRule rule = BlockRule::fp8;
  std::string where = {};  // begins error messages
  std::int64_t matrices = 1;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t block_rows = 1;
  std::int64_t block_columns = 1;
  TensorType scale_type = TensorType::f32;
  // The checkpoint's scales, if they are kept, as NVFP4's always are. Those of upright blocks are in the file's order:
  // all bands of a column before the next column.
  std::optional<StoredTensor> scales = {};
  std::optional<StoredTensor> global_scale = {};
  bool is_divisor = false;

  [[nodiscard]] bool is_fp8() const { return rule <= BlockRule::fp8_divided; }
  // Whether blocks have one column and several rows, as in a stack whose codes are stored transposed.
  [[nodiscard]] bool is_upright() const { return !is_fp8() && block_rows > 1; }
  [[nodiscard]] std::int64_t elements() const { return matrices * rows * columns; }
  // A stretch to encode begins and ends at a multiple of this number of elements, which makes whole bands.
  [[nodiscard]] std::int64_t unit() const;
  // Bytes for `row_count` whole rows.
  [[nodiscard]] std::int64_t code_bytes(std::int64_t row_count) const;
  [[nodiscard]] std::int64_t scale_bytes(std::int64_t row_count) const;
};

// Encodes and decodes stretches of a weight. Codes and scales are band after band. Within a band, those of upright
// blocks are column after column; others are row after row, as in files.
class BlockEncoder {
 public:
  explicit BlockEncoder(BlockEncoding encoding);

  [[nodiscard]] const BlockEncoding& encoding() const { return encoding_; }

  // Encodes from element `first` on, a multiple of unit(). Fails with invalid_data if a value is not finite. Threads
  // share the blocks.
  void encode(std::int64_t first, std::span<const std::byte> values, Dtype dtype, std::span<std::byte> codes,
              std::span<std::byte> scales, const Exec& exec);
  void decode(std::span<const std::byte> codes, std::span<const std::byte> scales, std::span<float> values,
              const Exec& exec) const;

 private:
  struct Part;
  struct Work;

  template <class Room, class Visit>
  void for_parts(std::int64_t elements, const Exec& exec, const Visit& visit) const;
  [[nodiscard]] std::int64_t codes_before(const Part& part) const;
  [[nodiscard]] std::int64_t scales_before(const Part& part) const;
  void read_kept(std::int64_t first_row, std::span<std::byte> scales);
  static std::span<const float> row_of(const Work& work, std::int64_t row);
  void encode_part(Work& work, Dtype dtype) const;
  void find_absmax(Work& work) const;
  void check_finite(const Work& work) const;
  float set_divisor(const Work& work, std::int64_t block, float most) const;
  float set_fp8_scale(const Work& work, std::int64_t block) const;
  [[nodiscard]] Dtype quotient_dtype(Dtype values) const;
  void encode_fp8(Work& work, Dtype dtype) const;
  void encode_rows(Work& work, Dtype dtype) const;
  void encode_upright(Work& work) const;
  void set_mx_scale(Work& work, std::size_t block) const;
  void set_scale(Work& work, std::size_t block) const;
  [[nodiscard]] float kept_scale(const std::byte* scales, std::int64_t block) const;
  void decode_part(const Part& part, const std::byte* codes, std::span<const float> scales, float* values) const;

  BlockEncoding encoding_;
  float global_ = 1.0F;
  std::vector<std::byte> kept_;  // scales of matrix kept_matrix_, if blocks are upright
  std::int64_t kept_matrix_ = -1;
};

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_BLOCK_ENCODING_H
