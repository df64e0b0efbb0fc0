// What a GPTQ or AWQ checkpoint has beside its weights and a plain one must not have.
#ifndef QFUSE_CHECKPOINT_CONVERT_GPTQ_RECORDS_H
#define QFUSE_CHECKPOINT_CONVERT_GPTQ_RECORDS_H

#include "checkpoint/convert/conversion.h"
#include "checkpoint/files/layout.h"

namespace qfuse::checkpoint {

// Leaves out of the output the file of its own that says how weights are packed, which gptqmodel and vLLM would
// believe; a note says so.
void drop_gptq_records(const Layout& layout, const Model& model, ConversionPlan& plan);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_GPTQ_RECORDS_H
