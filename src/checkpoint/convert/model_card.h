// README.md of a model: a card for people, preceded by YAML that the Hub reads: license, base model, tags.
#ifndef QFUSE_CHECKPOINT_CONVERT_MODEL_CARD_H
#define QFUSE_CHECKPOINT_CONVERT_MODEL_CARD_H

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/files/config.h"

namespace qfuse::checkpoint {

inline constexpr const char* kCardFile = "README.md";

// Changes that a conversion makes to a model card.
struct CardChanges {
  std::string base_model = {};             // id on the Hub; "": unknown
  std::string relation = {};               // to base_model, in the Hub's words: "quantized"; "": none
  std::string library = {};                // library that loads the model; "": unknown
  std::vector<std::string> tags = {};      // added
  std::vector<std::string> old_tags = {};  // removed, because they no longer apply
};

inline const std::vector<std::string> kTagsOfQuantized{
    "4-bit",    "4bit", "8-bit", "8bit",      "bitsandbytes", "bnb", "fp4",    "fp8", "float8", "compressed-tensors",
    "modelopt", "int8", "nf4",   "quantized", "gptq",         "awq", "autoawq"};

// Returns `changes` with the library ("" if unknown), and with the model at `input` as the base if its name is known.
CardChanges card_changes(CardChanges changes, const std::filesystem::path& input, std::string_view library);

// Returns the Hub's name of the library that loads a model with this config; "" if unknown.
std::string_view library_of(const std::optional<Config>& config);

// Returns the directory's card with the changes; the rest stays as it is. Returns nullopt if there is neither a card
// nor a known base model, or if the card's YAML is not understood.
std::optional<std::string> changed_card(const std::filesystem::path& directory, const CardChanges& changes);

// Whether the directory's card has the tag; false without a card.
bool has_tag(const std::filesystem::path& directory, std::string_view tag);

// Returns a card with `text`, the changes, and the old card's license, language and pipeline tag.
std::string new_card(const std::filesystem::path& directory, const CardChanges& changes, const std::string& text);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_MODEL_CARD_H
