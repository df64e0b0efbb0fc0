// What other methods and tools leave, recognized so that it can be named: qfuse reads and writes bitsandbytes' layout
// alone.
#ifndef QFUSE_CHECKPOINT_FILES_FOREIGN_H
#define QFUSE_CHECKPOINT_FILES_FOREIGN_H

#include <optional>
#include <string>
#include <string_view>

#include "checkpoint/files/config.h"
#include "checkpoint/files/model.h"

namespace qfuse::checkpoint {

// How a model is quantized by another method than bitsandbytes', and what to do with it, for the end of a sentence that
// begins with the model's name: "is quantized by GPTQ, ...". By its config, else by the names and types of its tensors;
// empty where nothing is seen.
std::string foreign_method(const Model& model, const std::optional<Config>& config);

// What a file has of peft: an adapter alone; one beside its base, as in the state dict of a model in training; or the
// names of such a model without the adapter.
enum class PeftContent { none, adapter, model_with_adapter, wrapped_model };
PeftContent peft_content(const Model& model);

// The same, of what cannot be converted for it: "is a LoRA adapter, ...".
std::string foreign_kind(const Model& model);

// Of the beginning of a file that is no safetensors file: "is a git-lfs pointer, ..."; empty for what is not known.
std::string_view known_content(std::string_view beginning);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_FOREIGN_H
