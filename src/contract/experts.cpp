#include "contract/experts.h"

#include <fmt/format.h>

namespace qfuse::contract {

Outcome check_ranges(const ExpertEnds& experts) {
  const auto& [count_name, ends_name, type_name, count, ends, type] = experts;
  if (count < 0 || count > kMostExperts)
    return invalid_argument(fmt::format("{} is {}, it must be 0 to {}", count_name, count, kMostExperts));
  if (count == 0 && ends != nullptr)
    return invalid_argument(fmt::format("{} is 0, but {} is given", count_name, ends_name));
  if (type != QFUSE_INDEX_INT32 && type != QFUSE_INDEX_INT64)
    return invalid_argument(fmt::format("{} is {}, it must be QFUSE_INDEX_INT32 ({}) or QFUSE_INDEX_INT64 ({})",
                                        type_name, static_cast<int>(type), static_cast<int>(QFUSE_INDEX_INT32),
                                        static_cast<int>(QFUSE_INDEX_INT64)));
  if (reinterpret_cast<std::uintptr_t>(ends) % static_cast<std::uintptr_t>(index_size(type)) != 0)
    return invalid_argument(fmt::format("{} must be aligned to its elements, {} bytes", ends_name, index_size(type)));
  return {};
}

Outcome check_values(const ExpertEnds& experts, std::int64_t m) {
  std::int64_t before = 0;
  for (std::int64_t e = 0; e < experts.count; ++e) {
    const std::int64_t end = experts[e];
    if (end < before || end > m)
      return invalid_argument(
          fmt::format("{}[{}] is {}, it must be at least {}, where the expert begins, and at most m, {}",
                      experts.ends_name, e, end, before, m));
    before = end;
  }
  return {};
}

}  // namespace qfuse::contract
