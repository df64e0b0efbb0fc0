// in:   in [m, terms] fp32, fp16 or bf16, rows in_stride apart; a 4-bit weight [rows, cols]; bias [outputs] or none;
//       lora_in [m, lora_rank] and lora_weight [rows, lora_rank] or, backward, [lora_rank, cols]
// out:  [m, outputs], rows out_stride apart
// math: out[i][o] = round(sum over t of in[i][t] * round(weight of (o, t)) + sum over j of lora_in[i][j] *
//       lora_weight of (o, j) + bias[o]), both in one sum as `sum` says
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "format/bf16_step.h"
#include "format/elements.h"
#include "format/factored.h"
#include "format/matrix_step.h"
#include "reference/reference.h"
#include "reference/weight_4bit.h"

namespace qfuse::reference {
namespace {

// One operand of a dot product: its values in fp32 and, for 16-bit dtypes, their bits.
struct Terms {
  std::vector<std::uint16_t> bits;
  std::vector<float> values;
};

void append(Terms& terms, qfuse_dtype dtype, const void* array, std::int64_t i) {
  if (dtype != QFUSE_FLOAT32) terms.bits.push_back(format::load_unaligned<std::uint16_t>(array, i));
  terms.values.push_back(format::load_as_float(array, i, dtype));
}

Terms row_of(const contract::Matmul4bit& p, std::int64_t row) {
  Terms terms;
  for (std::int64_t t = 0; t < term_count(p); ++t) append(terms, p.dtype, p.in, row * in_stride(p) + t);
  return terms;
}

// The weights of output o, rounded to the dtype.
Terms weights_of(const contract::Matmul4bit& p, std::int64_t o) {
  Terms terms;
  for (std::int64_t t = 0; t < term_count(p); ++t) {
    const std::int64_t i = is_forward(p) ? o * p.weight.cols + t : t * p.weight.cols + o;
    float weight = 0.0F;
    format::store_rounded(&weight, 0, p.dtype, decode_element_of_product(p.weight, i));
    append(terms, p.dtype, &weight, 0);
  }
  return terms;
}

Terms lora_row_of(const contract::Matmul4bit& p, std::int64_t row) {
  Terms terms;
  for (std::int64_t j = 0; j < p.lora_rank; ++j) append(terms, p.dtype, p.lora_in, row * p.lora_rank + j);
  return terms;
}

Terms lora_weights_of(const contract::Matmul4bit& p, std::int64_t o) {
  Terms terms;
  for (std::int64_t j = 0; j < p.lora_rank; ++j)
    append(terms, p.dtype, p.lora_weight, is_forward(p) ? o * p.lora_rank + j : j * p.weight.cols + o);
  return terms;
}

// Index of the i-th term in the order in which a chain adds them.
std::size_t term_of(bool is_split, std::size_t i) {
  if (!is_split) return i;
  constexpr std::size_t kRun = 32;      // terms per run of a window
  constexpr std::size_t kTogether = 4;  // terms of a run in one step
  const std::size_t step = i % QFUSE_SPLIT_WINDOW / format::kStepTerms;
  const std::size_t run = i % format::kStepTerms / kTogether;
  return i / QFUSE_SPLIT_WINDOW * QFUSE_SPLIT_WINDOW + run * kRun + step * kTogether + i % kTogether;
}

// Returns `sum` after `count` terms from `begin` on are added to it.
float chain(const contract::Matmul4bit& p, float sum, const Terms& in, const Terms& weights, std::size_t begin,
            std::size_t count) {
  const format::Binary16 type = p.dtype == QFUSE_FLOAT16 ? format::kBinaryFloat16 : format::kBinaryBfloat16;
  const bool is_split = p.sum == QFUSE_SUM_SPLIT;
  const auto whole = static_cast<std::size_t>(is_split ? QFUSE_SPLIT_WINDOW : format::kStepTerms);
  for (std::size_t step = 0; step < (count + whole - 1) / whole * whole; step += format::kStepTerms) {
    std::uint16_t a[format::kStepTerms] = {};
    std::uint16_t b[format::kStepTerms] = {};
    for (std::size_t i = 0; i < format::kStepTerms; ++i) {
      const std::size_t t = term_of(is_split, step + i);
      if (t >= count) continue;
      a[i] = weights.bits[begin + t];
      b[i] = in.bits[begin + t];
    }
    sum = format::matrix_step(type, sum, a, b);
  }
  return sum;
}

// The terms of one operand: those for the weight and those for LoRA.
struct AllTerms {
  Terms main;
  Terms lora;
};

// Adds the results of chains, each begun at 0, to `sum` in order.
void add_chains(const contract::Matmul4bit& p, const Terms& in, const Terms& weights, std::optional<float>& sum) {
  const std::size_t count = in.bits.size();
  for (std::size_t begin = 0; begin < count; begin += QFUSE_SPLIT_TERMS) {
    const float part = chain(p, 0.0F, in, weights, begin, std::min<std::size_t>(QFUSE_SPLIT_TERMS, count - begin));
    sum = sum ? *sum + part : part;
  }
}

float sum_plain(const contract::Matmul4bit& p, const AllTerms& in, const AllTerms& weights) {
  const float sum = chain(p, 0.0F, in.main, weights.main, 0, in.main.bits.size());
  return chain(p, sum, in.lora, weights.lora, 0, in.lora.bits.size());
}

float sum_split(const contract::Matmul4bit& p, const AllTerms& in, const AllTerms& weights) {
  std::optional<float> sum;
  add_chains(p, in.main, weights.main, sum);
  add_chains(p, in.lora, weights.lora, sum);
  return sum.value_or(0.0F);
}

float sum_in_fp32(const contract::Matmul4bit& p, const AllTerms& in, const AllTerms& weights) {
  std::array<float, format::kFp32Sums> sums{};
  const auto add = [&](const Terms& a, const Terms& b) {
    for (std::size_t t = 0; t < a.values.size(); ++t) {
      float& sum = sums[is_forward(p) ? t % sums.size() : 0];
      sum = sum + a.values[t] * b.values[t];
    }
  };
  add(in.main, weights.main);
  add(in.lora, weights.lora);
  for (std::size_t half = sums.size() / 2; half > 0 && is_forward(p); half /= 2)
    for (std::size_t s = 0; s < half; ++s) sums[s] = sums[s] + sums[s + half];
  return sums[0];
}

// Forward, consecutive pairs of terms go to consecutive sums; backward, there is one sum. The odd term of a pair is
// added first, as by VDPBF16PS. Zeros fill up the last 32 terms or, backward, the last pair.
float sum_in_dots(const contract::Matmul4bit& p, const AllTerms& in, const AllTerms& weights) {
  std::array<float, format::kDotSums> sums{};
  const std::size_t whole = is_forward(p) ? 2 * sums.size() : 2;
  const auto add = [&](const Terms& a, const Terms& b) {
    const std::size_t count = a.values.size();
    const auto add_term = [&](float& sum, std::size_t t) {
      sum = t < count ? format::bf16_step(sum, a.values[t], b.values[t]) : format::bf16_step(sum, 0.0F, 0.0F);
    };
    for (std::size_t t = 0; t < (count + whole - 1) / whole * whole; t += 2) {
      float& sum = sums[t % whole / 2];
      add_term(sum, t + 1);
      add_term(sum, t);
    }
  };
  add(in.main, weights.main);
  add(in.lora, weights.lora);
  for (std::size_t half = sums.size() / 2; half > 0 && is_forward(p); half /= 2)
    for (std::size_t s = 0; s < half; ++s) sums[s] = sums[s] + sums[s + half];
  return sums[0];
}

// Steps of 32 terms, as in TDPBF16PS: the even terms and the odd terms form a chain each, which starts at +0. The
// results of the two chains are added, and then added to the sum.
float sum_in_tiles(const AllTerms& in, const AllTerms& weights) {
  constexpr std::size_t kStepTerms = std::size_t{2} * format::kDotSums;
  float sum = 0.0F;
  const auto add = [&](const Terms& a, const Terms& b) {
    const std::size_t count = a.values.size();
    for (std::size_t first = 0; first < count; first += kStepTerms) {
      std::array<float, 2> chains{};
      for (std::size_t t = first; t < first + kStepTerms; ++t) {
        float& chain = chains[t % 2];
        chain = t < count ? format::bf16_step(chain, a.values[t], b.values[t]) : format::bf16_step(chain, 0.0F, 0.0F);
      }
      sum = format::bf16_step(format::bf16_step(chains[1], chains[0], 1.0F), sum, 1.0F);
    }
  };
  add(in.main, weights.main);
  add(in.lora, weights.lora);
  return sum;
}

// ---- FACTORED ----

// A chunk of a row of inputs, scaled and rounded to fp16.
struct ScaledChunk {
  std::vector<std::uint16_t> bits;
  float down;
};

ScaledChunk scaled_chunk(const Terms& in, std::size_t begin) {
  const std::size_t count = std::min<std::size_t>(QFUSE_SPLIT_TERMS, in.values.size() - begin);
  float largest = 0.0F;
  for (std::size_t t = begin; t < begin + count; ++t)
    if (const float size = std::abs(in.values[t]); !(size <= largest)) largest = size;
  const format::ChunkScale scale = format::chunk_scale(largest);
  ScaledChunk chunk{{}, scale.down};
  for (std::size_t t = begin; t < begin + count; ++t) chunk.bits.push_back(format::to_float16(in.values[t] * scale.up));
  return chunk;
}

// Sum of products of the 64 codes from element `first` of the weight on and the terms from `begin` on.
float block_sum(const contract::Matmul4bit& p, const ScaledChunk& in, std::size_t begin, std::int64_t first) {
  constexpr std::size_t kRun = 16;      // terms per run of a block
  constexpr std::size_t kTogether = 4;  // terms of a run in one step
  const format::Codebook4& codebook = format::codebook4(p.weight.quant_type);
  float sum = 0.0F;
  for (std::size_t step = 0; step < kRun / kTogether; ++step) {
    std::uint16_t a[format::kStepTerms];
    std::uint16_t b[format::kStepTerms];
    for (std::size_t i = 0; i < format::kStepTerms; ++i) {
      const std::size_t t = i / kTogether * kRun + step * kTogether + i % kTogether;
      const unsigned code = format::load_nibble(p.weight.packed, first + static_cast<std::int64_t>(t));
      a[i] = format::to_float16(codebook.values[code]);
      b[i] = in.bits[begin + t];
    }
    sum = format::matrix_step(format::kBinaryFloat16, sum, a, b);
  }
  return sum;
}

float sum_factored(const contract::Matmul4bit& p, const Terms& in, std::int64_t o) {
  std::optional<float> total;
  for (std::size_t begin = 0; begin < in.values.size(); begin += QFUSE_SPLIT_TERMS) {
    const ScaledChunk chunk = scaled_chunk(in, begin);
    float sum = 0.0F;
    for (std::size_t t = 0; t < chunk.bits.size(); t += format::kFactoredBlock) {
      const std::int64_t first = o * p.weight.cols + static_cast<std::int64_t>(begin + t);
      sum = std::fma(block_sum(p, chunk, t, first), decode_absmax(p.weight, first / p.weight.blocksize), sum);
    }
    const float part = sum * chunk.down;
    total = total ? *total + part : part;
  }
  return total.value_or(0.0F);
}

// The sum for output o and one row of `in`.
float sum_of(const contract::Matmul4bit& p, const AllTerms& in, const AllTerms& weights, std::int64_t o) {
  switch (sum_with_tensor_cores(p, true)) {
    case QFUSE_SUM_PLAIN: return sum_plain(p, in, weights);
    case QFUSE_SUM_SPLIT: return sum_split(p, in, weights);
    case QFUSE_SUM_FACTORED: return sum_factored(p, in.main, o);
    case QFUSE_SUM_BF16_DOT: return sum_in_dots(p, in, weights);
    case QFUSE_SUM_BF16_AMX: return sum_in_tiles(in, weights);
    case QFUSE_SUM_OF_DEVICE:
    case QFUSE_SUM_FP32: break;
  }
  return sum_in_fp32(p, in, weights);
}

}  // namespace

void matmul_4bit(const contract::Matmul4bit& p) {
  std::vector<AllTerms> rows;
  for (std::int64_t i = 0; i < p.m; ++i) rows.push_back({row_of(p, i), lora_row_of(p, i)});
  for (std::int64_t o = 0; o < output_count(p); ++o) {
    const AllTerms weights =
        p.sum == QFUSE_SUM_FACTORED ? AllTerms{} : AllTerms{weights_of(p, o), lora_weights_of(p, o)};
    for (std::int64_t i = 0; i < p.m; ++i) {
      float sum = sum_of(p, rows[static_cast<std::size_t>(i)], weights, o);
      if (p.bias != nullptr) sum = sum + format::load_as_float(p.bias, o, p.dtype);
      format::store_rounded(p.out, i * out_stride(p) + o, p.dtype, sum);
    }
  }
}

void matmul_4bit_grouped(const contract::Matmul4bitGrouped& p) {
  static_cast<void>(for_each_product(p, [](const contract::Matmul4bit& product) {
    matmul_4bit(product);
    return contract::Outcome();
  }));
}

}  // namespace qfuse::reference
