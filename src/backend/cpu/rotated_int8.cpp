// in:     x or dy: in [rows, cols] fp32, fp16 or bf16, strided rows; weight: 4-bit [rows, cols], scale [outputs] fp32;
//         product: in_q [m, k] and weight_q [n, k] i8, in_scale [m] and weight_scale [n] fp32, bias [n], lora_in
//         [m, lora_rank], lora_weight [n, lora_rank] or, backward, [lora_rank, n]; SwiGLU: gate, up and grad_y [m, h]
//         bf16, strided rows; any address
// out:    q [rows, cols] or [outputs, terms] i8, scale [rows] or [outputs] fp32; out [m, n], strided rows; SwiGLU: q
//         and bf16 out [m, h], or [2, m, h] of d_gate and d_up; any address
// math:   v = values, rotated in blocks by sums and differences at distances 1, 2, 4 and so on;
//         scale = (max(max |v|, 2^-100) * 1/127) * root; q = nearest(v * (root / scale));
//         out = round(chain of fma of LoRA's terms from (sum * in_scale) * weight_scale, + bias, + addend)
//         SwiGLU: y, or d_gate and d_up, as in qfuse_swiglu, to bf16; then q and scale
// cost:   values are rotated twice, for the scale and for q: bound by 7 additions per value each time; the product is
//         bound by m*n*k/2 multiply-adds of pairs of 16-bit integers
// oracle: reference/rotated_int8.cpp
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/rotated_int8.cpp"
#include <hwy/foreach_target.h>  // re-includes this file once per target
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "backend/cpu/kernels.h"
#include "backend/cpu/run.h"
#include "backend/cpu/steps-inl.h"
#include "backend/cpu/swiglu_steps-inl.h"
#include "backend/cpu/weights-inl.h"
#include "contract/rotated_int8.h"
#include "format/elements.h"
#include "format/layout.h"
#include "format/rotated_int8.h"

// Constants that do not depend on the target, guarded because this file is included once per target.
#ifndef QFUSE_BACKEND_CPU_ROTATED_INT8_POLICY
#define QFUSE_BACKEND_CPU_ROTATED_INT8_POLICY
namespace qfuse::cpu {

// Columns of a weight that are rotated together where K runs along columns: with 128 rows of them, 32 KiB of fp32.
inline constexpr std::int64_t kRotatedCols = 64;

// Size of an item of the product. Its outputs' weights stay in the L2 cache while all its tokens are multiplied.
inline constexpr std::int64_t kProductOutputs = 32;
inline constexpr std::int64_t kProductTokens = 64;

// LoRA terms that are converted to fp32 at a time.
inline constexpr std::int64_t kProductLora = 32;

}  // namespace qfuse::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace qfuse::cpu::HWY_NAMESPACE {

using Floats = hn::ScalableTag<float>;
constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(Floats()));

// ---- steps: rotation ----

// Rotates lanes that are kDistance apart in a vector: the lower one becomes the sum, the upper one lower - upper.
template <std::int64_t kDistance>
HWY_INLINE hn::Vec<Floats> rotate_lanes(hn::Vec<Floats> v) {
  const hn::RebindToSigned<Floats> di;
  const auto lane = hn::Iota(di, 0);
  const auto distance = hn::Set(di, static_cast<std::int32_t>(kDistance));
  const auto partner = hn::TableLookupLanes(v, hn::IndicesFromVec(Floats(), hn::Xor(lane, distance)));
  const auto is_upper = hn::RebindMask(Floats(), hn::Eq(hn::And(lane, distance), distance));
  return hn::Add(partner, hn::IfThenElse(is_upper, hn::Neg(v), v));
}

HWY_INLINE hn::Vec<Floats> rotate_vector(hn::Vec<Floats> v) {
  if constexpr (kLanes > 1) v = rotate_lanes<1>(v);
  if constexpr (kLanes > 2) v = rotate_lanes<2>(v);
  if constexpr (kLanes > 4) v = rotate_lanes<4>(v);
  if constexpr (kLanes > 8) v = rotate_lanes<8>(v);
  return v;
}

