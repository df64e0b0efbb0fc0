// What a merge adds to weights, biases and embeddings, and what replaces their values.
#include <array>
#include <cmath>
#include <optional>
#include <qfuse/checkpoint.hpp>
#include <string>
#include <vector>

#include "adapters.h"
#include "merging.h"
#include "support.h"

namespace qfuse::checkpoint {
namespace {

TEST_F(Merge, a_weight_gets_the_sum_of_any_types) {
  for (const Dtype of_base : {Dtype::float32, Dtype::float16, Dtype::bfloat16})
    for (const Dtype of_adapter : {Dtype::float32, Dtype::float16, Dtype::bfloat16})
      for (const std::optional<Dtype> to :
           {std::optional<Dtype>(), std::optional(Dtype::float32), std::optional(Dtype::float16)}) {
        const RawTensor weight = random_weight({33, 127}, of_base);
        const RawTensors factors = lora(kUp, 33, 127, 3, 1, of_adapter);
        write_base({{kUp + ".weight", weight}});
        write_adapter(adapter(), factors, {{"r", 3}, {"lora_alpha", 1}});
        MergeOptions options;
        options.dtype = to;
        EXPECT_TRUE(merged(options).at(kUp + ".weight") ==
                    with_lora(weight, factors, kUp, static_cast<float>(1.0 / 3.0), to.value_or(of_base)));
      }
}

TEST_F(Merge, odd_shapes) {
  for (const auto& [rows, columns, rank] :
       {std::array{1, 1, 1}, {1, 5003, 2}, {5003, 1, 2}, {3, 3, 17}, {0, 64, 4}, {64, 0, 4}, {2, 129, 64}}) {
    SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns));
    const RawTensor weight = random_weight({rows, columns});
    const RawTensors factors = lora(kUp, rows, columns, rank);
    write_base({{kUp + ".weight", weight}});
    write_adapter(adapter(), factors, {{"r", rank}, {"lora_alpha", 2 * rank}});
    EXPECT_TRUE(merged().at(kUp + ".weight") == with_lora(weight, factors, kUp, kScale, Dtype::bfloat16));
  }
}

TEST_F(Merge, what_no_adapter_changes_keeps_its_bytes_and_so_does_the_config) {
  write_base(layers());
  write_adapter(adapter(), lora(kUp, 33, 127, 4));
  const RawTensors out = merged();
  ASSERT_EQ(out.size(), 4U);
  for (const auto& [name, tensor] : layers()) EXPECT_EQ(out.at(name) == tensor, name != kUp + ".weight") << name;
  EXPECT_EQ(config, kConfig);
  EXPECT_EQ(report.tensors, 4);
  EXPECT_EQ(report.converted, 1);
  EXPECT_EQ(files, (Names{"README.md", "config.json", "model.safetensors"}));
  ASSERT_EQ(report.merged.size(), 1U);
  EXPECT_EQ(report.merged[0].name, kUp + ".weight");
  EXPECT_EQ(report.merged[0].shape, (std::vector<std::int64_t>{33, 127}));
  EXPECT_EQ(report.merged[0].rule, "lora");
  EXPECT_EQ(report.merged[0].rank, 4);
  EXPECT_EQ(report.merged[0].scale, 2.0);
  EXPECT_TRUE(std::isnan(report.merged[0].added_rms)) << "only a dry run measures";
}

// The sum stays in fp32 between adapters; it is not rounded to the base's type.
TEST_F(Merge, several_adapters_are_added_in_their_order_with_their_weights) {
  const RawTensor weight = layers().at(kUp + ".weight");
  const RawTensors one = lora(kUp, 33, 127, 4, 1);
  const RawTensors two = lora(kUp, 33, 127, 9, 2, Dtype::bfloat16);
  write_base(layers());
  write_adapter(adapter("one"), one);
  write_adapter(adapter("two"), two, {{"r", 9}, {"lora_alpha", 12}, {"use_rslora", true}});
  const auto added = [&](std::vector<float> values, const RawTensors& factors, double scale) {
    return sum_of(values, matrix_of(factors.at(kPeft + kUp + ".lora_B.weight")),
                  matrix_of(factors.at(kPeft + kUp + ".lora_A.weight")), static_cast<float>(scale));
  };
  const double of_two = 12.0 / 3.0;  // alpha / sqrt(rank)
  const std::vector<float> start = values_of(weight);
  EXPECT_TRUE(merged({}, {{adapter("one"), 0.25}, {adapter("two"), -1.5}}).at(kUp + ".weight") ==
              tensor_of(added(added(start, one, 2.0 * 0.25), two, of_two * -1.5), {33, 127}, Dtype::bfloat16));
  EXPECT_EQ(report.merged.at(0).rule, "lora + lora");
  EXPECT_EQ(report.merged.at(0).rank, 9);
  EXPECT_EQ(report.merged.at(0).scale, -6.0);
  EXPECT_TRUE(merged({}, {{adapter("two")}, {adapter("one")}}).at(kUp + ".weight") ==
              tensor_of(added(added(start, two, of_two), one, 2.0), {33, 127}, Dtype::bfloat16));
  EXPECT_TRUE(merged({}, {{adapter("one")}, {adapter("one")}}).at(kUp + ".weight") ==
              tensor_of(added(added(start, one, 2.0), one, 2.0), {33, 127}, Dtype::bfloat16))
      << "the same one twice";
}

