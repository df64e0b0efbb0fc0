// in:   x or dy: in [rows, cols] fp32, fp16 or bf16, strided rows; weight: 4-bit [rows, cols], scale [outputs] fp32;
//       product: in_q [m, k] and weight_q [n, k] i8, in_scale [m] and weight_scale [n] fp32, bias [n], lora_in
//       [m, lora_rank], lora_weight [n, lora_rank] or, backward, [lora_rank, n], addend [m, n]; SwiGLU: gate, up and
//       grad_y [m, h] bf16, strided rows
// out:  q [rows, cols] or [outputs, terms] i8, scale [rows] or [outputs] fp32; out [m, n], strided rows; SwiGLU: q and
//       bf16 out [m, h], or [2, m, h] of d_gate and d_up
// math: v = values, rotated in blocks by sums and differences at distances 1, 2, 4 and so on;
//       scale = (max(max |v|, 2^-100) * 1/127) * root; q = nearest(v * (root / scale));
//       out = round(chain of fma of LoRA's terms from (sum * in_scale) * weight_scale, + bias, + addend)
//       SwiGLU: y, or d_gate and d_up, as in qfuse_swiglu, to bf16; then q and scale
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "format/elements.h"
#include "format/exponential.h"
#include "format/rotated_int8.h"
#include "format/rounding.h"
#include "reference/reference.h"
#include "reference/weight_4bit.h"

