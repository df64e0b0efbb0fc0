// NF4 decode on a GPU, compared with the roof (the same bytes moved) and with the peer.
#include <array>
#include <stdexcept>

#include "gpu/kernels.h"
#include "gpu/nf4.h"

namespace qfuse::bench {
namespace {

constexpr std::array kDtypes = {QFUSE_FLOAT16, QFUSE_BFLOAT16};

cudaStream_t as_stream(void* stream) { return static_cast<cudaStream_t>(stream); }

constexpr int kNone = -1;
constexpr int kBestTile = -2;  // the fastest of decode_roofs

// Returns qfuse's decode of a weight.
Enqueue decode_of(const DecodeWeights& weights, const Card& card, qfuse_dtype dtype) {
  return [&weights, &card, dtype](int set, void* stream) { run(weights.params(set, dtype), exec_on(card, stream)); };
}

// Returns one candidate per kernel that moves the same bytes as decoding does.
std::vector<Candidate> decode_roofs(const DecodeWeights& weights) {
  std::vector<Candidate> roofs;
  for (const RoofTile& tile : kRoofTiles) {
    const Enqueue move = [&weights, tile](int set, void* stream) {
      move_as_decode(weights.params(set, QFUSE_BFLOAT16), tile, as_stream(stream));
    };
    roofs.push_back({"the same bytes, " + describe(tile), move});
  }
  return roofs;
}

// A candidate, and the values that its row reports beside its time.
struct Entry {
  Candidate candidate;
  std::int64_t bytes;
  int roof = kNone;  // index of the entry that moves the same bytes with no arithmetic
  int peer = kNone;  // index of the peer's entry for the same decode and cache state
};

// All entries timed for a shape, in the order of its table.
class Table {
 public:
  Table(const DecodeWeights& weights, const Card& card, const Peer* peer)
      : weights_(weights), card_(card), peer_(peer), bytes_(weights.bytes()) {}

  void add_plain_roofs() {
    const auto out = [this](int set) { return weights_.out(set).as<void>(); };
    const std::int64_t size = weights_.out(0).size();
    const int sets = weights_.sets();
    push("copy on the device", 2 * size, [=](int set, void* stream) {
      require(cudaMemcpyAsync(out(set), out((set + 1) % sets), static_cast<std::size_t>(size), cudaMemcpyDeviceToDevice,
                              as_stream(stream)),
              "cudaMemcpyAsync");
    });
    push("write alone", size, [=](int set, void* stream) {
      require(cudaMemsetAsync(out(set), 0x5a, static_cast<std::size_t>(size), as_stream(stream)), "cudaMemsetAsync");
    });
    read_roof_ = static_cast<int>(entries.size());
    push("the same bytes, then read by another kernel", bytes_ + size, [this](int set, void* stream) {
      move_as_decode(weights_.params(set, QFUSE_BFLOAT16), kReadRoof, as_stream(stream));
      read_out(set, stream);
    });
  }

  // Adds the three uses of the op (cold, in L2, followed by a reader) if its result is right.
  void add_decode(Report& report, qfuse_dtype dtype) {
    const std::string name = std::string("decode ") + name_of(dtype);
    const std::string peer_name = std::string("bitsandbytes ") + name_of(dtype);
    const Bytes oracle = weights_.oracle(dtype);
    const Enqueue ours = decode_of(weights_, card_, dtype);
    const Enqueue theirs = [this, dtype](int set, void* stream) {
      peer_->decode(weights_.params(set, dtype), weights_.scratch(set), stream);
    };
    int peer = kNone;
    if (peer_ != nullptr) {
      report.attempt(peer_name + " " + text_of(weights_.shape()), [&] {
        require_decoded(weights_, oracle, theirs);
        peer = static_cast<int>(entries.size());
        push(peer_name + ", its three launches", bytes_, theirs);
        push(peer_name + ", in L2", bytes_, theirs, Cache::warm);
      });
    }
    report.attempt(name + " " + text_of(weights_.shape()), [&] {
      require_decoded(weights_, oracle, ours);
      push(name, bytes_, ours);
      entries.back().roof = kBestTile;
      entries.back().peer = peer;
      push(name + ", in L2", bytes_, ours, Cache::warm);
      entries.back().peer = peer == kNone ? kNone : peer + 1;
      push(name + ", then read by another kernel", bytes_ + weights_.out(0).size(), [=, this](int set, void* stream) {
        ours(set, stream);
        read_out(set, stream);
      });
      entries.back().roof = read_roof_;
    });
  }

  std::vector<Entry> entries;

 private:
  // Its plain stores leave the output in the caches, as far as it fits.
  static constexpr RoofTile kReadRoof{256, 2, false};

  void read_out(int set, void* stream) const {
    read_all(weights_.out(set).as<void>(), weights_.out(set).size(), card_.multiprocessors, as_stream(stream));
  }

  void push(const std::string& name, std::int64_t bytes, Enqueue enqueue, Cache cache = Cache::cold) {
    entries.push_back({.candidate = {name, std::move(enqueue), cache}, .bytes = bytes});
  }

  const DecodeWeights& weights_;
  const Card& card_;
  const Peer* peer_;
  std::int64_t bytes_;
  int read_roof_ = kNone;
};

}  // namespace

void require_decoded(const DecodeWeights& weights, const Bytes& oracle, const Enqueue& enqueue) {
  weights.out(0).poison();
  enqueue(0, nullptr);
  const Bytes decoded = weights.out(0).read<std::uint8_t>();
  const std::string wrong = difference(oracle.data(), decoded.data(), weights.out(0).size(), kElementBytes);
  if (!wrong.empty()) throw std::runtime_error(wrong);
}

void time_decode(Report& report, const Card& card, const Peer* peer, Shape shape) {
  const DecodeWeights weights(card, shape);
  const std::int64_t bytes = weights.bytes();
  Table table(weights, card, peer);
  table.add_plain_roofs();
  for (const qfuse_dtype dtype : kDtypes) table.add_decode(report, dtype);

  std::vector<Candidate> candidates;
  for (const Entry& entry : table.entries) candidates.push_back(entry.candidate);
  const BesideRoof times = time_beside_roof(report, decode_roofs(weights), candidates, weights.sets(), bytes);

  const auto median_of = [&](int entry) {
    if (entry == kNone) return 0.0;
    return entry == kBestTile ? times.roof.median : times.timings[static_cast<std::size_t>(entry)].median;
  };
  report.begin_table("decode NF4, nested, " + text_of(shape));
  report.add({.op = "decode", .name = times.roof_name, .shape = shape, .timing = times.roof, .bytes = bytes});
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Entry& entry = table.entries[i];
    report.add({.op = "decode",
                .name = candidates[i].name,
                .shape = shape,
                .timing = times.timings[i],
                .bytes = entry.bytes,
                .roof_us = median_of(entry.roof),
                .peer_us = median_of(entry.peer)});
  }
}

}  // namespace qfuse::bench
