// The sum of a tensor and what one adapter adds.
#ifndef QFUSE_CHECKPOINT_MERGE_SUM_H
#define QFUSE_CHECKPOINT_MERGE_SUM_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "checkpoint/convert/source.h"
#include "checkpoint/merge/factor.h"

namespace qfuse::checkpoint {

// Throws unless sums can be made there; finds out by making one.
void require_mergeable(Pipeline& pipeline);

// What adds a product: qfuse::lora_merge on the piece's device, or a function that does the same.
using AddProduct = void (*)(std::span<const std::byte> in, Dtype in_dtype, std::int64_t rows, std::int64_t cols,
                            const LoraProduct& product, std::span<std::byte> out, Dtype out_dtype, const Exec& exec);

// In fp32, rounded once, to `dtype`; not yet with DoRA's lengths. `number`: of the addend among those of the tensor.
Source added(const Source& base, const Addend& addend, const MergedShape& shape, Dtype dtype, std::size_t number,
             AddProduct add);

// What lies within one block and is either whole rows or a part of one.
struct Tile {
  std::int64_t begin = 0;  // the number of its first element in the tensor
  std::int64_t block = 0;
  Window window;
  [[nodiscard]] std::int64_t elements() const { return window.rows * window.columns; }
};

// The elements from `begin` to `end`.
std::vector<Tile> tiles_of(const MergedShape& shape, std::int64_t begin, std::int64_t end);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_MERGE_SUM_H
