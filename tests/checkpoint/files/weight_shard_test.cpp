// Compares the plans for shards of a 4-bit weight with what each element needs.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <qfuse/checkpoint.hpp>
#include <random>

#include "support.h"
#include "support/quick.h"

namespace qfuse::checkpoint {
namespace {

using Shape = std::vector<std::int64_t>;
using Indices = std::vector<std::int64_t>;

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

std::int64_t product(const Shape& sizes, std::size_t from = 0) {
  std::int64_t n = 1;
  for (std::size_t i = from; i < sizes.size(); ++i) n *= sizes[i];
  return n;
}

// Returns the elements that each rank holds, in the order of its shard, as indices in the whole weight.
std::vector<Indices> elements_of_ranks(const Shape& shape, int dim, std::int64_t ranks) {
  const std::int64_t size = shape[at(dim)];
  const std::int64_t inner = product(shape, at(dim) + 1);
  const std::int64_t longest = qfuse_block_count(size, ranks);
  std::vector<Indices> found(at(ranks));
  for (std::int64_t i = 0; i < product(shape); ++i) found[at(i / inner % size / longest)].push_back(i);
  return found;
}

// Whether the shard's blocks are whole blocks of the weight, with all elements in order.
bool are_whole_blocks(const Indices& elements, std::int64_t n, std::int64_t blocksize) {
  for (std::int64_t i = 0; i < std::ssize(elements); ++i)
    if (elements[at(i)] != elements[at(i - i % blocksize)] + i % blocksize || (elements[at(i)] - i) % blocksize != 0)
      return false;
  const std::int64_t end = elements.empty() ? 0 : elements.back() + 1;
  return end % blocksize == 0 || end == n;
}

// Returns the indices that a process with this plan reads from an array with `each` entries per block.
Indices taken(const WeightShard& shard, std::int64_t each, std::int64_t entries) {
  Indices places;
  for (std::int64_t run = 0; run < shard.runs; ++run) {
    const std::int64_t begin = (shard.first_block + run * shard.stride_blocks) * each;
    for (std::int64_t i = begin; i < std::min(begin + shard.run_blocks * each, entries); ++i) places.push_back(i);
  }
  return places;
}

// Returns the largest power of two, at most `of_whole`, for which each nested block of the shard begins at a multiple
// of it in the whole weight and holds the same blocks in order.
std::int64_t largest_nested_blocksize(const Indices& blocks, std::int64_t of_whole) {
  const auto fits = [&](std::int64_t nested) {
    for (std::int64_t i = 0; i < std::ssize(blocks); ++i)
      if (blocks[at(i)] % nested != i % nested || blocks[at(i)] / nested != blocks[at(i - i % nested)] / nested)
        return false;
    return true;
  };
  std::int64_t nested = of_whole;
  while (!fits(nested)) nested /= 2;
  return nested;
}

// Counts the shard's elements whose code byte, block or nested block differs from the plan.
std::int64_t misplaced(const WeightShard& shard, const Indices& elements, std::int64_t n, std::int64_t blocksize,
                       std::int64_t nested_blocksize) {
  const Indices bytes = taken(shard, blocksize / 2, qfuse_packed_size(n));
  const Indices blocks = taken(shard, 1, qfuse_block_count(n, blocksize));
  EXPECT_EQ(std::ssize(bytes), qfuse_packed_size(std::ssize(elements)));
  EXPECT_EQ(std::ssize(blocks), qfuse_block_count(std::ssize(elements), blocksize));
  if (nested_blocksize != 0) {
    EXPECT_EQ(shard.nested_blocksize, largest_nested_blocksize(blocks, nested_blocksize));
    EXPECT_EQ(shard.nested_blocks, qfuse_block_count(std::ssize(blocks), shard.nested_blocksize));
  }
  if (testing::Test::HasFailure()) return -1;  // the arrays may be too short
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < std::ssize(elements); ++i) {
    const std::int64_t element = elements[at(i)];
    const std::int64_t block = i / blocksize;
    bool is_right = bytes[at(i / 2)] == element / 2 && i % 2 == element % 2 && blocks[at(block)] == element / blocksize;
    if (nested_blocksize != 0)
      is_right = is_right && shard.nested_block_of_whole(block / shard.nested_blocksize, nested_blocksize) ==
                                 element / blocksize / nested_blocksize;
    wrong += is_right ? 0 : 1;
  }
  return wrong;
}

// Sizes that are multiples of the block size, and some that are not.
std::vector<Shape> shapes(std::int64_t blocksize) {
  const std::int64_t b = blocksize;
  std::vector<Shape> found{{7 * b + 5},   {16 * b},       {3},           {12, b},        {5, 3 * b},
                           {6, b / 2},    {7, b / 4 + 1}, {3, 8 * b},    {1, 5 * b + 7}, {2, 3, 4 * b},
                           {3, 6, b / 2}, {3, b / 8, 16}, {1, 4, b + 8}, {5, 1, 2 * b},  {2, 2 * b - 1}};
  if (b <= 64) found.insert(found.end(), {{601, b}, {2, 300 * b}, {3, 8, 32 * b}});  // several nested blocks of 256
  return found;
}

class WeightShards : public testing::TestWithParam<std::int64_t> {
 protected:
  void check(const Shape& shape, int dim, std::int64_t ranks) {
    const std::vector<Indices> elements = elements_of_ranks(shape, dim, ranks);
    for (std::int64_t rank = 0; rank < ranks; ++rank)
      for (const std::int64_t nested_blocksize : {0, 4, 64, 256})
        check_rank(shape, dim, rank, ranks, nested_blocksize, elements[at(rank)]);
  }

