// Reads tokenizer.json of a directory, the format of Hugging Face's tokenizers library.
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
  std::optional<std::int64_t> largest;     // largest id in the vocabulary and the added tokens
  std::map<std::string, std::int64_t> of;  // ids of the wanted tokens that exist
};

// Returns empty TokenNumbers if the file is missing or invalid.
TokenNumbers token_numbers(const std::filesystem::path& file, const std::set<std::string>& wanted);

std::optional<std::int64_t> largest_token(const std::filesystem::path& directory);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_TOKENIZER_H
