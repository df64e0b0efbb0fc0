// `include` and `exclude`: shell patterns of tensor names.
#ifndef QFUSE_CHECKPOINT_NAMES_PATTERNS_H
#define QFUSE_CHECKPOINT_NAMES_PATTERNS_H

#include <span>
#include <string>
#include <vector>

#include "checkpoint/files/layout.h"
#include "checkpoint/files/model.h"

namespace qfuse::checkpoint {

// Whether one of the shell patterns is that of the whole name: * stands for any text, dots included, ? for any
// character, [...] for one of a set.
bool matches_any(const std::string& name, std::span<const std::string> patterns);

// A pattern that matches nothing is a typing error, which would otherwise be found in the finished model: throws
// invalid_argument. `kind`: the option's name.
void check_patterns(const char* kind, const std::vector<std::string>& patterns, const Model& model,
                    const std::vector<Tensor>& tensors);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_NAMES_PATTERNS_H
