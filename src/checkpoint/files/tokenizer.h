// tokenizer.json of a directory, as Hugging Face's tokenizers write it.
#ifndef QFUSE_CHECKPOINT_FILES_TOKENIZER_H
#define QFUSE_CHECKPOINT_FILES_TOKENIZER_H

#include <cstdint>
#include <filesystem>
#include <optional>

namespace qfuse::checkpoint {

// The largest number that it gives to a token; none where there is no such file, or none that can be read so.
std::optional<std::int64_t> largest_token(const std::filesystem::path& directory);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_TOKENIZER_H
