// The SwiGLU backward with INT8 outputs on the CPU, and the oracle.
#include <fmt/format.h>
#include <qfuse/qfuse.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "cases/silu_dot_fwd_bwd_quant_fuse.h"
#include "cpu/cpu.h"
#include "format/layout.h"
#include "format/params.h"

namespace qfuse::bench {
namespace {

constexpr Rounds kOracleRounds{0, 3};

// The smallest, one of the middle and the largest of the published ones.
constexpr std::array kShapes = {Shape{1024, 2560}, Shape{2048, 4096}, Shape{8192, 4096}};

// One shape's inputs, in one piece, and the oracle's outputs: made once for the rows of a shape.
struct Fixture {
  explicit Fixture(const Shape& of)
      : shape(of), count(of.count()), in(count * 6), expected(output_size()), ok(make_expected()) {}

  // The outputs lie one after another. Every size here is a multiple of what tensors are aligned to.
  [[nodiscard]] format::SiluDotFwdBwdQuantFuse params(std::uint8_t* out) const {
    format::SiluDotFwdBwdQuantFuse p{};
    p.struct_size = sizeof p;
    p.m = shape.rows;
    p.h = shape.cols;
    p.group_size = format::kGroupSize;
    p.x = in.data();
    p.grad_y = in.data() + count * 4;
    p.grad_input_q = reinterpret_cast<std::int8_t*>(out);
    p.y_q_t = p.grad_input_q + count * 2;
    p.grad_input_s = reinterpret_cast<float*>(out + count * 3);
    p.y_s_t = p.grad_input_s + count * 2 / format::kGroupSize;
    return p;
  }
  [[nodiscard]] std::int64_t output_size() const {
    std::uint8_t anything = 0;
    return format::bytes(params(&anything)) - count * 6;
  }

  Shape shape;
  std::int64_t count;
  Memory in;
  Memory expected;
  bool ok;

 private:
  bool make_expected() {
    const tests::SiluCase values{"", shape.rows, shape.cols};
    const std::vector<std::uint16_t> x = tests::make_activations(values, 2 * shape.cols, 0, 1);
    const std::vector<std::uint16_t> grad_y = tests::make_activations(values, shape.cols, 0, 2);
    std::memcpy(in.data(), x.data(), x.size() * sizeof x[0]);
    std::memcpy(in.data() + count * 4, grad_y.data(), grad_y.size() * sizeof grad_y[0]);
    const format::SiluDotFwdBwdQuantFuse p = params(expected.data());
    const qfuse_exec exec = exec_of_oracle();
    return qfuse_silu_dot_fwd_bwd_quant_fuse(&p, &exec, nullptr) == QFUSE_OK;
  }
};

void time_backward(Report& report, Row row, const Fixture& f, const qfuse_exec& exec, Rounds rounds) {
  const Memory out(f.output_size());
  const format::SiluDotFwdBwdQuantFuse p = f.params(out.data());
  if (!f.ok || qfuse_silu_dot_fwd_bwd_quant_fuse(&p, &exec, nullptr) != QFUSE_OK ||
      !std::ranges::equal(out.span(), f.expected.span()))
    throw std::runtime_error("the outputs differ from the oracle's");
  const Memory roof_out(f.output_size());
  row.bytes = format::bytes(p);
  row = time_beside_roof(std::move(row), f.in.span(), roof_out.span(), exec, report.rounds(rounds),
                         [&] { qfuse_silu_dot_fwd_bwd_quant_fuse(&p, &exec, nullptr); });
  row.more["ns/element"] = row.timing.median * 1e3 / static_cast<double>(f.shape.count());
  report.add(row);
}

}  // namespace

void time_swiglu_on_cpu(const Options& options, Report& report) {
  for (const Shape shape : shapes_to_time(options, kShapes)) {
    std::unique_ptr<const Fixture> fixture;  // made for the first row that is wanted
    const auto time = [&](const qfuse_exec& exec, const std::string& target, Rounds rounds) {
      const std::string name = fmt::format("swiglu/{}x{}/{}", shape.rows, shape.cols, target);
      report.attempt_if_wanted(name, [&] {
        if (!fixture) fixture = std::make_unique<Fixture>(shape);
        time_backward(report, {.op = "swiglu", .name = name, .shape = shape}, *fixture, exec, rounds);
      });
    };
    for_targets([&](const qfuse_exec& exec, const std::string& target) { time(exec, target, kCpuRounds); });
    time(exec_of_oracle(), "reference/threads:1", kOracleRounds);
  }
}

}  // namespace qfuse::bench
