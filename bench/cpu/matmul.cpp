// Products with an NF4 weight on the CPU.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <utility>

#include "cpu/cpu.h"
#include "matmul_oracle.h"
#include "ops.h"

namespace qfuse::bench {
namespace {

constexpr Shape kWeight{14336, 4096};  // shape of the weight: the MLP of a 7B to 8B Llama
constexpr Shape kQuickWeight{1024, 512};
constexpr std::array<std::int64_t, 3> kTokenCounts = {1, 8, 64};
struct Sums {
  qfuse_sum sum;
  const char* name;
};
constexpr std::array<Sums, 3> kSums = {
    {{QFUSE_SUM_FP32, ""}, {QFUSE_SUM_BF16_DOT, "/bf16_dot"}, {QFUSE_SUM_BF16_AMX, "/bf16_amx"}}};
constexpr Rounds kManyTokensRounds{0, 3};  // each run takes seconds without AVX

// The inputs, the output and the oracle's answer of a product in one direction with m tokens.
struct Product {
  Product(Shape weight, qfuse_direction direction, std::int64_t m, qfuse_sum sum)
      : params(matmul_params(weight, direction, m, sum)),
        codes(random_codes(weight.count())),
        inputs(random_inputs(params)),
        expected(multiply_by_oracle(params, codes, inputs)),
        packed(codes.packed),
        absmax_8bit(codes.absmax_8bit),
        nested_absmax(codes.nested_absmax),
        map(std::int64_t{QFUSE_QUANT_MAP_SIZE} * 4),
        in(inputs),
        out(m * contract::output_count(params) * 2) {
    qfuse_nested_quant_map(map.as<float>());
    params.weight.packed = packed.data();
    params.weight.absmax_8bit = absmax_8bit.data();
    params.weight.nested_absmax = nested_absmax.as<float>();
    params.weight.nested_quant_map = map.as<float>();
    params.weight.nested_offset = &codes.nested_offset;
    params.in = in.data();
    params.out = out.data();
  }

  contract::Matmul4bit params;
  Codes codes;
  Bytes inputs;
  Bytes expected;
  Memory packed;
  Memory absmax_8bit;
  Memory nested_absmax;
  Memory map;
  Memory in;
  Memory out;
};

// Returns whether the CPU target of `exec` supports this sum, by a call with one small product.
bool can_have(qfuse_sum sum, const qfuse_exec& exec) {
  const std::uint8_t codes[32] = {};
  const float absmax = 1;
  const std::uint16_t x[64] = {};
  std::uint16_t y = 0;
  contract::Matmul4bit p = matmul_params({1, 64}, QFUSE_FORWARD, 1, sum);
  p.weight.packed = codes;
  p.weight.absmax = &absmax;
  p.in = x;
  p.out = &y;
  return capi::call(p, &exec) != QFUSE_UNSUPPORTED;
}

void time_product(Report& report, Row row, const Product& product, const qfuse_exec& exec) {
  const contract::Matmul4bit& p = product.params;
  std::ranges::fill(product.out.span(), 0);
  run(p, exec);
  if (const std::string wrong = difference(p, product.expected, product.out.data()); !wrong.empty())
    throw std::runtime_error(wrong);
  row.bytes = contract::bytes(p);
  const Memory roof_in(row.bytes - product.out.size());
  const Rounds rounds = report.rounds(p.m > 8 ? kManyTokensRounds : kCpuRounds);
  row = time_beside_roof(std::move(row), roof_in.span(), product.out.span(), exec, rounds, [&] { run(p, exec); });
  row.more["m"] = p.m;
  row.more["Gterms/s"] = static_cast<double>(p.m * row.shape.count()) / 1e3 / row.timing.median;
  report.add(row);
}

}  // namespace

void time_matmul_on_cpu(const Options& options, Report& report) {
  const Shape shape = options.quick ? kQuickWeight : kWeight;
  for (const qfuse_direction direction : kDirections)
    for (const std::int64_t m : kTokenCounts)
      for (const Sums& sums : kSums) {
        std::unique_ptr<const Product> product;  // made for the first row selected to run
        for_targets([&](const qfuse_exec& exec, const std::string& target) {
          if (!can_have(sums.sum, exec)) return;
          const std::string name = fmt::format("matmul/{}/m:{}{}/{}", name_of(direction), m, sums.name, target);
          report.attempt_if_wanted(name, [&] {
            if (!product) product = std::make_unique<const Product>(shape, direction, m, sums.sum);
            time_product(report, {.op = "matmul", .name = name, .shape = shape}, *product, exec);
          });
        });
      }
}

}  // namespace qfuse::bench
