#include "checkpoint/merge/further_files.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "checkpoint/files/companions.h"
#include "checkpoint/files/config.h"
#include "checkpoint/files/errors.h"
#include "checkpoint/files/file.h"
#include "checkpoint/files/json.h"
#include "checkpoint/files/processing.h"
#include "checkpoint/files/special_tokens.h"

namespace qfuse::checkpoint {
namespace {

namespace fs = std::filesystem;

// Returns the files of an adapter's directory that belong to a tokenizer or processor, by name.
std::map<fs::path, ProcessingPart> processing_files(const fs::path& directory) {
  std::vector<fs::path> names = list_directory(directory);
  std::error_code error;
  if (fs::is_directory(directory / kTemplatesFolder, error))
    for (const fs::path& name : list_directory(directory / kTemplatesFolder)) names.push_back(kTemplatesFolder / name);
  std::map<fs::path, ProcessingPart> files;
  for (const fs::path& name : names)
    if (const ProcessingPart part = processing_part(name);
        part != ProcessingPart::none && fs::is_regular_file(directory / name, error))
      files[name] = part;
  return files;
}

class FurtherFiles {
 public:
  explicit FurtherFiles(const MergedModel& base) : base_(base.model()) {
    const Companions companions = companions_of(base_);
    for (const fs::path& name : companions.files) files_[name] = base_.path() / name;
    folders_.insert(companions.folders.begin(), companions.folders.end());
  }

  void take(const Adapter& adapter, std::vector<std::string>& notes) {
    const std::map<fs::path, fs::path> before = files_;
    const Taken taken(adapter);
    const bool is_whole = is_whole_tokenizer(taken);
    take_tokenizer(taken, is_whole, notes);
    take_template(taken, is_whole, notes);
    take_processor(taken);
    for (const auto& [name, part] : taken.files)
      if (part == ProcessingPart::code) add(taken, name);
    take_modules(taken);
    if (std::error_code error; fs::is_regular_file(taken.directory / kGenerationFile, error))
      add(taken, kGenerationFile);
    note_left_out(taken, before, notes);
  }

  // Writes the differences from the base's files into the plan.
  void put_into(ConversionPlan& plan) && {
    const Companions companions = companions_of(base_);
    for (const fs::path& name : companions.files)
      if (const auto found = files_.find(name); found == files_.end() || found->second != base_.path() / name)
        plan.left_out.insert(name);
    for (const fs::path& name : companions.folders)
      if (!folders_.contains(name)) plan.left_out.insert(name);
    for (auto& [name, from] : files_)
      if (from != base_.path() / name) plan.further_files[name] = std::move(from);
    if (changed_processor_) {
      plan.left_out.insert(kProcessorFile);
      plan.further_files.erase(kProcessorFile);
      plan.texts[kProcessorFile] = print_json(*changed_processor_);
    }
    plan.further_folders = std::move(folders_);
  }

 private:
  struct Taken {
    explicit Taken(const Adapter& adapter)
        : name(adapter.name()), directory(adapter.path()), files(processing_files(directory)) {}
    [[nodiscard]] bool has(ProcessingPart part) const {
      return std::ranges::any_of(files, [&](const auto& file) { return file.second == part; });
    }

    std::string name;
    fs::path directory;
    std::map<fs::path, ProcessingPart> files;
  };

  void add(const Taken& from, const fs::path& name) {
    files_[name] = from.directory / name;
    if (name.has_parent_path()) folders_.insert(name.parent_path());
  }
  void add_all(const Taken& from, ProcessingPart wanted) {
    for (const auto& [name, part] : from.files)
      if (part == wanted) add(from, name);
  }
  void drop(ProcessingPart part) {
    std::erase_if(files_, [&](const auto& file) { return processing_part(file.first) == part; });
  }
  [[nodiscard]] bool has(ProcessingPart part) const {
    return std::ranges::any_of(files_, [&](const auto& file) { return processing_part(file.first) == part; });
  }

  // Whether it has vocabulary and settings; tokenizers of bytes or characters have only settings.
  [[nodiscard]] bool is_whole_tokenizer(const Taken& from) const {
    return from.files.contains(kTokenizerConfigFile) &&
           (from.has(ProcessingPart::vocabulary) || !has(ProcessingPart::vocabulary));
  }

  void take_tokenizer(const Taken& from, bool is_whole, std::vector<std::string>& notes) {
    const bool has_vocabulary = from.has(ProcessingPart::vocabulary);
    if (has_vocabulary) drop(ProcessingPart::vocabulary);
    if (is_whole) drop(ProcessingPart::tokenizer_settings);
    if (!is_whole && from.files.contains(kTokenizerConfigFile)) files_.erase(kTokensMapFile);
    const ProcessingPart rest = has_vocabulary ? ProcessingPart::tokenizer_settings : ProcessingPart::vocabulary;
    if (!is_whole && (has_vocabulary || from.has(ProcessingPart::tokenizer_settings)) && has(rest))
      notes.push_back(fmt::format("{}: has {} of a tokenizer alone: the rest of it is that of {}", from.name,
                                  has_vocabulary ? "the vocabulary" : "settings", base_.name()));
    add_all(from, ProcessingPart::vocabulary);
    add_all(from, ProcessingPart::tokenizer_settings);
  }

