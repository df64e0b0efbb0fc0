// What the processes of a sharded conversion agree on. Each one computes it from what the input's files are like and
// from their headers.
#ifndef QFUSE_CHECKPOINT_OUTPUT_SHARDS_PLAN_H
#define QFUSE_CHECKPOINT_OUTPUT_SHARDS_PLAN_H

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <qfuse/checkpoint.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/files/file.h"
#include "checkpoint/files/model.h"
#include "checkpoint/output/output.h"

namespace qfuse::checkpoint {

// Throws invalid_argument for a shard that is none of its count, or of a model that is a file.
void check_shard(const std::optional<Shard>& shard, const Model& model);

// "shards 0-3, 7 and 9 of 16"; at least one.
std::string shards_name(const std::set<std::int64_t>& shards, std::int64_t count);

// Whose an output's file `i` is. What an output has once only, as config.json, is shard 0's.
std::int64_t shard_of(std::size_t i, std::int64_t count);
// Whether file `i` is that shard's; without shards all are.
bool is_own(const std::optional<Shard>& shard, std::size_t i);

struct ShardsPlan {
  struct File {
    std::string name;
    std::vector<TensorEntry> tensors;  // by name; without byte ranges
  };
  std::int64_t shards = 0;
  std::vector<File> files;
  std::set<std::string> folders;  // parents first
  std::set<std::string> others;   // further files, of which those in folders begin with a folder's name
};

// Of the names in a directory of shards, those that are no part of the output begin so.
inline constexpr std::string_view kOwnPrefix = ".qfuse-";
inline constexpr std::string_view kPlanFile = ".qfuse-plan.json";

// What a conversion is before it begins. A quant_state among the files' entries is as long as it can get.
struct Conversion {
  const Model& model;
  const nlohmann::json& command;  // with those of its options that the bytes of the output depend on
  std::vector<IndexedFile> files;
  std::string_view config;                        // of the output; empty: none
  std::vector<std::filesystem::path> folders;     // of the output
  std::vector<std::filesystem::path> companions;  // as companions_of() lists them once: more may come during the run
};

// What a plan says of an input's file. One with the same headers may hold other values; then it was written at another
// time.
nlohmann::json file_identity(const InputFile& file);

// The plan's text, the same bytes in every process.
std::string print_shards_plan(const Conversion& conversion, std::int64_t shards);

// Reads the text of a plan that anyone may have written. invalid_data, its message beginning with `where`, for what is
// none of ours: what it names lies in the directory, or in folders there that it names too, and is none of our own
// names.
ShardsPlan parse_shards_plan(const std::string& text, const std::string& where);

// The text of the plan in a directory of shards.
std::string read_shards_plan(const std::filesystem::path& shards);

// The first value in which a plan differs from `ours`: "shards is 3 there and 4 here".
std::string plan_difference(const std::string& text, const std::string& ours);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_OUTPUT_SHARDS_PLAN_H
