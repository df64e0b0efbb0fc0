// Transposes that are read in parts of any length, and conversions of whole models that store matrices as [in, out].
#include "checkpoint/convert/transpose.h"

#include <rapidcheck.h>

#include <numeric>
#include <qfuse/checkpoint.hpp>

#include "support.h"

namespace qfuse::checkpoint {
namespace {

// Transposes element by element, as a slow reference.
template <class T>
std::vector<T> transpose(const std::vector<T>& matrix, std::size_t rows, std::size_t columns) {
  std::vector<T> result(matrix.size());
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) result[c * rows + r] = matrix[r * columns + c];
  return result;
}

RawTensor transpose(const RawTensor& matrix) {
  const auto rows = static_cast<std::size_t>(matrix.shape.at(0));
  const auto columns = static_cast<std::size_t>(matrix.shape.at(1));
  const auto turn = [&]<class T>(T) {
    std::vector<T> values(rows * columns);
    std::memcpy(values.data(), matrix.bytes.data(), matrix.bytes.size());
    return bytes_of(transpose(values, rows, columns));
  };
  return {matrix.type,
          {matrix.shape.at(1), matrix.shape.at(0)},
          matrix.type == "F32" ? turn(std::uint32_t{}) : turn(std::uint16_t{})};
}

template <class T>
void check_every_part(std::size_t rows, std::size_t columns) {
  std::vector<T> matrix(rows * columns);
  std::iota(matrix.begin(), matrix.end(), T{1});
  const std::vector<T> expected = transpose(matrix, rows, columns);
  Source source{.dtype = sizeof(T) == 2 ? Dtype::bfloat16 : Dtype::float32,
                .bytes = static_cast<std::int64_t>(matrix.size() * sizeof(T))};
  source.read = [&](std::int64_t begin, std::span<std::byte> out, Piece&) {
    ASSERT_LE(static_cast<std::size_t>(begin) + out.size(), matrix.size() * sizeof(T));
    if (out.empty()) return;
    std::memcpy(out.data(), reinterpret_cast<const char*>(matrix.data()) + begin, out.size());
  };
  const Source turned = transposed(source, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns));
  Pipeline pipeline({});
  for (std::size_t begin = 0; begin <= matrix.size(); ++begin)
    for (std::size_t end = begin; end <= matrix.size(); ++end) {
      std::vector<T> found(end - begin);
      turned.read(static_cast<std::int64_t>(begin * sizeof(T)), std::as_writable_bytes(std::span(found)),
                  pipeline.next());
      ASSERT_TRUE(std::equal(found.begin(), found.end(), expected.begin() + static_cast<std::ptrdiff_t>(begin)))
          << rows << " x " << columns << ": " << begin << " to " << end;
    }
}

TEST(Transpose, every_part_of_it) {
  for (const std::size_t rows : {1U, 2U, 3U, 7U})
    for (const std::size_t columns : {1U, 2U, 5U, 8U}) {
      check_every_part<std::uint16_t>(rows, columns);
      check_every_part<std::uint32_t>(rows, columns);
    }
}

TEST(Transpose, of_nothing) {
  for (const auto& [rows, columns] : {std::pair{0, 5}, {5, 0}}) {
    Source source{.dtype = Dtype::bfloat16};
    source.read = [](std::int64_t, std::span<std::byte>, Piece&) { FAIL(); };
    Pipeline pipeline({});
    transposed(source, rows, columns).read(0, {}, pipeline.next());
  }
}

constexpr const char* kGpt2 = R"({"model_type": "gpt2"})";

// A model with one Conv1D and one linear layer: as it is, and with the Conv1D transposed, as if both were linear.
struct Models {
  explicit Models(Dtype dtype) {
    const RawTensor conv = random_weight({65, 190}, dtype, 3);
    const RawTensor linear = random_weight({70, 96}, dtype, 4);
    write_model(directory / "gpt2", {{"h.0.attn.c_attn.weight", conv}, {"h.0.other.weight", linear}}, kGpt2);
    write_model(directory / "llama", {{"h.0.attn.c_attn.weight", transpose(conv)}, {"h.0.other.weight", linear}},
                R"({"model_type": "llama"})");
  }
  TemporaryDirectory directory;
};

TEST(Transpose, quantize_stores_it_as_a_linear_layers) {
  for (const Dtype dtype : {Dtype::bfloat16, Dtype::float16, Dtype::float32})
    for (const bool double_quant : {true, false}) {
      const Models models(dtype);
      QuantizeOptions options;
      options.double_quant = double_quant;
      quantize(models.directory / "gpt2", models.directory / "turned", options);
      quantize(models.directory / "llama", models.directory / "linear", options);
      EXPECT_TRUE(load(models.directory / "turned") == load(models.directory / "linear"));
      const ConversionReport report =
          quantize(models.directory / "gpt2/model.safetensors", models.directory / "turned.safetensors", options);
      ASSERT_EQ(report.notes.size(), 1U);
      EXPECT_TRUE(holds(report.notes[0], "1 matrices were transposed, because the config.json beside it says 'gpt2'"));
      EXPECT_TRUE(load(models.directory / "turned.safetensors") == load(models.directory / "linear"))
          << "a file's family is that of the config.json beside it";
    }
}

