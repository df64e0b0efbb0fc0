#include "checkpoint/names/patterns.h"

#include <fnmatch.h>

#include <algorithm>

#include "checkpoint/files/errors.h"
#include "checkpoint/names/linear.h"

namespace qfuse::checkpoint {

bool matches_any(const std::string& name, std::span<const std::string> patterns) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0; });
}

void check_patterns(const char* kind, const std::vector<std::string>& patterns, const Model& model,
                    const std::vector<Tensor>& tensors) {
  for (const std::string& pattern : patterns)
    if (std::none_of(tensors.begin(), tensors.end(), [&](const Tensor& tensor) {
          return is_encodable(*tensor.values().entry) && matches_any(tensor.name, std::span(&pattern, 1));
        }))
      fail(Status::invalid_argument,
           "{}: {} '{}' matches nothing: of {} tensors, none of that name has F32, F16 or BF16 and two dimensions or "
           "more",
           model.name(), kind, printable(pattern), tensors.size());
}

}  // namespace qfuse::checkpoint
