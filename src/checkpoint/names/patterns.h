// `include` and `exclude`: shell patterns of tensor names.
#ifndef QFUSE_CHECKPOINT_NAMES_PATTERNS_H
#define QFUSE_CHECKPOINT_NAMES_PATTERNS_H

#include <span>
#include <string>
#include <vector>

#include "checkpoint/files/layout.h"
#include "checkpoint/files/model.h"

namespace qfuse::checkpoint {

// Whether one of the shell patterns matches the whole name: * matches any text including dots, ? any character, [...]
// one of a set.
bool matches_any(const std::string& name, std::span<const std::string> patterns);

// Fails with invalid_argument for a pattern that matches nothing, because it is probably a typing error that would
// otherwise be noticed only in the finished model. `kind`: the option's name.
void check_patterns(const char* kind, const std::vector<std::string>& patterns, const Model& model,
                    const std::vector<Tensor>& tensors);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_NAMES_PATTERNS_H
