#include "plans.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <string_view>
#include <vector>

#include "backend/cuda/dequantize_4bit/plan.h"
#include "backend/cuda/facts.h"
#include "backend/cuda/matmul_4bit/estimates.h"
#include "backend/cuda/quantize_4bit/plan.h"
#include "backend/cuda/rotated_int8/plan.h"
#include "backend/cuda/swiglu/plan.h"
#include "matmul_oracle.h"
#include "nf4_oracle.h"
#include "report.h"
#include "rotated_oracle.h"

namespace qfuse::bench {
namespace {

using cuda::dequantize_4bit::candidates;
using cuda::dequantize_4bit::plan;
using cuda::matmul_4bit::candidates;
using cuda::matmul_4bit::plan;
using cuda::quantize_4bit::candidates;
using cuda::quantize_4bit::plan;
using cuda::rotated_int8::candidates;
using cuda::rotated_int8::plan;
using cuda::swiglu::candidates;
using cuda::swiglu::plan;

struct Device {
  const char* name;
  cuda::DeviceFacts facts;
};
constexpr std::array kDevices = {Device{"h100", cuda::kH100},
                                 Device{"h200", cuda::kH200},
                                 Device{"t4", cuda::kT4},
                                 Device{"a100", cuda::kA100},
                                 Device{"rtx3090", cuda::kRtx3090},
                                 Device{"l4", cuda::kL4},
                                 Device{"rtx4090", cuda::kRtx4090},
                                 Device{"rtx5090", cuda::kRtx5090},
                                 Device{"unknown", {.multiprocessors = 64, .l2_bytes = 32 << 20}}};

constexpr std::array kNf4Shapes = {Shape{1024, 4096}, Shape{2048, 8192}, Shape{4096, 14336}, Shape{8192, 28672}};
constexpr std::array<std::int64_t, 3> kTokens = {1, 16, 512};
constexpr std::array kSwigluShapes = {Shape{1024, 2560}, Shape{2048, 4096}, Shape{4096, 2560}, Shape{8192, 4096}};

// A pointer that plans see as aligned like an allocator's. The memory is never read.
template <class T>
T* aligned() {
  alignas(256) static std::array<std::byte, 256> memory;
  return reinterpret_cast<T*>(memory.data());
}

contract::Dequantize4bit decode_of(Shape shape) {
  qfuse_weight_4bit arrays{};
  arrays.packed = arrays.absmax_8bit = aligned<std::uint8_t>();
  arrays.nested_absmax = arrays.nested_quant_map = arrays.nested_offset = aligned<float>();
  return decode_params(shape.count(), QFUSE_BFLOAT16, arrays, aligned<void>());
}

contract::Quantize4bit encode_of(Shape shape) {
  contract::Quantize4bit p =
      encode_params(shape.count(), QFUSE_BFLOAT16, aligned<void>(), aligned<std::uint8_t>(), nullptr);
  p.weight.absmax_8bit = aligned<std::uint8_t>();
  p.weight.nested_absmax = p.weight.nested_offset = aligned<float>();
  return p;
}

contract::Swiglu backward_of(Shape shape) {
  contract::Swiglu p{};
  p.m = shape.rows;
  p.h = shape.cols;
  p.format.group_size = QFUSE_SWIGLU_GROUP_SIZE;
  p.x = p.grad_y = p.grad_input.q = p.y_t.q = aligned<void>();
  p.grad_input.s = p.y_t.s = aligned<float>();
  return p;
}

contract::RotatedInt8Swiglu rotated_swiglu_of(Shape shape, qfuse_direction direction) {
  contract::RotatedInt8Swiglu p{};
  p.m = shape.rows;
  p.h = shape.cols;
  p.direction = direction;
  p.gate = p.up = p.grad_y = p.out = aligned<void>();
  p.q = aligned<std::int8_t>();
  p.scale = aligned<float>();
  return p;
}

RotatedArrays rotated_arrays() {
  RotatedArrays arrays{.weight = {},
                       .in = aligned<void>(),
                       .in_q = aligned<std::int8_t>(),
                       .in_scale = aligned<float>(),
                       .weight_q = aligned<std::int8_t>(),
                       .weight_scale = aligned<float>(),
                       .lora_in = nullptr,
                       .lora_weight = nullptr,
                       .out = aligned<void>()};
  arrays.weight = decode_of({1, kBlocksize}).weight;
  return arrays;
}

struct Sum {
  qfuse_sum sum;
  const char* name;
};

// The orders of summation that products of m tokens use by default.
std::vector<Sum> sums_of(std::int64_t m, qfuse_direction direction) {
  if (direction == QFUSE_FORWARD && m <= cuda::matmul_4bit::kSplitKTokens.back())
    return {{QFUSE_SUM_SPLIT, "split"}, {QFUSE_SUM_FACTORED, "factored"}};
  return {{QFUSE_SUM_PLAIN, "plain"}};
}

contract::Matmul4bit product_of(Shape shape, std::int64_t m, qfuse_direction direction, qfuse_sum sum) {
  contract::Matmul4bit p = matmul_params(shape, direction, m, sum);
  p.weight.packed = p.weight.absmax_8bit = aligned<std::uint8_t>();
  p.weight.nested_absmax = p.weight.nested_quant_map = p.weight.nested_offset = aligned<float>();
  p.in = p.out = aligned<void>();
  return p;
}

// A product with a stack of eight weights of this shape.
contract::Matmul4bitGrouped grouped_of(Shape shape, std::int64_t m, qfuse_direction direction, qfuse_sum sum) {
  const contract::Matmul4bit product = product_of(shape, m, direction, sum);
  contract::Matmul4bitGrouped p{};
  p.experts = 8;
  p.weight = product.weight;
  p.weight.rows *= p.experts;
  p.direction = direction;
  p.dtype = product.dtype;
  p.m = m;
  p.in = product.in;
  p.out = product.out;
  p.expert_ends = aligned<void>();
  p.sum = sum;
  return p;
}

template <class Plan>
void print_shape(Shape shape, const Plan& chosen, const std::vector<Plan>& candidates) {
  const std::string plan = contract::print(chosen.fields());
  fmt::print("  {:<14} {}\n", text_of(shape), plan);
  for (const Plan& candidate : candidates)
    if (const std::string other = contract::print(candidate.fields()); other != plan)
      fmt::print("  {:<14} {}\n", "  or", other);
}

// Prints estimates for an 8B Llama's MLP in fp16, for which every GPU with estimates has matrix instructions.
void print_estimates(const cuda::DeviceFacts& facts) {
  if (!cuda::matmul_4bit::has_estimates(facts)) return;
  fmt::print(" {}, NF4, nested, fp16, forward, estimated\n", cuda::matmul_4bit::Plan::kOp);
  for (const Shape shape : {Shape{14336, 4096}, Shape{4096, 14336}})
    for (const std::int64_t m : {1, 16, 64, 128}) {
      contract::Matmul4bit p = product_of(shape, m, QFUSE_FORWARD, QFUSE_SUM_PLAIN);
      p.dtype = QFUSE_FLOAT16;
      fmt::print("  {:<14} m={:<3} {:>6.1f} us, decoded first {:>6.1f}\n", text_of(shape), m, estimate_us(p, facts),
                 cuda::matmul_4bit::decoded_us(p, facts));
    }
}

void print_products(const cuda::DeviceFacts& facts) {
  for (const qfuse_direction direction : kDirections)
    for (const std::int64_t m : kTokens)
      for (const Sum& sum : sums_of(m, direction)) {
        fmt::print(" {}, NF4, nested, bf16, {}, {} sums, {} token{}\n", cuda::matmul_4bit::Plan::kOp,
                   name_of(direction), sum.name, m, m == 1 ? "" : "s");
        for (const Shape shape : kNf4Shapes) {
          const contract::Matmul4bit p = product_of(shape, m, direction, sum.sum);
          print_shape(shape, plan(p, facts), candidates(p, facts));
        }
      }
}

// Omits the plans of a weight's scales, which are like those of its codes.
void print_rotated(const cuda::DeviceFacts& facts) {
  for (const qfuse_direction direction : kDirections) {
    const auto print = [&](const char* op, const char* of, const auto& print_one) {
      fmt::print(" {}, {}, {}, {} tokens\n", op, of, name_of(direction), kTokens.back());
      for (const Shape shape : kNf4Shapes) print_one(RotatedShape{shape, direction, kTokens.back()});
    };
    print(cuda::rotated_int8::QuantizePlan::kOp, "from bf16", [](const RotatedShape& shape) {
      const auto p = rotated_input_params(shape, rotated_arrays());
      print_shape(shape.weight, plan(p), candidates(p));
    });
    fmt::print(" {}, {}\n", cuda::rotated_int8::SwigluPlan::kOp, name_of(direction));
    for (const Shape shape : kSwigluShapes) {
      const contract::RotatedInt8Swiglu p = rotated_swiglu_of(shape, direction);
      print_shape(shape, plan(p, facts), candidates(p, facts));
    }
    print(cuda::rotated_int8::WeightPlan::kOp, "NF4, nested", [&](const RotatedShape& shape) {
      const auto p = rotated_weight_params(shape, rotated_arrays());
      print_shape(shape.weight, plan(p, facts), candidates(p, facts));
    });
    print(cuda::rotated_int8::MatmulPlan::kOp, "to bf16", [&](const RotatedShape& shape) {
      const auto p = rotated_product_params(shape, rotated_arrays(), 0);
      print_shape(shape.weight, plan(p, facts), candidates(p, facts));
    });
  }
}

void print_device(const Device& device) {
  const cuda::DeviceFacts& facts = device.facts;
  fmt::print("{}: {} multiprocessors, {} MiB of L2\n", device.name, facts.multiprocessors, facts.l2_bytes >> 20);
  fmt::print(" {}, NF4, nested, to bf16\n", cuda::dequantize_4bit::Plan::kOp);
  for (const Shape shape : kNf4Shapes) {
    const contract::Dequantize4bit p = decode_of(shape);
    print_shape(shape, plan(p, facts), candidates(p, facts));
  }
  fmt::print(" {}, NF4, nested, from bf16\n", cuda::quantize_4bit::Plan::kOp);
  for (const Shape shape : kNf4Shapes) {
    const contract::Quantize4bit p = encode_of(shape);
    print_shape(shape, plan(p), candidates(p));
  }
  print_products(facts);
  print_estimates(facts);
  fmt::print(" {}\n", cuda::swiglu::Plan::kOp);
  for (const Shape shape : kSwigluShapes) {
    const contract::Swiglu p = backward_of(shape);
    print_shape(shape, plan(p, facts), candidates(p, facts));
  }
  print_rotated(facts);
}

// ---- forcing plans ----

// The plans of an op over all calls added, and the names of the fields that distinguish one call's plans.
struct OpPlans {
  const char* op;
  std::vector<std::vector<contract::Field>> plans;
  std::set<std::string> choices;
};

// Adds a call's candidate plans. A field is a choice if it excludes candidates that the fields before it left.
template <class Plan>
void add(OpPlans& known, const std::vector<Plan>& candidates) {
  for (const Plan& plan : candidates) {
    const auto fields = plan.fields();
    std::vector<Plan> left = candidates;
    for (std::size_t i = 0; i < fields.size(); ++i)
      if (std::erase_if(left, [&](const Plan& other) { return other.fields()[i] != fields[i]; }) > 0)
        known.choices.insert(fields[i].name);
    known.plans.emplace_back(fields.begin(), fields.end());
  }
}

// Returns the distinct plans in QFUSE_PLAN's form.
std::vector<std::string> texts_of(const OpPlans& known) {
  std::vector<std::string> texts;
  for (const std::vector<contract::Field>& plan : known.plans) {
    std::string text;
    for (const contract::Field& field : plan)
      if (known.choices.contains(field.name))
        text.append(text.empty() ? ":" : ",").append(field.name).append("=").append(field.value);
    text.insert(0, known.op);
    if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
  }
  return texts;
}

// A backward by rows, a backward with the transposed gradient too, and a forward.
std::vector<contract::Swiglu> swiglus_of(Shape shape) {
  contract::Swiglu both = backward_of(shape);
  both.grad_input_t.q = both.grad_input_t.s = aligned<void>();
  contract::Swiglu forward = backward_of(shape);
  forward.grad_input.q = forward.grad_input.s = nullptr;
  forward.y.q = forward.y.s = aligned<void>();
  return {backward_of(shape), both, forward};
}

std::vector<OpPlans> all_plans(const cuda::DeviceFacts& facts) {
  OpPlans decode = {cuda::dequantize_4bit::Plan::kOp, {}, {}};
  OpPlans encode = {cuda::quantize_4bit::Plan::kOp, {}, {}};
  OpPlans product = {cuda::matmul_4bit::Plan::kOp, {}, {}};
  OpPlans grouped = {cuda::matmul_4bit::GroupedPlan::kOp, {}, {}};
  OpPlans swiglu = {cuda::swiglu::Plan::kOp, {}, {}};
  OpPlans rotated_input = {cuda::rotated_int8::QuantizePlan::kOp, {}, {}};
  OpPlans rotated_scales = {cuda::rotated_int8::WeightScalesPlan::kOp, {}, {}};
  OpPlans rotated_weight = {cuda::rotated_int8::WeightPlan::kOp, {}, {}};
  OpPlans rotated_product = {cuda::rotated_int8::MatmulPlan::kOp, {}, {}};
  OpPlans rotated_swiglu = {cuda::rotated_int8::SwigluPlan::kOp, {}, {}};
  for (const Shape shape : kNf4Shapes) {
    add(decode, candidates(decode_of(shape), facts));
    add(encode, candidates(encode_of(shape)));
    const RotatedShape rotated{shape, QFUSE_FORWARD, kTokens.back()};
    add(rotated_input, candidates(rotated_input_params(rotated, rotated_arrays())));
    add(rotated_scales, candidates(rotated_scales_params(rotated, rotated_arrays())));
    add(rotated_weight, candidates(rotated_weight_params(rotated, rotated_arrays()), facts));
    add(rotated_product, candidates(rotated_product_params(rotated, rotated_arrays(), 0), facts));
    for (const qfuse_direction direction : kDirections)
      for (const std::int64_t m : kTokens)
        for (const Sum& sum : sums_of(m, direction)) {
          add(product, candidates(product_of(shape, m, direction, sum.sum), facts));
          add(grouped, candidates(grouped_of(shape, m, direction, sum.sum), facts));
        }
  }
  for (const Shape shape : kSwigluShapes) {
    for (const contract::Swiglu& p : swiglus_of(shape)) add(swiglu, candidates(p, facts));
    for (const qfuse_direction direction : kDirections)
      add(rotated_swiglu, candidates(rotated_swiglu_of(shape, direction), facts));
  }
  std::vector<OpPlans> all = {product,       grouped,        swiglu,         decode,          encode,
                              rotated_input, rotated_scales, rotated_weight, rotated_product, rotated_swiglu};
  std::erase_if(all, [](const OpPlans& known) { return known.choices.empty(); });  // drops ops with nothing to force
  return all;
}

// Prints enough values of QFUSE_PLAN to include every plan. An op with fewer plans than another repeats its plans.
void print_forced(const Device& device) {
  std::vector<std::vector<std::string>> ops;
  std::size_t most = 0;
  for (const OpPlans& known : all_plans(device.facts)) most = std::max(most, ops.emplace_back(texts_of(known)).size());
  for (std::size_t i = 0; i < most; ++i) {
    std::string line;
    for (const std::vector<std::string>& texts : ops)
      line.append(line.empty() ? "" : ";").append(texts[i % texts.size()]);
    fmt::print("{}\n", line);
  }
}

}  // namespace

double estimate_us(const contract::Matmul4bit& p, const cuda::DeviceFacts& facts) {
  double least = std::numeric_limits<double>::infinity();
  for (const qfuse_sum sum : {QFUSE_SUM_SPLIT, QFUSE_SUM_PLAIN}) {
    contract::Matmul4bit of = p;
    of.sum = sum;
    least = std::min(least, cuda::matmul_4bit::plan_us(plan(of, facts), of, facts));
  }
  return least;
}

int print_plans(const Options& options) {
  std::string known;
  bool found = false;
  for (const Device& device : kDevices) {
    known.append(known.empty() ? "" : ", ").append(device.name);
    if (options.plans_on != "all" && options.plans_on != device.name) continue;
    if (options.forced) {
      print_forced(device);
    } else {
      if (found) fmt::print("\n");
      print_device(device);
    }
    found = true;
  }
  if (!found) throw UsageError("--on is '" + options.plans_on + "': it can be all, " + known);
  return 0;
}

}  // namespace qfuse::bench
