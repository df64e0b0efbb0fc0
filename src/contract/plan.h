// Plans: how a call will run, chosen from its parameters and the device's facts before anything is enqueued. A plan is
// a plain struct with a name and fields, so that it can be listed, printed, logged and forced, and tested without a
// device:
//   static constexpr const char* kOp;          the op it is for
//   std::array<Field, N> fields() const;       every choice, as printed
// docs/PLANS.md tells people what the environment variables QFUSE_LOG_PLANS and QFUSE_PLAN take.
#ifndef QFUSE_CONTRACT_PLAN_H
#define QFUSE_CONTRACT_PLAN_H

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string>
#include <vector>

#include "contract/outcome.h"

namespace qfuse::contract {

struct Field {
  std::string name;
  std::string value;
  bool operator==(const Field&) const = default;
};

inline Field field(const char* name, const std::integral auto& value) {
  return {name, std::to_string(static_cast<std::int64_t>(value))};
}

// "name=value name=value"
template <class Fields>
std::string print(const Fields& fields) {
  std::string text;
  for (const Field& f : fields) text += (text.empty() ? "" : " ") + f.name + "=" + f.value;
  return text;
}

// What the environment asks for; read once.
struct PlanSettings {
  bool log = false;
  std::string forced;
};
const PlanSettings& plan_settings();

// One line on stderr: "qfuse: <device> <op>: <plan>".
void log_plan(const char* device, const char* op, const std::string& plan);

// The fields that `text`, of the form of QFUSE_PLAN, asks of an op's plan; those of other ops are left out.
// INVALID_ARGUMENT: not of that form.
Outcome parse_forced(const std::string& text, const std::string& op, std::vector<Field>& asked);

template <class Plan>
bool has_fields(const Plan& plan, const std::vector<Field>& asked) {
  const auto fields = plan.fields();
  return std::ranges::all_of(asked, [&](const Field& f) { return std::ranges::find(fields, f) != fields.end(); });
}

// Makes `plan` the first candidate that has what `text` asks for. UNSUPPORTED: there is none; the message lists them.
template <class Plan>
Outcome force(const std::string& text, const std::vector<Plan>& candidates, Plan& plan) {
  std::vector<Field> asked;
  if (Outcome o = parse_forced(text, Plan::kOp, asked); !o.ok()) return o;
  if (asked.empty()) return {};
  std::string known;
  for (const Plan& candidate : candidates) {
    if (has_fields(candidate, asked)) {
      plan = candidate;
      return {};
    }
    known.append(known.empty() ? "" : "; ").append(print(candidate.fields()));
  }
  return unsupported("QFUSE_PLAN asks for " + print(asked) + ", this call can have: " + known);
}

// The last word on a chosen plan, which is the environment's.
template <class Plan, class Candidates>
Outcome force_asked(Plan& plan, const Candidates& candidates) {
  const std::string& forced = plan_settings().forced;
  return forced.empty() ? Outcome{} : force(forced, candidates(), plan);
}

// Tells of a plan that runs, where the environment asks for it.
template <class Plan>
void log(const char* device, const Plan& plan) {
  if (plan_settings().log) log_plan(device, Plan::kOp, print(plan.fields()));
}

template <class Plan, class Candidates>
Outcome settle(const char* device, Plan& plan, const Candidates& candidates) {
  Outcome outcome = force_asked(plan, candidates);
  if (outcome.ok()) log(device, plan);
  return outcome;
}

}  // namespace qfuse::contract

#endif  // QFUSE_CONTRACT_PLAN_H
