#include "contract/weight_4bit.h"

#include <fmt/format.h>

#include <bit>

#include "contract/ranges.h"

namespace qfuse::contract {
namespace {

Outcome check_quant_type(qfuse_quant_type quant_type) {
  if (quant_type != QFUSE_NF4 && quant_type != QFUSE_FP4)
    return invalid_argument(fmt::format("quant_type is {}, it must be QFUSE_FP4 ({}) or QFUSE_NF4 ({})",
                                        static_cast<int>(quant_type), static_cast<int>(QFUSE_FP4),
                                        static_cast<int>(QFUSE_NF4)));
  return {};
}

Outcome check_weight(const Weight4bit auto& w) {
  if (Outcome o = check_matrix(w.rows, w.cols); !o.ok()) return o;
  if (Outcome o = check_blocksize(w.blocksize); !o.ok()) return o;
  if (Outcome o = check_quant_type(w.quant_type); !o.ok()) return o;
  if (w.absmax != nullptr && is_nested(w))
    return invalid_argument("absmax and absmax_8bit are both given: a weight is either plain or nested");
  if (w.absmax == nullptr && !is_nested(w) && element_count(w) > 0)
    return invalid_argument("absmax and absmax_8bit are both NULL: one of them must hold the scales");
  return is_nested(w) ? check_power_of_two("nested_blocksize", w.nested_blocksize) : Outcome{};
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
  if (Outcome o = check_weight(w); !o.ok()) return o;
  const std::int64_t end = is_nested(w) ? w.nested_blocksize : 1;
  if (w.nested_begin < 0 || w.nested_begin >= end)
    return invalid_argument(fmt::format("nested_begin is {}, it must be 0 to {}", w.nested_begin, end - 1));
  return {};
}

Outcome check_no_begin(const qfuse_weight_4bit& w) {
  if (w.nested_begin == 0) return {};
  return invalid_argument(fmt::format("nested_begin is {}, it must be 0 here", w.nested_begin));
}
Outcome check_ranges(const qfuse_weight_4bit_out& w) { return check_weight(w); }

}  // namespace qfuse::contract
