// Decodes codes to weights in registers, for the wgmma kernels. A lane takes a panel row, 64 codes of a row of the
// weight: it loads their absmax, makes the 16 weights that they can mean, and looks codes up by byte permutations.
#ifndef QFUSE_BACKEND_CUDA_MATMUL_4BIT_DECODE_CODES_CUH
#define QFUSE_BACKEND_CUDA_MATMUL_4BIT_DECODE_CODES_CUH

#include <cstdint>
#include <type_traits>

#include "backend/cuda/matmul_4bit/pipeline.cuh"

namespace qfuse::cuda::matmul_4bit {

// ---- formats ----

// What the kernels tell apart. Roles have a loop for each: a branch in the loop made NF4's gradient 6 % slower on an
// H200.
enum class PanelFormat {
  absmax,      // NF4 or FP4: a panel row has one absmax
  int4,        // one scale
  int4_small,  // two scales of 16 bits
  mxfp4,       // two scales
  nvfp4,       // four scales
  nvfp4_each   // four scales, and experts have a global scale each
};

__device__ inline PanelFormat panel_format(const Weight4bit& w) {
  if (!w.is_low_first) return PanelFormat::absmax;
  if (w.absmax_8bit == nullptr) return has_small_blocks(w) ? PanelFormat::int4_small : PanelFormat::int4;
  return w.block_shift == 4 ? PanelFormat::nvfp4 : PanelFormat::mxfp4;
}

template <PanelFormat kFormat>
struct PanelTraits {
  static constexpr PanelFormat kOf = kFormat;
  static constexpr bool kIsLowFirst = kFormat != PanelFormat::absmax;
  static constexpr bool kHasGlobal = kFormat == PanelFormat::nvfp4_each;
  static constexpr bool kAlwaysHasMap = kFormat == PanelFormat::nvfp4 || kHasGlobal;
  static constexpr bool kIsE2m1 = kFormat == PanelFormat::mxfp4 || kAlwaysHasMap;
  static constexpr int kParts = kAlwaysHasMap                                                         ? 4
                                : kFormat == PanelFormat::mxfp4 || kFormat == PanelFormat::int4_small ? 2
                                                                                                      : 1;
};

// Calls body(PanelTraits()) for the weight's format, if the kernel has it: all have the three first ones.
template <bool kHasNvfp4, bool kHasSmallInt4, class Body>
__device__ void with_panel_format(const Weight4bit& w, const Body& body) {
  const PanelFormat format = panel_format(w);
  if (format == PanelFormat::absmax) return body(PanelTraits<PanelFormat::absmax>());
  if (format == PanelFormat::int4) return body(PanelTraits<PanelFormat::int4>());
  if (format == PanelFormat::mxfp4) return body(PanelTraits<PanelFormat::mxfp4>());
  if constexpr (kHasSmallInt4)
    if (format == PanelFormat::int4_small) return body(PanelTraits<PanelFormat::int4_small>());
  if constexpr (kHasNvfp4) body(PanelTraits<PanelFormat::nvfp4>());  // without a condition, which cost a register
}

// The same for the formats of experts that have a kernel of their own, as beside others there are not the registers.
template <class Body>
__device__ void with_own_format(const Weight4bit& w, const Body& body) {
  if (panel_format(w) == PanelFormat::int4_small) return body(PanelTraits<PanelFormat::int4_small>());
  body(PanelTraits<PanelFormat::nvfp4_each>());
}

// ---- absmax ----

constexpr int kSmallBlock = kPanelCols / 2;

// Loads the map of nested absmax, or of NVFP4's scales: decoded ones, unless experts have global scales. Each of kWarps
// warps loads a part. Users of the map wait for `full`.
template <class Format, int kWarps>
__device__ void load_map(const MatmulArguments& a, float* map, Mbarrier& full, int warp, int lane) {
#pragma unroll
  for (int at = warp * kWarp + lane; at < format::kCodes8; at += kWarps * kWarp)
    map[at] = Format::kAlwaysHasMap && !Format::kHasGlobal
                  ? mul_ftz(load_map_value<true>(a.weight, static_cast<unsigned>(at)), *a.weight.nested_absmax)
                  : a.weight.nested_quant_map[at];
  arrive_as_warp(full, lane);
}

// Numbers, in the weight, of the panel rows (64 codes each) that a lane decodes, or decodes half of: one per stage.
struct LaneRows {
  std::uint32_t first;
  std::uint32_t apart;
  int stages;  // until the weight ends
};

// Maps a panel row's number to its absmax. Scales of rows are loaded in words, like plain absmax. A word has MXFP4's of
// two panel rows, those of other small blocks of one, and INT4's of 16 bits of two blocks.
struct AbsmaxReader {
  const std::uint8_t* absmax_8bit;
  const float* scales;
  int block_shift;
  int scale_shift;
  float offset;
  bool is_nested;
};
struct GlobalReader : AbsmaxReader {
  format::GlobalScale global{};
};
template <class Format>
using ReaderOf = std::conditional_t<Format::kHasGlobal, GlobalReader, AbsmaxReader>;

// Panel rows are numbered from the start of the nested blocks: nested_begin blocks before the weight, if it is a part.
__device__ inline AbsmaxReader absmax_reader(const MatmulArguments& a) {
  constexpr int kMostShift = 31;  // panel rows' numbers are below 2^31
  const int block_shift = a.weight.block_shift - kPanelShift;
  const int nested_shift = a.weight.nested_shift - kPanelShift;
  const PanelFormat format = panel_format(a.weight);
  return {.absmax_8bit = a.weight.absmax_8bit - a.weight.nested_begin,
          .scales = a.is_nested ? a.weight.nested_absmax : a.weight.absmax,
          .block_shift = block_shift,
          .scale_shift = format == PanelFormat::mxfp4 ? 1
                         : has_small_blocks(a.weight) ? 0
                         : !a.is_nested ? block_shift + (a.weight.absmax_type == QFUSE_SCALES_FLOAT32 ? 0 : 1)
                         : nested_shift < kMostShift ? nested_shift
                                                     : kMostShift,
          .offset = a.is_nested ? *a.weight.nested_offset : 0.0F,
          .is_nested = a.is_nested};
}

// Panel rows before the first one of the tile's weight.
template <class Scheduler>
__device__ std::uint32_t first_panel_row(const PipelineArguments& a, const Scheduler& scheduler,
                                         const typename Scheduler::Tile& tile) {
  const auto panels = static_cast<std::uint32_t>(a.matmul.cols / kPanelCols);
  if constexpr (Scheduler::kIsGrouped) return static_cast<std::uint32_t>(scheduler.first_row(tile)) * panels;
  return static_cast<std::uint32_t>(a.matmul.weight.nested_begin << a.matmul.weight.block_shift) / kPanelCols;
}

// Loads the global scale of the tile's expert, or its offset, if each expert is nested by itself; else all share one.
template <class Scheduler>
__device__ void load_own(const PipelineArguments& a, const Scheduler& scheduler, const typename Scheduler::Tile& tile,
                         GlobalReader& reader) {
  reader.global = load_global(a.matmul.weight, scheduler.groups, scheduler.expert(tile));
}
template <class Scheduler>
__device__ void load_own(const PipelineArguments& a, const Scheduler& scheduler, const typename Scheduler::Tile& tile,
                         AbsmaxReader& reader) {
  if constexpr (Scheduler::kIsGrouped)
    if (scheduler.groups.is_nested_each) reader.offset = a.matmul.weight.nested_offset[scheduler.expert(tile)];
}

// Has no branches, which would cost more than the loads. One load serves either kind of scale: a second one into the
// same register would wait for the first. Past the last row, loads that row's absmax, which is not used. With scales of
// rows, `code` says which half of the loaded word is the row's.
template <class Format>
__device__ Absmax load_absmax(const AbsmaxReader& reader, const LaneRows& rows, int stage) {
  const int there = stage < rows.stages ? stage : rows.stages - 1;
  const std::uint32_t row = rows.stages > 0 ? rows.first + static_cast<std::uint32_t>(there) * rows.apart : 0;
  unsigned code = Format::kOf == PanelFormat::mxfp4 ? row & 1U : 0U;
  if (Format::kOf == PanelFormat::int4)
    code = row >> reader.block_shift & static_cast<unsigned>(reader.scale_shift - reader.block_shift);
  if (Format::kOf == PanelFormat::absmax && reader.is_nested)
    code = __ldg(reader.absmax_8bit + (row >> reader.block_shift));
  return {code, __ldg(reader.scales + (row >> reader.scale_shift))};
}

// The scale of a panel row's first or second small block. The byte is its exponent; 255 makes inf, and inf * 0 NaN.
__device__ inline float decode_small_absmax(const Absmax& absmax, unsigned half) {
  const unsigned byte = __float_as_uint(absmax.scale) >> (16 * absmax.code + 8 * half) & 0xffU;
  const float scale = __uint_as_float(byte << 23);
  return __fmaf_rn(scale, 0.0F, scale);
}

// One of a panel row's Format::kParts scales. absmax_type: the weight's, from a kernel argument; in the reader it would
// take a register.
template <class Format>
__device__ float decode_part(qfuse_scale_type absmax_type, const ReaderOf<Format>& reader, const float* map,
                             const Absmax& loaded, unsigned part) {
  const unsigned word = __float_as_uint(loaded.scale);
  if constexpr (Format::kOf == PanelFormat::absmax)
    return decode_absmax(reader.is_nested, map, loaded, reader.offset);
  else if constexpr (Format::kOf == PanelFormat::int4)
    return widen_word(absmax_type, loaded);
  else if constexpr (Format::kOf == PanelFormat::int4_small)
    return widen_absmax(absmax_type, word >> (16 * part) & 0xffffU);
  else if constexpr (Format::kOf == PanelFormat::mxfp4)
    return decode_small_absmax(loaded, part);
  else if constexpr (Format::kHasGlobal)
    return apply_global(map[word >> (8 * part) & 0xffU], reader.global);
  else
    return map[word >> (8 * part) & 0xffU];
}

// ---- codes ----

// The 16 weights that a block can have, rounded, as their low and their high bytes: a permutation of bytes looks up
// four codes at once among eight of them. Or the eight of codes without a sign, of two blocks.
struct Weights16 {
  std::uint32_t low[4];
  std::uint32_t high[4];
};
// The eight of E2M1's codes without a sign: code 8 + i is code i with the other sign.
struct Weights8 {
  std::uint32_t low[2];
  std::uint32_t high[2];
};
// Or the block's scale times 2^126, as a pair of bf16: MXFP4's codes then become bf16 without a table.
struct PairScale {
  std::uint32_t words;
};
constexpr float kPairUnits = 0x1p126F;
// A pair of a value that bf16 has.
__device__ inline std::uint32_t pair_of(float value) {
  constexpr std::uint32_t kHighHalves = 0x3232;
  return permuted(__float_as_uint(value), __float_as_uint(value), kHighHalves);
}
template <class Value, class Format>
constexpr bool kHasPairScale = (std::is_same_v<Value, Bfloat16> && Format::kOf == PanelFormat::mxfp4);
template <class Value, class Format>
using WeightsOf = std::conditional_t<kHasPairScale<Value, Format>, PairScale,
                                     std::conditional_t<Format::kIsE2m1, Weights8, Weights16>>;

// Makes the low and high bytes of four rounded weights.
template <class Value>
__device__ void make_four(const float* values, float absmax, std::uint32_t& low, std::uint32_t& high) {
  constexpr std::uint32_t kLowBytes = 0x6420;
  constexpr std::uint32_t kHighBytes = 0x7531;
  std::uint32_t words[2];
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const float pair[2] = {mul_ftz(values[2 * i], absmax), mul_ftz(values[2 * i + 1], absmax)};
    words[i] = Rounding<Value>::word(pair);
  }
  low = permuted(words[0], words[1], kLowBytes);
  high = permuted(words[0], words[1], kHighBytes);
}

