#include "checkpoint/convert/model_card.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <system_error>
#include <utility>

#include "checkpoint/files/file.h"
#include "checkpoint/files/hub.h"

namespace qfuse::checkpoint {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFence = "---";

// A top-level YAML key with its value, as lines of text.
struct Field {
  std::string key;
  std::string text;
};

// Takes the next line off `text` and returns it without its line end.
std::string_view next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// Returns the key of a line that begins a field, or "" for any other line.
std::string_view key_of(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == line.npos || colon == 0 || (colon + 1 < line.size() && line[colon + 1] != ' ')) return "";
  const std::string_view key = line.substr(0, colon);
  const auto is_plain = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; };
  return std::ranges::all_of(key, is_plain) && key.front() != '-' ? key : "";
}

class Card {
 public:
  // Returns nullopt for YAML in a style that people and tools do not use for model cards.
  static std::optional<Card> parse(std::string_view text) {
    Card card;
    std::string_view rest = text;
    if (next_line(rest) != kFence) return Card(std::string(text));
    while (!rest.empty()) {
      const std::string_view line = next_line(rest);
      if (line == kFence) {
        card.body_ = rest;
        return card;
      }
      if (!card.add_line(line)) return std::nullopt;
    }
    return Card(std::string(text));  // a horizontal rule above the text, and no YAML
  }

  explicit Card(std::string body = "") : body_(std::move(body)) {}

  [[nodiscard]] bool has(std::string_view key) const { return find(key) != fields_.end(); }

  void set(const std::string& key, std::string text) {
    const auto found = std::ranges::find(fields_, key, &Field::key);
    if (found != fields_.end())
      found->text = std::move(text);
    else
      fields_.push_back({key, std::move(text)});
  }

  void remove(std::string_view key) {
    std::erase_if(fields_, [&](const Field& field) { return field.key == key; });
  }

  void change(const CardChanges& changes) {
    if (!changes.base_model.empty()) {
      set("base_model", fmt::format("base_model: {}\n", changes.base_model));
      remove("base_model_relation");
      if (!changes.relation.empty())
        set("base_model_relation", fmt::format("base_model_relation: {}\n", changes.relation));
    }
    if (!changes.library.empty() && !has("library_name"))
      set("library_name", fmt::format("library_name: {}\n", changes.library));
    if (std::optional<std::vector<std::string>> tags = items("tags")) {
      std::erase_if(*tags, [&](const std::string& tag) { return holds(changes.old_tags, tag); });
      for (const std::string& tag : changes.tags)
        if (!holds(*tags, tag)) tags->push_back(tag);
      std::string text = "tags:\n";
      for (const std::string& tag : *tags) text += fmt::format("- {}\n", tag);
      tags->empty() ? remove("tags") : set("tags", text);
    }
  }

  [[nodiscard]] bool has_tag(std::string_view tag) const {
    constexpr std::string_view kBetween = " \t\r\n,[]\"'";
    const auto found = find("tags");
    if (found == fields_.end()) return false;
    std::string_view rest = found->text;
    for (std::size_t begin = 0; (begin = rest.find_first_not_of(kBetween)) != rest.npos;) {
      rest.remove_prefix(begin);
      const std::string_view word = rest.substr(0, rest.find_first_of(kBetween));
      if (word == tag) return true;
      rest.remove_prefix(word.size());
    }
    return false;
  }

  void take(const Card& other, std::string_view key) {
    if (const auto found = other.find(key); found != other.fields_.end()) set(found->key, found->text);
  }

  [[nodiscard]] std::string text() const {
    if (fields_.empty()) return body_;
    std::string text = fmt::format("{}\n", kFence);
    for (const Field& field : fields_) text += field.text;
    return fmt::format("{}{}\n{}", text, kFence, body_);
  }

 private:
  static bool holds(const std::vector<std::string>& words, const std::string& word) {
    return std::ranges::find(words, word) != words.end();
  }

  [[nodiscard]] std::vector<Field>::const_iterator find(std::string_view key) const {
    return std::ranges::find(fields_, key, &Field::key);
  }

