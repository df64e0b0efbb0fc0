#include "checkpoint/files/tokenizer.h"

#include <optional>
#include <string>

#include "support.h"

namespace qfuse::checkpoint {
namespace {

std::optional<std::int64_t> largest_in(const std::string& text) {
  const TemporaryDirectory directory;
  write_file(directory / "tokenizer.json", text);
  return largest_token(directory / "");
}

TEST(Tokenizer, the_largest_token_is_one_of_the_vocabulary_or_was_added) {
  EXPECT_EQ(largest_in(R"({"model": {"type": "BPE", "vocab": {"a": 0, "b": 7, "c": 3}, "merges": ["a b"]}})"), 7);
  EXPECT_EQ(largest_in(R"({"added_tokens": [{"id": 9, "content": "<s>"}, {"id": 4}], "model": {"vocab": {"a": 7}}})"),
            9);
  EXPECT_EQ(largest_in(R"({"model": {"type": "Unigram", "vocab": [["a", 0.5], ["b", -1], ["c", -2]]}})"), 2);
}

TEST(Tokenizer, tokens_have_the_numbers_that_the_file_gives_them) {
  const TemporaryDirectory directory;
  using Numbers = std::map<std::string, std::int64_t>;
  const auto numbers_in = [&](const std::string& text) {
    write_file(directory / "tokenizer.json", text);
    return token_numbers(directory / "tokenizer.json", {"a", "</s>", "id"}).of;
  };
  EXPECT_EQ(numbers_in(R"({"added_tokens": [{"id": 9, "content": "</s>"}, {"content": "a", "id": 4}, {"id": 5}],
                           "model": {"vocab": {"b": 1}}})"),
            (Numbers{{"</s>", 9}, {"a", 4}}));
  EXPECT_EQ(numbers_in(R"({"model": {"vocab": {"a": 7, "b": 1}, "x": {"id": 3}}, "content": "</s>"})"),
            (Numbers{{"a", 7}}));
  EXPECT_EQ(numbers_in(R"({"model": {"vocab": [["b", 0.5], ["a", -1], ["c", "</s>"]]}})"), (Numbers{{"a", 1}}));
  EXPECT_EQ(numbers_in("{"), Numbers());
}

// No other number in the file is mistaken for a token.
TEST(Tokenizer, other_numbers_are_no_tokens) {
  EXPECT_EQ(largest_in(R"({"id": 5, "vocab": {"a": 8}, "model": {"dropout": 9, "vocab": {"a": 1}, "x": {"y": 99}},
                           "post_processor": {"special_tokens": {"<s>": {"id": 77, "ids": [88]}}}, "version": "1.0"})"),
            1);
  for (const char* text : {"", "{", "[]", "{}", R"({"model": {"vocab": {"a": 1})", R"({"model": {"vocab": {}}})",
                           R"({"added_tokens": {"id": 3}})", "\xff"})
    EXPECT_EQ(largest_in(text), std::nullopt) << text;
  EXPECT_EQ(largest_in(std::string(100'000, '[')), std::nullopt);
  const TemporaryDirectory directory;
  EXPECT_EQ(largest_token(directory / "none"), std::nullopt);
}

}  // namespace
}  // namespace qfuse::checkpoint
