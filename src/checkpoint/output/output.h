// An output that exists under its name only when it is complete.
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
  // A new folder for files, whose names begin with its own; its parent was made before.
  virtual void create_folder(const std::filesystem::path& name) const = 0;
  [[nodiscard]] virtual ScratchFile create_scratch() const = 0;
  // The last call: every file was published.
  virtual void commit() = 0;

  // A whole file at once: of `text`, or with the bytes of `from`, which `meter` counts if it is given.
  void create_text(const std::filesystem::path& name, std::string_view text) const;
  void create_copy(const std::filesystem::path& from, const std::filesystem::path& name,
                   ProgressMeter* meter = nullptr) const;
};

// Built in the directory <target>.qfuse-partial beside the target and renamed at the end; removed if the end is not
// reached. What a dead run left there is removed first; while a living one works there, a second is refused.
class PendingOutput : public Destination {
 public:
  // Refuses what check_target() does.
  PendingOutput(const std::filesystem::path& target, OutputKind kind, bool force, const std::filesystem::path& input,
                std::int64_t bytes, std::vector<std::filesystem::path> folders = {});

  // Of an output directory; or of an output that is a file the only one, whatever `name`.
  [[nodiscard]] OutputFile create(const std::filesystem::path& name) const override { return OutputFile(place(name)); }
  void publish(const std::filesystem::path&) const override {}  // all at once, by commit()
  [[nodiscard]] ScratchFile create_scratch() const override { return ScratchFile(work_.path()); }
  // Makes the finished files durable and gives them the target's name, in place of what `force` lets them replace.
  void commit() override;

  void create_folder(const std::filesystem::path& name) const override;
  // The file `from` itself under another name, where that can be, else a copy.
  void create_link(const std::filesystem::path& from, const std::filesystem::path& name) const;
  // What is moved into it is removed with it; if this run cannot any more, the next one does.
  [[nodiscard]] const std::filesystem::path& work() const { return work_.path(); }

 private:
  [[nodiscard]] std::filesystem::path place(const std::filesystem::path& name) const;
  void replace_directory() const;

  std::filesystem::path target_;
  OutputKind kind_;
  bool force_;
  std::vector<std::filesystem::path> folders_;
  WorkDirectory work_;
  std::filesystem::path result_;  // what becomes the target, in work_
};

// A new folder of an output directory, which appears with it.
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
  void commit() override {}  // with the whole

 private:
  const PendingOutput& whole_;
  std::filesystem::path name_;
};

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_OUTPUT_OUTPUT_H
