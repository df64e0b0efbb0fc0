#include "ring_merging.h"

#include <algorithm>
#include <cstddef>

namespace qfuse::tests {
namespace {

// Whether each read and write among the steps follows a wait for its item.
bool waits_first(const std::vector<Step>& steps) {
  std::vector<Step> waited;
  const auto is_waited = [&](Act act, const Step& step) {
    return std::any_of(waited.begin(), waited.end(), [&](const Step& wait) {
      return wait.act == act && wait.ring == step.ring && wait.offset == step.offset;
    });
  };
  for (const Step& step : steps) {
    if (step.act == Act::read && !is_waited(Act::wait_full, step)) return false;
    if ((step.act == Act::write || step.act == Act::load) && !is_waited(Act::wait_empty, step)) return false;
    waited.push_back(step);
  }
  return true;
}

// Whether the actor, if it waits at this barrier, waits for every phase: then no wait is two phases off.
bool waits_for_all(const Actors& actors, int ring, int items, bool is_full) {
  const auto count = [&](Act act) {
    return std::count_if(actors.steps.begin(), actors.steps.end(),
                         [&](const Step& step) { return step.act == act && step.ring == ring; });
  };
  const auto waits = count(is_full ? Act::wait_full : Act::wait_empty);
  const auto others = count(is_full ? Act::look : Act::request);
  return waits == 0 && others == 0 ? true : actors.teams == 1 && (waits == items || (waits == 0 && !is_full));
}

}  // namespace

std::vector<bool> merged_arrivals(const Protocol& protocol) {
  const auto for_all = [&](const auto& is) { return std::all_of(protocol.actors.begin(), protocol.actors.end(), is); };
  const bool all_wait = for_all([](const Actors& of) { return waits_first(of.steps) && waits_first(of.at_end); });
  std::vector<bool> are_merged;
  for (std::size_t r = 0; r < protocol.rings.size(); ++r)
    for (const bool is_full : {false, true})
      are_merged.push_back(all_wait && for_all([&](const Actors& of) {
                             return waits_for_all(of, static_cast<int>(r), protocol.rings[r].items, is_full);
                           }));
  return are_merged;
}

}  // namespace qfuse::tests
