#include "checkpoint/files/name_pattern.h"

#include <gtest/gtest.h>

#include <chrono>
#include <initializer_list>
#include <string>

#include "checkpoint/support.h"

namespace qfuse::checkpoint {
namespace {

// The expected answers come from `re` of Python 3.11.
TEST(NamePattern, fits_as_in_python) {
  struct Row {
    const char* expression;
    const char* name;
    bool match, search;
  };
  for (const Row& row : std::initializer_list<Row>{
           {"up_proj", "up_proj.x", true, true},
           {"up_proj", "model.layers.0.up_proj", false, true},
           {R"(layers\.(?P<i>\d+)\.up_(?P=i))", "layers.12.up_12", true, true},
           {R"(layers\.(?P<i>\d+)\.up_(?P=i))", "layers.12.up_1", false, false},
           {R"(^model\.layers\.(?!0\.)\d+\.)", "model.layers.10.up", true, true},
           {R"(^model\.layers\.(?!0\.)\d+\.)", "model.layers.0.up", false, false},
           {R"((?<=layers\.)\d)", "layers.3", false, true},
           {"(?i:UP)_proj", "up_proj", true, true},
           {"[]a]+", "]a", true, true},
           {"[^]a]", "b", true, true},
           {R"(a\Z)", "a", true, true},
           {R"(\w+$)", "gr\u00FCn", true, true},
           {".$", "\u00FC", true, true},
           {"a(?#remark)b", "ab", true, true},
           {"x{2}$", "xxx", false, true},
           {"a.b", "a\nb", false, false},
           {"(a)?(?(1)b|c)", "ab", true, true},
           {"(a)?(?(1)b|c)", "b", false, false},
           {"(?:a|ab)c", "abc", true, true},
           {R"(\bup\b)", "x.up.y", false, true},
           {R"((a)\1)", "aa", true, true},
           {R"(\x61\u0062)", "ab", true, true},
       }) {
    const NamePattern pattern(row.expression, "it");
    EXPECT_EQ(pattern.fits_beginning_of(row.name), row.match) << row.expression << " and " << row.name;
    EXPECT_EQ(pattern.fits_within(row.name), row.search) << row.expression << " and " << row.name;
  }
  EXPECT_TRUE(NamePattern("x", "it").fits_within("a\xFFx")) << "a name that is not UTF-8";
}

TEST(NamePattern, what_is_none) {
  const auto error = [](const std::string& expression) {
    return error_of(Status::unsupported, [&] { static_cast<void>(NamePattern(expression, "f: it")); });
  };
  EXPECT_EQ(error("("), "f: it is no regular expression that is understood here: missing closing parenthesis");
  EXPECT_TRUE(holds(error("*"), "quantifier does not follow a repeatable item"));
  EXPECT_TRUE(holds(error("a{,3}"), "write {0,n} for {,n}"));
  EXPECT_TRUE(holds(error("(?<=a*)b"), "lookbehind assertion is not fixed length"));
  EXPECT_TRUE(holds(error("\xFF"), "UTF-8 error"));
  EXPECT_TRUE(holds(error(std::string(20'000, 'a')), "longer than the limit"));
}

// A downloaded file must not keep a machine busy for years, nor overflow the stack.
TEST(NamePattern, hostile_ones_are_refused) {
  const auto begin = std::chrono::steady_clock::now();
  const auto error = [](const std::string& expression) {
    return error_of(Status::unsupported, [&] {
      const NamePattern pattern(expression, "f: it");
      static_cast<void>(pattern.fits_beginning_of(std::string(200, 'a') + "!bcx"));
    });
  };
  for (const char* expression : {"(a|a)*b", "(a*)*b", "(a+)+$", "(.*)(.*)(.*)(.*)(.*)(.*)bb", "(a?){100}a{100}x",
                                 "(((((a*)*)*)*)*)*b", "(a|a|aa)*(?=c)", "(?:(?=(a+))a*)*b"})
    EXPECT_EQ(error(expression),
              "f: it cannot be matched with '" + std::string(200, 'a') + "!bcx': match limit exceeded")
        << expression;
  EXPECT_TRUE(holds(error("((a{99}){99}){99}"), "regular expression is too large"));
  for (const char* count : {"a{99999999999999999999}", "a{1,99999}", "((a?){922337203685477580748}#){49y"})
    EXPECT_TRUE(holds(error(count), "number too big in {} quantifier")) << count;
  EXPECT_TRUE(holds(error(std::string(4'000, '(') + std::string(4'000, ')')), "parentheses are too deeply nested"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

}  // namespace
}  // namespace qfuse::checkpoint
