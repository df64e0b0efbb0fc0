#include "checkpoint/files/tokenizer.h"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/files/processing.h"

namespace qfuse::checkpoint {
namespace {

using Json = nlohmann::json;

// Reads token ids from added_tokens[...] and model.vocab, which maps tokens to ids or, for Unigram, is an array of
// [token, score] pairs indexed by id. A SAX parser, because real files have 30 MB.
class TokenReader : public nlohmann::json_sax<Json> {
 public:
  explicit TokenReader(const std::set<std::string>& wanted) : wanted_(wanted) {}

  [[nodiscard]] TokenNumbers& numbers() { return numbers_; }

  bool null() override { return element(); }
  bool boolean(bool) override { return element(); }
  bool number_integer(number_integer_t value) override { return number(value); }
  bool number_unsigned(number_unsigned_t value) override {
    return number(static_cast<std::int64_t>(std::min<number_unsigned_t>(value, INT64_MAX)));
  }
  bool number_float(number_float_t, const string_t&) override { return element(); }
  bool string(string_t& value) override {
    if (is_added_token("content")) added_.text = value;
    const bool is_unigram = open_.size() == 4 && open_[2].is_array && is_in(0, "model") && is_in(1, "vocab");
    if (is_unigram && open_[3].is_array && open_[3].elements == 0) add(value, open_[2].elements - 1);
    return element();
  }
  bool binary(binary_t&) override { return element(); }
  bool start_object(std::size_t) override { return open(false); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(true); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    open_.back().key = name;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  struct Container {
    bool is_array = false;
    std::string key;            // key of its next value
    std::int64_t elements = 0;  // number of elements so far, of an array
  };
  struct AddedToken {
    std::string text;
    std::optional<std::int64_t> number;
  };

  [[nodiscard]] bool is_in(std::size_t depth, const char* key) const {
    return open_.size() > depth && open_[depth].key == key;
  }
  [[nodiscard]] bool is_vocabulary() const { return open_.size() == 3 && is_in(0, "model") && is_in(1, "vocab"); }
  [[nodiscard]] bool is_added_token(const char* field) const {
    return open_.size() == 3 && is_in(0, "added_tokens") && is_in(2, field);
  }

  void add(const std::string& token, std::int64_t number) {
    numbers_.largest = std::max(numbers_.largest.value_or(number), number);
    if (wanted_.contains(token)) numbers_.of[token] = number;
  }
  bool element() {
    if (open_.empty() || !open_.back().is_array) return true;
    if (is_vocabulary()) add("", open_.back().elements);
    ++open_.back().elements;
    return true;
  }
  bool number(std::int64_t value) {
    if (is_added_token("id")) added_.number = value;
    if (is_vocabulary() && !open_.back().is_array) add(open_.back().key, value);
    return element();
  }
  bool open(bool is_array) {
    element();
    constexpr std::size_t kDeepest = 100;
    open_.push_back({is_array, "", 0});
    return open_.size() <= kDeepest;
  }
  bool close() {
    if (open_.size() == 3 && is_in(0, "added_tokens")) {
      if (added_.number) add(added_.text, *added_.number);
      added_ = {};
    }
    open_.pop_back();
    return true;
  }

  const std::set<std::string>& wanted_;
  std::vector<Container> open_;
  AddedToken added_;
  TokenNumbers numbers_;
};

}  // namespace

TokenNumbers token_numbers(const std::filesystem::path& file, const std::set<std::string>& wanted) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return {};
  TokenReader reader(wanted);
  return Json::sax_parse(stream, &reader) ? std::move(reader.numbers()) : TokenNumbers{};
}

std::optional<std::int64_t> largest_token(const std::filesystem::path& directory) {
  return token_numbers(directory / kTokenizerFile, {}).largest;
}

}  // namespace qfuse::checkpoint