TEST_F(Merge, patterns_say_rank_and_alpha_of_some_layers) {
  RawTensors factors = lora(kUp, 33, 127, 6, 1);
  factors.merge(lora(kDown, 127, 33, 4, 2));
  write_base(layers());
  write_adapter(adapter(), factors, {{"rank_pattern", {{"up_proj", 6}}}, {"alpha_pattern", {{".*[.]down_.*", 3}}}});
  const RawTensors out = merged();
  EXPECT_TRUE(out.at(kUp + ".weight") ==
              with_lora(layers().at(kUp + ".weight"), factors, kUp, static_cast<float>(8.0 / 6.0), Dtype::bfloat16));
  EXPECT_TRUE(out.at(kDown + ".weight") ==
              with_lora(layers().at(kDown + ".weight"), factors, kDown, 0.75F, Dtype::bfloat16));
}

TEST_F(Merge, a_bias_of_lora_b_is_added_to_the_layers) {
  RawTensors base = layers();
  base[kUp + ".bias"] = random_weight({33}, Dtype::float16, 5);
  RawTensors factors = lora(kUp, 33, 127, 4);
  const RawTensor bias = random_weight({33}, Dtype::float32, 6);
  factors[kPeft + kUp + ".lora_B.bias"] = bias;
  write_base(base);
  write_adapter(adapter(), factors, {{"lora_bias", true}});
  EXPECT_TRUE(merged().at(kUp + ".bias") ==
              tensor_of(sum_of(values_of(base.at(kUp + ".bias")), {33, 1, values_of(bias)}, {1, 1, {1.0F}}, kScale),
                        {33}, Dtype::float16));
}

TEST_F(Merge, whole_tensors_take_the_place_of_the_bases) {
  RawTensors base = layers();
  base["score.weight"] = random_weight({3, 127});
  const RawTensor score = random_weight({3, 127}, Dtype::float32, 9);
  const RawTensor norm = random_weight({127}, Dtype::float16, 8);
  write_base(base);
  write_adapter(adapter(),
                {{kPeft + "score.modules_to_save.default.weight", score}, {kPeft + "model.norm.weight", norm}});
  const RawTensors out = merged();
  EXPECT_TRUE(out.at("score.weight") == tensor_of(values_of(score), {3, 127}, Dtype::bfloat16));
  EXPECT_TRUE(out.at("model.norm.weight") == tensor_of(values_of(norm), {127}, Dtype::bfloat16));
  EXPECT_EQ(report.merged.at(0).rule, "replaced");
  EXPECT_EQ(report.merged.at(0).rank, 0);
  EXPECT_EQ(error_of(Status::invalid_argument, [&] { merged({}, {{adapter(), 0.5}}); }).empty(), false);
}

// Scales each row or column of the fp32 sum, before rounding, to the given length.
std::vector<float> with_lengths(std::vector<float> sums, std::int64_t columns, const std::vector<float>& lengths,
                                bool of_columns) {
  std::vector<double> squares(lengths.size());
  const auto line = [&](std::size_t i) {
    return of_columns ? i % static_cast<std::size_t>(columns) : i / static_cast<std::size_t>(columns);
  };
  for (std::size_t i = 0; i < sums.size(); ++i)
    squares[line(i)] += static_cast<double>(sums[i]) * static_cast<double>(sums[i]);
  for (std::size_t i = 0; i < sums.size(); ++i)
    sums[i] *= static_cast<float>(static_cast<double>(lengths[line(i)]) / std::sqrt(squares[line(i)]));
  return sums;
}

