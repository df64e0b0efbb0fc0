#include "checkpoint/files/tokenizer.h"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace qfuse::checkpoint {
namespace {

using Json = nlohmann::json;

// Reads added_tokens[...].id and model.vocab, an object of numbers or, of Unigram, an array by number: token by token,
// because real files have 30 MB.
class LargestToken : public nlohmann::json_sax<Json> {
 public:
  [[nodiscard]] std::optional<std::int64_t> largest() const { return largest_; }

  bool null() override { return element(); }
  bool boolean(bool) override { return element(); }
  bool number_integer(number_integer_t value) override { return number(value); }
  bool number_unsigned(number_unsigned_t value) override {
    return number(static_cast<std::int64_t>(std::min<number_unsigned_t>(value, INT64_MAX)));
  }
  bool number_float(number_float_t, const string_t&) override { return element(); }
  bool string(string_t&) override { return element(); }
  bool binary(binary_t&) override { return element(); }
  bool start_object(std::size_t) override { return open(false); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(true); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    open_.back().key = name;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    largest_ = std::nullopt;
    return false;
  }

 private:
  struct Container {
    bool is_array = false;
    std::string key;            // that its next value has
    std::int64_t elements = 0;  // of an array, so far
  };

  [[nodiscard]] bool is_in(std::size_t depth, const char* key) const {
    return open_.size() > depth && open_[depth].key == key;
  }
  [[nodiscard]] bool is_vocabulary() const { return open_.size() == 3 && is_in(0, "model") && is_in(1, "vocab"); }

  void add(std::int64_t token) { largest_ = std::max(largest_.value_or(token), token); }
  bool element() {
    if (open_.empty() || !open_.back().is_array) return true;
    if (is_vocabulary()) add(open_.back().elements);
    ++open_.back().elements;
    return true;
  }
  bool number(std::int64_t value) {
    const bool is_added = open_.size() == 3 && is_in(0, "added_tokens") && is_in(2, "id");
    if (is_added || (is_vocabulary() && !open_.back().is_array)) add(value);
    return element();
  }
  bool open(bool is_array) {
    element();
    constexpr std::size_t kDeepest = 100;
    open_.push_back({is_array, "", 0});
    return open_.size() <= kDeepest;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  std::vector<Container> open_;
  std::optional<std::int64_t> largest_;
};

}  // namespace

std::optional<std::int64_t> largest_token(const std::filesystem::path& directory) {
  std::ifstream file(directory / "tokenizer.json", std::ios::binary);
  if (!file) return std::nullopt;
  LargestToken reader;
  if (!Json::sax_parse(file, &reader)) return std::nullopt;
  return reader.largest();
}

}  // namespace qfuse::checkpoint
