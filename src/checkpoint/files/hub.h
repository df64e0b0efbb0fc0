// Models by their names on the Hub ("org/name"), as they lie in its cache on this machine. Nothing is downloaded.
#ifndef QFUSE_CHECKPOINT_FILES_HUB_H
#define QFUSE_CHECKPOINT_FILES_HUB_H

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace qfuse::checkpoint {

// A repository of a model, at a branch, a tag or a commit; "": at its main branch.
struct HubModel {
  std::string id;
  std::string revision;

  [[nodiscard]] std::string download() const;  // the command that puts it into the cache
};

// What `text` names on the Hub: "org/name" ("gpt2", if it is old), or an address,
// "https://huggingface.co/org/name/tree/revision". None for any other text. Every part is a plain name, so that no path
// made of it leaves the cache.
// `revision`: for what says none.
std::optional<HubModel> hub_model(std::string_view text, std::string_view revision = "");

// The directory of huggingface_hub's cache, by its environment variables.
std::filesystem::path hub_cache();

// The snapshot of a model in the cache; none if it is not there.
std::optional<std::filesystem::path> cached(const HubModel& model);

// The model in whose cached snapshot a path lies.
std::optional<HubModel> cached_model(const std::filesystem::path& path);

// Where a checkpoint lies that a user named: `path` if it exists or names nothing on the Hub, else the snapshot in the
// cache. io_error, with the command that downloads it, for an address of what is not there; for an id, which may as
// well be a path, `path`.
std::filesystem::path located(const std::filesystem::path& path);

// For the end of a message about what is missing at `path`: the command that downloads it, if it looks like a model on
// the Hub, or lies in its cache, else nothing.
std::string hub_hint(const std::filesystem::path& path);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_HUB_H
