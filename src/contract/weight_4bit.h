// Checks of a 4-bit weight that an op reads or writes, and the only list of its arrays.
#ifndef QFUSE_CONTRACT_WEIGHT_4BIT_H
#define QFUSE_CONTRACT_WEIGHT_4BIT_H

#include <qfuse/qfuse.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "contract/arrays.h"
#include "contract/outcome.h"
#include "format/codebook4.h"
#include "format/elements.h"
#include "format/layout.h"
#include "format/row_absmax.h"

namespace qfuse::contract {

// Weights that are read and weights that are written have the same fields, except for const.
template <class W>
concept Weight4bit = ParamsOf<W, qfuse_weight_4bit> || ParamsOf<W, qfuse_weight_4bit_out>;

std::int64_t element_count(const Weight4bit auto& w) { return w.rows * w.cols; }
std::int64_t block_count(const Weight4bit auto& w) { return format::block_count(element_count(w), w.blocksize); }
bool is_nested(const Weight4bit auto& w) { return w.absmax_8bit != nullptr; }
inline std::int64_t nested_begin(const qfuse_weight_4bit& w) { return w.nested_begin; }
inline std::int64_t nested_begin(const qfuse_weight_4bit_out& /*has none*/) { return 0; }
std::int64_t nested_block_count(const Weight4bit auto& w) {
  return is_nested(w) ? format::block_count(nested_begin(w) + block_count(w), w.nested_blocksize) : 0;
}

// Whether each row starts a new byte and a new block, and each block has one of `scales`: E2M1 and INT4.
// MXFP4 alone of these is written.
bool has_scales_of_rows(const Weight4bit auto& w) {
  return format::format4(w.quant_type).scales == format::ScalesOf::rows;
}

// What multiplies or divides all scales of a weight; null if nothing does.
struct Global {
  const float* value;
  bool divides;
};
inline Global global_of(const qfuse_weight_4bit& w) {
  return w.global_divisor != nullptr ? Global{w.global_divisor, true} : Global{w.global_scale, false};
}
inline bool has_global(const qfuse_weight_4bit& w) { return global_of(w).value != nullptr; }
// Goes on to the global scale of a later expert of a stack.
inline void skip_globals(qfuse_weight_4bit& w, std::int64_t experts) {
  if (w.global_scale != nullptr) w.global_scale += experts;
  if (w.global_divisor != nullptr) w.global_divisor += experts;
}
// Whether the blocks' scales have scales themselves: nested absmax, or a global one.
inline bool has_outer_scales(const qfuse_weight_4bit& w) {
  return has_scales_of_rows(w) ? has_global(w) : is_nested(w);
}
// Bytes and blocks per row of a weight with scales of rows.
inline std::int64_t bytes_a_row(const qfuse_weight_4bit& w) { return format::packed_size(w.cols); }
inline std::int64_t blocks_a_row(const qfuse_weight_4bit& w) { return format::block_count(w.cols, w.blocksize); }

// The nested offset of a nested weight in host memory.
inline float nested_offset(const qfuse_weight_4bit& w) { return format::load_unaligned<float>(w.nested_offset, 0); }

Outcome check_blocksize(std::int64_t blocksize);
// Includes nested_begin of a nested weight. Refuses weights with row scales.
Outcome check_ranges(const qfuse_weight_4bit& w);
// For the op that decodes all formats.
Outcome check_ranges_of_any(const qfuse_weight_4bit& w);
// For products, which take MXFP4, NVFP4, and INT4 without zero points.
Outcome check_ranges_of_product(const qfuse_weight_4bit& w);
// For ops that do not take a part of a nested weight.
Outcome check_no_begin(const qfuse_weight_4bit& w);
Outcome check_ranges(const qfuse_weight_4bit_out& w);
// For a weight in bitsandbytes' formats or MXFP4.
Outcome check_ranges_of_encoded(const qfuse_weight_4bit& w);
// For a weight whose absmax or scales `w` is to keep.
Outcome check_kept(const char* name, const qfuse_weight_4bit& kept, const qfuse_weight_4bit_out& w);

// A checked weight of a product as kernels read it, with absmax. Row scales of one byte become nested absmax with
// `arrays`, all in one nested block; wider ones are plain absmax, of scale_type. A divisor stays, for the map's values.
// The values of codes and the order of nibbles still follow from quant_type.
inline qfuse_weight_4bit with_absmax(qfuse_weight_4bit w, const format::RowAbsmax& arrays) {
  if (!has_scales_of_rows(w)) return w;
  if (w.quant_type == QFUSE_INT4) {
    w.absmax = static_cast<const float*>(w.scales);
    return w;
  }
  const auto blocks = static_cast<std::uint64_t>(block_count(w));
  w.absmax_8bit = static_cast<const std::uint8_t*>(w.scales);
  w.nested_absmax = w.global_scale != nullptr ? w.global_scale : &arrays.absmax;
  w.nested_quant_map = w.scale_type == QFUSE_SCALES_UE8M0 ? arrays.ue8m0 : arrays.e4m3;
  w.nested_offset = &arrays.offset;
  w.nested_blocksize = std::max(format::kNestedBlocksize, static_cast<std::int64_t>(std::bit_ceil(blocks)));
  return w;
}

template <ParamsOf<qfuse_weight_4bit> W, class Visit>
void visit_scales_of_rows(W& w, Visit& visit) {
  constexpr std::int64_t kFloat = sizeof(float);
  const std::int64_t blocks = w.rows * blocks_a_row(w);
  const std::int64_t global = blocks > 0 ? kFloat : 0;
  visit("scales", w.scales, blocks * format::scale_size(w.scale_type));
  visit("global_scale", w.global_scale, w.global_scale != nullptr ? global : 0);
  visit("global_divisor", w.global_divisor, w.global_divisor != nullptr ? global : 0);
  visit("zero_points", w.zero_points, w.zero_points != nullptr ? blocks : 0);
}
template <ParamsOf<qfuse_weight_4bit_out> W, class Visit>
void visit_scales_of_rows(W& w, Visit& visit) {
  visit("scales", w.scales, w.rows * (w.cols / w.blocksize));
}

template <Weight4bit W, class Visit>
void visit_packed(W& w, Visit& visit) {
  visit("packed", w.packed,
        has_scales_of_rows(w) ? w.rows * format::packed_size(w.cols) : format::packed_size(element_count(w)));
}

template <Weight4bit W, class Visit>
void visit_absmax(W& w, Visit& visit) {
  if (has_scales_of_rows(w)) return visit_scales_of_rows(w, visit);
  constexpr std::int64_t kFloat = sizeof(float);
  constexpr bool kReads = ParamsOf<W, qfuse_weight_4bit>;
  const std::int64_t blocks = block_count(w);
  const bool nested = is_nested(w) && blocks > 0;
  const std::int64_t map = nested && (kReads || w.nested_quant_map != nullptr) ? format::kCodes8 * kFloat : 0;
  visit("absmax", w.absmax, is_nested(w) ? 0 : blocks * kFloat);
  visit("absmax_8bit", w.absmax_8bit, nested ? blocks : 0);
  visit("nested_absmax", w.nested_absmax, nested_block_count(w) * kFloat);
  visit("nested_quant_map", w.nested_quant_map, map);
  visit("nested_offset", w.nested_offset, nested ? kFloat : 0);
}

template <Weight4bit W, class Visit>
void visit_arrays(W& w, Visit& visit) {
  visit_packed(w, visit);
  visit_absmax(w, visit);
}

}  // namespace qfuse::contract

#endif  // QFUSE_CONTRACT_WEIGHT_4BIT_H