  // Returns whether it understands the line: a field's first line, or a further one (indented, item, comment).
  bool add_line(std::string_view line) {
    const std::string_view key = key_of(line);
    const bool is_further = line.empty() || line.front() == ' ' || line.front() == '#' || line.starts_with("- ");
    if (key.empty() && !is_further) return false;
    if (!key.empty() && has(key)) return false;
    if (!key.empty() || fields_.empty()) fields_.push_back({std::string(key), ""});
    fields_.back().text += fmt::format("{}\n", line);
    return true;
  }

  // Returns the words of a list, "[a, b]" or one per line; empty without the field, nullopt for other values.
  [[nodiscard]] std::optional<std::vector<std::string>> items(std::string_view key) const {
    std::vector<std::string> words;
    const auto found = find(key);
    if (found == fields_.end()) return words;
    std::string_view rest = found->text;
    std::string_view first = trimmed(next_line(rest).substr(key.size() + 1));
    if (first.starts_with('[') && first.ends_with(']') && trimmed(rest).empty()) {
      first = first.substr(1, first.size() - 2);
      for (std::size_t comma = 0; !trimmed(first).empty(); first.remove_prefix(comma)) {
        comma = std::min(first.find(','), first.size());
        words.emplace_back(trimmed(first.substr(0, comma)));
        comma = std::min(comma + 1, first.size());
      }
    } else if (first.empty()) {
      while (!rest.empty()) {
        const std::string_view line = trimmed(next_line(rest));
        if (!line.starts_with("- ")) return std::nullopt;
        words.emplace_back(trimmed(line.substr(2)));
      }
    } else {
      return std::nullopt;
    }
    const auto is_word = [](const std::string& word) {  // a word without quotes, comments or anchors
      return !word.empty() && word.find_first_of("\"'#&*!|>{}[]%@`,") == word.npos && word.find(": ") == word.npos;
    };
    if (!std::ranges::all_of(words, is_word)) return std::nullopt;
    return words;
  }

  static std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    return begin == text.npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
  }

  std::vector<Field> fields_;
  std::string body_;
};

std::optional<std::string> read_card(const fs::path& directory) {
  constexpr std::int64_t kLongest = 1 << 20;  // bytes; real cards have a few thousand
  const fs::path file = directory / kCardFile;
  std::error_code error;
  if (!fs::is_regular_file(file, error) || fs::file_size(file, error) > kLongest) return std::nullopt;
  return read_text(file, kLongest);
}

}  // namespace

CardChanges card_changes(CardChanges changes, const fs::path& input, std::string_view library) {
  changes.library = library;
  if (const std::optional<HubModel> model = cached_model(input)) changes.base_model = model->id;
  return changes;
}

std::string_view library_of(const std::optional<Config>& config) {
  if (!config) return "";
  if (config->is_of_diffusers()) return "diffusers";
  return config->class_name().empty() ? "" : "transformers";
}

std::optional<std::string> changed_card(const fs::path& directory, const CardChanges& changes) {
  std::error_code error;
  const std::optional<std::string> text = read_card(directory);
  if (!text && (changes.base_model.empty() || fs::exists(directory / kCardFile, error))) return std::nullopt;
  std::optional<Card> card = Card::parse(text.value_or(""));
  if (!card) return std::nullopt;
  card->change(changes);
  return card->text();
}

bool has_tag(const fs::path& directory, std::string_view tag) {
  const std::optional<std::string> text = read_card(directory);
  const std::optional<Card> card = text ? Card::parse(*text) : std::nullopt;
  return card && card->has_tag(tag);
}

std::string new_card(const fs::path& directory, const CardChanges& changes, const std::string& text) {
  constexpr std::array<std::string_view, 5> kKept{"license", "license_name", "license_link", "language",
                                                  "pipeline_tag"};
  Card card(text);
  if (const std::optional<Card> old = Card::parse(read_card(directory).value_or("")))
    for (const std::string_view key : kKept) card.take(*old, key);
  card.change(changes);
  return card.text();
}

}  // namespace qfuse::checkpoint
