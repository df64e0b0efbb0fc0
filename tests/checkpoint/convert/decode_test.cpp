// Decoding in pieces gives the same bytes as decoding at once, wherever the pieces begin and end.
#include "checkpoint/convert/decode.h"

#include <rapidcheck.h>

#include <random>

#include "support.h"

namespace qfuse::checkpoint {
namespace {

template <class T>
std::vector<T> random_values(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(random());
  return values;
}

std::vector<float> random_floats(std::size_t count) {
  std::mt19937 random(7);
  std::vector<float> values(count);
  for (float& value : values) value = std::normal_distribution<float>()(random);
  return values;
}

// A file with one double-quantized weight of n elements, and the result of decoding it at once.
struct NestedWeight {
  NestedWeight(std::int64_t n, std::int64_t blocksize, std::int64_t nested_blocksize, Dtype dtype)
      : packed(random_values<std::uint8_t>(static_cast<std::size_t>(qfuse_packed_size(n)), 1)),
        absmax(random_values<std::uint8_t>(static_cast<std::size_t>(qfuse_block_count(n, blocksize)), 2)),
        nested_absmax(random_floats(
            static_cast<std::size_t>(qfuse_block_count(static_cast<std::int64_t>(absmax.size()), nested_blocksize)))),
        map(256),
        decoded(static_cast<std::size_t>(n) * dtype_size(dtype)) {
    qfuse_nested_quant_map(map.data());
    const float offset = 0.5F;
    dequantize_4bit({.cols = n,
                     .blocksize = blocksize,
                     .packed = packed,
                     .absmax_8bit = absmax,
                     .nested_absmax = nested_absmax,
                     .nested_quant_map = map,
                     .nested_offset = &offset,
                     .nested_blocksize = nested_blocksize},
                    decoded, dtype);
    const std::string state = R"({"quant_type":"nf4","dtype":"float32","blocksize":)" + std::to_string(blocksize) +
                              R"(,"shape":[)" + std::to_string(n) +
                              R"(],"nested_dtype":"float32","nested_offset":0.5,)" + R"("nested_blocksize":)" +
                              std::to_string(nested_blocksize) + "}";
    write_file(directory / "x.safetensors", safetensors({{"w", u8(packed)},
                                                         {"w.absmax", u8(absmax)},
                                                         {"w.nested_absmax", f32(nested_absmax)},
                                                         {"w.nested_quant_map", f32(map)},
                                                         {"w.quant_state.bitsandbytes__nf4", text(state)}}));
  }

