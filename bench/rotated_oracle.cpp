#include "rotated_oracle.h"

#include <cstring>
#include <random>
#include <stdexcept>
#include <vector>

#include "format/rounding.h"
#include "reference/reference.h"

namespace qfuse::bench {
namespace {

Bytes bytes_of(std::int64_t size) { return Bytes(static_cast<std::size_t>(size)); }

Bytes normal_numbers(std::int64_t count, float deviation, std::mt19937& random) {
  std::normal_distribution<float> normal(0.0F, deviation);
  std::vector<std::uint16_t> values(static_cast<std::size_t>(count));
  for (std::uint16_t& value : values) value = format::to_bfloat16(normal(random));
  Bytes bytes = bytes_of(count * 2);
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <class T>
T* of(Bytes& bytes) {
  return reinterpret_cast<T*>(bytes.data());
}

qfuse_weight_4bit weight_of(Shape shape, const qfuse_weight_4bit& arrays) {
  qfuse_weight_4bit w = decode_params(shape.count(), QFUSE_BFLOAT16, arrays, nullptr).weight;
  w.rows = shape.rows;
  w.cols = shape.cols;
  return w;
}

}  // namespace

contract::RotatedInt8Quantize rotated_input_params(const RotatedShape& shape, const RotatedArrays& arrays) {
  contract::RotatedInt8Quantize p{};
  p.rows = shape.m;
  p.cols = shape.terms();
  p.in_dtype = QFUSE_BFLOAT16;
  p.in = arrays.in;
  p.q = arrays.in_q;
  p.scale = arrays.in_scale;
  return p;
}

contract::RotatedInt8WeightScales rotated_scales_params(const RotatedShape& shape, const RotatedArrays& arrays) {
  contract::RotatedInt8WeightScales p{};
  p.weight = weight_of(shape.weight, arrays.weight);
  p.direction = shape.direction;
  p.scale = arrays.weight_scale;
  return p;
}

contract::RotatedInt8Weight rotated_weight_params(const RotatedShape& shape, const RotatedArrays& arrays) {
  contract::RotatedInt8Weight p{};
  p.weight = weight_of(shape.weight, arrays.weight);
  p.direction = shape.direction;
  p.scale = arrays.weight_scale;
  p.q = arrays.weight_q;
  return p;
}

contract::RotatedInt8Matmul rotated_product_params(const RotatedShape& shape, const RotatedArrays& arrays,
                                                   std::int64_t rank) {
  contract::RotatedInt8Matmul p{};
  p.m = shape.m;
  p.n = shape.outputs();
  p.k = shape.terms();
  p.dtype = QFUSE_BFLOAT16;
  p.in_q = arrays.in_q;
  p.in_scale = arrays.in_scale;
  p.weight_q = arrays.weight_q;
  p.weight_scale = arrays.weight_scale;
  p.out = arrays.out;
  p.direction = shape.direction;
  p.lora_rank = rank;
  p.lora_in = arrays.lora_in;
  p.lora_weight = arrays.lora_weight;
  return p;
}

Bytes RotatedAnswers::repeated(const Bytes& tokens, std::int64_t m) {
  const std::size_t each = tokens.size() / kOracleTokens;
  Bytes all;
  for (std::int64_t token = 0; token < m; ++token) {
    const auto begin = tokens.begin() + static_cast<std::ptrdiff_t>(token % kOracleTokens * each);
    all.insert(all.end(), begin, begin + static_cast<std::ptrdiff_t>(each));
  }
  return all;
}

RotatedAnswers answer_rotated(const RotatedShape& of_many, const Codes& codes) {
  const RotatedShape shape{of_many.weight, of_many.direction, kOracleTokens};
  std::mt19937 random(1);
  RotatedAnswers made{.in = normal_numbers(shape.m * shape.terms(), 1.0F, random),
                      .lora_in = normal_numbers(shape.m * kRotatedRank, 1.0F, random),
                      .lora_weight = normal_numbers(shape.outputs() * kRotatedRank, 0.2F, random),
                      .in_q = bytes_of(shape.m * shape.terms()),
                      .in_scale = bytes_of(shape.m * 4),
                      .weight_q = bytes_of(shape.weight.count()),
                      .weight_scale = bytes_of(shape.outputs() * 4),
                      .out = bytes_of(shape.m * shape.outputs() * 2),
                      .out_with_lora = bytes_of(shape.m * shape.outputs() * 2)};
  std::vector<float> map(QFUSE_QUANT_MAP_SIZE);
  qfuse_nested_quant_map(map.data());
  RotatedArrays arrays{.weight = {},
                       .in = made.in.data(),
                       .in_q = of<std::int8_t>(made.in_q),
                       .in_scale = of<float>(made.in_scale),
                       .weight_q = of<std::int8_t>(made.weight_q),
                       .weight_scale = of<float>(made.weight_scale),
                       .lora_in = made.lora_in.data(),
                       .lora_weight = made.lora_weight.data(),
                       .out = made.out.data()};
  arrays.weight.packed = codes.packed.data();
  arrays.weight.absmax_8bit = codes.absmax_8bit.data();
  arrays.weight.nested_absmax = codes.nested_absmax.data();
  arrays.weight.nested_quant_map = map.data();
  arrays.weight.nested_offset = &codes.nested_offset;
  reference::rotated_int8_quantize(rotated_input_params(shape, arrays));
  reference::rotated_int8_weight_scales(rotated_scales_params(shape, arrays));
  reference::rotated_int8_weight(rotated_weight_params(shape, arrays));
  reference::rotated_int8_matmul(rotated_product_params(shape, arrays, 0));
  arrays.out = made.out_with_lora.data();
  reference::rotated_int8_matmul(rotated_product_params(shape, arrays, kRotatedRank));
  return made;
}

void require_rotated(const char* what, const Bytes& expected, const void* actual, std::int64_t element) {
  const std::string wrong = difference(expected.data(), actual, static_cast<std::int64_t>(expected.size()), element);
  if (!wrong.empty()) throw std::runtime_error(std::string(what) + ": " + wrong);
}

}  // namespace qfuse::bench
