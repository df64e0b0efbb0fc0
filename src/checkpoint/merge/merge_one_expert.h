// What adapters add to single experts, each of which has a LoRA of its own, where the files have all experts in one
// tensor or call a layer otherwise.
#ifndef QFUSE_CHECKPOINT_MERGE_MERGE_ONE_EXPERT_H
#define QFUSE_CHECKPOINT_MERGE_MERGE_ONE_EXPERT_H

#include <cstdint>
#include <string>
#include <vector>

#include "checkpoint/merge/merge_state.h"
#include "checkpoint/names/expert_names.h"

namespace qfuse::checkpoint {

// The matrices of one layer of one expert.
struct ExpertLora {
  ExpertModule to;
  std::string module;  // as the adapter calls it
  const AdapterTensor* a = nullptr;
  Factor b_matrix;  // [out, rank]
  Factor a_matrix;  // [rank, in]
  std::int64_t rank = 0;
  std::int64_t out = 0;
  std::int64_t in = 0;
};

// For a module that has no weight of its name: adds to that of another name, or puts what belongs into tensors of all
// experts behind `loras`. False: it is no layer of experts, or the model has none such.
bool add_one_expert(AddedAdapter& from, const std::string& module, const AdapterParts& parts,
                    std::vector<ExpertLora>& loras);

// To be called with all of them.
void add_into_stacks(AddedAdapter& from, const std::vector<ExpertLora>& loras);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_MERGE_MERGE_ONE_EXPERT_H
