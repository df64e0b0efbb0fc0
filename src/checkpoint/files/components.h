// A diffusers pipeline on disk: a directory whose model_index.json names its components, each in a folder of its own.
// Some components are models; others, such as schedulers and tokenizers, are a few small files.
#ifndef QFUSE_CHECKPOINT_FILES_COMPONENTS_H
#define QFUSE_CHECKPOINT_FILES_COMPONENTS_H

#include <filesystem>
#include <string>
#include <vector>

namespace qfuse::checkpoint {

struct Component {
  std::string name;        // name of its folder
  std::string class_name;  // class of the component according to model_index.json
  std::filesystem::path path;
};

bool is_pipeline(const std::filesystem::path& path);

// Returns the pipeline's components by name, without those that model_index.json leaves empty. Fails with invalid_data
// for a wrong model_index.json, io_error for a missing folder.
std::vector<Component> read_components(const std::filesystem::path& pipeline);

// Whether the component's folder has .safetensors files.
bool holds_weights(const Component& component);

// Returns the models at a path: the components of a pipeline with weights, or the path itself, without a name.
std::vector<Component> models_in(const std::filesystem::path& path);

// Prefix of a component's tensor names in lists of a whole pipeline: "transformer/", or "" for a single model.
std::string name_prefix(const Component& component);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_COMPONENTS_H
