// End to end: what comes out is what a loop in plain fp32 makes of the same values, rounded once.
#include <cmath>
#include <qfuse/checkpoint.hpp>

#include "adapters.h"
#include "support.h"

namespace qfuse::checkpoint {
namespace {

using Names = std::vector<std::string>;

const std::string kUp = "model.layers.0.mlp.up_proj";
const std::string kDown = "model.layers.0.mlp.down_proj";
constexpr float kScale = 2.0F;  // alpha / rank of write_adapter()

// A directory with a base and adapters, and what merging gives.
class Merge : public testing::Test {
 protected:
  // Of these, in one file, with a config that no printing would give back.
  void write_base(const RawTensors& tensors, const std::string& config = kConfig) {
    fs::create_directories(base());
    write_file(base() / "model.safetensors", safetensors(tensors));
    if (!config.empty()) write_file(base() / "config.json", config);
  }
  [[nodiscard]] fs::path base() const { return directory / "base"; }
  [[nodiscard]] fs::path adapter(const std::string& name = "adapter") const { return directory / name; }

  RawTensors merged(const MergeOptions& options = {}, const std::vector<AdapterInput>& adapters = {}) {
    const TemporaryDirectory elsewhere;
    report =
        merge(base(), adapters.empty() ? std::vector<AdapterInput>{{adapter()}} : adapters, elsewhere / "out", options);
    files = names_in(elsewhere / "out");
    config = fs::exists(elsewhere / "out/config.json") ? read_file(elsewhere / "out/config.json") : "";
    return load(elsewhere / "out");
  }

