#include "checkpoint/merge/left_behind.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>

#include "checkpoint/files/companions.h"
#include "checkpoint/files/config.h"
#include "checkpoint/files/errors.h"
#include "checkpoint/files/file.h"
#include "checkpoint/files/processing.h"

namespace qfuse::checkpoint {
namespace {

namespace fs = std::filesystem;

bool begins_with_any(const std::string& name, std::span<const std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [&](std::string_view it) { return name.starts_with(it); });
}

// Whether it is training state of transformers, accelerate, DeepSpeed, FSDP, torchtune or Megatron.
bool is_of_trainer(const std::string& name) {
  constexpr std::array<std::string_view, 24> kBeginnings{"checkpoint-",
                                                         "custom_checkpoint",
                                                         "dl_state_dict",
                                                         "epoch_",
                                                         "events.",
                                                         "global_step",
                                                         "grad_scaler",
                                                         "iter_",
                                                         "lr_scheduler",
                                                         "optim",
                                                         "pytorch_model_fsdp",
                                                         "random_states",
                                                         "recipe_state",
                                                         "rng_",
                                                         "sampler",
                                                         "scaler",
                                                         "scheduler",
                                                         "step_",
                                                         "tmp-checkpoint",
                                                         "trainer_state",
                                                         "training_",
                                                         "train_args",
                                                         "wandb",
                                                         "runs"};
  return begins_with_any(name, kBeginnings);
}

// Whether it is an adapter file of peft, torchtune or llama.cpp.
bool is_adapter(const std::string& name) {
  constexpr std::array<std::string_view, 5> kBeginnings{"adapter_model.", "adapter_model-", "adapter.", "adapter_0",
                                                        "ggml-adapter"};
  return begins_with_any(name, kBeginnings);
}

// Whether it may hold weights, including formats in which models are not stored.
bool may_be_weights(const fs::path& name) {
  constexpr std::array<std::string_view, 8> kEndings{".distcp", ".nemo",     ".npy",    ".npz",
                                                     ".params", ".pdparams", ".pickle", ".pkl"};
  const std::string ending = name.extension();
  return (is_weight_file(name) && ending != ".json") || std::ranges::find(kEndings, ending) != kEndings.end();
}

struct Known {
  std::string_view beginning;
  std::string_view meaning;
};
constexpr std::array kKnown{
    Known{"non_lora_", "weights that were trained whole beside the adapter, such as a projector"},
    Known{"mm_projector", "a trained projector"},
    Known{"value_head", "a value head, which PPO and reward models train"},
    Known{"v_head", "a value head, which PPO and reward models train"},
    Known{"vit.", "a trained vision tower"},
};

std::string_view meaning_of(const fs::path& file) {
  const std::string name = file.filename();
  const auto* const known =
      std::ranges::find_if(kKnown, [&](const Known& it) { return name.starts_with(it.beginning); });
  return known == kKnown.end() ? "" : known->meaning;
}

// Whether both are files with the same bytes; reads them only if their sizes are equal.
bool same_files(const fs::path& a, const fs::path& b) {
  constexpr std::int64_t kPiece = 1 << 20;
  std::error_code error;
  if (!fs::is_regular_file(a, error) || !fs::is_regular_file(b, error)) return false;
  const InputFile one(a);
  const InputFile other(b);
  if (one.size() != other.size()) return false;
  std::vector<std::byte> bytes_a;
  std::vector<std::byte> bytes_b;
  for (std::int64_t at = 0; at < one.size(); at += kPiece) {
    bytes_a.resize(static_cast<std::size_t>(std::min(kPiece, one.size() - at)));
    bytes_b.resize(bytes_a.size());
    one.read(at, bytes_a);
    other.read(at, bytes_b);
    if (bytes_a != bytes_b) return false;
  }
  return true;
}

// Returns paths within the adapter's directory, without copies of the base's files, which some trainers make.
std::vector<fs::path> weights_beside(const Adapter& adapter, const fs::path& base) {
  const std::vector<fs::path> modules = modules_of(adapter.path()).folders;
  std::vector<fs::path> found;
  std::error_code error;
  for (const fs::path& name : list_directory(adapter.path())) {
    const fs::path path = adapter.path() / name;
    if (is_of_trainer(name) || name.native().starts_with('.')) continue;
    if (!fs::is_directory(path, error)) {
      if (may_be_weights(name) && !is_adapter(name) && name != adapter.file().file().path().filename())
        found.push_back(name);
    } else if (std::ranges::find(modules, name) == modules.end() && !fs::exists(path / kAdapterConfigFile)) {
      const std::vector<fs::path> within = weights_in_folder(adapter.path(), name);
      found.insert(found.end(), within.begin(), within.end());
    }
  }
  std::erase_if(found, [&](const fs::path& file) { return same_files(adapter.path() / file, base / file); });
  return found;
}

void note_weights(const Adapter& adapter, const fs::path& base, std::vector<std::string>& notes) {
  constexpr std::size_t kMostNamed = 5;
  std::vector<std::string> others;
  for (const fs::path& file : weights_beside(adapter, base)) {
    const std::string_view meaning = meaning_of(file);
    if (meaning.empty())
      others.push_back(printable(file.native()));
    else
      notes.push_back(fmt::format(
          "{}: has {}, which is not merged, so that the output is not all of what was trained: the tool that wrote it "
          "can add it",
          shown(adapter.path() / file), meaning));
  }
  if (others.empty()) return;
  const std::size_t more = others.size() - std::min(others.size(), kMostNamed);
  others.resize(others.size() - more);
  notes.push_back(fmt::format("{}: has weights beside the adapter, which are not merged: {}{}", adapter.name(),
                              fmt::join(others, ", "), more == 0 ? "" : fmt::format(" and {} more", more)));
}

// FSDP2 prefixes the names of the classes that it shards.
std::string_view trained_class(const nlohmann::json& config) {
  constexpr std::string_view kSharded = "FSDP";
  const auto stated = config.find("architectures");
  const bool has_one = stated != config.end() && stated->is_array() && !stated->empty() && stated->front().is_string();
  if (!has_one) return "";
  std::string_view name = stated->front().get_ref<const std::string&>();
  if (name.starts_with(kSharded)) name.remove_prefix(kSharded.size());
  return name;
}

void note_class(const Adapter& adapter, const MergedModel& base, std::vector<std::string>& notes) {
  const std::optional<nlohmann::json> config = read_object(adapter.path() / kConfigFile);
  if (!config || !base.config()) return;
  const std::string_view trained = trained_class(*config);
  const std::string stored = base.config()->class_name();
  if (trained.empty() || stored.empty() || trained == stored) return;
  notes.push_back(fmt::format("{}: was trained as a {}, by its {}; the output is a {}, as the base is", adapter.name(),
                              printable(std::string(trained)), kConfigFile, printable(stored)));
}

}  // namespace

void note_left_behind(const MergedModel& base, std::vector<std::string>& notes) {
  std::set<fs::path> seen;
  for (const auto& [adapter, weight] : base.adapters()) {
    if (!fs::exists(adapter->path() / kAdapterConfigFile) || !seen.insert(adapter->path()).second) continue;
    note_weights(*adapter, base.model().path(), notes);
    note_class(*adapter, base, notes);
  }
}

}  // namespace qfuse::checkpoint