template <class Value>
__device__ Weights16 weights_of(const float* values, float absmax) {
  Weights16 weights;
#pragma unroll
  for (int i = 0; i < 4; ++i) make_four<Value>(values + 4 * i, absmax, weights.low[i], weights.high[i]);
  return weights;
}

template <class Value, class Format>
__device__ WeightsOf<Value, Format> weights_of_format([[maybe_unused]] const float* values, float absmax) {
  if constexpr (kHasPairScale<Value, Format>) {
    return {pair_of(absmax * kPairUnits)};
  } else if constexpr (!Format::kIsE2m1) {
    return weights_of<Value>(values, absmax);
  } else {
    Weights8 weights;
#pragma unroll
    for (int i = 0; i < 2; ++i) make_four<Value>(values + 4 * i, absmax, weights.low[i], weights.high[i]);
    return weights;
  }
}

// Makes the eight weights without a sign of each of two blocks.
template <class Value>
__device__ Weights16 weights_of_two(const float* values, float first, float second) {
  Weights16 weights;
#pragma unroll
  for (int i = 0; i < 4; ++i)
    make_four<Value>(values + i % 2 * 4, i < 2 ? first : second, weights.low[i], weights.high[i]);
  return weights;
}
__device__ inline Weights8 weights_of_one(const Weights16& of_two, int block) {
  return {{of_two.low[2 * block], of_two.low[2 * block + 1]}, {of_two.high[2 * block], of_two.high[2 * block + 1]}};
}

