#include "ring_explorer.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "ring_merging.h"
#include "ring_state.h"

namespace qfuse::tests {
namespace {

// ---- moves ----

struct Fault {
  std::string text;
};

struct Move {
  enum class Kind : std::uint8_t { none, go_on, end_tile, complete_load, end_run } kind = Kind::none;
  std::uint8_t group = 0;  // or the ring, for complete_load
  std::uint8_t actor = 0;  // or the slot, or, for end_run, the stage at which the run ends
};

struct Link {
  std::uint32_t before = 0;
  Move move;
};

class Explorer : StateLayout {
 public:
  Explorer(const Protocol& protocol, Reductions reductions)
      : StateLayout(protocol),
        protocol_(protocol),
        reduces_(reductions == Reductions::all),
        are_merged_(merged_arrivals(protocol)),
        states_(bytes()) {}

  Exploration explore();

 private:
  void complete(Barrier& barrier, int ring) const;
  bool passes(const Mover& m, bool is_full, int ring, int item) const;
  void look(const Mover& m, int ring, int item) const;
  void arrive(const Mover& m, bool is_full, int ring, int item, bool loads) const;
  void check_written(const Mover& m, int ring, int item) const;
  void check_read(const Mover& m, int ring, int item) const;
  [[nodiscard]] int next_item(const Mover& m, int ring, int item) const;
  void release(const Mover& m, int ring, int item, bool reads_on) const;
  [[nodiscard]] bool is_requested(const Mover& m, int ring, int item) const;
  bool request(const Mover& m, int ring, int item) const;
  bool perform(const Mover& m, const Step& step) const;
  [[nodiscard]] bool blocks(const Mover& m, const Step& step) const;
  [[nodiscard]] bool begins_move(const Mover& m, const Step& step) const;

  [[nodiscard]] bool is_at_choice(const Mover& m) const;
  [[nodiscard]] const Step& next_step(const Mover& m) const;
  [[nodiscard]] bool is_done(const Mover& m) const;
  bool advance(const Mover& m, bool ends_tile) const;
  struct Ends {
    int first;
    int last;
  };
  [[nodiscard]] Ends ends(State state) const;
  bool apply(State state, const Move& move) const;
  int settle(std::vector<Byte>& state) const;
  std::vector<Byte> first() const;
  void add_first();
  bool expand_actors(std::size_t from, Move& move);
  void expand(std::size_t from);
  bool follow(std::size_t from, const Move& move);
  [[nodiscard]] std::string trace(std::size_t from, const Move& last) const;
  [[nodiscard]] std::string where_all_are(State state) const;

  [[nodiscard]] std::string name(const Mover& m) const;
  [[nodiscard]] std::string name(int ring, int item) const;
  [[nodiscard]] std::string text(const Mover& m, Act act, int ring, int item) const;
  void note(const Mover& m, Act act, int ring, int item) const;
  [[noreturn]] void fail(const Mover& m, Act act, int ring, int item, const std::string& why) const;

