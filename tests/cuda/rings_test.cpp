// Explores the ring protocols of the matrix product kernels with specialized warps (ring_explorer.h). A kernel that
// changes its waits, arrivals or slots has to change here, too. No step depends on the tile of a stage: the tiles of
// experts are elsewhere in memory, but each role has the same number of tiles, with the same number of stages.
//
// Two warps stand for all that run the same program: one that may be anywhere, and the last of the others. A phase is
// complete once the last warp has arrived, and a wait that passes for the last one passes for those ahead of it. So
// whatever a warp can observe of the others, it observes of the last. `every_warp_is_safe` explores some shapes with
// all warps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "backend/cuda/matmul_4bit/plan.h"
#include "backend/cuda/rotated_int8/plan.h"
#include "ring_explorer.h"

namespace qfuse::tests {
namespace {

using cuda::matmul_4bit::StageShape;

struct Warps {
  int of_team = 2;  // decoders per team
  int of_multipliers = 2;
};

// ---- matmul_4bit, warp_specialized: producer_warps.cuh, decoding_warps.cuh and multiplying_warps.cuh ----

enum WarpSpecializedRing { kCodes, kDecoded, kInputs };

// Without producers, inputs have two slots per stage.
std::vector<Ring> warp_specialized_rings(const StageShape& shape, Warps warps) {
  const int parts = cuda::matmul_4bit::kStageTerms / shape.input_terms();
  return {{"codes", shape.code_slots, 1, warps.of_team},
          {"decoded", shape.decoded_slots, warps.of_team, warps.of_multipliers},
          {"inputs", shape.input_slots, 1, warps.of_multipliers, parts}};
}

// LoRA stages are loaded into the ring that others are decoded into; the first warp of a team begins that load. A load
// may complete at once, like an arrival. So a load in every stage covers all mixes of both kinds of stages, in any
// order.
Actors decoders(const StageShape& shape, int count, bool begins_loads, bool requests) {
  Actors actors{.name = begins_loads ? "first decoder" : "decoder",
                .count = count,
                .steps = {{Act::wait_full, kCodes},
                          {Act::read, kCodes},
                          {Act::wait_empty, kDecoded},
                          {Act::write, kDecoded},
                          {begins_loads ? Act::load : Act::arrive, kDecoded},
                          {Act::release, kCodes}},
                .teams = shape.teams};
  if (requests) {
    actors.at_first = {{Act::request, kCodes, shape.code_slots - 1}};
    actors.steps.push_back({Act::request, kCodes, shape.code_slots});
  }
  return actors;
}

Actors multipliers(int count) {
  return {.name = "multiplier",
          .count = count,
          .steps = {{Act::wait_full, kInputs},
                    {Act::read, kInputs},
                    {Act::wait_full, kDecoded},
                    {Act::read, kDecoded},
                    {Act::release, kDecoded, -1},
                    {Act::release, kInputs, -1}},
          .at_end = {{Act::release, kDecoded}, {Act::release, kInputs}}};
}

// Multipliers for two input slots per stage. The first one requests inputs.
Actors multipliers_of_parts(const StageShape& shape, int count, bool requests) {
  const int slots = shape.input_slots;
  Actors actors{.name = requests ? "first multiplier" : "multiplier", .count = count, .steps = {}};
  const auto release_inputs = [&](std::vector<Step>& steps, int item) {
    steps.push_back({Act::release, kInputs, item});
    if (requests) steps.push_back({Act::request, kInputs, item + slots});
  };
  if (requests) actors.at_first = {{Act::request, kInputs, slots - 1}};
  actors.steps = {{Act::wait_full, kInputs}, {Act::read, kInputs}, {Act::wait_full, kDecoded}, {Act::read, kDecoded}};
  actors.steps.push_back({Act::release, kDecoded, -1});
  release_inputs(actors.steps, -1);
  actors.steps.insert(actors.steps.end(), {{Act::wait_full, kInputs, 1}, {Act::read, kInputs, 1}});
  release_inputs(actors.steps, 0);
  actors.at_end = {{Act::release, kDecoded}};
  release_inputs(actors.at_end, 1);
  return actors;
}

std::string name_of(const StageShape& shape) {
  return "warp_specialized " + std::to_string(shape.outputs) + " x " + std::to_string(shape.tokens);
}

// Actors that request depend on the end of the run: they request nothing beyond it, so they do not wait there.
Protocol warp_specialized(const StageShape& shape, Warps warps = {}) {
  const bool request = !shape.has_producers();
  Protocol protocol{
      .name = name_of(shape), .rings = warp_specialized_rings(shape, warps), .actors = {}, .ends = request};
  protocol.actors = {decoders(shape, 1, true, request), decoders(shape, warps.of_team - 1, false, false)};
  if (request) {
    protocol.actors.push_back(multipliers_of_parts(shape, 1, true));
    protocol.actors.push_back(multipliers_of_parts(shape, warps.of_multipliers - 1, false));
    return protocol;
  }
  protocol.actors.push_back(multipliers(warps.of_multipliers));
  for (const int ring : {kCodes, kInputs})
    protocol.actors.push_back({.name = "loader of " + protocol.rings[static_cast<std::size_t>(ring)].name,
                               .count = 1,
                               .steps = {{Act::wait_empty, ring}, {Act::load, ring}},
                               .only_loads = true});
  return protocol;
}

// ---- matmul_4bit, register_weights: register_weights.cu. A stage is a panel ----

constexpr int kTableMakers = 2;  // as in register_weights.cu, which is device code

Protocol register_weights(Warps warps = {}, int slots = cuda::matmul_4bit::kRegisterWeightsSlots) {
  return {
      .name = "register_weights",
      .rings = {{"panels", slots, 1 + kTableMakers, warps.of_multipliers}},
      .actors = {{.name = "loader", .count = 1, .steps = {{Act::wait_empty, 0}, {Act::load, 0}}, .only_loads = true},
                 {.name = "table maker",
                  .count = kTableMakers,
                  .steps = {{Act::wait_empty, 0}, {Act::write, 0}, {Act::arrive, 0}}},
                 {.name = "multiplier",
                  .count = warps.of_multipliers,
                  .steps = {{Act::wait_full, 0}, {Act::read, 0}, {Act::look, 0, 1}, {Act::release, 0, -1}},
                  .at_end = {{Act::release, 0}}}}};
}

// ---- rotated_int8_matmul: wgmma.cu. Loaders and fillers wait only for multipliers, each in a ring of its own. So two
// protocols suffice: tiles of several stages, and tiles of one stage that end with `windows` windows ----

Protocol wgmma_stages(Warps warps = {}, int slots = cuda::rotated_int8::kWgmmaShapes[0].slots) {
  return {
      .name = "rotated_int8 wgmma, " + std::to_string(slots) + " slots",
      .rings = {{"stages", slots, 1, warps.of_multipliers}},
      .actors = {{.name = "loader", .count = 1, .steps = {{Act::wait_empty, 0}, {Act::load, 0}}, .only_loads = true},
                 {.name = "multiplier",
                  .count = warps.of_multipliers,
                  .steps = {{Act::wait_full, 0}, {Act::read, 0}, {Act::release, 0, -1}},
                  .at_end = {{Act::release, 0}}}}};
}

Protocol wgmma_tiles(int windows, Warps warps = {}) {
  enum { kStages, kEnds };
  Protocol protocol = wgmma_stages(warps);
  protocol.name = "rotated_int8 wgmma, tiles of " + std::to_string(windows) + " windows";
  protocol.rings.push_back(
      {"ends", cuda::rotated_int8::kWgmmaEnds, cuda::rotated_int8::kWgmmaFillers, warps.of_multipliers, windows});
  Actors fillers{.name = "filler", .count = cuda::rotated_int8::kWgmmaFillers, .steps = {}};
  Actors multipliers{.name = "multiplier",
                     .count = warps.of_multipliers,
                     .steps = {{Act::wait_full, kStages}, {Act::read, kStages}, {Act::release, kStages}}};
  for (int window = 0; window < windows; ++window) {
    for (const Act act : {Act::wait_empty, Act::write, Act::arrive}) fillers.steps.push_back({act, kEnds, window});
    for (const Act act : {Act::wait_full, Act::read, Act::release}) multipliers.steps.push_back({act, kEnds, window});
  }
  protocol.actors = {protocol.actors[0], fillers, multipliers};
  return protocol;
}

// ---- tests ----

// Explores the protocol and prints the figures that documents quote.
Exploration explored(const Protocol& protocol) {
  Exploration found = explore(protocol);
  std::printf("%-36s %9zu states %7.2f s %7.1f MB  %s\n", protocol.name.c_str(), found.states, found.seconds,
              static_cast<double>(found.bytes) / 1e6, found.fault.empty() ? "safe" : "faulty");
  testing::Test::RecordProperty(protocol.name + ", states", std::to_string(found.states));
  testing::Test::RecordProperty(protocol.name + ", seconds", std::to_string(found.seconds));
  return found;
}

void expect_fault(const Protocol& protocol, const std::string& says) {
  const Exploration found = explore(protocol);
  EXPECT_NE(found.fault.find(says), std::string::npos) << protocol.name << "\nsays " << found.fault << "\nnot " << says;
}

StageShape shape_of(int outputs, int tokens) {
  for (const StageShape& shape : cuda::matmul_4bit::kStageShapes)
    if (shape.outputs == outputs && shape.tokens == tokens) return shape;
  ADD_FAILURE() << "there is no such shape";
  return {};
}

StageShape small_shape(int teams, int decoded_slots, int code_slots) {
  return {.outputs = 64,
          .tokens = 64,
          .decoders = 4 * teams,
          .teams = teams,
          .decoded_slots = decoded_slots,
          .input_slots = 2,
          .code_slots = code_slots,
          .clocks = 0};
}

TEST(Rings, every_shape_of_warp_specialized_is_safe) {
  for (const StageShape& shape : cuda::matmul_4bit::kStageShapes)
    EXPECT_EQ(explored(warp_specialized(shape)).fault, "");
}

TEST(Rings, register_weights_is_safe) { EXPECT_EQ(explored(register_weights()).fault, ""); }

TEST(Rings, wgmma_of_int8_is_safe) {
  for (const auto& shape : cuda::rotated_int8::kWgmmaShapes)
    EXPECT_EQ(explored(wgmma_stages({}, shape.slots)).fault, "");
  for (const int windows : {1, 2, 3}) EXPECT_EQ(explored(wgmma_tiles(windows)).fault, "");
}

TEST(Rings, every_warp_is_safe) {
  for (const StageShape& shape : {shape_of(128, 64), shape_of(128, 128), shape_of(64, 128), shape_of(128, 256)}) {
    Protocol protocol = warp_specialized(shape, {shape.decoders / shape.teams, shape.multipliers()});
    protocol.name += ", every warp";
    EXPECT_EQ(explored(protocol).fault, "");
  }
  Protocol protocol = register_weights({.of_multipliers = cuda::matmul_4bit::kRegisterWeightsMultipliers});
  protocol.name += ", every warp";
  EXPECT_EQ(explored(protocol).fault, "");
  protocol = wgmma_stages({.of_multipliers = cuda::rotated_int8::kWgmmaMultipliers});
  protocol.name += ", every warp";
  EXPECT_EQ(explored(protocol).fault, "");
}

// Two earlier shapes. Their sums were wrong if loads completed out of order.
TEST(Rings, slots_of_codes_that_teams_share_in_turn_are_too_few) {
  StageShape shape = shape_of(128, 64);
  shape.code_slots = 5;
  expect_fault(warp_specialized(shape),
               "of team 2, stage 5: waits for full of codes 5 (slot 0, phase 1): passes two phases off");
  shape = shape_of(128, 128);
  shape.code_slots = 3;
  expect_fault(warp_specialized(shape),
               "of team 1, stage 3: waits for full of codes 3 (slot 0, phase 1): passes two phases off");
}

// Codes need slots that always belong to the same team, or enough slots that the slot's previous stage is consumed
// before a team reuses it. Fewer slots fail.
TEST(Rings, slots_of_codes_that_suffice) {
  std::size_t states = 0;
  for (int teams = 2; teams <= 4; ++teams)
    for (int decoded = teams; decoded <= teams + 2; ++decoded)
      for (int codes = teams; codes <= teams + decoded + 1; ++codes) {
        const Exploration found = explore(warp_specialized(small_shape(teams, decoded, codes)));
        states += found.states;
        EXPECT_EQ(found.fault.empty(), codes % teams == 0 || codes >= teams + decoded)
            << teams << " teams, " << decoded << " slots decoded, " << codes << " of codes: " << found.fault;
        EXPECT_TRUE(found.fault.empty() || found.fault.find("two phases off") != std::string::npos) << found.fault;
      }
  std::printf("%-36s %9zu states\n", "teams and slots, small", states);
}

// ---- planted faults ----

void drop(Protocol& protocol, const std::string& name, Act act, int ring) {
  std::size_t dropped = 0;
  for (Actors& actors : protocol.actors)
    if (actors.name.find(name) != std::string::npos)
      dropped += std::erase_if(actors.steps, [&](const Step& step) { return step.act == act && step.ring == ring; });
  EXPECT_GT(dropped, 0U) << name;
}

// Inserts `step` after the first step with this act and ring.
void insert(Protocol& protocol, const std::string& name, Act behind, int ring, Step step) {
  bool is_found = false;
  for (Actors& actors : protocol.actors) {
    const auto at = std::find_if(actors.steps.begin(), actors.steps.end(),
                                 [&](const Step& other) { return other.act == behind && other.ring == ring; });
    if (actors.name.find(name) == std::string::npos || at == actors.steps.end()) continue;
    actors.steps.insert(at + 1, step);
    is_found = true;
  }
  EXPECT_TRUE(is_found) << name;
}

struct Planted {
  std::string what;
  std::function<void(Protocol&)> plant;
  std::string says;
};

void expect_found(const Protocol& sound, const std::vector<Planted>& faults) {
  EXPECT_EQ(explore(sound).fault, "");
  for (const Planted& planted : faults) {
    Protocol protocol = sound;
    protocol.name = planted.what;
    planted.plant(protocol);
    expect_fault(protocol, planted.says);
  }
}

std::vector<Planted> faults_of_warp_specialized() {
  return {
      {"decoders do not wait for a slot", [](Protocol& p) { drop(p, "decoder", Act::wait_empty, kDecoded); },
       "overwrites what is not yet read by multiplier"},
      {"decoders do not wait for codes", [](Protocol& p) { drop(p, "decoder", Act::wait_full, kCodes); },
       "reads codes 0 (slot 0, phase 0): the slot does not hold it"},
      {"multipliers do not wait for decoders", [](Protocol& p) { drop(p, "multiplier", Act::wait_full, kDecoded); },
       "reads decoded 0 (slot 0, phase 0): the slot does not hold it"},
      {"multipliers do not wait for inputs", [](Protocol& p) { drop(p, "multiplier", Act::wait_full, kInputs); },
       "reads inputs 0 (slot 0, phase 0): the slot does not hold it"},
      {"a loader does not wait for a slot", [](Protocol& p) { drop(p, "of codes", Act::wait_empty, kCodes); },
       "writes codes 6 (slot 0, phase 1): overwrites what is not yet read by first decoder"},
      {"a decoder arrives twice",
       [](Protocol& p) {
         insert(p, "decoder", Act::write, kDecoded, {Act::arrive, kDecoded});
       },
       "an arrival too many"},
      {"a loader arrives beside its load",
       [](Protocol& p) {
         insert(p, "of codes", Act::load, kCodes, {Act::arrive, kCodes});
       },
       "an arrival too many, as its phase has all that it awaits"},
      {"a multiplier arrives at full, too",
       [](Protocol& p) {
         insert(p, "multiplier", Act::read, kDecoded, {Act::arrive, kDecoded});
       },
       "it counts for another phase"},
      {"a multiplier releases what its products still read",
       [](Protocol& p) {
         insert(p, "multiplier", Act::read, kDecoded, {Act::release_early, kDecoded});
       },
       "overwrites what is not yet read by multiplier"},
      {"a slot is free once one multiplier has released it", [](Protocol& p) { --p.rings[kDecoded].empty_arrivals; },
       "overwrites what is not yet read by multiplier"},
      {"a stage is decoded once one decoder has done so", [](Protocol& p) { --p.rings[kDecoded].full_arrivals; },
       "an arrival too many"},
      {"one that never comes is awaited", [](Protocol& p) { ++p.rings[kDecoded].full_arrivals; }, "nobody can go on"},
      {"fewer slots than teams", [](Protocol& p) { p.rings[kDecoded].slots = p.actors[0].teams - 1; },
       "passes two phases off"},
      {"one slot, which is released in the next stage", [](Protocol& p) { p.rings[kInputs].slots = 1; },
       "nobody can go on"}};
}

// Faults for shapes in which actors request the loads that they wait for.
std::vector<Planted> faults_without_loaders(const StageShape& shape) {
  return {{"inputs are requested before their slot is released",
           [shape](Protocol& p) {
             insert(p, "first multiplier", Act::read, kInputs, {Act::request, kInputs, shape.input_slots});
           },
           "nobody can go on"},
          {"codes are requested before their slot is released",
           [shape](Protocol& p) {
             insert(p, "first decoder", Act::read, kCodes, {Act::request, kCodes, shape.code_slots});
           },
           "nobody can go on"},
          {"codes are requested a stage too early",
           [shape](Protocol& p) { p.actors[0].steps.back().offset = shape.code_slots + 1; }, "nobody can go on"},
          {"codes are not requested", [](Protocol& p) { drop(p, "first decoder", Act::request, kCodes); },
           "nobody can go on"},
          {"decoders do not wait for a slot", [](Protocol& p) { drop(p, "decoder", Act::wait_empty, kDecoded); },
           "overwrites what is not yet read by"},
          {"half a stage of inputs is not awaited",
           [](Protocol& p) {
             for (Actors& actors : p.actors)
               std::erase_if(actors.steps,
                             [](const Step& step) { return step.act == Act::wait_full && step.offset == 1; });
           },
           "the slot does not hold it"}};
}

std::vector<Planted> faults_of_register_weights() {
  return {{"a table maker does not wait", [](Protocol& p) { drop(p, "table maker", Act::wait_empty, 0); },
           "overwrites what is not yet read by multiplier"},
          {"multipliers do not wait", [](Protocol& p) { drop(p, "multiplier", Act::wait_full, 0); },
           "the slot does not hold it"},
          {"a panel is released while products read it",
           [](Protocol& p) {
             insert(p, "multiplier", Act::read, 0, {Act::release_early, 0});
           },
           "overwrites what is not yet read by multiplier"},
          {"tables are not counted", [](Protocol& p) { p.rings[0].full_arrivals = 1; }, "an arrival too many"},
          {"a look a whole round ahead", [](Protocol& p) { p.actors[2].steps[2].offset = 1 + p.rings[0].slots; },
           "passes two phases off"}};
}

std::vector<Planted> faults_of_wgmma() {
  return {{"fillers do not wait", [](Protocol& p) { drop(p, "filler", Act::wait_empty, 1); },
           "overwrites what is not yet read by multiplier"},
          {"multipliers do not wait for what tiles' ends read",
           [](Protocol& p) { drop(p, "multiplier", Act::wait_full, 1); }, "the slot does not hold it"},
          {"one filler's part is not counted", [](Protocol& p) { --p.rings[1].full_arrivals; }, "an arrival too many"},
          {"a stage is released while products read it",
           [](Protocol& p) {
             insert(p, "multiplier", Act::read, 0, {Act::release_early, 0});
           },
           "overwrites what is not yet read by multiplier"},
          {"an end is not released", [](Protocol& p) { drop(p, "multiplier", Act::release, 1); }, "nobody can go on"}};
}

TEST(PlantedFaults, of_warp_specialized_are_found) {
  expect_found(warp_specialized(shape_of(128, 64)), faults_of_warp_specialized());
}
TEST(PlantedFaults, of_staged_without_loaders_are_found) {
  expect_found(warp_specialized(shape_of(128, 256)), faults_without_loaders(shape_of(128, 256)));
}
TEST(PlantedFaults, of_wgmma_of_int8_are_found) { expect_found(wgmma_tiles(2), faults_of_wgmma()); }
TEST(PlantedFaults, of_register_weights_are_found) { expect_found(register_weights(), faults_of_register_weights()); }

// ---- the reductions of the explorer ----

void expect_the_same(const Protocol& protocol) {
  const Exploration reduced = explore(protocol);
  const Exploration full = explore(protocol, Reductions::none);
  EXPECT_EQ(reduced.fault.empty(), full.fault.empty()) << reduced.fault << "\nand without: " << full.fault;
}

void expect_the_same(const Protocol& sound, const std::vector<Planted>& faults) {
  expect_the_same(sound);
  for (const Planted& planted : faults) {
    Protocol protocol = sound;
    planted.plant(protocol);
    protocol.name = planted.what;
    expect_the_same(protocol);
  }
}

TEST(Explorer, reductions_change_no_verdict) {
  for (int teams = 1; teams <= 2; ++teams)
    for (int decoded = 1; decoded <= 2; ++decoded)
      for (int codes = 1; codes <= 3; ++codes) expect_the_same(warp_specialized(small_shape(teams, decoded, codes)));
}

TEST(Explorer, reductions_hide_no_planted_fault) {
  expect_the_same(warp_specialized(small_shape(2, 2, 2)), faults_of_warp_specialized());
  StageShape shape = shape_of(128, 256);
  shape.code_slots = 1;
  expect_the_same(warp_specialized(shape), faults_without_loaders(shape));
  expect_the_same(register_weights({}, 3), faults_of_register_weights());
  expect_the_same(wgmma_tiles(1), faults_of_wgmma());
}

}  // namespace
}  // namespace qfuse::tests
