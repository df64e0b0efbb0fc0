// in:     in [m, cols] fp16 or bf16, m at most 64 (stacks: any), strided rows; a 4-bit weight [rows, cols]; bias
//         [rows] or none; each row of in, and packed, aligned to 16 bytes; cols % 64 == 0; blocks of 64, or
//         scales of rows
// out:    [m, rows], strided rows; any address
// math:   out[i][o] = round(sum over t of in[i][t] * round(weight of (o, t)) + bias[o]), added in SPLIT's order
// cost:   one look-up in shared memory per byte of codes: 32 weights per clock and multiprocessor
// oracle: reference/matmul_4bit.cpp
// Steps of split-K for SPLIT, in the kernels of split_k.cuh and split_k_groups.cuh. A warp's share of K is a chain of
// two windows of 128 elements. A lane decodes 32 codes per row and window, in two rows, from a table in shared memory.
#include "backend/cuda/matmul_4bit/split_k_groups.cuh"

namespace qfuse::cuda::matmul_4bit {
namespace {

// ---- policy ----

constexpr int kVectorTerms = 32;                  // per row, which a lane loads at once: 16 bytes of codes
constexpr int kWindowTerms = QFUSE_SPLIT_WINDOW;  // per row, which a warp loads at once: 4 lanes, a vector each
constexpr int kWindows = QFUSE_SPLIT_TERMS / kWindowTerms;       // per chain
constexpr int kWindowSteps = kWindowTerms / format::kStepTerms;  // per window
constexpr int kWindowBlocks = kWindowTerms / kSplitKBlocksize;   // absmax per window

// ---- steps ----

// A lane's loads in flight for a chain, in two rows: its codes of each window, and encoded absmax, of all blocks or, if
// chains may be partial, of one block. For small blocks, `absmax` holds the lane's scales of both windows instead, in
// `code` and in the bits of `scale`.
template <bool kNested, bool kWhole>
struct ChainCodes {
  uint4 codes[2][kWindows];
  std::uint32_t absmax_codes[2];  // nested: one byte per block
  float absmax[2][kWindows];      // nested: only the first, the nested block's
};
template <bool kNested>
struct ChainCodes<kNested, false> {
  uint4 codes[2][kWindows];
  Absmax absmax[2];
};

// The chain's block of 64 that the lane's codes of window w belong to.
__device__ inline int block_of_window(int w) {
  return w * kWindowBlocks + static_cast<int>(threadIdx.x) % 4 * kVectorTerms / kSplitKBlocksize;
}

// Loads what a lane has in each of two windows: 32 codes' scales, one element of `scales`. For a block past the chain's
// end, loads those of the chain's first codes.
template <class Scales>
__device__ Absmax load_small_scales(const ChainOfLane& chain, const Scales* scales, std::uint32_t row) {
  static_assert(kWindows == 2 && kVectorTerms == 32);
  const unsigned lane = threadIdx.x % 4;
  const std::uint32_t first = 2 * (row * chain.row_blocks + chain.block);
  const std::uint32_t of_first = first + (block_of_window(0) < chain.blocks ? lane : 0);
  const std::uint32_t of_second = first + (block_of_window(1) < chain.blocks ? kWindowTerms / kVectorTerms + lane : 0);
  return {__ldg(scales + of_first), __uint_as_float(__ldg(scales + of_second))};
}

// Loads a lane's nested absmax, or MXFP4's scales. One instruction loads either kind of code: a choice of two loads
// would wait for both at once.
template <class Steps>
__device__ Absmax load_absmax_or_scales(const MatmulArguments& a, const ChainOfLane& chain, std::uint32_t row) {
  const bool is_small = has_small_blocks(a.weight);
  const unsigned lane = threadIdx.x % 4;
  const std::uint32_t first = row * chain.row_blocks + chain.block;
  const std::uint32_t block = first + (has_block<Steps>(chain.blocks) ? lane : 0);
  const std::uint32_t of_first = 2 * first + (block_of_window(0) < chain.blocks ? lane : 0);
  const unsigned code = __ldg(a.weight.absmax_8bit + (is_small ? of_first : block));
  if (!is_small) return {code, load_nested_absmax(a, block)};
  const std::uint32_t of_second =
      2 * first + (block_of_window(1) < chain.blocks ? kWindowTerms / kVectorTerms + lane : 0);
  return {code, __uint_as_float(__ldg(a.weight.absmax_8bit + of_second))};
}

template <bool kNested>
__device__ void load_absmax(const MatmulArguments& a, const ChainOfLane& chain, std::uint32_t row, int h,
                            ChainCodes<kNested, true>& codes) {
  const std::uint32_t block = row * chain.row_blocks + chain.block;
  if constexpr (kNested) {
    codes.absmax_codes[h] = __ldg(reinterpret_cast<const std::uint32_t*>(a.weight.absmax_8bit + block));
    codes.absmax[h][0] = load_nested_absmax(a, block);
  } else {
#pragma unroll
    for (int w = 0; w < kWindows; ++w)
      codes.absmax[h][w] = __ldg(a.weight.absmax + (block + static_cast<std::uint32_t>(block_of_window(w))));
  }
}

// Absmax of the lane's codes, per window, part of it, and row.
template <int kParts>
using ChainAbsmax = float[kWindows][kParts][2];

template <bool kNested, class Nested>
__device__ void decode_absmax(const MatmulArguments& /*a*/, const ChainCodes<kNested, true>& codes,
                              const Nested& nested, bool /*has_own*/, ChainAbsmax<1>& absmax) {
#pragma unroll
  for (int h = 0; h < 2; ++h)
#pragma unroll
    for (int w = 0; w < kWindows; ++w) {
      const unsigned code = codes.absmax_codes[h] >> (8 * block_of_window(w)) & 0xffU;
      absmax[w][0][h] = kNested ? decode_absmax(kNested, nested.map, Absmax{code, codes.absmax[h][0]}, nested.offset)
                                : codes.absmax[h][w];
    }
}

// Past the end of a partial chain, absmax and inputs are 0, so that products are 0 for any codes.
template <bool kNested, class Nested>
__device__ void decode_absmax(const MatmulArguments& a, const ChainCodes<kNested, false>& codes, const Nested& nested,
                              bool has_own, ChainAbsmax<1>& absmax) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const float decoded = kNested ? decode_absmax(kNested, nested.map, codes.absmax[h], nested.offset)
                                  : widen_word(a.weight.absmax_type, codes.absmax[h]);
    const float own = has_own ? decoded : 0.0F;
#pragma unroll
    for (int w = 0; w < kWindows; ++w) absmax[w][0][h] = value_of(own, lane / 4 * 4 + block_of_window(w));
  }
}

