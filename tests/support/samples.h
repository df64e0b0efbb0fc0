// Small valid parameters of every op, with arrays that do not overlap, for tests that make one field invalid.
#ifndef QFUSE_TESTS_SUPPORT_SAMPLES_H
#define QFUSE_TESTS_SUPPORT_SAMPLES_H

#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "contract/ops.h"

namespace qfuse::tests {

// Memory for the arrays of one call. Each array has its own slot, which is at least twice its size. The memory is
// filled with fp32 halves, which are also valid bytes, codes and bf16 values.
class Arena {
 public:
  static constexpr std::int64_t kSlot = 8192;

  Arena() : memory_(static_cast<std::size_t>(kSlot * kSlots)) { clear(); }

  void clear() {
    for (std::size_t i = 0; i < memory_.size(); ++i) memory_[i] = i % 4 == 3 ? 0x3f : 0;
  }
  // visit_arrays calls this with each array.
  template <class T>
  void operator()(const char* name, T*& array, std::int64_t size) {
    if (std::string_view(name).ends_with("ends")) return;  // their values matter, so they keep their array
    array = nullptr;
    if (size > 0) array = reinterpret_cast<T*>(memory_.data() + used_++ * kSlot);
  }
  void operator()(const char* name, void*& array, std::int64_t size, contract::Workspace /*marks it*/) {
    (*this)(name, array, size);
  }
  [[nodiscard]] const std::vector<std::uint8_t>& bytes() const { return memory_; }
  [[nodiscard]] std::vector<std::uint8_t>& bytes() { return memory_; }

