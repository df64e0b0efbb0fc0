// Names of tensors and modules, in parts by dots.
#ifndef QFUSE_CHECKPOINT_NAMES_NAMES_H
#define QFUSE_CHECKPOINT_NAMES_NAMES_H

#include <span>
#include <string_view>

namespace qfuse::checkpoint {

// The module of a weight: its name without ".weight". A name that does not end so is returned as it is.
std::string_view module_of(std::string_view name);

std::string_view last_part(std::string_view module);

// Whether a part of a name is the number of a layer or an expert.
bool is_number(std::string_view part);

// Of a list of modules, "lm_heads.3", the name of the list.
std::string_view without_number(std::string_view module);

bool is_one_of(std::string_view part, std::span<const std::string_view> names);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_NAMES_NAMES_H
