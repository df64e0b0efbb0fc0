// Explores the protocol of a kernel whose warps pass stages to each other through rings of slots in shared memory:
// every order in which its warps can run and its loads can complete, in runs of any length, without a GPU.
//
// A ring has two mbarriers per slot, `full` and `empty`. Item g of a ring is in slot g % slots, in phase g / slots. A
// wait by parity passes if the last completed phase has that parity. That phase can be another one than the phase that
// is meant.
//
// Reductions, and why each is sound:
// - States are relative to the oldest stage in use. Slots and teams are numbered modulo, so shifting all stages by one
//   changes nothing, and finitely many states cover runs of any length. Actors that run the same program are sorted.
// - A wait and the steps after it are one move (Lipton reduction): a wait commutes with later steps of other actors,
//   since it still passes. A second arrival joins the move too if all who wait for it wait for every phase, and if all
//   wait before they read or write: it commutes with earlier steps of others, since it only lets them pass. Where teams
//   take turns waiting, the arrival is a move of its own: while it is missing, a wait may pass two phases off.
// - A load completes when the first wait needs it. Until then it is in flight, and a wait that passes anyway is a
//   fault. Actors that only load begin each load as early as possible: a late begin equals a late completion.
// Reductions::none makes each step and each completion a move. rings_test.cpp compares both.
#ifndef QFUSE_TESTS_CUDA_RING_EXPLORER_H
#define QFUSE_TESTS_CUDA_RING_EXPLORER_H

#include <cstddef>
#include <string>
#include <vector>

namespace qfuse::tests {

struct Ring {
  std::string name;
  int slots;
  int full_arrivals;   // arrivals that complete a phase
  int empty_arrivals;  // likewise
  int items = 1;       // per stage, each in its own slot
};

enum class Act {
  wait_full,      // blocks until the item is there
  look,           // like wait_full but does not block: checks whether the item may be read early
  read,           // begins to read the item, which must be there
  release,        // has read all items up to this one; arrives at `empty` for each without an arrival so far
  release_early,  // arrives like release, but reads on until the release
  wait_empty,     // blocks until the item may be written
  write,          // begins to write the item: all readers must have read the slot's previous item
  arrive,         // arrives at `full`: the actor has written its part
  load,           // begins an asynchronous load, which completes at any time; arrives at `full`
  request         // wait_empty and load for each item up to this one that is not loaded yet
};

// A step in stage g of an actor concerns item g * items + offset of the ring.
struct Step {
  Act act;
  int ring;
  int offset = 0;
};

// Actors that run the same program. With several teams, team t takes the stages g with g % teams == t.
struct Actors {
  std::string name;
  int count;                        // per team
  std::vector<Step> steps;          // per stage
  std::vector<Step> at_end = {};    // optional steps after any stage: a tile ends there. The first is not a wait
  std::vector<Step> at_first = {};  // steps before the first stage, starting at stage 0
  int teams = 1;
  bool only_loads = false;
};

struct Protocol {
  std::string name;
  std::vector<Ring> rings;
  std::vector<Actors> actors;
  bool ends = false;  // the run may end after any stage. Then nobody requests items of later stages
};

enum class Reductions { all, none };

struct Exploration {
  std::string fault;  // a fault and the fewest steps that lead to it; empty if every state is safe
  std::size_t states = 0;
  std::size_t bytes = 0;
  double seconds = 0;
};

Exploration explore(const Protocol& protocol, Reductions reductions = Reductions::all);

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_CUDA_RING_EXPLORER_H
