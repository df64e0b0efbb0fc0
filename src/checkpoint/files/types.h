// The types of elements, and how files spell them.
#ifndef QFUSE_CHECKPOINT_FILES_TYPES_H
#define QFUSE_CHECKPOINT_FILES_TYPES_H

#include <qfuse/qfuse.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace qfuse::checkpoint {

// In the order of the safetensors format's own enumeration: writers place tensors of a later type first.
enum class TensorType : std::uint8_t {
  boolean,
  f4,
  f6_e2m3,
  f6_e3m2,
  u8,
  i8,
  f8_e5m2,
  f8_e4m3,
  f8_e8m0,
  f8_e4m3fnuz,
  f8_e5m2fnuz,
  i16,
  u16,
  f16,
  bf16,
  i32,
  u32,
  f32,
  c64,
  f64,
  i64,
  u64
};

std::string_view type_name(TensorType type);  // as a safetensors header spells it: "BF16"
int type_bits(TensorType type);               // of one element
std::optional<TensorType> type_from_name(std::string_view name);
TensorType type_of(Dtype dtype);
std::optional<Dtype> dtype_of(TensorType type);  // none for a type that weights are not decoded to
// Of scales whose type a layout takes: UE8M0 has a type of its own in files, or is U8.
ScaleType scale_type_of(TensorType type);

// How config.json and quant_state spell them: "bfloat16", "nf4".
std::string_view dtype_name(Dtype dtype);
std::optional<Dtype> dtype_from_name(std::string_view name);
std::optional<QuantType> quant_type_from_name(std::string_view name);  // its opposite is name_of()

// The product of a shape's dimensions, none of them negative; nothing if it overflows.
std::optional<std::int64_t> element_count(std::span<const std::int64_t> shape);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_TYPES_H
