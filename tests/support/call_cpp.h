// Calls an op through the C++ wrapper, with the same parameters that call() of support/run.h passes to the C interface.
#ifndef QFUSE_TESTS_SUPPORT_CALL_CPP_H
#define QFUSE_TESTS_SUPPORT_CALL_CPP_H

#include <qfuse/qfuse.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <qfuse/qfuse.hpp>
#include <span>
#include <string>
#include <vector>

#include "contract/ops.h"

namespace qfuse::tests {

// A call's arrays by name. A missing array is an empty span.
class Spans {
 public:
  template <class Op>
  explicit Spans(Op& p) {
    visit_arrays(p, *this);
  }

  template <class T>
  void operator()(const char* name, T*& array, std::int64_t size) {
    if (array != nullptr) arrays_[name] = {array, static_cast<std::size_t>(size)};
  }
  void operator()(const char* name, void*& array, std::int64_t size, contract::Workspace /*marks it*/) {
    (*this)(name, array, size);
  }

  // Drops an array's last byte, so that the array lacks one entry.
  void shorten(const std::string& name) { --arrays_.at(name).size; }

  template <class T = std::byte>
  [[nodiscard]] std::span<T> of(const char* name) const {
    const auto found = arrays_.find(name);
    if (found == arrays_.end()) return {};
    return {static_cast<T*>(const_cast<void*>(found->second.data)), found->second.size / sizeof(T)};
  }