// Rotates across the kCount vectors of a block, which are `stride` elements apart.
template <std::int64_t kCount>
HWY_INLINE void rotate_vectors(float* values, std::int64_t stride) {
  for (std::int64_t distance = 1; distance < kCount; distance *= 2)
    for (std::int64_t first = 0; first < kCount; first += 2 * distance)
      for (std::int64_t i = first; i < first + distance; ++i) {
        float* const lower = values + i * stride;
        float* const upper = lower + distance * stride;
        const auto x = hn::LoadU(Floats(), lower);
        const auto y = hn::LoadU(Floats(), upper);
        hn::StoreU(hn::Add(x, y), Floats(), lower);
        hn::StoreU(hn::Sub(x, y), Floats(), upper);
      }
}

// Rotates a row of terms, or several whole blocks of one.
template <std::int64_t kBlock>
HWY_INLINE void rotate_row(float* values, std::int64_t count) {
  for (std::int64_t i = 0; i < count; i += kLanes)
    hn::StoreU(rotate_vector(hn::LoadU(Floats(), values + i)), Floats(), values + i);
  for (std::int64_t i = 0; i < count; i += kBlock) rotate_vectors<kBlock / kLanes>(values + i, kLanes);
}

// Rotates a block of kBlock rows by kRotatedCols columns, along the columns.
template <std::int64_t kBlock>
HWY_INLINE void rotate_columns(float* values) {
  for (std::int64_t c = 0; c < kRotatedCols; c += kLanes) rotate_vectors<kBlock>(values + c, kRotatedCols);
}

// ---- steps: rounding ----

using Ints = hn::RebindToSigned<Floats>;

// Per lane, the bits of the larger of `largest` and a value's magnitude.
HWY_INLINE hn::Vec<Ints> add_largest(hn::Vec<Ints> largest, const float* values) {
  return hn::Max(largest, hn::BitCast(Ints(), magnitude_bits(Floats(), hn::LoadU(Floats(), values))));
}

// Stores a vector of values as the nearest integers of value * factor. The factor is not 0.
HWY_INLINE void store_nearest(const float* values, hn::Vec<Floats> factor, std::int8_t* q) {
  const hn::Rebind<std::uint8_t, Floats> d8;
  const auto magic = hn::Set(Floats(), format::kNearestMagic);
  const auto rounded = canonical(Floats(), mul_add(Floats(), hn::LoadU(Floats(), values), factor, magic));
  hn::StoreU(hn::TruncateTo(d8, hn::BitCast(Bits<Floats>(), rounded)), d8, reinterpret_cast<std::uint8_t*>(q));
}

// ---- kernel: K along rows ----

// Loads a stretch of a row, widened to fp32.
template <qfuse_dtype kDtype>
struct InputRow {
  const std::uint8_t* in;
  HWY_INLINE float* load(std::int64_t first, std::int64_t count, Stretch& stretch) const {
    constexpr std::int64_t kSize = format::dtype_size(kDtype);
    for (std::int64_t i = 0; i < count; i += kLanes)
      hn::StoreU(load_as_float<kDtype>(Floats(), in + (first + i) * kSize), Floats(), stretch.values + i);
    return stretch.values;
  }
};

struct WeightRow {
  const qfuse_weight_4bit& w;
  std::int64_t row;
  HWY_INLINE float* load(std::int64_t first, std::int64_t count, Stretch& stretch) const {
    return const_cast<float*>(decode_stretch<QFUSE_FLOAT32>(w, row * w.cols + first, count, stretch));
  }
};

// Rotates a row stretch by stretch, and calls body(values, first, count) with each stretch.
template <std::int64_t kBlock, class Row, class Body>
HWY_INLINE void for_each_stretch(const Row& row, std::int64_t terms, const Body& body) {
  static_assert(kStretch % kBlock == 0);
  Stretch stretch;
  for (std::int64_t first = 0; first < terms; first += kStretch) {
    const std::int64_t count = std::min(kStretch, terms - first);
    float* const values = row.load(first, count, stretch);
    rotate_row<kBlock>(values, count);
    body(values, first, count);
  }
}

