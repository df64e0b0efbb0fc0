#include "ops.h"

namespace qfuse::torch_ops {
namespace {

// Half a pair is the library's to refuse; an array that is not wanted is no pointer.
void* output(const Call& call, const std::optional<Tensor>& tensor, const char* name, ScalarType dtype, Shape shape) {
  return tensor ? call.output(*tensor, name, dtype, shape) : nullptr;
}

float* scales(const Call& call, const std::optional<Tensor>& tensor, const char* name, Shape shape) {
  if (!tensor) return nullptr;
  return static_cast<float*>(call.strided_output(*tensor, name, ScalarType::Float, shape));
}

using Given = std::initializer_list<const std::optional<Tensor>*>;

// All payloads have the type of one that is not int8.
ScalarType payload_dtype(Given payloads) {
  for (const std::optional<Tensor>* payload : payloads)
    if (*payload && (*payload)->scalar_type() == ScalarType::Float8_e4m3fn) return ScalarType::Float8_e4m3fn;
  return ScalarType::Char;
}

// Whether scales [rows, groups] lie group by group, each group's at a multiple of 16 bytes.
bool is_mn_major(const TensorView& scales) {
  if (scales.sizes.size() != 2) return false;
  const std::int64_t rows = scales.sizes[0];
  return (rows <= 1 || scales.strides[0] == 1) && (scales.sizes[1] <= 1 || scales.strides[1] == (rows + 3) / 4 * 4);
}

qfuse_scale_layout layout_of(Given all_scales) {
  bool row_major = true;
  bool mn_major = true;
  for (const std::optional<Tensor>* scales : all_scales) {
    if (!*scales) continue;
    const TensorView view(**scales);
    row_major = row_major && view.is_contiguous();
    mn_major = mn_major && is_mn_major(view);
  }
  if (!row_major && !mn_major)
    refuse("the scales must all be contiguous, or all have the strides (1, rows rounded up to a multiple of 4)");
  return row_major ? QFUSE_SCALES_ROW_MAJOR : QFUSE_SCALES_MN_MAJOR;
}

}  // namespace

void silu_dot_fwd_bwd_quant_fuse(const Tensor& x, const std::optional<Tensor>& grad_y,
                                 const std::optional<Tensor>& grad_input_q, const std::optional<Tensor>& grad_input_s,
                                 const std::optional<Tensor>& y_q_t, const std::optional<Tensor>& y_s_t,
                                 const std::optional<Tensor>& grad_input_q_t,
                                 const std::optional<Tensor>& grad_input_s_t) {
  const Call call(x, "x");
  if (x.dim() != 2 || x.size(1) % 2 != 0)
    refuse("x has ", x.dim(), " dimensions and ", x.numel(), " elements, it must be [m, 2h]: gate and up");
  qfuse_swiglu_backward_params p{};
  p.m = x.size(0);
  p.h = x.size(1) / 2;
  p.group_size = QFUSE_SWIGLU_GROUP_SIZE;
  const ScalarType payload = payload_dtype({&grad_input_q, &y_q_t, &grad_input_q_t});
  p.payload_type = payload == ScalarType::Char ? QFUSE_INT8 : QFUSE_E4M3;
  const std::int64_t channel_groups = qfuse_block_count(2 * p.h, QFUSE_SWIGLU_GROUP_SIZE);
  const std::int64_t token_groups = qfuse_block_count(p.m, QFUSE_SWIGLU_GROUP_SIZE);
  p.x = call.rows(x, "x", ScalarType::BFloat16, {{p.m, 2 * p.h}}, p.x_stride);
  if (grad_y) p.grad_y = call.rows(*grad_y, "grad_y", ScalarType::BFloat16, {{p.m, p.h}}, p.grad_y_stride);
  p.grad_input_q = output(call, grad_input_q, "grad_input_q", payload, {{p.m, 2 * p.h}});
  p.grad_input_s = scales(call, grad_input_s, "grad_input_s", {{p.m, channel_groups}});
  p.y_q_t = output(call, y_q_t, "y_q_t", payload, {{p.h, p.m}});
  p.y_s_t = scales(call, y_s_t, "y_s_t", {{p.h, token_groups}});
  p.grad_input_q_t = output(call, grad_input_q_t, "grad_input_q_t", payload, {{2 * p.h, p.m}});
  p.grad_input_s_t = scales(call, grad_input_s_t, "grad_input_s_t", {{2 * p.h, token_groups}});
  p.scale_layout = layout_of({&grad_input_s, &y_s_t, &grad_input_s_t});
  call.run(qfuse_swiglu_backward, p);
}

}  // namespace qfuse::torch_ops
