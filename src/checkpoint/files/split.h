// Splits text into parts, such as the words of a table.
#ifndef QFUSE_CHECKPOINT_FILES_SPLIT_H
#define QFUSE_CHECKPOINT_FILES_SPLIT_H

#include <algorithm>
#include <string_view>
#include <vector>

namespace qfuse::checkpoint {

inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_SPLIT_H
