// A case: one call of an op, described completely by text, so that it can be repeated: "matmul_4bit:m=64,order=split".
#ifndef QFUSE_TESTS_SOAK_CASE_H
#define QFUSE_TESTS_SOAK_CASE_H

#include <qfuse/qfuse.h>

#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace qfuse::soak {

// An error in the command line, with a message for the user.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A field of a case: its name, its default, and its possible words ("" for a number).
struct CaseField {
  const char* name;
  const char* usual;
  const char* words;
};

struct OpFields {
  const char* op;
  std::vector<CaseField> fields;
};
std::span<const OpFields> all_ops();

class Case {
 public:
  explicit Case(std::string op) : op_(std::move(op)) {}

  Case& set(const std::string& field, std::int64_t value) { return set(field, std::to_string(value)); }
  Case& set(const std::string& field, std::string word) {
    values_[field] = std::move(word);
    return *this;
  }
  [[nodiscard]] const std::string& op() const { return op_; }
  [[nodiscard]] std::int64_t number(const std::string& field) const;
  [[nodiscard]] std::string word(const std::string& field) const;
  [[nodiscard]] bool is(const std::string& field, std::string_view word) const { return this->word(field) == word; }
  [[nodiscard]] qfuse_dtype dtype(const std::string& field = "dtype") const;

 private:
  std::string op_;
  std::map<std::string, std::string> values_;
};

// Prints the op and all fields that are not at their default.
std::string print(const Case& c);
// Parses a case. Throws UsageError, whose message lists what is possible.
Case parse(const std::string& text);

}  // namespace qfuse::soak

#endif  // QFUSE_TESTS_SOAK_CASE_H
