#include "ring_state.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string_view>

namespace qfuse::tests {
namespace {

bool has_mark(const Actors& actors, int ring, Mark mark) {
  const auto needs = [&](const Step& step) {
    const bool requests = step.act == Act::request;
    const bool reads = step.act == Act::release || step.act == Act::release_early || step.act == Act::read;
    return step.ring == ring && (mark == Mark::requested ? requests : reads);
  };
  const auto any_of = [&](const std::vector<Step>& steps) { return std::any_of(steps.begin(), steps.end(), needs); };
  return any_of(actors.steps) || any_of(actors.at_end) || any_of(actors.at_first);
}

}  // namespace

Byte byte_of(int value) {
  if (value > std::numeric_limits<Byte>::max()) throw std::out_of_range("stages are too far apart for a state's bytes");
  return static_cast<Byte>(value);
}

StateLayout::StateLayout(const Protocol& protocol) : protocol_(protocol) {
  for (const Ring& ring : protocol.rings) {
    rings_.push_back(bytes_);
    bytes_ += sizeof(Slot) * static_cast<std::size_t>(ring.slots);
  }
  for (const Actors& actors : protocol.actors) {
    const auto count = static_cast<std::size_t>(actors.count * actors.teams);
    Group group{.at = bytes_, .width = sizeof(Position), .count = count, .marks = {}, .places = {}};
    for (int ring = 0; ring < rings(); ++ring)
      for (const Mark which : {Mark::read, Mark::released, Mark::requested}) {
        const bool exists = has_mark(actors, ring, which);
        group.places.push_back(exists ? group.width : 0);
        if (exists) group.marks.push_back({ring, which, group.width++});
      }
    bytes_ += group.width * group.count;
    groups_.push_back(std::move(group));
  }
}

Slot& StateLayout::slot(State state, int ring, int item) const {
  auto* const first = reinterpret_cast<Slot*>(state + rings_[static_cast<std::size_t>(ring)]);
  return first[item % slots(ring)];
}

Mover StateLayout::mover(State state, std::size_t group, std::size_t actor) const {
  const Group& of = groups_[group];
  Byte* const bytes = state + of.at + actor * of.width;
  auto& position = *reinterpret_cast<Position*>(bytes);
  const Actors& actors = protocol_.actors[group];
  return {state, actors, of, bytes, position, position.stage % actors.teams};
}

Byte* StateLayout::mark(const Mover& m, int ring, Mark which) const {
  const std::size_t at = m.group.places[static_cast<std::size_t>(ring) * kMarks + static_cast<std::size_t>(which)];
  return at == 0 ? nullptr : m.bytes + at;
}

std::vector<Byte> StateLayout::start() const {
  std::vector<Byte> state(bytes_, 0);
  state[0] = kNoEnd;
  for (int r = 0; r < rings(); ++r)
    for (int i = 0; i < slots(r); ++i)
      slot(state.data(), r, i) = {.full = {byte_of(i), 0, 0}, .empty = {byte_of(i), 0, 0}};
  for (std::size_t g = 0; g < groups_.size(); ++g)
    for (std::size_t i = 0; i < groups_[g].count; ++i) {
      const Mover m = mover(state.data(), g, i);
      const int team = static_cast<int>(i) % m.actors.teams;
      m.position.stage = byte_of(team);
      for_each_mark(m, [&](int ring, Mark which, Byte& item) {
        if (which != Mark::requested) item = byte_of(team * items(ring));
      });
    }
  return state;
}

int StateLayout::oldest_stage(State state) const {
  int oldest = std::numeric_limits<Byte>::max();
  for (int r = 0; r < rings(); ++r)
    for (int i = 0; i < slots(r); ++i) {
      const Slot& of = slot(state, r, i);
      oldest = std::min({oldest, of.full.item / items(r), of.empty.item / items(r)});
    }
  for_each_mover(state, [&](const Mover& m) {
    oldest = std::min<int>(oldest, m.position.stage);
    for_each_mark(m, [&](int ring, Mark /*which*/, Byte item) { oldest = std::min(oldest, item / items(ring)); });
  });
  return oldest;
}

void StateLayout::shift(State state, int stages) const {
  const auto take = [](Byte& from, int by) { from = static_cast<Byte>(from - by); };
  if (state[0] != kNoEnd) take(state[0], stages);
  for (int r = 0; r < rings(); ++r) {
    const int by = stages * items(r);
    Slot* const first = &slot(state, r, 0);
    std::rotate(first, first + by % slots(r), first + slots(r));
    for (int i = 0; i < slots(r); ++i) {
      take(first[i].full.item, by);
      take(first[i].empty.item, by);
    }
  }
  for_each_mover(state, [&](const Mover& m) {
    take(m.position.stage, stages);
    for_each_mark(m, [&](int ring, Mark /*which*/, Byte& item) { take(item, stages * items(ring)); });
  });
}

// Sorts actors by team, then by their bytes. Insertion sort, because they are few and nearly sorted.
void StateLayout::sort(State state, std::size_t group) const {
  const Group& of = groups_[group];
  const int teams = protocol_.actors[group].teams;
  const auto is_before = [&](const Byte* a, const Byte* b) {
    return a[0] % teams != b[0] % teams ? a[0] % teams < b[0] % teams : std::memcmp(a, b, of.width) < 0;
  };
  for (std::size_t i = 1; i < of.count; ++i)
    for (Byte* b = state + of.at + i * of.width; b > state + of.at && is_before(b, b - of.width); b -= of.width)
      std::swap_ranges(b, b + of.width, b - of.width);
}

int StateLayout::normalize(State state) const {
  const int oldest = oldest_stage(state);
  if (oldest > 0) shift(state, oldest);
  for (std::size_t g = 0; g < groups_.size(); ++g) sort(state, g);
  return oldest;
}

// ---- the set of visited states ----

bool States::add(const std::vector<Byte>& state) {
  if (2 * size() > table_.size()) grow();
  std::uint32_t& entry = find(state.data());
  if (entry != 0) return false;
  all_.insert(all_.end(), state.begin(), state.end());
  entry = static_cast<std::uint32_t>(size());
  return true;
}

std::uint32_t& States::find(const Byte* state) {
  const std::hash<std::string_view> hash;
  std::size_t place = hash({reinterpret_cast<const char*>(state), width_});
  for (;; ++place) {
    std::uint32_t& entry = table_[place & (table_.size() - 1)];
    if (entry == 0 || std::memcmp(at(entry - 1), state, width_) == 0) return entry;
  }
}

void States::grow() {
  table_.assign(2 * table_.size(), 0);
  for (std::size_t i = 0; i < size(); ++i) find(at(i)) = static_cast<std::uint32_t>(i + 1);
}

}  // namespace qfuse::tests