  static constexpr const char* kConfig = "{\"model_type\":  \"llama\",\n\n\"tie_word_embeddings\":false}";
  TemporaryDirectory directory;
  MergeReport report;
  Names files;
  std::string config;
};

RawTensors layers() {
  return {{kUp + ".weight", random_weight({33, 127})},
          {kDown + ".weight", random_weight({127, 33}, Dtype::bfloat16, 2)},
          {"model.norm.weight", random_weight({127}, Dtype::bfloat16, 3)},
          {"numbers", {"I64", {2}, std::string(16, '\7')}}};
}

// ---- what is added -----------------------------------------------------------------------------------------------

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

// In fp32 between them, not in the type of the base.
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

// The lengths are those of the sum in fp32, before it is rounded.
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
  // Its lengths, then a plain one behind it; the other way round, the length would be that of both.
  const RawTensors plain = lora(kUp, 33, 127, 4, 3);
  write_adapter(adapter("plain"), plain);
  const std::vector<float> two = sum_of(one, matrix_of(plain.at(kPeft + kUp + ".lora_B.weight")),
                                        matrix_of(plain.at(kPeft + kUp + ".lora_A.weight")), kScale);
  EXPECT_TRUE(merged({}, {{adapter()}, {adapter("plain")}}).at(kUp + ".weight") ==
              tensor_of(two, {33, 127}, Dtype::bfloat16));
  EXPECT_TRUE(holds(error_of(Status::unsupported,
                             [&] {
                               merged({}, {{adapter("plain")}, {adapter()}});
                             }),
                    "give the DoRA adapter first"));
}

// GPT-2 keeps its matrices as [in, out].
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

const std::string kEmbedding = "model.embed_tokens";

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

// The rows of two matrices, one below the other.
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

// An adapter of the head alone: the head becomes a tensor of its own, and the embedding stays as it is.
TEST_F(Merge, a_tied_head_that_is_trained_alone_is_no_longer_tied) {
  const RawTensor weight = random_weight({37, 16});
  const RawTensors factors = lora("lm_head", 37, 16, 4);
  write_base({{kEmbedding + ".weight", weight}}, R"({"model_type": "llama", "tie_word_embeddings": true})");
  write_adapter(adapter(), factors);
  RawTensors out = merged();
  EXPECT_TRUE(out.at(kEmbedding + ".weight") == weight);
  const RawTensor head = with_lora(weight, factors, "lm_head", kScale, Dtype::bfloat16);
  EXPECT_TRUE(out.at("lm_head.weight") == head);
  EXPECT_EQ(nlohmann::json::parse(config).at("tie_word_embeddings"), false);
  EXPECT_EQ(report.tensors, 2);

  MergeOptions options;
  options.head = Head::tie;
  out = merged(options);
  EXPECT_TRUE(out.at(kEmbedding + ".weight") == head);
  EXPECT_FALSE(out.contains("lm_head.weight"));
  EXPECT_EQ(nlohmann::json::parse(config).at("tie_word_embeddings"), true);
}

TEST_F(Merge, a_tied_head_can_be_untied) {
  const RawTensor weight = random_weight({37, 16});
  RawTensors base = layers();
  base[kEmbedding + ".weight"] = weight;
  write_base(base, R"({"model_type": "llama"})");
  write_adapter(adapter(), lora(kUp, 33, 127, 4));
  EXPECT_FALSE(merged().contains("lm_head.weight"));
  EXPECT_EQ(config, R"({"model_type": "llama"})");
  MergeOptions options;
  options.head = Head::untie;
  const RawTensors out = merged(options);
  EXPECT_TRUE(out.at("lm_head.weight") == weight);
  EXPECT_TRUE(out.at(kEmbedding + ".weight") == weight);
  EXPECT_EQ(nlohmann::json::parse(config).at("tie_word_embeddings"), false);
}

TEST_F(Merge, a_vocabulary_may_grow) {
  const RawTensor grown = random_weight({40, 16}, Dtype::bfloat16, 2);
  write_base({{kEmbedding + ".weight", random_weight({37, 16})}, {"lm_head.weight", random_weight({37, 16})}},
             R"({"model_type": "llama", "vocab_size": 37})");
  write_adapter(adapter(), {{kPeft + kEmbedding + ".weight", grown}, {kPeft + "lm_head.weight", grown}});
  const RawTensors out = merged();
  EXPECT_TRUE(out.at(kEmbedding + ".weight") == grown);
  EXPECT_TRUE(out.at("lm_head.weight") == grown);
  EXPECT_EQ(nlohmann::json::parse(config).at("vocab_size"), 40);
}

// ---- experts -----------------------------------------------------------------------------------------------------

const std::string kExperts = "model.layers.0.mlp.experts";

// Of [experts, out, in]: the columns of lora_B are ordered by rank, then expert; the rows of lora_A by expert.
struct Expert {
  Matrix b;
  Matrix a;
};
Expert expert_of(const RawTensors& factors, std::int64_t experts, std::int64_t expert, std::int64_t rank) {
  const Matrix all_b = matrix_of(factors.at(kPeft + kExperts + ".lora_B.weight"));
  const Matrix all_a = matrix_of(factors.at(kPeft + kExperts + ".lora_A.weight"));
  Expert one{{all_b.rows, rank, {}}, {rank, all_a.columns, {}}};
  for (std::int64_t row = 0; row < all_b.rows; ++row)
    for (std::int64_t k = 0; k < rank; ++k) one.b.values.push_back(all_b.at(row, k * experts + expert));
  for (std::int64_t k = 0; k < rank; ++k)
    for (std::int64_t column = 0; column < all_a.columns; ++column)
      one.a.values.push_back(all_a.at(expert * rank + k, column));
  return one;
}

std::vector<float> part(const std::vector<float>& values, std::int64_t begin, std::int64_t count) {
  return {values.begin() + begin, values.begin() + begin + count};
}

TEST_F(Merge, joined_experts_get_a_product_each) {
  constexpr std::int64_t kCount = 5;
  const RawTensor weight = random_weight({kCount, 6, 9});
  const RawTensors factors = lora(kExperts, 6, 9, 2 * kCount);
  std::vector<float> expected;
  for (std::int64_t i = 0; i < kCount; ++i) {
    const Expert expert = expert_of(factors, kCount, i, 2);
    const std::vector<float> sums = sum_of(part(values_of(weight), i * 54, 54), expert.b, expert.a, 4.0F);
    expected.insert(expected.end(), sums.begin(), sums.end());
  }
  write_base({{kExperts + ".down_proj", weight}});
  write_adapter(adapter(), factors,
                {{"r", 2}, {"peft_version", "0.19.0"}, {"target_parameters", {"mlp.experts.down_proj"}}});
  EXPECT_TRUE(merged().at(kExperts + ".down_proj") == tensor_of(expected, {kCount, 6, 9}, Dtype::bfloat16));
  EXPECT_EQ(report.merged.at(0).rule, "lora of experts");
}

// More layers than experts: number 3 of layer 0 is no other name for number 0 of layer 3.
TEST_F(Merge, experts_that_are_stored_one_by_one_share_the_rows_of_a_product) {
  constexpr std::int64_t kCount = 3;
  RawTensors base;
  for (int layer = 0; layer < 5; ++layer)
    for (int i = 0; i < kCount; ++i)
      for (const char* name : {"gate_proj", "up_proj"})
        base["model.layers." + std::to_string(layer) + ".mlp.experts." + std::to_string(i) + "." + name + ".weight"] =
            random_weight({4, 9}, Dtype::bfloat16, static_cast<unsigned>(100 * layer + 10 * i + name[0]));
  const RawTensors factors = lora(kExperts, 8, 9, 2 * kCount);
  write_base(base);
  write_adapter(adapter(), factors,
                {{"r", 2}, {"peft_version", "0.19.0"}, {"target_parameters", {"mlp.experts.gate_up_proj"}}});
  const RawTensors out = merged();
  for (std::int64_t i = 0; i < kCount; ++i) {
    const Expert expert = expert_of(factors, kCount, i, 2);
    for (const bool up : {false, true}) {
      const std::string name = kExperts + "." + std::to_string(i) + (up ? ".up_proj.weight" : ".gate_proj.weight");
      const Matrix rows{4, 2, part(expert.b.values, up ? 8 : 0, 8)};
      EXPECT_TRUE(out.at(name) ==
                  tensor_of(sum_of(values_of(base.at(name)), rows, expert.a, 4.0F), {4, 9}, Dtype::bfloat16))
          << name;
    }
  }
  EXPECT_EQ(report.merged.size(), 6U);
  for (const auto& [name, tensor] : base)
    if (!name.starts_with(kExperts)) {
      EXPECT_TRUE(out.at(name) == tensor) << name;
    }
}

// ---- 4 bits ------------------------------------------------------------------------------------------------------

const std::string kState = ".quant_state.bitsandbytes__nf4";

// The base's linear layers in 4 bits, the plain one at plain().
class MergeQuantized : public Merge {
 protected:
  void SetUp() override {
    write_base({{kUp + ".weight", random_weight({64, 128})},
                {kDown + ".weight", random_weight({128, 64}, Dtype::bfloat16, 2)},
                {"model.norm.weight", random_weight({128}, Dtype::bfloat16, 3)}});
    fs::rename(base(), plain());
    quantize(plain(), base());
    factors = lora(kUp, 64, 128, 4);
    write_adapter(adapter(), factors);
  }
  [[nodiscard]] fs::path plain() const { return directory / "plain"; }

