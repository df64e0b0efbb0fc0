#include "choice.h"

#include <algorithm>
#include <array>

namespace qfuse::soak {

const std::vector<ModelLayer> kModelLayers = {
    {"Llama 3 8B", 4096, 4096},   {"Llama 3 8B", 4096, 1024},   {"Llama 3 8B", 4096, 14336},
    {"Llama 3 8B", 14336, 4096},  {"Llama 3 70B", 8192, 8192},  {"Llama 3 70B", 8192, 1024},
    {"Llama 3 70B", 8192, 28672}, {"Llama 3 70B", 28672, 8192}, {"Qwen3 8B", 4096, 12288},
    {"Qwen3 8B", 12288, 4096},    {"Qwen3 32B", 5120, 8192},    {"Qwen3 32B", 8192, 5120},
    {"Qwen3 32B", 5120, 1024},    {"Qwen3 32B", 5120, 25600},   {"Qwen3 32B", 25600, 5120},
    {"gpt-oss 20B", 2880, 4096},  {"gpt-oss 20B", 2880, 512},   {"gpt-oss 20B", 4096, 2880},
    {"gpt-oss 20B", 2880, 5760}};

namespace {

// Numbers of tokens at and near the kernels' tile sizes.
constexpr std::array kTokens = {1, 8, 16, 17, 32, 33, 64, 65, 100, 128, 129, 200, 256, 300, 512};
constexpr std::array kBlocksizes = {32, 64, 64, 64, 128, 256, 1024, 4096};
constexpr std::array kNestedBlocksizes = {0, 0, 16, 256, 256, 256};
constexpr std::array kGaps = {0, 0, 0, 3, 8, 24};
constexpr const char* kMergedCodes[] = {"none", "nf4", "mxfp4"};
constexpr std::array kRanks = {1, 8, 13, 16, 16, 64, 200};
constexpr std::int64_t kTerms = 64;  // rows of rotated_int8 are whole blocks of this size
constexpr std::array kPlaces = {0, 0, 0, 1, 2, 4, 8};
constexpr const char* kDtypes[] = {"bf16", "bf16", "fp16", "fp32"};
constexpr const char* kHalves[] = {"bf16", "bf16", "bf16", "fp16"};
constexpr const char* kTypes[] = {"nf4", "nf4", "nf4", "fp4"};
constexpr const char* kDirections[] = {"forward", "backward"};

// A layer always has the same encoding, so that all cases share its arrays. Most are encoded like bitsandbytes'.
void set_layer(Case& c, std::size_t index) {
  const ModelLayer& layer = kModelLayers.at(index);
  c.set("rows", layer.rows).set("cols", layer.cols);
  if (index % 5 == 3) c.set("nested", std::int64_t{0});
  if (index % 7 == 4) c.set("type", "fp4");
}

std::int64_t any_layer(Random& random) { return random.below(static_cast<std::int64_t>(kModelLayers.size())); }

// Chooses a small weight of any encoding.
void set_small_weight(Case& c, Random& random, std::int64_t most_rows, std::int64_t most_cols) {
  c.set("rows", random.of_any_size(1, most_rows)).set("cols", random.of_any_size(1, most_cols));
  if (random.one_in(2)) c.set("cols", std::max<std::int64_t>(1, c.number("cols") / 64) * 64);
  c.set("type", random.any_of(kTypes)).set("blocksize", random.any_of(kBlocksizes));
  c.set("nested", random.any_of(kNestedBlocksizes)).set("at", random.any_of(kPlaces));
  c.set("seed", random.below(1 << 20));
}

Case choose_dequantize_4bit(Random& random) {
  Case c("dequantize_4bit");
  if (random.one_in(2))
    set_layer(c, static_cast<std::size_t>(any_layer(random)));
  else
    set_small_weight(c, random, 3000, 3000);
  c.set("dtype", random.any_of(kDtypes));
  if (random.one_in(6)) c.set("at", random.any_of(kPlaces));
  return c;
}

Case choose_quantize_4bit(Random& random) {
  Case c("quantize_4bit");
  set_small_weight(c, random, 4096, 6000);
  if (random.one_in(3)) {
    const ModelLayer& layer = kModelLayers.at(static_cast<std::size_t>(any_layer(random)));
    if (layer.rows * layer.cols < 64 << 20) c.set("rows", layer.rows).set("cols", layer.cols);
  }
  c.set("dtype", random.any_of(kDtypes)).set("special", std::int64_t{random.one_in(3)});
  if (c.number("nested") == 0) c.set("importance", std::int64_t{random.one_in(2)});
  return c.set("approx", std::int64_t{random.one_in(8)});
}

Case choose_blockwise(Random& random, const char* op) {
  Case c(op);
  c.set("n", random.of_any_size(1, 20'000'000)).set("blocksize", random.any_of(kBlocksizes));
  c.set("dtype", random.any_of(kDtypes)).set("at", random.any_of(kPlaces)).set("seed", random.below(1 << 20));
  if (c.op() == "quantize_blockwise") c.set("special", std::int64_t{random.one_in(3)});
  return c;
}

Case choose_dequantize_int8(Random& random) {
  Case c("dequantize_int8");
  c.set("rows", random.of_any_size(1, 8192)).set("cols", random.of_any_size(1, 8192));
  c.set("dtype", random.any_of(kDtypes)).set("at", random.any_of(kPlaces));
  return c.set("seed", random.below(1 << 20));
}

Case choose_dequantize_fp8(Random& random) {
  constexpr std::array kBlocks = {1, 3, 32, 100, 128, 128, 128, 8192};
  constexpr const char* kScales[] = {"fp32", "fp32", "ue8m0", "fp16", "bf16"};
  Case c("dequantize_fp8");
  c.set("rows", random.of_any_size(1, 8192)).set("cols", random.of_any_size(1, 8192));
  if (random.one_in(2)) c.set("cols", std::max<std::int64_t>(1, c.number("cols") / 64) * 64);
  c.set("block_rows", random.any_of(kBlocks)).set("block_cols", random.any_of(kBlocks));
  c.set("scales", random.any_of(kScales)).set("dtype", random.any_of(kDtypes)).set("at", random.any_of(kPlaces));
  return c.set("seed", random.below(1 << 20));
}

Case choose_dequantize_4bit_rows(Random& random) {
  constexpr std::array kBlocks = {16, 16, 32, 32, 48, 64, 128, 8192};
  constexpr const char* kScales[] = {"ue8m0", "e4m3", "bf16", "fp16", "fp32"};
  constexpr const char* kGlobals[] = {"none", "factor", "divisor"};
  const bool int4 = random.one_in(2);
  Case c("dequantize_4bit_rows");
  c.set("rows", random.of_any_size(1, 8192)).set("cols", random.of_any_size(1, 8192));
  if (random.one_in(2)) c.set("cols", std::max<std::int64_t>(1, c.number("cols") / 64) * 64);
  c.set("codes", int4 ? "int4" : "e2m1").set("zeros", int4 && random.one_in(2) ? 1 : 0);
  c.set("blocksize", random.any_of(kBlocks)).set("scales", random.any_of(kScales));
  c.set("global", random.any_of(kGlobals)).set("dtype", random.any_of(kDtypes)).set("at", random.any_of(kPlaces));
  return c.set("seed", random.below(1 << 20));
}

Case choose_lora_merge(Random& random) {
  Case c("lora_merge");
  c.set("rows", random.of_any_size(1, 4096)).set("cols", random.of_any_size(1, 4096));
  c.set("rank", random.any_of(kRanks)).set("in", random.any_of(kDtypes)).set("dtype", random.any_of(kDtypes));
  c.set("codes", random.any_of(kMergedCodes));
  if (!c.is("codes", "none"))
    c.set("cols", 64 * random.of_any_size(1, 64)).set("in", c.word("dtype")).set("keeps", random.below(2));
  return c.set("at", random.any_of(kPlaces)).set("seed", random.below(1 << 20));
}

// Special values only in short rows, because nearly every long row would have a non-finite value.
Case choose_rotated_input(Random& random) {
  Case c("rotated_int8_quantize");
  c.set("rows", random.of_any_size(1, 4096)).set("cols", kTerms * random.of_any_size(1, 448));
  if (random.one_in(3)) c.set("cols", kModelLayers.at(static_cast<std::size_t>(any_layer(random))).cols);
  c.set("gap", random.any_of(kGaps)).set("dtype", random.any_of(kDtypes)).set("at", random.any_of(kPlaces));
  if (c.number("cols") <= 256) c.set("special", random.below(2));
  return c.set("seed", random.below(1 << 20));
}

Case choose_rotated_swiglu(Random& random) {
  Case c("rotated_int8_swiglu");
  c.set("m", random.of_any_size(1, 2048)).set("h", kTerms * random.of_any_size(1, 300));
  c.set("direction", random.any_of(kDirections)).set("gap", random.any_of(kGaps)).set("at", random.any_of(kPlaces));
  if (c.number("h") <= 256) c.set("special", random.below(2));
  return c.set("seed", random.below(1 << 20));
}

Case choose_rotated_weight(Random& random, const char* op) {
  Case c(op);
  c.set("direction", random.any_of(kDirections));
  if (random.one_in(4)) {
    set_layer(c, static_cast<std::size_t>(any_layer(random)));
  } else {
    set_small_weight(c, random, 2000, 4000);
    const auto make_terms = [&](const char* field) {
      c.set(field, std::max(kTerms, c.number(field) / kTerms * kTerms));
    };
    make_terms("cols");
    if (c.is("direction", "backward")) make_terms("rows");
  }
  if (c.op() == "rotated_int8_weight") c.set("special", std::int64_t{random.one_in(4)});
  return c;
}

Case choose_rotated_product(Random& random) {
  Case c("rotated_int8_matmul");
  c.set("m", random.of_any_size(1, 700)).set("n", random.of_any_size(1, 3000));
  c.set("k", kTerms * random.of_any_size(0, 80)).set("direction", random.any_of(kDirections));
  if (random.one_in(3)) {
    const ModelLayer& layer = kModelLayers.at(static_cast<std::size_t>(any_layer(random)));
    c.set("m", random.one_in(2) ? random.any_of(kTokens) : random.from_to(1, 2048));
    c.set("n", layer.rows).set("k", layer.cols);
  }
  c.set("dtype", random.any_of(kDtypes)).set("special", std::int64_t{random.one_in(6)});
  if (random.one_in(2)) c.set("lora", random.any_of(kRanks));
  c.set("bias", random.below(2)).set("addend", random.below(2)).set("gap", random.any_of(kGaps));
  return c.set("at", random.any_of(kPlaces)).set("seed", random.below(1 << 20));
}

// Changes the case to a format with scales of rows, which are whole blocks.
void make_row_scales(Case& c, Random& random) {
  constexpr std::array kTypes = {"int4", "mxfp4", "nvfp4"};
  constexpr std::array<std::int64_t, 3> kGroups = {32, 64, 128};
  c.set("type", random.any_of(kTypes)).set("nested", std::int64_t{0});
  const std::int64_t block = c.is("type", "mxfp4") ? 32 : c.is("type", "nvfp4") ? 16 : random.any_of(kGroups);
  c.set("blocksize", block).set("cols", std::max(block, c.number("cols") / block * block));
}

// Changes the case to few tokens and to the other requirements of the order FACTORED.
void make_factored(Case& c, Random& random) {
  constexpr std::int64_t kBlock = 64;
  if (!c.is("type", "fp4")) c.set("type", "nf4");
  c.set("order", "factored").set("m", random.from_to(1, 40));
  c.set("direction", "forward").set("sums", "tensor_core").set("lora", std::int64_t{0});
  c.set("cols", std::max(kBlock, c.number("cols") / kBlock * kBlock));
  c.set("blocksize", std::max(kBlock, c.number("blocksize")));
  if (c.is("dtype", "fp32")) c.set("dtype", "bf16");
}

Case choose_small_product(Random& random) {
  Case c("matmul_4bit");
  set_small_weight(c, random, 700, 3000);
  c.set("m", random.of_any_size(1, 300)).set("direction", random.any_of(kDirections));
  c.set("dtype", random.any_of(kDtypes)).set("gap", random.any_of(kGaps));
  if (c.is("dtype", "fp32") || random.one_in(5)) c.set("sums", "fp32").set("m", random.of_any_size(1, 20));
  if (random.one_in(3)) c.set("order", "split");
  if (random.one_in(3)) c.set("lora", random.any_of(kRanks));
  if (random.one_in(3)) make_row_scales(c, random);
  if (random.one_in(4)) make_factored(c, random);
  if (c.is("direction", "forward")) c.set("bias", random.below(2));
  return c;
}

Case choose_model_product(Random& random) {
  Case c("matmul_4bit");
  set_layer(c, static_cast<std::size_t>(any_layer(random)));
  c.set("m", random.one_in(4) ? random.from_to(1, 512) : random.any_of(kTokens));
  c.set("direction", random.any_of(kDirections)).set("dtype", random.any_of(kHalves));
  if (c.is("direction", "forward") && random.one_in(3)) c.set("order", "split").set("m", random.from_to(1, 16));
  if (random.one_in(12)) c.set("order", "split");
  if (random.one_in(4)) c.set("lora", random.any_of(kRanks));
  if (random.one_in(16)) c.set("at", random.any_of(kPlaces)).set("m", random.from_to(1, 64));
  if (random.one_in(3)) make_row_scales(c, random);
  if (random.one_in(4)) make_factored(c, random);
  if (c.is("direction", "forward") && random.one_in(4)) c.set("bias", std::int64_t{1});
  return c.set("seed", random.below(16));
}

// Stacks experts whose rows all have whole blocks.
void make_grouped(Case& c, Random& random, std::int64_t most_experts) {
  const std::int64_t rows = std::max<std::int64_t>(8, c.number("rows") / 8 * 8);
  const std::int64_t experts = random.of_any_size(1, most_experts);
  const std::int64_t block = std::max<std::int64_t>(64, c.number("blocksize"));
  c.set("experts", experts).set("rows", experts * rows);
  c.set("cols", std::max(block, c.number("cols") / block * block));
}

Case choose_grouped(Random& random) {
  Case c("matmul_4bit_grouped");
  if (random.one_in(3)) {
    c.set("rows", 1536).set("cols", 2048).set("seed", random.below(16));  // Qwen3 30B A3B
    if (random.one_in(2)) c.set("rows", 2048).set("cols", 768);
    if (random.one_in(3)) c.set("rows", random.one_in(2) ? 5760 : 2880).set("cols", 2880);  // gpt-oss
  } else {
    set_small_weight(c, random, 300, 2000);
  }
  make_grouped(c, random, c.number("rows") < 1024 ? 64 : 16);
  c.set("m", random.of_any_size(1, 600)).set("direction", random.any_of(kDirections));
  c.set("dtype", random.any_of(kDtypes)).set("gap", random.any_of(kGaps)).set("bias", random.below(2));
  if (c.is("dtype", "fp32") || random.one_in(8)) c.set("sums", "fp32").set("m", random.of_any_size(1, 20));
  if (random.one_in(3)) c.set("order", "split");
  if (random.one_in(3)) c.set("lora", random.any_of(kRanks));
  if (random.one_in(3)) make_row_scales(c, random);
  if (random.one_in(4)) make_factored(c, random);
  return c;
}

// Cases most likely to expose loads of codes that complete out of order: large K and N (terms and outputs), few tokens.
Case choose_hard_product(Random& random, std::int64_t number) {
  constexpr std::array kHardTokens = {64, 64, 64, 32, 16, 1, 48, 128};
  Case c("matmul_4bit");
  c.set("rows", 28672).set("cols", 8192).set("m", number == 0 ? 64 : random.any_of(kHardTokens));
  if (number > 0 && random.one_in(4)) c.set("cols", 4096);
  return c;
}

Case choose_swiglu(Random& random) {
  constexpr std::array kChannels = {128, 256, 384, 640, 1536, 2560, 2560, 4096};
  constexpr std::array kRows = {1024, 2048, 4096, 8192};
  // The checker knows only the first three formats.
  constexpr const char* kFormats[] = {"int8",     "int8",    "int8",    "deepseek",           "deepseek",
                                      "deepseek", "torchao", "torchao", "transformer_engine", "mx"};
  Case c("swiglu");
  c.set("h", random.any_of(kChannels))
      .set("direction", random.any_of(kDirections))
      .set("format", random.any_of(kFormats));
  c.set("m", random.one_in(2) ? random.any_of(kRows) : 128 * random.of_any_size(1, 32))
      .set("seed", random.below(1 << 20));
  if (c.is("direction", "backward")) c.set("transposed", random.below(2));
  if (random.one_in(4)) c.set("weights", std::int64_t{1});
  if (random.one_in(4))
    c.set("experts", random.from_to(1, 16)).set("layout", random.one_in(2) ? "apart" : "side_by_side");
  if (random.one_in(8)) c.set("limit", std::int64_t{1});
  if (random.one_in(6)) c.set("m", random.of_any_size(1, 3000));
  if (random.one_in(6)) c.set("gap", random.any_of(kGaps));
  if (random.one_in(6)) c.set("at", random.any_of(kPlaces));
  return c;
}

}  // namespace

std::int64_t Random::of_any_size(std::int64_t least, std::int64_t most) {
  std::int64_t bound = most;
  for (std::int64_t halvings = below(8); halvings > 0 && bound / 2 >= least; --halvings) bound /= 2;
  return from_to(least, std::max(bound, least));
}

Case next_case(Random& random, const std::vector<std::string>& ops, std::int64_t number) {
  std::vector<std::string> weighted = ops;  // products are the most error-prone
  if (std::ranges::find(ops, "matmul_4bit") != ops.end()) {
    if (number == 0) return choose_hard_product(random, number);
    weighted.insert(weighted.end(), ops.size(), "matmul_4bit");
  }
  const std::string op = random.any_of(weighted);
  if (op == "dequantize_4bit") return choose_dequantize_4bit(random);
  if (op == "quantize_4bit") return choose_quantize_4bit(random);
  if (op == "dequantize_int8") return choose_dequantize_int8(random);
  if (op == "dequantize_4bit_rows") return choose_dequantize_4bit_rows(random);
  if (op == "dequantize_fp8") return choose_dequantize_fp8(random);
  if (op == "swiglu") return choose_swiglu(random);
  if (op == "lora_merge") return choose_lora_merge(random);
  if (op == "matmul_4bit_grouped") return choose_grouped(random);
  if (op == "rotated_int8_quantize") return choose_rotated_input(random);
  if (op == "rotated_int8_swiglu") return choose_rotated_swiglu(random);
  if (op == "rotated_int8_matmul") return choose_rotated_product(random);
  if (op.starts_with("rotated_int8_weight")) return choose_rotated_weight(random, op.c_str());
  if (op != "matmul_4bit") return choose_blockwise(random, op.c_str());
  if (random.one_in(4)) return choose_hard_product(random, number);
  return random.one_in(3) ? choose_small_product(random) : choose_model_product(random);
}

}  // namespace qfuse::soak
