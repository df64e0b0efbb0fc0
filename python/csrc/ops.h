// The ops as torch calls them; each function serves the CPU and CUDA. library.cpp has their schemas, and
// python/qfuse/ops/__init__.py documents them.
#ifndef QFUSE_PYTHON_CSRC_OPS_H
#define QFUSE_PYTHON_CSRC_OPS_H

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "call.h"
#include "weight_4bit.h"

namespace qfuse::torch_ops {

Tensor dequantize_4bit(const Tensors& weight, const std::vector<std::int64_t>& shape, ScalarType dtype,
                       const std::string& quant_type, std::int64_t blocksize, std::int64_t nested_blocksize);

// dequantize_4bit on views, exported for direct.cpp, which is a separate library.
QFUSE_API Tensor dequantize_4bit_views(const TensorViews& weight, const std::vector<std::int64_t>& shape,
                                       ScalarType dtype, const std::string& quant_type, std::int64_t blocksize,
                                       std::int64_t nested_blocksize);

void dequantize_4bit_out(const Tensors& weight, const std::vector<std::int64_t>& shape, ScalarType dtype,
                         const std::string& quant_type, std::int64_t blocksize, std::int64_t nested_blocksize,
                         const Tensor& out);

// Returns packed, absmax.
std::tuple<Tensor, Tensor> quantize_4bit(const Tensor& input, std::int64_t blocksize, const std::string& quant_type,
                                         const std::string& reciprocal, const std::optional<Tensor>& importance);

// Returns packed, absmax_8bit, nested_absmax, nested_quant_map, nested_offset.
std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> quantize_4bit_nested(const Tensor& input, std::int64_t blocksize,
                                                                        const std::string& quant_type,
                                                                        std::int64_t nested_blocksize,
                                                                        const std::optional<Tensor>& given_offset,
                                                                        const std::string& reciprocal);

// Returns packed, by the absmax of a weight with as many elements, as for dequantize_4bit.
Tensor quantize_4bit_kept(const Tensor& input, const Tensors& weight, const std::string& quant_type,
                          std::int64_t blocksize, std::int64_t nested_blocksize);

// Returns codes, absmax.
std::tuple<Tensor, Tensor> quantize_blockwise(const Tensor& input, std::int64_t blocksize, double offset,
                                              const std::string& reciprocal);

Tensor dequantize_blockwise(const Tensor& codes, const Tensor& absmax, const Tensor& quant_map, std::int64_t blocksize,
                            ScalarType dtype);

void dequantize_blockwise_out(const Tensor& codes, const Tensor& absmax, const Tensor& quant_map,
                              std::int64_t blocksize, ScalarType dtype, const Tensor& out);

Tensor dequantize_int8(const Tensor& codes, const Tensor& scb, ScalarType dtype);

// Multiplies x [..., terms] (K) to [..., outputs] (N): N is the weight's rows or, backward, columns. x may be strided.
Tensor matmul_4bit(const Tensor& x, const Tensors& weight, const std::optional<Tensor>& bias,
                   const std::optional<Tensor>& lora_in, const std::optional<Tensor>& lora_weight,
                   const std::vector<std::int64_t>& shape, const std::string& quant_type, std::int64_t blocksize,
                   std::int64_t nested_blocksize, const std::string& direction, const std::string& order);

// matmul_4bit on views, exported for direct.cpp. has_rows(x) must hold: the rows of x can be read without a copy.
struct Matmul4bitViews {
  TensorView x;
  TensorViews weight;
  TensorView bias;     // optional
  TensorView lora_in;  // optional, together with lora_weight
  TensorView lora_weight;
};
QFUSE_API bool has_rows(const TensorView& x);
QFUSE_API Tensor matmul_4bit_views(const Matmul4bitViews& views, const std::vector<std::int64_t>& shape,
                                   const std::string& quant_type, std::int64_t blocksize, std::int64_t nested_blocksize,
                                   const std::string& direction, const std::string& order);

// Multiplies each row of x [m, terms] by its expert's weight to [m, outputs]. `shape` is [experts, rows, cols].
Tensor matmul_4bit_grouped(const Tensor& x, const Tensors& weight, const Tensor& expert_ends,
                           const std::optional<Tensor>& bias, const std::optional<Tensor>& lora_in,
                           const std::optional<Tensor>& lora_weight, const std::vector<std::int64_t>& shape,
                           const std::string& quant_type, std::int64_t blocksize, std::int64_t nested_blocksize,
                           const std::string& direction, const std::string& order);

// Multiplies x by several weights. Weight i has rows[i] rows; `weights` lists the tensors of one weight after another.
Tensors matmul_4bit_many(const Tensor& x, const Tensors& weights, const Tensors& biases,
                         const std::vector<std::int64_t>& rows, const std::string& quant_type, std::int64_t blocksize,
                         std::int64_t nested_blocksize, const std::string& order);

// matmul_4bit_many on views, exported for direct.cpp.
struct Matmul4bitManyViews {
  TensorView x;
  TensorViews weights;
  TensorViews biases;
};
QFUSE_API Tensors matmul_4bit_many_views(const Matmul4bitManyViews& views, const std::vector<std::int64_t>& rows,
                                         const std::string& quant_type, std::int64_t blocksize,
                                         std::int64_t nested_blocksize, const std::string& order);

void swiglu(const Tensor& x, const std::optional<Tensor>& grad_y, const std::optional<Tensor>& y_q,
            const std::optional<Tensor>& y_s, const std::optional<Tensor>& y_t_q, const std::optional<Tensor>& y_t_s,
            const std::optional<Tensor>& grad_input_q, const std::optional<Tensor>& grad_input_s,
            const std::optional<Tensor>& grad_input_t_q, const std::optional<Tensor>& grad_input_t_s,
            const std::optional<Tensor>& weights, const std::optional<Tensor>& grad_weights,
            const std::optional<Tensor>& expert_ends, std::optional<double> limit, double alpha, double up_offset,
            const std::optional<std::string>& recipe, std::optional<std::int64_t> group_size,
            const std::optional<std::string>& scale_rule, const std::optional<std::string>& zero_rule,
            std::optional<double> amax_floor);

// The part of swiglu that the published operator has, under its name and with its argument order.
void silu_dot_fwd_bwd_quant_fuse(const Tensor& x, const std::optional<Tensor>& grad_y,
                                 const std::optional<Tensor>& grad_input_q, const std::optional<Tensor>& grad_input_s,
                                 const std::optional<Tensor>& y_t_q, const std::optional<Tensor>& y_t_s,
                                 const std::optional<Tensor>& grad_input_t_q,
                                 const std::optional<Tensor>& grad_input_t_s, const std::optional<Tensor>& expert_ends);

// Rotates and quantizes rows to INT8. Returns q in the shape of x [..., terms] and scale without the last dimension.
std::tuple<Tensor, Tensor> rotated_int8_quantize(const Tensor& x);

// Returns a weight's scales, one per row or, backward, one per column.
Tensor rotated_int8_weight_scales(const Tensors& weight, const std::vector<std::int64_t>& shape,
                                  const std::string& quant_type, std::int64_t blocksize, std::int64_t nested_blocksize,
                                  const std::string& direction);

// Returns a weight's q by these scales: [rows, cols] or, backward, [cols, rows].
Tensor rotated_int8_weight(const Tensors& weight, const Tensor& scale, const std::vector<std::int64_t>& shape,
                           const std::string& quant_type, std::int64_t blocksize, std::int64_t nested_blocksize,
                           const std::string& direction);

// Multiplies x_q [..., terms] by weight_q [outputs, terms] to [..., outputs], also the shape of addend.
Tensor rotated_int8_matmul(const Tensor& x_q, const Tensor& x_scale, const Tensor& weight_q, const Tensor& weight_scale,
                           ScalarType dtype, const std::optional<Tensor>& bias, const std::optional<Tensor>& lora_in,
                           const std::optional<Tensor>& lora_weight, const std::optional<Tensor>& addend,
                           const std::string& direction);

Tensor dequantize_4bit_rows(const Tensor& packed, const Tensor& scales, std::int64_t cols,
                            const std::string& quant_type, std::int64_t blocksize, ScalarType dtype,
                            const std::optional<Tensor>& global_scale, const std::optional<Tensor>& global_divisor,
                            const std::optional<Tensor>& zero_points);

Tensor dequantize_fp8(const Tensor& codes, const Tensor& scales, std::int64_t block_rows, std::int64_t block_cols,
                      ScalarType dtype);

// Adds scale * (b @ a) to a weight [rows, cols], or to each of [experts, rows, cols], by qfuse_lora_merge.
Tensor lora_merge(const Tensor& weight, const Tensor& a, const Tensor& b, double scale, ScalarType dtype);

void lora_merge_out(const Tensor& weight, const Tensor& a, const Tensor& b, double scale, const Tensor& out);

// The same for a matrix that is encoded in 4 bits. source: [values], or as for dequantize_4bit. to_nested_blocksize 0:
// plain absmax. mx_scales: of to "mxfp4", whose tensors are packed and scales. Returns what the codes decode to, in
// `dtype`, then the tensors of quantize_4bit or its nested form, or with keep_absmax packed alone.
Tensors lora_merge_4bit(const Tensors& source, const Tensor& a, const Tensor& b, double scale,
                        const std::vector<std::int64_t>& shape, ScalarType dtype, const std::string& quant_type,
                        std::int64_t blocksize, std::int64_t nested_blocksize, const std::string& to,
                        std::int64_t to_blocksize, std::int64_t to_nested_blocksize, bool keep_absmax,
                        const std::string& mx_scales);

// Returns y of a SwiGLU block or, with grad_y, d_gate and d_up stacked as [2, ...]; then the q and scale of these.
std::tuple<Tensor, Tensor, Tensor> rotated_int8_swiglu(const Tensor& gate, const Tensor& up,
                                                       const std::optional<Tensor>& grad_y);

}  // namespace qfuse::torch_ops

#endif  // QFUSE_PYTHON_CSRC_OPS_H