  // What one process after the other makes of it.
  template <class... Steps>
  RawTensors in_steps(const fs::path& in, Steps... steps) {
    fs::path at = in;
    int number = 0;
    const TemporaryDirectory between;
    (
        [&] {
          const fs::path next = between / std::to_string(++number);
          steps(at, next);
          at = next;
        }(),
        ...);
    config = read_file(at / "config.json");
    return load(at);
  }

  RawTensors factors;
};

TEST_F(MergeQuantized, a_4bit_base_is_decoded) {
  const RawTensors decoded = in_steps(base(), [](const fs::path& in, const fs::path& out) { dequantize(in, out); });
  const std::string plain_config = config;
  const RawTensors out = merged();
  ASSERT_EQ(out.size(), 3U);
  EXPECT_TRUE(out.at(kUp + ".weight") == with_lora(decoded.at(kUp + ".weight"), factors, kUp, kScale, Dtype::bfloat16));
  EXPECT_TRUE(out.at(kDown + ".weight") == decoded.at(kDown + ".weight"));
  EXPECT_EQ(config, plain_config);
}

TEST_F(MergeQuantized, an_int8_base_is_decoded) {
  RawTensors base_tensors{{kUp + ".SCB", f32(values_of(random_weight({64}, Dtype::float32)))}};
  std::string codes(64 * 128, '\0');
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<char>(37 * i);
  base_tensors[kUp + ".weight"] = {"I8", {64, 128}, codes};
  write_base(base_tensors, R"({"torch_dtype": "float16", "quantization_config": {"load_in_8bit": true}})");
  const RawTensors decoded = in_steps(base(), [](const fs::path& in, const fs::path& out) { dequantize(in, out); });
  EXPECT_TRUE(merged().at(kUp + ".weight") ==
              with_lora(decoded.at(kUp + ".weight"), factors, kUp, kScale, Dtype::float16));
  MergeOptions options;
  options.to_4bit = QuantType::nf4;
  EXPECT_TRUE(holds(error_of(Status::invalid_argument, [&] { merged(options); }),
                    "is LLM.int8, and cannot become nf4: dequantize the base first"));
}

TEST_F(MergeQuantized, a_4bit_base_stays_so_and_untouched_tensors_keep_their_bytes) {
  MergeOptions options;
  options.to_4bit = QuantType::nf4;
  const RawTensors before = load(base());
  const RawTensors out = merged(options);
  const RawTensor sum = in_steps(base(), [&](const fs::path& in, const fs::path& to) {
                          merge(in, std::vector<AdapterInput>{{adapter()}}, to);
                        }).at(kUp + ".weight");
  const Weight4bitArrays encoded = encoded_by_op(sum, {});
  EXPECT_EQ(out.at(kUp + ".weight").bytes, bytes_of(encoded.packed));
  EXPECT_EQ(out.at(kUp + ".weight.absmax").bytes, bytes_of(encoded.absmax_8bit));
  EXPECT_EQ(out.at(kUp + ".weight.nested_absmax").bytes, bytes_of(encoded.nested_absmax));
  ASSERT_EQ(out.size(), before.size());
  for (const auto& [name, tensor] : before)
    if (!name.starts_with(kUp)) {
      EXPECT_TRUE(out.at(name) == tensor) << name;
    }
  merged(options);
  EXPECT_EQ(config, read_file(base() / "config.json"));
  EXPECT_GT(report.merged.at(0).survival, 0.9) << "what is added is as large as the weight";
}

TEST_F(MergeQuantized, an_adapter_that_is_lost_in_4_bits_is_refused) {
  MergeOptions options;
  options.to_4bit = QuantType::nf4;
  const std::vector<AdapterInput> faint{{adapter(), 1e-4}};
  EXPECT_TRUE(holds(error_of(Status::invalid_data, [&] { merged(options, faint); }),
                    "tensor '" + kUp + ".weight': of what the adapter adds, "));
  options.fail_below = 0.0;
  merged(options, faint);
  EXPECT_LT(report.merged.at(0).survival, 0.5);
  options.fail_below = 0.5;
  options.dry_run = true;
  merge(base(), faint, directory / "out", options);
  EXPECT_FALSE(fs::exists(directory / "out"));
  options.to_4bit = QuantType::fp4;
  EXPECT_TRUE(holds(error_of(Status::invalid_argument, [&] { merged(options); }),
                    "is nf4, and cannot become fp4: dequantize the base first"));
}

TEST_F(MergeQuantized, to_4_bits_is_merging_and_then_quantizing) {
  for (const QuantType quant_type : {QuantType::nf4, QuantType::fp4})
    for (const bool double_quant : {true, false})
      for (const std::optional<Dtype> dtype : {std::optional<Dtype>(), std::optional(Dtype::float16)}) {
        SCOPED_TRACE(dtype ? "to float16" : "");
        fs::remove_all(base());
        fs::copy(plain(), base());
        MergeOptions options;
        options.to_4bit = quant_type;
        options.double_quant = double_quant;
        options.blocksize = 128;
        options.dtype = dtype;
        const RawTensors out = merged(options);
        const std::string merged_config = config;
        const RawTensors expected = in_steps(
            base(),
            [&](const fs::path& in, const fs::path& to) {
              MergeOptions plain_options;
              plain_options.dtype = dtype;
              merge(in, std::vector<AdapterInput>{{adapter()}}, to, plain_options);
            },
            [&](const fs::path& in, const fs::path& to) {
              QuantizeOptions quantize_options;
              quantize_options.quant_type = quant_type;
              quantize_options.double_quant = double_quant;
              quantize_options.blocksize = 128;
              quantize_options.dtype = dtype;
              quantize(in, to, quantize_options);
            });
        EXPECT_TRUE(out == expected);
        EXPECT_EQ(merged_config, config);
      }
}

TEST_F(MergeQuantized, a_base_as_it_was_trained_on_is_one_quantized_and_decoded) {
  const RawTensors expected = in_steps(
      base(), [](const fs::path& in, const fs::path& out) { dequantize(in, out); },
      [&](const fs::path& in, const fs::path& out) { merge(in, std::vector<AdapterInput>{{adapter()}}, out); });
  fs::remove_all(base());
  fs::copy(plain(), base());
  MergeOptions options;
  options.base_as = QuantType::nf4;
  EXPECT_TRUE(merged(options) == expected);
  options.to_4bit = QuantType::nf4;
  const RawTensors encoded = merged(options);
  EXPECT_TRUE(encoded.at(kUp + ".weight").bytes == bytes_of(encoded_by_op(expected.at(kUp + ".weight"), {}).packed));
}

TEST_F(MergeQuantized, a_base_as_4_bits_needs_a_plain_base) {
  MergeOptions options;
  options.base_as = QuantType::nf4;
  EXPECT_TRUE(holds(error_of(Status::invalid_argument, [&] { merged(options); }),
                    "is quantized already; `base_as` is for a base in 16 or 32 bits"));
}

// ---- files -------------------------------------------------------------------------------------------------------

using Files = std::map<std::string, std::string>;

Files contents(const fs::path& path) {
  Files all;
  for (const std::string& name : names_in(path)) all[name] = read_file(path / name);
  return all;
}

// In two files, of which neither says that there is an index.
void write_sharded_base(const fs::path& path) {
  fs::create_directories(path);
  nlohmann::json index;
  for (int layer = 0; layer < 6; ++layer) {
    const std::string stem = "model.layers." + std::to_string(layer) + ".mlp.";
    const std::string file = "model-0000" + std::to_string(layer + 1) + "-of-00006.safetensors";
    const RawTensors tensors{{stem + "up_proj.weight", random_weight({33, 127}, Dtype::bfloat16, layer)},
                             {stem + "down_proj.weight", random_weight({127, 33}, Dtype::bfloat16, layer + 50)}};
    write_file(path / file, safetensors(tensors));
    for (const auto& [name, tensor] : tensors) index["weight_map"][name] = file;
  }
  write_file(path / "model.safetensors.index.json", index.dump());
  write_file(path / "config.json", R"({"model_type": "llama"})");
}

RawTensors lora_of_all_layers() {
  RawTensors factors;
  for (unsigned layer = 0; layer < 6; ++layer)
    factors.merge(lora("model.layers." + std::to_string(layer) + ".mlp.up_proj", 33, 127, 4, layer + 1));
  return factors;
}

TEST_F(Merge, shards_threads_and_the_reference_device_give_the_same_files) {
  write_sharded_base(base());
  write_adapter(adapter(), lora_of_all_layers());
  const std::vector<AdapterInput> adapters{{adapter()}};
  MergeOptions options;
  options.max_shard_size = 20'000;
  const MergeReport whole = merge(base(), adapters, directory / "whole", options);
  EXPECT_EQ(whole.files, 6);
  EXPECT_EQ(whole.converted, 6);
  const Files expected = contents(directory / "whole");
  EXPECT_EQ(expected.size(), 6U + 3U);  // index, config, README
  const RawTensors tensors = load(directory / "whole");
  for (const auto& [name, tensor] : load(base())) {
    const std::string module = name.substr(0, name.rfind('.'));
    EXPECT_TRUE(tensors.at(name) == (module.ends_with("up_proj")
                                         ? with_lora(tensor, lora_of_all_layers(), module, kScale, Dtype::bfloat16)
                                         : tensor))
        << name;
  }
  options.force = true;
  for (const int threads : {1, 2, 7}) {
    options.exec.threads = threads;
    merge(base(), adapters, directory / "out", options);
    EXPECT_TRUE(contents(directory / "out") == expected) << threads;
  }
  options.exec.device = {QFUSE_REFERENCE, 0};
  merge(base(), adapters, directory / "out", options);
  EXPECT_TRUE(contents(directory / "out") == expected);
  options.exec = {};
  fs::remove_all(directory / "out");
  for (const std::int64_t i : {2, 0, 1}) {
    options.shard = Shard{i, 3};
    merge(base(), adapters, directory / "out", options);
    EXPECT_FALSE(fs::exists(directory / "out"));
  }
  finish(directory / "out");
  EXPECT_TRUE(contents(directory / "out") == expected);
}

// What the other processes had said: another scale would be in some files alone.
TEST_F(Merge, shards_must_have_the_same_adapter) {
  write_sharded_base(base());
  write_adapter(adapter(), lora_of_all_layers());
  MergeOptions options;
  options.max_shard_size = 20'000;
  options.shard = Shard{0, 2};
  merge(base(), std::vector<AdapterInput>{{adapter()}}, directory / "out", options);
  options.shard = Shard{1, 2};
  EXPECT_NE(error_of(Status::invalid_argument,
                     [&] {
                       merge(base(), std::vector<AdapterInput>{{adapter(), 0.5}}, directory / "out", options);
                     }),
            "");
  const std::string factors = read_file(adapter() / "adapter_model.safetensors");
  write_file(adapter() / "adapter_config.json", R"({"peft_type": "LORA", "r": 4, "lora_alpha": 9})");
  EXPECT_NE(error_of(Status::invalid_argument,
                     [&] { merge(base(), std::vector<AdapterInput>{{adapter()}}, directory / "out", options); }),
            "");
  EXPECT_EQ(read_file(adapter() / "adapter_model.safetensors"), factors);
}

TEST_F(Merge, a_base_may_be_a_file) {
  const RawTensors factors = lora(kUp, 33, 127, 4);
  write_file(directory / "base.safetensors", safetensors(layers()));
  write_adapter(adapter(), factors);
  merge(directory / "base.safetensors", std::vector<AdapterInput>{{adapter()}}, directory / "out.safetensors");
  EXPECT_EQ(names_in(directory.path()), (Names{"adapter", "base.safetensors", "out.safetensors"}));
  EXPECT_TRUE(load(directory / "out.safetensors").at(kUp + ".weight") ==
              with_lora(layers().at(kUp + ".weight"), factors, kUp, kScale, Dtype::bfloat16));
  const std::string out = read_file(directory / "out.safetensors");
  EXPECT_TRUE(holds(out, "base base.safetensors; adapters adapter@1"));
}

TEST_F(Merge, files_beside_the_weights) {
  write_base(layers());
  for (const char* name : {"tokenizer.json", "README.md", "generation_config.json", "vocab.json"})
    write_file(base() / name, std::string(name) + " of the base");
  write_adapter(adapter(), lora(kUp, 33, 127, 4));
  for (const char* name : {"tokenizer.json", "chat_template.jinja", "README.md", "optimizer.pt", "config.json"})
    write_file(adapter() / name, std::string(name) + " of the adapter");
  const std::vector<AdapterInput> adapters{{adapter()}};
  const MergeReport done = merge(base(), adapters, directory / "out");
  EXPECT_EQ(names_in(directory / "out"),
            (Names{"README.md", "chat_template.jinja", "config.json", "generation_config.json", "model.safetensors",
                   "original_README.md", "tokenizer.json", "vocab.json"}));
  const auto text = [&](const std::string& name) { return read_file(directory / "out" / name); };
  EXPECT_EQ(text("tokenizer.json"), "tokenizer.json of the adapter");
  EXPECT_EQ(text("chat_template.jinja"), "chat_template.jinja of the adapter");
  EXPECT_EQ(text("vocab.json"), "vocab.json of the base");
  EXPECT_EQ(text("original_README.md"), "README.md of the base");
  EXPECT_EQ(text("config.json"), kConfig);
  EXPECT_TRUE(holds(text("README.md"), "| adapter | adapter | 1 |"));
  EXPECT_TRUE(holds(text("README.md"), "1 tensors were changed."));
  // Merged onto once more, the description of either is kept.
  write_adapter(adapter("two"), lora(kUp, 33, 127, 4));
  merge(directory / "out", std::vector<AdapterInput>{{adapter("two")}}, directory / "again");
  EXPECT_EQ(read_file(directory / "again/original_README.md"), "README.md of the base");
  EXPECT_EQ(read_file(directory / "again/original_original_README.md"), text("README.md"));
}

TEST_F(Merge, a_dry_run_measures_and_writes_nothing) {
  write_base(layers());
  const RawTensors factors = lora(kUp, 33, 127, 4);
  write_adapter(adapter(), factors);
  MergeOptions options;
  options.dry_run = true;
  options.to_4bit = QuantType::nf4;
  const std::vector<float> before = values_of(layers().at(kUp + ".weight"));
  const std::vector<float> after = sum_of(before, matrix_of(factors.at(kPeft + kUp + ".lora_B.weight")),
                                          matrix_of(factors.at(kPeft + kUp + ".lora_A.weight")), kScale);
  const MergeReport done = merge(base(), std::vector<AdapterInput>{{adapter()}}, directory / "out", options);
  EXPECT_EQ(names_in(directory.path()), (Names{"adapter", "base"}));
  double added = 0.0;
  double weight = 0.0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    weight += static_cast<double>(before[i]) * static_cast<double>(before[i]);
    added += std::pow(static_cast<double>(after[i]) - static_cast<double>(before[i]), 2.0);
  }
  ASSERT_EQ(done.merged.size(), 1U);
  EXPECT_NEAR(done.merged[0].added_rms, std::sqrt(added / (33.0 * 127.0)), 1e-12);
  EXPECT_NEAR(done.merged[0].weight_rms, std::sqrt(weight / (33.0 * 127.0)), 1e-12);
  EXPECT_GT(done.merged[0].survival, 0.9);
  EXPECT_LT(done.merged[0].survival, 1.1);
  const auto json = nlohmann::json::parse(to_json(done));
  ASSERT_EQ(json.size(), 1U);
  EXPECT_EQ(json[0].at("name"), kUp + ".weight");
  EXPECT_EQ(json[0].at("rule"), "lora");
  EXPECT_EQ(json[0].at("rank"), 4);
  EXPECT_EQ(json[0].at("scale"), 2.0);
  EXPECT_EQ(json[0].at("survival"), done.merged[0].survival);
  EXPECT_TRUE(nlohmann::json::parse(to_json(MergeReport{})).empty());
}

