// qfuse-bench rotated_int8 on a GPU: quantizing a frozen NF4 weight and x or dy in a training step, and the product.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "gpu/gpu.h"
#include "gpu/kernels.h"
#include "gpu/nf4_weights.h"
#include "gpu/timing.h"
#include "rotated_oracle.h"

namespace qfuse::bench {
namespace {

constexpr std::array kWeights = {Shape{4096, 4096}, Shape{14336, 4096}, Shape{4096, 14336}};  // an 8B Llama's
constexpr std::array<std::int64_t, 2> kTokenCounts = {8192, 2048};

// Number of sets of all arrays that keeps L2 cold between two uses of a set, whichever op is timed.
int cold_sets(const RotatedShape& shape, const Card& card) {
  return sets_for(std::min(shape.weight.count(), shape.m * shape.terms()) * 3 / 2, card.l2_bytes);
}

class RotatedTensors {
 public:
  // answers must come from the codes that random_codes makes for a weight of this shape.
  RotatedTensors(const Card& card, const RotatedShape& shape, const RotatedAnswers& answers)
      : card_(card), shape_(shape), weights_(card, shape.weight, cold_sets(shape, card)), answers_(answers) {
    const auto copy = [&](const Bytes& bytes) {
      return DeviceArray(card.index, bytes.data(), static_cast<std::int64_t>(bytes.size()));
    };
    const Bytes in = RotatedAnswers::repeated(answers_.in, shape.m);
    const Bytes lora_in = RotatedAnswers::repeated(answers_.lora_in, shape.m);
    for (int i = 0; i < weights_.sets(); ++i)
      sets_.push_back({copy(in), copy(lora_in), copy(answers_.lora_weight),
                       DeviceArray(card.index, shape.m * shape.terms()), DeviceArray(card.index, shape.m * 4),
                       DeviceArray(card.index, shape.weight.count()), DeviceArray(card.index, shape.outputs() * 4),
                       DeviceArray(card.index, shape.m * shape.outputs() * kElementBytes)});
    for (int i = 0; i < weights_.sets(); ++i) {  // fills in every set what each op reads
      scales(i, nullptr);
      weight(i, nullptr);
      input(i, nullptr);
      product(i, nullptr, 0);
    }
  }

  [[nodiscard]] int sets() const { return weights_.sets(); }
  [[nodiscard]] RotatedArrays arrays(int i) const {
    const Set& set = sets_[static_cast<std::size_t>(i)];
    return {.weight = weights_.params(i, QFUSE_BFLOAT16).weight,
            .in = set.in.as<void>(),
            .in_q = set.in_q.as<std::int8_t>(),
            .in_scale = set.in_scale.as<float>(),
            .weight_q = set.weight_q.as<std::int8_t>(),
            .weight_scale = set.weight_scale.as<float>(),
            .lora_in = set.lora_in.as<void>(),
            .lora_weight = set.lora_weight.as<void>(),
            .out = set.out.as<void>()};
  }

  // Meaningless bytes to read: two per weight element.
  [[nodiscard]] const void* any(int set) const { return weights_.out(set).as<void>(); }

  void scales(int set, void* stream) const { run_on(rotated_scales_params(shape_, arrays(set)), stream); }
  void weight(int set, void* stream) const { run_on(rotated_weight_params(shape_, arrays(set)), stream); }
  void input(int set, void* stream) const { run_on(rotated_input_params(shape_, arrays(set)), stream); }
  void product(int set, void* stream, std::int64_t rank) const {
    run_on(rotated_product_params(shape_, arrays(set), rank), stream);
  }
  // The same product in bf16, with the NF4 weight as stored.
  void product_in_bf16(int set, void* stream) const {
    const RotatedArrays a = arrays(set);
    contract::Matmul4bit p = matmul_params(shape_.weight, shape_.direction, shape_.m, QFUSE_SUM_PLAIN);
    const qfuse_weight_4bit shape = p.weight;
    p.weight = a.weight;
    p.weight.rows = shape.rows;
    p.weight.cols = shape.cols;
    p.in = a.in;
    p.out = a.out;
    run_on(p, stream);
  }

  // Compares every byte of the first set's outputs with the oracle.
  void require_right() const {
    const Set& set = sets_.front();
    const auto require_same = [&](const char* what, const Bytes& expected, const DeviceArray& actual, int element) {
      require_rotated(what, expected, actual.read<std::uint8_t>().data(), element);
    };
    const auto of_all = [&](const Bytes& tokens) { return RotatedAnswers::repeated(tokens, shape_.m); };
    require_same("weight_scale", answers_.weight_scale, set.weight_scale, 4);
    require_same("weight_q", answers_.weight_q, set.weight_q, 1);
    require_same("in_scale", of_all(answers_.in_scale), set.in_scale, 4);
    require_same("in_q", of_all(answers_.in_q), set.in_q, 1);
    require_same("out", of_all(answers_.out), set.out, kElementBytes);
    set.out.poison();
    product(0, nullptr, kRotatedRank);
    require_same("out with LoRA's terms", of_all(answers_.out_with_lora), set.out, kElementBytes);
  }

 private:
  struct Set {
    DeviceArray in;
    DeviceArray lora_in;
    DeviceArray lora_weight;
    DeviceArray in_q;
    DeviceArray in_scale;
    DeviceArray weight_q;
    DeviceArray weight_scale;
    DeviceArray out;
  };

  template <class Op>
  void run_on(const Op& p, void* stream) const {
    run(p, exec_on(card_, stream));
  }

