// An output that has its final name only when it is complete.
#ifndef QFUSE_CHECKPOINT_OUTPUT_OUTPUT_H
#define QFUSE_CHECKPOINT_OUTPUT_OUTPUT_H

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "checkpoint/files/file.h"
#include "checkpoint/files/progress.h"
#include "checkpoint/output/output_lock.h"
#include "checkpoint/output/target.h"

namespace qfuse::checkpoint {

// The place where a conversion creates its files, one after another.
class Destination {
 public:
  Destination() = default;
  Destination(const Destination&) = delete;
  Destination& operator=(const Destination&) = delete;
  virtual ~Destination() = default;

  // Creates a file; publish() marks it as finished.
  [[nodiscard]] virtual OutputFile create(const std::filesystem::path& name) const = 0;
  virtual void publish(const std::filesystem::path& name) const = 0;
  // Creates a folder, with a path relative to the output; its parent must exist.
  virtual void create_folder(const std::filesystem::path& name) const = 0;
  [[nodiscard]] virtual ScratchFile create_scratch() const = 0;
  // The last call, after every file was published.
  virtual void commit() = 0;

  // Creates a whole file: with `text`, or with the bytes of `from`, counted by `meter` if not NULL.
  void create_text(const std::filesystem::path& name, std::string_view text) const;
  void create_copy(const std::filesystem::path& from, const std::filesystem::path& name,
                   ProgressMeter* meter = nullptr) const;
};

// Builds the output in the directory <target>.qfuse-partial beside the target and renames it at the end; removes it if
// the end is not reached. Removes first what a dead run left there; fails if a living process works there.
class PendingOutput : public Destination {
 public:
  // Fails where check_target() does.
  PendingOutput(const std::filesystem::path& target, OutputKind kind, bool force, const std::filesystem::path& input,
                std::int64_t bytes, std::vector<std::filesystem::path> folders = {});

  // Creates a file of an output directory; for a single-file output, the only file, whatever `name` is.
  [[nodiscard]] OutputFile create(const std::filesystem::path& name) const override { return OutputFile(place(name)); }
  void publish(const std::filesystem::path&) const override {}  // commit() publishes all at once
  [[nodiscard]] ScratchFile create_scratch() const override { return ScratchFile(work_.path()); }
  // Makes the finished files durable and renames them to the target, replacing what `force` permits.
  void commit() override;

  void create_folder(const std::filesystem::path& name) const override;
  // Hard-links `from` under another name if possible, else copies it.
  void create_link(const std::filesystem::path& from, const std::filesystem::path& name) const;
  // A directory that is removed with this object; if this run cannot, the next one does.
  [[nodiscard]] const std::filesystem::path& work() const { return work_.path(); }

 private:
  [[nodiscard]] std::filesystem::path place(const std::filesystem::path& name) const;
  void replace_directory() const;

  std::filesystem::path target_;
  OutputKind kind_;
  bool force_;
  std::vector<std::filesystem::path> folders_;
  WorkDirectory work_;
  std::filesystem::path result_;  // becomes the target; inside work_
};

// A new folder of an output directory, published with it.
class FolderOutput : public Destination {
 public:
  FolderOutput(const PendingOutput& whole, std::filesystem::path name) : whole_(whole), name_(std::move(name)) {
    whole_.create_folder(name_);
  }

  [[nodiscard]] OutputFile create(const std::filesystem::path& name) const override {
    return whole_.create(name_ / name);
  }
  void publish(const std::filesystem::path&) const override {}
  void create_folder(const std::filesystem::path& name) const override { whole_.create_folder(name_ / name); }
  [[nodiscard]] ScratchFile create_scratch() const override { return whole_.create_scratch(); }
  void commit() override {}  // done by the whole output

 private:
  const PendingOutput& whole_;
  std::filesystem::path name_;
};

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_OUTPUT_OUTPUT_H
