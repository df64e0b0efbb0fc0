// What other methods and tools leave, recognized so that it can be named: layout.cpp has the layouts that are read.
#ifndef QFUSE_CHECKPOINT_FILES_FOREIGN_H
#define QFUSE_CHECKPOINT_FILES_FOREIGN_H

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "checkpoint/files/config.h"
#include "checkpoint/files/layout.h"
#include "checkpoint/files/model.h"

namespace qfuse::checkpoint {

// How a model, or a part of it, is quantized by a method whose layout is not read, and what to do with it, for the end
// of a sentence that begins with the model's name: "is quantized by GPTQ, ...". By its config where no layout claimed
// any of `tensors`, else by the names and types of those that are left; empty where nothing is seen.
std::string foreign_method(const Model& model, const std::optional<Config>& config, std::span<const Tensor> tensors);

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
