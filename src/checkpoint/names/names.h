// Names of tensors and modules, whose parts are separated by dots.
#ifndef QFUSE_CHECKPOINT_NAMES_NAMES_H
#define QFUSE_CHECKPOINT_NAMES_NAMES_H

#include <span>
#include <string_view>

namespace qfuse::checkpoint {

// Returns the module of a weight: its name without ".weight". Other names are returned unchanged.
std::string_view module_of(std::string_view name);

std::string_view last_part(std::string_view module);

// Whether a part of a name is the number of a layer or an expert.
bool is_number(std::string_view part);

// Returns the name of the list for an element of a module list such as "lm_heads.3"; other names unchanged.
std::string_view without_number(std::string_view module);

bool is_one_of(std::string_view part, std::span<const std::string_view> names);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_NAMES_NAMES_H