template <std::int64_t kBlock, class Row>
HWY_NOINLINE float find_scale(const Row& row, std::int64_t terms) {
  auto largest = hn::Zero(Ints());
  for_each_stretch<kBlock>(row, terms, [&](const float* values, std::int64_t /*first*/, std::int64_t count) HWY_ATTR {
    for (std::int64_t i = 0; i < count; i += kLanes) largest = add_largest(largest, values + i);
  });
  const auto bits = static_cast<std::uint32_t>(hn::GetLane(hn::MaxOfLanes(Ints(), largest)));
  return format::rotated_scale(bits, format::rotated_root(kBlock));
}

template <std::int64_t kBlock, class Row>
HWY_NOINLINE void quantize_row(const Row& row, std::int64_t terms, float scale, std::int8_t* q) {
  const float factor = format::rotated_factor(scale, format::rotated_root(kBlock));
  if (factor == 0.0F) {
    std::memset(q, 0, static_cast<std::size_t>(terms));
    return;
  }
  const auto factors = hn::Set(Floats(), factor);
  for_each_stretch<kBlock>(row, terms, [&](const float* values, std::int64_t first, std::int64_t count) HWY_ATTR {
    for (std::int64_t i = 0; i < count; i += kLanes) store_nearest(values + i, factors, q + first + i);
  });
}

// Stores the scale and the quantized values of row r of an array.
template <std::int64_t kBlock, class Row>
HWY_INLINE void rotate_and_quantize(const Row& row, std::int64_t terms, float* scales, std::int8_t* q, std::int64_t r) {
  const float scale = find_scale<kBlock>(row, terms);
  format::store_unaligned(scales, r, scale);
  quantize_row<kBlock>(row, terms, scale, q + r * terms);
}

template <std::int64_t kBlock, qfuse_dtype kDtype>
HWY_INLINE void quantize_inputs(const contract::RotatedInt8Quantize& p, std::int64_t begin, std::int64_t end) {
  for (std::int64_t r = begin; r < end; ++r) {
    const InputRow<kDtype> row{static_cast<const std::uint8_t*>(p.in) +
                               r * contract::in_stride(p) * format::dtype_size(kDtype)};
    rotate_and_quantize<kBlock>(row, p.cols, p.scale, p.q, r);
  }
}

template <std::int64_t kBlock>
HWY_INLINE void quantize_of_block(const contract::RotatedInt8Quantize& p, std::int64_t begin, std::int64_t end) {
  switch (p.in_dtype) {
    case QFUSE_FLOAT32: return quantize_inputs<kBlock, QFUSE_FLOAT32>(p, begin, end);
    case QFUSE_FLOAT16: return quantize_inputs<kBlock, QFUSE_FLOAT16>(p, begin, end);
    case QFUSE_BFLOAT16: return quantize_inputs<kBlock, QFUSE_BFLOAT16>(p, begin, end);
  }
}

// ---- kernel: rows that SwiGLU computes ----

constexpr std::int64_t kBfloat16 = format::dtype_size(QFUSE_BFLOAT16);
HWY_INLINE const std::uint8_t* bfloat16_row(const void* array, std::int64_t row, std::int64_t stride) {
  return static_cast<const std::uint8_t*>(array) + row * stride * kBfloat16;
}
HWY_INLINE hn::Vec<Floats> load_bfloat16(const std::uint8_t* row, std::int64_t c) {
  return load_as_float<QFUSE_BFLOAT16>(Floats(), row + c * kBfloat16);
}

enum class Made { y, d_gate, d_up };