// The same for small blocks. A scale of one byte is a value of the map; a lane's 32 codes have kParts of them.
template <bool kNested, int kParts, class Nested>
__device__ void decode_scales(const MatmulArguments& a, const ChainCodes<kNested, false>& codes, const Nested& nested,
                              int blocks, ChainAbsmax<kParts>& absmax) {
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const unsigned scales[kWindows] = {codes.absmax[h].code, __float_as_uint(codes.absmax[h].scale)};
#pragma unroll
    for (int w = 0; w < kWindows; ++w)
#pragma unroll
      for (int part = 0; part < kParts; ++part) {
        const unsigned scale = kParts > 1 ? scales[w] >> (8 * part) & 0xffU : scales[w];
        absmax[w][part][h] = block_of_window(w) >= blocks ? 0.0F
                             : kNested                    ? decode_small_scale(nested, scale)
                                                          : widen_absmax(a.weight.absmax_type, scale);
      }
  }
}

// Decodes byte kByte of a word of codes to two weights, the first in the low half.
template <class Value, int kByte>
__device__ std::uint32_t decode_pair(PairsOfLane pairs, std::uint32_t codes, float absmax) {
  const Pair pair = load_pair<kByte>(pairs, codes);
  const float weights[2] = {mul_ftz(pair.first, absmax), mul_ftz(pair.second, absmax)};
  return Rounding<Value>::word(weights);
}

// A lane's right operands of mma for all steps of a chain: per column of 8 tokens, its terms of token lane / 4.
template <int kColumns>
struct ChainInputs {
  std::uint32_t words[kColumns][kWindows][kWindowSteps][2];
};

