// What a model directory holds beside the model's tensors and config.json: files and folders that go with any form of
// its weights, as a tokenizer's, or the modules of a sentence-transformers model, and what is not of the model.
#ifndef QFUSE_CHECKPOINT_FILES_COMPANIONS_H
#define QFUSE_CHECKPOINT_FILES_COMPANIONS_H

#include <filesystem>
#include <string_view>
#include <vector>

#include "checkpoint/files/model.h"

namespace qfuse::checkpoint {

// By names within the directory, sorted: "tokenizer.json", "1_Pooling/config.json".
struct Companions {
  std::vector<std::filesystem::path> files;
  std::vector<std::filesystem::path> folders;  // all that hold one of `files`, and empty ones; parents first
  std::vector<std::filesystem::path> left_out;
};

// None if `model` is a file. Links are followed, as hub caches are made of them. Of the files of the directory itself,
// weights of any common format are no companions. A folder is one with all that it holds, unless it holds weights and
// modules.json does not name it, or by its name is another form of the model or a checkpoint of its training: such
// weights are those from before the conversion. Left out are these, weights beside the model's own, an adapter (which
// transformers would load instead of the model), what is no regular file, links that lead nowhere, and folders that
// lead back to one that holds them; not named at all are the folders of tools (.git, and .cache of a download).
Companions companions_of(const Model& model);

// The modules of sentence-transformers that stand behind the model in a directory: modules.json, the settings beside
// it, and the folders that it names, with all that they hold. None without modules.json.
inline constexpr std::string_view kModulesFile = "modules.json";
Companions modules_of(const std::filesystem::path& directory);

// Files with weights in a folder of a directory, at any depth.
std::vector<std::filesystem::path> weights_in_folder(const std::filesystem::path& directory,
                                                     const std::filesystem::path& name);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_COMPANIONS_H
