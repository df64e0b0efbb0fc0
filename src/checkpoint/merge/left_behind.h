// What an adapter's directory holds of the trained model that no merge takes: weights beside the adapter, which
// trainers save because peft does not, and the class that was trained.
#ifndef QFUSE_CHECKPOINT_MERGE_LEFT_BEHIND_H
#define QFUSE_CHECKPOINT_MERGE_LEFT_BEHIND_H

#include <string>
#include <vector>

#include "checkpoint/merge/merged_model.h"

namespace qfuse::checkpoint {

// A note for each of these. Silent about what is no part of a trained model: the state of optimizers and of random
// numbers, checkpoints of the same training, and the adapter in other forms.
void note_left_behind(const MergedModel& base, std::vector<std::string>& notes);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_MERGE_LEFT_BEHIND_H