// Multiplies 16 outputs by one window.
template <class Value, int kColumns, int kParts>
__device__ void multiply_window(const uint4 (&vectors)[2], const float (&absmax)[kParts][2], PairsOfLane pairs,
                                const ChainInputs<kColumns>& inputs, int w, float (&sums)[kColumns][4]) {
  std::uint32_t codes[2][4];
  unpack(vectors[0], codes[0]);
  unpack(vectors[1], codes[1]);
#pragma unroll
  for (int v = 0; v < 4; ++v) {
    const float(&of)[2] = absmax[v * kParts / 4];
    const std::uint32_t first[4] = {
        decode_pair<Value, 0>(pairs, codes[0][v], of[0]), decode_pair<Value, 0>(pairs, codes[1][v], of[1]),
        decode_pair<Value, 1>(pairs, codes[0][v], of[0]), decode_pair<Value, 1>(pairs, codes[1][v], of[1])};
#pragma unroll
    for (int c = 0; c < kColumns; ++c) multiply(first, inputs.words[c][w][2 * v], sums[c], Value());
    const std::uint32_t second[4] = {
        decode_pair<Value, 2>(pairs, codes[0][v], of[0]), decode_pair<Value, 2>(pairs, codes[1][v], of[1]),
        decode_pair<Value, 3>(pairs, codes[0][v], of[0]), decode_pair<Value, 3>(pairs, codes[1][v], of[1])};
#pragma unroll
    for (int c = 0; c < kColumns; ++c) multiply(second, inputs.words[c][w][2 * v + 1], sums[c], Value());
  }
}

// ---- SPLIT ----

// kPairs: each 32 codes have 16 bits of scales, INT4's in groups of 32 or two of NVFP4.
template <class InputValue, bool kNested, bool kOfWhole, int kOfColumns, bool kPairs = false>
struct SplitSteps {
  using Value = InputValue;
  using Table = Pair;
  using Lookups = PairsOfLane;
  using Codes = ChainCodes<kNested, kOfWhole>;
  using Inputs = ChainInputs<kOfColumns>;
  static constexpr bool kIsNested = kNested;
  static constexpr bool kWhole = kOfWhole;
  static constexpr int kColumns = kOfColumns;
  static constexpr int kLaneTerms = kVectorTerms;
  static constexpr bool kHasTuring = !kPairs || kNested;  // Turing has not the registers for more: no plan asks it to
  static constexpr bool kHasGlobal = kPairs && kNested;
  static constexpr int kParts = kHasGlobal ? 2 : 1;
  static constexpr bool kTakesSmallBlocks =
      kNested && !kOfWhole && kOfColumns == 1 && !kPairs;  // with more columns there are not the registers

  static __device__ void make_table(const MatmulArguments& a, Pair* table, int warp, int warps, int lane) {
    const int copies = table_row<Pair>(a);
    fill_table(a, warp, warps, [&](int byte, const Pair& pair) { table[byte * copies + lane % copies] = pair; });
  }
  static __device__ PairsOfLane lookups(const MatmulArguments& a, const Pair* table, int lane) {
    return pairs_of_lane(table, lane, table_row<Pair>(a));
  }

  static __device__ const std::uint16_t* scale_pairs(const Weight4bit& w) {
    return reinterpret_cast<const std::uint16_t*>(kNested ? static_cast<const void*>(w.absmax_8bit) : w.absmax);
  }

