#include "checkpoint/merge/find_base.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <exception>
#include <optional>
#include <qfuse/checkpoint.hpp>
#include <string_view>
#include <system_error>

#include "checkpoint/convert/model_card.h"
#include "checkpoint/files/adapter_config.h"
#include "checkpoint/files/errors.h"
#include "checkpoint/files/file.h"
#include "checkpoint/files/hub.h"
#include "checkpoint/files/model.h"

namespace qfuse::checkpoint {
namespace {

namespace fs = std::filesystem;

// ---- finding ---------------------------------------------------------------------------------------------------

// Removes "./" and redundant slashes, as shell completion adds them.
std::string without_idle_parts(std::string_view name) {
  std::string path = name.starts_with('/') ? "/" : "";
  while (!name.empty()) {
    const std::string_view part = name.substr(0, name.find('/'));
    name.remove_prefix(std::min(name.size(), part.size() + 1));
    if (part.empty() || part == ".") continue;
    path.append(path.empty() || path.ends_with('/') ? "" : "/").append(part);
  }
  return path;
}

// An adapter is untrusted, so a local path that it names is followed only if it is relative, without '..'. It is
// resolved in the working directory, the adapter's directory and the parent of that.
std::optional<fs::path> local_base(const std::string& named, const fs::path& adapter) {
  const std::string name = without_idle_parts(named);
  if (!is_nested_name(name)) return std::nullopt;
  std::error_code error;
  for (const fs::path& path : {fs::path(name), adapter / name, adapter.parent_path() / name})
    if (fs::is_directory(path, error)) return path;
  return std::nullopt;
}

// Whether the name is safe as a word of a shell command in a message; an adapter's name can hold anything.
bool is_plain_word(std::string_view text) {
  const auto is_plain = [](unsigned char c) { return std::isalnum(c) != 0 || std::strchr("/._-+@", c) != nullptr; };
  return !text.empty() && text.front() != '-' && std::ranges::all_of(text, is_plain);
}

[[noreturn]] void refuse_path(const std::string& name, const fs::path& given, const std::string& config) {
  std::error_code error;
  const bool is_there = fs::is_directory(name, error);
  if (is_there && is_plain_word(name) && is_plain_word(given.native()))
    fail(Status::io_error,
         "{}: its base is '{}', a path that is not followed, since an adapter may be anybody's; if that is the one: "
         "`qfuse merge {} {} -o OUT`",
         config, name, name, given.native());
  fail(Status::io_error,
       "{}: its base is '{}', which is no name of a directory here or on the Hub: name the base before the adapter",
       config, printable(name));
}

fs::path base_of(const fs::path& given) {
  const fs::path adapter = located(given);
  const fs::path file = adapter / kAdapterConfigFile;
  std::error_code error;
  if (!fs::exists(adapter, error))
    fail(Status::io_error, "{}: no such file or directory{}", shown(given), hub_hint(given));
  if (!fs::is_regular_file(file, error))
    fail(Status::invalid_argument, "{}: has no {} to say what it was trained on: name the base before it", shown(given),
         kAdapterConfigFile);
  const AdapterConfig config(read_text(file, kLongestAdapterConfig), shown(file));
  const std::string& name = config.base_model();
  if (name.empty())
    fail(Status::invalid_argument, "{}: names no base (base_model_name_or_path): name it before the adapter",
         shown(file));
  if (const std::optional<fs::path> base = local_base(name, adapter)) return *base;
  std::optional<HubModel> model = hub_model(name, config.base_revision());
  if (!model) refuse_path(name, given, shown(file));
  if (const std::optional<fs::path> base = cached(*model)) return *base;
  fail(Status::io_error,
       "{}: its base '{}' is neither a directory here nor in the Hub's cache, {}: `{}` puts it there, or name another "
       "base before the adapter",
       shown(file), printable(name), shown(hub_cache()), model->download());
}

// ---- comparing -------------------------------------------------------------------------------------------------

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// Returns the last part of a model's name, without suffixes that only state quantization or dtype.
std::string essence(const std::string& name) {
  std::string text = lower(fs::path(without_idle_parts(name)).lexically_normal().filename().native());
  constexpr std::string_view kEndings[] = {"-bnb-4bit", "-4bit", "-nf4", "-fp4", "-unsloth", "-bf16", "-fp16"};
  for (bool found = true; found;) {
    found = false;
    for (const std::string_view ending : kEndings)
      if (text.size() > ending.size() && text.ends_with(ending)) {
        text.resize(text.size() - ending.size());
        found = true;
      }
  }
  return text;
}

bool may_be(const MergedModel& base, const std::string& trained_on) {
  const fs::path& path = base.model().path();
  std::error_code error;
  if (fs::equivalent(trained_on, path, error)) return true;
  const std::optional<std::string> original = base.config() ? base.config()->word("_name_or_path") : std::nullopt;
  return essence(spoken_name(path)) == essence(trained_on) || (original && essence(*original) == essence(trained_on));
}

// Returns the 4-bit code that a name states, "nf4" or "fp4"; "" if none.
std::string codes_in_name(const std::string& name) {
  const std::string text = lower(name);
  const auto says = [&](const char* word) { return text.find(word) != text.npos; };
  if (says("gptq") || says("awq")) return "";  // their 4-bit codes are others
  if (says("fp4")) return "fp4";
  return says("4bit") || says("4-bit") || says("nf4") ? "nf4" : "";
}

// Returns the 4-bit code of the model at a path, according to tensor names in its files.
std::string codes_in_files(const fs::path& path) {
  try {
    const Model model(path);
    for (const SafetensorsFile& file : model.files())
      for (const TensorEntry& entry : file.entries())
        for (const QuantType type : {QuantType::nf4, QuantType::fp4})
          if (entry.name.ends_with(fmt::format(".quant_state.bitsandbytes__{}", name_of(type))))
            return std::string(name_of(type));
  } catch (const std::exception&) {  // ignored: the answer is only for a note
  }
  return "";
}

// Returns the 4-bit code over which an adapter was trained: "nf4", "fp4", or "" if unknown. Judges by the files of its
// base if they are on this machine, else by the base's name.
std::string codes_of(const Adapter& adapter) {
  const std::string& name = adapter.config().base_model();
  if (name.empty()) return "";
  if (const std::optional<fs::path> base = local_base(name, adapter.path())) return codes_in_files(*base);
  const std::optional<HubModel> model = hub_model(name, adapter.config().base_revision());
  if (const std::optional<fs::path> base = model ? cached(*model) : std::nullopt) return codes_in_files(*base);
  return codes_in_name(name);
}

// Whether metadata or README.md of the base state that an adapter with this name was merged into it before.
bool says_it_has(const Model& base, const std::string& adapter) {
  constexpr std::int64_t kLongest = 1 << 20;
  const std::string entry = adapter + "@";
  for (const SafetensorsFile& file : base.files()) {
    const std::optional<std::string> merged = file.metadata(kMergeMetadata);
    const std::size_t adapters = merged ? merged->find("; adapters ") : std::string::npos;
    if (adapters == std::string::npos) continue;
    const std::string list = ", " + merged->substr(adapters + std::string_view("; adapters ").size());
    if (list.find(", " + entry) != list.npos) return true;
  }
  const fs::path card = base.path() / kCardFile;
  std::error_code error;
  if (!fs::is_regular_file(card, error) || fs::file_size(card, error) > kLongest) return false;
  const std::string text = read_text(card, kLongest);
  return text.find("\n| adapter | " + adapter + " |") != text.npos ||
         text.find("\n| adapter | " + adapter + ", trained on ") != text.npos;
}

}  // namespace

std::string spoken_name(const fs::path& path) {
  if (const std::optional<HubModel> model = cached_model(path)) return model->id;
  return printable(fs::absolute(path).lexically_normal().filename().native());
}

void note_other_base(const MergedModel& base, bool is_seen_as, std::vector<std::string>& notes) {
  const bool may_be_4bit = !base.is_quantized() && !is_seen_as;
  for (const auto& [adapter, weight] : base.adapters()) {
    const std::string& trained_on = adapter->config().base_model();
    const std::string type = may_be_4bit ? codes_of(*adapter) : "";
    if (!type.empty())
      notes.push_back(
          fmt::format("{}: was trained on '{}', which is in 4 bits: `base_as` {} merges it onto what it saw; without "
                      "that, the model computes something else than in training",
                      adapter->name(), printable(trained_on), type));
    else if (!trained_on.empty() && !may_be(base, trained_on))
      notes.push_back(
          fmt::format("{}: was trained on '{}'; by its name, {} is another model{}", adapter->name(),
                      printable(trained_on), spoken_name(base.model().path()),
                      may_be_4bit ? "; if that was this one in 4 bits, `base_as` nf4 merges it onto what it saw" : ""));
    if (says_it_has(base.model(), spoken_name(adapter->path())))
      notes.push_back(fmt::format("{}: says that an adapter called {} is merged into it already", base.model().name(),
                                  spoken_name(adapter->path())));
  }
}

fs::path find_base(const fs::path& adapter) {
  return with_qfuse_errors([&] { return base_of(adapter); });
}

}  // namespace qfuse::checkpoint
