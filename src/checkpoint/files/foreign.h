// Recognizes formats that are not read, so that errors can name them; layout.cpp lists the layouts that are read.
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

// Returns how the model or a part of it is quantized by a method that is not read, and what to do, as the end of a
// sentence: "is quantized by GPTQ, ...". Judges by the config if no layout claimed any of `tensors`, else by names and
// types of unclaimed tensors. Empty if nothing is found.
std::string foreign_method(const Model& model, const std::optional<Config>& config, std::span<const Tensor> tensors);

// peft content of a file: only an adapter; an adapter together with its base, as in the state dict of a model in
// training; or peft's names for a base without the adapter.
enum class PeftContent { none, adapter, model_with_adapter, wrapped_model };
PeftContent peft_content(const Model& model);

// Describes peft content that cannot be converted: "is a LoRA adapter, ...".
std::string foreign_kind(const Model& model);

// Describes a file that is not safetensors by its first bytes: "is a git-lfs pointer, ..."; empty if unknown.
std::string_view known_content(std::string_view beginning);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_FOREIGN_H
