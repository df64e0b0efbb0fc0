// tokenizer.json of a directory, as Hugging Face's tokenizers write it.
#ifndef QFUSE_CHECKPOINT_FILES_TOKENIZER_H
#define QFUSE_CHECKPOINT_FILES_TOKENIZER_H

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace qfuse::checkpoint {

struct TokenNumbers {
  std::optional<std::int64_t> largest;     // of its vocabulary and of added tokens
  std::map<std::string, std::int64_t> of;  // of the wanted tokens, those that it has
};

// None for a file that is not there, or that no library could read.
TokenNumbers token_numbers(const std::filesystem::path& file, const std::set<std::string>& wanted);

std::optional<std::int64_t> largest_token(const std::filesystem::path& directory);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_TOKENIZER_H
