// Merging in pieces gives the same bytes as merging at once, wherever the pieces begin and end.
#include "checkpoint/merge/merged.h"

#include <rapidcheck.h>

#include "adapters.h"
#include "checkpoint/files/adapter.h"
#include "support.h"

namespace qfuse::checkpoint {
namespace {

// A weight of shape [blocks, rows, columns] in a file, and two adapters for it.
struct Weights {
  Weights(std::int64_t blocks, std::int64_t rows, std::int64_t columns, std::int64_t rank, Dtype dtype)
      : tensors{{"w", random_weight({blocks, rows, columns}, dtype)},
                {"a", random_weight({blocks * rank, columns}, Dtype::float32, 2)},
                {"b", random_weight({rows, rank * blocks}, Dtype::float16, 3)},
                {"lengths", random_weight({rows}, Dtype::float32, 4)},
                {"tokens", random_weight({2, columns}, Dtype::float32, 5)}} {
    write_file(directory / "x", safetensors(tensors));
    file.emplace(directory / "x");
    merging.shape = {blocks, rows, columns};
    // Columns of b are ordered by rank, then by block.
    Addend addend{.b = {stored("b"), 0, 1, rank * blocks, blocks, {}},
                  .a = {stored("a"), 0, rank * columns, columns, 1, {}},
                  .rank = rank,
                  .scale = 0.75F};
    merging.addends = {addend, addend};
  }

  [[nodiscard]] StoredTensor stored(const std::string& name) const {
    for (const TensorEntry& entry : file->entries())
      if (entry.name == name) return {&*file, &entry};
    throw std::runtime_error("no tensor " + name);
  }

  // Reads the merged weight, at most `piece_bytes` at a time.
  [[nodiscard]] std::string read(Dtype dtype, std::int64_t piece_bytes) const {
    Pipeline pipeline({});
    const Source source = merged(checkpoint::stored(stored("w")), merging, dtype);
    EXPECT_EQ(source.unit_elements(), 1);
    std::string all(static_cast<std::size_t>(source.bytes), '\0');
    const auto bytes = std::as_writable_bytes(std::span(all));
    for (std::int64_t at = 0; at < source.bytes; at += piece_bytes)
      read_now(source, at,
               bytes.subspan(static_cast<std::size_t>(at),
                             static_cast<std::size_t>(std::min(piece_bytes, source.bytes - at))),
               pipeline.next(), array::kWritten);
    return all;
  }

  // The expected sums, in plain loops, block by block.
  [[nodiscard]] std::vector<float> sums() const {
    const auto [blocks, rows, columns] = merging.shape;
    const std::int64_t rank = merging.addends[0].rank;
    const std::vector<float> all = values_of(tensors.at("w"));
    const Matrix a = matrix_of(tensors.at("a"));
    const Matrix b = matrix_of(tensors.at("b"));
    std::vector<float> sums;
    for (std::int64_t block = 0; block < blocks; ++block) {
      Matrix own_a{rank, columns, {}};
      Matrix own_b{rows, rank, {}};
      for (std::int64_t k = 0; k < rank; ++k)
        for (std::int64_t column = 0; column < columns; ++column)
          own_a.values.push_back(a.at(block * rank + k, column));
      for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t k = 0; k < rank; ++k) own_b.values.push_back(b.at(row, k * blocks + block));
      std::vector<float> one(all.begin() + block * rows * columns, all.begin() + (block + 1) * rows * columns);
      for (const Addend& addend : merging.addends) one = sum_of(one, own_b, own_a, addend.scale);
      sums.insert(sums.end(), one.begin(), one.end());
    }
    return sums;
  }