  const Card& card_;
  RotatedShape shape_;
  DecodeWeights weights_;
  const RotatedAnswers& answers_;
  std::vector<Set> sets_;
};

// Speeds of the products, printed after all tables. Matrix instructions bound them, and no roof here measures those.
struct Speeds {
  std::string text = fmt::format("\n{:<78} {:>8}", "operations of products", "TOP/s");
  Json json = Json::array();
  void add(const std::string& title, const std::string& name, double tera) {
    json.push_back({{"table", title}, {"name", name}, {"TOP/s", tera}});
    text += fmt::format("\n{:<78} {:>8.0f}", title + ": " + name, tera);
  }
};

// Times the steps against the roof of their bytes, and the products against the same product in bf16.
class Table {
 public:
  Table(Report& report, const Card& card, const RotatedShape& shape, const RotatedAnswers& answers)
      : report_(report), card_(card), shape_(shape), tensors_(card, shape, answers) {
    tensors_.require_right();
  }

  void time_all(const std::string& title, Speeds& speeds) {
    const RotatedArrays a = tensors_.arrays(0);
    const std::int64_t count = shape_.weight.count();
    const std::int64_t scales_bytes = contract::bytes(rotated_scales_params(shape_, a));
    const Candidate read = {"as many bytes, read", [&](int set, void* stream) {
                              read_all(tensors_.any(set), scales_bytes, card_.multiprocessors, as_stream(stream));
                            }};
    time("scales of the weight", scales_bytes, {read}, [&](int set, void* stream) { tensors_.scales(set, stream); });
    time("weight", contract::bytes(rotated_weight_params(shape_, a)),
         roofs_of(MoveTo::twice, count, &RotatedArrays::weight_q),
         [&](int set, void* stream) { tensors_.weight(set, stream); });
    time("x or dy", contract::bytes(rotated_input_params(shape_, a)),
         roofs_of(MoveTo::half, shape_.m * shape_.terms(), &RotatedArrays::in_q),
         [&](int set, void* stream) { tensors_.input(set, stream); });
    time_products(title, contract::bytes(rotated_product_params(shape_, a, 0)), speeds);
  }

 private:
  static cudaStream_t as_stream(void* stream) { return static_cast<cudaStream_t>(stream); }

  void time_products(const std::string& title, std::int64_t bytes, Speeds& speeds) {
    double in_bf16 = 0.0;
    const auto time_product = [&](const std::string& name, const Enqueue& enqueue) {
      const double us = time(name, bytes, {}, enqueue, in_bf16);
      speeds.add(title, name, 2e-6 * static_cast<double>(shape_.m * shape_.weight.count()) / us);
      return us;
    };
    in_bf16 = time_product("matmul_4bit, bf16, plain order",
                           [&](int set, void* stream) { tensors_.product_in_bf16(set, stream); });
    time_product("product", [&](int set, void* stream) { tensors_.product(set, stream, 0); });
    time_product(fmt::format("product, LoRA of rank {}", kRotatedRank),
                 [&](int set, void* stream) { tensors_.product(set, stream, kRotatedRank); });
    time_product("weight, x or dy, and product", [&](int set, void* stream) {
      tensors_.weight(set, stream);
      tensors_.input(set, stream);
      tensors_.product(set, stream, 0);
    });
  }

  // Roofs that write `bytes` to an op's output and read half or twice as many bytes.
  std::vector<Candidate> roofs_of(MoveTo size, std::int64_t bytes, std::int8_t* RotatedArrays::*to) const {
    std::vector<Candidate> roofs;
    roofs.reserve(kRoofTiles.size());
    for (const RoofTile& tile : kRoofTiles)
      roofs.push_back({"the same bytes, " + describe(tile), [=, this](int set, void* stream) {
                         const void* const from = size == MoveTo::half ? tensors_.arrays(set).in : tensors_.any(set);
                         move_bytes(from, tensors_.arrays(set).*to, bytes, size, tile, as_stream(stream));
                       }});
    return roofs;
  }

  // Returns the median in microseconds.
  double time(const std::string& name, std::int64_t bytes, const std::vector<Candidate>& roofs, const Enqueue& enqueue,
              double peer_us = 0.0) {
    const BesideRoof times = time_beside_roof(report_, roofs, {{name, enqueue}}, tensors_.sets(), bytes);
    report_.add({.op = "rotated_int8",
                 .name = name,
                 .shape = shape_.weight,
                 .timing = times.timings[0],
                 .bytes = bytes,
                 .roof_us = roofs.empty() ? 0.0 : times.roof.median,
                 .peer_us = peer_us,
                 .more = {{"m", shape_.m}, {"direction", name_of(shape_.direction)}}});
    return times.timings[0].median;
  }

  Report& report_;
  const Card& card_;
  RotatedShape shape_;
  RotatedTensors tensors_;
};

}  // namespace

void time_rotated_int8_on_gpu(const Options& options, Report& report, const Card& card) {
  Speeds speeds;
  for (const Shape weight : shapes_to_time(options, kWeights))
    for (const qfuse_direction direction : kDirections) {
      std::unique_ptr<const RotatedAnswers> answers;  // made for the first table selected to run
      for (const std::int64_t m : options.quick ? std::span(kTokenCounts).last(1) : std::span(kTokenCounts)) {
        const RotatedShape shape{weight, direction, m};
        const std::string title = fmt::format("rotated_int8 {}, {}, m = {}", text_of(weight), name_of(direction), m);
        report.attempt_if_wanted(title, [&] {
          if (!answers)
            answers = std::make_unique<const RotatedAnswers>(answer_rotated(shape, random_codes(weight.count())));
          Table table(report, card, shape, *answers);
          report.begin_table(title);
          table.time_all(title, speeds);
        });
      }
    }
  report.note("product_speeds", speeds.json, speeds.text);
}

}  // namespace qfuse::bench
