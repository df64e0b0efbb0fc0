// A diffusers pipeline on disk: a directory whose model_index.json names its components, each in a folder of its own.
// Some are models; others, as schedulers and tokenizers, are a few small files.
#ifndef QFUSE_CHECKPOINT_FILES_COMPONENTS_H
#define QFUSE_CHECKPOINT_FILES_COMPONENTS_H

#include <filesystem>
#include <string>
#include <vector>

namespace qfuse::checkpoint {

struct Component {
  std::string name;        // of its folder
  std::string class_name;  // of what is in it, as model_index.json says
  std::filesystem::path path;
};

bool is_pipeline(const std::filesystem::path& path);

// Those that the pipeline has, by name; a component that model_index.json leaves empty is none. invalid_data for a
// model_index.json that is wrong, io_error for a folder that is not there.
std::vector<Component> read_components(const std::filesystem::path& pipeline);

// Whether there are .safetensors files in a component's folder.
bool holds_weights(const Component& component);

// The models of a path: those of a pipeline, or the path itself, with no name.
std::vector<Component> models_in(const std::filesystem::path& path);

// What begins the names of a component's tensors where those of a whole pipeline are listed: "transformer/", or "".
std::string name_prefix(const Component& component);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_COMPONENTS_H