TEST_F(Merge, cancelling_leaves_nothing) {
  write_base(layers());
  write_adapter(adapter(), lora(kUp, 33, 127, 4));
  MergeOptions options;
  for (const bool dry_run : {false, true}) {
    options.dry_run = dry_run;
    options.progress = [](const Progress&) { return false; };
    EXPECT_EQ(error_of(Status::cancelled,
                       [&] { merge(base(), std::vector<AdapterInput>{{adapter()}}, directory / "out", options); }),
              "cancelled");
    EXPECT_EQ(names_in(directory.path()), (Names{"adapter", "base"}));
  }
}

// ---- what is refused ---------------------------------------------------------------------------------------------

class MergeRefuses : public Merge {
 protected:
  void SetUp() override {
    write_base(layers());
    write_adapter(adapter(), lora(kUp, 33, 127, 4));
  }
  std::string refusal(Status status, const MergeOptions& options = {}, const std::string& out = "out") {
    const std::string error =
        error_of(status, [&] { merge(base(), std::vector<AdapterInput>{{adapter()}}, directory / out, options); });
    EXPECT_EQ(names_in(directory.path()), (Names{"adapter", "base"}));
    return error;
  }
  std::string refusal_of(const RawTensors& tensors, const nlohmann::json& changes = nlohmann::json::object(),
                         Status status = Status::invalid_data) {
    write_adapter(adapter(), tensors, changes);
    return refusal(status);
  }
};

