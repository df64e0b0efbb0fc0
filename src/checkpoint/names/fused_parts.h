// Layers that an adapter has apart, and a file as rows of one weight.
#ifndef QFUSE_CHECKPOINT_NAMES_FUSED_PARTS_H
#define QFUSE_CHECKPOINT_NAMES_FUSED_PARTS_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "checkpoint/files/config.h"

namespace qfuse::checkpoint {

struct FusedPart {
  std::string_view part;   // end of the layer's name in the adapter
  std::string_view fused;  // end of the name, in the file, of the layer that it is a part of
  // Fields of config.json, of the text part if there is one, whose product is the number of rows.
  std::string_view heads;
  std::string_view head_size;
};

// Returns NULL if the module is no such part by its name.
const FusedPart* fused_part(std::string_view module);

// Returns the name of the module that `module` is a part of.
std::string fused_module(const FusedPart& part, std::string_view module);

// Rows of the fused weight that are the part; none if the config lacks a field.
struct FusedRows {
  std::int64_t first = 0;
  std::int64_t count = 0;
};
std::optional<FusedRows> rows_of(const FusedPart& part, const Config& config);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_NAMES_FUSED_PARTS_H
