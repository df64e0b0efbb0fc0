// One call of an op on the CPU: its SIMD target is chosen, then its items go to threads in ranges.
#ifndef QFUSE_BACKEND_CPU_RUN_H
#define QFUSE_BACKEND_CPU_RUN_H

#include <array>
#include <cstddef>
#include <cstdint>

#include "backend/cpu/parallel_for.h"
#include "backend/cpu/targets.h"
#include "contract/plan.h"

namespace qfuse::cpu {

struct Plan {
  std::size_t target;  // a row of Highway's dispatch tables
  std::int64_t items;
  std::int64_t grain;  // items a range holds at least
  int threads;         // at most; 0: one per core

  [[nodiscard]] std::array<contract::Field, 4> fields() const {
    return {{{"target", compiled_target(target)},
             contract::field("items", items),
             contract::field("grain", grain),
             contract::field("threads", threads)}};
  }
};

// Calls body(target, begin, end) on ranges that together cover [0, items) once.
template <class Op, class Body>
contract::Outcome run(const Op& /*p*/, std::int64_t items, std::int64_t grain, const qfuse_exec& exec,
                      const Body& body) {
  Plan plan{0, items, grain, exec.threads};
  if (contract::Outcome o = choose_target(exec.cpu_target, plan.target); !o.ok()) return o;
  if (contract::plan_settings().log) contract::log_plan("cpu", Op::kName, contract::print(plan.fields()));
  parallel_for(items, grain, exec.threads,
               [&](std::int64_t begin, std::int64_t end) { body(plan.target, begin, end); });
  return {};
}

}  // namespace qfuse::cpu

#endif  // QFUSE_BACKEND_CPU_RUN_H
