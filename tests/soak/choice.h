// Chooses the next case.
#ifndef QFUSE_TESTS_SOAK_CHOICE_H
#define QFUSE_TESTS_SOAK_CHOICE_H

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "case.h"

namespace qfuse::soak {

// Random numbers that are the same on every platform for a seed, unlike the standard library's distributions.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(n)); }
  std::int64_t from_to(std::int64_t least, std::int64_t most) { return least + below(most - least + 1); }
  bool one_in(std::int64_t n) { return below(n) == 0; }
  // A number in [least, most] of any magnitude: halves the upper bound up to seven times.
  std::int64_t of_any_size(std::int64_t least, std::int64_t most);
  template <class Items>
  auto any_of(const Items& items) {
    return *(std::begin(items) + below(static_cast<std::int64_t>(std::size(items))));
  }

 private:
  std::mt19937_64 engine_;
};

// A linear layer of a widely used model.
struct ModelLayer {
  const char* model;
  std::int64_t cols;  // inputs
  std::int64_t rows;  // outputs
};
extern const std::vector<ModelLayer> kModelLayers;

// Returns case number `number` of a soak of these ops. Every fourth product is of a kind in which a fault once hid: a
// large layer with few tokens, one call at a time.
Case next_case(Random& random, const std::vector<std::string>& ops, std::int64_t number);

}  // namespace qfuse::soak

#endif  // QFUSE_TESTS_SOAK_CHOICE_H
