// Files and folders of a model directory beside its weights and config.json: companions, which fit any format of the
// weights (a tokenizer, modules of a sentence-transformers model), and others, which are not of the model.
#ifndef QFUSE_CHECKPOINT_FILES_COMPANIONS_H
#define QFUSE_CHECKPOINT_FILES_COMPANIONS_H

#include <filesystem>
#include <string_view>
#include <vector>

#include "checkpoint/files/model.h"

namespace qfuse::checkpoint {

// Paths relative to the directory, sorted: "tokenizer.json", "1_Pooling/config.json".
struct Companions {
  std::vector<std::filesystem::path> files;
  std::vector<std::filesystem::path> folders;  // all that contain one of `files`, and empty ones; parents first
  std::vector<std::filesystem::path> left_out;
};

// Returns nothing if `model` is a single file. Follows links, because hub caches consist of them. Weight files of any
// common format in the directory itself are no companions. A folder and all of its content is a companion, unless it
// holds weights and modules.json does not name it, or its name says that it is another format of the model or a
// training checkpoint: such weights predate the conversion. left_out lists these folders, weights beside the model's
// own, an adapter config (transformers would load it instead of the model), files that are not regular, broken links,
// and folders that lead back to a parent. Folders of tools (.git, .cache of a download) are not listed at all.
Companions companions_of(const Model& model);

// Returns the sentence-transformers modules that follow the model: modules.json, the settings beside it, and the
// folders that it names with all of their content. Returns nothing without modules.json.
inline constexpr std::string_view kModulesFile = "modules.json";
Companions modules_of(const std::filesystem::path& directory);

// Lists the weight files in a folder of `directory`, at any depth.
std::vector<std::filesystem::path> weights_in_folder(const std::filesystem::path& directory,
                                                     const std::filesystem::path& name);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_COMPANIONS_H