// A token's y, d_gate or d_up, rounded to bf16, which is also written to `out` if that is not null.
template <Made kMade>
struct SwigluRow {
  const std::uint8_t* gate;
  const std::uint8_t* up;
  const std::uint8_t* grad_y;
  std::uint8_t* out;
  [[nodiscard]] HWY_INLINE hn::Vec<Floats> made_of(std::int64_t c) const {
    const auto g = load_bfloat16(gate, c);
    const auto s = sigmoid(Floats(), g);
    if constexpr (kMade == Made::y) return hn::Mul(hn::Mul(g, s), load_bfloat16(up, c));
    if constexpr (kMade == Made::d_up) return hn::Mul(load_bfloat16(grad_y, c), hn::Mul(g, s));
    return gate_gradient(Floats(), g, load_bfloat16(up, c), load_bfloat16(grad_y, c), s);
  }
  HWY_INLINE float* load(std::int64_t first, std::int64_t count, Stretch& stretch) const {
    for (std::int64_t i = 0; i < count; i += kLanes) {
      const hn::Rebind<std::uint16_t, Floats> d16;
      const auto bits = round_to<QFUSE_BFLOAT16>(Floats(), made_of(first + i));
      if (out != nullptr) store_bytes(d16, hn::TruncateTo(d16, bits), out + (first + i) * kBfloat16);
      hn::StoreU(from_bfloat16(Floats(), bits), Floats(), stretch.values + i);
    }
    return stretch.values;
  }
};

template <std::int64_t kBlock, Made kMade>
HWY_INLINE void quantize_made(const contract::RotatedInt8Swiglu& p, std::int64_t token, std::int64_t r) {
  auto* const out = static_cast<std::uint8_t*>(p.out);
  const SwigluRow<kMade> row{bfloat16_row(p.gate, token, contract::gate_stride(p)),
                             bfloat16_row(p.up, token, contract::up_stride(p)),
                             kMade == Made::y ? nullptr : bfloat16_row(p.grad_y, token, contract::grad_y_stride(p)),
                             out == nullptr ? nullptr : out + r * p.h * kBfloat16};
  rotate_and_quantize<kBlock>(row, p.h, p.scale, p.q, r);
}

template <std::int64_t kBlock>
HWY_INLINE void quantize_swiglu(const contract::RotatedInt8Swiglu& p, std::int64_t r) {
  if (!contract::is_backward(p)) return quantize_made<kBlock, Made::y>(p, r, r);
  if (r < p.m) return quantize_made<kBlock, Made::d_gate>(p, r, r);
  quantize_made<kBlock, Made::d_up>(p, r - p.m, r);
}

// ---- kernel: K along columns, kRotatedCols columns of a weight at a time ----

struct ColumnTile {
  alignas(64) float values[format::kRotatedBlock * kRotatedCols];  // [rows of a block][columns]
  alignas(64) std::int8_t q[format::kRotatedBlock][kRotatedCols];
};

template <std::int64_t kBlock>
HWY_INLINE void load_columns(const qfuse_weight_4bit& w, std::int64_t first_row, std::int64_t first_col,
                             ColumnTile& tile) {
  Stretch stretch;
  for (std::int64_t r = 0; r < kBlock; ++r)
    std::memcpy(tile.values + r * kRotatedCols,
                decode_stretch<QFUSE_FLOAT32>(w, (first_row + r) * w.cols + first_col, kRotatedCols, stretch),
                kRotatedCols * sizeof(float));
  rotate_columns<kBlock>(tile.values);
}

template <std::int64_t kBlock>
HWY_NOINLINE void find_column_scales(const contract::RotatedInt8WeightScales& p, std::int64_t first_col) {
  ColumnTile tile;
  std::array<std::int32_t, kRotatedCols> largest{};
  for (std::int64_t r = 0; r < p.weight.rows; r += kBlock) {
    load_columns<kBlock>(p.weight, r, first_col, tile);
    for (std::int64_t c = 0; c < kRotatedCols; c += kLanes) {
      auto of_lanes = hn::LoadU(Ints(), largest.data() + c);
      for (std::int64_t i = 0; i < kBlock; ++i) of_lanes = add_largest(of_lanes, tile.values + i * kRotatedCols + c);
      hn::StoreU(of_lanes, Ints(), largest.data() + c);
    }
  }
  for (std::int64_t c = 0; c < kRotatedCols; ++c)
    format::store_unaligned(p.scale, first_col + c,
                            format::rotated_scale(static_cast<std::uint32_t>(largest[static_cast<std::size_t>(c)]),
                                                  format::rotated_root(kBlock)));
}

