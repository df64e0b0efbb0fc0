// Adds LoRAs of single experts, for files that store all experts in one tensor or name their layers differently.
#ifndef QFUSE_CHECKPOINT_MERGE_MERGE_ONE_EXPERT_H
#define QFUSE_CHECKPOINT_MERGE_MERGE_ONE_EXPERT_H

#include <cstdint>
#include <string>
#include <vector>

#include "checkpoint/merge/merge_state.h"
#include "checkpoint/names/expert_names.h"

namespace qfuse::checkpoint {

// LoRA matrices of one layer of one expert.
struct ExpertLora {
  ExpertModule to;
  std::string module;  // the adapter's name for it
  const AdapterTensor* a = nullptr;
  Factor b_matrix;  // [out, rank]
  Factor a_matrix;  // [rank, in]
  std::int64_t rank = 0;
  std::int64_t out = 0;
  std::int64_t in = 0;
};

// For a module without a weight of that name: adds to the weight under its other name, or appends LoRAs for tensors of
// all experts to `loras`. Returns false if it is no layer of experts, or the model has no such layer.
bool add_one_expert(AddedAdapter& from, const std::string& module, const AdapterParts& parts,
                    std::vector<ExpertLora>& loras);

// Adds all collected LoRAs; to be called once.
void add_into_stacks(AddedAdapter& from, const std::vector<ExpertLora>& loras);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_MERGE_MERGE_ONE_EXPERT_H