  void check_rank(const Shape& shape, int dim, std::int64_t rank, std::int64_t ranks, std::int64_t nested_blocksize,
                  const Indices& elements) {
    SCOPED_TRACE(testing::PrintToString(shape) + " along " + std::to_string(dim) + ", rank " + std::to_string(rank) +
                 " of " + std::to_string(ranks) + ", nested blocks of " + std::to_string(nested_blocksize));
    const std::int64_t n = product(shape);
    const auto plan = [&] { return shard_plan(shape, GetParam(), nested_blocksize, dim, rank, ranks); };
    if (!are_whole_blocks(elements, n, GetParam())) {
      EXPECT_TRUE(holds(error_of(Status::invalid_argument, plan), ": cut "));
      ++refused;
      return;
    }
    const WeightShard shard = plan();
    EXPECT_EQ(shard.length * (n / shape[at(dim)]), std::ssize(elements));
    EXPECT_EQ(misplaced(shard, elements, n, GetParam(), nested_blocksize), 0);
    several_runs += shard.runs > 1 ? 1 : 0;
    smaller_nested_blocks += shard.nested_blocksize != nested_blocksize ? 1 : 0;
  }

  int refused = 0;
  int several_runs = 0;
  int smaller_nested_blocks = 0;
};

TEST_P(WeightShards, have_their_elements_codes_and_scales_or_are_refused) {
  for (const Shape& shape : shapes(GetParam()))
    for (int dim = 0; dim < std::ssize(shape); ++dim)
      for (std::int64_t ranks = 1; ranks <= 8 && !HasFailure(); ++ranks) check(shape, dim, ranks);
  EXPECT_GT(refused, 100);
  EXPECT_GT(several_runs, 100);
  EXPECT_GT(smaller_nested_blocks, 100);
}

// A weight of random bits, which an encoder need not be able to produce.
struct Arrays {
  std::vector<std::uint8_t> packed;
  std::vector<float> absmax;
  std::vector<std::uint8_t> absmax_8bit;
  std::vector<float> nested_absmax;
};

Arrays random_arrays(std::int64_t n, std::int64_t blocksize, std::int64_t nested_blocksize) {
  std::mt19937 random(1);
  const auto byte = [&] { return static_cast<std::uint8_t>(random()); };
  const auto scale = [&] { return static_cast<float>(random()) * 0x1p-30F; };
  const std::int64_t blocks = qfuse_block_count(n, blocksize);
  Arrays arrays;
  arrays.packed.resize(at(qfuse_packed_size(n)));
  std::ranges::generate(arrays.packed, byte);
  if (nested_blocksize == 0) {
    arrays.absmax.resize(at(blocks));
    std::ranges::generate(arrays.absmax, scale);
    return arrays;
  }
  arrays.absmax_8bit.resize(at(blocks));
  std::ranges::generate(arrays.absmax_8bit, byte);
  arrays.nested_absmax.resize(at(qfuse_block_count(blocks, nested_blocksize)));
  std::ranges::generate(arrays.nested_absmax, scale);
  return arrays;
}

template <class T>
std::vector<T> entries_at(const std::vector<T>& whole, const Indices& places) {
  std::vector<T> part;
  for (const std::int64_t place : places) part.push_back(whole[at(place)]);
  return part;
}

Arrays arrays_of_shard(const Arrays& whole, const WeightShard& shard, std::int64_t blocksize,
                       std::int64_t nested_blocksize) {
  Indices nested;
  for (std::int64_t j = 0; j < shard.nested_blocks; ++j)
    nested.push_back(shard.nested_block_of_whole(j, nested_blocksize));
  return {entries_at(whole.packed, taken(shard, blocksize / 2, std::ssize(whole.packed))),
          entries_at(whole.absmax, taken(shard, 1, std::ssize(whole.absmax))),
          entries_at(whole.absmax_8bit, taken(shard, 1, std::ssize(whole.absmax_8bit))),
          entries_at(whole.nested_absmax, nested)};
}

std::vector<std::uint32_t> decoded(const Arrays& arrays, std::int64_t n, std::int64_t blocksize,
                                   std::int64_t nested_blocksize, QuantType quant_type, const char* device) {
  std::vector<float> map(QFUSE_QUANT_MAP_SIZE);
  qfuse_nested_quant_map(map.data());
  const float offset = 0.375F;
  Weight4bit weight{1, n, blocksize, quant_type, arrays.packed, arrays.absmax, arrays.absmax_8bit};
  if (nested_blocksize != 0) {
    weight.nested_absmax = arrays.nested_absmax;
    weight.nested_quant_map = map;
    weight.nested_offset = &offset;
    weight.nested_blocksize = nested_blocksize;
  }
  std::vector<std::uint32_t> bits(at(n));
  Exec exec;
  exec.device = parse_device(device);
  dequantize_4bit(weight, std::as_writable_bytes(std::span(bits)), Dtype::float32, exec);
  return bits;
}

// Expects that the shards of all ranks, which are whole blocks, decode to the bits of the whole weight.
void expect_the_wholes_bits(const Shape& shape, int dim, std::int64_t ranks, std::int64_t blocksize,
                            std::int64_t nested_blocksize, QuantType quant_type) {
  SCOPED_TRACE(testing::PrintToString(shape) + " along " + std::to_string(dim) + " for " + std::to_string(ranks));
  const std::int64_t n = product(shape);
  const Arrays whole = random_arrays(n, blocksize, nested_blocksize);
  const std::vector<Indices> elements = elements_of_ranks(shape, dim, ranks);
  for (const char* const device : {"cpu", "reference"}) {
    const auto bits = decoded(whole, n, blocksize, nested_blocksize, quant_type, device);
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      const WeightShard shard = shard_plan(shape, blocksize, nested_blocksize, dim, rank, ranks);
      const Arrays part = arrays_of_shard(whole, shard, blocksize, nested_blocksize);
      const std::int64_t length = std::ssize(elements[at(rank)]);
      EXPECT_TRUE(decoded(part, length, blocksize, shard.nested_blocksize, quant_type, device) ==
                  entries_at(bits, elements[at(rank)]))
          << device << ", rank " << rank;
    }
  }
}

