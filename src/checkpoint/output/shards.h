// Sharded conversion: independent processes, on any hosts that share a file system, each make some files of one output
// in the directory <output>.qfuse-shards; finish() turns it into the output.
#ifndef QFUSE_CHECKPOINT_OUTPUT_SHARDS_H
#define QFUSE_CHECKPOINT_OUTPUT_SHARDS_H

#include <cstdint>
#include <filesystem>
#include <qfuse/checkpoint.hpp>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/output/output.h"
#include "checkpoint/output/output_lock.h"
#include "checkpoint/output/shards_plan.h"

namespace qfuse::checkpoint {

// Locks a directory of shards: shared for processes that make shards, exclusive for finish(). Fails with io_error.
Descriptor lock_shards(const std::filesystem::path& shards, LockKind kind);

// Returns the sorted paths of what shards made, including files in folders ("1_Pooling/config.json"). Excludes qfuse's
// own files, and files that NFS keeps because they are still open.
std::vector<std::filesystem::path> list_shards(const std::filesystem::path& shards);

// Whether `name` is there with this type, without a symbolic link on the way.
bool is_in_shards(const std::filesystem::path& shards, const std::filesystem::path& name,
                  std::filesystem::file_type type);

// Output of one shard's process. It works in its own subdirectory of the shared one, and moves each finished file to
// its final name there: files with a final name are complete, and no process removes another one's. It first removes
// files that the same shard made before, so that all its files are from one run.
class ShardOutput : public Destination {
 public:
  // Fails where check_target() does, with `bytes` for this shard; if a process of the same shard or finish() is
  // running; and if the directory has a plan other than `plan`, or files but no plan.
  ShardOutput(const std::filesystem::path& target, const Shard& shard, bool force, const std::filesystem::path& input,
              std::int64_t bytes, const std::string& plan, std::span<const std::filesystem::path> folders = {});

  [[nodiscard]] OutputFile create(const std::filesystem::path& name) const override;
  void publish(const std::filesystem::path& name) const override;
  void create_folder(const std::filesystem::path& name) const override;
  [[nodiscard]] ScratchFile create_scratch() const override { return ScratchFile(work_.path()); }
  void commit() override {}  // done by finish()

 private:
  void agree_on(const std::string& plan) const;
  void publish_plan(const std::string& plan) const;
  void remove_earlier(const ShardsPlan& plan, std::int64_t shard) const;

  std::filesystem::path shards_;
  Descriptor lock_;
  WorkDirectory work_;
};

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_OUTPUT_SHARDS_H