  TemporaryDirectory directory;
  RawTensors tensors;
  std::optional<SafetensorsFile> file;
  Merging merging;
};

TEST(Merged, pieces_that_straddle_rows_and_blocks) {
  const Weights weights(3, 5, 7, 2, Dtype::bfloat16);
  const std::string expected = tensor_of(weights.sums(), {3, 5, 7}, Dtype::float32).bytes;
  for (std::int64_t elements = 1; elements <= 106; ++elements)
    EXPECT_TRUE(weights.read(Dtype::float32, elements * 4) == expected) << elements << " at a time";
  EXPECT_TRUE(weights.read(Dtype::bfloat16, 46) == tensor_of(weights.sums(), {3, 5, 7}, Dtype::bfloat16).bytes);
}

TEST(Merged, any_shape_in_any_pieces) {
  rc::check([] {
    const auto blocks = *rc::gen::inRange(1, 4);
    const auto rows = *rc::gen::inRange(1, 9);
    const auto columns = *rc::gen::inRange(1, 40);
    const auto rank = *rc::gen::inRange(1, 6);
    const Weights weights(blocks, rows, columns, rank, Dtype::float16);
    const std::int64_t elements = *rc::gen::inRange<std::int64_t>(1, weights.merging.shape.elements() + 2);
    RC_ASSERT(weights.read(Dtype::float16, 2 * elements) ==
              tensor_of(weights.sums(), {blocks, rows, columns}, Dtype::float16).bytes);
  });
}

// The lengths are those of whole rows, even if a piece holds only part of a row.
TEST(Merged, dora_in_any_pieces) {
  Weights weights(1, 9, 13, 3, Dtype::bfloat16);
  weights.merging.addends[1].magnitude = weights.stored("lengths");
  const std::string rows = weights.read(Dtype::bfloat16, 1000);
  for (std::int64_t elements = 1; elements < 120; ++elements)
    EXPECT_TRUE(weights.read(Dtype::bfloat16, 2 * elements) == rows) << elements << " at a time";
}

TEST(Merged, trained_rows_in_any_pieces) {
  Weights weights(1, 9, 13, 3, Dtype::bfloat16);
  weights.merging.token_rows = {{{8, 2}, weights.stored("tokens")}};
  for (const bool with_addends : {true, false}) {
    if (!with_addends) weights.merging.addends.clear();
    const std::string whole = weights.read(Dtype::float32, 1000);
    EXPECT_EQ(whole.substr(8 * 52, 52) == weights.tensors.at("tokens").bytes.substr(0, 52), false)
        << "rounded to the base's type first";
    for (std::int64_t elements = 1; elements < 120; ++elements)
      EXPECT_TRUE(weights.read(Dtype::float32, 4 * elements) == whole) << elements << " at a time";
  }
}

TEST(Merged, reads_may_begin_anywhere) {
  const Weights weights(2, 6, 11, 3, Dtype::float32);
  const std::string expected = tensor_of(weights.sums(), {2, 6, 11}, Dtype::bfloat16).bytes;
  const Source source = merged(stored(weights.stored("w")), weights.merging, Dtype::bfloat16);
  ASSERT_EQ(source.bytes, std::ssize(expected));
  Pipeline pipeline({});
  for (std::int64_t begin = 0; begin < 132; begin += 7)
    for (const std::int64_t count : {1L, 5L, 66L, 131L}) {
      if (begin + count > 132) continue;
      std::string out(static_cast<std::size_t>(2 * count), '\0');
      read_now(source, 2 * begin, std::as_writable_bytes(std::span(out)), pipeline.next(), array::kWritten);
      EXPECT_EQ(out, expected.substr(static_cast<std::size_t>(2 * begin), out.size()));
    }
}

TEST(Merged, products_of_the_same_bits_are_the_same) {
  const Weights weights(1, 5, 7, 2, Dtype::float32);
  const Addend& addend = weights.merging.addends[0];
  EXPECT_TRUE(same_product(addend, weights.merging.addends[1], weights.merging.shape));
  Addend other = addend;
  other.scale = 0.5F;
  EXPECT_FALSE(same_product(addend, other, weights.merging.shape));
  other = addend;
  other.a.stored = weights.stored("w");
  EXPECT_FALSE(same_product(addend, other, weights.merging.shape));
}

}  // namespace
}  // namespace qfuse::checkpoint
