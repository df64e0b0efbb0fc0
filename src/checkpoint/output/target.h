// Where an output may stand, and what a run makes beside it on the way.
#ifndef QFUSE_CHECKPOINT_OUTPUT_TARGET_H
#define QFUSE_CHECKPOINT_OUTPUT_TARGET_H

#include <cstdint>
#include <filesystem>
#include <span>

namespace qfuse::checkpoint {

// Of a pipeline: a directory that has a folder for each component.
enum class OutputKind { file, directory, pipeline };

// The path of an output, without a slash at its end. Refuses: one that ends in no name, as ".."; an existing target
// without `force`; with it, a target of another kind, and a directory that is no model's (holds files but no
// .safetensors, or a directory that is none of `folders`, those of the output) or no pipeline's (model_index.json is
// missing, or does not name a directory); a target that is `input`, contains it or lies within it; a parent that does
// not exist; a file system with less than `bytes` free.
std::filesystem::path check_target(const std::filesystem::path& target, OutputKind kind, bool force,
                                   const std::filesystem::path& input, std::int64_t bytes,
                                   std::span<const std::filesystem::path> folders = {});

// Refuses a target that is `input`, contains it or lies within it.
void check_apart(const std::filesystem::path& target, const std::filesystem::path& input);

// The part of that which another process can change during a run: what exists at the target.
void check_replaceable(const std::filesystem::path& target, OutputKind kind, bool force,
                       std::span<const std::filesystem::path> folders);

// Refuses an input that is one of the neighbours which runs make and remove on the way to `target`, or lies in one: it
// would go with them.
void check_neighbours(const std::filesystem::path& target, const std::filesystem::path& input);

// "out/" and "out/." name what "out" names; a target's neighbours are found from the latter.
std::filesystem::path without_trailing_slash(const std::filesystem::path& path);
// Neighbours of a target: where a run writes; where the output that it replaces is until the new one has its name; and
// where the outputs of several processes are until finish.
std::filesystem::path partial_directory(const std::filesystem::path& target);
std::filesystem::path old_directory(const std::filesystem::path& target);
std::filesystem::path shards_directory(const std::filesystem::path& target);

std::filesystem::path parent_of(const std::filesystem::path& path);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_OUTPUT_TARGET_H
