// Of the files of a model's directory, those that turn text, pictures and sound into the model's input: what
// transformers' AutoTokenizer and AutoProcessor read. Told by their names.
#ifndef QFUSE_CHECKPOINT_FILES_PROCESSING_H
#define QFUSE_CHECKPOINT_FILES_PROCESSING_H

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace qfuse::checkpoint {

inline constexpr const char* kTokenizerFile = "tokenizer.json";
inline constexpr const char* kTokenizerConfigFile = "tokenizer_config.json";
inline constexpr const char* kTokensMapFile = "special_tokens_map.json";  // wins over the config, where that is old
inline constexpr const char* kTemplateFile = "chat_template.jinja";
inline constexpr const char* kTemplatesFolder = "additional_chat_templates";
inline constexpr const char* kOldProcessorTemplateFile =
    "chat_template.json";  // which a processor alone reads, and first
inline constexpr const char* kProcessorFile = "processor_config.json";
inline constexpr const char* kTemplateField = "chat_template";

enum class ProcessingPart {
  none,
  vocabulary,          // of a tokenizer: tokenizer.json, vocab.txt, tokenizer.model
  tokenizer_settings,  // tokenizer_config.json, and what older versions wrote beside it
  chat_template,       // also a file in kTemplatesFolder
  processor,
  code,  // of a tokenizer's or processor's own class
};

// `name`: within the directory.
ProcessingPart processing_part(const std::filesystem::path& name);

// A part of a processor: a file of its own, or, as transformers 5 writes it, a field of kProcessorFile, which wins.
struct ProcessorPart {
  std::string_view field;
  std::string_view file;
};
inline constexpr std::array kProcessorParts{ProcessorPart{"image_processor", "preprocessor_config.json"},
                                            ProcessorPart{"feature_extractor", "preprocessor_config.json"},
                                            ProcessorPart{"video_processor", "video_preprocessor_config.json"},
                                            ProcessorPart{"audio_tokenizer", "audio_tokenizer_config.json"}};

// The object in a small JSON file; none where there is no such file, or it is none that a library could read.
std::optional<nlohmann::json> read_object(const std::filesystem::path& file);

// Whether an object has a field that is not null.
bool has_value(const std::optional<nlohmann::json>& object, std::string_view field);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_PROCESSING_H
