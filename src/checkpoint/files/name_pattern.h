// Regular expressions of Python's that a file applies to names of modules. The file may be anybody's.
#ifndef QFUSE_CHECKPOINT_FILES_NAME_PATTERN_H
#define QFUSE_CHECKPOINT_FILES_NAME_PATTERN_H

#include <memory>
#include <string>

struct pcre2_real_code_8;

namespace qfuse::checkpoint {

class NamePattern {
 public:
  // `what` says in messages what the expression is: "adapter_config.json: rank_pattern 'a.*'". Throws unsupported for
  // what is no regular expression that Python and PCRE2 take alike, with the reason.
  NamePattern(const std::string& expression, std::string what);

  // As Python's re.match and re.search. Throw unsupported where that takes more steps or memory than any real
  // expression needs.
  [[nodiscard]] bool fits_beginning_of(const std::string& name) const;
  [[nodiscard]] bool fits_within(const std::string& name) const;

 private:
  [[nodiscard]] bool fits(const std::string& name, bool at_beginning) const;

  std::shared_ptr<pcre2_real_code_8> code_;
  std::string what_;
};

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_NAME_PATTERN_H