TEST_P(WeightShards, decode_to_the_bits_of_the_whole) {
  const std::int64_t b = GetParam();
  for (const QuantType quant_type : {QuantType::nf4, QuantType::fp4})
    for (const std::int64_t nested_blocksize : {0, 4, 64, 256}) {
      expect_the_wholes_bits({14 * b + 5}, 0, 1, b, nested_blocksize, quant_type);
      expect_the_wholes_bits({13, b}, 0, 5, b, nested_blocksize, quant_type);
      expect_the_wholes_bits({3, 12 * b}, 1, 3, b, nested_blocksize, quant_type);
      expect_the_wholes_bits({2, 7, b}, 1, 3, b, nested_blocksize, quant_type);
      expect_the_wholes_bits({4, 3, 2 * b}, 2, 2, b, nested_blocksize, quant_type);
      if (b <= 64) expect_the_wholes_bits({2, 300 * b}, 1, 3, b, nested_blocksize, quant_type);
    }
}

// Blocks from 256 on differ only in the time that they take.
INSTANTIATE_TEST_SUITE_P(Blocksizes, WeightShards,
                         testing::ValuesIn(tests::kQuick
                                               ? std::vector<std::int64_t>{32, 64, 128, 4096}
                                               : std::vector<std::int64_t>{32, 64, 128, 256, 512, 1024, 2048, 4096}));

