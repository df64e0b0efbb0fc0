#include "checkpoint/names/names.h"

#include <algorithm>

#include "checkpoint/files/model.h"

namespace qfuse::checkpoint {

std::string_view module_of(std::string_view name) {
  return name.ends_with(kWeightSuffix) ? name.substr(0, name.size() - kWeightSuffix.size()) : name;
}

std::string_view last_part(std::string_view module) { return module.substr(module.rfind('.') + 1); }

bool is_number(std::string_view part) { return !part.empty() && part.find_first_not_of("0123456789") == part.npos; }

std::string_view without_number(std::string_view module) {
  return is_number(last_part(module)) ? module.substr(0, module.rfind('.')) : module;
}

bool is_one_of(std::string_view part, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), part) != names.end();
}

}  // namespace qfuse::checkpoint
