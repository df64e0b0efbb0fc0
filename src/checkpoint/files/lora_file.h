// LoRA files for diffusers: one .safetensors file without a config, for one or several components of a pipeline. Tensor
// names are diffusers' ("unet.mid_block.x.lora_A.weight", its older forms, or names within one component, optionally
// after "diffusion_model.") or those of kohya's scripts ("lora_unet_mid_block_x.lora_down.weight"). The part for each
// component is read as a peft adapter.
#ifndef QFUSE_CHECKPOINT_FILES_LORA_FILE_H
#define QFUSE_CHECKPOINT_FILES_LORA_FILE_H

#include <filesystem>
#include <string_view>
#include <vector>

#include "checkpoint/files/adapter.h"

namespace qfuse::checkpoint {

// Whether it is a .safetensors file, or a directory that has one under diffusers' name and no peft config.
bool is_lora_file(const std::filesystem::path& path);

// Returns an adapter per component that has tensors. Fails as unsupported, naming the kind, for known kinds that are
// not merged, and as invalid_data for unknown tensors and invalid scales.
std::vector<Adapter> read_lora_file(const std::filesystem::path& path);

// Whether it is the name of a pipeline component, and whether that is the denoiser, the usual target of LoRA files:
// kohya's scripts always call it "unet", and for a model with two (Wan 2.2), files for either one name the first.
bool is_component_name(std::string_view name);
bool is_denoiser(std::string_view component);

// Returns advice for a file whose names match none of the model's layers, by the name of one of its tensors; "" if
// there is no advice.
std::string_view advice_on_names(std::string_view tensor);

// Whether it is a module name of kohya's files, and the part of that name after the kind of model.
bool is_kohya_name(std::string_view module);
std::string_view kohya_layer(std::string_view module);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_LORA_FILE_H