TEST_F(Merge, dora_gives_every_row_its_length) {
  RawTensors factors = lora(kUp, 33, 127, 4);
  const RawTensor lengths = random_weight({33}, Dtype::float32, 7);
  factors[kPeft + kUp + ".lora_magnitude_vector"] = lengths;
  write_base(layers());
  write_adapter(adapter(), factors, {{"use_dora", true}});
  const std::vector<float> start = values_of(layers().at(kUp + ".weight"));
  const Matrix b = matrix_of(factors.at(kPeft + kUp + ".lora_B.weight"));
  const Matrix a = matrix_of(factors.at(kPeft + kUp + ".lora_A.weight"));
  const std::vector<float> one = with_lengths(sum_of(start, b, a, kScale), 127, values_of(lengths), false);
  EXPECT_TRUE(merged().at(kUp + ".weight") == tensor_of(one, {33, 127}, Dtype::bfloat16));
  EXPECT_EQ(report.merged.at(0).rule, "dora");
  // DoRA scales to its lengths, then the plain adapter is added. In the other order, the lengths would include both.
  const RawTensors plain = lora(kUp, 33, 127, 4, 3);
  write_adapter(adapter("plain"), plain);
  const std::vector<float> two = sum_of(one, matrix_of(plain.at(kPeft + kUp + ".lora_B.weight")),
                                        matrix_of(plain.at(kPeft + kUp + ".lora_A.weight")), kScale);
  EXPECT_TRUE(merged({}, {{adapter()}, {adapter("plain")}}).at(kUp + ".weight") ==
              tensor_of(two, {33, 127}, Dtype::bfloat16));
  EXPECT_REFUSED(Status::unsupported, "give the DoRA adapter first", merged({}, {{adapter("plain")}, {adapter()}}));
}

// GPT-2 stores its matrices as [in, out].
TEST_F(Merge, a_matrix_that_is_stored_turned_gets_the_product_turned) {
  const std::string module = "h.0.attn.c_attn";
  for (const std::int64_t out : {96, 32}) {  // the second is square
    SCOPED_TRACE(out);
    RawTensors factors = lora(module, out, 32, 4);
    const RawTensor weight = random_weight({32, out});
    const Matrix a = transpose_of(matrix_of(factors.at(kPeft + module + ".lora_A.weight")));
    const Matrix b = transpose_of(matrix_of(factors.at(kPeft + module + ".lora_B.weight")));
    const std::vector<float> sums = sum_of(values_of(weight), a, b, kScale);
    write_base({{module + ".weight", weight}}, R"({"model_type": "gpt2"})");
    write_adapter(adapter(), factors, {{"fan_in_fan_out", true}});
    EXPECT_TRUE(merged().at(module + ".weight") == tensor_of(sums, {32, out}, Dtype::bfloat16));
    const RawTensor lengths = random_weight({1, out}, Dtype::float32, 7);
    factors[kPeft + module + ".lora_magnitude_vector"] = lengths;
    write_adapter(adapter(), factors, {{"use_dora", true}});
    EXPECT_TRUE(merged().at(module + ".weight") ==
                tensor_of(with_lengths(sums, out, values_of(lengths), true), {32, out}, Dtype::bfloat16));
  }
}

// ---- embeddings and heads ----------------------------------------------------------------------------------------

TEST_F(Merge, an_embedding_gets_the_product_turned) {
  const RawTensor weight = random_weight({37, 16});
  const RawTensors factors{{kPeft + kEmbedding + ".lora_embedding_A", random_weight({4, 37}, Dtype::float32, 2)},
                           {kPeft + kEmbedding + ".lora_embedding_B", random_weight({16, 4}, Dtype::float32, 3)}};
  write_base({{kEmbedding + ".weight", weight}, {"lm_head.weight", random_weight({37, 16}, Dtype::bfloat16, 4)}});
  write_adapter(adapter(), factors);
  const Matrix a = transpose_of(matrix_of(factors.at(kPeft + kEmbedding + ".lora_embedding_A")));
  const Matrix b = transpose_of(matrix_of(factors.at(kPeft + kEmbedding + ".lora_embedding_B")));
  EXPECT_TRUE(merged().at(kEmbedding + ".weight") ==
              tensor_of(sum_of(values_of(weight), a, b, kScale), {37, 16}, Dtype::bfloat16));
}

// Replaces the rows with these numbers by `rows`.
std::vector<float> with_rows(std::vector<float> values, const std::vector<std::size_t>& numbers,
                             const std::vector<float>& rows, std::size_t columns) {
  for (std::size_t i = 0; i < numbers.size(); ++i)
    for (std::size_t column = 0; column < columns; ++column)
      values[numbers[i] * columns + column] = rows[i * columns + column];
  return values;
}

TEST_F(Merge, trained_tokens_take_the_place_of_rows) {
  const RawTensor weight = random_weight({37, 16});
  const RawTensor rows = random_weight({3, 16}, Dtype::float32, 5);
  write_base({{kEmbedding + ".weight", weight}, {"lm_head.weight", weight}});
  for (const nlohmann::json& indices : {nlohmann::json{36, 0, 7}, nlohmann::json{{"embed_tokens", {36, 0, 7}}}}) {
    write_adapter(adapter(), {{kPeft + kEmbedding + ".token_adapter.trainable_tokens_delta", rows}},
                  {{"trainable_token_indices", indices}});
    EXPECT_TRUE(merged().at(kEmbedding + ".weight") ==
                tensor_of(with_rows(values_of(weight), {36, 0, 7}, values_of(rows), 16), {37, 16}, Dtype::bfloat16));
    EXPECT_EQ(report.merged.at(0).rule, "rows");
  }
}

}  // namespace
}  // namespace qfuse::checkpoint
