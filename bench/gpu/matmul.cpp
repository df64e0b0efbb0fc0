// qfuse-bench matmul on a GPU: bf16 products with an NF4 weight, compared with only reading the same number of bytes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "backend/cuda/gpu.h"
#include "format/layout.h"
#include "gpu/gpu.h"
#include "gpu/kernels.h"
#include "gpu/nf4_weights.h"
#include "gpu/timing.h"
#include "matmul_oracle.h"
#include "plans.h"

namespace qfuse::bench {
namespace {

constexpr std::array kWeights = {Shape{14336, 4096}, Shape{4096, 14336}};  // the MLP of an 8B Llama
constexpr std::array<std::int64_t, 7> kTokenCounts = {1, 8, 16, 32, 64, 128, 256};

struct Way {
  const char* name;
  qfuse_direction direction;
  qfuse_sum sum;
};
constexpr std::array kWays = {Way{"forward, split order", QFUSE_FORWARD, QFUSE_SUM_SPLIT},
                              Way{"forward, factored order", QFUSE_FORWARD, QFUSE_SUM_FACTORED},
                              Way{"forward, plain order", QFUSE_FORWARD, QFUSE_SUM_PLAIN},
                              Way{"backward", QFUSE_BACKWARD, QFUSE_SUM_PLAIN}};

// One way of multiplying m tokens. Each set's product is written to the set's buffer for the decoded weight.
class Product {
 public:
  Product(const DecodeWeights& weights, const Card& card, const Way& way, std::int64_t m)
      : weights_(weights), card_(card), params_(matmul_params(weights.shape(), way.direction, m, way.sum)) {
    inputs_ = random_inputs(params_);
    in_ = std::make_unique<DeviceArray>(card.index, inputs_.data(), static_cast<std::int64_t>(inputs_.size()));
  }

  [[nodiscard]] contract::Matmul4bit params(int set) const {
    contract::Matmul4bit p = params_;
    p.weight = weights_.params(set, QFUSE_BFLOAT16).weight;
    p.weight.rows = params_.weight.rows;
    p.weight.cols = params_.weight.cols;
    p.in = in_->as<void>();
    p.out = weights_.out(set).as<void>();
    return p;
  }
  [[nodiscard]] std::int64_t bytes() const { return contract::bytes(params(0)); }

  void multiply(int set, void* stream) const { run(params(set), exec_on(card_, stream)); }

  // On Hopper the bits equal the oracle's. Other GPUs' matrix instructions add in another order, so that a result may
  // round to the neighboring bf16 value, up to 2^-8 of it away.
  void require_right() const {
    constexpr double kMostDistance = 1.0 / 256;
    const Bytes oracle = multiply_by_oracle(params_, weights_.codes(), inputs_);
    weights_.out(0).poison();
    multiply(0, nullptr);
    const Bytes out = weights_.out(0).read<std::uint8_t>();
    if (card_.compute_capability != cuda::kHopper) {
      if (const double far = distance(params_, oracle, out.data()); !(far <= kMostDistance))
        throw std::runtime_error(fmt::format("{:.2g} of the result's norm are wrong", far));
    } else if (const std::string wrong = difference(params_, oracle, out.data()); !wrong.empty()) {
      throw std::runtime_error(wrong);
    }
  }

 private:
  const DecodeWeights& weights_;
  const Card& card_;
  contract::Matmul4bit params_;
  Bytes inputs_;
  std::unique_ptr<DeviceArray> in_;
};

// Returns the median time in microseconds.
double time_product(Report& report, const DecodeWeights& weights, const Card& card, const Way& way, std::int64_t m) {
  const Product product(weights, card, way, m);
  product.require_right();
  const std::int64_t bytes = product.bytes();
  const Enqueue read = [&](int set, void* stream) {
    read_all(weights.out(set).as<void>(), bytes, card.multiprocessors, static_cast<cudaStream_t>(stream));
  };
  const Enqueue multiply = [&](int set, void* stream) { product.multiply(set, stream); };
  const BesideRoof times =
      time_beside_roof(report, {{"as many bytes, read", read}}, {{way.name, multiply}}, weights.sets(), bytes);
  report.add({.op = "matmul",
              .name = way.name,
              .shape = weights.shape(),
              .timing = times.timings[0],
              .bytes = bytes,
              .roof_us = times.roof.median,
              .more = {{"m", m}, {"direction", name_of(way.direction)}}});
  return times.timings[0].median;
}

// One line with each table's fastest forward time and its estimate. It shows how well estimates hold on a GPU.
class Summary {
 public:
  explicit Summary(const Card& card) {
    if (const contract::Outcome o = cuda::device_facts(card.index, facts_); !o.ok())
      throw std::runtime_error(o.message);
    text_ = fmt::format("{}, compute capability {}, {} x {} MHz, {} GB/s; forward us, estimates in brackets", card.name,
                        facts_.compute_capability, facts_.multiprocessors, facts_.clock_khz / 1000,
                        facts_.memory_clock_khz / 1000 * 2 * (facts_.memory_bus_bits / 8) / 1000);
  }

  void begin_weight(Shape shape) { text_ += fmt::format("; {}:", text_of(shape)); }
  void add(const contract::Matmul4bit& p, double us) {
    text_ += fmt::format(" m={} {:.1f} ({:.1f})", p.m, us, estimate_us(p, facts_));
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  cuda::DeviceFacts facts_;
  std::string text_;
};

}  // namespace

void time_matmul_on_gpu(const Options& options, Report& report, const Card& card) {
  Summary summary(card);
  for (const Shape shape : shapes_to_time(options, kWeights)) {
    const int sets = sets_for(format::packed_size(shape.count()), card.l2_bytes);
    std::unique_ptr<const DecodeWeights> weights;  // made for the first table selected to run
    summary.begin_weight(shape);
    for (const std::int64_t m : options.quick ? std::span(kTokenCounts).first(1) : std::span(kTokenCounts)) {
      const std::string title = fmt::format("matmul {}, m = {}", text_of(shape), m);
      report.attempt_if_wanted(title, [&] {
        if (!weights) weights = std::make_unique<const DecodeWeights>(card, shape, sets);
        report.begin_table(title);
        double fastest = std::numeric_limits<double>::infinity();
        for (const Way& way : kWays)
          report.attempt(title + ", " + way.name, [&] {
            const double us = time_product(report, *weights, card, way, m);
            if (way.direction == QFUSE_FORWARD) fastest = std::min(fastest, us);
          });
        summary.add(Product(*weights, card, kWays.front(), m).params(0), fastest);
      });
    }
  }
  report.note("summary", summary.text(),
              fmt::format("\nTo tell how such a GPU does, send this line (docs/PORTING.md):\n{}", summary.text()));
}

}  // namespace qfuse::bench
