// A weight that is encoded in pieces, whatever their sizes, has the bytes of one that is encoded at once.
#include "checkpoint/convert/encode_blocks.h"

#include <algorithm>
#include <string>
#include <vector>

#include "support.h"

namespace qfuse::checkpoint {
namespace {

struct BlockCase {
  std::string name;
  BlockEncoding encoding;
};

std::vector<BlockCase> block_cases() {
  const auto fp8 = [](std::int64_t matrices, std::int64_t rows, std::int64_t columns, std::int64_t block_rows) {
    return BlockEncoding{
        .matrices = matrices, .rows = rows, .columns = columns, .block_rows = block_rows, .block_columns = 4};
  };
  const auto mxfp4 = [](std::int64_t columns, std::int64_t block_rows, std::int64_t block_columns) {
    return BlockEncoding{.rule = BlockRule::mxfp4,
                         .matrices = 3,
                         .rows = 96,
                         .columns = columns,
                         .block_rows = block_rows,
                         .block_columns = block_columns,
                         .scale_type = TensorType::u8};
  };
  const BlockEncoding int4{
      .rule = BlockRule::int4_divided, .rows = 96, .columns = 72, .block_columns = 32, .scale_type = TensorType::bf16};
  return {{"rows of int4, the last block short", int4},
          {"a ragged matrix", fp8(1, 17, 11, 3)},
          {"a ragged stack", fp8(5, 7, 11, 3)},
          {"an even stack", fp8(5, 6, 11, 3)},
          {"blocks higher than a matrix", fp8(5, 2, 11, 3)},
          {"rows of mxfp4", mxfp4(64, 1, 32)},
          {"columns of mxfp4", mxfp4(64, 32, 1)},
          {"7 columns of mxfp4", mxfp4(7, 32, 1)}};
}

TensorEntry entry_of(const std::string& name, std::int64_t bytes) { return {name, TensorType::u8, {bytes}, 0, bytes}; }

// The bytes of codes and scales, read in pieces of so many units of the source.
std::vector<std::string> read_blocks(const BlockEncoding& encoding, const StoredTensor& weight, ScratchFile& scratch,
                                     std::int64_t units, int threads = 1) {
  const std::int64_t rows = encoding.matrices * encoding.rows;
  const BlockTensors tensors{
      encoding, entry_of("codes", encoding.code_bytes(rows)), entry_of("scales", encoding.scale_bytes(rows)), {}};
  const PlannedSource source{.shape = weight.entry->shape, .open = [&](ScratchFile*) { return stored(weight); }};
  Pipeline pipeline{Exec{.threads = threads}};
  std::vector<std::string> all;
  for (const Source& part : planned_blocks("w", source, tensors).open(&scratch).sources) {
    std::string& bytes = all.emplace_back(static_cast<std::size_t>(part.bytes), '?');
    const std::int64_t piece = units == 0 ? part.piece : units * part.unit;
    EXPECT_EQ(part.piece % part.unit, 0);
    for (std::int64_t at = 0; at < part.bytes; at += piece)
      read_to_host(
          part, at,
          std::as_writable_bytes(std::span(bytes))
              .subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(std::min(piece, part.bytes - at))),
          pipeline.next(), array::kWritten);
    pipeline.finish();
  }
  return all;
}

TEST(EncodeBlocks, pieces_give_the_bytes_of_the_whole) {
  const TemporaryDirectory directory;
  ScratchFile scratch(directory.path());
  for (const auto& [name, encoding] : block_cases()) {
    SCOPED_TRACE(name);
    write_file(directory / "in", safetensors({{"w", random_weight({encoding.elements()})}}));
    const Model model(directory / "in");
    const std::vector<std::string> whole = read_blocks(encoding, *model.find("w"), scratch, 0);
    for (const std::int64_t units : {1, 2})
      EXPECT_TRUE(read_blocks(encoding, *model.find("w"), scratch, units) == whole);
  }
}

TEST(EncodeBlocks, a_round_trip_is_the_same_in_parts) {
  for (const auto& [name, encoding] : block_cases()) {
    SCOPED_TRACE(name);
    const RawTensor weight = random_weight({encoding.elements()});
    const RoundTrip trip = through_blocks(encoding);
    std::vector<float> whole(static_cast<std::size_t>(encoding.elements()));
    Encoded all;
    trip.begin()(0, bytes_of_tensor(weight), Dtype::bfloat16, all, whole, Exec{});
    const RoundTrip::Pass pass = trip.begin();
    Encoded joined;
    std::vector<float> parts(whole.size());
    for (std::int64_t at = 0; at < encoding.elements(); at += trip.unit) {
      const auto begin = static_cast<std::size_t>(at);
      const auto size = static_cast<std::size_t>(std::min(trip.unit, encoding.elements() - at));
      pass(at, bytes_of_tensor(weight).subspan(2 * begin, 2 * size), Dtype::bfloat16, joined,
           std::span(parts).subspan(begin, size), Exec{});
    }
    EXPECT_EQ(parts, whole);
    EXPECT_EQ(joined.codes, all.codes);
    EXPECT_EQ(joined.scales, all.scales);
  }
}

TEST(EncodeBlocks, any_number_of_threads_makes_the_same_bytes) {
  const TemporaryDirectory directory;
  ScratchFile scratch(directory.path());
  for (auto& [name, encoding] : block_cases()) {
    SCOPED_TRACE(name);
    encoding.columns *= (1 << 18) / encoding.elements() + 1;  // enough for several threads
    const RawTensor weight = random_weight({encoding.elements()});
    write_file(directory / "in", safetensors({{"w", weight}}));
    const Model model(directory / "in");
    const auto left = [&](int threads) {
      std::vector<float> values(static_cast<std::size_t>(encoding.elements()));
      Encoded encoded;
      through_blocks(encoding).begin()(0, bytes_of_tensor(weight), Dtype::bfloat16, encoded, values,
                                       Exec{.threads = threads});
      return values;
    };
    EXPECT_TRUE(read_blocks(encoding, *model.find("w"), scratch, 0, 5) ==
                read_blocks(encoding, *model.find("w"), scratch, 0, 1));
    EXPECT_TRUE(left(5) == left(1));
  }
}

TEST(EncodeBlocks, what_is_read_ahead_is_what_is_there) {
  int reads = 0;
  const Source numbers{.bytes = 1000, .piece = 64, .read = [&](std::int64_t begin, std::span<std::byte> out, Piece&) {
                         ++reads;
                         for (std::byte& byte : out) byte = static_cast<std::byte>(begin++ % 251);
                       }};
  const Source ahead = read_ahead(numbers);
  Pipeline pipeline{Exec{}};
  std::vector<std::byte> out;
  for (std::int64_t at = 0, size = 1; at < 1000; at += size, size = at % 7 == 0 ? 100 : 5) {
    out.resize(static_cast<std::size_t>(std::min<std::int64_t>(size, 1000 - at)));
    ahead.read(at, out, pipeline.next());
    for (std::size_t i = 0; i < out.size(); ++i)
      ASSERT_EQ(static_cast<std::int64_t>(out[i]), (at + static_cast<std::int64_t>(i)) % 251);
  }
  EXPECT_LT(reads, 30);
}

}  // namespace
}  // namespace qfuse::checkpoint
