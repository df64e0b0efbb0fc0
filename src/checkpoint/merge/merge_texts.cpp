#include "checkpoint/merge/merge_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <system_error>
#include <vector>

#include "checkpoint/files/errors.h"
#include "checkpoint/files/tokenizer.h"
#include "checkpoint/merge/find_base.h"
#include "checkpoint/merge/further_files.h"
#include "checkpoint/merge/left_behind.h"

namespace qfuse::checkpoint {
namespace {

namespace fs = std::filesystem;

// Adds a note about divided matrices, whose parts have scales of their own in training.
void note_divided(const MergedModel& base, std::vector<std::string>& notes) {
  const auto count = std::ranges::count_if(
      base.tensors(), [&](const Tensor& tensor) { return base.families().is_divided(tensor.name); });
  if (count > 0)
    notes.push_back(
        fmt::format("{}: transformers divides or joins {} matrices as it loads a '{}'; these are taken in 16 bits, "
                    "where training may have seen them in 4: merge onto the 4-bit model that it saved",
                    base.model().name(), count, printable(base.families().name())));
}

// Adds notes about what are probably mistakes.
void note_adapters(const MergedModel& base, std::vector<std::string>& notes) {
  std::string with_tokenizer;
  const std::int64_t tokens = base.rules().tokens;
  std::ranges::copy(base.rules().notes, std::back_inserter(notes));
  for (const auto& [adapter, weight] : base.adapters()) {
    if (adapter->adds_nothing())
      notes.push_back(fmt::format("{}: every lora_B is zero: it adds nothing", adapter->name()));
    const std::optional<std::int64_t> largest = largest_token(adapter->path());
    if (!largest) continue;
    if (tokens > 0 && *largest >= tokens)
      notes.push_back(
          fmt::format("{}: its tokenizer has tokens up to {}, and the model {} rows for them: was the embedding "
                      "resized, and not saved?",
                      adapter->name(), *largest, tokens));
    if (!with_tokenizer.empty())
      notes.push_back(
          fmt::format("{}: has a tokenizer, and so has {}: the last one's is taken", adapter->name(), with_tokenizer));
    with_tokenizer = adapter->name();
  }
}

// Adds a note for an adapter that is given twice: it is also added twice, which may be a mistake.
void note_twice(const MergedModel& base, std::vector<std::string>& notes) {
  const auto& adapters = base.adapters();
  std::error_code error;
  for (std::size_t i = 0; i < adapters.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (fs::equivalent(adapters[i].adapter->path(), adapters[j].adapter->path(), error)) {
        notes.push_back(fmt::format("{}: is given twice, and added twice", adapters[i].adapter->name()));
        break;
      }
}

std::string_view target_of(const MergeOptions& options) {
  return options.to_4bit ? name_of(*options.to_4bit) : options.to_blocks ? name_of(*options.to_blocks) : "16 bits";
}

std::string described(const TrainedMerge& merge) {
  const std::string blocks = merge.blocksize == 0 ? ""
                                                  : fmt::format(", in blocks of {}{}", merge.blocksize,
                                                                merge.double_quant ? ", double_quant" : "");
  return fmt::format("{} from a base in {}{}{}", printable(merge.to), merge.from_4bit ? "4 bits" : "16 bits", blocks,
                     merge.keep_scales ? ", keep_scales" : "");
}

void note_training(const MergedModel& base, const MergeOptions& options, std::vector<std::string>& notes) {
  const bool is_for_it = is_trained_for(base, options);
  for (const auto& [adapter, weight] : base.adapters())
    if (const std::optional<TrainedMerge>& trained = adapter->config().trained_for(); trained)
      notes.push_back(fmt::format("{}: was trained for a merge to {}{}", adapter->name(), described(*trained),
                                  is_for_it ? ", which this is: what is left of it in codes is what it was trained with"
                                            : ", and this is another"));
}

std::string readme(const MergedModel& base, const std::string& seen) {
  std::string text = fmt::format(
      "# Merged model\n\nMade by qfuse {} of a base and {} LoRA adapter{}; merged weights are base + scale * B * A, "
      "rounded once.\n\n"
      "| what | where from | weight |\n|---|---|---|\n| base | {}{} | |\n",
      qfuse_version(), base.adapters().size(), base.adapters().size() == 1 ? "" : "s", spoken_name(base.model().path()),
      seen);
  for (const auto& [adapter, weight] : base.adapters()) {
    const std::string& trained_on = adapter->config().base_model();
    text += fmt::format("| adapter | {}{} | {} |\n", spoken_name(adapter->path()),
                        trained_on.empty() ? "" : ", trained on " + printable(trained_on), weight);
  }
  return text + fmt::format("\n{} tensors were changed.{}\n", base.rules().changes.size(),
                            base.rules().unties ? " The output head is no longer tied to the embedding." : "");
}

}  // namespace

bool is_trained_for(const MergedModel& base, const MergeOptions& options) {
  if (base.adapters().size() != 1) return false;
  const auto& [adapter, weight] = base.adapters().front();
  const std::optional<TrainedMerge>& trained = adapter->config().trained_for();
  if (!trained || weight != 1.0 || trained->to != target_of(options)) return false;
  const bool is_4bit = base.is_4bit() || options.base_as || options.to_blocks == BlockFormat::mxfp4;
  if (trained->from_4bit != is_4bit || options.ue8m0 || options.keep_scales != trained->keep_scales) return false;
  const bool chooses_blocks = !base.is_4bit() && trained->blocksize != 0;
  return !chooses_blocks || (trained->blocksize == static_cast<double>(options.blocksize) &&
                             trained->double_quant == options.double_quant);
}

void describe(const MergedModel& base, const MergeOptions& options, const CardChanges& changes, ConversionPlan& plan) {
  std::string adapters;
  for (const auto& [adapter, weight] : base.adapters())
    adapters += fmt::format("{}{}@{}", adapters.empty() ? "" : ", ", spoken_name(adapter->path()), weight);
  const std::string seen = options.base_as ? fmt::format(" as {}", name_of(*options.base_as)) : "";
  plan.metadata = {
      {kMergeMetadata, fmt::format("base {}{}; adapters {}", spoken_name(base.model().path()), seen, adapters)}};
  note_other_base(base, options.base_as.has_value(), plan.notes);
  if (options.base_as) note_divided(base, plan.notes);
  note_adapters(base, plan.notes);
  note_left_behind(base, plan.notes);
  note_twice(base, plan.notes);
  note_training(base, options, plan.notes);
  choose_further_files(base, plan);
  if (!base.rules().other_tied.empty() && !base.rules().unties)
    plan.notes.push_back(fmt::format(
        "{}: its config.json ties '{}', which has values of its own: transformers 5 uses them, transformers 4, vLLM "
        "and llama.cpp the embedding's: set tie_word_embeddings to false if they were trained",
        base.model().name(), printable(base.rules().other_tied)));
  if (base.rules().unties && base.rules().untie_fields.empty())
    plan.notes.push_back(fmt::format(
        "{}: no field of its config says that tensors are no longer tied: transformers 5 sees it, 4 does not",
        base.model().name()));
  if (!base.model().is_directory()) return;
  const fs::path& path = base.model().path();
  plan.texts[kCardFile] = new_card(path, card_changes(changes, path, library_of(base.config())), readme(base, seen));
}

}  // namespace qfuse::checkpoint