// Looks up four bytes. Where a byte of `upper` is 0xff, takes the entry 8 higher.
__device__ inline std::uint32_t looked_up(const std::uint32_t (&table)[4], std::uint32_t indices, std::uint32_t upper) {
  return (permuted(table[0], table[1], indices) & ~upper) | (permuted(table[2], table[3], indices) & upper);
}

// Byte selectors that make two weights of the looked-up bytes: of codes 0 and 1, and of codes 2 and 3.
struct PairOrder {
  std::uint32_t first_two;
  std::uint32_t last_two;
};
__device__ constexpr PairOrder pair_order(bool is_low_first) {
  return is_low_first ? PairOrder{0x5140, 0x7362} : PairOrder{0x4051, 0x6273};
}
__device__ inline void put_in_order(std::uint32_t low, std::uint32_t high, const PairOrder& order,
                                    std::uint32_t* words) {
  words[0] = permuted(low, high, order.first_two);
  words[1] = permuted(low, high, order.last_two);
}

// Decodes four codes, whose low three bits are `indices`.
__device__ inline void decode_four(const Weights16& weights, const PairOrder& order, std::uint32_t indices,
                                   std::uint32_t upper, std::uint32_t* words) {
  put_in_order(looked_up(weights.low, indices, upper), looked_up(weights.high, indices, upper), order, words);
}

