// A conversion in parts: independent processes, on any hosts that share a file system, each make some of the files of
// one output in the directory <output>.qfuse-shards, and finish() makes it the output.
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

// The lock of a directory of shards: shared by those who make them, exclusive for finish(). io_error if it is taken.
Descriptor lock_shards(const std::filesystem::path& shards, LockKind kind);

// The names there of what shards made, those in folders too ("1_Pooling/config.json"), sorted. Not those of qfuse
// itself, nor of files that NFS keeps for whoever has them open.
std::vector<std::filesystem::path> list_shards(const std::filesystem::path& shards);

// Whether there is such a thing there, and no link leads out to it.
bool is_in_shards(const std::filesystem::path& shards, const std::filesystem::path& name,
                  std::filesystem::file_type type);

// The part of one process. It works in a directory of its own below the shared one, and moves each finished file to its
// final name there: what has that name is whole, and nobody removes what another one made. What the same shard made
// before is removed first, so that all its files are of one run.
class ShardOutput : public Destination {
 public:
  // Refuses what check_target() does, of which `bytes` are those of this shard; to run beside a living process of the
  // same shard, or beside finish(); a directory that has another plan than `plan`, or files and none.
  ShardOutput(const std::filesystem::path& target, const Shard& shard, bool force, const std::filesystem::path& input,
              std::int64_t bytes, const std::string& plan, std::span<const std::filesystem::path> folders = {});

  [[nodiscard]] OutputFile create(const std::filesystem::path& name) const override;
  void publish(const std::filesystem::path& name) const override;
  void create_folder(const std::filesystem::path& name) const override;
  [[nodiscard]] ScratchFile create_scratch() const override { return ScratchFile(work_.path()); }
  void commit() override {}  // finish() does it

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
