#include "checkpoint/files/hub.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "checkpoint/files/errors.h"
#include "checkpoint/files/file.h"
#include "checkpoint/files/model.h"

namespace qfuse::checkpoint {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFolder = "models--";  // prefix of a repository's folder, in which "/" is "--"
constexpr const char* kSnapshots = "snapshots";

bool is_word(std::string_view text) {
  const auto is_plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' || c == '_' ||
           c == '.';
  };
  return !text.empty() && std::ranges::all_of(text, is_plain);
}

// The same rule as huggingface_hub's validate_repo_id.
bool is_repository(std::string_view name) {
  constexpr std::size_t kLongest = 96;
  const auto is_end = [](char c) { return c == '-' || c == '.'; };
  return is_word(name) && name.size() <= kLongest && !is_end(name.front()) && !is_end(name.back()) &&
         name.find("--") == name.npos && name.find("..") == name.npos && !name.ends_with(".git");
}

// Accepts "main", a commit, "refs/pr/1".
bool is_revision(std::string_view text) {
  return is_nested_name(text) && std::ranges::all_of(text, [](char c) { return c == '/' || is_word({&c, 1}); });
}

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Accepts "org/name", or "gpt2", the form of the oldest models.
std::optional<HubModel> model_of_id(std::string_view id) {
  const std::size_t slash = id.find('/');
  if (!is_repository(id.substr(0, slash))) return std::nullopt;
  if (slash != id.npos && !is_repository(id.substr(slash + 1))) return std::nullopt;
  return HubModel{std::string(id), ""};
}

std::string_view without_address(std::string_view text) {
  for (const std::string_view beginning : {"https://", "http://"})
    for (const std::string_view host : {"huggingface.co/", "www.huggingface.co/", "hf.co/"})
      if (text.starts_with(beginning) && text.substr(beginning.size()).starts_with(host))
        return text.substr(beginning.size() + host.size());
  return "";
}

// Parses the part of an address after the host: "org/name", optionally with "/tree/" and a revision.
std::optional<HubModel> model_of_address(std::string_view rest) {
  constexpr std::string_view kTree = "tree/";
  rest = rest.substr(0, rest.find_first_of("?#"));
  while (rest.ends_with('/')) rest.remove_suffix(1);
  const std::size_t name = rest.find('/');
  const std::size_t end = name == rest.npos ? rest.npos : rest.find('/', name + 1);
  std::optional<HubModel> model = model_of_id(rest.substr(0, end));
  if (!model || end == rest.npos) return model;
  rest.remove_prefix(end + 1);
  if (!rest.starts_with(kTree) || !is_revision(rest.substr(kTree.size()))) return std::nullopt;
  model->revision = rest.substr(kTree.size());
  return model;
}

std::string folder_of(const HubModel& model) {
  std::string folder = std::string(kFolder) + model.id;
  if (const std::size_t slash = folder.find('/'); slash != folder.npos) folder.replace(slash, 1, "--");
  return folder;
}

// Returns the commit of a branch or tag at the time of its download; "" if it was not downloaded.
std::string commit_of(const fs::path& repository, const std::string& revision) {
  constexpr std::int64_t kLongest = 200;  // bytes; real ones have 40
  const fs::path reference = repository / "refs" / revision;
  std::error_code error;
  if (!fs::is_regular_file(reference, error)) return "";
  std::string commit = read_text(reference, kLongest);
  commit.erase(std::find_if(commit.begin(), commit.end(), [](char c) { return c == '\n' || c == '\r'; }), commit.end());
  return is_word(commit) && is_plain_name(commit) ? commit : "";
}

}  // namespace

std::string HubModel::download() const {
  return fmt::format("hf download {}{}", id, revision.empty() ? "" : " --revision " + revision);
}

std::optional<HubModel> hub_model(std::string_view text, std::string_view revision) {
  const std::string_view rest = without_address(text);
  std::optional<HubModel> model = rest.empty() ? model_of_id(text) : model_of_address(rest);
  if (!model || !model->revision.empty() || revision.empty()) return model;
  if (!is_revision(revision)) return std::nullopt;
  model->revision = revision;
  return model;
}

fs::path hub_cache() {
  const auto expanded = [](std::string_view path) {
    return path.starts_with("~/") ? fs::path(environment("HOME")) / path.substr(2) : fs::path(path);
  };
  for (const char* name : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"})
    if (const std::string_view path = environment(name); !path.empty()) return expanded(path);
  if (const std::string_view home = environment("HF_HOME"); !home.empty()) return expanded(home) / "hub";
  const std::string_view caches = environment("XDG_CACHE_HOME");
  return (caches.empty() ? expanded("~/.cache") : expanded(caches)) / "huggingface" / "hub";
}

std::optional<fs::path> cached(const HubModel& model) {
  const fs::path repository = hub_cache() / folder_of(model);
  const std::string revision = model.revision.empty() ? "main" : model.revision;
  if (!is_revision(revision)) return std::nullopt;
  const std::string commit = commit_of(repository, revision);
  const fs::path snapshot = repository / kSnapshots / (commit.empty() ? revision : commit);
  std::error_code error;
  if (!fs::is_directory(snapshot, error)) return std::nullopt;
  return snapshot;
}

std::optional<HubModel> cached_model(const fs::path& path) {
  const fs::path whole = fs::absolute(path).lexically_normal();
  for (fs::path at = whole; at.has_relative_path(); at = at.parent_path()) {
    std::string folder = at.filename().native();
    const std::size_t cut = folder.find("--", kFolder.size());
    if (!folder.starts_with(kFolder)) continue;
    if (cut != folder.npos) folder.replace(cut, 2, "/");
    return model_of_id(std::string_view(folder).substr(kFolder.size()));
  }
  return std::nullopt;
}

fs::path located(const fs::path& path) {
  std::error_code error;
  if (fs::exists(path, error)) return path;
  const std::string_view rest = without_address(path.native());
  const std::optional<HubModel> model = hub_model(path.native());
  if (model)
    if (const std::optional<fs::path> snapshot = cached(*model)) return *snapshot;
  if (rest.empty()) return path;
  fail(Status::io_error, "{}: is an address, and qfuse downloads nothing{}", shown(path),
       model ? fmt::format(": `{}` puts the model where qfuse finds it, as {}", model->download(), model->id) : "");
}

std::string hub_hint(const fs::path& path) {
  if (const std::optional<HubModel> model = cached_model(path))
    return fmt::format("; `{}` downloads what is missing", model->download());
  std::error_code error;
  const std::optional<HubModel> model = hub_model(path.native());
  if (!model || model->id.find('/') == model->id.npos || fs::exists(path.parent_path(), error)) return "";
  return fmt::format("; if it is a model on the Hub, `{}` puts it into the cache, where qfuse finds it",
                     model->download());
}

}  // namespace qfuse::checkpoint
