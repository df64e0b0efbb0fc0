// A plan says how a call will run. It is chosen from the parameters and the device's properties before anything is
// enqueued. It is a plain struct with a name and fields, so that it can be listed, printed, logged and forced, and
// tested without a device:
//   static constexpr const char* kOp;          the op that it is for
//   std::array<Field, N> fields() const;       every choice, as printed
// docs/PLANS.md describes the environment variables QFUSE_LOG_PLANS and QFUSE_PLAN for users.
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

// Returns "name=value name=value".
template <class Fields>
std::string print(const Fields& fields) {
  std::string text;
  for (const Field& f : fields) text += (text.empty() ? "" : " ") + f.name + "=" + f.value;
  return text;
}

// What the environment variables request; read once.
struct PlanSettings {
  bool log = false;
  std::string forced;
};
const PlanSettings& plan_settings();

// Prints one line on stderr: "qfuse: <device> <op>: <plan>".
void log_plan(const char* device, const char* op, const std::string& plan);

// Appends to `asked` the fields that `text`, in the form of QFUSE_PLAN, requests for `op`; other ops are skipped.
// INVALID_ARGUMENT: not of that form.
Outcome parse_forced(const std::string& text, const std::string& op, std::vector<Field>& asked);

template <class Plan>
bool has_fields(const Plan& plan, const std::vector<Field>& asked) {
  const auto fields = plan.fields();
  return std::ranges::all_of(asked, [&](const Field& f) { return std::ranges::find(fields, f) != fields.end(); });
}

// Sets `plan` to the first candidate with the fields in `text`. UNSUPPORTED: there is none; the message lists all.
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

// Lets the environment override a chosen plan.
template <class Plan, class Candidates>
Outcome force_asked(Plan& plan, const Candidates& candidates) {
  const std::string& forced = plan_settings().forced;
  return forced.empty() ? Outcome{} : force(forced, candidates(), plan);
}

// Logs a plan that will run, if the environment requests it.
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
