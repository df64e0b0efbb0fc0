// The ops as torch calls them, each one function for the CPU and CUDA. library.cpp holds their schemas, python/qfuse/
// ops/__init__.py their manual.
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

// The same for direct.cpp, which is a library of its own.
QFUSE_API Tensor dequantize_4bit_views(const TensorViews& weight, const std::vector<std::int64_t>& shape,
                                       ScalarType dtype, const std::string& quant_type, std::int64_t blocksize,
                                       std::int64_t nested_blocksize);

void dequantize_4bit_out(const Tensors& weight, const std::vector<std::int64_t>& shape, ScalarType dtype,
                         const std::string& quant_type, std::int64_t blocksize, std::int64_t nested_blocksize,
                         const Tensor& out);

// A weight's tensors in their order: packed, absmax
std::tuple<Tensor, Tensor> quantize_4bit(const Tensor& input, std::int64_t blocksize, const std::string& quant_type,
                                         const std::string& reciprocal);

// packed, absmax_8bit, nested_absmax, nested_quant_map, nested_offset
std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> quantize_4bit_nested(const Tensor& input, std::int64_t blocksize,
                                                                        const std::string& quant_type,
                                                                        std::int64_t nested_blocksize,
                                                                        const std::optional<Tensor>& given_offset,
                                                                        const std::string& reciprocal);

// codes, absmax
std::tuple<Tensor, Tensor> quantize_blockwise(const Tensor& input, std::int64_t blocksize, double offset,
                                              const std::string& reciprocal);

Tensor dequantize_blockwise(const Tensor& codes, const Tensor& absmax, const Tensor& quant_map, std::int64_t blocksize,
                            ScalarType dtype);

void dequantize_blockwise_out(const Tensor& codes, const Tensor& absmax, const Tensor& quant_map,
                              std::int64_t blocksize, ScalarType dtype, const Tensor& out);

Tensor dequantize_int8(const Tensor& codes, const Tensor& scb, ScalarType dtype);

// x [..., terms] to [..., outputs], of the weight's rows or columns; the rows of x may lie apart.
Tensor matmul_4bit(const Tensor& x, const Tensors& weight, const std::optional<Tensor>& bias,
                   const std::optional<Tensor>& lora_in, const std::optional<Tensor>& lora_weight,
                   const std::vector<std::int64_t>& shape, const std::string& quant_type, std::int64_t blocksize,
                   std::int64_t nested_blocksize, const std::string& direction, const std::string& order);

// The same for direct.cpp, of an x whose rows can be read where they lie.
struct Matmul4bitViews {
  TensorView x;
  TensorViews weight;
  TensorView bias;         // no tensor: none
  TensorView lora_in;      // likewise, both
  TensorView lora_weight;  //
};
QFUSE_API bool has_rows(const TensorView& x);
QFUSE_API Tensor matmul_4bit_views(const Matmul4bitViews& views, const std::vector<std::int64_t>& shape,
                                   const std::string& quant_type, std::int64_t blocksize, std::int64_t nested_blocksize,
                                   const std::string& direction, const std::string& order);

// x [m, terms] to [m, outputs], each row by the weight of its expert: shape is that of the stack, [experts, rows,
// cols].
Tensor matmul_4bit_grouped(const Tensor& x, const Tensors& weight, const Tensor& expert_ends,
                           const std::optional<Tensor>& bias, const std::optional<Tensor>& lora_in,
                           const std::optional<Tensor>& lora_weight, const std::vector<std::int64_t>& shape,
                           const std::string& quant_type, std::int64_t blocksize, std::int64_t nested_blocksize,
                           const std::string& direction, const std::string& order);

// Products by weights of rows[i] rows each, whose tensors follow one another.
Tensors matmul_4bit_many(const Tensor& x, const Tensors& weights, const Tensors& biases,
                         const std::vector<std::int64_t>& rows, const std::string& quant_type, std::int64_t blocksize,
                         std::int64_t nested_blocksize, const std::string& order);

// Likewise.
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

// The published operator's name and order, for what of swiglu it has.
void silu_dot_fwd_bwd_quant_fuse(const Tensor& x, const std::optional<Tensor>& grad_y,
                                 const std::optional<Tensor>& grad_input_q, const std::optional<Tensor>& grad_input_s,
                                 const std::optional<Tensor>& y_t_q, const std::optional<Tensor>& y_t_s,
                                 const std::optional<Tensor>& grad_input_t_q,
                                 const std::optional<Tensor>& grad_input_t_s, const std::optional<Tensor>& expert_ends);

// Rows of terms in INT8, rotated: q in the shape of x [..., terms], and scale, which is without the last dimension.
std::tuple<Tensor, Tensor> rotated_int8_quantize(const Tensor& x);

// Of a weight, one for each of its rows or, backward, columns.
Tensor rotated_int8_weight_scales(const Tensors& weight, const std::vector<std::int64_t>& shape,
                                  const std::string& quant_type, std::int64_t blocksize, std::int64_t nested_blocksize,
                                  const std::string& direction);

// q by these scales: [rows, cols] or, backward, [cols, rows].
Tensor rotated_int8_weight(const Tensors& weight, const Tensor& scale, const std::vector<std::int64_t>& shape,
                           const std::string& quant_type, std::int64_t blocksize, std::int64_t nested_blocksize,
                           const std::string& direction);

// x_q [..., terms] by weight_q [outputs, terms].
Tensor rotated_int8_matmul(const Tensor& x_q, const Tensor& x_scale, const Tensor& weight_q, const Tensor& weight_scale,
                           ScalarType dtype, const std::optional<Tensor>& bias, const std::optional<Tensor>& lora_in,
                           const std::optional<Tensor>& lora_weight, const std::string& direction);

Tensor dequantize_4bit_rows(const Tensor& packed, const Tensor& scales, std::int64_t cols,
                            const std::string& quant_type, std::int64_t blocksize, ScalarType dtype,
                            const std::optional<Tensor>& global_scale, const std::optional<Tensor>& global_divisor,
                            const std::optional<Tensor>& zero_points);

Tensor dequantize_fp8(const Tensor& codes, const Tensor& scales, std::int64_t block_rows, std::int64_t block_cols,
                      ScalarType dtype);

// y of a SwiGLU block or, with grad_y, d_gate and d_up, [2, ...]; and its q and scale.
std::tuple<Tensor, Tensor, Tensor> rotated_int8_swiglu(const Tensor& gate, const Tensor& up,
                                                       const std::optional<Tensor>& grad_y);

}  // namespace qfuse::torch_ops

#endif  // QFUSE_PYTHON_CSRC_OPS_H
