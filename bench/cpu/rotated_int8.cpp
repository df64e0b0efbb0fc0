// The ops of rotated_int8 on the CPU.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <type_traits>
#include <utility>

#include "cpu/cpu.h"
#include "ops.h"
#include "rotated_oracle.h"

namespace qfuse::bench {
namespace {

constexpr Shape kWeight{14336, 4096};  // shape of the weight: the MLP of a 7B to 8B Llama
constexpr Shape kQuickWeight{1024, 512};
constexpr std::int64_t kTokens = 64;
constexpr Rounds kProductRounds{0, 3};  // each run takes seconds on the scalar target

// One direction's answers from the oracle, and the arrays that the ops read and write.
struct Fixture {
  Fixture(Shape weight, qfuse_direction direction)
      : shape{weight, direction, kTokens},
        codes(random_codes(weight.count())),
        answers(answer_rotated(shape, codes)),
        packed(codes.packed),
        absmax_8bit(codes.absmax_8bit),
        nested_absmax(codes.nested_absmax),
        map(std::int64_t{QFUSE_QUANT_MAP_SIZE} * 4),
        in(RotatedAnswers::repeated(answers.in, kTokens)),
        in_q(RotatedAnswers::repeated(answers.in_q, kTokens)),
        in_scale(RotatedAnswers::repeated(answers.in_scale, kTokens)),
        weight_q(answers.weight_q),
        weight_scale(answers.weight_scale),
        out(RotatedAnswers::repeated(answers.out, kTokens)) {
    qfuse_nested_quant_map(map.as<float>());
    arrays.weight.packed = packed.data();
    arrays.weight.absmax_8bit = absmax_8bit.data();
    arrays.weight.nested_absmax = nested_absmax.as<float>();
    arrays.weight.nested_quant_map = map.as<float>();
    arrays.weight.nested_offset = &codes.nested_offset;
    arrays.in = in.data();
    arrays.in_q = in_q.as<std::int8_t>();
    arrays.in_scale = in_scale.as<float>();
    arrays.weight_q = weight_q.as<std::int8_t>();
    arrays.weight_scale = weight_scale.as<float>();
    arrays.out = out.data();
  }

  RotatedShape shape;
  Codes codes;
  RotatedAnswers answers;
  Memory packed;
  Memory absmax_8bit;
  Memory nested_absmax;
  Memory map;
  Memory in;
  Memory in_q;
  Memory in_scale;
  Memory weight_q;
  Memory weight_scale;
  Memory out;
  RotatedArrays arrays{};
};

contract::RotatedInt8Matmul product_of(const RotatedShape& shape, const RotatedArrays& arrays) {
  return rotated_product_params(shape, arrays, 0);
}

// Times one op on the oracle's inputs. The op's output array holds the oracle's answer before the first run.
template <auto kParams, Memory Fixture::*kOut, std::int64_t kElement>
void time_op(Report& report, Row row, const Fixture& fixture, const qfuse_exec& exec) {
  const auto p = kParams(fixture.shape, fixture.arrays);
  const Memory& out = fixture.*kOut;
  const Bytes expected(out.span().begin(), out.span().end());
  std::ranges::fill(out.span(), 0);
  run(p, exec);
  const Bytes actual(out.span().begin(), out.span().end());
  std::ranges::copy(expected, out.span().begin());
  require_rotated("the result", expected, actual.data(), kElement);
  row.bytes = contract::bytes(p);
  const Memory roof_in(row.bytes - out.size());
  const Memory roof_out(out.size());
  const bool is_product = std::is_same_v<decltype(p), const contract::RotatedInt8Matmul>;
  row = time_beside_roof(std::move(row), roof_in.span(), roof_out.span(), exec,
                         report.rounds(is_product ? kProductRounds : kCpuRounds), [&] { run(p, exec); });
  row.more["m"] = kTokens;
  report.add(row);
}

struct TimedOp {
  const char* name;
  void (*time)(Report& report, Row row, const Fixture& fixture, const qfuse_exec& exec);
};
constexpr std::array kOps = {TimedOp{"quantize", time_op<rotated_input_params, &Fixture::in_q, 1>},
                             TimedOp{"weight_scales", time_op<rotated_scales_params, &Fixture::weight_scale, 4>},
                             TimedOp{"weight", time_op<rotated_weight_params, &Fixture::weight_q, 1>},
                             TimedOp{"matmul", time_op<product_of, &Fixture::out, 2>}};

}  // namespace

void time_rotated_int8_on_cpu(const Options& options, Report& report) {
  const Shape shape = options.quick ? kQuickWeight : kWeight;
  for (const qfuse_direction direction : kDirections) {
    std::unique_ptr<const Fixture> fixture;  // made for the first row selected to run
    for (const TimedOp& op : kOps)
      for_targets([&](const qfuse_exec& exec, const std::string& target) {
        const std::string name = fmt::format("rotated_int8/{}/{}/{}", op.name, name_of(direction), target);
        report.attempt_if_wanted(name, [&] {
          if (!fixture) fixture = std::make_unique<const Fixture>(shape, direction);
          op.time(report, {.op = "rotated_int8", .name = name, .shape = shape}, *fixture, exec);
        });
      });
  }
}

}  // namespace qfuse::bench
