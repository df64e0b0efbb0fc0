#include "contract/lora_merge.h"

#include <fmt/format.h>

namespace qfuse::contract {
namespace {

Outcome check_shape(const char* name, const Weight4bit auto& w, const LoraMerge& p) {
  if (w.rows == p.rows && w.cols == p.cols) return {};
  return invalid_argument(
      fmt::format("{} is [{}, {}], this op needs rows {} and cols {}", name, w.rows, w.cols, p.rows, p.cols));
}

Outcome check_target(const LoraMerge& p) {
  if (Outcome o = check_shape("target", p.target, p); !o.ok()) return o;
  if (Outcome o = keeps_absmax(p) ? check_kept("source", p.source, p.target) : check_ranges(p.target); !o.ok())
    return o;
  if (p.in_dtype != p.out_dtype)
    return invalid_argument(fmt::format("in_dtype is {} and out_dtype {}, with a target they must be one",
                                        static_cast<int>(p.in_dtype), static_cast<int>(p.out_dtype)));
  if (nests_absmax(target_step(p)) && p.target.nested_quant_map == nullptr)
    return invalid_argument("target has nested absmax and no nested_quant_map, with which `out` is decoded");
  return {};
}

}  // namespace

Outcome check_ranges(const LoraMerge& p) {
  if (Outcome o = check_matrix(p.rows, p.cols); !o.ok()) return o;
  if (Outcome o = check_matrix("rank", p.rank, "cols", p.cols); !o.ok()) return o;
  if (Outcome o = check_matrix("rows", p.rows, "rank", p.rank); !o.ok()) return o;
  if (Outcome o = check_dtype("in_dtype", p.in_dtype); !o.ok()) return o;
  if (Outcome o = check_dtype("out_dtype", p.out_dtype); !o.ok()) return o;
  if (p.keep_absmax != 0 && (p.keep_absmax != 1 || !has_source(p) || !has_target(p)))
    return invalid_argument(
        fmt::format("keep_absmax is {}, it must be 0, or 1 with a source and a target", p.keep_absmax));
  if (has_source(p)) {
    if (Outcome o = check_shape("source", p.source, p); !o.ok()) return o;
    if (Outcome o = check_ranges_of_encoded(p.source); !o.ok()) return o;
    if (p.in_dtype != p.out_dtype)
      return invalid_argument(fmt::format("in_dtype is {} and out_dtype {}, with a source they must be one",
                                          static_cast<int>(p.in_dtype), static_cast<int>(p.out_dtype)));
  }
  return has_target(p) ? check_target(p) : Outcome{};
}

}  // namespace qfuse::contract
