// Python regular expressions that a file applies to module names. The file is untrusted.
#ifndef QFUSE_CHECKPOINT_FILES_NAME_PATTERN_H
#define QFUSE_CHECKPOINT_FILES_NAME_PATTERN_H

#include <memory>
#include <string>

struct pcre2_real_code_8;

namespace qfuse::checkpoint {

class NamePattern {
 public:
  // `what` describes the expression in messages: "adapter_config.json: rank_pattern 'a.*'". Fails as unsupported, with
  // the reason, if Python and PCRE2 would not interpret the expression alike.
  NamePattern(const std::string& expression, std::string what);

  // Match like Python's re.match and re.search. Fail as unsupported if a match takes more steps or memory than any real
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