  const Protocol& protocol_;
  bool reduces_;
  std::vector<bool> are_merged_;
  std::vector<Byte> scratch_;
  std::vector<Link> links_;
  States states_;
  // Set while trace() runs: its lines, and the stage number that the states are relative to.
  mutable std::vector<std::string>* lines_ = nullptr;
  mutable int base_ = 0;
};

// ---- steps ----

void Explorer::complete(Barrier& barrier, int ring) const {
  barrier = {.item = byte_of(barrier.item + slots(ring)), .arrived = 0, .loads = 0};
}

// Whether the wait for `full` of the item, or for `empty` of the slot's previous item, passes by parity. It is a fault
// if it passes in another phase than the meant one, an even number of phases away.
bool Explorer::passes(const Mover& m, bool is_full, int ring, int item) const {
  Slot& at = slot(m.state, ring, item);
  Barrier& barrier = is_full ? at.full : at.empty;
  const int meant = is_full ? item : item - slots(ring);
  const Ring& of = protocol_.rings[static_cast<std::size_t>(ring)];
  if (reduces_ && is_full && barrier.item == meant && barrier.arrived == of.full_arrivals) complete(barrier, ring);
  const int phases = (barrier.item - meant) / slots(ring);
  if (phases % 2 == 0) return false;
  const Act act = is_full ? Act::wait_full : Act::wait_empty;
  if (phases < 1) fail(m, act, ring, item, "passes two phases off, as an earlier phase is not complete either");
  if (phases > 1) fail(m, act, ring, item, "passes two phases late");
  note(m, act, ring, item);
  return true;
}

// A look that passes only saves the later wait. The barrier is restored, so that a look does not complete a load.
void Explorer::look(const Mover& m, int ring, int item) const {
  Barrier& full = slot(m.state, ring, item).full;
  const Barrier before = full;
  passes(m, true, ring, item);
  full = before;
}

void Explorer::arrive(const Mover& m, bool is_full, int ring, int item, bool loads) const {
  Slot& at = slot(m.state, ring, item);
  Barrier& barrier = is_full ? at.full : at.empty;
  const Ring& of = protocol_.rings[static_cast<std::size_t>(ring)];
  const int count = is_full ? of.full_arrivals : of.empty_arrivals;
  const Act act = loads ? Act::load : is_full ? Act::arrive : Act::release;
  if (barrier.item != item)
    fail(m, act, ring, item,
         "it counts for another phase, which has an arrival too many: that of " + name(ring, barrier.item));
  if (barrier.arrived == count) fail(m, act, ring, item, "an arrival too many, as its phase has all that it awaits");
  note(m, act, ring, item);
  ++barrier.arrived;
  barrier.loads = static_cast<Byte>(barrier.loads + (loads ? 1 : 0));
  if (barrier.arrived == count && barrier.loads == 0) complete(barrier, ring);
}

// Fails unless all readers have read the slot's previous item.
void Explorer::check_written(const Mover& m, int ring, int item) const {
  const int before = item - slots(ring);
  if (before < 0) return;
  for_each_mover(m.state, [&](const Mover& reader) {
    const Byte* const read = mark(reader, ring, Mark::read);
    if (read == nullptr || before / items(ring) % reader.actors.teams != reader.team) return;
    if (*read <= before) fail(m, Act::write, ring, item, "overwrites what is not yet read by " + name(reader));
  });
}

void Explorer::check_read(const Mover& m, int ring, int item) const {
  if (slot(m.state, ring, item).full.item != item + slots(ring))
    fail(m, Act::read, ring, item, "the slot does not hold it");
}

// Returns the actor's next item, which may be in the next stage of its team.
int Explorer::next_item(const Mover& m, int ring, int item) const {
  const int next = item + 1;
  return next % items(ring) == 0 ? next + (m.actors.teams - 1) * items(ring) : next;
}

void Explorer::release(const Mover& m, int ring, int item, bool reads_on) const {
  Byte& released = *mark(m, ring, Mark::released);
  for (; released <= item; released = byte_of(next_item(m, ring, released))) arrive(m, false, ring, released, false);
  Byte& read = *mark(m, ring, Mark::read);
  while (!reads_on && read <= item) read = byte_of(next_item(m, ring, read));
}

bool Explorer::is_requested(const Mover& m, int ring, int item) const {
  const Byte end = m.state[0];
  const int next = *mark(m, ring, Mark::requested);
  return next > item || (end != kNoEnd && next >= end * items(ring));
}

// Loads one item; if more are requested, the next call continues.
bool Explorer::request(const Mover& m, int ring, int item) const {
  if (is_requested(m, ring, item)) return true;
  Byte& next = *mark(m, ring, Mark::requested);
  if (!passes(m, false, ring, next)) return false;
  check_written(m, ring, next);
  arrive(m, true, ring, next, true);
  next = byte_of(next + 1);
  return true;
}

// Returns false if the actor has to wait.
bool Explorer::perform(const Mover& m, const Step& step) const {
  const int item = m.position.stage * items(step.ring) + step.offset;
  switch (step.act) {
    case Act::wait_full: return passes(m, true, step.ring, item);
    case Act::wait_empty: return passes(m, false, step.ring, item);
    case Act::request: return request(m, step.ring, item);
    case Act::look: look(m, step.ring, item); return true;
    case Act::read: check_read(m, step.ring, item); return true;
    case Act::write: check_written(m, step.ring, item); return true;
    case Act::release: release(m, step.ring, item, false); return true;
    case Act::release_early: release(m, step.ring, item, true); return true;
    case Act::arrive: arrive(m, true, step.ring, item, false); return true;
    case Act::load:
      check_written(m, step.ring, item);
      arrive(m, true, step.ring, item, true);
      return true;
  }
  return false;
}

// Whether the actor may pause before the step: to wait, or to finish reading what it has released.
bool Explorer::blocks(const Mover& m, const Step& step) const {
  if (step.act == Act::release) return *mark(m, step.ring, Mark::released) > *mark(m, step.ring, Mark::read);
  if (step.act == Act::request) return !is_requested(m, step.ring, m.position.stage * items(step.ring) + step.offset);
  return step.act == Act::wait_full || step.act == Act::wait_empty;
}

// Whether other actors can observe the act.
bool has_effect(Act act) {
  return act == Act::release || act == Act::release_early || act == Act::arrive || act == Act::load ||
         act == Act::request;
}

// Whether other actors may act between the actor's previous step and this one.
bool Explorer::begins_move(const Mover& m, const Step& step) const {
  if (blocks(m, step)) return true;
  const bool is_release = step.act == Act::release || step.act == Act::release_early;
  if (!is_release && step.act != Act::arrive && step.act != Act::load) return false;
  return !are_merged_[static_cast<std::size_t>(2 * step.ring + (is_release ? 0 : 1))];
}

// ---- moves of an actor ----

// Whether the actor is at the end of a stage, where a tile may end.
bool Explorer::is_at_choice(const Mover& m) const {
  return !m.actors.at_end.empty() && m.position.step == static_cast<Byte>(m.actors.steps.size());
}

const Step& Explorer::next_step(const Mover& m) const {
  const auto at = static_cast<std::size_t>(m.position.step);
  const std::size_t steps = m.actors.steps.size();
  return at < steps ? m.actors.steps[at] : m.actors.at_end[at - steps];
}

bool Explorer::is_done(const Mover& m) const { return m.state[0] != kNoEnd && m.position.stage >= m.state[0]; }

// Advances an actor to its next wait (one step without reductions). False: it must wait, and the state is invalid.
bool Explorer::advance(const Mover& m, bool ends_tile) const {
  const auto next_stage = [&] { m.position = {byte_of(m.position.stage + m.actors.teams), 0}; };
  const std::size_t all = m.actors.steps.size() + m.actors.at_end.size();
  if (is_at_choice(m) && !ends_tile) next_stage();
  if (is_done(m)) return false;
  for (bool is_seen = false;;) {
    const Step& step = next_step(m);
    if (is_seen && begins_move(m, step)) return true;
    const bool requests_nothing = step.act == Act::request && !blocks(m, step);
    if (!perform(m, step)) return false;
    is_seen |= has_effect(step.act) && !requests_nothing;
    if (step.act != Act::request || !blocks(m, step)) ++m.position.step;
    if (m.position.step == static_cast<Byte>(all)) next_stage();
    if (is_at_choice(m) || is_done(m) || !reduces_) return true;
  }
}

// Range of the possible numbers of stages of a run: at least those begun, at most those requested.
Explorer::Ends Explorer::ends(State state) const {
  Ends ends = {1, 1};
  for_each_mover(state, [&](const Mover& m) {
    int& end = m.actors.only_loads ? ends.last : ends.first;
    end = std::max(end, m.position.stage + 1 - (m.position.step > 0 ? 0 : m.actors.teams));
    for_each_mark(m, [&](int ring, Mark which, Byte next) {
      if (which == Mark::requested) ends.last = std::max(ends.last, (next + items(ring) - 1) / items(ring));
    });
  });
  return ends;
}

bool Explorer::apply(State state, const Move& move) const {
  using Kind = Move::Kind;
  switch (move.kind) {
    case Kind::none: return false;
    case Kind::end_run: state[0] = static_cast<Byte>(move.actor); return true;
    case Kind::go_on: return advance(mover(state, move.group, move.actor), false);
    case Kind::end_tile: return advance(mover(state, move.group, move.actor), true);
    case Kind::complete_load: {
      Barrier& barrier = slot(state, move.group, move.actor).full;
      if (barrier.loads == 0) return false;
      --barrier.loads;
      const Ring& ring = protocol_.rings[move.group];
      if (lines_ != nullptr) lines_->push_back("a load completes: " + name(move.group, barrier.item));
      if (barrier.arrived == ring.full_arrivals && barrier.loads == 0) complete(barrier, move.group);
      return true;
    }
  }
  return false;
}

// Begins loads as early as possible, and renumbers stages from the oldest in use; returns the shift.
int Explorer::settle(std::vector<Byte>& state) const {
  for (std::size_t g = 0; reduces_ && g < groups().size(); ++g)
    for (std::size_t i = 0; protocol_.actors[g].only_loads && i < groups()[g].count; ++i)
      while (advance(mover(state.data(), g, i), false)) {
      }
  return normalize(state.data());
}

std::vector<Byte> Explorer::first() const {
  std::vector<Byte> state = start();
  for_each_mover(state.data(), [&](const Mover& m) {
    for (const Step& step : m.actors.at_first) {
      while (step.act == Act::request && blocks(m, step)) perform(m, step);
      if (step.act != Act::request) perform(m, step);
    }
  });
  settle(state);
  return state;
}

// ---- exploring ----

bool Explorer::follow(std::size_t from, const Move& move) {
  const Byte* const state = states_.at(from);
  scratch_.assign(state, state + bytes());
  if (!apply(scratch_.data(), move)) return false;
  settle(scratch_);
  if (states_.add(scratch_)) links_.push_back({static_cast<std::uint32_t>(from), move});
  return true;
}

// Whether any actor can go on or all are done. The end of a tile does not count as progress, because the run may never
// end the tile.
bool Explorer::expand_actors(std::size_t from, Move& move) {
  std::vector<Byte> copy(states_.at(from), states_.at(from) + bytes());
  bool goes_on = false;
  bool are_done = true;
  for (std::size_t g = 0; g < groups().size(); ++g)
    for (std::size_t i = 0; i < groups()[g].count; ++i) {
      const Mover m = mover(copy.data(), g, i);
      are_done &= is_done(m);
      if (reduces_ && m.actors.only_loads) continue;
      const bool must_end = copy[0] != kNoEnd && m.position.stage + m.actors.teams >= copy[0];
      const auto actor = [&](Move::Kind kind) -> Move {
        return {kind, static_cast<std::uint8_t>(g), static_cast<std::uint8_t>(i)};
      };
      if (is_at_choice(m)) goes_on |= follow(from, move = actor(Move::Kind::end_tile)) && must_end;
      if (!is_at_choice(m) || !must_end) goes_on |= follow(from, move = actor(Move::Kind::go_on));
    }
  return goes_on || are_done;
}

void Explorer::expand(std::size_t from) {
  Move move;
  try {
    bool goes_on = expand_actors(from, move);
    for (int r = 0; !reduces_ && r < rings(); ++r)
      for (int i = 0; i < slots(r); ++i) {
        move = {Move::Kind::complete_load, static_cast<std::uint8_t>(r), static_cast<std::uint8_t>(i)};
        goes_on |= follow(from, move);
      }
    move = {};
    if (!goes_on) throw Fault{};
    std::vector<Byte> copy(states_.at(from), states_.at(from) + bytes());
    if (!protocol_.ends || copy[0] != kNoEnd) return;
    const Ends of_run = ends(copy.data());
    for (int end = of_run.first; end <= of_run.last; ++end)
      follow(from, {Move::Kind::end_run, 0, static_cast<std::uint8_t>(end)});
  } catch (const Fault&) {
    throw Fault{trace(from, move)};
  }
}

void Explorer::add_first() {
  try {
    states_.add(first());
  } catch (const Fault&) {
    throw Fault{trace(0, {})};
  }
}

Exploration Explorer::explore() {
  const auto begin = std::chrono::steady_clock::now();
  Exploration made;
  try {
    links_.emplace_back();
    add_first();
    for (std::size_t i = 0; i < states_.size(); ++i) expand(i);
  } catch (const Fault& fault) {
    made.fault = fault.text;
  }
  made.states = states_.size();
  made.bytes = states_.bytes() + links_.capacity() * sizeof(Link);
  made.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return made;
}

// ---- text of a fault ----

std::string Explorer::name(const Mover& m) const {
  if (m.actors.teams == 1) return m.actors.name;
  return m.actors.name + " of team " + std::to_string((m.position.stage + base_) % m.actors.teams);
}

std::string Explorer::name(int ring, int item) const {
  const Ring& of = protocol_.rings[static_cast<std::size_t>(ring)];
  const int absolute = item + base_ * of.items;
  return of.name + " " + std::to_string(absolute) + " (slot " + std::to_string(absolute % of.slots) + ", phase " +
         std::to_string(absolute / of.slots) + ")";
}

const char* text_of(Act act) {
  switch (act) {
    case Act::wait_full: return "waits for full of ";
    case Act::look: return "looks for ";
    case Act::read: return "reads ";
    case Act::release: return "arrives at empty of ";
    case Act::release_early: return "arrives early at empty of ";
    case Act::wait_empty: return "waits for empty of ";
    case Act::write: return "writes ";
    case Act::arrive: return "arrives at full of ";
    case Act::load: return "begins to load ";
    case Act::request: return "requests ";
  }
  return "";
}

std::string Explorer::text(const Mover& m, Act act, int ring, int item) const {
  return name(m) + ", stage " + std::to_string(m.position.stage + base_) + ": " + text_of(act) + name(ring, item);
}

void Explorer::note(const Mover& m, Act act, int ring, int item) const {
  if (lines_ != nullptr) lines_->push_back(text(m, act, ring, item));
}

// Throws without text while exploring; trace() replays the steps and gets the text.
void Explorer::fail(const Mover& m, Act act, int ring, int item, const std::string& why) const {
  if (lines_ == nullptr) throw Fault{};
  throw Fault{text(m, act, ring, item) + ": " + why};
}

std::string Explorer::where_all_are(State state) const {
  std::string text_of_all = "nobody can go on:";
  for_each_mover(state, [&](const Mover& m) {
    const Step& step = next_step(m);
    text_of_all += " " + text(m, step.act, step.ring, m.position.stage * items(step.ring) + step.offset) + ";";
  });
  return text_of_all;
}

// Replays the moves to state `from` and then `last`. Returns these steps and the fault that they lead to.
std::string Explorer::trace(std::size_t from, const Move& last) const {
  std::vector<Move> moves = {last};
  for (std::size_t i = from; i > 0; i = links_[i].before) moves.insert(moves.begin(), links_[i].move);
  std::vector<std::string> lines;
  lines_ = &lines;
  base_ = 0;
  std::string text;
  try {
    std::vector<Byte> state = first();
    for (const Move& move : moves) {
      if (move.kind == Move::Kind::none) throw Fault{where_all_are(state.data())};
      apply(state.data(), move);
      base_ += settle(state);
    }
  } catch (const Fault& fault) {
    text = fault.text;
  }
  lines_ = nullptr;
  for (const std::string& line : lines) text += "\n  " + line;
  return protocol_.name + ": " + text;
}

}  // namespace

Exploration explore(const Protocol& protocol, Reductions reductions) {
  return Explorer(protocol, reductions).explore();
}

}  // namespace qfuse::tests
