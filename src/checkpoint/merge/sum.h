// The sum of a tensor and one adapter's product.
#ifndef QFUSE_CHECKPOINT_MERGE_SUM_H
#define QFUSE_CHECKPOINT_MERGE_SUM_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "checkpoint/convert/source.h"
#include "checkpoint/merge/factor.h"

namespace qfuse::checkpoint {

// Throws unless the device can merge; finds out by a small merge.
void require_mergeable(Pipeline& pipeline);

// Adds a product: qfuse::lora_merge on the piece's device, or an equivalent function.
using AddProduct = void (*)(std::span<const std::byte> in, Dtype in_dtype, std::int64_t rows, std::int64_t cols,
                            const LoraProduct& product, std::span<std::byte> out, Dtype out_dtype, const Exec& exec);

// Sums in fp32, rounded once to `dtype`, without DoRA's lengths. `number`: index of the addend in its tensor.
Source added(const Source& base, const Addend& addend, const MergedShape& shape, Dtype dtype, std::size_t number,
             AddProduct add);

// Elements within one block that are whole rows or a part of one row.
struct Tile {
  std::int64_t begin = 0;  // index of its first element in the tensor
  std::int64_t block = 0;
  Window window;
  [[nodiscard]] std::int64_t elements() const { return window.rows * window.columns; }
};

// Splits the elements from `begin` to `end` into tiles.
std::vector<Tile> tiles_of(const MergedShape& shape, std::int64_t begin, std::int64_t end);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_MERGE_SUM_H
