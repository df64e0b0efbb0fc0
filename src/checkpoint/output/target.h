// Checks where an output may be written, and names the files and directories that a run creates beside it.
#ifndef QFUSE_CHECKPOINT_OUTPUT_TARGET_H
#define QFUSE_CHECKPOINT_OUTPUT_TARGET_H

#include <cstdint>
#include <filesystem>
#include <span>

namespace qfuse::checkpoint {

// A pipeline is a directory with a folder per component.
enum class OutputKind { file, directory, pipeline };

// Returns the output's path without a trailing slash. Fails if the path has no file name (".."); if the target exists
// and `force` is false; with `force`, if the target is of another kind, a directory that is no model's (it has files
// but no .safetensors, or a directory not in `folders`, those of the output), or no pipeline's (no model_index.json, or
// a directory that it does not name); if the target is `input`, contains it or is within it; if the parent does not
// exist; if the file system has less than `bytes` free.
std::filesystem::path check_target(const std::filesystem::path& target, OutputKind kind, bool force,
                                   const std::filesystem::path& input, std::int64_t bytes,
                                   std::span<const std::filesystem::path> folders = {});

// Fails if the target is `input`, contains it or is within it.
void check_apart(const std::filesystem::path& target, const std::filesystem::path& input);

// The part of check_target() that can change during a run, because other processes may create the target.
void check_replaceable(const std::filesystem::path& target, OutputKind kind, bool force,
                       std::span<const std::filesystem::path> folders);

// Fails if the input is, or is within, one of the paths beside `target` that runs create and remove: it would be
// deleted with them.
void check_neighbours(const std::filesystem::path& target, const std::filesystem::path& input);

// Converts "out/" and "out/." to "out", from which the names of the target's neighbors are made.
std::filesystem::path without_trailing_slash(const std::filesystem::path& path);
// Paths beside a target: where a run writes; where a replaced output is kept until the new one has its name; where the
// files of several processes are kept until finish().
std::filesystem::path partial_directory(const std::filesystem::path& target);
std::filesystem::path old_directory(const std::filesystem::path& target);
std::filesystem::path shards_directory(const std::filesystem::path& target);

std::filesystem::path parent_of(const std::filesystem::path& path);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_OUTPUT_TARGET_H
