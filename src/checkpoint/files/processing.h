// Recognizes, by name, the files of a model directory that turn text, images and audio into model input: those that
// transformers' AutoTokenizer and AutoProcessor read.
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
inline constexpr const char* kTokensMapFile = "special_tokens_map.json";  // wins over the config if the config is old
inline constexpr const char* kTemplateFile = "chat_template.jinja";
inline constexpr const char* kTemplatesFolder = "additional_chat_templates";
inline constexpr const char* kOldProcessorTemplateFile =
    "chat_template.json";  // only processors read it, and they read it first
inline constexpr const char* kProcessorFile = "processor_config.json";
inline constexpr const char* kTemplateField = "chat_template";

enum class ProcessingPart {
  none,
  vocabulary,          // of a tokenizer: tokenizer.json, vocab.txt, tokenizer.model
  tokenizer_settings,  // tokenizer_config.json, and files that older versions wrote beside it
  chat_template,       // also a file in kTemplatesFolder
  processor,
  code,  // Python code of a tokenizer or processor class
};

// `name`: path within the directory.
ProcessingPart processing_part(const std::filesystem::path& name);

// A part of a processor: a separate file, or, from transformers 5, a field of kProcessorFile, which wins.
struct ProcessorPart {
  std::string_view field;
  std::string_view file;
};
inline constexpr std::array kProcessorParts{ProcessorPart{"image_processor", "preprocessor_config.json"},
                                            ProcessorPart{"feature_extractor", "preprocessor_config.json"},
                                            ProcessorPart{"video_processor", "video_preprocessor_config.json"},
                                            ProcessorPart{"audio_tokenizer", "audio_tokenizer_config.json"}};

// Returns the object in a small JSON file; nullopt if the file does not exist or is no valid JSON object.
std::optional<nlohmann::json> read_object(const std::filesystem::path& file);

// Whether the object has this field with a value other than null.
bool has_value(const std::optional<nlohmann::json>& object, std::string_view field);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_PROCESSING_H