TEST_F(MergeRefuses, outputs_that_are_an_input_or_within_one) {
  MergeOptions options;
  options.force = true;
  const auto before = contents(adapter());
  EXPECT_TRUE(holds(refusal(Status::invalid_argument, options, "adapter"), "is the input itself"));
  EXPECT_TRUE(holds(refusal(Status::invalid_argument, options, "base"), "is the input itself"));
  EXPECT_TRUE(holds(refusal(Status::invalid_argument, options, "adapter/out"), "lies within the input"));
  EXPECT_TRUE(holds(refusal(Status::invalid_argument, options, "adapter/../adapter"), "is the input itself"));
  EXPECT_TRUE(contents(adapter()) == before);
  fs::rename(adapter(), base() / "adapter");
  EXPECT_TRUE(holds(
      error_of(Status::invalid_argument,
               [&] { merge(base(), std::vector<AdapterInput>{{base() / "adapter"}}, base() / "adapter", options); }),
      "is the input itself"));
  EXPECT_TRUE(contents(base() / "adapter") == before);
  // The output of an earlier run, in which someone has put an adapter: it would be deleted with it.
  merge(base(), std::vector<AdapterInput>{{base() / "adapter"}}, directory / "out");
  fs::rename(base() / "adapter", directory / "out/adapter");
  EXPECT_TRUE(holds(error_of(Status::invalid_argument,
                             [&] {
                               merge(base(), std::vector<AdapterInput>{{directory / "out/adapter"}}, directory / "out",
                                     options);
                             }),
                    "contains the input"));
  EXPECT_TRUE(contents(directory / "out/adapter") == before);
}

