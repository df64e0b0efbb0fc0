// An output that exists under its name only when it is complete.
#ifndef QFUSE_CHECKPOINT_OUTPUT_H
#define QFUSE_CHECKPOINT_OUTPUT_H

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/file.h"
#include "checkpoint/model.h"

namespace qfuse::checkpoint {

enum class OutputKind { file, directory };

// Built in the directory <target>.qfuse-partial beside the target and renamed at the end; removed if the end is not
// reached. What a dead run left there is removed first; while a living one works there, a second is refused.
class PendingOutput {
 public:
  // Refuses: an existing target without `force`; with it, a target of the other kind, and a directory that is no
  // model's (holds directories, or files but no .safetensors); a target that is `input`, contains it or lies within it;
  // a parent that does not exist; a file system with less than `bytes` free.
  PendingOutput(const std::filesystem::path& target, OutputKind kind, bool force, const std::filesystem::path& input,
                std::int64_t bytes);
  PendingOutput(const PendingOutput&) = delete;
  PendingOutput& operator=(const PendingOutput&) = delete;
  ~PendingOutput();

  // A new file of an output directory; or of an output that is a file the only one, whatever `name`.
  [[nodiscard]] OutputFile create(const std::filesystem::path& name) const;
  // A whole file at once: of `text`, or with the name and the bytes of `from`.
  void create_text(const std::filesystem::path& name, std::string_view text) const;
  void create_copy(const std::filesystem::path& from) const;
  [[nodiscard]] ScratchFile create_scratch() const { return ScratchFile(partial_); }
  // Makes the finished files durable and gives them the target's name, in place of what stood there.
  void commit();

 private:
  void claim_partial();
  void replace_directory() const;

  std::filesystem::path target_;
  std::filesystem::path partial_;
  OutputKind kind_;
  Descriptor lock_;  // on the partial directory, as long as this lives
};

// The names that transformers looks for: of the `count` .safetensors files of a directory, number `i` from 0.
std::string weight_file_name(std::size_t i, std::size_t count);

// What tensors one of them holds.
struct IndexedFile {
  std::string name;
  std::span<const TensorEntry> entries;
};

// The text of model.safetensors.index.json.
std::string index_json(std::span<const IndexedFile> files);

// The files of a model directory that go with any form of its weights: all but weights and config.json, none if `model`
// is a file; their names.
std::vector<std::filesystem::path> companion_files(const Model& model);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_OUTPUT_H
