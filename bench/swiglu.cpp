// The SwiGLU backward with INT8 outputs on the CPU, beside the roof of the same bytes: every target, one thread and
// all, and the oracle. Each row asserts the result against the oracle before it times, then runs roof and kernel in
// turn.
#include "swiglu.h"

#include <benchmark/benchmark.h>
#include <qfuse/qfuse.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "cases/silu_dot_fwd_bwd_quant_fuse.h"
#include "format/layout.h"
#include "format/params.h"
#include "in_turn.h"

namespace qfuse::bench {
namespace {

constexpr int kOracleRuns = 3;

struct Shape {
  std::int64_t m;
  std::int64_t h;
  bool operator==(const Shape&) const = default;
};
// The smallest, one of the middle and the largest of the published ones.
constexpr std::array kShapes = {Shape{1024, 2560}, Shape{2048, 4096}, Shape{8192, 4096}};

qfuse_exec oracle_exec() {
  qfuse_exec exec = QFUSE_EXEC_INIT;
  exec.device = {QFUSE_REFERENCE, 0};
  return exec;
}

// One shape's inputs, in one piece, and the oracle's outputs: made once for the rows of a shape.
struct Fixture {
  explicit Fixture(const Shape& of)
      : shape(of), count(of.m * of.h), in(count * 6), expected(output_size()), ok(make_expected()) {}

  // The outputs lie one after another. Every size here is a multiple of what tensors are aligned to.
  [[nodiscard]] format::SiluDotFwdBwdQuantFuse params(std::uint8_t* out) const {
    format::SiluDotFwdBwdQuantFuse p{};
    p.struct_size = sizeof p;
    p.m = shape.m;
    p.h = shape.h;
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
    const tests::SiluCase values{"", shape.m, shape.h};
    const std::vector<std::uint16_t> x = tests::make_activations(values, 2 * shape.h, 0, 1);
    const std::vector<std::uint16_t> grad_y = tests::make_activations(values, shape.h, 0, 2);
    std::memcpy(in.data(), x.data(), x.size() * sizeof x[0]);
    std::memcpy(in.data() + count * 4, grad_y.data(), grad_y.size() * sizeof grad_y[0]);
    const format::SiluDotFwdBwdQuantFuse p = params(expected.data());
    const qfuse_exec exec = oracle_exec();
    return qfuse_silu_dot_fwd_bwd_quant_fuse(&p, &exec, nullptr) == QFUSE_OK;
  }
};

const Fixture& fixture(const Shape& shape) {
  static std::unique_ptr<const Fixture> current;
  if (!current || current->shape != shape) {
    current.reset();
    current = std::make_unique<const Fixture>(shape);
  }
  return *current;
}

void backward(benchmark::State& state, const Shape& shape, const qfuse_exec& exec) {
  const Fixture& f = fixture(shape);
  const Memory out(f.output_size());
  const format::SiluDotFwdBwdQuantFuse p = f.params(out.data());
  if (!f.ok || qfuse_silu_dot_fwd_bwd_quant_fuse(&p, &exec, nullptr) != QFUSE_OK ||
      !std::ranges::equal(out.span(), f.expected.span()))
    return state.SkipWithError("the outputs differ from the oracle's");
  const Memory roof_out(f.output_size());
  time_in_turn(state, format::bytes(p), f.in.span(), roof_out.span(), std::max(1, exec.threads),
               [&] { qfuse_silu_dot_fwd_bwd_quant_fuse(&p, &exec, nullptr); });
  state.counters["ns/element"] = state.counters["median_ms"] * 1e6 / static_cast<double>(f.count);
}

}  // namespace

void register_swiglu() {
  for (const Shape& shape : kShapes) {
    const std::string prefix = "swiglu/" + std::to_string(shape.m) + "x" + std::to_string(shape.h) + "/";
    for (int i = 0; const char* target = qfuse_cpu_target_name(i); ++i)
      for (const int threads : thread_counts())
        benchmark::RegisterBenchmark((prefix + target + "/threads:" + std::to_string(threads)).c_str(), backward, shape,
                                     exec_for(target, threads))
            ->UseManualTime()
            ->Iterations(kRuns);
    benchmark::RegisterBenchmark((prefix + "reference/threads:1").c_str(), backward, shape, oracle_exec())
        ->UseManualTime()
        ->Iterations(kOracleRuns);
  }
}

}  // namespace qfuse::bench
