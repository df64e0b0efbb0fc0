#include "checkpoint/files/types.h"

#include <algorithm>
#include <array>
#include <qfuse/checkpoint.hpp>

#include "checkpoint/files/errors.h"

namespace qfuse::checkpoint {
namespace {

struct TypeFacts {
  std::string_view name;
  int bits;
};

constexpr std::array<TypeFacts, 22> kTypes{{
    {"BOOL", 8},    {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6},     {"U8", 8},          {"I8", 8},
    {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"I16", 16},
    {"U16", 16},    {"F16", 16},    {"BF16", 16},   {"I32", 32},        {"U32", 32},        {"F32", 32},
    {"C64", 64},    {"F64", 64},    {"I64", 64},    {"U64", 64},
}};
static_assert(kTypes[static_cast<std::size_t>(TensorType::u64)].name == "U64", "one row per TensorType, in order");

struct DtypeFacts {
  Dtype dtype;
  TensorType type;
  std::string_view name;
};

constexpr std::array<DtypeFacts, 3> kDtypes{{
    {Dtype::float32, TensorType::f32, "float32"},
    {Dtype::float16, TensorType::f16, "float16"},
    {Dtype::bfloat16, TensorType::bf16, "bfloat16"},
}};

const DtypeFacts& facts_of(Dtype dtype) {
  for (const DtypeFacts& facts : kDtypes)
    if (facts.dtype == dtype) return facts;
  fail(Status::invalid_argument, "dtype {} is none", static_cast<int>(dtype));
}

}  // namespace

std::string_view type_name(TensorType type) { return kTypes[static_cast<std::size_t>(type)].name; }

int type_bits(TensorType type) { return kTypes[static_cast<std::size_t>(type)].bits; }

std::optional<TensorType> type_from_name(std::string_view name) {
  const auto* const found = std::ranges::find(kTypes, name, &TypeFacts::name);
  if (found == kTypes.end()) return std::nullopt;
  return static_cast<TensorType>(found - kTypes.begin());
}

TensorType type_of(Dtype dtype) { return facts_of(dtype).type; }

std::optional<Dtype> dtype_of(TensorType type) {
  for (const DtypeFacts& facts : kDtypes)
    if (facts.type == type) return facts.dtype;
  return std::nullopt;
}

ScaleType scale_type_of(TensorType type) {
  switch (type) {
    case TensorType::f32: return ScaleType::float32;
    case TensorType::f16: return ScaleType::float16;
    case TensorType::bf16: return ScaleType::bfloat16;
    case TensorType::f8_e4m3: return ScaleType::e4m3;
    default: return ScaleType::ue8m0;
  }
}

std::string_view dtype_name(Dtype dtype) { return facts_of(dtype).name; }

std::optional<Dtype> dtype_from_name(std::string_view name) {
  for (const DtypeFacts& facts : kDtypes)
    if (facts.name == name) return facts.dtype;
  return std::nullopt;
}

std::optional<QuantType> quant_type_from_name(std::string_view name) {
  for (const QuantType type : {QuantType::nf4, QuantType::fp4})
    if (name == name_of(type)) return type;
  return std::nullopt;
}

std::optional<std::int64_t> element_count(std::span<const std::int64_t> shape) {
  std::int64_t count = 1;
  for (const std::int64_t dimension : shape)
    if (__builtin_mul_overflow(count, dimension, &count)) return std::nullopt;
  return count;
}

}  // namespace qfuse::checkpoint
