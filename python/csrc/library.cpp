// Registers the ops' schemas and their CPU and CUDA implementations with torch when this library is loaded.
#include <torch/csrc/stable/library.h>

#include "ops.h"

#define QFUSE_TEXT_OF(number) #number
#define QFUSE_TEXT(name) QFUSE_TEXT_OF(name)
// Scalar arguments of every op that reads a 4-bit weight, besides its tensors and its shape.
#define QFUSE_SCALARS_4BIT \
  "str quant_type=\"nf4\", int blocksize=64, int nested_blocksize=" QFUSE_TEXT(QFUSE_NESTED_BLOCKSIZE)

STABLE_TORCH_LIBRARY(qfuse, m) {
  m.def("dequantize_4bit(Tensor[] weight, int[] shape, ScalarType dtype, " QFUSE_SCALARS_4BIT ") -> Tensor");
  m.def("dequantize_4bit.out(Tensor[] weight, int[] shape, ScalarType dtype, " QFUSE_SCALARS_4BIT
        ", *, Tensor(a!) out) -> ()");
  m.def(
      "quantize_4bit(Tensor input, int blocksize, str quant_type, str reciprocal=\"ieee\", Tensor? importance=None) -> "
      "(Tensor packed, Tensor absmax)");
  m.def(
      "quantize_4bit.nested(Tensor input, int blocksize, str quant_type, *, int nested_blocksize, "
      "Tensor? given_offset=None, str reciprocal=\"ieee\") -> (Tensor packed, Tensor absmax_8bit, "
      "Tensor nested_absmax, Tensor nested_quant_map, Tensor nested_offset)");
  m.def("quantize_4bit.kept(Tensor input, Tensor[] weight, " QFUSE_SCALARS_4BIT ") -> Tensor");
  m.def(
      "quantize_blockwise(Tensor input, int blocksize, float offset=0, str reciprocal=\"ieee\") -> "
      "(Tensor codes, Tensor absmax)");
  m.def(
      "dequantize_blockwise(Tensor codes, Tensor absmax, Tensor quant_map, int blocksize, ScalarType dtype) -> Tensor");
  m.def(
      "dequantize_blockwise.out(Tensor codes, Tensor absmax, Tensor quant_map, int blocksize, ScalarType dtype, *, "
      "Tensor(a!) out) -> ()");
  m.def("dequantize_int8(Tensor codes, Tensor scb, ScalarType dtype) -> Tensor");
  m.def(
      "matmul_4bit(Tensor x, Tensor[] weight, Tensor? bias, Tensor? lora_in=None, Tensor? lora_weight=None, *, "
      "int[] shape, " QFUSE_SCALARS_4BIT ", str direction=\"forward\", str order=\"plain\") -> Tensor");
  m.def(
      "matmul_4bit_grouped(Tensor x, Tensor[] weight, Tensor expert_ends, Tensor? bias=None, Tensor? lora_in=None, "
      "Tensor? lora_weight=None, *, int[] shape, " QFUSE_SCALARS_4BIT
      ", str direction=\"forward\", str order=\"plain\") -> Tensor");
  m.def("matmul_4bit_many(Tensor x, Tensor[] weights, Tensor[] biases, *, int[] rows, " QFUSE_SCALARS_4BIT
        ", str order=\"plain\") -> Tensor[]");
  m.def("rotated_int8_quantize(Tensor x) -> (Tensor q, Tensor scale)");
  m.def("rotated_int8_weight_scales(Tensor[] weight, int[] shape, " QFUSE_SCALARS_4BIT
        ", *, str direction=\"forward\") -> Tensor");
  m.def("rotated_int8_weight(Tensor[] weight, Tensor scale, int[] shape, " QFUSE_SCALARS_4BIT
        ", *, str direction=\"forward\") -> Tensor");
  m.def(
      "rotated_int8_matmul(Tensor x_q, Tensor x_scale, Tensor weight_q, Tensor weight_scale, ScalarType dtype, "
      "Tensor? bias=None, Tensor? lora_in=None, Tensor? lora_weight=None, Tensor? addend=None, *, "
      "str direction=\"forward\") -> Tensor");
  m.def("rotated_int8_swiglu(Tensor gate, Tensor up, Tensor? grad_y=None) -> (Tensor out, Tensor q, Tensor scale)");
  m.def(
      "swiglu(Tensor x, *, Tensor? grad_y=None, Tensor(a!)? y_q=None, Tensor(b!)? y_s=None, Tensor(c!)? y_t_q=None, "
      "Tensor(d!)? y_t_s=None, Tensor(e!)? grad_input_q=None, Tensor(f!)? grad_input_s=None, "
      "Tensor(g!)? grad_input_t_q=None, Tensor(h!)? grad_input_t_s=None, Tensor? weights=None, "
      "Tensor(i!)? grad_weights=None, Tensor? expert_ends=None, float? limit=None, float alpha=1, float up_offset=0, "
      "str? recipe=None, int? group_size=None, str? scale_rule=None, str? zero_rule=None, float? amax_floor=None) "
      "-> ()");
  m.def(
      "silu_dot_fwd_bwd_quant_fuse(Tensor x, Tensor? grad_y, Tensor(a!)? grad_input_q, Tensor(b!)? grad_input_s, "
      "Tensor(c!)? y_q_t, Tensor(d!)? y_s_t, Tensor(e!)? grad_input_q_t=None, Tensor(f!)? grad_input_s_t=None, "
      "Tensor? expert_ends=None) -> ()");
  m.def(
      "dequantize_4bit_rows(Tensor packed, Tensor scales, int cols, str quant_type, int blocksize, ScalarType dtype, "
      "*, "
      "Tensor? global_scale=None, Tensor? global_divisor=None, Tensor? zero_points=None) -> Tensor");
  m.def("dequantize_fp8(Tensor codes, Tensor scales, int block_rows, int block_cols, ScalarType dtype) -> Tensor");
  m.def("lora_merge(Tensor weight, Tensor a, Tensor b, float scale, ScalarType dtype) -> Tensor");
  m.def(
      "lora_merge_4bit(Tensor[] source, Tensor a, Tensor b, float scale, int[] shape, ScalarType "
      "dtype, " QFUSE_SCALARS_4BIT
      ", *, str to=\"nf4\", int to_blocksize=64, int to_nested_blocksize=0, bool "
      "keep_absmax=False, str mx_scales=\"up\") -> Tensor[]");
  m.def("lora_merge.out(Tensor weight, Tensor a, Tensor b, float scale, *, Tensor(a!) out) -> ()");
}

