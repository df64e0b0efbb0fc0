// Memory layout of swiglu's outputs and their scales: qfuse_scale_layout and qfuse_expert_layout.
#ifndef QFUSE_FORMAT_SWIGLU_LAYOUT_H
#define QFUSE_FORMAT_SWIGLU_LAYOUT_H

#include <qfuse/qfuse.h>

#include <cstdint>

#include "format/host_device.h"
#include "format/layout.h"

namespace qfuse::format {

// ---- scales ----

// Layout of the scales of an output, which are [rows, groups per row].
struct ScaleFormat {
  qfuse_scale_layout layout;
  bool are_ue8m0;
  int group_size;
};

// UE8M0 scales in MN-major layout: the bytes of four groups form a word.
constexpr std::int64_t kScalesOfWord = 4;

// Strides for scale_index(), in floats or in UE8M0 bytes.
struct ScaleStrides {
  std::int64_t row;
  std::int64_t group;   // per group, or per word of four groups if are_words
  std::int64_t groups;  // groups per row
  bool are_words;
};

QFUSE_HOST_DEVICE constexpr std::int64_t scale_index(const ScaleStrides& strides, std::int64_t row,
                                                     std::int64_t group) {
  if (!strides.are_words) return row * strides.row + group * strides.group;
  return row * strides.row + group / kScalesOfWord * strides.group + group % kScalesOfWord;
}

// Bytes after a scale, to the end of its word, that belong to no group.
QFUSE_HOST_DEVICE constexpr std::int64_t empty_scales_behind(const ScaleStrides& strides, std::int64_t group) {
  return strides.are_words && group == strides.groups - 1 ? kScalesOfWord - 1 - group % kScalesOfWord : 0;
}

// Rows of MN-major scales, padded so that 16-byte loads are aligned.
QFUSE_HOST_DEVICE constexpr std::int64_t mn_rows(std::int64_t rows) { return ceil_div(rows, std::int64_t{4}) * 4; }

QFUSE_HOST_DEVICE constexpr ScaleStrides scale_strides(const ScaleFormat& how, std::int64_t rows, std::int64_t groups) {
  if (how.layout == QFUSE_SCALES_ROW_MAJOR) return {groups, 1, groups, false};
  if (!how.are_ue8m0) return {1, mn_rows(rows), groups, false};
  return {kScalesOfWord, kScalesOfWord * mn_rows(rows), groups, true};
}

// Bytes of an output's scales.
constexpr std::int64_t scales_size(const ScaleFormat& how, std::int64_t rows, std::int64_t groups) {
  const std::int64_t all_rows = how.layout == QFUSE_SCALES_MN_MAJOR ? mn_rows(rows) : rows;
  if (!how.are_ue8m0) return all_rows * groups * static_cast<std::int64_t>(sizeof(float));
  return how.layout == QFUSE_SCALES_MN_MAJOR ? all_rows * ceil_div(groups, kScalesOfWord) * kScalesOfWord
                                             : all_rows * groups;
}

// ---- the transposed outputs: an expert's tokens are columns, padded to whole groups ----

QFUSE_HOST_DEVICE constexpr std::int64_t whole_groups(std::int64_t tokens) {
  return ceil_div(tokens, kGroupSize) * kGroupSize;
}

struct ColumnLayout {
  std::int64_t all_columns;
  bool are_apart;  // each expert has rows of its own, as long as its columns; else a row holds all experts' columns
  ScaleFormat scales;
};

// Where an expert's part of an output starts: element (row, column) is at first + row * stride + column, its scale at
// scale_index().
struct ColumnPlace {
  std::int64_t first;
  std::int64_t stride;
  std::int64_t first_group;
  std::int64_t first_scale;
  ScaleStrides scales;
};

// For an output of `rows` rows. before: columns of the experts before this one; columns: columns of this expert.
QFUSE_HOST_DEVICE constexpr ColumnPlace place_columns(const ColumnLayout& layout, std::int64_t rows,
                                                      std::int64_t before, std::int64_t columns) {
  const std::int64_t groups_before = before / layout.scales.group_size;
  if (layout.are_apart)
    return {rows * before, columns, 0, rows * groups_before,
            scale_strides(layout.scales, rows, ceil_div(columns, layout.scales.group_size))};
  return {before, layout.all_columns, groups_before, 0,
          scale_strides(layout.scales, rows, ceil_div(layout.all_columns, layout.scales.group_size))};
}

QFUSE_HOST_DEVICE constexpr std::int64_t scale_index(const ColumnPlace& place, std::int64_t row, std::int64_t group) {
  return place.first_scale + scale_index(place.scales, row, place.first_group + group);
}

// ---- tiles: 128 tokens of one expert, or of all tokens if there are no experts ----

struct TokenTile {
  std::int64_t token;    // first token, as a row of x
  std::int64_t count;    // number of tokens: 128, or fewer in the last tile; 0 beyond the last tile
  std::int64_t column;   // first column, within the expert's
  std::int64_t before;   // columns of all experts before this one
  std::int64_t columns;  // columns of the expert
};

// Tile `index` of the `rows` tokens that start at `first`.
QFUSE_HOST_DEVICE constexpr TokenTile tile_of(std::int64_t first, std::int64_t rows, std::int64_t index,
                                              std::int64_t before, std::int64_t columns) {
  const std::int64_t column = index * kGroupSize;
  const std::int64_t left = rows - column;
  return {first + column, left < kGroupSize ? left : kGroupSize, column, before, columns};
}

// Columns of a tile that are written: with experts whole groups, with zeros where there is no token.
QFUSE_HOST_DEVICE constexpr std::int64_t columns_of(const TokenTile& tile) {
  const std::int64_t left = tile.columns - tile.column;
  return left < kGroupSize ? left : kGroupSize;
}

}  // namespace qfuse::format

#endif  // QFUSE_FORMAT_SWIGLU_LAYOUT_H
