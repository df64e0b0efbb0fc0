// Reads how GPTQ and AWQ weights are packed, from quantization_config in config.json or, in older uploads, from a
// separate file beside it.
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
  gptq,     // version 1: stores zero points minus 1
  gptq_v2,  // stores zero points unchanged
  awq       // AutoAWQ's "gemm"
};

// "gptq" for both versions, or "awq".
std::string_view name_of(Packing packing);

struct PackingRecord {
  std::optional<Packing> packing = {};  // nullopt: a packing that is not read
  std::string unread = {};              // the reason, as the end of a sentence that begins with the model's name
  // Columns per group; 0 or less: the whole row. nullopt: unstated, or different among weights.
  std::optional<std::int64_t> group_size = {};
  bool sorts_columns = false;  // `desc_act`: columns of a group are not contiguous
};

// The separate files of GPTQ and of AutoAWQ.
inline constexpr std::array<const char*, 2> kPackingFiles{"quantize_config.json", "quant_config.json"};

// Reads the record of a model; for a single file, from files beside it. nullopt if there is none or another method's.
std::optional<PackingRecord> read_packing(const Model& model, const std::optional<Config>& config);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_PACKING_H
