#include "checkpoint/files/processing.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "checkpoint/files/errors.h"
#include "checkpoint/files/file.h"
#include "checkpoint/files/json.h"

namespace qfuse::checkpoint {
namespace {

namespace fs = std::filesystem;

// VOCAB_FILES_NAMES of transformers' tokenizers; kNames has those without one of the prefixes or suffixes below.
bool is_vocabulary(std::string_view name) {
  constexpr std::array<std::string_view, 12> kNames{
      "bpe.codes",         "byte_maps.json",       "dict.txt",        "emoji.json",
      "entity_vocab.json", "merges.txt",           "normalizer.json", "tekken.json",
      "target_vocab.json", "prophetnet.tokenizer", "word_shape.json", "word_pronunciation.json"};
  constexpr std::array<std::string_view, 3> kBeginnings{"tokenizer", "vocab", "sentencepiece"};
  constexpr std::array<std::string_view, 3> kEndings{".model", ".spm", ".tiktoken"};
  return std::ranges::find(kNames, name) != kNames.end() ||
         std::ranges::any_of(kBeginnings, [&](std::string_view it) { return name.starts_with(it); }) ||
         std::ranges::any_of(kEndings, [&](std::string_view it) { return name.ends_with(it); });
}

bool is_settings(std::string_view name) {
  constexpr std::array<std::string_view, 3> kNames{kTokenizerConfigFile, kTokensMapFile, "added_tokens.json"};
  return std::ranges::find(kNames, name) != kNames.end();
}

bool is_template(std::string_view name) { return name.starts_with(kTemplateField); }

bool is_processor(std::string_view name) {
  return name == kProcessorFile ||
         std::ranges::any_of(kProcessorParts, [&](const ProcessorPart& part) { return name == part.file; });
}

// Such as tokenization_internlm2.py, processing_phi3_v.py, image_processing_minicpmv.py.
bool is_code(std::string_view name) {
  return name.ends_with(".py") && (name.find("tokeniz") != name.npos || name.find("process") != name.npos);
}

}  // namespace

ProcessingPart processing_part(const fs::path& name) {
  const std::string& text = name.native();
  if (name.has_parent_path())
    return *name.begin() == kTemplatesFolder ? ProcessingPart::chat_template : ProcessingPart::none;
  if (is_code(text)) return ProcessingPart::code;
  if (is_settings(text)) return ProcessingPart::tokenizer_settings;
  if (is_template(text)) return ProcessingPart::chat_template;
  if (is_processor(text)) return ProcessingPart::processor;
  return is_vocabulary(text) ? ProcessingPart::vocabulary : ProcessingPart::none;
}

std::optional<nlohmann::json> read_object(const fs::path& file) {
  constexpr std::int64_t kLongest = 16 << 20;  // bytes; a tokenizer_config.json with all added tokens has a million
  constexpr std::size_t kMostKeys = 1'000'000;
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return std::nullopt;
  try {
    auto json = parse_json<nlohmann::json>(read_text(file, kLongest), shown(file), kMostKeys);
    return json.is_object() ? std::optional(std::move(json)) : std::nullopt;
  } catch (const Error& failure) {
    if (failure.status() != Status::invalid_data) throw;
    return std::nullopt;
  }
}

bool has_value(const std::optional<nlohmann::json>& object, std::string_view field) {
  if (!object) return false;
  const auto found = object->find(field);
  return found != object->end() && !found->is_null();
}

}  // namespace qfuse::checkpoint