TEST_F(MergeRefuses, an_adapter_where_a_run_removes_what_it_finds) {
  fs::rename(adapter(), directory / "out.qfuse-partial");
  EXPECT_TRUE(holds(
      error_of(Status::invalid_argument,
               [&] { merge(base(), std::vector<AdapterInput>{{directory / "out.qfuse-partial"}}, directory / "out"); }),
      "which is removed on the way"));
  EXPECT_EQ(names_in(directory / "out.qfuse-partial").size(), 2U);
}

TEST_F(MergeRefuses, options) {
  EXPECT_EQ(error_of(Status::invalid_argument, [&] { merge(base(), {}, directory / "out"); }), "no adapter is given");
  EXPECT_TRUE(holds(error_of(Status::invalid_argument,
                             [&] {
                               merge(base(), std::vector<AdapterInput>{{adapter(), INFINITY}}, directory / "out");
                             }),
                    "its weight is inf, and must be a number"));
  MergeOptions options;
  options.head = Head::untie;
  EXPECT_TRUE(holds(refusal(Status::invalid_argument, options), "there is nothing to tie or to untie"));
  EXPECT_TRUE(holds(error_of(Status::invalid_argument,
                             [&] { merge(adapter(), std::vector<AdapterInput>{{adapter()}}, directory / "out"); }),
                    "is an adapter itself; BASE comes first"));
  EXPECT_TRUE(
      holds(error_of(Status::io_error,
                     [&] { merge(directory / "none", std::vector<AdapterInput>{{adapter()}}, directory / "out"); }),
            "none"));
}