__device__ inline void decode_four(const Weights8& weights, const PairOrder& order, std::uint32_t indices,
                                   std::uint32_t upper, std::uint32_t* words) {
  constexpr std::uint32_t kSigns = 0x80808080;
  const std::uint32_t low = permuted(weights.low[0], weights.low[1], indices);
  const std::uint32_t high = permuted(weights.high[0], weights.high[1], indices);
  put_in_order(low, high ^ (upper & kSigns), order, words);
}

template <class Weights>
__device__ uint4 decode_eight(const Weights& weights, const PairOrder& order, std::uint32_t codes) {
  constexpr std::uint32_t kIndices = 0x77777777;
  const std::uint32_t indices = codes & kIndices;
  const std::uint32_t moved = codes << 4;  // has the low nibbles' highest bits as the bytes' signs
  std::uint32_t words[4];
  decode_four(weights, order, indices, spread_signs<0>(codes, moved), words);
  decode_four(weights, order, indices >> 16, spread_signs<1>(codes, moved), words + 2);
  return vector_of(words);
}

// Spreads codes to pairs, each with the sign in bit 15 and the other three bits in bits 8 to 6. As bf16 these have
// E2M1's values, also the subnormal one, divided by kPairUnits. Products with a power of two are exact.
__device__ inline uint4 decode_eight(const PairScale& scale, const PairOrder& /*low nibbles first*/,
                                     std::uint32_t codes) {
  constexpr std::uint32_t kNibbles = 0x0f0f0f0f;
  constexpr std::uint32_t kToBothPlaces = (1U << 12) + (1U << 6);
  constexpr std::uint32_t kPlaces = 0x81c081c0;
  const std::uint32_t even = codes & kNibbles;
  const std::uint32_t odd = codes >> 4 & kNibbles;
  const std::uint32_t pairs[4] = {pair_of_bytes<0>(even, odd), pair_of_bytes<1>(even, odd), pair_of_bytes<2>(even, odd),
                                  pair_of_bytes<3>(even, odd)};
  std::uint32_t words[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) words[i] = multiply_exactly(pairs[i] * kToBothPlaces & kPlaces, scale.words);
  return vector_of(words);
}

