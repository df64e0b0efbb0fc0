// Finds the base model that an adapter's config names, and whether the given base is that model.
#ifndef QFUSE_CHECKPOINT_MERGE_FIND_BASE_H
#define QFUSE_CHECKPOINT_MERGE_FIND_BASE_H

#include <filesystem>
#include <string>
#include <vector>

#include "checkpoint/merge/merged_model.h"

namespace qfuse::checkpoint {

// Metadata key in an output's files: states what was merged.
inline constexpr const char* kMergeMetadata = "qfuse_merge";

// Display name of a base or an adapter: its name on the Hub if it is in the Hub's cache, else that of its file or
// directory.
std::string spoken_name(const std::filesystem::path& path);

// Adds a note for each adapter that was trained on another base, judged by names, or on a 4-bit base while this one is
// neither quantized nor treated as quantized (`is_seen_as`), and for each that the base already contains.
void note_other_base(const MergedModel& base, bool is_seen_as, std::vector<std::string>& notes);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_MERGE_FIND_BASE_H
