#include <algorithm>
#include <bit>
#include <qfuse/checkpoint.hpp>

#include "checkpoint/files/errors.h"
#include "checkpoint/files/types.h"
#include "format/layout.h"

namespace qfuse::checkpoint {
namespace {

using Shape = std::span<const std::int64_t>;

bool is_power_of_two(std::int64_t value) { return value > 0 && std::has_single_bit(static_cast<std::uint64_t>(value)); }

// Returns the number of elements of the weight.
std::int64_t check_shape(Shape shape, int dim) {
  const std::int64_t dimensions = std::ssize(shape);
  if (dimensions == 0) fail(Status::invalid_argument, "shape is [], it must have a dimension to cut");
  if (std::ranges::any_of(shape, [](std::int64_t size) { return size < 0; }))
    fail(Status::invalid_argument, "shape is {}, no size may be negative", printable(shape));
  const std::optional<std::int64_t> elements = element_count(shape);
  if (!elements) fail(Status::invalid_argument, "shape is {}, more than memory can hold", printable(shape));
  if (dim < 0 || dim >= dimensions)
    fail(Status::invalid_argument, "dim is {}, it must be 0 to {} of {}", dim, dimensions - 1, printable(shape));
  return *elements;
}

void check_blocksizes(std::int64_t blocksize, std::int64_t nested_blocksize) {
  if (blocksize < format::kMinBlocksize || blocksize > format::kMaxBlocksize || !is_power_of_two(blocksize))
    fail(Status::invalid_argument, "blocksize is {}, it must be a power of two from {} to {}", blocksize,
         format::kMinBlocksize, format::kMaxBlocksize);
  if (nested_blocksize != 0 && !is_power_of_two(nested_blocksize))
    fail(Status::invalid_argument, "nested_blocksize is {}, it must be a power of two, or 0 of a plain weight",
         nested_blocksize);
}

void check_rank(std::int64_t rank, std::int64_t ranks) {
  if (ranks < 1) fail(Status::invalid_argument, "ranks is {}, it must be positive", ranks);
  if (rank < 0 || rank >= ranks) fail(Status::invalid_argument, "rank is {}, it must be 0 to {}", rank, ranks - 1);
}

// Returns the rank's part of the cut dimension, as torch.chunk splits it; sets only `begin` and `length`.
WeightShard chunk_of(std::int64_t size, std::int64_t rank, std::int64_t ranks) {
  const std::int64_t longest = format::ceil_div(size, ranks);
  WeightShard shard;
  // Checked by division, because rank * longest could overflow past the end.
  shard.begin = longest == 0 || rank > size / longest ? size : rank * longest;
  shard.length = std::min(longest, size - shard.begin);
  return shard;
}

// The rank's contiguous runs of the whole weight, in elements: start of the first run, length of each, and distance
// between the starts of consecutive runs, 0 for a single run.
struct Runs {
  std::int64_t count, begin, length, stride;
};

// `chunk` and the weight must not be empty.
Runs runs_of(const WeightShard& chunk, Shape shape, std::size_t cut) {
  const std::int64_t elements = element_count(shape).value();
  const std::int64_t inner = element_count(shape.subspan(cut + 1)).value();  // a divisor of `elements`
  const std::int64_t stride = shape[cut] * inner;
  if (chunk.length == shape[cut]) return {1, 0, elements, 0};
  const std::int64_t outer = elements / stride;
  return {outer, chunk.begin * inner, chunk.length * inner, outer == 1 ? 0 : stride};
}

// Describes why the runs are unsuitable; empty if each consists of whole blocks, except at the end of the weight.
std::string complaint(const Runs& runs, std::int64_t elements, std::int64_t blocksize) {
  const std::int64_t end = runs.begin + runs.length;
  if (runs.begin % blocksize != 0) return fmt::format("begin within a block of {}", blocksize);
  if (end % blocksize != 0 && end != elements) return fmt::format("end within a block of {}", blocksize);
  if (runs.stride % blocksize != 0)
    return fmt::format("lie {} elements apart, no whole blocks of {}", runs.stride, blocksize);
  return "";
}

[[noreturn]] void fail_cut(const WeightShard& chunk, Shape shape, int dim, const std::string& wrong) {
  const bool is_matrix = shape.size() == 2;
  const std::string_view what = !is_matrix ? "indices" : dim == 0 ? "rows" : "columns";
  const std::string where = is_matrix ? "" : fmt::format(" in dimension {}", dim);
  fail(Status::invalid_argument, "{} {} to {}{} of {} {}: cut {}by another number of ranks", what, chunk.begin,
       chunk.begin + chunk.length, where, printable(shape), wrong, shape.size() > 1 ? "another dimension, or " : "");
}

WeightShard checked_plan(Shape shape, std::int64_t blocksize, std::int64_t nested_blocksize, int dim, std::int64_t rank,
                         std::int64_t ranks) {
  const std::int64_t elements = check_shape(shape, dim);
  check_rank(rank, ranks);
  check_blocksizes(blocksize, nested_blocksize);

  WeightShard shard = chunk_of(shape[static_cast<std::size_t>(dim)], rank, ranks);
  shard.nested_blocksize = nested_blocksize;
  if (elements == 0 || shard.length == 0) return shard;
  const Runs runs = runs_of(shard, shape, static_cast<std::size_t>(dim));
  if (const std::string wrong = complaint(runs, elements, blocksize); !wrong.empty())
    fail_cut(shard, shape, dim, wrong);
  shard.runs = runs.count;
  shard.first_block = runs.begin / blocksize;
  shard.run_blocks = format::ceil_div(runs.length, blocksize);
  shard.stride_blocks = runs.stride / blocksize;
  if (nested_blocksize == 0) return shard;

  // The largest power of two that divides all of these is the lowest bit set in any of them. The length of a single run
  // does not count, because the shard's last nested block may be short.
  const std::int64_t of_several = runs.count > 1 ? shard.run_blocks | shard.stride_blocks : 0;
  const std::int64_t bits = nested_blocksize | shard.first_block | of_several;
  shard.nested_blocksize = bits & -bits;
  shard.nested_blocks = format::ceil_div(shard.runs * shard.run_blocks, shard.nested_blocksize);
  return shard;
}

}  // namespace

WeightShard shard_plan(std::span<const std::int64_t> shape, std::int64_t blocksize, std::int64_t nested_blocksize,
                       int dim, std::int64_t rank, std::int64_t ranks) {
  return with_qfuse_errors([&] { return checked_plan(shape, blocksize, nested_blocksize, dim, rank, ranks); });
}

}  // namespace qfuse::checkpoint
