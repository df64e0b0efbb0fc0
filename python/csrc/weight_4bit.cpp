#include "weight_4bit.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace qfuse::torch_ops {
namespace {

constexpr std::size_t kPlain = 2;   // number of tensors; also with scales of rows
constexpr std::size_t kGlobal = 3;  // with a global scale as well
constexpr std::size_t kNested = 5;

// A format with scales of rows instead of absmax, under its name in Python.
struct RowFormat {
  std::string_view name;
  qfuse_quant_type quant_type;
  std::int64_t blocksize;  // 0: the library checks it
  std::size_t most_tensors;
};
constexpr std::string_view kDivided = "nvfp4_divisor";
constexpr std::array kRowFormats = {
    RowFormat{"mxfp4", QFUSE_E2M1, 32, kPlain}, RowFormat{"nvfp4", QFUSE_E2M1, 16, kGlobal},
    RowFormat{kDivided, QFUSE_E2M1, 16, kGlobal}, RowFormat{"int4", QFUSE_INT4, 0, kPlain}};

// Accepts any storage dtype and never converts values: FSDP needs the bytes in a float dtype.
const std::uint8_t* packed_bytes(const Call& call, const TensorView& packed, std::int64_t n) {
  const std::int64_t item = packed.item_size, has = packed.numel() * item, need = qfuse_packed_size(n);
  if (has < need || has >= need + item)
    refuse("packed has ", has, " bytes, ", n, " 4-bit codes need ", need,
           has < need && need < has + item ? ": what fills no whole element of its dtype was lost when they were stored"
                                           : "");
  return static_cast<const std::uint8_t*>(call.bytes(packed, "packed"));
}

void set_plain(const Call& call, qfuse_weight_4bit& w, const TensorViews& weight, const Blocks& blocks) {
  w.absmax = static_cast<const float*>(call.array(weight[1], "absmax", ScalarType::Float, blocks));
  if (weight.size() == kNested)
    refuse("absmax is float32, nested_absmax, nested_quant_map and nested_offset go with uint8");
}

void set_nested(const Call& call, qfuse_weight_4bit& w, const TensorViews& weight, const Blocks& blocks,
                std::int64_t parts) {
  if (weight.size() == kPlain)
    refuse("absmax is uint8, so nested_absmax, nested_quant_map and nested_offset are needed, or absmax in float32");
  const Blocks nested{blocks.count() / parts, w.nested_blocksize, "nested_blocksize"};
  const auto floats = [&](std::size_t i, const char* name, const auto& length) {
    return static_cast<const float*>(call.array(weight[i], name, ScalarType::Float, length));
  };
  w.absmax_8bit = static_cast<const std::uint8_t*>(call.array(weight[1], "absmax", ScalarType::Byte, blocks));
  w.nested_absmax =
      parts == 1 ? floats(2, "nested_absmax", nested) : floats(2, "nested_absmax", parts * nested.count());
  w.nested_quant_map = floats(3, "nested_quant_map", std::int64_t{QFUSE_QUANT_MAP_SIZE});
  w.nested_offset = floats(4, "nested_offset", parts);
}

qfuse_scale_type scale_type_of(const RowFormat& format, ScalarType dtype) {
  const bool is_byte = dtype == ScalarType::Byte;
  if (format.quant_type == QFUSE_INT4) {
    if (dtype == ScalarType::Float) return QFUSE_SCALES_FLOAT32;
    if (dtype == ScalarType::Half) return QFUSE_SCALES_FLOAT16;
    if (dtype == ScalarType::BFloat16) return QFUSE_SCALES_BFLOAT16;
    refuse("scales is ", name_of(dtype), ", of '", format.name, "' it must be float32, float16 or bfloat16");
  }
  const bool is_mx = format.most_tensors == kPlain;
  if (is_byte || dtype == (is_mx ? ScalarType::Float8_e8m0fnu : ScalarType::Float8_e4m3fn))
    return is_mx ? QFUSE_SCALES_UE8M0 : QFUSE_SCALES_E4M3;
  refuse("scales is ", name_of(dtype), ", it must be uint8 or ", is_mx ? "float8_e8m0fnu" : "float8_e4m3fn");
}

void set_scales(const Call& call, qfuse_weight_4bit& w, const TensorViews& weight, const RowFormat& format,
                const Blocks& blocks, std::int64_t parts) {
  if (weight.size() != kPlain && weight.size() != format.most_tensors)
    refuse("weight has ", weight.size(), " tensors, of '", format.name, "' it must have 2, packed and scales",
           format.most_tensors == kGlobal ? ", or a third, the global scale" : "");
  if (format.blocksize != 0 && w.blocksize != format.blocksize)
    refuse("blocksize is ", w.blocksize, ", of '", format.name, "' it is ", format.blocksize);
  static_cast<void>(blocks.count());  // refuses sizes that are not positive
  if (w.cols % w.blocksize != 0)
    refuse("a row of the weight has ", w.cols, " elements, of '", format.name, "' it must be a multiple of ",
           w.blocksize);
  w.quant_type = format.quant_type;
  w.scale_type = scale_type_of(format, weight[1].dtype);
  w.scales = call.array(weight[1], "scales", weight[1].dtype, blocks);
  if (weight.size() != kGlobal) return;
  const bool divides = format.name == kDivided;
  const char* const name = divides ? "global_divisor" : "global_scale";
  (divides ? w.global_divisor : w.global_scale) =
      static_cast<const float*>(call.array(weight[2], name, ScalarType::Float, parts));
}

}  // namespace

