#include "matmul_oracle.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "backend/cpu/parallel_for.h"
#include "format/rounding.h"
#include "reference/reference.h"

namespace qfuse::bench {
namespace {

constexpr std::int64_t kElement = 2;  // bytes per bf16

Bytes bytes_of(std::int64_t elements) { return Bytes(static_cast<std::size_t>(elements * kElement)); }

}  // namespace

const char* name_of(qfuse_direction direction) { return direction == QFUSE_FORWARD ? "forward" : "backward"; }

contract::Matmul4bit matmul_params(Shape weight, qfuse_direction direction, std::int64_t m, qfuse_sum sum) {
  contract::Matmul4bit p{};
  p.weight = decode_params(weight.count(), QFUSE_BFLOAT16, {}, nullptr).weight;
  p.weight.rows = weight.rows;
  p.weight.cols = weight.cols;
  p.direction = direction;
  p.dtype = QFUSE_BFLOAT16;
  p.m = m;
  p.sum = sum;
  return p;
}

Bytes random_inputs(const contract::Matmul4bit& p) {
  const std::int64_t terms = contract::term_count(p);
  const std::int64_t distinct = std::min(p.m, kOracleTokens) * terms;
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<std::uint16_t> values(static_cast<std::size_t>(p.m * terms));
  for (std::int64_t i = 0; i < p.m * terms; ++i)
    values[static_cast<std::size_t>(i)] =
        i < distinct ? format::to_bfloat16(normal(random)) : values[static_cast<std::size_t>(i - distinct)];
  Bytes bytes = bytes_of(p.m * terms);
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

Bytes multiply_by_oracle(const contract::Matmul4bit& p, const Codes& codes, const Bytes& inputs) {
  std::vector<float> map(QFUSE_QUANT_MAP_SIZE);
  qfuse_nested_quant_map(map.data());
  contract::Matmul4bit call = p;
  call.weight.packed = const_cast<std::uint8_t*>(codes.packed.data());
  call.weight.absmax_8bit = const_cast<std::uint8_t*>(codes.absmax_8bit.data());
  call.weight.nested_absmax = const_cast<float*>(codes.nested_absmax.data());
  call.weight.nested_quant_map = map.data();
  call.weight.nested_offset = const_cast<float*>(&codes.nested_offset);
  const std::int64_t tokens = std::min(p.m, kOracleTokens);
  Bytes out = bytes_of(tokens * contract::output_count(p));
  cpu::parallel_for(tokens, 1, 0, [&](std::int64_t begin, std::int64_t end) {
    contract::Matmul4bit part = call;
    part.m = end - begin;
    part.in = inputs.data() + begin * contract::term_count(p) * kElement;
    part.out = out.data() + begin * contract::output_count(p) * kElement;
    reference::matmul_4bit(part);
  });
  return out;
}

std::string difference(const contract::Matmul4bit& p, const Bytes& oracle, const void* out) {
  const std::int64_t token_bytes = contract::output_count(p) * kElement;
  for (std::int64_t token = 0; token < p.m; ++token) {
    const std::uint8_t* const expected = oracle.data() + token % kOracleTokens * token_bytes;
    const std::uint8_t* const actual = static_cast<const std::uint8_t*>(out) + token * token_bytes;
    if (const std::string wrong = difference(expected, actual, token_bytes, kElement); !wrong.empty())
      return "token " + std::to_string(token) + ", " + wrong;
  }
  return {};
}

double distance(const contract::Matmul4bit& p, const Bytes& oracle, const void* out) {
  const auto value = [](const void* values, std::int64_t i) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, static_cast<const std::uint8_t*>(values) + i * kElement, sizeof bits);
    return static_cast<double>(format::from_bfloat16(bits));
  };
  const std::int64_t outputs = contract::output_count(p);
  double off = 0;
  double all = 0;
  for (std::int64_t i = 0; i < p.m * outputs; ++i) {
    const double expected = value(oracle.data(), i % (kOracleTokens * outputs));
    off += std::pow(value(out, i) - expected, 2);
    all += expected * expected;
  }
  return std::sqrt(off / all);
}

}  // namespace qfuse::bench
