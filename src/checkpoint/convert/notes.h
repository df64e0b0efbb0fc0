// What a caller should know of an output, and did not ask for: the lines that several conversions say.
#ifndef QFUSE_CHECKPOINT_CONVERT_NOTES_H
#define QFUSE_CHECKPOINT_CONVERT_NOTES_H

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/files/config.h"
#include "checkpoint/files/model.h"
#include "checkpoint/names/families.h"

namespace qfuse::checkpoint {

// The line that says of a file of the input that it is not in the output.
std::string not_copied(const std::filesystem::path& file);

// Of a folder without config.json, which is as useless as what becomes of it.
void note_no_config(const Model& model, const std::optional<Config>& config, std::vector<std::string>& notes);

// Says so where nobody has checked what transformers or diffusers makes of a model of these families.
void note_families(const Families& families, const Model& model, std::vector<std::string>& notes);

// Of a file, whose family is that of a config.json beside it, which has to stay beside what becomes of it.
void note_transposed(std::int64_t matrices, const Families& families, const Model& model,
                     std::vector<std::string>& notes);

// The experts of a model, where it is quantized.
struct ExpertCount {
  std::int64_t single_bytes = 0;   // that stay plain, of those stored one by one
  std::int64_t stack_bytes = 0;    // and of those that are one tensor
  std::int64_t stacks_4bit = 0;    // tensors
  std::int64_t uneven_stacks = 0;  // asked for, whose experts are no whole blocks
};
void note_experts(const ExpertCount& experts, bool asked, const Model& model, std::vector<std::string>& notes);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_NOTES_H
