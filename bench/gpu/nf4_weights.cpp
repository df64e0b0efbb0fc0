#include "gpu/nf4_weights.h"

#include "format/layout.h"

namespace qfuse::bench {

// ---- decode ----

DecodeWeights::DecodeWeights(int device, Shape shape)
    : device_(device),
      shape_(shape),
      case_{.risk = "benchmark", .n = shape.count(), .blocksize = kBlocksize},
      input_(tests::make_input(case_)) {}

void DecodeWeights::allocate_sets(int count) {
  // The first set comes from the host, the others from the first.
  const auto copy = [this](const auto& array, DeviceArray Set::*first) {
    const void* from = array.data();
    if (!sets_.empty()) from = (sets_.front().*first).template as<void>();
    return DeviceArray(device_, from, static_cast<std::int64_t>(array.size() * sizeof(array[0])));
  };
  for (int i = 0; i < count; ++i)
    sets_.push_back({copy(input_.packed, &Set::packed), copy(input_.absmax_8bit, &Set::absmax_8bit),
                     copy(input_.nested_absmax, &Set::nested_absmax), copy(input_.nested_quant_map, &Set::map),
                     DeviceArray(device_, 4 * format::block_count(shape_.count(), kBlocksize)),
                     DeviceArray(device_, kElementBytes * shape_.count())});
}

std::int64_t DecodeWeights::bytes() const {
  format::Dequantize4bit p = tests::make_params(case_, input_);
  p.out_dtype = QFUSE_BFLOAT16;
  return format::bytes(p);
}

format::Dequantize4bit DecodeWeights::params(int i, qfuse_dtype dtype) const {
  format::Dequantize4bit p = tests::make_params(case_, input_);
  const Set& there = set(i);
  p.out_dtype = dtype;
  p.packed = there.packed.as<std::uint8_t>();
  p.absmax = nullptr;
  p.absmax_8bit = there.absmax_8bit.as<std::uint8_t>();
  p.nested_absmax = there.nested_absmax.as<float>();
  p.nested_quant_map = there.map.as<float>();
  p.out = there.out.as<void>();
  return p;
}

Bytes DecodeWeights::oracle(qfuse_dtype dtype) const {
  format::Dequantize4bit p = tests::make_params(case_, input_);
  p.out_dtype = dtype;
  return decode_by_oracle(p);
}

// ---- encode ----

EncodeWeights::EncodeWeights(int device, Shape shape, qfuse_dtype dtype, int sets)
    : count_(shape.count()), dtype_(dtype), values_(trained_weights(count_, dtype)) {
  const std::int64_t blocks = format::block_count(count_, kBlocksize);
  for (int i = 0; i < sets; ++i)
    sets_.push_back(
        {DeviceArray(device, sets_.empty() ? values_.data() : sets_.front().in.as<std::uint8_t>(),
                     static_cast<std::int64_t>(values_.size())),
         DeviceArray(device, format::packed_size(count_)), DeviceArray(device, 4 * blocks), DeviceArray(device, blocks),
         DeviceArray(device, 4 * format::block_count(blocks, format::kNestedBlocksize)), DeviceArray(device, 4)});
}

format::Quantize4bit EncodeWeights::plain(int i) const {
  return plain_params(count_, dtype_, set(i).in.as<void>(), set(i).packed.as<std::uint8_t>(),
                      set(i).absmax.as<float>());
}

format::Quantize4bit EncodeWeights::nested(int i) const {
  format::Quantize4bit p = plain(i);
  p.absmax_8bit = set(i).absmax_8bit.as<std::uint8_t>();
  p.nested_absmax = set(i).nested_absmax.as<float>();
  p.nested_offset = set(i).offset.as<float>();
  p.nested_blocksize = format::kNestedBlocksize;
  return p;
}

format::QuantizeBlockwise EncodeWeights::nested_step(int i, float offset) const {
  return nested_step_params(format::block_count(count_, kBlocksize), set(i).absmax.as<float>(), offset,
                            set(i).absmax_8bit.as<std::uint8_t>(), set(i).nested_absmax.as<float>());
}

void EncodeWeights::poison(int i) const {
  for (const DeviceArray* array :
       {&set(i).packed, &set(i).absmax, &set(i).absmax_8bit, &set(i).nested_absmax, &set(i).offset})
    array->poison();
}

Codes EncodeWeights::read(int i) const {
  return {set(i).packed.read<std::uint8_t>(), set(i).absmax.read<float>(), set(i).absmax_8bit.read<std::uint8_t>(),
          set(i).nested_absmax.read<float>(), set(i).offset.read<float>()[0]};
}

}  // namespace qfuse::bench