// Sizes of torch.chunk, as torch 2.15 returns them. Ranks after its last chunk have empty DTensor shards.
TEST(WeightShard, has_the_indices_of_torch_chunk) {
  const std::vector<std::pair<std::int64_t, Indices>> cases{
      {10, {3, 3, 3, 1}}, {5, {2, 2, 1, 0}}, {9, {3, 3, 3, 0}},       {6, {2, 2, 2, 0}},
      {4, {1, 1, 1, 1}},  {1, {1, 0, 0, 0}}, {0, {0, 0, 0, 0, 0, 0}}, {11, {2, 2, 2, 2, 2, 1, 0, 0}}};
  for (const auto& [size, lengths] : cases) {
    std::int64_t begin = 0;
    for (std::int64_t rank = 0; rank < std::ssize(lengths); ++rank) {
      const WeightShard shard = shard_plan(Shape{size, 64}, 64, 256, 0, rank, std::ssize(lengths));
      EXPECT_EQ(shard.begin, begin) << size << ", rank " << rank;
      EXPECT_EQ(shard.length, lengths[at(rank)]) << size << ", rank " << rank;
      EXPECT_EQ(shard.runs, lengths[at(rank)] > 0 ? 1 : 0) << size << ", rank " << rank;
      begin += shard.length;
    }
    EXPECT_EQ(begin, size);
  }
}

void expect_plan(const WeightShard& shard, const WeightShard& expected) {
  const auto fields = [](const WeightShard& s) {
    return Indices{s.begin,         s.length,           s.runs,         s.first_block, s.run_blocks,
                   s.stride_blocks, s.nested_blocksize, s.nested_blocks};
  };
  EXPECT_EQ(fields(shard), fields(expected));
}

TEST(WeightShard, of_columns_is_a_run_for_each_row) {
  expect_plan(shard_plan(Shape{3, 1024}, 64, 256, 1, 1, 2), {.begin = 512,
                                                             .length = 512,
                                                             .runs = 3,
                                                             .first_block = 8,
                                                             .run_blocks = 8,
                                                             .stride_blocks = 16,
                                                             .nested_blocksize = 8,
                                                             .nested_blocks = 3});
}

// This holds for any dim and row length, and the last block may be short.
TEST(WeightShard, of_all_is_one_run) {
  expect_plan(shard_plan(Shape{3, 5, 7}, 32, 256, 1, 0, 1),
              {.length = 5, .runs = 1, .run_blocks = 4, .nested_blocksize = 256, .nested_blocks = 1});
}

TEST(WeightShard, without_elements_has_no_blocks) {
  struct Empty {
    Shape shape;
    int dim;
    std::int64_t rank, ranks, begin, length;
  };
  const std::vector<Empty> cases{{{5, 64}, 0, 3, 4, 5, 0},          {{3, 5}, 1, 7, 8, 5, 0},
                                 {{4, 0}, 0, 1, 2, 2, 2},           {{0, 64}, 0, 0, 1, 0, 0},
                                 {{0, kMax, kMax}, 0, 0, 2, 0, 0},  {{0, 4, 64}, 1, 1, 2, 2, 2},
                                 {{2, 64}, 0, kMax - 1, kMax, 2, 0}};
  for (const Empty& empty : cases) {
    SCOPED_TRACE(testing::PrintToString(empty.shape));
    expect_plan(shard_plan(empty.shape, 64, 256, empty.dim, empty.rank, empty.ranks),
                {.begin = empty.begin, .length = empty.length, .nested_blocksize = 256});
  }
}

