// The contract of matmul_4bit_many: products of matmul_4bit that share their input.
#ifndef QFUSE_CONTRACT_MATMUL_4BIT_MANY_H
#define QFUSE_CONTRACT_MATMUL_4BIT_MANY_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "contract/matmul_4bit.h"

namespace qfuse::contract {

struct Matmul4bitProduct : qfuse_matmul_4bit_product {
  qfuse_weight_4bit weight;  // by value: replaces the base struct's pointer
};

struct Matmul4bitMany : qfuse_matmul_4bit_many_params {
  static constexpr const char* kName = "matmul_4bit_many";
  std::vector<Matmul4bitProduct> products;  // by value: replaces the base struct's pointer
};

// One of the products as a matmul_4bit call of its own.
Matmul4bit single(const Matmul4bitMany& p, const Matmul4bitProduct& product);

bool is_empty(const Matmul4bitMany& p);

// Checks only count and the pointer, after which the products may be read.
Outcome check_count(const qfuse_matmul_4bit_many_params& params);
// Returns a product's outcome, with the product's index in the message.
Outcome of_product(std::size_t index, Outcome outcome);

Outcome check_ranges(const Matmul4bitMany& p);
// Replaces the check() that other ops share, because its messages would not name the product.
Outcome check(const Matmul4bitMany& p);
Outcome check_device(const Matmul4bitMany& p, const qfuse_device& device);

template <ParamsOf<Matmul4bitMany> P, class Visit>
void visit_arrays(P& p, Visit& visit) {
  const std::int64_t size = format::dtype_size(p.dtype);
  const Matmul4bit first = p.products.empty() ? Matmul4bit{} : single(p, p.products.front());
  visit("in", p.in, strided_count(p.m, is_empty(p) ? 0 : term_count(first), in_stride(first)) * size);
  for (auto& product : p.products) {
    const Matmul4bit call = single(p, product);
    const bool has_terms = !is_empty(call);
    if (has_terms) visit_arrays(product.weight, visit);
    visit("bias", product.bias, has_terms && product.bias != nullptr ? output_count(call) * size : 0);
    visit("lora_in", product.lora_in, has_terms ? p.m * product.lora_rank * size : 0);
    visit("lora_weight", product.lora_weight, has_terms ? output_count(call) * product.lora_rank * size : 0);
    visit("out", product.out, strided_count(p.m, output_count(call), out_stride(call)) * size);
  }
}

// For backends without a kernel for several products: runs one product after another.
template <Outcome (*kLaunch)(const Matmul4bit&, const qfuse_exec&)>
Outcome launch_each(const Matmul4bitMany& p, const qfuse_exec& exec) {
  for (const Matmul4bitProduct& product : p.products) {
    const Matmul4bit call = single(p, product);
    if (is_empty(call)) continue;
    if (Outcome o = kLaunch(call, exec); !o.ok()) return o;
  }
  return {};
}

}  // namespace qfuse::contract

#endif  // QFUSE_CONTRACT_MATMUL_4BIT_MANY_H