// Quantizes a block of kBlock rows by kRotatedCols columns.
template <std::int64_t kBlock>
HWY_NOINLINE void quantize_columns(const contract::RotatedInt8Weight& p, std::int64_t first_row,
                                   std::int64_t first_col) {
  ColumnTile tile;
  alignas(64) float factors[kRotatedCols];
  for (std::int64_t c = 0; c < kRotatedCols; ++c)
    factors[c] =
        format::rotated_factor(format::load_unaligned<float>(p.scale, first_col + c), format::rotated_root(kBlock));
  load_columns<kBlock>(p.weight, first_row, first_col, tile);
  for (std::int64_t i = 0; i < kBlock; ++i)
    for (std::int64_t c = 0; c < kRotatedCols; c += kLanes)
      store_nearest(tile.values + i * kRotatedCols + c, hn::Load(Floats(), factors + c), tile.q[i] + c);
  for (std::int64_t c = 0; c < kRotatedCols; ++c) {
    std::int8_t* const q = p.q + (first_col + c) * p.weight.rows + first_row;
    for (std::int64_t i = 0; i < kBlock; ++i) q[i] = factors[c] == 0.0F ? std::int8_t{0} : tile.q[i][c];
  }
}

// ---- kernel: items of a weight: rows; or kRotatedCols columns, of all rows for scales, of a block of rows for q ----

template <std::int64_t kBlock>
HWY_INLINE void find_scales(const contract::RotatedInt8WeightScales& p, std::int64_t item) {
  if (p.direction == QFUSE_BACKWARD) return find_column_scales<kBlock>(p, item * kRotatedCols);
  format::store_unaligned(p.scale, item, find_scale<kBlock>(WeightRow{p.weight, item}, p.weight.cols));
}

template <std::int64_t kBlock>
HWY_INLINE void quantize_weight(const contract::RotatedInt8Weight& p, std::int64_t item) {
  const std::int64_t parts = p.weight.cols / kRotatedCols;
  if (p.direction == QFUSE_BACKWARD)
    return quantize_columns<kBlock>(p, item / parts * kBlock, item % parts * kRotatedCols);
  quantize_row<kBlock>(WeightRow{p.weight, item}, p.weight.cols, format::load_unaligned<float>(p.scale, item),
                       p.q + item * p.weight.cols);
}

void rotated_int8_quantize_rows(const contract::RotatedInt8Quantize& p, std::int64_t begin, std::int64_t end) {
  format::rotated_block(p.cols) == format::kRotatedBlock ? quantize_of_block<format::kRotatedBlock>(p, begin, end)
                                                         : quantize_of_block<format::kSmallRotatedBlock>(p, begin, end);
}

void rotated_int8_swiglu_rows(const contract::RotatedInt8Swiglu& p, std::int64_t begin, std::int64_t end) {
  const bool is_small = format::rotated_block(p.h) == format::kSmallRotatedBlock;
  for (std::int64_t r = begin; r < end; ++r)
    is_small ? quantize_swiglu<format::kSmallRotatedBlock>(p, r) : quantize_swiglu<format::kRotatedBlock>(p, r);
}

void rotated_int8_scales_items(const contract::RotatedInt8WeightScales& p, std::int64_t begin, std::int64_t end) {
  const bool is_small = format::rotated_block(term_count(p)) == format::kSmallRotatedBlock;
  for (std::int64_t i = begin; i < end; ++i)
    is_small ? find_scales<format::kSmallRotatedBlock>(p, i) : find_scales<format::kRotatedBlock>(p, i);
}

void rotated_int8_weight_items(const contract::RotatedInt8Weight& p, std::int64_t begin, std::int64_t end) {
  const bool is_small = format::rotated_block(term_count(p)) == format::kSmallRotatedBlock;
  for (std::int64_t i = begin; i < end; ++i)
    is_small ? quantize_weight<format::kSmallRotatedBlock>(p, i) : quantize_weight<format::kRotatedBlock>(p, i);
}

// ---- kernel: the product ----

// Sums kept in registers: 4 tokens by 4 outputs on targets with 32 registers, 4 by 2 on the others.
constexpr std::int64_t kTokensTogether = 4;
#if (HWY_ARCH_X86 && HWY_TARGET > HWY_AVX3) || HWY_TARGET == HWY_SCALAR
constexpr std::int64_t kOutputsTogether = 2;
#else
constexpr std::int64_t kOutputsTogether = 4;
#endif

