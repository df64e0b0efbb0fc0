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

#include "checkpoint/claim.h"
#include "checkpoint/file.h"
#include "checkpoint/model.h"

namespace qfuse::checkpoint {

enum class OutputKind { file, directory };

// Where a conversion puts its files, one after the other.
class Destination {
 public:
  Destination() = default;
  Destination(const Destination&) = delete;
  Destination& operator=(const Destination&) = delete;
  virtual ~Destination() = default;

  // A new file; publish() says that it is finished.
  [[nodiscard]] virtual OutputFile create(const std::filesystem::path& name) const = 0;
  virtual void publish(const std::filesystem::path& name) const = 0;
  [[nodiscard]] virtual ScratchFile create_scratch() const = 0;
  // The last call: every file was published.
  virtual void commit() = 0;

  // A whole file at once: of `text`, or with the name and the bytes of `from`.
  void create_text(const std::filesystem::path& name, std::string_view text) const;
  void create_copy(const std::filesystem::path& from) const;
};

// Built in the directory <target>.qfuse-partial beside the target and renamed at the end; removed if the end is not
// reached. What a dead run left there is removed first; while a living one works there, a second is refused.
class PendingOutput : public Destination {
 public:
  // Refuses what check_target() does.
  PendingOutput(const std::filesystem::path& target, OutputKind kind, bool force, const std::filesystem::path& input,
                std::int64_t bytes);

  // Of an output directory; or of an output that is a file the only one, whatever `name`.
  [[nodiscard]] OutputFile create(const std::filesystem::path& name) const override { return OutputFile(place(name)); }
  void publish(const std::filesystem::path&) const override {}  // all at once, by commit()
  [[nodiscard]] ScratchFile create_scratch() const override { return ScratchFile(work_.path()); }
  // Makes the finished files durable and gives them the target's name, in place of what stood there.
  void commit() override;

  // The file `from` itself under the same name, where that can be, else a copy.
  void create_link(const std::filesystem::path& from) const;
  // What is moved there goes with this, even if that is left to another run.
  [[nodiscard]] const std::filesystem::path& work() const { return work_.path(); }

 private:
  [[nodiscard]] std::filesystem::path place(const std::filesystem::path& name) const;
  void replace_directory() const;

  std::filesystem::path target_;
  OutputKind kind_;
  WorkDirectory work_;
  std::filesystem::path result_;  // what becomes the target, in work_
};

// The path of an output, without a slash at its end. Refuses: an existing target without `force`; with it, a target of
// the other kind, and a directory that is no model's (holds directories, or files but no .safetensors); a target that
// is `input`, contains it or lies within it; a parent that does not exist; a file system with less than `bytes` free.
std::filesystem::path check_target(const std::filesystem::path& target, OutputKind kind, bool force,
                                   const std::filesystem::path& input, std::int64_t bytes);

// Refuses an input that is one of the neighbours which runs make and remove on the way to `target`, or lies in one: it
// would go with them.
void check_neighbours(const std::filesystem::path& target, const std::filesystem::path& input);

// "out/" and "out/." name what "out" names; a target's neighbours are found from the latter.
std::filesystem::path without_trailing_slash(const std::filesystem::path& path);
// The neighbour that has the target's name and `ending`.
std::filesystem::path beside(const std::filesystem::path& target, const char* ending);
// Where a run to an output works.
std::filesystem::path partial_directory(const std::filesystem::path& target);
// Where the shards of an output gather.
std::filesystem::path shards_directory(const std::filesystem::path& target);
std::filesystem::path parent_of(const std::filesystem::path& path);

// The names that transformers looks for: of the `count` .safetensors files of a directory, number `i` from 0.
std::string weight_file_name(std::size_t i, std::size_t count);

// What tensors one of them holds.
struct IndexedFile {
  std::string name;
  std::span<const TensorEntry> entries;
};

template <typename Files>
std::vector<IndexedFile> index_of(const Files& files) {
  std::vector<IndexedFile> index;
  index.reserve(files.size());
  for (const auto& file : files) index.push_back({file.name, file.entries});
  return index;
}

// The text of model.safetensors.index.json.
std::string index_json(std::span<const IndexedFile> files);

// The files of a model directory that go with any form of its weights: all but weights and config.json, none if `model`
// is a file; their names.
std::vector<std::filesystem::path> companion_files(const Model& model);

// Writes these, and config.json if `config`, its text, is not empty.
void create_further_files(const Destination& output, const Model& model, std::string_view config);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_OUTPUT_H