namespace qfuse::reference {
namespace {

// The terms (along K) of one sum, in fp32.
using Row = std::vector<float>;

float root_of(const Row& row) { return format::rotated_root(format::rotated_block(std::ssize(row))); }

void rotate(Row& row) {
  const auto block = static_cast<std::size_t>(format::rotated_block(std::ssize(row)));
  for (std::size_t distance = 1; distance < block; distance *= 2)
    for (std::size_t i = 0; i < row.size(); ++i) {
      if ((i & distance) != 0) continue;
      const float x = row[i];
      const float y = row[i + distance];
      row[i] = x + y;
      row[i + distance] = x - y;
    }
}

float scale_of(const Row& row) {
  std::uint32_t largest = 0;
  for (const float v : row) largest = std::max(largest, format::bits_of(v) & ~format::kSignBit);
  return format::rotated_scale(largest, root_of(row));
}

std::int8_t nearest(float v, float factor) {
  if (factor == 0.0F) return 0;
  return static_cast<std::int8_t>(format::bits_of(format::canonical(std::fma(v, factor, format::kNearestMagic))));
}

void quantize(const Row& row, float scale, std::int8_t* q) {
  const float factor = format::rotated_factor(scale, root_of(row));
  for (const float v : row) *q++ = nearest(v, factor);
}

// Stores the scale and the quantized values of row r of an array.
void rotate_and_quantize(Row row, float* scales, std::int8_t* q, std::int64_t r) {
  rotate(row);
  const float scale = scale_of(row);
  format::store_unaligned(scales, r, scale);
  quantize(row, scale, q + r * std::ssize(row));
}

// The rotated terms of output o of a weight.
Row terms_of(const contract::RotatedWeight auto& p, std::int64_t o) {
  Row row;
  for (std::int64_t t = 0; t < term_count(p); ++t)
    row.push_back(
        decode_element(p.weight, p.direction == QFUSE_FORWARD ? o * p.weight.cols + t : t * p.weight.cols + o));
  rotate(row);
  return row;
}

// Computes y, d_gate or d_up of one channel of a SwiGLU block, in fp32.
enum class Made { y, d_gate, d_up };
float made_of(Made made, float g, float u, float dy, float sigmoid) {
  const float silu = g * sigmoid;
  if (made == Made::y) return silu * u;
  if (made == Made::d_up) return dy * silu;
  return ((dy * u) * sigmoid) * (1.0F + g * (1.0F - sigmoid));
}

// Token i's row of y, d_gate or d_up, rounded to bf16; also written to row r of p.out if that is not null.
Row swiglu_row(const contract::RotatedInt8Swiglu& p, Exponential exponential, Made made, std::int64_t i,
               std::int64_t r) {
  const auto at = [](const void* array, std::int64_t index) {
    return format::load_as_float(array, index, QFUSE_BFLOAT16);
  };
  Row row;
  for (std::int64_t c = 0; c < p.h; ++c) {
    const float g = at(p.gate, i * gate_stride(p) + c);
    const float u = at(p.up, i * up_stride(p) + c);
    const float dy = made == Made::y ? 0.0F : at(p.grad_y, i * grad_y_stride(p) + c);
    const std::uint16_t rounded = format::to_bfloat16(made_of(made, g, u, dy, 1.0F / (1.0F + exponential(-g))));
    if (p.out != nullptr) format::store_unaligned(p.out, r * p.h + c, rounded);
    row.push_back(format::from_bfloat16(rounded));
  }
  return row;
}

// Dot product modulo 2^32.
std::int32_t dot(const std::int8_t* a, const std::int8_t* b, std::int64_t count) {
  std::uint32_t sum = 0;
  for (std::int64_t t = 0; t < count; ++t) sum += static_cast<std::uint32_t>(a[t] * b[t]);
  return static_cast<std::int32_t>(sum);
}

}  // namespace

void rotated_int8_quantize(const contract::RotatedInt8Quantize& p) {
  for (std::int64_t r = 0; r < p.rows; ++r) {
    Row row;
    for (std::int64_t c = 0; c < p.cols; ++c)
      row.push_back(format::load_as_float(p.in, r * in_stride(p) + c, p.in_dtype));
    rotate_and_quantize(row, p.scale, p.q, r);
  }
}

void rotated_int8_weight_scales(const contract::RotatedInt8WeightScales& p) {
  for (std::int64_t o = 0; o < output_count(p); ++o) format::store_unaligned(p.scale, o, scale_of(terms_of(p, o)));
}

void rotated_int8_weight(const contract::RotatedInt8Weight& p) {
  for (std::int64_t o = 0; o < output_count(p); ++o)
    quantize(terms_of(p, o), format::load_unaligned<float>(p.scale, o), p.q + o * term_count(p));
}

void rotated_int8_matmul(const contract::RotatedInt8Matmul& p) {
  for (std::int64_t i = 0; i < p.m; ++i)
    for (std::int64_t o = 0; o < p.n; ++o) {
      const auto sum = static_cast<float>(dot(p.in_q + i * p.k, p.weight_q + o * p.k, p.k));
      float y = sum * format::load_unaligned<float>(p.in_scale, i) * format::load_unaligned<float>(p.weight_scale, o);
      for (std::int64_t j = 0; j < p.lora_rank; ++j)
        y = std::fma(format::load_as_float(p.lora_in, i * p.lora_rank + j, p.dtype),
                     format::load_as_float(p.lora_weight, lora_index(p, o, j), p.dtype), y);
      if (p.bias != nullptr) y = y + format::load_as_float(p.bias, o, p.dtype);
      if (p.addend != nullptr) y = y + format::load_as_float(p.addend, i * p.n + o, p.dtype);
      format::store_rounded(p.out, i * out_stride(p) + o, p.dtype, y);
    }
}

void rotated_int8_swiglu(const contract::RotatedInt8Swiglu& p) { rotated_int8_swiglu_with(format::exponential, p); }

void rotated_int8_swiglu_with(Exponential exponential, const contract::RotatedInt8Swiglu& p) {
  for (std::int64_t r = 0; r < row_count(p); ++r) {
    const Made made = !is_backward(p) ? Made::y : r < p.m ? Made::d_gate : Made::d_up;
    rotate_and_quantize(swiglu_row(p, exponential, made, r % p.m, r), p.scale, p.q, r);
  }
}

}  // namespace qfuse::reference
