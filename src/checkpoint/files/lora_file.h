// LoRA files for diffusers: one .safetensors file, without a config, for one or several components of a pipeline. In
// diffusers' names ("unet.mid_block.x.lora_A.weight", its older ones, and those of one component alone, behind
// "diffusion_model." too), or in those of kohya's scripts ("lora_unet_mid_block_x.lora_down.weight"). Each component's
// part is read as an adapter of peft's.
#ifndef QFUSE_CHECKPOINT_FILES_LORA_FILE_H
#define QFUSE_CHECKPOINT_FILES_LORA_FILE_H

#include <filesystem>
#include <string_view>
#include <vector>

#include "checkpoint/files/adapter.h"

namespace qfuse::checkpoint {

// A .safetensors file, or a directory with one that is named as diffusers does, and no config of peft's.
bool is_lora_file(const std::filesystem::path& path);

// An adapter for each component that has any tensor. unsupported for what is known not to be merged, by its name;
// invalid_data for tensors that are not understood, and for scales that are none.
std::vector<Adapter> read_lora_file(const std::filesystem::path& path);

// Whether a component of a pipeline is called so, and whether that is the model which LoRA files are mostly for:
// kohya's scripts call every such one "unet", and of two, as Wan 2.2 has, files of both name the first.
bool is_component_name(std::string_view name);
bool is_denoiser(std::string_view component);

// What to do with a file in whose names a model's layers are not found, by the name of one of its tensors; "": nothing
// is known.
std::string_view advice_on_names(std::string_view tensor);

// Of the name of a module in kohya's files, which is that of the adapter's: what follows its kind of model.
bool is_kohya_name(std::string_view module);
std::string_view kohya_layer(std::string_view module);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_LORA_FILE_H
