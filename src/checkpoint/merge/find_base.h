// Onto which base an adapter goes: what its config says, and whether the one at hand is that.
#ifndef QFUSE_CHECKPOINT_MERGE_FIND_BASE_H
#define QFUSE_CHECKPOINT_MERGE_FIND_BASE_H

#include <filesystem>
#include <string>
#include <vector>

#include "checkpoint/merge/merged_model.h"

namespace qfuse::checkpoint {

// In the metadata of an output's files: what was merged.
inline constexpr const char* kMergeMetadata = "qfuse_merge";

// How a base or an adapter is called in texts: by its name on the Hub, if it lies in the Hub's cache, else by that of
// its file or directory.
std::string spoken_name(const std::filesystem::path& path);

// A note for each adapter that was trained on another base, as far as names tell, or on one in 4 bits where this one is
// not, nor seen as one (`is_seen_as`); or that the base says it has already.
void note_other_base(const MergedModel& base, bool is_seen_as, std::vector<std::string>& notes);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_MERGE_FIND_BASE_H