 private:
  static constexpr std::int64_t kSlots = 12;
  std::vector<std::uint8_t> memory_;
  std::int64_t used_ = 0;
};

template <class Op>
struct Sample {
  std::string name;
  Op params;
};

// Gives every array of `p` memory. Optional arrays are those whose pointers are not null.
template <class Op>
Op placed(Op p, Arena& arena) {
  visit_arrays(p, arena);
  if constexpr (requires { workspace_size(p); }) p.workspace_size = workspace_size(p);
  return p;
}

namespace detail {

// Marks an array as requested until it has memory.
inline std::uint8_t kAsked = 0;
template <class T>
T* asked() {
  return reinterpret_cast<T*>(&kAsked);
}

// 130 elements in 3 blocks, and the blocks in 2 nested blocks.
template <class W>
W weight(bool nested) {
  W w{};
  w.rows = 2;
  w.cols = 65;
  w.blocksize = 64;
  w.quant_type = QFUSE_NF4;
  if (!nested) return w;
  w.absmax_8bit = asked<std::uint8_t>();
  w.nested_quant_map = asked<float>();
  w.nested_blocksize = 2;
  return w;
}

}  // namespace detail

inline contract::Dequantize4bit dequantize_4bit_sample(bool nested) {
  contract::Dequantize4bit p{};
  p.weight = detail::weight<qfuse_weight_4bit>(nested);
  p.out_dtype = QFUSE_BFLOAT16;
  return p;
}

// INT4 in 9 blocks, with a global scale and zero points.
inline contract::Dequantize4bit dequantize_4bit_rows_sample() {
  contract::Dequantize4bit p{};
  p.weight.rows = 3;
  p.weight.cols = 33;
  p.weight.blocksize = 16;
  p.weight.quant_type = QFUSE_INT4;
  p.weight.scale_type = QFUSE_SCALES_BFLOAT16;
  p.weight.global_scale = detail::asked<float>();
  p.weight.zero_points = detail::asked<std::uint8_t>();
  p.out_dtype = QFUSE_FLOAT32;
  return p;
}

inline contract::Quantize4bit quantize_4bit_sample(bool nested) {
  contract::Quantize4bit p{};
  p.weight = detail::weight<qfuse_weight_4bit_out>(nested);
  p.in_dtype = QFUSE_FLOAT32;
  return p;
}

inline contract::Quantize4bit quantize_4bit_sample_that_keeps(bool nested) {
  contract::Quantize4bit p = quantize_4bit_sample(false);
  p.kept = detail::weight<qfuse_weight_4bit>(nested);
  p.kept.struct_size = sizeof p.kept;
  return p;
}

inline contract::Quantize4bit quantize_mxfp4_sample() {
  contract::Quantize4bit p = quantize_4bit_sample(false);
  p.weight.cols = 64;
  p.weight.blocksize = 32;
  p.weight.quant_type = QFUSE_E2M1;
  p.weight.mx_scales = QFUSE_MX_NEAREST;
  return p;
}

inline contract::QuantizeBlockwise quantize_blockwise_sample() {
  contract::QuantizeBlockwise p{};
  p.n = 100;
  p.blocksize = 32;
  p.in_dtype = QFUSE_FLOAT16;
  return p;
}

inline contract::DequantizeBlockwise dequantize_blockwise_sample() {
  contract::DequantizeBlockwise p{};
  p.n = 100;
  p.blocksize = 32;
  p.out_dtype = QFUSE_FLOAT32;
  return p;
}

inline contract::DequantizeInt8 dequantize_int8_sample() {
  contract::DequantizeInt8 p{};
  p.rows = 4;
  p.cols = 33;
  p.out_dtype = QFUSE_FLOAT32;
  return p;
}

// Six blocks; those of the last block row and column are partial.
inline contract::DequantizeFp8 dequantize_fp8_sample() {
  contract::DequantizeFp8 p{};
  p.rows = 4;
  p.cols = 33;
  p.block_rows = 3;
  p.block_cols = 16;
  p.out_dtype = QFUSE_FLOAT32;
  return p;
}

// Two tokens of 128 channels.
inline contract::Swiglu swiglu_sample(bool gradients, bool y, bool transposed = false) {
  contract::Swiglu p{};
  p.m = 2;
  p.h = 128;
  p.format.group_size = 128;
  p.grad_input.q = gradients ? detail::asked<void>() : nullptr;
  p.y_t.q = y ? detail::asked<void>() : nullptr;
  p.grad_input_t.q = transposed ? detail::asked<void>() : nullptr;
  return p;
}

inline contract::Swiglu swiglu_forward_sample() {
  contract::Swiglu p = swiglu_sample(false, true);
  p.y.q = detail::asked<void>();
  return p;
}

inline contract::Swiglu swiglu_weighted_sample() {
  contract::Swiglu p = swiglu_sample(true, true, true);
  p.weights = detail::asked<float>();
  p.grad_weights = detail::asked<float>();
  return p;
}

// Two experts, without transposed outputs, because these would be larger than a slot.
inline contract::Swiglu swiglu_expert_sample() {
  alignas(8) static constexpr std::int32_t kEnds[] = {1, 2};
  contract::Swiglu p = swiglu_sample(true, false);
  p.experts.ends = kEnds;
  p.experts.count = 2;
  p.experts.ends_type = QFUSE_INDEX_INT32;
  p.experts.layout = QFUSE_EXPERTS_SIDE_BY_SIDE;
  return p;
}

// UE8M0 scales and all options of the activation.
inline contract::Swiglu swiglu_mxfp8_sample() {
  contract::Swiglu p = swiglu_forward_sample();
  p.format.group_size = 32;
  p.format.payload_type = QFUSE_E4M3;
  p.format.scale_type = QFUSE_SCALES_UE8M0;
  p.format.zero_rule = QFUSE_ZERO_SCALE_LEAST;
  p.limit = 0.25F;
  p.alpha = 1.702F;
  p.up_offset = 1.0F;
  return p;
}

// Three tokens, summed in fp32, which gives the same bits on every device.
inline contract::Matmul4bit matmul_4bit_sample(qfuse_direction direction, bool nested) {
  contract::Matmul4bit p{};
  p.weight = detail::weight<qfuse_weight_4bit>(nested);
  p.direction = direction;
  p.dtype = QFUSE_BFLOAT16;
  p.m = 3;
  p.sum = QFUSE_SUM_FP32;
  return p;
}

// MXFP4, of 6 blocks.
inline qfuse_weight_4bit mxfp4_sample() {
  qfuse_weight_4bit w{};
  w.rows = 2;
  w.cols = 96;
  w.blocksize = 32;
  w.quant_type = QFUSE_E2M1;
  w.scale_type = QFUSE_SCALES_UE8M0;
  return w;
}

inline qfuse_weight_4bit nvfp4_sample() {
  qfuse_weight_4bit w = mxfp4_sample();
  w.blocksize = 16;
  w.scale_type = QFUSE_SCALES_E4M3;
  return w;
}
// Groups of 128.
inline qfuse_weight_4bit int4_sample() {
  qfuse_weight_4bit w = mxfp4_sample();
  w.cols = 256;
  w.blocksize = 128;
  w.quant_type = QFUSE_INT4;
  w.scale_type = QFUSE_SCALES_BFLOAT16;
  return w;
}

// One product with all options. Several products would have arrays with the same names.
inline contract::Matmul4bitMany matmul_4bit_many_sample() {
  contract::Matmul4bitMany p{};
  p.dtype = QFUSE_BFLOAT16;
  p.m = 3;
  p.sum = QFUSE_SUM_FP32;
  p.products.resize(1);
  p.products[0].weight = detail::weight<qfuse_weight_4bit>(true);
  p.products[0].bias = detail::asked<void>();
  p.products[0].lora_rank = 5;
  return p;
}

// Two experts; the first has two tokens.
inline contract::Matmul4bitGrouped matmul_4bit_grouped_sample(qfuse_direction direction) {
  static constexpr std::int64_t kEnds[] = {2, 3};
  contract::Matmul4bitGrouped p{};
  p.weight = detail::weight<qfuse_weight_4bit>(true);
  p.weight.cols = 64;
  p.direction = direction;
  p.dtype = QFUSE_BFLOAT16;
  p.m = 3;
  p.experts = 2;
  p.expert_ends = kEnds;
  p.ends_type = QFUSE_INDEX_INT64;
  p.sum = QFUSE_SUM_FP32;
  return p;
}

inline contract::LoraMerge lora_merge_sample(std::int64_t rank) {
  contract::LoraMerge p{};
  p.rows = 4;
  p.cols = 33;
  p.rank = rank;
  p.scale = 0.75F;
  p.in_dtype = QFUSE_BFLOAT16;
  p.out_dtype = QFUSE_FLOAT32;
  return p;
}

// From plain to nested NF4.
inline contract::LoraMerge lora_merge_4bit_sample() {
  contract::LoraMerge p = lora_merge_sample(3);
  p.cols = 64;
  p.out_dtype = QFUSE_BFLOAT16;
  const auto describe = [&](auto& w) {
    w.struct_size = sizeof w;
    w.rows = p.rows;
    w.cols = p.cols;
    w.blocksize = 64;
    w.quant_type = QFUSE_NF4;
  };
  describe(p.source);
  describe(p.target);
  p.source.absmax = detail::asked<float>();
  p.target.nested_blocksize = 256;
  p.target.absmax_8bit = detail::asked<std::uint8_t>();
  p.target.nested_quant_map = detail::asked<float>();
  p.workspace_size = workspace_size(p);
  return p;
}

inline contract::RotatedInt8Quantize rotated_int8_quantize_sample() {
  contract::RotatedInt8Quantize p{};
  p.rows = 3;
  p.cols = 64;
  p.in_dtype = QFUSE_BFLOAT16;
  return p;
}

// Either op on a weight. BACKWARD needs at least 64 rows.
template <contract::RotatedWeight Op>
Op rotated_int8_weight_sample(qfuse_direction direction) {
  Op p{};
  p.weight = detail::weight<qfuse_weight_4bit>(true);
  p.weight.rows = direction == QFUSE_FORWARD ? 2 : 64;
  p.weight.cols = 64;
  p.direction = direction;
  return p;
}

inline contract::RotatedInt8Matmul rotated_int8_matmul_sample(std::int64_t lora_rank) {
  contract::RotatedInt8Matmul p{};
  p.m = 3;
  p.n = 5;
  p.k = 64;
  p.dtype = QFUSE_BFLOAT16;
  p.lora_rank = lora_rank;
  return p;
}

inline contract::RotatedInt8Swiglu rotated_int8_swiglu_sample(qfuse_direction direction) {
  contract::RotatedInt8Swiglu p{};
  p.m = 3;
  p.h = 64;
  p.direction = direction;
  return p;
}

// Every kind of call of each op, before the arrays have memory.
inline std::vector<Sample<contract::Dequantize4bit>> samples(std::type_identity<contract::Dequantize4bit> /*op*/) {
  contract::Dequantize4bit nvfp4 = dequantize_4bit_rows_sample();
  nvfp4.weight.quant_type = QFUSE_E2M1;
  nvfp4.weight.scale_type = QFUSE_SCALES_E4M3;
  nvfp4.weight.zero_points = nullptr;
  std::swap(nvfp4.weight.global_scale, nvfp4.weight.global_divisor);
  nvfp4.out_dtype = QFUSE_BFLOAT16;
  return {{"plain", dequantize_4bit_sample(false)},
          {"nested", dequantize_4bit_sample(true)},
          {"INT4", dequantize_4bit_rows_sample()},
          {"NVFP4", nvfp4}};
}
inline std::vector<Sample<contract::Quantize4bit>> samples(std::type_identity<contract::Quantize4bit> /*op*/) {
  contract::Quantize4bit given = quantize_4bit_sample(true);
  given.given_offset = detail::asked<float>();
  contract::Quantize4bit no_map = quantize_4bit_sample(true);
  no_map.weight.nested_quant_map = nullptr;
  contract::Quantize4bit important = quantize_4bit_sample(false);
  important.importance = detail::asked<float>();
  return {{"plain", quantize_4bit_sample(false)},
          {"plain with importance", important},
          {"nested", quantize_4bit_sample(true)},
          {"nested with a given offset", given},
          {"nested without a map", no_map},
          {"MXFP4", quantize_mxfp4_sample()},
          {"of kept absmax", quantize_4bit_sample_that_keeps(false)},
          {"of kept nested absmax", quantize_4bit_sample_that_keeps(true)}};
}
inline std::vector<Sample<contract::QuantizeBlockwise>> samples(
    std::type_identity<contract::QuantizeBlockwise> /*op*/) {
  return {{"values", quantize_blockwise_sample()}};
}
inline std::vector<Sample<contract::DequantizeBlockwise>> samples(
    std::type_identity<contract::DequantizeBlockwise> /*op*/) {
  return {{"codes", dequantize_blockwise_sample()}};
}
inline std::vector<Sample<contract::DequantizeInt8>> samples(std::type_identity<contract::DequantizeInt8> /*op*/) {
  return {{"rows", dequantize_int8_sample()}};
}
inline std::vector<Sample<contract::Swiglu>> samples(std::type_identity<contract::Swiglu> /*op*/) {
  return {{"both", swiglu_sample(true, true)},  {"gradients", swiglu_sample(true, false)},
          {"y", swiglu_sample(false, true)},    {"all", swiglu_sample(true, true, true)},
          {"forward", swiglu_forward_sample()}, {"router weights", swiglu_weighted_sample()},
          {"experts", swiglu_expert_sample()},  {"MXFP8", swiglu_mxfp8_sample()}};
}
inline std::vector<Sample<contract::Matmul4bit>> samples(std::type_identity<contract::Matmul4bit> /*op*/) {
  contract::Matmul4bit with_bias = matmul_4bit_sample(QFUSE_FORWARD, true);
  with_bias.bias = detail::asked<void>();
  contract::Matmul4bit with_lora = matmul_4bit_sample(QFUSE_BACKWARD, true);
  with_lora.lora_rank = 5;
  contract::Matmul4bit of_mxfp4 = matmul_4bit_sample(QFUSE_FORWARD, false);
  of_mxfp4.weight = mxfp4_sample();
  contract::Matmul4bit of_nvfp4 = of_mxfp4;
  of_nvfp4.weight = nvfp4_sample();
  of_nvfp4.weight.global_divisor = detail::asked<float>();
  contract::Matmul4bit of_int4 = of_mxfp4;
  of_int4.weight = int4_sample();
  return {{"forward", matmul_4bit_sample(QFUSE_FORWARD, false)},
          {"backward", matmul_4bit_sample(QFUSE_BACKWARD, true)},
          {"with a bias", with_bias},
          {"with LoRA", with_lora},
          {"of MXFP4", of_mxfp4},
          {"of NVFP4", of_nvfp4},
          {"of INT4", of_int4}};
}

inline std::vector<Sample<contract::LoraMerge>> samples(std::type_identity<contract::LoraMerge> /*op*/) {
  return {{"an adapter", lora_merge_sample(3)}, {"rank 0", lora_merge_sample(0)}};
}

inline std::vector<Sample<contract::Matmul4bitMany>> samples(std::type_identity<contract::Matmul4bitMany> /*op*/) {
  return {{"one product", matmul_4bit_many_sample()}};
}

inline std::vector<Sample<contract::Matmul4bitGrouped>> samples(
    std::type_identity<contract::Matmul4bitGrouped> /*op*/) {
  contract::Matmul4bitGrouped full = matmul_4bit_grouped_sample(QFUSE_BACKWARD);
  full.nested_each = 1;
  full.bias = detail::asked<void>();
  full.lora_rank = 5;
  contract::Matmul4bitGrouped of_mxfp4 = matmul_4bit_grouped_sample(QFUSE_BACKWARD);
  of_mxfp4.weight = mxfp4_sample();
  contract::Matmul4bitGrouped of_nvfp4 = of_mxfp4;
  of_nvfp4.weight = nvfp4_sample();
  of_nvfp4.weight.global_scale = detail::asked<float>();
  of_nvfp4.nested_each = 1;
  return {{"forward", matmul_4bit_grouped_sample(QFUSE_FORWARD)},
          {"backward, with all there can be", full},
          {"of MXFP4", of_mxfp4},
          {"of NVFP4, a factor each", of_nvfp4}};
}

inline std::vector<Sample<contract::RotatedInt8Quantize>> samples(
    std::type_identity<contract::RotatedInt8Quantize> /*op*/) {
  return {{"rows", rotated_int8_quantize_sample()}};
}

template <contract::RotatedWeight Op>
std::vector<Sample<Op>> samples(std::type_identity<Op> /*op*/) {
  return {{"forward", rotated_int8_weight_sample<Op>(QFUSE_FORWARD)},
          {"backward", rotated_int8_weight_sample<Op>(QFUSE_BACKWARD)}};
}

inline std::vector<Sample<contract::RotatedInt8Matmul>> samples(
    std::type_identity<contract::RotatedInt8Matmul> /*op*/) {
  contract::RotatedInt8Matmul full = rotated_int8_matmul_sample(5);
  full.direction = QFUSE_BACKWARD;
  full.bias = full.addend = detail::asked<void>();
  return {{"a product", rotated_int8_matmul_sample(0)}, {"with LoRA, a bias and an addend", full}};
}

inline std::vector<Sample<contract::DequantizeFp8>> samples(std::type_identity<contract::DequantizeFp8> /*op*/) {
  contract::DequantizeFp8 ue8m0 = dequantize_fp8_sample();
  ue8m0.scale_type = QFUSE_SCALES_UE8M0;
  ue8m0.out_dtype = QFUSE_BFLOAT16;
  return {{"fp32 scales", dequantize_fp8_sample()}, {"UE8M0 scales", ue8m0}};
}

inline std::vector<Sample<contract::RotatedInt8Swiglu>> samples(
    std::type_identity<contract::RotatedInt8Swiglu> /*op*/) {
  contract::RotatedInt8Swiglu with_out = rotated_int8_swiglu_sample(QFUSE_BACKWARD);
  with_out.out = detail::asked<void>();
  return {{"forward", rotated_int8_swiglu_sample(QFUSE_FORWARD)}, {"backward, with out", with_out}};
}

// Calls body(name, params, arena) with every sample of every op, each in its own memory.
template <class Op, class Body>
void for_each_sample_of(const Body& body) {
  for (const Sample<Op>& sample : samples(std::type_identity<Op>())) {
    const std::string name = std::string(Op::kName) + ", " + sample.name;
    SCOPED_TRACE(name);
    Arena arena;
    body(name, placed(sample.params, arena), arena);
  }
}

namespace detail {
template <class Body, class... Ops>
void for_each_sample(const Body& body, contract::OpList<Ops...> /*all*/) {
  (for_each_sample_of<Ops>(body), ...);
}
}  // namespace detail

template <class Body>
void for_each_sample(const Body& body) {
  detail::for_each_sample(body, contract::AllOps());
}

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_SUPPORT_SAMPLES_H
