// Chooses a merge output's files beside its tensors: those of the base, replaced by files of the adapters that belong
// to what was trained: tokenizer, processor, generation settings, sentence-transformers modules.
#ifndef QFUSE_CHECKPOINT_MERGE_FURTHER_FILES_H
#define QFUSE_CHECKPOINT_MERGE_FURTHER_FILES_H

#include "checkpoint/convert/conversion.h"
#include "checkpoint/merge/merged_model.h"

namespace qfuse::checkpoint {

// Takes each unit from one directory, because in transformers a file that only the base has (special_tokens_map.json,
// chat_template.jinja) could win over the adapter's files. A unit that only the base has stays, such as the processor
// when an adapter has only a tokenizer. Notes list the base's files that are left out.
void choose_further_files(const MergedModel& base, ConversionPlan& plan);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_MERGE_FURTHER_FILES_H
