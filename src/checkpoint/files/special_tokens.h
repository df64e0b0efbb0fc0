// The tokens that end a text and that fill up a batch, as several files of a model's directory name them.
#ifndef QFUSE_CHECKPOINT_FILES_SPECIAL_TOKENS_H
#define QFUSE_CHECKPOINT_FILES_SPECIAL_TOKENS_H

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "checkpoint/files/config.h"

namespace qfuse::checkpoint {

inline constexpr const char* kGenerationFile = "generation_config.json";

// Where two files contradict each other.
struct TokenConflict {
  bool is_harmful = false;  // else libraries of today do not fall over it
  std::string message;      // a line
};

// Where a file of that name is; empty: nowhere.
using FindFile = std::function<std::filesystem::path(const std::string& name)>;

// Compares tokenizer_config.json, special_tokens_map.json and generation_config.json, or, where that is not there,
// config.json. Silent where a file does not say which token it takes, about lists that hold the tokenizer's token,
// where the chat template does not end a turn with that, and about padding with a token that ends a text.
std::vector<TokenConflict> token_conflicts(const FindFile& find, const Config& config);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_SPECIAL_TOKENS_H