TEST(Transpose, dequantize_turns_it_back) {
  for (const Dtype dtype : {Dtype::bfloat16, Dtype::float32}) {
    const Models models(dtype);
    quantize(models.directory / "gpt2", models.directory / "turned");
    quantize(models.directory / "llama", models.directory / "linear");
    dequantize(models.directory / "turned", models.directory / "turned-back");
    dequantize(models.directory / "linear", models.directory / "linear-back");
    const RawTensors found = load(models.directory / "turned-back");
    RawTensors expected = load(models.directory / "linear-back");
    RawTensor& conv = expected.at("h.0.attn.c_attn.weight");
    conv = transpose(conv);
    EXPECT_TRUE(found == expected);
    EXPECT_EQ(found.at("h.0.attn.c_attn.weight").shape, (std::vector<std::int64_t>{65, 190}));
  }
}

TEST(Transpose, dequantize_turns_int8_too) {
  const TemporaryDirectory directory;
  std::vector<std::int8_t> codes(std::size_t{6} * 4);
  std::iota(codes.begin(), codes.end(), std::int8_t{-12});
  const RawTensors tensors{{"h.0.mlp.c_fc.weight", {"I8", {6, 4}, bytes_of(codes)}},
                           {"h.0.mlp.c_fc.SCB", f32({1, 2, 3, 4, 5, 6})}};
  write_model(directory / "gpt2", tensors, kGpt2);
  write_model(directory / "llama", tensors, R"({"model_type": "llama"})");
  dequantize(directory / "gpt2", directory / "turned");
  dequantize(directory / "llama", directory / "linear");
  const RawTensor turned = load(directory / "turned").at("h.0.mlp.c_fc.weight");
  EXPECT_EQ(turned.shape, (std::vector<std::int64_t>{4, 6}));
  EXPECT_TRUE(turned == transpose(load(directory / "linear").at("h.0.mlp.c_fc.weight")));
}

TEST(Transpose, a_quantized_matrix_without_elements) {
  const TemporaryDirectory directory;
  const std::string state = R"({"quant_type": "nf4", "blocksize": 64, "dtype": "bfloat16", "shape": [0, 5]})";
  write_model(
      directory / "gpt2",
      {{"h.0.mlp.c_fc.weight", {"U8", {0, 1}, ""}},
       {"h.0.mlp.c_fc.weight.absmax", {"F32", {0}, ""}},
       {"h.0.mlp.c_fc.weight.quant_state.bitsandbytes__nf4", {"U8", {static_cast<std::int64_t>(state.size())}, state}}},
      kGpt2);
  dequantize(directory / "gpt2", directory / "out");
  EXPECT_EQ(load(directory / "out").at("h.0.mlp.c_fc.weight").shape, (std::vector<std::int64_t>{5, 0}));
  EXPECT_TRUE(compare(directory / "gpt2", directory / "out").equal);
}

TEST(Transpose, compare_turns_one_side) {
  const Models models(Dtype::bfloat16);
  quantize(models.directory / "gpt2", models.directory / "turned");
  dequantize(models.directory / "turned", models.directory / "back");
  EXPECT_TRUE(compare(models.directory / "turned", models.directory / "back").equal);
  EXPECT_TRUE(compare(models.directory / "back", models.directory / "turned").equal);
  const CompareReport report = compare(models.directory / "turned", models.directory / "llama");
  EXPECT_EQ(report.tensors.at(0).difference, Difference::shape) << "the other one is no GPT-2's";
  EXPECT_GT(compare(models.directory / "gpt2", models.directory / "turned").tensors.at(0).snr_db, 15.0);
}

TEST(Transpose, a_matrix_larger_than_a_piece) {
  const TemporaryDirectory directory;
  const RawTensor conv = random_weight({side_of_pieces(3000), side_of_pieces(3001)}, Dtype::bfloat16);
  write_model(directory / "gpt2", {{"h.0.attn.c_attn.weight", conv}}, kGpt2);
  write_model(directory / "llama", {{"h.0.attn.c_attn.weight", transpose(conv)}}, R"({"model_type": "llama"})");
  quantize(directory / "gpt2", directory / "turned");
  quantize(directory / "llama", directory / "linear");
  EXPECT_TRUE(load(directory / "turned") == load(directory / "linear"));
  dequantize(directory / "turned", directory / "turned-back");
  dequantize(directory / "linear", directory / "linear-back");
  EXPECT_TRUE(load(directory / "turned-back").at("h.0.attn.c_attn.weight") ==
              transpose(load(directory / "linear-back").at("h.0.attn.c_attn.weight")));
}

}  // namespace
}  // namespace qfuse::checkpoint
