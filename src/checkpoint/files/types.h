// Element types and their spellings in files.
#ifndef QFUSE_CHECKPOINT_FILES_TYPES_H
#define QFUSE_CHECKPOINT_FILES_TYPES_H

#include <qfuse/qfuse.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace qfuse::checkpoint {

// In the order of the safetensors format's own enumeration; its writers place tensors of later types first.
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

std::string_view type_name(TensorType type);  // spelling in a safetensors header: "BF16"
int type_bits(TensorType type);               // bits per element
std::optional<TensorType> type_from_name(std::string_view name);
TensorType type_of(Dtype dtype);
std::optional<Dtype> dtype_of(TensorType type);  // nullopt for types other than F32, F16, BF16
// Scale type of a tensor whose dtype a layout accepts as scales: UE8M0 is stored as F8_E8M0 or as U8.
ScaleType scale_type_of(TensorType type);

// Spellings in config.json and quant_state: "bfloat16", "nf4".
std::string_view dtype_name(Dtype dtype);
std::optional<Dtype> dtype_from_name(std::string_view name);
std::optional<QuantType> quant_type_from_name(std::string_view name);  // inverse of name_of()

// Returns the product of the dimensions, none of which is negative; nullopt if it overflows.
std::optional<std::int64_t> element_count(std::span<const std::int64_t> shape);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_FILES_TYPES_H
