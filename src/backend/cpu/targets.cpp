#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/targets.cpp"
#include <hwy/foreach_target.h>  // re-includes this file once per target
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace qfuse::cpu::HWY_NAMESPACE {

const char* compiled_for() { return hwy::TargetName(HWY_TARGET); }

}  // namespace qfuse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "backend/cpu/targets.h"

namespace qfuse::cpu {
namespace {

HWY_EXPORT(compiled_for);

struct Target {
  std::string name;
  std::size_t dispatch_row;
};

// qfuse's name for a target, from Highway's name or a value of QFUSE_CPU_TARGET: AVX3 and AVX-512 become "avx512".
std::string name_of(std::string name) {
  constexpr std::string_view kHighways = "avx3";
  std::erase(name, '-');
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name.starts_with(kHighways) ? "avx512" + name.substr(kHighways.size()) : name;
}

std::size_t row_of(std::int64_t targets) {
  hwy::ChosenTarget chosen;
  chosen.Update(targets);
  return chosen.GetIndex();
}

// In Highway's bit masks, lower bits are better targets.
std::vector<Target> find_targets() {
  std::vector<Target> found;
  for (std::int64_t left = hwy::SupportedTargets() & HWY_TARGETS; left != 0; left &= left - 1) {
    const std::int64_t target = left & -left;
    found.push_back({name_of(hwy::TargetName(target)), row_of(target)});
  }
  return found;
}

const std::vector<Target>& targets() {
  static const std::vector<Target> found = find_targets();
  return found;
}

}  // namespace

const char* target_name(int index) {
  const auto i = static_cast<std::size_t>(index);
  return index >= 0 && i < targets().size() ? targets()[i].name.c_str() : nullptr;
}

contract::Outcome choose_target(const char* name, std::size_t& dispatch_row) {
  static const char* const kFromEnvironment = std::getenv("QFUSE_CPU_TARGET");
  if (name == nullptr && kFromEnvironment != nullptr && *kFromEnvironment != '\0') name = kFromEnvironment;
  const std::string asked = name == nullptr ? "" : name_of(name);
  std::string known;
  for (const Target& target : targets()) {
    if (name == nullptr || target.name == asked) {
      dispatch_row = target.dispatch_row;
      return {};
    }
    known += (known.empty() ? "" : ", ") + target.name;
  }
  return contract::unsupported("cpu_target is '" + std::string(name) + "', this machine has: " + known);
}

std::string compiled_target(std::size_t dispatch_row) {
  return name_of(HWY_DISPATCH_TABLE(compiled_for)[dispatch_row]());
}

}  // namespace qfuse::cpu

#endif  // HWY_ONCE
