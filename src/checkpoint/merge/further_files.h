// What the output of a merge has beside its tensors: the base's files, and instead of them those of the adapters that
// belong to what was trained: a tokenizer, a processor, the settings of generation, the modules of
// sentence-transformers.
#ifndef QFUSE_CHECKPOINT_MERGE_FURTHER_FILES_H
#define QFUSE_CHECKPOINT_MERGE_FURTHER_FILES_H

#include "checkpoint/convert/conversion.h"
#include "checkpoint/merge/merged_model.h"

namespace qfuse::checkpoint {

// Each of these is one thing, which comes from one directory: in transformers a file of the base that the adapter has
// not, as special_tokens_map.json or chat_template.jinja, may win over the adapter's. What only the base has, as the
// processor beside an adapter with a tokenizer, stays. Notes say which files of the base are not in the output.
void choose_further_files(const MergedModel& base, ConversionPlan& plan);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_MERGE_FURTHER_FILES_H
