#include "checkpoint/files/special_tokens.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

#include "checkpoint/files/errors.h"
#include "checkpoint/files/file.h"
#include "checkpoint/files/processing.h"
#include "checkpoint/files/tokenizer.h"

namespace qfuse::checkpoint {
namespace {

using Json = nlohmann::json;
using Numbers = std::vector<std::int64_t>;

// Returns a special token in a tokenizer's settings: a string, or an object with "content"; "" if there is none.
std::string text_in(const std::optional<Json>& settings, const std::string& field) {
  if (!has_value(settings, field)) return "";
  const Json& token = settings->at(field);
  const bool is_object = token.is_object() && token.contains("content");
  const Json& text = is_object ? token.at("content") : token;
  return text.is_string() ? text.get<std::string>() : "";
}

struct SpecialToken {
  std::string text;
  std::optional<std::int64_t> number;

  [[nodiscard]] std::string said() const { return fmt::format("'{}', {}", printable(text), *number); }
};

class TokenFiles {
 public:
  TokenFiles(const FindFile& find, const Config& config)
      : settings_(read_object(find(kTokenizerConfigFile))),
        map_(read_object(find(kTokensMapFile))),
        generation_(read_object(find(kGenerationFile))),
        template_(template_in(find(kTemplateFile))),
        config_(config) {
    std::set<std::string> wanted;
    for (const char* kind : {"eos", "pad"}) wanted.insert(counting(kind));
    numbers_ = token_numbers(find(kTokenizerFile), wanted).of;
    if (has_value(settings_, kDecoder) && settings_->at(kDecoder).is_object()) add_numbers(settings_->at(kDecoder));
  }

  [[nodiscard]] std::vector<TokenConflict> conflicts() && {
    for (const char* kind : {"eos", "pad"}) compare_settings(kind);
    const std::optional<SpecialToken> eos = token("eos");
    const std::optional<SpecialToken> pad = token("pad");
    const Numbers ends = in_model("eos");
    if (eos && !ends.empty() && !holds(ends, *eos->number) && !ends_turns_otherwise(*eos))
      add(config_.has_architecture("ForCausalLM"),
          fmt::format("the tokenizer ends a text with {}, and {} has eos_token_id {}: generation would not stop there",
                      eos->said(), where("eos"), fmt::join(ends, ", ")));
    if (pad) compare_padding(*pad, eos, ends);
    return std::move(conflicts_);
  }

 private:
  static constexpr const char* kDecoder = "added_tokens_decoder";

  static bool holds(const Numbers& numbers, std::int64_t one) {
    return std::ranges::find(numbers, one) != numbers.end();
  }

  void add(bool is_harmful, std::string message) { conflicts_.push_back({is_harmful, std::move(message)}); }

  // Whether this field exists: then transformers since 4.34 ignores special_tokens_map.json; otherwise that file wins.
  [[nodiscard]] bool has_decoder() const { return has_value(settings_, kDecoder); }

  // Returns the text of the token that takes effect.
  [[nodiscard]] std::string counting(const std::string& kind) const {
    const std::string of_map = text_in(map_, kind + "_token");
    return has_decoder() || of_map.empty() ? text_in(settings_, kind + "_token") : of_map;
  }

  // Returns the chat template; a file wins over the settings.
  [[nodiscard]] std::string template_in(const std::filesystem::path& file) const {
    constexpr std::int64_t kLongest = 16 << 20;  // bytes; real ones have thousands
    if (std::error_code error; std::filesystem::is_regular_file(file, error)) return read_text(file, kLongest);
    if (!has_value(settings_, kTemplateField)) return "";
    const Json& stated = settings_->at(kTemplateField);  // a string, or a list of named templates
    return stated.is_string() ? stated.get<std::string>() : stated.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  // Whether chat turns end with another token than eos, as in some published chat models, where generation does stop.
  [[nodiscard]] bool ends_turns_otherwise(const SpecialToken& eos) const {
    const auto has = [&](std::string_view part) { return template_.find(part) != template_.npos; };
    return !template_.empty() && !has(eos.text) && !has("eos_token");
  }

  void compare_settings(const std::string& kind) {
    const std::string one = text_in(settings_, kind + "_token");
    const std::string other = text_in(map_, kind + "_token");
    if (one.empty() || other.empty() || one == other) return;
    add(!has_decoder(),
        fmt::format(
            "{}_token is '{}' in {} and '{}' in {}: {} wins in transformers, other libraries may take the other", kind,
            printable(one), kTokenizerConfigFile, printable(other), kTokensMapFile,
            has_decoder() ? "the first" : "the second"));
  }

  void add_numbers(const Json& decoder) {
    for (const auto& [number, token] : decoder.items()) {
      const std::string text = text_in(Json{{"token", token}}, "token");
      const bool is_number =
          !number.empty() && number.size() < 10 && number.find_first_not_of("0123456789") == number.npos;
      if (!text.empty() && is_number) numbers_.try_emplace(text, std::stoll(number));
    }
  }

  // Returns nullopt if the files do not show the token's id.
  [[nodiscard]] std::optional<SpecialToken> token(const std::string& kind) const {
    const std::string text = counting(kind);
    const auto found = numbers_.find(text);
    if (text.empty() || found == numbers_.end()) return std::nullopt;
    return SpecialToken{text, found->second};
  }

  // Returns the file that counts: transformers uses config.json only if there is no generation_config.json.
  [[nodiscard]] const char* where(const std::string& kind) const {
    const bool is_asked = kind == "pad" && is_classifier();
    return generation_ && !is_asked ? kGenerationFile : kConfigFile.data();
  }
  [[nodiscard]] Numbers in_model(const std::string& kind) const {
    const std::string field = kind + "_token_id";
    if (where(kind) == kConfigFile) {
      const Numbers numbers = config_.numbers(field);
      return numbers.empty() ? config_.numbers("text_config." + field) : numbers;
    }
    return has_value(generation_, field) ? numbers_in(generation_->at(field)) : Numbers{};
  }

  // Whether it is a classifier, which finds the end of a text by the padding token's id.
  [[nodiscard]] bool is_classifier() const { return config_.has_architecture("ForSequenceClassification"); }

  void compare_padding(const SpecialToken& pad, const std::optional<SpecialToken>& eos, const Numbers& ends) {
    const Numbers padding = in_model("pad");
    if (padding.empty() || holds(padding, *pad.number)) return;
    const bool is_end = holds(ends, padding.front()) || (eos && eos->number == padding.front());
    if (is_end && !is_classifier()) return;
    add(is_classifier(), fmt::format("the tokenizer fills up with {}, and {} has pad_token_id {}", pad.said(),
                                     where("pad"), fmt::join(padding, ", ")));
  }

  std::optional<Json> settings_;
  std::optional<Json> map_;
  std::optional<Json> generation_;
  std::string template_;
  const Config& config_;
  std::map<std::string, std::int64_t> numbers_;
  std::vector<TokenConflict> conflicts_;
};

}  // namespace

std::vector<TokenConflict> token_conflicts(const FindFile& find, const Config& config) {
  return TokenFiles(find, config).conflicts();
}

}  // namespace qfuse::checkpoint
