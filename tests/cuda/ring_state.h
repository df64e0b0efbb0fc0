// The states of a protocol (ring_explorer.h), as bytes, and the set of those that were seen.
#ifndef QFUSE_TESTS_CUDA_RING_STATE_H
#define QFUSE_TESTS_CUDA_RING_STATE_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ring_explorer.h"

namespace qfuse::tests {

// Stages and items in a state are relative to the oldest stage in use.
using Byte = signed char;
using State = Byte*;

// At the first place of a state: the stage at which the run ends.
constexpr Byte kNoEnd = -1;

// Throws what no byte has room for.
Byte byte_of(int value);

// An mbarrier. The item whose phase is current stands for the phase.
struct Barrier {
  Byte item;
  Byte arrived;
  Byte loads;  // in flight
};
struct Slot {
  Barrier full;
  Barrier empty;
};

// How far an actor is. `step` counts the steps of a stage, then those at a tile's end.
struct Position {
  Byte stage;
  Byte step;
};

// Of an actor, in each ring that it reads or requests: the next item that it has not read, released or requested.
enum class Mark { read, released, requested };
constexpr std::size_t kMarks = 3;

// Actors that run the same program, in a state.
struct Group {
  struct Marked {
    int ring;
    Mark which;
    std::size_t at;
  };
  std::size_t at;
  std::size_t width;                // of an actor
  std::size_t count;                // with all teams
  std::vector<Marked> marks;        // of an actor
  std::vector<std::size_t> places;  // the same: of ring r and mark m, at r * kMarks + m. 0: an actor has none
};

// An actor in a state, while it moves.
struct Mover {
  State state;
  const Actors& actors;
  const Group& group;
  Byte* bytes;
  Position& position;
  int team;
};

// Where a state has what it has: its end, then rings, then actors.
class StateLayout {
 public:
  explicit StateLayout(const Protocol& protocol);

  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] int rings() const { return static_cast<int>(rings_.size()); }
  [[nodiscard]] int slots(int ring) const { return protocol_.rings[static_cast<std::size_t>(ring)].slots; }
  [[nodiscard]] int items(int ring) const { return protocol_.rings[static_cast<std::size_t>(ring)].items; }
  [[nodiscard]] const std::vector<Group>& groups() const { return groups_; }

  Slot& slot(State state, int ring, int item) const;
  Mover mover(State state, std::size_t group, std::size_t actor) const;
  // nullptr: it has none.
  Byte* mark(const Mover& m, int ring, Mark which) const;

  template <class F>
  void for_each_mover(State state, F&& f) const {
    for (std::size_t g = 0; g < groups_.size(); ++g)
      for (std::size_t i = 0; i < groups_[g].count; ++i) f(mover(state, g, i));
  }
  template <class F>
  void for_each_mark(const Mover& m, F&& f) const {
    for (const Group::Marked& marked : m.group.marks) f(marked.ring, marked.which, m.bytes[marked.at]);
  }

  // All slots empty, and every actor before its first stage.
  [[nodiscard]] std::vector<Byte> start() const;
  // Makes of a state the one that stands for all that are alike. Returns the number of the stage that is the oldest
  // one.
  int normalize(State state) const;

 private:
  [[nodiscard]] int oldest_stage(State state) const;
  void shift(State state, int stages) const;
  void sort(State state, std::size_t group) const;

  const Protocol& protocol_;
  std::vector<std::size_t> rings_;
  std::vector<Group> groups_;
  std::size_t bytes_ = 1;
};

class States {
 public:
  explicit States(std::size_t width) : width_(width), table_(1 << 12) {}

  [[nodiscard]] std::size_t size() const { return all_.size() / width_; }
  [[nodiscard]] std::size_t bytes() const { return all_.capacity() + table_.capacity() * sizeof table_[0]; }
  [[nodiscard]] const Byte* at(std::size_t i) const { return all_.data() + i * width_; }

  // Whether it is new; then its number is the last.
  bool add(const std::vector<Byte>& state);

 private:
  std::uint32_t& find(const Byte* state);
  void grow();

  std::size_t width_;
  std::vector<Byte> all_;
  std::vector<std::uint32_t> table_;  // number + 1; 0: no state. A power of two of them, half of which are used
};

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_CUDA_RING_STATE_H
