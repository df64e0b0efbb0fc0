// Finds models by their names on the Hub ("org/name") in its cache on this machine. Downloads nothing.
#ifndef QFUSE_CHECKPOINT_FILES_HUB_H
#define QFUSE_CHECKPOINT_FILES_HUB_H

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace qfuse::checkpoint {

// A model repository at a branch, tag or commit; an empty revision means the main branch.
struct HubModel {
  std::string id;
  std::string revision;

  [[nodiscard]] std::string download() const;  // the command that downloads it into the cache
};

// Returns the Hub model that `text` names: an id "org/name" (or "gpt2", an old form), or an address
// "https://huggingface.co/org/name/tree/revision". nullopt for any other text. Every part is a plain name, so that
// paths made from it stay in the cache. `revision` applies if `text` has none.
std::optional<HubModel> hub_model(std::string_view text, std::string_view revision = "");

// Returns the directory of huggingface_hub's cache, according to its environment variables.
std::filesystem::path hub_cache();

// Returns the snapshot of a model in the cache; nullopt if there is none.
std::optional<std::filesystem::path> cached(const HubModel& model);

// Returns the model whose cached snapshot contains `path`; nullopt if there is none.
std::optional<HubModel> cached_model(const std::filesystem::path& path);

// Locates a checkpoint that a user named: `path` if it exists or names nothing on the Hub, else the snapshot in the
// cache. For an address that is not in the cache, fails with io_error and the download command; for such an id, which
// could also be a path, returns `path`.
std::filesystem::path located(const std::filesystem::path& path);

// Text for the end of a message about a missing `path`: the download command, if the path looks like a Hub model or is
// in the Hub's cache; else "".
std::string hub_hint(const std::filesystem::path& path);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_HUB_H
