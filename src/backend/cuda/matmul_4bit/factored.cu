// in:     in [m, cols] fp16 or bf16, strided rows; a 4-bit weight [rows, cols]; bias [rows] or none; each row of in,
//         and packed, aligned to 16 bytes; cols a multiple of 64, blocks of 64
// out:    [m, rows], strided rows; any address
// math:   out[i][o] = round(sum over chunks of 2^-e * sum over blocks of absmax * (sum over t of fp16(2^e * in[i][t]) *
//         fp16(value of code (o, t))) + bias[o]), e per chunk of row i (format/factored.h); order of FACTORED
// cost:   one 4-byte look-up in shared memory per byte of codes: 64 weights per clock and multiprocessor
// oracle: reference/matmul_4bit.cpp
// Steps of split-K for FACTORED, in the kernels of split_k.cuh and split_k_groups.cuh. A warp's share of K is a chunk
// of 256 elements. A lane decodes 16 codes per row and block, in two rows, from a table in shared memory.
#include "backend/cuda/matmul_4bit/factored.cuh"

#include "backend/cuda/matmul_4bit/split_k_groups.cuh"

namespace qfuse::cuda::matmul_4bit {
namespace {

// ---- steps ----

// A lane's loads in flight for a chunk, in two rows: its codes of each block, and the encoded absmax of one block.
struct ChunkCodes {
  uint2 codes[2][kChunkBlocks];
  Absmax absmax[2];
};

// ---- FACTORED ----

template <class InputValue, bool kNested, bool kOfWhole, int kOfColumns>
struct FactoredSteps {
  using Value = InputValue;
  using Table = std::uint32_t;
  using Lookups = WordsOfLane;
  using Codes = ChunkCodes;
  using Inputs = ChunkInputs<kOfColumns>;
  static constexpr bool kIsNested = kNested;
  static constexpr bool kWhole = kOfWhole;
  static constexpr int kColumns = kOfColumns;
  static constexpr int kLaneTerms = kRunTerms;

  static __device__ void make_table(const MatmulArguments& a, Table* table, int warp, int warps, int lane) {
    const int row = table_row<Table>(a);
    fill_table(a, warp, warps,
               [&](int byte, const Pair& pair) { table[byte * row + lane] = half_bits(pair.first, pair.second); });
  }
  static __device__ Lookups lookups(const MatmulArguments& a, const Table* table, int lane) {
    return words_of_lane(table, lane, table_row<Table>(a));
  }

  static __device__ void load_codes(const MatmulArguments& a, const ChainOfLane& chain, const TileRows& rows,
                                    Codes& codes) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const std::uint32_t row = rows[h];
      codes.absmax[h] = load_absmax_of_lane<FactoredSteps>(a, chain, row);
      const std::uint8_t* const from = codes_of(a, chain, row);
#pragma unroll
      for (int b = 0; b < kChunkBlocks; ++b)
        if (kWhole || b < chain.blocks)
          codes.codes[h][b] = load_once(reinterpret_cast<const uint2*>(from + b * (format::kFactoredBlock / 2)));
    }
  }

  static __device__ void load_inputs(const MatmulArguments& a, const Tokens& tokens, std::int64_t term,
                                     Inputs& inputs) {
    const int lane = static_cast<int>(threadIdx.x % kWarp);
#pragma unroll
    for (int c = 0; c < kColumns; ++c) {
#pragma unroll
      for (int b = 0; b < kChunkBlocks; ++b)
#pragma unroll
        for (int v = 0; v < kRunTerms / 8; ++v) {
          const std::int64_t first = term + b * format::kFactoredBlock + lane % 4 * kRunTerms + 8 * v;
          std::uint32_t words[4];
          unpack(load_late_inputs(a, tokens, c * 8 + lane / 4, first), words);
#pragma unroll
          for (int i = 0; i < 4; ++i) inputs.words[c][b][4 * v + i] = words[i];
        }
    }
    // The branch keeps temporary registers of different columns from being live at once.
#pragma unroll
    for (int c = 0; c < kColumns; ++c)
      inputs.down[c] = tokens.first + c * 8 < tokens.end ? scale_chunk<Value>(inputs.words[c]) : 1.0F;
  }

  // Multiplies 16 outputs by one chunk.
  template <class Nested>
  static __device__ void multiply(const MatmulArguments& /*a*/, Lookups table, const Nested& nested,
                                  const Inputs& inputs, const Codes& codes, int blocks, float (&sums)[kColumns][4]) {
    const auto pair = [&](std::uint32_t word, int byte) {
      return byte == 0   ? load_word<0>(table, word)
             : byte == 1 ? load_word<1>(table, word)
             : byte == 2 ? load_word<2>(table, word)
                         : load_word<3>(table, word);
    };
    // Blocks past the end of K have inputs of 0, whose products are scaled by -0: adding them changes no sum.
    const bool is_there = has_block<FactoredSteps>(blocks);
    const float own[2] = {is_there ? decode_absmax(kNested, nested.map, codes.absmax[0], nested.offset) : -0.0F,
                          is_there ? decode_absmax(kNested, nested.map, codes.absmax[1], nested.offset) : -0.0F};
    const int lane = static_cast<int>(threadIdx.x % kWarp);
#pragma unroll
    for (int b = 0; b < kChunkBlocks; ++b) {
      const std::uint32_t words[2][2] = {{codes.codes[0][b].x, codes.codes[0][b].y},
                                         {codes.codes[1][b].x, codes.codes[1][b].y}};
      const float absmax[2] = {value_of(own[0], lane / 4 * 4 + b), value_of(own[1], lane / 4 * 4 + b)};
      multiply_block(words, absmax, pair, inputs, b, sums);
    }
    scale_sums(inputs, sums);
  }
};

// ---- the kernel of a plan ----

// With 16 tokens (kColumns == 2), plans only have whole chains.
template <class Value, int kColumns, int kProducts>
contract::Outcome launch_factored(std::span<const MatmulArguments> products, const Plan& plan, const qfuse_exec& exec) {
  return with_chains_of(products, [&](auto nested, auto whole) {
    return launch_split_k_kernel(
        multiply_split_k<FactoredSteps<Value, nested, whole || kColumns == 2, kColumns>, kProducts>, products, plan,
        exec);
  });
}

template <class Value>
contract::Outcome launch_groups(const GroupedArguments& a, const Plan& plan, const qfuse_exec& exec) {
  return with_chains_of({&a.matmul, 1}, [&](auto nested, auto whole) {
    return launch_split_k_kernel(multiply_groups_split_k<FactoredSteps<Value, nested, whole, 1>>, a, plan, exec);
  });
}

template <class Value>
contract::Outcome launch_of(const Call& call, const Plan& plan, const qfuse_exec& exec) {
  if (call.a.groups.experts > 0) return launch_groups<Value>(call.a, plan, exec);
  if (call.products.size() > 1) return launch_factored<Value, 1, kSplitKProducts>(call.products, plan, exec);
  const std::span<const MatmulArguments> product(&call.a.matmul, 1);
  return plan.tokens == kSplitKTokens.front() ? launch_factored<Value, 1, 1>(product, plan, exec)
                                              : launch_factored<Value, 2, 1>(product, plan, exec);
}

}  // namespace

contract::Outcome launch_factored_split_k(const Call& call, const Plan& plan, const qfuse_exec& exec) {
  return call.product.dtype == QFUSE_FLOAT16 ? launch_of<Half>(call, plan, exec)
                                             : launch_of<Bfloat16>(call, plan, exec);
}

}  // namespace qfuse::cuda::matmul_4bit
