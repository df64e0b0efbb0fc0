// Notes that several conversions add to their reports: facts about an output that the caller did not ask for.
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

// Returns the note that a file of the input is not in the output.
std::string not_copied(const std::filesystem::path& file);

// Adds a note if the folder has no config.json, without which transformers cannot load it or the output.
void note_no_config(const Model& model, const std::optional<Config>& config, std::vector<std::string>& notes);

// Adds a note if nobody has checked how transformers or diffusers loads models of these families.
void note_families(const Families& families, const Model& model, std::vector<std::string>& notes);

// For a single file whose family comes from the config.json beside it: adds a note that the output needs it as well.
void note_transposed(std::int64_t matrices, const Families& families, const Model& model,
                     std::vector<std::string>& notes);

// Counts of the experts in a model that is being quantized.
struct ExpertCount {
  std::int64_t single_bytes = 0;   // left plain, stored one by one
  std::int64_t stack_bytes = 0;    // left plain, stored as one tensor for all
  std::int64_t stacks_4bit = 0;    // tensors with experts that become 4-bit
  std::int64_t uneven_stacks = 0;  // requested, but an expert is no whole number of blocks
};
void note_experts(const ExpertCount& experts, bool asked, const Model& model, std::vector<std::string>& notes);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_NOTES_H
