#include "weight_4bit.h"

#include <algorithm>

namespace qfuse::torch_ops {
namespace {

constexpr std::size_t kPlain = 2;  // number of tensors; also for MXFP4
constexpr std::size_t kNested = 5;
constexpr std::int64_t kMxfp4Blocksize = 32;

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

// MXFP4 has UE8M0 scales instead of absmax.
void set_mxfp4(const Call& call, qfuse_weight_4bit& w, const TensorViews& weight, const Blocks& blocks) {
  const TensorView& scales = weight[1];
  if (weight.size() != kPlain)
    refuse("weight has ", weight.size(), " tensors, of 'mxfp4' it must have 2: packed, scales");
  if (w.blocksize != kMxfp4Blocksize) refuse("blocksize is ", w.blocksize, ", of 'mxfp4' it is ", kMxfp4Blocksize);
  if (w.cols % kMxfp4Blocksize != 0)
    refuse("a row of the weight has ", w.cols, " elements, of 'mxfp4' it must be a multiple of ", kMxfp4Blocksize);
  if (scales.dtype != ScalarType::Byte && scales.dtype != ScalarType::Float8_e8m0fnu)
    refuse("scales is ", name_of(scales.dtype), ", it must be uint8 or float8_e8m0fnu");
  w.quant_type = QFUSE_E2M1;
  w.scale_type = QFUSE_SCALES_UE8M0;
  w.scales = call.array(scales, "scales", scales.dtype, blocks);
}

}  // namespace

const TensorView& packed_of(const TensorViews& weight) {
  if (weight.size() != kPlain && weight.size() != kNested)
    refuse("weight has ", weight.size(), " tensors, it must have 2, packed and absmax, or 5: packed, absmax, ",
           "nested_absmax, nested_quant_map, nested_offset");
  return weight[0];
}

std::int64_t nested_parts(const TensorViews& weight, std::int64_t experts) {
  if (weight.size() != kNested) return 1;
  const std::int64_t offsets = weight[kNested - 1].numel();
  if (offsets != 1 && offsets != experts)
    refuse("nested_offset has ", offsets, " elements, it must have 1, or ", experts, ", one for each expert");
  return std::max<std::int64_t>(offsets, 1);
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
  if (quant_type == "mxfp4") {
    set_mxfp4(call, w, weight, blocks);
    return w;
  }
  if (quant_type != "nf4" && quant_type != "fp4")
    refuse("quant_type is '", quant_type, "', it can be 'nf4', 'fp4' or 'mxfp4'");
  w.quant_type = quant_type_of(quant_type);
  if (weight[1].dtype == ScalarType::Byte)
    set_nested(call, w, weight, blocks, parts);
  else
    set_plain(call, w, weight, blocks);
  return w;
}

}  // namespace qfuse::torch_ops
