// Checks the eos and pad tokens that several files of a model directory state.
#ifndef QFUSE_CHECKPOINT_FILES_SPECIAL_TOKENS_H
#define QFUSE_CHECKPOINT_FILES_SPECIAL_TOKENS_H

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "checkpoint/files/config.h"

namespace qfuse::checkpoint {

inline constexpr const char* kGenerationFile = "generation_config.json";

// A contradiction between two files.
struct TokenConflict {
  bool is_harmful = false;  // whether current libraries fail because of it
  std::string message;      // one line
};

// Returns the path of the file with this name; empty if there is none.
using FindFile = std::function<std::filesystem::path(const std::string& name)>;

// Compares tokenizer_config.json, special_tokens_map.json and generation_config.json (or config.json if that is
// missing). Reports nothing if a file states no token, if a list includes the tokenizer's token, if the chat template
// ends turns with another token, or if padding is an eos token.
std::vector<TokenConflict> token_conflicts(const FindFile& find, const Config& config);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_SPECIAL_TOKENS_H
