#include "contract/matmul_4bit_many.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace qfuse::contract {
namespace {

// What all products share except cols: a call with an empty weight, in a block size that every sum accepts.
Matmul4bit shared(const Matmul4bitMany& p) {
  Matmul4bit call{};
  call.weight.blocksize = format::kMaxBlocksize;
  call.weight.quant_type = QFUSE_NF4;
  call.dtype = p.dtype;
  call.m = p.m;
  call.in = p.in;
  call.sum = p.sum;
  return call;
}

}  // namespace

Matmul4bit single(const Matmul4bitMany& p, const Matmul4bitProduct& product) {
  Matmul4bit call = shared(p);
  call.weight = product.weight;
  call.in_stride = p.in_stride;
  call.out = product.out;
  call.out_stride = product.out_stride;
  call.bias = product.bias;
  call.lora_rank = product.lora_rank;
  call.lora_in = product.lora_in;
  call.lora_weight = product.lora_weight;
  return call;
}

bool is_empty(const Matmul4bitMany& p) {
  return std::ranges::all_of(p.products,
                             [&](const Matmul4bitProduct& product) { return is_empty(single(p, product)); });
}

Outcome of_product(std::size_t index, Outcome outcome) {
  if (!outcome.ok()) outcome.message.insert(0, fmt::format("products[{}]: ", index));
  return outcome;
}

Outcome check_count(const qfuse_matmul_4bit_many_params& params) {
  if (Outcome o = check_count("count", params.count); !o.ok()) return o;
  if (params.count > 0 && params.products == nullptr)
    return invalid_argument(fmt::format("products is NULL, it must hold {}", params.count));
  return {};
}

Outcome check_ranges(const Matmul4bitMany& p) {
  if (Outcome o = check_ranges(shared(p)); !o.ok()) return o;
  for (std::size_t i = 0; i < p.products.size(); ++i) {
    const std::int64_t cols = p.products[i].weight.cols;
    const std::int64_t first = p.products.front().weight.cols;
    if (Outcome o = check_ranges(single(p, p.products[i])); !o.ok()) return of_product(i, std::move(o));
    if (cols != first)
      return of_product(i,
                        invalid_argument(fmt::format("cols is {}, it must be that of products[0], {}", cols, first)));
  }
  return {};
}

Outcome check(const Matmul4bitMany& p) {
  if (Outcome o = check_ranges(p); !o.ok()) return o;
  std::vector<ArrayList> arrays;
  for (std::size_t i = 0; i < p.products.size(); ++i)
    if (Outcome o = check_arrays(arrays.emplace_back(single(p, p.products[i]))); !o.ok())
      return of_product(i, std::move(o));
  for (std::size_t i = 0; i < arrays.size(); ++i)
    for (std::size_t j = 0; j < arrays.size(); ++j) {
      Outcome o = i == j ? Outcome{} : check_outputs_apart(arrays[i], arrays[j]);
      if (o.ok()) continue;
      o.message += fmt::format(" of products[{}]", j);
      return of_product(i, std::move(o));
    }
  return {};
}

Outcome check_device(const Matmul4bitMany& p, const qfuse_device& device) { return check_device(shared(p), device); }

}  // namespace qfuse::contract
