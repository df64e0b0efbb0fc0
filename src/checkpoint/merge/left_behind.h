// Parts of the trained model in an adapter's directory that are not merged: weights beside the adapter, which trainers
// save because peft does not, and the class that was trained.
#ifndef QFUSE_CHECKPOINT_MERGE_LEFT_BEHIND_H
#define QFUSE_CHECKPOINT_MERGE_LEFT_BEHIND_H

#include <string>
#include <vector>

#include "checkpoint/merge/merged_model.h"

namespace qfuse::checkpoint {

// Adds a note for each of these. Ignores files that are no part of a trained model: states of optimizers and random
// number generators, checkpoints of the same training, and the adapter in other formats.
void note_left_behind(const MergedModel& base, std::vector<std::string>& notes);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_MERGE_LEFT_BEHIND_H