const TensorView& packed_of(const TensorViews& weight) {
  if (weight.size() != kPlain && weight.size() != kGlobal && weight.size() != kNested)
    refuse("weight has ", weight.size(), " tensors, it must have 2, packed and absmax, or 5: packed, absmax, ",
           "nested_absmax, nested_quant_map, nested_offset");
  return weight[0];
}

std::int64_t nested_parts(const TensorViews& weight, std::int64_t experts) {
  if (weight.size() != kGlobal && weight.size() != kNested) return 1;
  const std::int64_t parts = weight.back().numel();
  if (parts != 1 && parts != experts)
    refuse(weight.size() == kNested ? "nested_offset" : "the global scale", " has ", parts,
           " elements, it must have 1, or ", experts, ", one for each expert");
  return std::max<std::int64_t>(parts, 1);
}

qfuse_weight_4bit weight_4bit(const Call& call, const TensorViews& weight, Shape shape, const std::string& quant_type,
                              std::int64_t blocksize, std::int64_t nested_blocksize, std::int64_t parts) {
  const std::int64_t n = elements_of(shape);
  qfuse_weight_4bit w{};
  w.struct_size = sizeof w;
  w.cols = shape.empty() ? 1 : shape[shape.size() - 1];
  w.rows = shape.empty() ? 1 : elements_of(shape.slice(0, shape.size() - 1));
  w.blocksize = blocksize;
  w.nested_blocksize = nested_blocksize;
  w.packed = packed_bytes(call, packed_of(weight), n);
  const Blocks blocks{n, blocksize, "blocksize"};
  const auto* const rows = std::ranges::find(kRowFormats, std::string_view(quant_type), &RowFormat::name);
  if (rows != kRowFormats.end()) {
    set_scales(call, w, weight, *rows, blocks, parts);
    return w;
  }
  if (quant_type != "nf4" && quant_type != "fp4")
    refuse("quant_type is '", quant_type, "', it can be 'nf4', 'fp4', 'int4', 'mxfp4', 'nvfp4' or 'nvfp4_divisor'");
  if (weight.size() == kGlobal) refuse("weight has 3 tensors, of '", quant_type, "' it must have 2 or 5");
  w.quant_type = quant_type_of(quant_type);
  if (weight[1].dtype == ScalarType::Byte)
    set_nested(call, w, weight, blocks, parts);
  else
    set_plain(call, w, weight, blocks);
  return w;
}

}  // namespace qfuse::torch_ops
