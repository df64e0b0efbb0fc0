// Explores the protocol of a kernel whose warps hand stages on to one another through rings of slots in shared memory:
// every order in which its warps can run and its loads can complete, in runs of any length, without a GPU.
//
// A ring has two mbarriers a slot, `full` and `empty`. Item g of a ring lies in slot g % slots, in phase g / slots. A
// wait by parity passes if the phase completed last has that parity, which may be another one than the phase that is
// meant.
//
// Reductions, and why each is sound:
// - States are relative to the oldest stage in use. Slots and teams are numbered modulo, so a shift of all stages by
//   one changes nothing, and finitely many states cover runs of any length. Actors that run the same program are
//   sorted.
// - A wait and what the actor does behind it are one move (Lipton): a wait can be moved behind what others do
//   meanwhile, since it still passes. So is a second arrival, if all who wait for it wait for every phase, and if all
//   wait before they read or write: it can be moved before what others do, since it only lets them pass. Where teams
//   wait by turns it is a move of its own, for as long as it is missing a wait may pass two phases off.
// - A load completes when the first wait needs it. Until then it is in flight, and a wait that passes nevertheless is a
//   fault. Actors that only load begin each load as early as they can: begun late is the same as completed late.
// Reductions::none makes a move of each step and of each completion; rings_test.cpp compares both.
#ifndef QFUSE_TESTS_CUDA_RING_EXPLORER_H
#define QFUSE_TESTS_CUDA_RING_EXPLORER_H

#include <cstddef>
#include <string>
#include <vector>

namespace qfuse::tests {

struct Ring {
  std::string name;
  int slots;
  int full_arrivals;   // that complete a phase
  int empty_arrivals;  // likewise
  int items = 1;       // of a stage, each of which has a slot
};

enum class Act {
  wait_full,      // until the item is there
  look,           // the same, without blocking: whether it may read early
  read,           // begins to read the item, which must be there
  release,        // has read all items up to this one, and arrives at `empty` for each for which it has not yet
  release_early,  // arrives likewise, and reads on until it releases
  wait_empty,     // until the item may be written
  write,          // begins to write the item: all readers must have read what lies in its slot
  arrive,         // at `full`: it has written its part
  load,           // writes by a load that completes at any time; arrives at `full`
  request         // wait_empty and load, for all items up to this one that it has not loaded yet
};

// By an actor in stage g: about the item g * items + offset of the ring.
struct Step {
  Act act;
  int ring;
  int offset = 0;
};

// Actors that run the same program. Of several teams, each takes the stages g with g % teams equal to its number.
struct Actors {
  std::string name;
  int count;                        // of a team
  std::vector<Step> steps;          // of a stage
  std::vector<Step> at_end = {};    // behind any stage it may do these: a tile ends there. The first is not a wait
  std::vector<Step> at_first = {};  // before its first stage, from stage 0 on
  int teams = 1;
  bool only_loads = false;
};

struct Protocol {
  std::string name;
  std::vector<Ring> rings;
  std::vector<Actors> actors;
  bool ends = false;  // behind any stage the run may end. Then nobody requests items of a stage that does not come
};

enum class Reductions { all, none };

struct Exploration {
  std::string fault;  // and the steps that lead to it, as few as possible; empty: every state is safe
  std::size_t states = 0;
  std::size_t bytes = 0;
  double seconds = 0;
};

Exploration explore(const Protocol& protocol, Reductions reductions = Reductions::all);

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_CUDA_RING_EXPLORER_H