TEST_F(MergeRefuses, numbers_that_are_none) {
  RawTensors factors = lora(kUp, 33, 127, 4);
  std::vector<float> values = values_of(factors.at(kPeft + kUp + ".lora_A.weight"));
  values[130] = NAN;
  factors[kPeft + kUp + ".lora_A.weight"] = tensor_of(values, {4, 127}, Dtype::float32);
  EXPECT_TRUE(holds(refusal_of(factors), "'" + kPeft + kUp + ".lora_A.weight': element 130 is nan"));
  MergeOptions options;
  options.allow_nonfinite = true;
  EXPECT_TRUE(std::isnan(values_of(merged(options).at(kUp + ".weight")).at(3)));
}

TEST_F(MergeRefuses, adapters_of_another_model) {
  EXPECT_TRUE(holds(refusal_of(lora("model.layers.7.mlp.up_proj", 33, 127, 4)),
                    "has no tensor 'model.layers.7.mlp.up_proj.weight': the adapter is of another model"));
  EXPECT_TRUE(holds(
      refusal_of(lora(kUp, 34, 127, 4)),
      "have the shapes [4, 127] and [34, 4], whose product does not fit '" + kUp + ".weight', which is [33, 127]"));
  EXPECT_TRUE(holds(refusal_of(lora(kUp, 127, 33, 4)), "fits '" + kUp + ".weight' only turned"));
}

TEST_F(MergeRefuses, ranks_that_the_config_does_not_say) {
  EXPECT_TRUE(holds(refusal_of(lora(kUp, 33, 127, 5)),
                    "have the shapes [5, 127] and [33, 5], and adapter_config.json "
                    "says rank 4"));
  EXPECT_TRUE(holds(refusal_of(lora(kUp, 33, 127, 4), {{"rank_pattern", {{"up_proj", 2}}}}), "says rank 2"));
}

TEST_F(MergeRefuses, tensors_that_are_left_over) {
  RawTensors factors = lora(kUp, 33, 127, 4);
  const RawTensor a = factors.at(kPeft + kUp + ".lora_A.weight");
  EXPECT_TRUE(holds(refusal_of({{kPeft + kUp + ".lora_A.weight", a}}), "its lora_B is missing"));
  EXPECT_TRUE(holds(refusal_of({{kPeft + kUp + ".lora_B.weight", a}}), "its lora_A is missing"));
  EXPECT_TRUE(holds(refusal_of({{kPeft + kUp + ".lora_magnitude_vector", a}}), "its lora_A is missing"));
  EXPECT_TRUE(holds(refusal_of({{kPeft + kUp + ".lora_B.bias", a}}), "its lora_B.weight is missing"));
  EXPECT_TRUE(holds(refusal_of({{kPeft + kUp + ".lora_embedding_A", a}}), "its lora_embedding_B is missing"));
  factors[kPeft + kUp + ".lora_magnitude_vector"] = random_weight({33}, Dtype::float32);
  EXPECT_TRUE(holds(refusal_of(factors), "is DoRA's, and adapter_config.json does not say use_dora"));
  EXPECT_TRUE(holds(refusal_of(lora(kUp, 33, 127, 4), {{"use_dora", true}}), "its lora_magnitude_vector is missing"));
  factors[kPeft + kUp + ".lora_magnitude_vector"] = random_weight({32}, Dtype::float32);
  EXPECT_TRUE(holds(refusal_of(factors, {{"use_dora", true}}), "has the shape [32], and needs 33 values"));
  factors = lora(kUp, 33, 127, 4);
  factors[kPeft + "model.other.weight"] = random_weight({33});
  EXPECT_TRUE(holds(refusal_of(factors), "has no tensor 'model.other.weight'"));
}