  // Takes the chat template, which tokenizers and processors have in their settings or in files; files win.
  void take_template(const Taken& from, bool has_tokenizer, std::vector<std::string>& notes) {
    const auto states_one = [&](const char* file) {
      return has_value(read_object(from.directory / file), kTemplateField);
    };
    const bool has_own =
        from.has(ProcessingPart::chat_template) || states_one(kTokenizerConfigFile) || states_one(kProcessorFile);
    if (!has_own && !has_tokenizer) return;
    const auto left_out = std::erase_if(files_, [&](const auto& file) {
      const bool is_processors = file.first == kOldProcessorTemplateFile;
      return processing_part(file.first) == ProcessingPart::chat_template && (has_own || !is_processors);
    });
    folders_.erase(kTemplatesFolder);
    if (has_own)
      change_processor([&](nlohmann::json& processor) { processor.erase(kTemplateField); });
    else if (left_out > 0)
      notes.push_back(
          fmt::format("{}: its tokenizer has no chat template, and that of {} is left out", from.name, base_.name()));
    add_all(from, ProcessingPart::chat_template);
  }

  // Takes each part separately, because a trainer may have saved only one of them.
  void take_processor(const Taken& from) {
    if (!from.has(ProcessingPart::processor)) return;
    const std::optional<nlohmann::json> own = read_object(from.directory / kProcessorFile);
    const std::optional<nlohmann::json> before = processor();
    for (const ProcessorPart& part : kProcessorParts) {
      if (has_value(own, part.field))
        files_.erase(part.file);
      else if (has_file(from, part))
        change_processor([&](nlohmann::json& processor) { processor.erase(part.field); });
    }
    add_all(from, ProcessingPart::processor);
    if (!from.files.contains(kProcessorFile)) return;
    changed_processor_.reset();
    for (const ProcessorPart& part : kProcessorParts)
      if (has_value(before, part.field) && !has_value(own, part.field) && !has_file(from, part))
        change_processor([&](nlohmann::json& processor) { processor[part.field] = before->at(part.field); });
  }

  // Whether there is a file for this part. Images and audio share one file, in which a field says which it is for.
  static bool has_file(const Taken& from, const ProcessorPart& part) {
    if (!from.files.contains(part.file)) return false;
    const std::optional<nlohmann::json> file = read_object(from.directory / part.file);
    const bool is_of_sound = has_value(file, "feature_extractor_type");
    if (part.field == kProcessorParts[1].field) return is_of_sound;
    return part.field != kProcessorParts[0].field || !is_of_sound || has_value(file, "image_processor_type");
  }

  // Returns processor_config.json of the output.
  [[nodiscard]] std::optional<nlohmann::json> processor() const {
    if (changed_processor_) return changed_processor_;
    const auto found = files_.find(kProcessorFile);
    return found == files_.end() ? std::nullopt : read_object(found->second);
  }
  template <class Change>
  void change_processor(Change change) {
    const std::optional<nlohmann::json> before = processor();
    if (!before) return;
    nlohmann::json after = *before;
    change(after);
    if (after != *before) changed_processor_ = std::move(after);
  }

  void take_modules(const Taken& from) {
    const Companions modules = modules_of(from.directory);
    if (modules.files.empty()) return;
    if (const auto before = files_.find(kModulesFile); before != files_.end()) {
      const Companions old = modules_of(before->second.parent_path());
      for (const fs::path& name : old.files) files_.erase(name);
      for (const fs::path& name : old.folders) folders_.erase(name);
    }
    for (const fs::path& name : modules.files) files_[name] = from.directory / name;
    folders_.insert(modules.folders.begin(), modules.folders.end());
  }

  void note_left_out(const Taken& from, const std::map<fs::path, fs::path>& before,
                     std::vector<std::string>& notes) const {
    std::vector<std::string> gone;
    for (const auto& [name, path] : before)
      if (!files_.contains(name)) gone.push_back(printable(name.native()));
    if (!gone.empty())
      notes.push_back(fmt::format("{}: has its own in place of these files of {}, which are left out: {}", from.name,
                                  base_.name(), fmt::join(gone, ", ")));
  }

  const Model& base_;
  // State of the output:
  std::map<fs::path, fs::path> files_;  // source path by name
  std::set<fs::path> folders_;
  std::optional<nlohmann::json> changed_processor_;  // replaces the file
};

// Adds notes about token conflicts if the output has an adapter's tokenizer.
void note_conflicts(const Model& base, ConversionPlan& plan) {
  const bool has_new_tokenizer = std::ranges::any_of(plan.further_files, [](const auto& file) {
    const ProcessingPart part = processing_part(file.first);
    return part == ProcessingPart::vocabulary || part == ProcessingPart::tokenizer_settings;
  });
  if (!has_new_tokenizer || plan.config.empty()) return;
  const auto find = [&](const std::string& name) {
    const auto further = plan.further_files.find(name);
    if (further != plan.further_files.end()) return further->second;
    return plan.left_out.contains(name) ? fs::path() : base.path() / name;
  };
  for (const TokenConflict& conflict : token_conflicts(find, Config(plan.config, std::string(kConfigFile))))
    plan.notes.push_back(fmt::format("the output: {}", conflict.message));
}

}  // namespace

void choose_further_files(const MergedModel& base, ConversionPlan& plan) {
  if (!base.model().is_directory()) return;
  FurtherFiles files(base);
  for (const auto& [adapter, weight] : base.adapters())
    if (adapter->is_directory()) files.take(*adapter, plan.notes);
  std::move(files).put_into(plan);
  note_conflicts(base.model(), plan);
}

}  // namespace qfuse::checkpoint
