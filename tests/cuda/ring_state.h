// The states of a protocol (ring_explorer.h) as bytes, and the set of visited states.
#ifndef QFUSE_TESTS_CUDA_RING_STATE_H
#define QFUSE_TESTS_CUDA_RING_STATE_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ring_explorer.h"

namespace qfuse::tests {

// Stage and item numbers in a state are relative to the oldest stage in use.
using Byte = signed char;
using State = Byte*;

// Value of a state's first byte (the stage at which the run ends) while no end is decided.
constexpr Byte kNoEnd = -1;

// Converts to a Byte; throws std::out_of_range if the value does not fit.
Byte byte_of(int value);

// An mbarrier. Its phase is identified by the item of that phase.
struct Barrier {
  Byte item;
  Byte arrived;
  Byte loads;  // in flight
};
struct Slot {
  Barrier full;
  Barrier empty;
};

// Progress of an actor. `step` counts the steps of a stage, then the steps at the end of a tile.
struct Position {
  Byte stage;
  Byte step;
};

// Marks of an actor in each ring that it reads or requests: its next item to read, to release or to request.
enum class Mark { read, released, requested };
constexpr std::size_t kMarks = 3;

// Layout of the actors that run the same program.
struct Group {
  struct Marked {
    int ring;
    Mark which;
    std::size_t at;
  };
  std::size_t at;
  std::size_t width;                // bytes per actor
  std::size_t count;                // over all teams
  std::vector<Marked> marks;        // per actor
  std::vector<std::size_t> places;  // offset of each mark in an actor, at index ring * kMarks + mark; 0: no such mark
};

// One actor in a state; its moves change the state.
struct Mover {
  State state;
  const Actors& actors;
  const Group& group;
  Byte* bytes;
  Position& position;
  int team;
};

// Layout of a state: the end of the run, then rings, then actors.
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
  // Returns nullptr if the actor has no such mark.
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

  // Returns the state with empty slots and every actor before its first stage.
  [[nodiscard]] std::vector<Byte> start() const;
  // Replaces a state by the representative of all equivalent states. Returns the number of stages by which stage
  // numbers shift.
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

  // Adds the state as the last one; returns whether it is new.
  bool add(const std::vector<Byte>& state);

 private:
  std::uint32_t& find(const Byte* state);
  void grow();

  std::size_t width_;
  std::vector<Byte> all_;
  std::vector<std::uint32_t> table_;  // hash table of state number + 1 (0: none); size 2^n, at most half used
};

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_CUDA_RING_STATE_H
