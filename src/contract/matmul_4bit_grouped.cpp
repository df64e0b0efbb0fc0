#include "contract/matmul_4bit_grouped.h"

#include <fmt/format.h>

namespace qfuse::contract {
namespace {

// Pointer to element `count` of an array; null if the array is null.
const void* behind(const void* array, std::int64_t count, std::int64_t size) {
  return array == nullptr ? nullptr : static_cast<const std::uint8_t*>(array) + count * size;
}

qfuse_weight_4bit weight_of(const Matmul4bitGrouped& p, std::int64_t expert) {
  qfuse_weight_4bit w = p.weight;
  w.rows = rows_each(p);
  if (expert == 0) return w;
  const std::int64_t first_block = expert * blocks_each(p);
  w.packed += expert * format::packed_size(w.rows * w.cols);
  w.scales = behind(w.scales, first_block, format::scale_size(w.scale_type));
  if (p.nested_each != 0) skip_globals(w, expert);
  if (!is_nested(w)) {
    if (w.absmax != nullptr) w.absmax += first_block;
    return w;
  }
  w.absmax_8bit += first_block;
  if (p.nested_each != 0) {
    w.nested_absmax += expert * nested_blocks_each(p);
    w.nested_offset += expert;
  } else {
    w.nested_absmax += first_block / w.nested_blocksize;
    w.nested_begin = first_block % w.nested_blocksize;
  }
  return w;
}

Outcome check_stack(const Matmul4bitGrouped& p) {
  const qfuse_weight_4bit& w = p.weight;
  if (p.experts == 0 ? w.rows != 0 : w.rows % p.experts != 0)
    return invalid_argument(fmt::format("rows is {}, it must be a multiple of experts, {}", w.rows, p.experts));
  if (p.experts > 1 && rows_each(p) * w.cols % w.blocksize != 0)
    return invalid_argument(
        fmt::format("an expert has {} elements, which are not whole blocks of {}", rows_each(p) * w.cols, w.blocksize));
  if (p.nested_each != 0 && p.nested_each != 1)
    return invalid_argument(fmt::format("nested_each is {}, it must be 0 or 1", p.nested_each));
  if (w.nested_begin != 0)
    return invalid_argument(fmt::format("nested_begin is {}, it must be 0 of a stack", w.nested_begin));
  return {};
}

}  // namespace

Matmul4bit product(const Matmul4bitGrouped& p, std::int64_t expert, std::int64_t begin, std::int64_t end) {
  const std::int64_t size = format::dtype_size(p.dtype);
  Matmul4bit call{};
  call.weight = weight_of(p, expert);
  call.direction = p.direction;
  call.dtype = p.dtype;
  call.m = end - begin;
  call.in_stride = p.in_stride;
  call.out_stride = p.out_stride;
  call.sum = p.sum;
  call.lora_rank = p.lora_rank;
  const std::int64_t first_output = expert * output_count(call);
  call.in = behind(p.in, begin * in_stride(call), size);
  call.out = const_cast<void*>(behind(p.out, begin * out_stride(call), size));
  call.bias = behind(p.bias, first_output, size);
  call.lora_in = behind(p.lora_in, begin * p.lora_rank, size);
  call.lora_weight = behind(p.lora_weight, first_output * p.lora_rank, size);
  return call;
}

Outcome check_ranges(const Matmul4bitGrouped& p) {
  if (Outcome o = check_ranges_of_product(p.weight); !o.ok()) return o;
  if (Outcome o = check_ranges(expert_ends(p)); !o.ok()) return o;
  if (Outcome o = check_stack(p); !o.ok()) return o;
  const Matmul4bit any = any_product(p);
  if (Outcome o = check_ranges(any); !o.ok()) return o;
  const std::int64_t outputs = output_count(any);
  if (Outcome o = check_matrix("experts", p.experts, is_forward(any) ? "an expert's rows" : "cols", outputs); !o.ok())
    return o;
  return check_matrix("outputs of all experts", p.experts * outputs, "lora_rank", p.lora_rank);
}

}  // namespace qfuse::contract