// Whether a block's scale is too large for PairScale, or 2^-126, by which 0.5 makes a weight that is flushed.
__device__ inline bool is_rare_scale(float absmax) { return absmax > 2.0F || absmax == 0x1p-126F; }

// Decodes eight codes of such a block.
__device__ inline uint4 decode_eight_rare(float absmax, std::uint32_t codes) {
  constexpr std::uint32_t kLowestBits = 0x11111111;
  if (absmax < 1.0F) codes &= ~kLowestBits | codes >> 1 | codes >> 2;  // 0.5 becomes 0
  uint4 words = decode_eight(PairScale{pair_of(kPairUnits)}, {}, codes);
  for (std::uint32_t* const word : {&words.x, &words.y, &words.z, &words.w})
    *word = multiply_exactly(*word, pair_of(absmax));
  return words;
}

// Offset of a vector of 16 bytes in its row, in a tile that load_tile (TMA) has swizzled.
template <int kRowBytes>
__device__ int swizzled_bytes(int row, int vector) {
  return (vector ^ row / (kPanelBytes / kRowBytes) % (kRowBytes / kVectorBytes)) * kVectorBytes;
}

// Loads a row's word `at` of eight codes.
template <int kRowBytes>
__device__ std::uint32_t load_eight(const unsigned char* tile, int row, int at) {
  const unsigned char* const vector = tile + row * kRowBytes + swizzled_bytes<kRowBytes>(row, at / 4);
  return reinterpret_cast<const std::uint32_t*>(vector)[at % 4];
}

// Loads a lane's codes, in its row and panel of a stage, eight per word.
template <int kRowBytes, int kWords>
__device__ void load_codes(const unsigned char* tile, int row, int panel, std::uint32_t (&codes)[kWords]) {
  constexpr int kVectors = kWords / 4;
#pragma unroll
  for (int v = 0; v < kVectors; ++v)
    unpack(
        *reinterpret_cast<const uint4*>(tile + row * kRowBytes + swizzled_bytes<kRowBytes>(row, panel * kVectors + v)),
        codes + 4 * v);
}

}  // namespace qfuse::cuda::matmul_4bit

#endif  // QFUSE_BACKEND_CUDA_MATMUL_4BIT_DECODE_CODES_CUH