struct ProductTile {
  alignas(64) std::int32_t sums[kProductTokens * kProductOutputs];
  alignas(64) float out[kProductTokens][kProductOutputs];
  alignas(64) float scales[kProductOutputs];
  alignas(64) float bias[kProductOutputs];
  alignas(64) float lora[kProductLora][kProductOutputs];
};

struct ProductPart {
  std::int64_t first_token;
  std::int64_t tokens;
  std::int64_t first_output;
  std::int64_t outputs;
};

// Computes the dot products of kTokens rows of `in` with kOutputs rows of `weight`.
template <std::int64_t kTokens, std::int64_t kOutputs>
HWY_INLINE void multiply_rows(const std::int8_t* in, const std::int8_t* weight, std::int64_t k, std::int32_t* sums) {
#if HWY_TARGET == HWY_SCALAR
  for (std::int64_t t = 0; t < kTokens; ++t)
    for (std::int64_t o = 0; o < kOutputs; ++o) {
      std::uint32_t sum = 0;
      for (std::int64_t i = 0; i < k; ++i) sum += static_cast<std::uint32_t>(in[t * k + i] * weight[o * k + i]);
      sums[t * kProductOutputs + o] = static_cast<std::int32_t>(sum);
    }
#else
  const hn::ScalableTag<std::int16_t> d16;
  const hn::ScalableTag<std::int32_t> d32;
  const hn::Rebind<std::int8_t, decltype(d16)> d8;
  hn::Vec<decltype(d32)> sum[kTokens][kOutputs];
  hn::Vec<decltype(d32)> more[kTokens][kOutputs];  // second accumulators, which some targets use
  for (std::int64_t t = 0; t < kTokens; ++t)
    for (std::int64_t o = 0; o < kOutputs; ++o) sum[t][o] = more[t][o] = hn::Zero(d32);
  for (std::int64_t i = 0; i < k; i += static_cast<std::int64_t>(hn::MaxLanes(d16))) {
    hn::Vec<decltype(d16)> w[kOutputs];
    for (std::int64_t o = 0; o < kOutputs; ++o) w[o] = hn::PromoteTo(d16, hn::LoadU(d8, weight + o * k + i));
    for (std::int64_t t = 0; t < kTokens; ++t) {
      const auto x = hn::PromoteTo(d16, hn::LoadU(d8, in + t * k + i));
      for (std::int64_t o = 0; o < kOutputs; ++o)
        sum[t][o] = hn::ReorderWidenMulAccumulate(d32, x, w[o], sum[t][o], more[t][o]);
    }
  }
  for (std::int64_t t = 0; t < kTokens; ++t)
    for (std::int64_t o = 0; o < kOutputs; ++o)
      sums[t * kProductOutputs + o] =
          hn::GetLane(hn::SumOfLanes(d32, hn::RearrangeToOddPlusEven(sum[t][o], more[t][o])));
#endif
}

template <std::int64_t kTokens>
HWY_INLINE void multiply_outputs(const contract::RotatedInt8Matmul& p, const ProductPart& part, std::int64_t token,
                                 ProductTile& tile) {
  const std::int8_t* const in = p.in_q + (part.first_token + token) * p.k;
  const std::int8_t* const weight = p.weight_q + part.first_output * p.k;
  std::int32_t* const sums = tile.sums + token * kProductOutputs;
  std::int64_t o = 0;
  for (; o + kOutputsTogether <= part.outputs; o += kOutputsTogether)
    multiply_rows<kTokens, kOutputsTogether>(in, weight + o * p.k, p.k, sums + o);
  for (; o < part.outputs; ++o) multiply_rows<kTokens, 1>(in, weight + o * p.k, p.k, sums + o);
}

HWY_NOINLINE void multiply_part(const contract::RotatedInt8Matmul& p, const ProductPart& part, ProductTile& tile) {
  std::int64_t t = 0;
  for (; t + kTokensTogether <= part.tokens; t += kTokensTogether) multiply_outputs<kTokensTogether>(p, part, t, tile);
  for (; t < part.tokens; ++t) multiply_outputs<1>(p, part, t, tile);
}