namespace {

void register_all(torch::stable::detail::StableLibrary& m) {
  using namespace qfuse::torch_ops;
  m.impl("dequantize_4bit", TORCH_BOX(&dequantize_4bit));
  m.impl("dequantize_4bit.out", TORCH_BOX(&dequantize_4bit_out));
  m.impl("quantize_4bit", TORCH_BOX(&quantize_4bit));
  m.impl("quantize_4bit.nested", TORCH_BOX(&quantize_4bit_nested));
  m.impl("quantize_4bit.kept", TORCH_BOX(&quantize_4bit_kept));
  m.impl("quantize_blockwise", TORCH_BOX(&quantize_blockwise));
  m.impl("dequantize_blockwise", TORCH_BOX(&dequantize_blockwise));
  m.impl("dequantize_blockwise.out", TORCH_BOX(&dequantize_blockwise_out));
  m.impl("dequantize_int8", TORCH_BOX(&dequantize_int8));
  m.impl("matmul_4bit", TORCH_BOX(&matmul_4bit));
  m.impl("matmul_4bit_grouped", TORCH_BOX(&matmul_4bit_grouped));
  m.impl("matmul_4bit_many", TORCH_BOX(&matmul_4bit_many));
  m.impl("rotated_int8_quantize", TORCH_BOX(&rotated_int8_quantize));
  m.impl("rotated_int8_weight_scales", TORCH_BOX(&rotated_int8_weight_scales));
  m.impl("rotated_int8_weight", TORCH_BOX(&rotated_int8_weight));
  m.impl("rotated_int8_matmul", TORCH_BOX(&rotated_int8_matmul));
  m.impl("rotated_int8_swiglu", TORCH_BOX(&rotated_int8_swiglu));
  m.impl("swiglu", TORCH_BOX(&swiglu));
  m.impl("silu_dot_fwd_bwd_quant_fuse", TORCH_BOX(&silu_dot_fwd_bwd_quant_fuse));
  m.impl("dequantize_4bit_rows", TORCH_BOX(&dequantize_4bit_rows));
  m.impl("dequantize_fp8", TORCH_BOX(&dequantize_fp8));
  m.impl("lora_merge", TORCH_BOX(&lora_merge));
  m.impl("lora_merge.out", TORCH_BOX(&lora_merge_out));
  m.impl("lora_merge_4bit", TORCH_BOX(&lora_merge_4bit));
}

}  // namespace

STABLE_TORCH_LIBRARY_IMPL(qfuse, CPU, m) { register_all(m); }
STABLE_TORCH_LIBRARY_IMPL(qfuse, CUDA, m) { register_all(m); }