  static __device__ void load_codes(const MatmulArguments& a, const ChainOfLane& chain, const TileRows& rows,
                                    Codes& codes) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const std::uint32_t row = rows[h];
      if constexpr (kWhole)
        load_absmax(a, chain, row, h, codes);
      else if constexpr (kTakesSmallBlocks)
        codes.absmax[h] = load_absmax_or_scales<SplitSteps>(a, chain, row);
      else if constexpr (kPairs)
        codes.absmax[h] = load_small_scales(chain, scale_pairs(a.weight), row);
      else
        codes.absmax[h] = load_absmax_of_lane<SplitSteps>(a, chain, row);
      const std::uint8_t* const from = codes_of(a, chain, row);
#pragma unroll
      for (int w = 0; w < kWindows; ++w)
        if (kWhole || block_of_window(w) < chain.blocks)
          codes.codes[h][w] = load_once(reinterpret_cast<const uint4*>(from + w * (kWindowTerms / 2)));
    }
  }

  static __device__ void load_inputs(const MatmulArguments& a, const Tokens& tokens, std::int64_t term,
                                     Inputs& inputs) {
    const int lane = static_cast<int>(threadIdx.x) % kWarp;
#pragma unroll
    for (int c = 0; c < kColumns; ++c)
#pragma unroll
      for (int w = 0; w < kWindows; ++w)
#pragma unroll
        for (int v = 0; v < kVectorTerms / 8; ++v) {
          const std::int64_t first = term + w * kWindowTerms + lane % 4 * kVectorTerms + 8 * v;
          std::uint32_t words[4];
          unpack(load_late_inputs(a, tokens, c * 8 + lane / 4, first), words);
#pragma unroll
          for (int i = 0; i < 4; ++i) inputs.words[c][w][2 * v + i / 2][i % 2] = words[i];
        }
  }

  // Multiplies 16 outputs by one chain.
  template <class Nested>
  static __device__ void multiply(const MatmulArguments& a, PairsOfLane pairs, const Nested& nested,
                                  const Inputs& inputs, const Codes& codes, int blocks, float (&sums)[kColumns][4]) {
    if (!kHasTuring && on_turing(a.is_turing)) return;
    ChainAbsmax<kParts> absmax;
    const bool has_own = has_block<SplitSteps>(blocks);
    if constexpr (kTakesSmallBlocks)
      has_small_blocks(a.weight) ? decode_scales(a, codes, nested, blocks, absmax)
                                 : decode_absmax(a, codes, nested, has_own, absmax);
    else if constexpr (kPairs)
      decode_scales(a, codes, nested, blocks, absmax);
    else
      decode_absmax(a, codes, nested, has_own, absmax);
#pragma unroll
    for (int w = 0; w < kWindows; ++w) {
      const uint4 vectors[2] = {codes.codes[0][w], codes.codes[1][w]};
      multiply_window<Value>(vectors, absmax[w], pairs, inputs, w, sums);
    }
  }
};

// ---- the kernel of a plan ----

// Whether each 32 codes have 16 bits of scales, for which there are steps of their own.
bool has_pairs(const Weight4bit& w) { return has_small_blocks(w) && (w.block_shift == 4 || w.absmax != nullptr); }

// Calls launch(kNested) with a compile-time constant.
template <class Launch>
contract::Outcome with_pairs(const MatmulArguments& a, const Launch& launch) {
  return a.is_nested ? launch(std::true_type()) : launch(std::false_type());
}

template <class Value, int kColumns, int kProducts>
contract::Outcome launch_split(std::span<const MatmulArguments> products, const Plan& plan, const qfuse_exec& exec) {
  if constexpr (kColumns == 1)
    if (has_pairs(products[0].weight))
      return with_pairs(products[0], [&](auto nested) {
        return launch_split_k_kernel(multiply_split_k<SplitSteps<Value, nested, false, 1, true>, kProducts>, products,
                                     plan, exec);
      });
  return with_chains_of(products, [&](auto nested, auto whole) {
    return launch_split_k_kernel(multiply_split_k<SplitSteps<Value, nested, whole, kColumns>, kProducts>, products,
                                 plan, exec);
  });
}

template <class Value>
contract::Outcome launch_groups(const GroupedArguments& a, const Plan& plan, const qfuse_exec& exec) {
  if (has_pairs(a.matmul.weight))
    return with_pairs(a.matmul, [&](auto nested) {
      return launch_split_k_kernel(multiply_groups_split_k<SplitSteps<Value, nested, false, 1, true>>, a, plan, exec);
    });
  return with_chains_of({&a.matmul, 1}, [&](auto nested, auto whole) {
    return launch_split_k_kernel(multiply_groups_split_k<SplitSteps<Value, nested, whole, 1>>, a, plan, exec);
  });
}

template <class Value>
contract::Outcome launch_of(const Call& call, const Plan& plan, const qfuse_exec& exec) {
  if (call.a.groups.experts > 0) return launch_groups<Value>(call.a, plan, exec);
  if (call.products.size() > 1) return launch_split<Value, 1, kSplitKProducts>(call.products, plan, exec);
  const std::span<const MatmulArguments> product(&call.a.matmul, 1);
  return plan.tokens == kSplitKTokens.front() ? launch_split<Value, 1, 1>(product, plan, exec)
                                              : launch_split<Value, 2, 1>(product, plan, exec);
}

}  // namespace

contract::Outcome launch_split_k(const Call& call, const Plan& plan, const qfuse_exec& exec) {
  return call.product.dtype == QFUSE_FLOAT16 ? launch_of<Half>(call, plan, exec)
                                             : launch_of<Bfloat16>(call, plan, exec);
}

}  // namespace qfuse::cuda::matmul_4bit