  TemporaryDirectory directory;
  std::vector<std::uint8_t> packed;
  std::vector<std::uint8_t> absmax;
  std::vector<float> nested_absmax;
  std::vector<float> map;
  std::vector<std::byte> decoded;
};

std::vector<std::byte> read_in_pieces(const Tensor& tensor, Dtype dtype, std::int64_t piece_bytes) {
  Pipeline pipeline({});
  const Source source = decoded(tensor, dtype);
  EXPECT_EQ(piece_bytes % source.unit, 0);
  std::vector<std::byte> all(static_cast<std::size_t>(source.bytes));
  for (std::int64_t at = 0; at < source.bytes; at += piece_bytes) {
    const auto size = static_cast<std::size_t>(std::min(piece_bytes, source.bytes - at));
    source.read(at, std::span(all).subspan(static_cast<std::size_t>(at), size), pipeline.next());
  }
  return all;
}

TEST(Decode, pieces_of_a_nested_weight_meet_without_a_seam) {
  for (const Dtype dtype : {Dtype::float32, Dtype::bfloat16}) {
    const NestedWeight weight(2 * 64 * 64 * 3 + 64 * 5 + 13, 64, 64, dtype);  // ends within a block, odd
    const Model model(weight.directory / "x.safetensors");
    const std::vector<Tensor> tensors = read_layout(model, std::nullopt).tensors;
    const auto least = static_cast<std::int64_t>(64 * 64 * dtype_size(dtype));
    EXPECT_EQ(decoded(tensors.at(0), dtype).unit, least);
    EXPECT_TRUE(read_in_pieces(tensors.at(0), dtype, least) == weight.decoded);
    EXPECT_TRUE(read_in_pieces(tensors.at(0), dtype, 2 * least) == weight.decoded);
  }
}

TEST(Decode, a_weight_larger_than_a_piece_is_decoded_whole) {
  const NestedWeight weight(count_of_pieces(9'000'001), 64, 256, Dtype::float32);
  const Model model(weight.directory / "x.safetensors");
  const std::vector<Tensor> tensors = read_layout(model, std::nullopt).tensors;
  ASSERT_GT(static_cast<std::int64_t>(weight.decoded.size()), 2 * kPieceBytes);
  EXPECT_EQ(decoded(tensors.at(0), Dtype::float32).piece, kPieceBytes);
  EXPECT_TRUE(read_in_pieces(tensors.at(0), Dtype::float32, kPieceBytes) == weight.decoded);
}

TEST(Decode, pieces_are_whole_blocks_and_bounded) {
  for (std::int64_t blocksize = 32; blocksize <= 4096; blocksize *= 2)
    for (std::int64_t nested_blocksize = 64; nested_blocksize <= 4096; nested_blocksize *= 2)
      for (const Dtype dtype : {Dtype::float32, Dtype::bfloat16}) {
        StoredWeight4bit weight;
        weight.state.blocksize = blocksize;
        weight.state.nested = NestedState{nested_blocksize, 0.0F};
        const Tensor tensor{"w", {1}, weight, {}};
        const std::int64_t bytes = decoded(tensor, dtype).piece;
        EXPECT_EQ(bytes % (blocksize * nested_blocksize * static_cast<std::int64_t>(dtype_size(dtype))), 0);
        EXPECT_LE(bytes, 64 << 20);
      }
}

TEST(Decode, int8_reads_may_begin_and_end_within_rows) {
  const std::int64_t rows = 5;
  const std::int64_t columns = 7;
  const auto codes = random_values<std::int8_t>(static_cast<std::size_t>(rows * columns), 3);
  const std::vector<float> scb = random_floats(static_cast<std::size_t>(rows));
  std::vector<std::byte> decoded(codes.size() * 2);
  dequantize_int8(codes, scb, decoded, Dtype::float16);
  const TemporaryDirectory directory;
  write_file(directory / "x.safetensors",
             safetensors({{"m.weight", {"I8", {rows, columns}, bytes_of(codes)}}, {"m.SCB", f32(scb)}}));
  const Model model(directory / "x.safetensors");
  const std::vector<Tensor> tensors = read_layout(model, std::nullopt).tensors;
  const Source source = qfuse::checkpoint::decoded(tensors.at(0), Dtype::float16);
  Pipeline pipeline({});
  const auto bytes = static_cast<std::int64_t>(decoded.size());
  for (std::int64_t begin = 0; begin < bytes; begin += 2)
    for (std::int64_t end = begin + 2; end <= bytes; end += 2) {
      std::vector<std::byte> read(static_cast<std::size_t>(end - begin));
      source.read(begin, read, pipeline.next());
      ASSERT_TRUE(std::equal(read.begin(), read.end(), decoded.begin() + begin)) << begin << " to " << end;
    }
}

TEST(Decode, says_at_once_where_it_cannot) {
  const auto decode = [](const Exec& exec) {
    Pipeline pipeline(exec);
    require_decodable(pipeline);
  };
  Exec exec;
  decode(exec);
  exec.device = {QFUSE_REFERENCE, 0};
  decode(exec);
  exec.device = {QFUSE_CPU, 0};
  exec.cpu_target = "no such target";
  EXPECT_REFUSED(Status::unsupported, "no such target", decode(exec));
  exec.cpu_target = "";
  exec.stream = &exec;
  EXPECT_REFUSED(Status::invalid_argument, "stream is given", decode(exec));
}

}  // namespace
}  // namespace qfuse::checkpoint
