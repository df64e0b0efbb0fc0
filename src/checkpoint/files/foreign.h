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

// The same of what is no model: "is a LoRA adapter, ...".
std::string foreign_kind(const Model& model);

// Of the beginning of a file that is no safetensors file: "is a git-lfs pointer, ..."; empty for what is not known.
std::string_view known_content(std::string_view beginning);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_FOREIGN_H
