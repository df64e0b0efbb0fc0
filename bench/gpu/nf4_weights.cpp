#include "gpu/nf4_weights.h"

#include "format/layout.h"
#include "gpu/timing.h"

namespace qfuse::bench {
namespace {

std::int64_t blocks_of(std::int64_t count) { return format::block_count(count, kBlocksize); }

// Number of sets that keeps L2 cold, from codes, absmax and output: nearly all bytes that decoding moves.
int cold_sets(const Card& card, Shape shape) {
  const std::int64_t count = shape.count();
  return sets_for(format::packed_size(count) + blocks_of(count) + kElementBytes * count, card.l2_bytes);
}

// Mean squares of inputs, from 1/64 to 1.
std::vector<float> importance_of(std::int64_t cols) {
  std::vector<float> importance(static_cast<std::size_t>(cols));
  for (std::size_t i = 0; i < importance.size(); ++i) importance[i] = static_cast<float>(i * 37 % 64 + 1) / 64;
  return importance;
}

contract::Quantize4bit with_importance(contract::Quantize4bit p, Shape shape, const float* importance) {
  p.weight.rows = shape.rows;
  p.weight.cols = shape.cols;
  p.importance = importance;
  return p;
}

}  // namespace

DecodeWeights::DecodeWeights(const Card& card, Shape shape) : DecodeWeights(card, shape, cold_sets(card, shape)) {}

DecodeWeights::DecodeWeights(const Card& card, Shape shape, int sets)
    : shape_(shape), codes_(random_codes(shape.count())) {
  std::vector<float> map(QFUSE_QUANT_MAP_SIZE);
  qfuse_nested_quant_map(map.data());
  // The first set is copied from the host, the others from the first set.
  const auto copy = [&](const auto& array, DeviceArray Set::*first) {
    const void* from = array.data();
    if (!sets_.empty()) from = (sets_.front().*first).template as<void>();
    return DeviceArray(card.index, from, static_cast<std::int64_t>(array.size() * sizeof(array[0])));
  };
  for (int i = 0; i < sets; ++i)
    sets_.push_back({copy(codes_.packed, &Set::packed), copy(codes_.absmax_8bit, &Set::absmax_8bit),
                     copy(codes_.nested_absmax, &Set::nested_absmax), copy(map, &Set::map),
                     copy(std::vector{codes_.nested_offset}, &Set::offset),
                     DeviceArray(card.index, 4 * blocks_of(shape.count())),
                     DeviceArray(card.index, kElementBytes * shape.count())});
}

contract::Dequantize4bit DecodeWeights::params(int i, qfuse_dtype dtype) const {
  qfuse_weight_4bit arrays{};
  arrays.packed = set(i).packed.as<std::uint8_t>();
  arrays.absmax_8bit = set(i).absmax_8bit.as<std::uint8_t>();
  arrays.nested_absmax = set(i).nested_absmax.as<float>();
  arrays.nested_quant_map = set(i).map.as<float>();
  arrays.nested_offset = set(i).offset.as<float>();
  return decode_params(shape_.count(), dtype, arrays, set(i).out.as<void>());
}

EncodeWeights::EncodeWeights(int device, Shape shape, qfuse_dtype dtype, int sets)
    : shape_(shape),
      dtype_(dtype),
      values_(trained_weights(shape.count(), dtype)),
      importance_(importance_of(shape.cols)),
      importance_on_gpu_(device, importance_.data(), static_cast<std::int64_t>(sizeof(float)) * shape.cols) {
  const std::int64_t blocks = blocks_of(shape.count());
  contract::Quantize4bit nested = encode_params(shape.count(), dtype, nullptr, nullptr, nullptr);
  nested.weight.absmax_8bit = values_.data();  // any non-null pointer selects nested encoding
  const std::int64_t workspace = contract::workspace_size(nested);
  for (int i = 0; i < sets; ++i)
    sets_.push_back({DeviceArray(device, sets_.empty() ? values_.data() : sets_.front().in.as<std::uint8_t>(),
                                 static_cast<std::int64_t>(values_.size())),
                     DeviceArray(device, format::packed_size(shape.count())), DeviceArray(device, 4 * blocks),
                     DeviceArray(device, blocks),
                     DeviceArray(device, 4 * format::block_count(blocks, QFUSE_NESTED_BLOCKSIZE)),
                     DeviceArray(device, 4), DeviceArray(device, workspace)});
}

contract::Quantize4bit EncodeWeights::plain(int i) const {
  return encode_params(shape_.count(), dtype_, set(i).in.as<void>(), set(i).packed.as<std::uint8_t>(),
                       set(i).absmax.as<float>());
}

contract::Quantize4bit EncodeWeights::nested(int i) const {
  contract::Quantize4bit p =
      encode_params(shape_.count(), dtype_, set(i).in.as<void>(), set(i).packed.as<std::uint8_t>(), nullptr);
  p.weight.absmax_8bit = set(i).absmax_8bit.as<std::uint8_t>();
  p.weight.nested_absmax = set(i).nested_absmax.as<float>();
  p.weight.nested_offset = set(i).offset.as<float>();
  p.workspace = set(i).workspace.as<void>();
  p.workspace_size = set(i).workspace.size();
  return p;
}

contract::Quantize4bit EncodeWeights::by_importance(int i) const {
  return with_importance(plain(i), shape_, importance_on_gpu_.as<float>());
}

Codes EncodeWeights::oracle_by_importance() const {
  Codes codes;
  codes.packed.resize(static_cast<std::size_t>(format::packed_size(shape_.count())));
  codes.absmax.resize(static_cast<std::size_t>(blocks_of(shape_.count())));
  const contract::Quantize4bit p =
      encode_params(shape_.count(), dtype_, values_.data(), codes.packed.data(), codes.absmax.data());
  const qfuse_exec on_cpu = QFUSE_EXEC_INIT;
  run(with_importance(p, shape_, importance_.data()), on_cpu);
  return codes;
}

contract::QuantizeBlockwise EncodeWeights::nested_step(int i, float offset) const {
  return nested_step_params(blocks_of(shape_.count()), set(i).absmax.as<float>(), offset,
                            set(i).absmax_8bit.as<std::uint8_t>(), set(i).nested_absmax.as<float>());
}

void EncodeWeights::poison(int i) const {
  for (const DeviceArray* array :
       {&set(i).packed, &set(i).absmax, &set(i).absmax_8bit, &set(i).nested_absmax, &set(i).offset, &set(i).workspace})
    array->poison();
}

Codes EncodeWeights::read(int i) const {
  return {set(i).packed.read<std::uint8_t>(), set(i).absmax.read<float>(), set(i).absmax_8bit.read<std::uint8_t>(),
          set(i).nested_absmax.read<float>(), set(i).offset.read<float>()[0]};
}

}  // namespace qfuse::bench
