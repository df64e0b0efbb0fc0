#include "contract/plan.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace qfuse::contract {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// Returns the part before the separator, and removes both from `rest`.
std::string_view take(std::string_view& rest, char separator) {
  const std::size_t end = std::min(rest.find(separator), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

}  // namespace

const PlanSettings& plan_settings() {
  static const PlanSettings settings = [] {
    const std::string log = environment("QFUSE_LOG_PLANS");
    return PlanSettings{!log.empty() && log != "0", environment("QFUSE_PLAN")};
  }();
  return settings;
}

void log_plan(const char* device, const char* op, const std::string& plan) {
  std::fprintf(stderr, "qfuse: %s %s: %s\n", device, op, plan.c_str());
}

Outcome parse_forced(const std::string& text, const std::string& op, std::vector<Field>& asked) {
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view entry = take(rest, ';');
    std::string_view fields = entry;
    const std::string_view name = take(fields, ':');
    bool good = !name.empty() && !fields.empty() && !fields.ends_with(',');
    while (!fields.empty()) {
      std::string_view value = take(fields, ',');
      const std::string_view field_name = take(value, '=');
      good = good && !field_name.empty() && !value.empty();
      if (name == op) asked.push_back({std::string(field_name), std::string(value)});
    }
    if (!good)
      return invalid_argument("QFUSE_PLAN has '" + std::string(entry) + "', it must be <op>:<field>=<value>,...");
  }
  return {};
}

}  // namespace qfuse::contract
