// Values as codes with scales of blocks, the formats that checkpoints ship in: how one weight becomes them, in memory.
// A checkpoint's own layout stays; encode_blocks.h makes the tensors.
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

// Whose bits: format/block_codes.h has the steps.
enum class BlockRule {
  fp8,             // e4m3 by transformers' Fp8Quantize
  fp8_powers,      // the same with scales that are powers of two
  fp8_divided,     // e4m3 by compressed-tensors: values are divided by absmax / 448
  mxfp4,           // e2m1 and e8m0 by triton_kernels
  mxfp4_nearest,   // the same by compressed-tensors
  nvfp4_of_scale,  // e2m1 with the scales that are there, by both libraries that write NVFP4
};

// Matrices as they are decoded, one below the other. Each is cut into bands of `block_rows` rows, the last one of what
// is left, and a band into blocks of `block_columns` columns.
struct BlockEncoding {
  BlockRule rule = BlockRule::fp8;
  std::string where = {};  // of messages
  std::int64_t matrices = 1;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t block_rows = 1;
  std::int64_t block_columns = 1;
  TensorType scale_type = TensorType::f32;
  // Those that there are, if they are kept, as NVFP4's always are; of upright bands as the file has them, all of a
  // column's before the next one's.
  std::optional<StoredTensor> scales = {};
  std::optional<StoredTensor> global_scale = {};
  bool is_divisor = false;

  [[nodiscard]] bool is_fp8() const { return rule <= BlockRule::fp8_divided; }
  // Blocks of one column, as in a stack whose codes are stored transposed.
  [[nodiscard]] bool is_upright() const { return !is_fp8() && block_rows > 1; }
  [[nodiscard]] std::int64_t elements() const { return matrices * rows * columns; }
  // Elements of whole bands, where a stretch that is encoded begins and ends.
  [[nodiscard]] std::int64_t unit() const;
  // Bytes of so many whole rows.
  [[nodiscard]] std::int64_t code_bytes(std::int64_t row_count) const;
  [[nodiscard]] std::int64_t scale_bytes(std::int64_t row_count) const;
};

// Encodes and decodes stretches of a weight. Codes and scales are band after band: of an upright one, those of a
// band's first column, of its second, and so on; else row by row, as files have them.
class BlockEncoder {
 public:
  explicit BlockEncoder(BlockEncoding encoding);

  [[nodiscard]] const BlockEncoding& encoding() const { return encoding_; }

  // From element `first` on, a multiple of unit(). invalid_data for what is not finite.
  void encode(std::int64_t first, std::span<const std::byte> values, Dtype dtype, std::span<std::byte> codes,
              std::span<std::byte> scales);
  void decode(std::span<const std::byte> codes, std::span<const std::byte> scales, std::span<float> values) const;

 private:
  struct Band;

  template <class Visit>
  void for_each_band(std::int64_t elements, const Visit& visit) const;
  void read_kept(std::int64_t first_row, std::span<std::byte> scales);
  void encode_band(const Band& band, Dtype dtype);
  void find_absmax(const Band& band);
  void check_finite() const;
  float set_fp8_scale(const Band& band, std::int64_t block);
  void encode_fp8(const Band& band, Dtype dtype);
  void encode_rows(const Band& band);
  void encode_upright(const Band& band);
  void set_mx_scale(const Band& band, std::size_t block);
  [[nodiscard]] float kept_scale(const std::byte* scales, std::int64_t block) const;
  void decode_band(const std::byte* codes, std::int64_t rows, std::span<const float> scales, float* values) const;

  BlockEncoding encoding_;
  float global_ = 1.0F;
  std::vector<std::byte> kept_;  // an upright matrix's scales, of kept_matrix_
  std::int64_t kept_matrix_ = -1;
  std::vector<float> band_;            // its values
  std::vector<std::int32_t> absmax_;   // of its blocks, as bits, which order magnitudes as integers do
  std::vector<float> factors_;         // likewise, or divisors
  std::vector<std::uint8_t> nibbles_;  // of some rows, a byte each
};

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_BLOCK_ENCODING_H
