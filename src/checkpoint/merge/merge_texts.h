// What is said of a merge: in its output's README.md and files, and in notes.
#ifndef QFUSE_CHECKPOINT_MERGE_MERGE_TEXTS_H
#define QFUSE_CHECKPOINT_MERGE_MERGE_TEXTS_H

#include <filesystem>
#include <optional>
#include <qfuse/checkpoint.hpp>
#include <string>

#include "checkpoint/convert/conversion.h"
#include "checkpoint/merge/merged_model.h"

namespace qfuse::checkpoint {

// The name under which an adapter or a base is spoken of: that of its file or directory.
std::string spoken_name(const std::filesystem::path& path);

// Adds to the plan of a merge its metadata, notes and README.md, and the adapters' tokenizers.
void describe(const MergedModel& base, const std::optional<QuantType>& base_as, ConversionPlan& plan);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_MERGE_MERGE_TEXTS_H