 private:
  struct Array {
    const void* data;
    std::size_t size;  // bytes
  };
  std::map<std::string, Array> arrays_;
};

namespace detail {

template <class View, class W>
View view_of(const W& w, const Spans& arrays) {
  using Byte = typename decltype(View::packed)::element_type;  // const for inputs
  using Float = typename decltype(View::absmax)::element_type;
  return {w.rows,
          w.cols,
          w.blocksize,
          static_cast<QuantType>(w.quant_type),
          arrays.of<Byte>("packed"),
          arrays.of<Float>("absmax"),
          arrays.of<Byte>("absmax_8bit"),
          arrays.of<Float>("nested_absmax"),
          arrays.of<Float>("nested_quant_map"),
          w.nested_offset,
          w.nested_blocksize};
}

inline Weight4bit weight_of(const qfuse_weight_4bit& w, const Spans& arrays) {
  auto view = view_of<Weight4bit>(w, arrays);
  view.scale_type = static_cast<ScaleType>(w.scale_type);
  view.scales = arrays.of<const std::byte>("scales");
  view.global_scale = arrays.of<const float>("global_scale");
  view.global_divisor = arrays.of<const float>("global_divisor");
  view.zero_points = arrays.of<const std::uint8_t>("zero_points");
  return view;
}

inline Dtype dtype(qfuse_dtype of_c) { return static_cast<Dtype>(of_c); }

inline void throwing_call(const contract::Dequantize4bit& p, const Spans& arrays, const Exec& exec) {
  dequantize_4bit(weight_of(p.weight, arrays), arrays.of("out"), dtype(p.out_dtype), exec);
}
inline void throwing_call(const contract::Quantize4bit& p, const Spans& arrays, const Exec& exec) {
  const Weight4bit kept = weight_of(p.kept, arrays);
  auto weight = view_of<Weight4bitOut>(p.weight, arrays);
  weight.scales = arrays.of<std::uint8_t>("scales");
  weight.mx_scales = static_cast<MxScales>(p.weight.mx_scales);
  quantize_4bit(arrays.of("in"), dtype(p.in_dtype), weight, exec,
                {.given_offset = p.given_offset,
                 .reciprocal = static_cast<Reciprocal>(p.reciprocal),
                 .workspace = arrays.of("workspace"),
                 .importance = arrays.of<const float>("importance"),
                 .kept = has_kept(p) ? &kept : nullptr});
}
inline void throwing_call(const contract::QuantizeBlockwise& p, const Spans& arrays, const Exec& exec) {
  quantize_blockwise(arrays.of<float>("in"), p.blocksize, p.offset, arrays.of<std::uint8_t>("codes"),
                     arrays.of<float>("absmax"), exec);
}
inline void throwing_call(const contract::DequantizeBlockwise& p, const Spans& arrays, const Exec& exec) {
  dequantize_blockwise(arrays.of<std::uint8_t>("codes"), arrays.of<float>("absmax"), arrays.of<float>("quant_map"),
                       p.blocksize, arrays.of("out"), dtype(p.out_dtype), exec);
}
inline void throwing_call(const contract::DequantizeInt8& p, const Spans& arrays, const Exec& exec) {
  dequantize_int8(arrays.of<std::int8_t>("in"), arrays.of<float>("scb"), arrays.of("out"), dtype(p.out_dtype), exec);
}
inline void throwing_call(const contract::DequantizeFp8& p, const Spans& arrays, const Exec& exec) {
  dequantize_fp8({.rows = p.rows,
                  .cols = p.cols,
                  .block_rows = p.block_rows,
                  .block_cols = p.block_cols,
                  .scale_type = static_cast<ScaleType>(p.scale_type),
                  .codes = arrays.of<const std::uint8_t>("codes"),
                  .scales = arrays.of<const std::byte>("scales")},
                 arrays.of("out"), dtype(p.out_dtype), exec);
}
inline void throwing_call(const contract::LoraMerge& p, const Spans& arrays, const Exec& exec) {
  lora_merge(arrays.of("in"), dtype(p.in_dtype), p.rows, p.cols,
             {.a = arrays.of<float>("a"), .b = arrays.of<float>("b"), .rank = p.rank, .scale = p.scale},
             arrays.of("out"), dtype(p.out_dtype), exec);
}
inline void throwing_call(const contract::Matmul4bit& p, const Spans& arrays, const Exec& exec) {
  matmul_4bit(p.m, arrays.of("in"), weight_of(p.weight, arrays), arrays.of("out"), dtype(p.dtype), exec,
              {.direction = static_cast<Direction>(p.direction),
               .bias = arrays.of("bias"),
               .sum = static_cast<Sum>(p.sum),
               .lora_rank = p.lora_rank,
               .lora_in = arrays.of("lora_in"),
               .lora_weight = arrays.of("lora_weight")});
}
inline void throwing_call(const contract::Matmul4bitMany& p, const Spans& arrays, const Exec& exec) {
  std::vector<MatmulProduct> products;
  for (const contract::Matmul4bitProduct& product : p.products) {
    contract::Matmul4bit one = single(p, product);
    const Spans own = p.products.size() == 1 ? arrays : Spans(one);
    products.push_back({.weight = weight_of(one.weight, own),
                        .out = own.of("out"),
                        .bias = own.of("bias"),
                        .lora_rank = one.lora_rank,
                        .lora_in = own.of("lora_in"),
                        .lora_weight = own.of("lora_weight")});
  }
  matmul_4bit_many(p.m, arrays.of("in"), products, dtype(p.dtype), exec, static_cast<Sum>(p.sum));
}
inline void throwing_call(const contract::Matmul4bitGrouped& p, const Spans& arrays, const Exec& exec) {
  const std::span ends(static_cast<const std::int64_t*>(p.expert_ends), static_cast<std::size_t>(p.experts));
  matmul_4bit_grouped(p.m, arrays.of("in"), weight_of(p.weight, arrays), Experts(ends), arrays.of("out"),
                      dtype(p.dtype), exec,
                      {.direction = static_cast<Direction>(p.direction),
                       .bias = arrays.of("bias"),
                       .sum = static_cast<Sum>(p.sum),
                       .lora_rank = p.lora_rank,
                       .lora_in = arrays.of("lora_in"),
                       .lora_weight = arrays.of("lora_weight"),
                       .nested_each = p.nested_each != 0});
}
inline void throwing_call(const contract::RotatedInt8Quantize& p, const Spans& arrays, const Exec& exec) {
  rotated_int8_quantize(p.rows, p.cols, arrays.of("in"), dtype(p.in_dtype),
                        {.q = arrays.of<std::int8_t>("q"), .scale = arrays.of<float>("scale")}, exec);
}
inline void throwing_call(const contract::RotatedInt8WeightScales& p, const Spans& arrays, const Exec& exec) {
  rotated_int8_weight_scales(weight_of(p.weight, arrays), static_cast<Direction>(p.direction),
                             arrays.of<float>("scale"), exec);
}
inline void throwing_call(const contract::RotatedInt8Weight& p, const Spans& arrays, const Exec& exec) {
  rotated_int8_weight(weight_of(p.weight, arrays), static_cast<Direction>(p.direction), arrays.of<float>("scale"),
                      arrays.of<std::int8_t>("q"), exec);
}
inline void throwing_call(const contract::RotatedInt8Matmul& p, const Spans& arrays, const Exec& exec) {
  rotated_int8_matmul(p.m, p.n, p.k, {arrays.of<std::int8_t>("in_q"), arrays.of<float>("in_scale")},
                      {arrays.of<std::int8_t>("weight_q"), arrays.of<float>("weight_scale")}, arrays.of("out"),
                      dtype(p.dtype), exec,
                      {.bias = arrays.of("bias"),
                       .direction = static_cast<Direction>(p.direction),
                       .lora_rank = p.lora_rank,
                       .lora_in = arrays.of("lora_in"),
                       .lora_weight = arrays.of("lora_weight"),
                       .addend = arrays.of("addend")});
}
inline void throwing_call(const contract::RotatedInt8Swiglu& p, const Spans& arrays, const Exec& exec) {
  rotated_int8_swiglu(p.m, p.h, arrays.of("gate"), arrays.of("up"), static_cast<Direction>(p.direction),
                      {.q = arrays.of<std::int8_t>("q"), .scale = arrays.of<float>("scale")}, exec, arrays.of("grad_y"),
                      arrays.of("out"));
}
inline void throwing_call(const contract::Swiglu& p, const Spans& arrays, const Exec& exec) {
  const auto output = [&](const char* q, const char* s) {
    if (p.format.scale_type == QFUSE_SCALES_UE8M0)
      return Quantized{.q = arrays.of<std::int8_t>(q), .s_ue8m0 = arrays.of<std::uint8_t>(s)};
    return Quantized{.q = arrays.of<std::int8_t>(q), .s = arrays.of<float>(s)};
  };
  SwigluOptions options{.grad_y = arrays.of("grad_y"),
                        .weights = arrays.of<float>("weights"),
                        .format = {.group_size = p.format.group_size,
                                   .payload_type = static_cast<Payload>(p.format.payload_type),
                                   .scale_type = static_cast<ScaleType>(p.format.scale_type),
                                   .scale_rule = static_cast<ScaleRule>(p.format.scale_rule),
                                   .zero_rule = static_cast<ZeroRule>(p.format.zero_rule),
                                   .amax_floor = p.format.amax_floor,
                                   .scale_layout = static_cast<ScaleLayout>(p.format.scale_layout)},
                        .limit = p.limit,
                        .alpha = p.alpha,
                        .up_offset = p.up_offset,
                        .workspace = arrays.of("workspace")};
  if (p.experts.count > 0)
    options.experts =
        Experts(std::span(static_cast<const std::int32_t*>(p.experts.ends), static_cast<std::size_t>(p.experts.count)),
                static_cast<ExpertLayout>(p.experts.layout));
  swiglu(p.m, p.h, arrays.of("x"),
         {.y = output("y.q", "y.s"),
          .y_t = output("y_t.q", "y_t.s"),
          .grad_input = output("grad_input.q", "grad_input.s"),
          .grad_input_t = output("grad_input_t.q", "grad_input_t.s"),
          .grad_weights = arrays.of<float>("grad_weights")},
         options, exec);
}

}  // namespace detail

// Whether the wrapper supports the call. Among calls without gaps, it supports all except the next overload's.
template <class Op>
bool has_cpp(const Op& /*p*/) {
  return true;
}
inline bool has_cpp(const contract::QuantizeBlockwise& p) { return p.in_dtype == QFUSE_FLOAT32; }

template <class Op>
qfuse_status call_cpp(const Op& p, const Spans& arrays, const qfuse_exec& exec, qfuse_error* error) {
  try {
    detail::throwing_call(p, arrays, {.device = exec.device, .threads = exec.threads, .stream = exec.stream});
    return QFUSE_OK;
  } catch (const Error& thrown) {
    error->status = static_cast<qfuse_status>(thrown.status());
    std::strncpy(error->message, thrown.what(), sizeof error->message - 1);
    return error->status;
  }
}

template <class Op>
qfuse_status call_cpp(Op p, const qfuse_exec& exec, qfuse_error* error) {
  return call_cpp(p, Spans(p), exec, error);
}

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_SUPPORT_CALL_CPP_H
