// Copies structs from callers built against any version: older structs are shorter, newer ones longer.
#ifndef QFUSE_CAPI_ADOPT_H
#define QFUSE_CAPI_ADOPT_H

#include <qfuse/qfuse.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

#include "contract/ops.h"
#include "contract/outcome.h"

namespace qfuse::capi {

// A field that a later version appends must start at or after today's sizeof, never in padding at the end: the padding
// of an older caller's struct is not zeroed, and a newer caller's value there would be overlooked.
//
// Minimum struct_size of each struct: the end of the last field above "optional from here on" in qfuse.h. It never
// changes once a version has been released.
template <class Struct>
constexpr std::size_t kLeastSize = sizeof(Struct);

#define QFUSE_ENDS_WITH(Struct, field) (offsetof(Struct, field) + sizeof(Struct::field))
template <>
inline constexpr std::size_t kLeastSize<qfuse_exec> = QFUSE_ENDS_WITH(qfuse_exec, stream);
template <>
inline constexpr std::size_t kLeastSize<qfuse_weight_4bit> = QFUSE_ENDS_WITH(qfuse_weight_4bit, absmax);
template <>
inline constexpr std::size_t kLeastSize<qfuse_weight_4bit_out> = QFUSE_ENDS_WITH(qfuse_weight_4bit_out, absmax);
template <>
inline constexpr std::size_t kLeastSize<qfuse_quantize_4bit_params> = QFUSE_ENDS_WITH(qfuse_quantize_4bit_params,
                                                                                      weight);
template <>
inline constexpr std::size_t kLeastSize<qfuse_quantize_blockwise_params> =
    QFUSE_ENDS_WITH(qfuse_quantize_blockwise_params, absmax);
template <>
inline constexpr std::size_t kLeastSize<qfuse_swiglu_params> = QFUSE_ENDS_WITH(qfuse_swiglu_params, grad_input_t);
template <>
inline constexpr std::size_t kLeastSize<qfuse_matmul_4bit_params> = QFUSE_ENDS_WITH(qfuse_matmul_4bit_params, out);
template <>
inline constexpr std::size_t kLeastSize<qfuse_matmul_4bit_many_params> = QFUSE_ENDS_WITH(qfuse_matmul_4bit_many_params,
                                                                                         products);
template <>
inline constexpr std::size_t kLeastSize<qfuse_matmul_4bit_grouped_params> =
    QFUSE_ENDS_WITH(qfuse_matmul_4bit_grouped_params, ends_type);
template <>
inline constexpr std::size_t kLeastSize<qfuse_lora_merge_params> = QFUSE_ENDS_WITH(qfuse_lora_merge_params, out);
template <>
inline constexpr std::size_t kLeastSize<qfuse_rotated_int8_quantize_params> =
    QFUSE_ENDS_WITH(qfuse_rotated_int8_quantize_params, scale);
template <>
inline constexpr std::size_t kLeastSize<qfuse_rotated_int8_matmul_params> =
    QFUSE_ENDS_WITH(qfuse_rotated_int8_matmul_params, out);
template <>
inline constexpr std::size_t kLeastSize<qfuse_rotated_int8_swiglu_params> =
    QFUSE_ENDS_WITH(qfuse_rotated_int8_swiglu_params, scale);
#undef QFUSE_ENDS_WITH

// Copies a caller's struct; fields beyond its struct_size become zero. INVALID_ARGUMENT: NULL, or too short.
// UNSUPPORTED: it uses fields that this version does not know.
template <class Struct>
contract::Outcome adopt(const Struct* from, const char* name, Struct& to) {
  if (from == nullptr) return contract::invalid_argument(std::string(name) + " is NULL");
  const std::size_t size = from->struct_size;
  if (size < kLeastSize<Struct>)
    return contract::invalid_argument(std::string(name) + ".struct_size is " + std::to_string(size) +
                                      ", it must be sizeof the struct, " + std::to_string(sizeof(Struct)));
  const auto* bytes = reinterpret_cast<const unsigned char*>(from);
  if (size > sizeof(Struct) &&
      std::any_of(bytes + sizeof(Struct), bytes + size, [](unsigned char byte) { return byte != 0; }))
    return contract::unsupported(std::string(name) + " uses fields that qfuse " QFUSE_VERSION_STRING " does not know");
  to = {};
  std::memcpy(&to, from, std::min(size, sizeof(Struct)));
  to.struct_size = sizeof(Struct);
  return {};
}

// Copies an op's parameters and the weight that they point to.
template <class Op, class Params>
contract::Outcome adopt_params(const Params* from, Op& to) {
  Params& params = to;
  if (contract::Outcome o = adopt(from, "params", params); !o.ok()) return o;
  if constexpr (requires { to.weight; }) return adopt(params.weight, "params.weight", to.weight);
  return {};
}

inline contract::Outcome adopt_params(const qfuse_quantize_4bit_params* from, contract::Quantize4bit& to) {
  qfuse_quantize_4bit_params& params = to;
  if (contract::Outcome o = adopt(from, "params", params); !o.ok()) return o;
  if (contract::Outcome o = adopt(params.weight, "params.weight", to.weight); !o.ok()) return o;
  return params.kept == nullptr ? contract::Outcome{} : adopt(params.kept, "params.kept", to.kept);
}

// Also copies the weights that the parameters point to, if any.
inline contract::Outcome adopt_params(const qfuse_lora_merge_params* from, contract::LoraMerge& to) {
  qfuse_lora_merge_params& params = to;
  if (contract::Outcome o = adopt(from, "params", params); !o.ok()) return o;
  if (params.source != nullptr)
    if (contract::Outcome o = adopt(params.source, "params.source", to.source); !o.ok()) return o;
  return params.target == nullptr ? contract::Outcome{} : adopt(params.target, "params.target", to.target);
}

// Also copies the products that the parameters point to, each with its weight.
inline contract::Outcome adopt_params(const qfuse_matmul_4bit_many_params* from, contract::Matmul4bitMany& to) {
  qfuse_matmul_4bit_many_params& params = to;
  if (contract::Outcome o = adopt(from, "params", params); !o.ok()) return o;
  if (contract::Outcome o = contract::check_count(params); !o.ok()) return o;
  for (std::int64_t i = 0; i < params.count; ++i) {
    const qfuse_matmul_4bit_product& product = params.products[i];
    contract::Matmul4bitProduct& own = to.products.emplace_back(contract::Matmul4bitProduct{product, {}});
    if (contract::Outcome o = adopt(product.weight, "weight", own.weight); !o.ok())
      return contract::of_product(static_cast<std::size_t>(i), std::move(o));
  }
  return {};
}

}  // namespace qfuse::capi

#endif  // QFUSE_CAPI_ADOPT_H
