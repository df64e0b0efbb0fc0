// Regular expressions that a file applies to names of modules. The file may be anybody's.
#ifndef QFUSE_CHECKPOINT_FILES_NAME_PATTERN_H
#define QFUSE_CHECKPOINT_FILES_NAME_PATTERN_H

#include <optional>
#include <regex>
#include <string>

namespace qfuse::checkpoint {

class NamePattern {
 public:
  // Nothing for what is no regular expression (ECMAScript's), and for those that only an attack would hold: matching
  // takes neither time that grows exponentially with a name, nor more than a bounded stack.
  static std::optional<NamePattern> compile(const std::string& expression);

  // False for names of more than 1000 bytes; real ones have under 100.
  [[nodiscard]] bool fits(const std::string& name) const;
  [[nodiscard]] bool fits_beginning_of(const std::string& name) const;
  [[nodiscard]] bool fits_within(const std::string& name) const;

 private:
  explicit NamePattern(std::regex regex) : regex_(std::move(regex)) {}

  std::regex regex_;
};

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_NAME_PATTERN_H
