#include "plans.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "backend/cuda/dequantize_4bit/plan.h"
#include "backend/cuda/facts.h"
#include "backend/cuda/quantize_4bit/plan.h"
#include "backend/cuda/swiglu/plan.h"
#include "nf4_oracle.h"
#include "report.h"

namespace qfuse::bench {
namespace {

struct Device {
  const char* name;
  cuda::DeviceFacts facts;
};
constexpr std::array kDevices = {Device{"h100", cuda::kH100}, Device{"h200", cuda::kH200},
                                 Device{"unknown", {.multiprocessors = 64, .l2_bytes = 32 << 20}}};

constexpr std::array kNf4Shapes = {Shape{1024, 4096}, Shape{2048, 8192}, Shape{4096, 14336}, Shape{8192, 28672}};
constexpr std::array kSwigluShapes = {Shape{1024, 2560}, Shape{2048, 4096}, Shape{4096, 2560}, Shape{8192, 4096}};

// An address of which plans know that it is aligned, as allocators' are; nothing is read there.
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
  p.group_size = QFUSE_SWIGLU_GROUP_SIZE;
  p.x = p.grad_y = p.grad_input_q = p.y_q_t = aligned<void>();
  p.grad_input_s = p.y_s_t = aligned<float>();
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

void print_device(const Device& device) {
  const cuda::DeviceFacts& facts = device.facts;
  fmt::print("{}: {} multiprocessors, {} MiB of L2\n", device.name, facts.multiprocessors, facts.l2_bytes >> 20);
  fmt::print(" {}, NF4, nested, to bf16\n", cuda::Dequantize4bitPlan::kOp);
  for (const Shape shape : kNf4Shapes) {
    const contract::Dequantize4bit p = decode_of(shape);
    print_shape(shape, cuda::plan(p, facts), cuda::candidates(p, facts));
  }
  fmt::print(" {}, NF4, nested, from bf16\n", cuda::Quantize4bitPlan::kOp);
  for (const Shape shape : kNf4Shapes) {
    const contract::Quantize4bit p = encode_of(shape);
    print_shape(shape, cuda::plan(p), cuda::candidates(p));
  }
  fmt::print(" {}\n", cuda::SwigluPlan::kOp);
  for (const Shape shape : kSwigluShapes) {
    const contract::Swiglu p = backward_of(shape);
    print_shape(shape, cuda::plan(p, facts), cuda::candidates(p, facts));
  }
}

}  // namespace

int print_plans(const Options& options) {
  std::string known;
  bool found = false;
  for (const Device& device : kDevices) {
    known.append(known.empty() ? "" : ", ").append(device.name);
    if (options.plans_on != "all" && options.plans_on != device.name) continue;
    if (found) fmt::print("\n");
    print_device(device);
    found = true;
  }
  if (!found) throw UsageError("--on is '" + options.plans_on + "': it can be all, " + known);
  return 0;
}

}  // namespace qfuse::bench
