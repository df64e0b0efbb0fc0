// Times swiglu on the CPU and in the oracle: the INT8 backward with the published operator's outputs, the e4m3 backward
// with all outputs, and the e4m3 forward.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>
#include <utility>

#include "cpu/cpu.h"
#include "format/rounding.h"
#include "ops.h"

namespace qfuse::bench {
namespace {

constexpr Rounds kOracleRounds{0, 3};

// The smallest, a middle and the largest of the published shapes.
constexpr std::array kShapes = {Shape{1024, 2560}, Shape{2048, 4096}, Shape{8192, 4096}};

struct Outputs {
  const char* name;  // part of the row's name
  qfuse_payload payload;
  bool transposed;  // also writes the transposed gradient
  bool forward;     // writes y by rows and transposed, not the gradient by rows and y transposed
};
constexpr std::array kOutputs = {Outputs{"", QFUSE_INT8, false, false}, Outputs{"e4m3/", QFUSE_E4M3, true, false},
                                 Outputs{"forward/", QFUSE_E4M3, false, true}};

// One shape's inputs, in one allocation, and the oracle's outputs, made once for all rows of that shape.
struct Fixture {
  Fixture(const Shape& of, const Outputs& asked)
      : shape(of), outputs(asked), count(of.count()), in(count * 6), expected(output_size()) {
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    std::generate_n(in.as<std::uint16_t>(), count * 3, [&] { return format::to_bfloat16(normal(random)); });
    run(params(expected.data()), exec_of_oracle());
  }

  // Places the outputs one after another. Every size here is a multiple of the tensors' alignment.
  [[nodiscard]] contract::Swiglu params(std::uint8_t* out) const {
    contract::Swiglu p{};
    p.m = shape.rows;
    p.h = shape.cols;
    p.format.group_size = QFUSE_SWIGLU_GROUP_SIZE;
    p.x = in.data();
    p.format.payload_type = outputs.payload;
    const std::int64_t scales_size = count / QFUSE_SWIGLU_GROUP_SIZE * static_cast<std::int64_t>(sizeof(float));
    if (outputs.forward) {
      p.y.q = out;
      p.y_t.q = out + count;
      p.y.s = out + count * 2;
      p.y_t.s = out + count * 2 + scales_size;
      return p;
    }
    p.grad_y = in.data() + count * 4;
    p.grad_input.q = out;
    p.y_t.q = out + count * 2;
    std::uint8_t* const scales = out + count * (outputs.transposed ? 5 : 3);
    p.grad_input.s = scales;
    p.y_t.s = scales + 2 * scales_size;
    if (outputs.transposed) {
      p.grad_input_t.q = out + count * 3;
      p.grad_input_t.s = scales + 3 * scales_size;
    }
    return p;
  }
  [[nodiscard]] std::span<const std::uint8_t> inputs() const {
    return in.span().first(static_cast<std::size_t>(count * (outputs.forward ? 4 : 6)));
  }
  [[nodiscard]] std::int64_t output_size() const {
    std::uint8_t anything = 0;
    return contract::bytes(params(&anything)) - count * (outputs.forward ? 4 : 6);
  }

  Shape shape;
  Outputs outputs;
  std::int64_t count;
  Memory in;
  Memory expected;
};

void time_outputs(Report& report, Row row, const Fixture& f, const qfuse_exec& exec, Rounds rounds) {
  const Memory out(f.output_size());
  const contract::Swiglu p = f.params(out.data());
  run(p, exec);
  if (!std::ranges::equal(out.span(), f.expected.span()))
    throw std::runtime_error("the outputs differ from the oracle's");
  const Memory roof_out(f.output_size());
  row.bytes = contract::bytes(p);
  row =
      time_beside_roof(std::move(row), f.inputs(), roof_out.span(), exec, report.rounds(rounds), [&] { run(p, exec); });
  row.more["ns/element"] = row.timing.median * 1e3 / static_cast<double>(f.shape.count());
  report.add(row);
}

void time_shape(Report& report, const Shape& shape, const Outputs& outputs) {
  std::unique_ptr<const Fixture> fixture;  // made for the first row selected to run
  const auto time = [&](const qfuse_exec& exec, const std::string& target, Rounds rounds) {
    const std::string name = fmt::format("swiglu/{}{}x{}/{}", outputs.name, shape.rows, shape.cols, target);
    report.attempt_if_wanted(name, [&] {
      if (!fixture) fixture = std::make_unique<Fixture>(shape, outputs);
      time_outputs(report, {.op = "swiglu", .name = name, .shape = shape}, *fixture, exec, rounds);
    });
  };
  for_targets([&](const qfuse_exec& exec, const std::string& target) { time(exec, target, kCpuRounds); });
  time(exec_of_oracle(), "reference/threads:1", kOracleRounds);
}

}  // namespace

void time_swiglu_on_cpu(const Options& options, Report& report) {
  for (const Shape shape : shapes_to_time(options, kShapes))
    for (const Outputs& outputs : kOutputs) time_shape(report, shape, outputs);
}

}  // namespace qfuse::bench
