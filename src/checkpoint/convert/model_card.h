// README.md of a model: a card for people, and in YAML before it what the Hub reads: license, base model, tags.
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

// What a conversion makes of what a card says.
struct CardChanges {
  std::string base_model = {};             // on the Hub; "": unknown
  std::string relation = {};               // to it, in the Hub's words: "quantized"; "": none of them
  std::string library = {};                // that loads the model; "": unknown
  std::vector<std::string> tags = {};      // that are added
  std::vector<std::string> old_tags = {};  // that hold no longer
};

inline const std::vector<std::string> kTagsOfQuantized{
    "4-bit",    "4bit", "8-bit", "8bit",      "bitsandbytes", "bnb", "fp4",    "fp8", "float8", "compressed-tensors",
    "modelopt", "int8", "nf4",   "quantized", "gptq",         "awq", "autoawq"};

// `changes` with the library, "" if it is unknown, and with the model at `input` as the base if its name is known.
CardChanges card_changes(CardChanges changes, const std::filesystem::path& input, std::string_view library);

// What loads a model of that config, as the Hub calls it; "" if that is unknown.
std::string_view library_of(const std::optional<Config>& config);

// The card of the directory with those changes; all else stays as it is. None if nothing is to be said: there is no
// card, and no base model known; or if its YAML is not understood.
std::optional<std::string> changed_card(const std::filesystem::path& directory, const CardChanges& changes);

// Whether the card of the directory has that tag; false if there is no card.
bool has_tag(const std::filesystem::path& directory, std::string_view tag);

// A card of that text, with the changes, and what the old card says of license, language and use.
std::string new_card(const std::filesystem::path& directory, const CardChanges& changes, const std::string& text);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_MODEL_CARD_H
