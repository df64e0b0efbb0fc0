// NF4 decode and encode on the CPU.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include "cpu/cpu.h"
#include "nf4_oracle.h"
#include "ops.h"

namespace qfuse::bench {
namespace {

constexpr Shape kShape{4096, 14336};  // the MLP of a 7B to 8B Llama
constexpr Shape kQuickShape{512, 1024};

// A weight, its codes and decoded values from the oracle, and the arrays that the ops read and write.
struct Weight {
  Weight(Shape of, qfuse_dtype its_dtype)
      : count(of.count()),
        dtype(its_dtype),
        values(trained_weights(count, dtype)),
        codes(encode_by_oracle(values, count, dtype)),
        decoded(decode_by_oracle(codes, count, dtype)),
        in(values),
        packed(codes.packed),
        absmax_8bit(codes.absmax_8bit),
        nested_absmax(codes.nested_absmax),
        nested_offset(codes.nested_offset),
        workspace(contract::workspace_size(encode())),
        map(std::int64_t{QFUSE_QUANT_MAP_SIZE} * 4),
        out(in.size()) {
    qfuse_nested_quant_map(map.as<float>());
  }

  [[nodiscard]] contract::Quantize4bit encode() {
    contract::Quantize4bit p = encode_params(count, dtype, in.data(), packed.data(), nullptr);
    p.weight.absmax_8bit = absmax_8bit.data();
    p.weight.nested_absmax = nested_absmax.as<float>();
    p.weight.nested_offset = &nested_offset;
    return p;
  }

  [[nodiscard]] contract::Dequantize4bit decode() const {
    qfuse_weight_4bit arrays{};
    arrays.packed = packed.data();
    arrays.absmax_8bit = absmax_8bit.data();
    arrays.nested_absmax = nested_absmax.as<float>();
    arrays.nested_quant_map = map.as<float>();
    arrays.nested_offset = &nested_offset;
    return decode_params(count, dtype, arrays, out.data());
  }

  [[nodiscard]] bool is_encoded_right() const {
    return std::ranges::equal(packed.span(), codes.packed) && std::ranges::equal(absmax_8bit.span(), codes.absmax_8bit);
  }

  std::int64_t count;
  qfuse_dtype dtype;
  Bytes values;
  Codes codes;
  Bytes decoded;
  Memory in;
  Memory packed;
  Memory absmax_8bit;
  Memory nested_absmax;
  float nested_offset;
  Memory workspace;
  Memory map;
  Memory out;
};

void time_decode(Report& report, Row row, Weight& weight, const qfuse_exec& exec) {
  const contract::Dequantize4bit p = weight.decode();
  std::ranges::fill(weight.out.span(), 0);
  run(p, exec);
  if (!std::ranges::equal(weight.out.span(), weight.decoded))
    throw std::runtime_error("the decoded weight differs from the oracle's");
  row.bytes = contract::bytes(p);
  const Memory roof_in(row.bytes - weight.out.size());
  report.add(time_beside_roof(std::move(row), roof_in.span(), weight.out.span(), exec, report.rounds(kCpuRounds),
                              [&] { run(p, exec); }));
}

void time_encode(Report& report, Row row, Weight& weight, const qfuse_exec& exec) {
  contract::Quantize4bit p = weight.encode();
  p.workspace = weight.workspace.data();
  p.workspace_size = weight.workspace.size();
  std::ranges::fill(weight.packed.span(), 0);
  run(p, exec);
  if (!weight.is_encoded_right()) throw std::runtime_error("the encoded weight differs from the oracle's");
  row.bytes = contract::bytes(p);
  const Memory roof_out(row.bytes - weight.in.size());
  row = time_beside_roof(std::move(row), weight.in.span(), roof_out.span(), exec, report.rounds(kCpuRounds),
                         [&] { run(p, exec); });
  row.more["input_GB/s"] = static_cast<double>(weight.in.size()) / 1e3 / row.timing.median;
  report.add(row);
}

}  // namespace

void time_nf4_on_cpu(const Options& options, Report& report) {
  const Shape shape = options.quick ? kQuickShape : kShape;
  for (const qfuse_dtype dtype : {QFUSE_BFLOAT16, QFUSE_FLOAT16, QFUSE_FLOAT32}) {
    std::unique_ptr<Weight> weight;  // made for the first row selected to run
    for (const auto& way : {std::pair{"decode", &time_decode}, std::pair{"encode", &time_encode}}) {
      for_targets([&](const qfuse_exec& exec, const std::string& target) {
        const std::string name = fmt::format("nf4/{}/{}/{}", way.first, name_of(dtype), target);
        report.attempt_if_wanted(name, [&] {
          if (!weight) weight = std::make_unique<Weight>(shape, dtype);
          way.second(report, {.op = way.first, .name = name, .shape = shape}, *weight, exec);
        });
      });
    }
  }
}

}  // namespace qfuse::bench