// Two names in memory that are one in the file: both would be added to it.
TEST_F(MergeRefuses, two_modules_that_mean_one_tensor) {
  RawTensors factors = lora(kUp, 33, 127, 4);
  factors.merge(lora("language_model." + kUp, 33, 127, 4, 2));
  EXPECT_TRUE(holds(refusal_of(factors), "'" + kUp + ".weight'"));
}

TEST_F(MergeRefuses, names_that_may_mean_two) {
  RawTensors base_tensors = layers();
  base_tensors.erase(kUp + ".weight");
  base_tensors["a." + kUp + ".weight"] = random_weight({33, 127});
  base_tensors["b." + kUp + ".weight"] = random_weight({33, 127});
  write_base(base_tensors);
  EXPECT_TRUE(holds(refusal(Status::invalid_data), "may be 'a." + kUp + ".weight' or 'b." + kUp + ".weight'"));
}

TEST_F(MergeRefuses, shapes_that_are_no_matrix) {
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{}, {4}, {0}, {0, 127}, {4, 0}, {4, 127, 2}, {1, 1, 1, 1}}) {
    RawTensors factors = lora(kUp, 33, 127, 4);
    factors[kPeft + kUp + ".lora_A.weight"] = random_weight(shape, Dtype::float32);
    EXPECT_NE(refusal_of(factors), "");
    factors = lora(kUp, 33, 127, 4);
    factors[kPeft + kUp + ".lora_B.weight"] = random_weight(shape, Dtype::float32);
    EXPECT_NE(refusal_of(factors), "");
    EXPECT_NE(refusal_of({{kPeft + "model.norm.weight", random_weight(shape)}}), "");
  }
  write_base({{"number", random_weight({}, Dtype::float32)}});
  EXPECT_TRUE(holds(refusal_of({{kPeft + "number.weight", random_weight({})}}), "has no tensor"));
}

TEST_F(MergeRefuses, dtypes_that_cannot_be_merged_into) {
  EXPECT_TRUE(holds(refusal_of({{kPeft + kUp + ".weight", {"I64", {1}, std::string(8, '\0')}}},
                               nlohmann::json::object(), Status::unsupported),
                    "has the dtype I64; adapters have F32, F16 or BF16"));
  write_base({{kUp + ".weight", {"F64", {33, 127}, std::string(33 * 127 * 8, '\0')}}});
  EXPECT_TRUE(holds(refusal_of(lora(kUp, 33, 127, 4), nlohmann::json::object(), Status::unsupported),
                    "is F64, and only F32, F16 and BF16 can be merged into"));
}

TEST_F(MergeRefuses, tokens_that_the_embedding_has_not) {
  write_base({{kEmbedding + ".weight", random_weight({37, 16})}, {"lm_head.weight", random_weight({37, 16})}});
  const RawTensors rows{{kPeft + kEmbedding + ".token_adapter.trainable_tokens_delta", random_weight({2, 16})}};
  const auto refusal_for = [&](const nlohmann::json& indices) {
    return refusal_of(rows, {{"trainable_token_indices", indices}});
  };
  EXPECT_TRUE(holds(refusal_for({1, 37}), "is for token 37, and the embedding has 37"));
  EXPECT_TRUE(holds(refusal_for({1, 9'223'372'036'854'775'807}), "and the embedding has 37"));
  EXPECT_TRUE(holds(refusal_for({1, 1}), "is for token 1 twice"));
  EXPECT_TRUE(holds(refusal_for({1, 2, 3}), "has the shape [2, 16], and needs 3 rows of 16"));
  EXPECT_TRUE(holds(refusal_for({1, -1}), "trainable_token_indices is [1,-1], needs to be numbers of tokens"));
  EXPECT_TRUE(holds(refusal_for({{"wte", {1, 2}}}), "do not say which rows it is for"));
  EXPECT_TRUE(holds(refusal_for(nullptr), "do not say which rows it is for"));
}

// A product of numbers that are finite each, but for their scale.
TEST_F(MergeRefuses, scales_that_are_too_large_for_fp32) {
  EXPECT_NE(refusal_of(lora(kUp, 33, 127, 4), {{"lora_alpha", 1e300}}), "");
}

TEST_F(MergeRefuses, pipelines) {
  write_file(base() / "model_index.json", R"({"_class_name": "X"})");
  EXPECT_TRUE(holds(refusal(Status::unsupported), "merge into the folder of one of its models"));
}

}  // namespace
}  // namespace qfuse::checkpoint
