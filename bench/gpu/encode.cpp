// NF4 encode on a GPU beside the roof of the same bytes, and beside the peer.
#include "gpu/encode.h"

#include <array>
#include <cstring>
#include <stdexcept>

#include "gpu/decode.h"
#include "gpu/error.h"
#include "gpu/kernels.h"

namespace qfuse::bench {
namespace {

qfuse_exec exec_of(int device, void* stream) {
  qfuse_exec exec = QFUSE_EXEC_INIT;
  exec.device = {QFUSE_CUDA, device};
  exec.stream = stream;
  return exec;
}

void enqueue_encode(const format::Quantize4bit& p, int device, void* stream) {
  const qfuse_exec exec = exec_of(device, stream);
  qfuse_error error{};
  if (qfuse_quantize_4bit(&p, &exec, &error) != QFUSE_OK) throw std::runtime_error(error.message);
}

void enqueue_nested_step(const format::QuantizeBlockwise& p, int device, void* stream) {
  const qfuse_exec exec = exec_of(device, stream);
  qfuse_error error{};
  if (qfuse_quantize_blockwise(&p, &exec, &error) != QFUSE_OK) throw std::runtime_error(error.message);
}

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

// Encodes with the IEEE reciprocal, as the oracle does.
void require_encoded(const EncodeWeights& weights, const Codes& oracle, int device) {
  weights.poison(0);
  enqueue_encode(weights.nested(0), device, nullptr);
  const Codes codes = weights.read(0);
  require_plain(oracle, codes);
  require_same("nested_offset", std::array{oracle.nested_offset}, std::array{codes.nested_offset});
  require_same("nested_absmax", oracle.nested_absmax, codes.nested_absmax);
  require_same("absmax_8bit", oracle.absmax_8bit, codes.absmax_8bit);
}

// What the peer encodes is what we do with the reciprocal that it has.
void require_agreement(const EncodeWeights& weights, const Peer& peer, int device) {
  weights.poison(0);
  format::Quantize4bit p = weights.plain(0);
  p.reciprocal = QFUSE_RECIPROCAL_APPROX;
  enqueue_encode(p, device, nullptr);
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

// Ours and theirs launch by launch on the default stream, the only one that the peer's encoder has.
void time_peer(Report& report, const EncodeWeights& weights, const Card& card, const Peer& peer, Row row, int sets) {
  require_agreement(weights, peer, card.index);
  const Enqueue ours = [&](int set, void* stream) {
    format::Quantize4bit p = weights.plain(set);
    p.reciprocal = QFUSE_RECIPROCAL_APPROX;
    enqueue_encode(p, card.index, stream);
  };
  const Enqueue theirs = [&](int set, void* /*stream*/) { peer.encode(weights.plain(set)); };
  const std::vector<Timing> timings = time_launches({{"ours", ours}, {"theirs", theirs}}, sets);
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
  require_encoded(weights, oracle, card.index);
  // In this order, so that the nested step finds absmax where the roofs have written anything.
  std::vector<Candidate> candidates = encode_roofs(weights);
  const std::size_t roofs = candidates.size();
  const std::string name = std::string("encode ") + name_of(dtype);
  candidates.push_back(
      {name + " plain", [&](int set, void* stream) { enqueue_encode(weights.plain(set), card.index, stream); }});
  candidates.push_back({name + " nested: plain, mean, 8-bit codes",
                        [&](int set, void* stream) { enqueue_encode(weights.nested(set), card.index, stream); }});
  candidates.push_back({"8-bit codes of absmax alone", [&](int set, void* stream) {
                          enqueue_nested_step(weights.nested_step(set, oracle.nested_offset), card.index, stream);
                        }});
  const std::vector<Timing> timings = time_in_turn(candidates, sets, in_bytes);

  const std::size_t roof = best(timings, 0, roofs);
  const std::int64_t plain_bytes = format::bytes(weights.plain(0));
  report.begin_table("encode NF4, " + text_of(shape) + ", " + name_of(dtype));
  const auto row = [&](std::size_t i, std::int64_t bytes, double roof_us) {
    report.add({.op = "encode",
                .name = candidates[i].name,
                .shape = shape,
                .timing = timings[i],
                .bytes = bytes,
                .roof_us = roof_us});
  };
  row(roof, plain_bytes, 0.0);
  row(roofs, plain_bytes, timings[roof].median);
  row(roofs + 1, format::bytes(weights.nested(0)), 0.0);
  row(roofs + 2, format::bytes(weights.nested_step(0, 0.0F)), 0.0);
  if (peer != nullptr)
    time_peer(report, weights, card, *peer,
              {.op = "encode", .name = name, .shape = shape, .timing = {}, .bytes = plain_bytes}, sets);
}

}  // namespace qfuse::bench
