// Mutates recipes, for the targets whose inputs are recipes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "recipe.h"

// Two of three mutations change lines, the others change bytes.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  if (seed % 3 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::string changed = qfuse::fuzz::with_lines_changed({reinterpret_cast<const char*>(data), size}, seed);
  const std::size_t copied = std::min(changed.size(), max_size);
  std::memcpy(data, changed.data(), copied);
  return copied;
}
