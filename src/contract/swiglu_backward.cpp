#include "contract/swiglu_backward.h"

#include <fmt/format.h>

namespace qfuse::contract {

Outcome check_ranges(const SwigluBackward& p) {
  if (Outcome o = check_count("m", p.m); !o.ok()) return o;
  if (Outcome o = check_count("h", p.h); !o.ok()) return o;
  if (p.group_size != format::kGroupSize)
    return invalid_argument(fmt::format("group_size is {}, it must be {}", p.group_size, format::kGroupSize));
  if (p.h % format::kGroupSize != 0)
    return invalid_argument(fmt::format("h is {}, it must be a multiple of group_size, {}", p.h, format::kGroupSize));
  if (Outcome o = check_rows("x_stride", p.x_stride, p.m, "2h", 2 * p.h); !o.ok()) return o;
  if (Outcome o = check_rows("grad_y_stride", p.grad_y_stride, p.m, "h", p.h); !o.ok()) return o;
  if (p.payload_type != QFUSE_INT8 && p.payload_type != QFUSE_E4M3)
    return invalid_argument(fmt::format("payload_type is {}, it must be QFUSE_INT8 ({}) or QFUSE_E4M3 ({})",
                                        static_cast<int>(p.payload_type), static_cast<int>(QFUSE_INT8),
                                        static_cast<int>(QFUSE_E4M3)));
  if (p.scale_layout != QFUSE_SCALES_ROW_MAJOR && p.scale_layout != QFUSE_SCALES_MN_MAJOR)
    return invalid_argument(
        fmt::format("scale_layout is {}, it must be QFUSE_SCALES_ROW_MAJOR ({}) or QFUSE_SCALES_MN_MAJOR ({})",
                    static_cast<int>(p.scale_layout), static_cast<int>(QFUSE_SCALES_ROW_MAJOR),
                    static_cast<int>(QFUSE_SCALES_MN_MAJOR)));
  if (!is_empty(p) && !wants_gradients(p) && !wants_y(p))
    return invalid_argument(
        "grad_input_q, grad_input_q_t and y_q_t are all NULL: at least one pair of outputs must be given");
  return {};
}

std::int64_t bytes(const SwigluBackward& p) {
  const std::int64_t x_gaps = strided_size(p.m, 2 * p.h, x_stride(p)) - strided_size(p.m, 2 * p.h, 2 * p.h);
  const std::int64_t grad_y_gaps =
      wants_gradients(p) ? strided_size(p.m, p.h, grad_y_stride(p)) - strided_size(p.m, p.h, p.h) : 0;
  return total_size(ArrayList(p)) - x_gaps - grad_y_gaps;
}

}  // namespace qfuse::contract