// Loads the scales and bias of a part's outputs, zero-padded to kProductOutputs.
HWY_INLINE void load_scales_and_bias(const contract::RotatedInt8Matmul& p, const ProductPart& part, ProductTile& tile) {
  for (std::int64_t o = 0; o < kProductOutputs; ++o) {
    const bool is_there = o < part.outputs;
    tile.scales[o] = is_there ? format::load_unaligned<float>(p.weight_scale, part.first_output + o) : 0.0F;
    if (p.bias != nullptr)
      tile.bias[o] = is_there ? format::load_as_float(p.bias, part.first_output + o, p.dtype) : 0.0F;
  }
}

HWY_INLINE void scale_sums(const contract::RotatedInt8Matmul& p, const ProductPart& part, ProductTile& tile) {
  for (std::int64_t t = 0; t < part.tokens; ++t) {
    const auto scale = hn::Set(Floats(), format::load_unaligned<float>(p.in_scale, part.first_token + t));
    for (std::int64_t o = 0; o < kProductOutputs; o += kLanes) {
      const auto sums = hn::ConvertTo(Floats(), hn::Load(Ints(), tile.sums + t * kProductOutputs + o));
      hn::Store(hn::Mul(hn::Mul(sums, scale), hn::Load(Floats(), tile.scales + o)), Floats(), tile.out[t] + o);
    }
  }
}

HWY_INLINE void add_lora(const contract::RotatedInt8Matmul& p, const ProductPart& part, ProductTile& tile) {
  for (std::int64_t first = 0; first < p.lora_rank; first += kProductLora) {
    const std::int64_t count = std::min(kProductLora, p.lora_rank - first);
    for (std::int64_t j = 0; j < count; ++j)
      for (std::int64_t o = 0; o < kProductOutputs; ++o)
        tile.lora[j][o] =
            o < part.outputs
                ? format::load_as_float(p.lora_weight, lora_index(p, part.first_output + o, first + j), p.dtype)
                : 0.0F;
    for (std::int64_t t = 0; t < part.tokens; ++t)
      for (std::int64_t j = 0; j < count; ++j) {
        const std::int64_t at = (part.first_token + t) * p.lora_rank + first + j;
        const auto in = hn::Set(Floats(), format::load_as_float(p.lora_in, at, p.dtype));
        for (std::int64_t o = 0; o < kProductOutputs; o += kLanes)
          hn::Store(mul_add(Floats(), in, hn::Load(Floats(), tile.lora[j] + o), hn::Load(Floats(), tile.out[t] + o)),
                    Floats(), tile.out[t] + o);
      }
  }
}

template <qfuse_dtype kDtype>
HWY_INLINE void write_part(const contract::RotatedInt8Matmul& p, const ProductPart& part, ProductTile& tile) {
  constexpr std::int64_t kSize = format::dtype_size(kDtype);
  for (std::int64_t t = 0; t < part.tokens; ++t) {
    if (p.bias != nullptr)
      for (std::int64_t o = 0; o < kProductOutputs; ++o) tile.out[t][o] = tile.out[t][o] + tile.bias[o];
    if (p.addend != nullptr)
      for (std::int64_t o = 0; o < part.outputs; ++o)
        tile.out[t][o] = tile.out[t][o] +
                         format::load_as_float(p.addend, (part.first_token + t) * p.n + part.first_output + o, p.dtype);
    auto* const out = static_cast<std::uint8_t*>(p.out) +
                      ((part.first_token + t) * contract::out_stride(p) + part.first_output) * kSize;
    std::int64_t o = 0;
    for (; o + kLanes <= part.outputs; o += kLanes)
      store_rounded<kDtype>(Floats(), hn::Load(Floats(), tile.out[t] + o), out + o * kSize);
    for (; o < part.outputs; ++o) format::store_rounded(out, o, kDtype, tile.out[t][o]);
  }
}

