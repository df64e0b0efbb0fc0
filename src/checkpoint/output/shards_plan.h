// The plan on which all processes of a sharded conversion agree. Each computes it from properties and headers of the
// input files.
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

// Fails with invalid_argument for an index outside the count, or if the model is a single file.
void check_shard(const std::optional<Shard>& shard, const Model& model);

// Formats shards like "shards 0-3, 7 and 9 of 16"; there must be at least one.
std::string shards_name(const std::set<std::int64_t>& shards, std::int64_t count);

// Returns the shard that makes file `i` of an output. Files that exist once, such as config.json, belong to shard 0.
std::int64_t shard_of(std::size_t i, std::int64_t count);
// Whether file `i` belongs to this shard; without shards always true.
bool is_own(const std::optional<Shard>& shard, std::size_t i);

struct ShardsPlan {
  struct File {
    std::string name;
    std::vector<TensorEntry> tensors;  // sorted by name; without byte ranges
  };
  std::int64_t shards = 0;
  std::vector<File> files;
  std::set<std::string> folders;  // parents first
  std::set<std::string> others;   // other files, as paths relative to the output
};

// Prefix of those names in a directory of shards that are not part of the output.
inline constexpr std::string_view kOwnPrefix = ".qfuse-";
inline constexpr std::string_view kPlanFile = ".qfuse-plan.json";

// A planned conversion. The entry of a quant_state has its maximum size.
struct Conversion {
  const Model& model;
  const nlohmann::json& command;  // including options on which the bytes of the output depend
  std::vector<IndexedFile> files;
  std::string_view config;                        // config.json of the output; empty: none
  std::vector<std::filesystem::path> folders;     // folders of the output
  std::vector<std::filesystem::path> companions;  // listed once, because files may be added during the run
};

// Identifies an input file in a plan by size and time of modification: a file with the same headers may have other
// values, but then its time differs.
nlohmann::json file_identity(const InputFile& file);

// Prints the plan: the same bytes in every process.
std::string print_shards_plan(const Conversion& conversion, std::int64_t shards);

// Parses an untrusted plan. Fails with invalid_data, in a message that begins with `where`, if it is not a plan of
// qfuse: all paths must be in the directory, or in folders that the plan lists, and must not be qfuse's own names.
ShardsPlan parse_shards_plan(const std::string& text, const std::string& where);

// Reads the text of the plan in a directory of shards.
std::string read_shards_plan(const std::filesystem::path& shards);

// Describes the first value in which a plan differs from `ours`: "shards is 3 there and 4 here".
std::string plan_difference(const std::string& text, const std::string& ours);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_OUTPUT_SHARDS_PLAN_H