TEST(WeightShard, of_the_largest_weights_does_not_overflow) {
  expect_plan(shard_plan(Shape{kMax}, 64, 256, 0, 0, 1), {.length = kMax,
                                                          .runs = 1,
                                                          .run_blocks = std::int64_t{1} << 57,
                                                          .nested_blocksize = 256,
                                                          .nested_blocks = std::int64_t{1} << 49});
  expect_plan(shard_plan(Shape{kMax}, 64, std::int64_t{1} << 62, 0, 1, 2), {.begin = std::int64_t{1} << 62,
                                                                            .length = kMax - (std::int64_t{1} << 62),
                                                                            .runs = 1,
                                                                            .first_block = std::int64_t{1} << 56,
                                                                            .run_blocks = std::int64_t{1} << 56,
                                                                            .nested_blocksize = std::int64_t{1} << 56,
                                                                            .nested_blocks = 1});
}

TEST(WeightShard, that_cannot_be_is_refused_with_the_values) {
  struct Refused {
    Shape shape;
    std::int64_t blocksize, nested_blocksize;
    int dim;
    std::int64_t rank, ranks;
    std::string message;
  };
  const std::string advice = ": cut another dimension, or by another number of ranks";
  const std::vector<Refused> cases{
      {{64, 2064}, 64, 0, 1, 0, 3, "columns 0 to 688 of [64, 2064] end within a block of 64" + advice},
      {{64, 2064}, 64, 0, 1, 1, 3, "columns 688 to 1376 of [64, 2064] begin within a block of 64" + advice},
      {{2, 127}, 64, 0, 1, 0, 2, "columns 0 to 64 of [2, 127] lie 127 elements apart, no whole blocks of 64" + advice},
      {{2, 127}, 64, 0, 1, 1, 2, "columns 64 to 127 of [2, 127] end within a block of 64" + advice},
      {{6, 96}, 64, 256, 0, 0, 2, "rows 0 to 3 of [6, 96] end within a block of 64" + advice},
      {{8, 5, 16}, 64, 256, 1, 1, 2, "indices 3 to 5 in dimension 1 of [8, 5, 16] begin within a block of 64" + advice},
      {{100},
       32,
       0,
       0,
       2,
       3,
       "indices 68 to 100 in dimension 0 of [100] begin within a block of 32: cut by another number of ranks"},
      {{}, 64, 0, 0, 0, 1, "shape is [], it must have a dimension to cut"},
      {{64, -1}, 64, 0, 0, 0, 1, "shape is [64, -1], no size may be negative"},
      {{kMax, 2}, 64, 0, 0, 0, 1, "shape is [9223372036854775807, 2], more than memory can hold"},
      {{64, 64}, 64, 0, 2, 0, 1, "dim is 2, it must be 0 to 1 of [64, 64]"},
      {{64, 64}, 64, 0, -1, 0, 1, "dim is -1, it must be 0 to 1 of [64, 64]"},
      {{64, 64}, 64, 0, 0, 0, 0, "ranks is 0, it must be positive"},
      {{64, 64}, 64, 0, 0, 0, -2, "ranks is -2, it must be positive"},
      {{64, 64}, 64, 0, 0, 4, 4, "rank is 4, it must be 0 to 3"},
      {{64, 64}, 64, 0, 0, -1, 4, "rank is -1, it must be 0 to 3"},
      {{64, 64}, 48, 0, 0, 0, 1, "blocksize is 48, it must be a power of two from 32 to 4096"},
      {{64, 64}, 16, 0, 0, 0, 1, "blocksize is 16, it must be a power of two from 32 to 4096"},
      {{64, 64}, 8192, 0, 0, 0, 1, "blocksize is 8192, it must be a power of two from 32 to 4096"},
      {{64, 64}, 0, 0, 0, 0, 1, "blocksize is 0, it must be a power of two from 32 to 4096"},
      {{64, 64}, 64, 96, 0, 0, 1, "nested_blocksize is 96, it must be a power of two, or 0 of a plain weight"},
      {{64, 64}, 64, -1, 0, 0, 1, "nested_blocksize is -1, it must be a power of two, or 0 of a plain weight"},
      {{0, 64}, 64, -256, 0, 0, 1, "nested_blocksize is -256, it must be a power of two, or 0 of a plain weight"},
  };
  for (const Refused& cut : cases)
    EXPECT_EQ(
        error_of(Status::invalid_argument,
                 [&] { shard_plan(cut.shape, cut.blocksize, cut.nested_blocksize, cut.dim, cut.rank, cut.ranks); }),
        cut.message);
}

}  // namespace
}  // namespace qfuse::checkpoint
