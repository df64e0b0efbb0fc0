// Calls the ops through the C interface with the library's internal parameters: for tests and benchmarks.
#ifndef QFUSE_CAPI_CALL_H
#define QFUSE_CAPI_CALL_H

#include <qfuse/qfuse.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "contract/ops.h"

namespace qfuse::capi {

// The parameters as a caller of the C interface passes them, with struct_size set. They may point into `p`.
template <class Params, class Op>
const Params& as_caller(Op& p) {
  Params& params = p;
  params.struct_size = sizeof params;
  if constexpr (requires { p.weight; }) {
    p.weight.struct_size = sizeof p.weight;
    params.weight = &p.weight;
  }
  if constexpr (requires { p.kept; }) params.kept = has_kept(p) ? &p.kept : nullptr;
  if constexpr (requires { p.target; }) {
    params.source = has_source(p) ? &p.source : nullptr;
    params.target = has_target(p) ? &p.target : nullptr;
  }
  return params;
}

// The parameters of several products as a caller passes them. They point into this object, so it cannot be copied.
struct Products {
  explicit Products(const contract::Matmul4bitMany& p) : weights(p.products.size()), params(p) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      weights[i] = p.products[i].weight;
      weights[i].struct_size = sizeof weights[i];
      products.emplace_back(p.products[i]).weight = &weights[i];
    }
    params.struct_size = sizeof params;
    params.count = static_cast<std::int64_t>(products.size());
    params.products = products.data();
  }
  Products(const Products&) = delete;
  Products& operator=(const Products&) = delete;

  std::vector<qfuse_weight_4bit> weights;
  std::vector<qfuse_matmul_4bit_product> products;
  qfuse_matmul_4bit_many_params params;
};

// Returns the C function of an op, which the argument's type selects.
constexpr auto c_function(const contract::Dequantize4bit& /*type*/) { return qfuse_dequantize_4bit; }
constexpr auto c_function(const contract::Quantize4bit& /*type*/) { return qfuse_quantize_4bit; }
constexpr auto c_function(const contract::QuantizeBlockwise& /*type*/) { return qfuse_quantize_blockwise; }
constexpr auto c_function(const contract::DequantizeBlockwise& /*type*/) { return qfuse_dequantize_blockwise; }
constexpr auto c_function(const contract::DequantizeInt8& /*type*/) { return qfuse_dequantize_int8; }
constexpr auto c_function(const contract::Swiglu& /*type*/) { return qfuse_swiglu; }
constexpr auto c_function(const contract::Matmul4bit& /*type*/) { return qfuse_matmul_4bit; }
constexpr auto c_function(const contract::Matmul4bitGrouped& /*type*/) { return qfuse_matmul_4bit_grouped; }
constexpr auto c_function(const contract::LoraMerge& /*type*/) { return qfuse_lora_merge; }
constexpr auto c_function(const contract::RotatedInt8Quantize& /*type*/) { return qfuse_rotated_int8_quantize; }
constexpr auto c_function(const contract::RotatedInt8WeightScales& /*type*/) {
  return qfuse_rotated_int8_weight_scales;
}
constexpr auto c_function(const contract::RotatedInt8Weight& /*type*/) { return qfuse_rotated_int8_weight; }
constexpr auto c_function(const contract::RotatedInt8Matmul& /*type*/) { return qfuse_rotated_int8_matmul; }
constexpr auto c_function(const contract::DequantizeFp8& /*type*/) { return qfuse_dequantize_fp8; }
constexpr auto c_function(const contract::RotatedInt8Swiglu& /*type*/) { return qfuse_rotated_int8_swiglu; }

template <class Params, class Op>
qfuse_status call_as(qfuse_status (*function)(const Params*, const qfuse_exec*, qfuse_error*), Op p,
                     const qfuse_exec* exec, qfuse_error* error) {
  return function(&as_caller<Params>(p), exec, error);
}

template <class Op>
requires requires(const Op& p) { c_function(p); }
qfuse_status call(const Op& p, const qfuse_exec* exec = nullptr, qfuse_error* error = nullptr) {
  return call_as(c_function(p), p, exec, error);
}

inline qfuse_status call(const contract::Matmul4bitMany& p, const qfuse_exec* exec = nullptr,
                         qfuse_error* error = nullptr) {
  Products products(p);
  return qfuse_matmul_4bit_many(&products.params, exec, error);
}

}  // namespace qfuse::capi

#endif  // QFUSE_CAPI_CALL_H
