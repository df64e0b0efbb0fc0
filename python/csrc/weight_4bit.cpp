#include "weight_4bit.h"

namespace qfuse::torch_ops {
namespace {

constexpr std::size_t kPlain = 2;
constexpr std::size_t kNested = 5;

// The bytes of a storage dtype stand for themselves: FSDP wants a float one, and no value is ever converted.
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

void set_nested(const Call& call, qfuse_weight_4bit& w, const TensorViews& weight, const Blocks& blocks) {
  if (weight.size() == kPlain)
    refuse("absmax is uint8, so nested_absmax, nested_quant_map and nested_offset are needed, or absmax in float32");
  const Blocks nested{blocks.count(), w.nested_blocksize, "nested_blocksize"};
  const auto floats = [&](std::size_t i, const char* name, const auto& length) {
    return static_cast<const float*>(call.array(weight[i], name, ScalarType::Float, length));
  };
  w.absmax_8bit = static_cast<const std::uint8_t*>(call.array(weight[1], "absmax", ScalarType::Byte, blocks));
  w.nested_absmax = floats(2, "nested_absmax", nested);
  w.nested_quant_map = floats(3, "nested_quant_map", std::int64_t{QFUSE_QUANT_MAP_SIZE});
  w.nested_offset = floats(4, "nested_offset", std::int64_t{1});
}

}  // namespace

const TensorView& packed_of(const TensorViews& weight) {
  if (weight.size() != kPlain && weight.size() != kNested)
    refuse("weight has ", weight.size(), " tensors, it must have 2, packed and absmax, or 5: packed, absmax, ",
           "nested_absmax, nested_quant_map, nested_offset");
  return weight[0];
}

qfuse_weight_4bit weight_4bit(const Call& call, const TensorViews& weight, Shape shape, const std::string& quant_type,
                              std::int64_t blocksize, std::int64_t nested_blocksize) {
  const std::int64_t n = elements_of(shape);
  const bool matrix = shape.size() == 2;
  qfuse_weight_4bit w{};
  w.struct_size = sizeof w;
  w.rows = matrix ? shape[0] : 1;
  w.cols = matrix ? shape[1] : n;
  w.blocksize = blocksize;
  w.quant_type = quant_type_of(quant_type);
  w.nested_blocksize = nested_blocksize;
  w.packed = packed_bytes(call, packed_of(weight), n);
  const Blocks blocks{n, blocksize, "blocksize"};
  if (weight[1].dtype == ScalarType::Byte)
    set_nested(call, w, weight, blocks);
  else
    set_plain(call, w, weight, blocks);
  return w;
}

}  // namespace qfuse::torch_ops
