// How GPTQ and AWQ say that a model's weights are packed: in the quantization_config of config.json, or, in older
// uploads, in a file of their own beside it.
#ifndef QFUSE_CHECKPOINT_FILES_PACKING_H
#define QFUSE_CHECKPOINT_FILES_PACKING_H

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "checkpoint/files/config.h"
#include "checkpoint/files/model.h"

namespace qfuse::checkpoint {

enum class Packing : std::uint8_t {
  gptq,     // version 1, which stores zero points less one
  gptq_v2,  // which stores them as they are
  awq       // AutoAWQ's "gemm"
};

// "gptq" of both versions, or "awq".
std::string_view name_of(Packing packing);

struct PackingRecord {
  std::optional<Packing> packing = {};  // none: one that is not read
  std::string unread = {};              // why not, for the end of a sentence that begins with the model's name
  // Columns of a group, all if it is not above 0; none: unstated, or not the same for all weights.
  std::optional<std::int64_t> group_size = {};
  bool sorts_columns = false;  // `desc_act`: groups are no neighbours
};

// GPTQ's, and AutoAWQ's.
inline constexpr std::array<const char*, 2> kPackingFiles{"quantize_config.json", "quant_config.json"};

// What is said of a model; of one that is a file, beside it. None where nothing is, or another method has quantized it.
std::optional<PackingRecord> read_packing(const Model& model, const std::optional<Config>& config);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_PACKING_H
