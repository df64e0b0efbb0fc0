// NF4 decode and encode on the CPU.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include "cpu/cpu.h"
#include "format/layout.h"
#include "nf4_oracle.h"

namespace qfuse::bench {
namespace {

constexpr Shape kShape{4096, 14336};  // the MLP of a 7B to 8B Llama
constexpr Shape kQuickShape{512, 1024};

// A weight, what the oracle makes of it, and the arrays that the ops write.
struct Weight {
  Weight(Shape of, qfuse_dtype its_dtype)
      : shape(of),
        dtype(its_dtype),
        values(trained_weights(of.count(), dtype)),
        codes(encode_by_oracle(values, of.count(), dtype)),
        in(values),
        packed(codes.packed),
        absmax(codes.absmax),
        absmax_8bit(codes.absmax_8bit),
        nested_absmax(codes.nested_absmax),
        nested_offset(codes.nested_offset),
        map(std::int64_t{format::kCodes8} * 4),
        out(static_cast<std::int64_t>(values.size())) {
    qfuse_nested_quant_map(map.as<float>());
    decoded = decode_by_oracle(decode_params());
  }

  [[nodiscard]] format::Quantize4bit encode_params() {
    format::Quantize4bit p = plain_params(shape.count(), dtype, in.data(), packed.data(), absmax.as<float>());
    p.absmax_8bit = absmax_8bit.data();
    p.nested_absmax = nested_absmax.as<float>();
    p.nested_offset = &nested_offset;
    p.nested_blocksize = format::kNestedBlocksize;
    return p;
  }

  [[nodiscard]] format::Dequantize4bit decode_params() const {
    format::Dequantize4bit p{};
    p.struct_size = sizeof p;
    p.n = shape.count();
    p.blocksize = kBlocksize;
    p.quant_type = QFUSE_NF4;
    p.out_dtype = dtype;
    p.packed = packed.data();
    p.absmax_8bit = absmax_8bit.data();
    p.nested_absmax = nested_absmax.as<float>();
    p.nested_quant_map = map.as<float>();
    p.nested_blocksize = format::kNestedBlocksize;
    p.nested_offset = nested_offset;
    p.out = out.data();
    return p;
  }

  [[nodiscard]] bool is_encoded_right() const {
    return std::ranges::equal(packed.span(), codes.packed) && std::ranges::equal(absmax_8bit.span(), codes.absmax_8bit);
  }

  Shape shape;
  qfuse_dtype dtype;
  Bytes values;
  Codes codes;
  Bytes decoded;
  Memory in;
  Memory packed;
  Memory absmax;
  Memory absmax_8bit;
  Memory nested_absmax;
  float nested_offset;
  Memory map;
  Memory out;
};

void time_decode(Report& report, Row row, Weight& weight, const qfuse_exec& exec) {
  const format::Dequantize4bit p = weight.decode_params();
  std::ranges::fill(weight.out.span(), 0);
  if (qfuse_dequantize_4bit(&p, &exec, nullptr) != QFUSE_OK || !std::ranges::equal(weight.out.span(), weight.decoded))
    throw std::runtime_error("the decoded weight differs from the oracle's");
  row.bytes = format::bytes(p);
  const Memory roof_in(row.bytes - weight.out.size());
  report.add(time_beside_roof(std::move(row), roof_in.span(), weight.out.span(), exec, report.rounds(kCpuRounds),
                              [&] { qfuse_dequantize_4bit(&p, &exec, nullptr); }));
}

void time_encode(Report& report, Row row, Weight& weight, const qfuse_exec& exec) {
  const format::Quantize4bit p = weight.encode_params();
  std::ranges::fill(weight.packed.span(), 0);
  if (qfuse_quantize_4bit(&p, &exec, nullptr) != QFUSE_OK || !weight.is_encoded_right())
    throw std::runtime_error("the encoded weight differs from the oracle's");
  row.bytes = format::bytes(p);
  const Memory roof_out(row.bytes - weight.in.size());
  row = time_beside_roof(std::move(row), weight.in.span(), roof_out.span(), exec, report.rounds(kCpuRounds),
                         [&] { qfuse_quantize_4bit(&p, &exec, nullptr); });
  row.more["input_GB/s"] = static_cast<double>(weight.in.size()) / 1e3 / row.timing.median;
  report.add(row);
}

}  // namespace

void time_nf4_on_cpu(const Options& options, Report& report) {
  const Shape shape = options.quick ? kQuickShape : kShape;
  for (const qfuse_dtype dtype : {QFUSE_BFLOAT16, QFUSE_FLOAT16, QFUSE_FLOAT32}) {
    std::unique_ptr<Weight> weight;  // made for the first row that is wanted
    for (const auto& [op, time] : {std::pair{"decode", &time_decode}, std::pair{"encode", &time_encode}}) {
      for_targets([&](const qfuse_exec& exec, const std::string& target) {
        const std::string name = fmt::format("nf4/{}/{}/{}", op, name_of(dtype), target);
        report.attempt_if_wanted(name, [&] {
          if (!weight) weight = std::make_unique<Weight>(shape, dtype);
          time(report, {.op = op, .name = name, .shape = shape}, *weight, exec);
        });
      });
    }
  }
}

}  // namespace qfuse::bench
