// Runs one call of an op on the CPU: chooses the SIMD target, then hands ranges of items to threads.
#ifndef QFUSE_BACKEND_CPU_RUN_H
#define QFUSE_BACKEND_CPU_RUN_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "backend/cpu/parallel_for.h"
#include "backend/cpu/targets.h"
#include "contract/float_mode.h"
#include "contract/plan.h"

namespace qfuse::cpu {

// Calls body(target, begin, end) on ranges that together cover [0, items) once. `target` is a row of Highway's dispatch
// tables. `kernel` is for the log; ops that have several kernels pass its name.
template <class Op, class Body>
contract::Outcome run(const Op& /*p*/, std::int64_t items, std::int64_t grain, const qfuse_exec& exec, const Body& body,
                      const char* kernel = nullptr) {
  std::size_t target = 0;
  if (contract::Outcome o = choose_target(exec.cpu_target, target); !o.ok()) return o;
  if (contract::plan_settings().log) {
    std::vector<contract::Field> fields = {{"target", compiled_target(target)},
                                           contract::field("items", items),
                                           contract::field("grain", grain),
                                           contract::field("threads", exec.threads)};
    if (kernel != nullptr) fields.insert(fields.begin(), {"kernel", kernel});
    contract::log_plan("cpu", Op::kName, contract::print(fields));
  }
  const auto run_range = [&](std::int64_t begin, std::int64_t end) {
    const contract::DefaultFloatMode mode;
    body(target, begin, end);
  };
  if (exec.parallel_for != nullptr) return parallel_for_of_caller(exec, items, grain, run_range);
  parallel_for(items, grain, exec.threads, run_range);
  return {};
}

}  // namespace qfuse::cpu

#endif  // QFUSE_BACKEND_CPU_RUN_H
