#include "contract/weight_4bit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <type_traits>

#include "contract/ranges.h"

namespace qfuse::contract {
namespace {

// Formats that an op takes: those with blocks of the flattened tensor (bitsandbytes'), all, or those that it can write.
enum class Takes { flat_blocks, all, written };

bool is_taken(const format::Format4& format, Takes takes) {
  if (format.scales == format::ScalesOf::flat_blocks) return true;
  return takes == Takes::all || (takes == Takes::written && format.quant_type == QFUSE_E2M1);
}

std::string list_of(Takes takes) {
  std::string list;
  std::string last;
  for (const format::Format4& format : format::kFormats4) {
    if (!is_taken(format, takes)) continue;
    if (!last.empty()) list += (list.empty() ? "" : ", ") + last;
    last = fmt::format("{} ({})", format.name, static_cast<int>(format.quant_type));
  }
  return list + " or " + last;
}

Outcome check_quant_type(qfuse_quant_type quant_type, Takes takes) {
  const format::Format4* const format = format::find_format4(quant_type);
  if (format == nullptr)
    return invalid_argument(
        fmt::format("quant_type is {}, it must be {}", static_cast<int>(quant_type), list_of(takes)));
  if (!is_taken(*format, takes))
    return unsupported(fmt::format("quant_type is {} ({}), which this op does not {}", format->name,
                                   static_cast<int>(quant_type),
                                   takes == Takes::written ? "encode: it can be " + list_of(takes)
                                                           : "take: decode the weight by qfuse_dequantize_4bit first"));
  return {};
}

Outcome check_absmax(const Weight4bit auto& w) {
  if (w.absmax != nullptr && is_nested(w))
    return invalid_argument("absmax and absmax_8bit are both given: a weight is either plain or nested");
  if (w.absmax == nullptr && !is_nested(w) && element_count(w) > 0)
    return invalid_argument("absmax and absmax_8bit are both NULL: one of them must hold the scales");
  return is_nested(w) ? check_power_of_two("nested_blocksize", w.nested_blocksize) : Outcome{};
}

Outcome refuse(const char* field, const format::Format4& format, const char* why) {
  return invalid_argument(fmt::format("{} is given, but quant_type is {} ({}), {}", field, format.name,
                                      static_cast<int>(format.quant_type), why));
}

Outcome check_no_scales_of_rows(const qfuse_weight_4bit& w) {
  const format::Format4& format = format::format4(w.quant_type);
  constexpr const char* kWhy = "which has absmax alone";
  if (w.scale_type != QFUSE_SCALES_FLOAT32) return refuse("scale_type", format, kWhy);
  if (w.scales != nullptr) return refuse("scales", format, kWhy);
  if (w.global_scale != nullptr) return refuse("global_scale", format, kWhy);
  if (w.global_divisor != nullptr) return refuse("global_divisor", format, kWhy);
  if (w.zero_points != nullptr) return refuse("zero_points", format, kWhy);
  return {};
}

Outcome check_block_of_row(const qfuse_weight_4bit& w) {
  if (w.blocksize > 0 && (w.blocksize % format::kRowBlocksize == 0 || w.blocksize >= w.cols)) return {};
  return invalid_argument(fmt::format("blocksize is {}, it must be a multiple of {}, or cols ({}) or more", w.blocksize,
                                      format::kRowBlocksize, w.cols));
}

Outcome check_scales_of_rows(const qfuse_weight_4bit& w) {
  const format::Format4& format = format::format4(w.quant_type);
  constexpr const char* kWhy = "whose scales are `scales`";
  if (Outcome o = check_block_of_row(w); !o.ok()) return o;
  if (w.absmax != nullptr) return refuse("absmax", format, kWhy);
  if (w.absmax_8bit != nullptr) return refuse("absmax_8bit", format, kWhy);
  if (Outcome o = check_enumerator("scale_type", w.scale_type,
                                   {"QFUSE_SCALES_FLOAT32", "QFUSE_SCALES_UE8M0", "QFUSE_SCALES_FLOAT16",
                                    "QFUSE_SCALES_BFLOAT16", "QFUSE_SCALES_E4M3"});
      !o.ok())
    return o;
  if (w.global_scale != nullptr && w.global_divisor != nullptr)
    return invalid_argument("global_scale and global_divisor are both given: one of them at most scales a weight");
  if (w.zero_points != nullptr && !format.takes_zero_points)
    return refuse("zero_points", format, "whose codes are signed");
  return {};
}

// Row scales that products take. In each, blocks are powers of two, and rows have whole blocks.
struct ScalesOfProduct {
  qfuse_quant_type quant_type;
  qfuse_scale_type scale_type;
  std::int64_t least_block;
  std::int64_t most_block;
  bool takes_global;
};
constexpr std::array kScalesOfProducts = {
    ScalesOfProduct{QFUSE_E2M1, QFUSE_SCALES_UE8M0, format::kMinBlocksize, format::kMinBlocksize, false},
    ScalesOfProduct{QFUSE_E2M1, QFUSE_SCALES_E4M3, format::kRowBlocksize, format::kRowBlocksize, true},
    ScalesOfProduct{QFUSE_INT4, QFUSE_SCALES_FLOAT32, format::kMinBlocksize, format::kMaxBlocksize, false},
    ScalesOfProduct{QFUSE_INT4, QFUSE_SCALES_FLOAT16, format::kMinBlocksize, format::kMaxBlocksize, false},
    ScalesOfProduct{QFUSE_INT4, QFUSE_SCALES_BFLOAT16, format::kMinBlocksize, format::kMaxBlocksize, false}};

std::string block_sizes(const ScalesOfProduct& scales) {
  if (scales.least_block == scales.most_block) return fmt::format("{}", scales.least_block);
  return fmt::format("a power of two from {} to {}", scales.least_block, scales.most_block);
}

// Checks what products need beyond check_scales_of_rows().
Outcome check_scales_of_product(const qfuse_weight_4bit& w) {
  const auto refused = [&](const auto& what) {
    return unsupported(fmt::format("{} in products with {} ({}): decode the weight by qfuse_dequantize_4bit first",
                                   what, format::format4(w.quant_type).name, static_cast<int>(w.quant_type)));
  };
  const auto* const scales = std::ranges::find_if(kScalesOfProducts, [&](const ScalesOfProduct& row) {
    return row.quant_type == w.quant_type && row.scale_type == w.scale_type;
  });
  if (scales == kScalesOfProducts.end())
    return refused(
        fmt::format("scale_type is {}, it must be {}", static_cast<int>(w.scale_type),
                    w.quant_type == QFUSE_E2M1
                        ? "QFUSE_SCALES_UE8M0 (1) or QFUSE_SCALES_E4M3 (4)"
                        : "QFUSE_SCALES_FLOAT32 (0), QFUSE_SCALES_FLOAT16 (2) or QFUSE_SCALES_BFLOAT16 (3)"));
  if (w.blocksize < scales->least_block || w.blocksize > scales->most_block ||
      !std::has_single_bit(static_cast<std::uint64_t>(w.blocksize)))
    return refused(fmt::format("blocksize is {}, it must be {}", w.blocksize, block_sizes(*scales)));
  if (w.cols % w.blocksize != 0)
    return refused(fmt::format("cols is {}, it must be a multiple of {}", w.cols, w.blocksize));
  if (!scales->takes_global && (w.global_scale != nullptr || w.global_divisor != nullptr))
    return refused(
        fmt::format("{} is given, it must be NULL", w.global_scale != nullptr ? "global_scale" : "global_divisor"));
  if (w.zero_points != nullptr) return refused("zero_points is given, it must be NULL");
  return {};
}

Outcome check_nested_begin(const qfuse_weight_4bit& w) {
  const std::int64_t end = is_nested(w) ? w.nested_blocksize : 1;
  if (w.nested_begin < 0 || w.nested_begin >= end)
    return invalid_argument(fmt::format("nested_begin is {}, it must be 0 to {}", w.nested_begin, end - 1));
  return {};
}

Outcome check_flat_blocks(const Weight4bit auto& w) {
  if (Outcome o = check_matrix(w.rows, w.cols); !o.ok()) return o;
  constexpr bool kIsRead = std::is_same_v<std::remove_cvref_t<decltype(w)>, qfuse_weight_4bit>;
  if (Outcome o = check_quant_type(w.quant_type, kIsRead ? Takes::flat_blocks : Takes::written); !o.ok()) return o;
  if (Outcome o = check_blocksize(w.blocksize); !o.ok()) return o;
  return check_absmax(w);
}

// Checks a weight that is written, except its arrays.
Outcome check_form(const qfuse_weight_4bit_out& w) {
  if (Outcome o = check_matrix(w.rows, w.cols); !o.ok()) return o;
  if (w.quant_type != QFUSE_E2M1) {
    if (Outcome o = check_quant_type(w.quant_type, Takes::written); !o.ok()) return o;
    return check_blocksize(w.blocksize);
  }
  if (w.blocksize != format::kMinBlocksize || w.cols % w.blocksize != 0)
    return unsupported(fmt::format("blocksize is {} and cols {}, MXFP4 has whole blocks of {}", w.blocksize, w.cols,
                                   format::kMinBlocksize));
  if (w.absmax != nullptr || is_nested(w))
    return invalid_argument(
        "absmax or absmax_8bit is given, but quant_type is QFUSE_E2M1 (3), whose scales are `scales`");
  return check_enumerator("mx_scales", w.mx_scales, {"QFUSE_MX_UP", "QFUSE_MX_NEAREST"});
}

}  // namespace

Outcome check_blocksize(std::int64_t blocksize) {
  if (blocksize < format::kMinBlocksize || blocksize > format::kMaxBlocksize ||
      !std::has_single_bit(static_cast<std::uint64_t>(blocksize)))
    return invalid_argument(fmt::format("blocksize is {}, it must be a power of two from {} to {}", blocksize,
                                        format::kMinBlocksize, format::kMaxBlocksize));
  return {};
}

Outcome check_ranges(const qfuse_weight_4bit& w) {
  if (Outcome o = check_flat_blocks(w); !o.ok()) return o;
  if (Outcome o = check_no_scales_of_rows(w); !o.ok()) return o;
  return check_nested_begin(w);
}

Outcome check_ranges_of_any(const qfuse_weight_4bit& w) {
  if (Outcome o = check_matrix(w.rows, w.cols); !o.ok()) return o;
  if (Outcome o = check_quant_type(w.quant_type, Takes::all); !o.ok()) return o;
  return has_scales_of_rows(w) ? check_scales_of_rows(w) : check_ranges(w);
}

Outcome check_ranges_of_product(const qfuse_weight_4bit& w) {
  if (Outcome o = check_matrix(w.rows, w.cols); !o.ok()) return o;
  if (Outcome o = check_quant_type(w.quant_type, Takes::all); !o.ok()) return o;
  if (!has_scales_of_rows(w)) return check_ranges(w);
  if (Outcome o = check_scales_of_rows(w); !o.ok()) return o;
  if (Outcome o = check_scales_of_product(w); !o.ok()) return o;
  return check_no_begin(w);
}

Outcome check_no_begin(const qfuse_weight_4bit& w) {
  if (w.nested_begin == 0) return {};
  return invalid_argument(fmt::format("nested_begin is {}, it must be 0 here", w.nested_begin));
}

Outcome check_ranges(const qfuse_weight_4bit_out& w) {
  return w.quant_type == QFUSE_E2M1 ? check_form(w) : check_flat_blocks(w);
}

Outcome check_ranges_of_encoded(const qfuse_weight_4bit& w) {
  if (w.quant_type != QFUSE_E2M1) {
    if (Outcome o = check_ranges(w); !o.ok()) return o;
    return check_no_begin(w);
  }
  if (Outcome o = check_ranges_of_product(w); !o.ok() || w.scale_type == QFUSE_SCALES_UE8M0) return o;
  return unsupported("scale_type is QFUSE_SCALES_E4M3 (4), of what is encoded it must be QFUSE_SCALES_UE8M0 (1)");
}

Outcome check_kept(const char* name, const qfuse_weight_4bit& kept, const qfuse_weight_4bit_out& w) {
  if (Outcome o = check_form(w); !o.ok()) return o;
  if (Outcome o = check_ranges_of_encoded(kept); !o.ok()) return o;
  if (kept.rows == w.rows && kept.cols == w.cols && kept.quant_type == w.quant_type && kept.blocksize == w.blocksize)
    return {};
  const auto form = [](const auto& of) {
    return fmt::format("[{}, {}] of quant_type {} in blocks of {}", of.rows, of.cols, static_cast<int>(of.quant_type),
                       of.blocksize);
  };
  return invalid_argument(fmt::format("{}, whose absmax are kept, is {}, and what is encoded {}: these must be equal",
                                      name, form(kept), form(w)));
}

}  // namespace qfuse::contract