// Consecutive items have the same outputs, whose weights all items but the first read from a cache.
void rotated_int8_product_items(const contract::RotatedInt8Matmul& p, std::int64_t begin, std::int64_t end) {
  const std::int64_t parts = format::ceil_div(p.m, kProductTokens);
  ProductTile tile{};
  for (std::int64_t i = begin; i < end; ++i) {
    const std::int64_t first_token = i % parts * kProductTokens;
    const std::int64_t first_output = i / parts * kProductOutputs;
    const ProductPart part = {first_token, std::min(kProductTokens, p.m - first_token), first_output,
                              std::min(kProductOutputs, p.n - first_output)};
    load_scales_and_bias(p, part, tile);
    multiply_part(p, part, tile);
    scale_sums(p, part, tile);
    add_lora(p, part, tile);
    switch (p.dtype) {
      case QFUSE_FLOAT32: write_part<QFUSE_FLOAT32>(p, part, tile); break;
      case QFUSE_FLOAT16: write_part<QFUSE_FLOAT16>(p, part, tile); break;
      case QFUSE_BFLOAT16: write_part<QFUSE_BFLOAT16>(p, part, tile); break;
    }
  }
}

}  // namespace qfuse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace qfuse::cpu {
namespace {

HWY_EXPORT(rotated_int8_quantize_rows);
HWY_EXPORT(rotated_int8_scales_items);
HWY_EXPORT(rotated_int8_weight_items);
HWY_EXPORT(rotated_int8_product_items);
HWY_EXPORT(rotated_int8_swiglu_rows);

// Approximate number of elements per range: enough work to pay for the hand-over to a thread, few enough to balance.
constexpr std::int64_t kGrainElements = 1 << 16;

std::int64_t grain_of(std::int64_t elements_of_item) {
  return std::max<std::int64_t>(1, kGrainElements / elements_of_item);
}

}  // namespace

contract::Outcome rotated_int8_quantize(const contract::RotatedInt8Quantize& p, const qfuse_exec& exec) {
  return run(p, p.rows, grain_of(p.cols), exec, [&](std::size_t target, std::int64_t begin, std::int64_t end) {
    HWY_DISPATCH_TABLE(rotated_int8_quantize_rows)[target](p, begin, end);
  });
}

contract::Outcome rotated_int8_weight_scales(const contract::RotatedInt8WeightScales& p, const qfuse_exec& exec) {
  const std::int64_t outputs = p.direction == QFUSE_FORWARD ? 1 : kRotatedCols;
  return run(p, output_count(p) / outputs, grain_of(outputs * term_count(p)), exec,
             [&](std::size_t target, std::int64_t begin, std::int64_t end) {
               HWY_DISPATCH_TABLE(rotated_int8_scales_items)[target](p, begin, end);
             });
}

contract::Outcome rotated_int8_weight(const contract::RotatedInt8Weight& p, const qfuse_exec& exec) {
  const std::int64_t size =
      p.direction == QFUSE_FORWARD ? p.weight.cols : kRotatedCols * format::rotated_block(p.weight.rows);
  return run(p, contract::element_count(p.weight) / size, grain_of(size), exec,
             [&](std::size_t target, std::int64_t begin, std::int64_t end) {
               HWY_DISPATCH_TABLE(rotated_int8_weight_items)[target](p, begin, end);
             });
}

contract::Outcome rotated_int8_matmul(const contract::RotatedInt8Matmul& p, const qfuse_exec& exec) {
  const std::int64_t items = format::ceil_div(p.n, kProductOutputs) * format::ceil_div(p.m, kProductTokens);
  return run(p, items, 1, exec, [&](std::size_t target, std::int64_t begin, std::int64_t end) {
    HWY_DISPATCH_TABLE(rotated_int8_product_items)[target](p, begin, end);
  });
}

contract::Outcome rotated_int8_swiglu(const contract::RotatedInt8Swiglu& p, const qfuse_exec& exec) {
  return run(p, row_count(p), grain_of(p.h), exec, [&](std::size_t target, std::int64_t begin, std::int64_t end) {
    HWY_DISPATCH_TABLE(rotated_int8_swiglu_rows)[target](p, begin, end);
  });
}

}  // namespace qfuse::cpu

#endif  // HWY_ONCE
