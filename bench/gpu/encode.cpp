// NF4 encode on a GPU, compared with the roof (the same bytes moved) and with the peer.
#include <array>
#include <cstring>
#include <stdexcept>

#include "gpu/kernels.h"
#include "gpu/nf4.h"

namespace qfuse::bench {
namespace {

void require_same(const char* what, const auto& expected, const auto& actual) {
  const auto element = static_cast<std::int64_t>(sizeof(expected[0]));
  const std::string wrong =
      difference(expected.data(), actual.data(), static_cast<std::int64_t>(expected.size()) * element, element);
  if (!wrong.empty()) throw std::runtime_error(std::string(what) + ": " + wrong);
}

void require_plain(const Codes& expected, const Codes& actual) {
  require_same("absmax", expected.absmax, actual.absmax);
  require_same("packed", expected.packed, actual.packed);
}

// Checks plain and nested encoding against the oracle, and scales by importance against the CPU. All use the IEEE
// reciprocal.
void require_encoded(const EncodeWeights& weights, const Codes& oracle, const Card& card) {
  weights.poison(0);
  run(weights.plain(0), exec_on(card, nullptr));
  require_plain(oracle, weights.read(0));
  weights.poison(0);
  run(weights.nested(0), exec_on(card, nullptr));
  const Codes codes = weights.read(0);
  require_same("packed", oracle.packed, codes.packed);
  require_same("nested_offset", std::array{oracle.nested_offset}, std::array{codes.nested_offset});
  require_same("nested_absmax", oracle.nested_absmax, codes.nested_absmax);
  require_same("absmax_8bit", oracle.absmax_8bit, codes.absmax_8bit);
  weights.poison(0);
  run(weights.by_importance(0), exec_on(card, nullptr));
  require_plain(weights.oracle_by_importance(), weights.read(0));
}

// Checks that the peer's codes equal qfuse's with the approximate reciprocal, which the peer uses.
void require_agreement(const EncodeWeights& weights, const Peer& peer, const Card& card) {
  weights.poison(0);
  contract::Quantize4bit p = weights.plain(0);
  p.reciprocal = QFUSE_RECIPROCAL_APPROX;
  run(p, exec_on(card, nullptr));
  const Codes ours = weights.read(0);
  weights.poison(0);
  peer.encode(p);
  require_plain(ours, weights.read(0));
}

std::vector<Candidate> encode_roofs(const EncodeWeights& weights) {
  std::vector<Candidate> roofs;
  for (const RoofTile& tile : kRoofTiles) {
    const Enqueue move = [&weights, tile](int set, void* stream) {
      move_as_encode(weights.plain(set), tile, static_cast<cudaStream_t>(stream));
    };
    roofs.push_back({"the same bytes, " + describe(tile), move});
  }
  return roofs;
}

// Times qfuse's and the peer's encoder launch by launch on the default stream, the only one the peer can use.
void time_peer(Report& report, const EncodeWeights& weights, const Card& card, const Peer& peer, Row row, int sets) {
  require_agreement(weights, peer, card);
  const Enqueue ours = [&](int set, void* stream) {
    contract::Quantize4bit p = weights.plain(set);
    p.reciprocal = QFUSE_RECIPROCAL_APPROX;
    run(p, exec_on(card, stream));
  };
  const Enqueue theirs = [&](int set, void* /*stream*/) { peer.encode(weights.plain(set)); };
  const std::vector<Timing> timings = time_launches(report, {{"ours", ours}, {"theirs", theirs}}, sets);
  const std::string name = row.name;
  row.name = name + " plain, launched one by one";
  row.timing = timings[0];
  row.peer_us = timings[1].median;
  report.add(row);
  row.name = std::string("bitsandbytes") + name.substr(std::strlen("encode")) + " plain, launched one by one";
  row.timing = timings[1];
  row.peer_us = 0.0;
  report.add(row);
}

}  // namespace

void time_encode(Report& report, const Card& card, const Peer* peer, Shape shape, qfuse_dtype dtype) {
  const std::int64_t in_bytes = kElementBytes * shape.count();
  const int sets = sets_for(in_bytes, card.l2_bytes);
  const EncodeWeights weights(card.index, shape, dtype, sets);
  const Codes oracle = weights.oracle();
  require_encoded(weights, oracle, card);
  const std::string name = std::string("encode ") + name_of(dtype);
  // Keep this order: the roofs overwrite absmax, and plain encoding restores it for the nested step.
  const std::vector<Candidate> candidates = {
      {name + " plain, scales by importance",
       [&](int set, void* stream) { run(weights.by_importance(set), exec_on(card, stream)); }},
      {name + " plain", [&](int set, void* stream) { run(weights.plain(set), exec_on(card, stream)); }},
      {name + " nested: plain, mean, 8-bit codes",
       [&](int set, void* stream) { run(weights.nested(set), exec_on(card, stream)); }},
      {"8-bit codes of absmax alone",
       [&](int set, void* stream) { run(weights.nested_step(set, oracle.nested_offset), exec_on(card, stream)); }}};
  const BesideRoof times = time_beside_roof(report, encode_roofs(weights), candidates, sets, in_bytes);

  const std::int64_t plain_bytes = contract::bytes(weights.plain(0));
  report.begin_table("encode NF4, " + text_of(shape) + ", " + name_of(dtype));
  const auto add = [&](const std::string& row, const Timing& timing, std::int64_t bytes, double roof_us) {
    report.add({.op = "encode", .name = row, .shape = shape, .timing = timing, .bytes = bytes, .roof_us = roof_us});
  };
  add(times.roof_name, times.roof, plain_bytes, 0.0);
  add(candidates[0].name, times.timings[0], contract::bytes(weights.by_importance(0)), times.roof.median);
  add(candidates[1].name, times.timings[1], plain_bytes, times.roof.median);
  add(candidates[2].name, times.timings[2], contract::bytes(weights.nested(0)), 0.0);
  add(candidates[3].name, times.timings[3], contract::bytes(weights.nested_step(0, 0.0F)), 0.0);
  if (peer != nullptr)
    time_peer(report, weights, card, *peer, {.op = "encode", .name = name, .shape = shape, .bytes = plain_bytes}, sets);
}

}  // namespace qfuse::bench
