#include <cmath>

#include "ops.h"

namespace qfuse::torch_ops {
namespace {

// All that a call may have beside x.
struct SwigluTensors {
  const std::optional<Tensor>& grad_y;
  const std::optional<Tensor>& y_q;
  const std::optional<Tensor>& y_s;
  const std::optional<Tensor>& y_q_t;
  const std::optional<Tensor>& y_s_t;
  const std::optional<Tensor>& grad_input_q;
  const std::optional<Tensor>& grad_input_s;
  const std::optional<Tensor>& grad_input_q_t;
  const std::optional<Tensor>& grad_input_s_t;
  const std::optional<Tensor>& weights;
  const std::optional<Tensor>& grad_weights;
  const std::optional<Tensor>& expert_ends;
};

// Half a pair is the library's to refuse; an array that is not wanted is no pointer.
void* output(const Call& call, const std::optional<Tensor>& tensor, const char* name, ScalarType dtype, Shape shape) {
  return tensor ? call.output(*tensor, name, dtype, shape) : nullptr;
}

float* scales(const Call& call, const std::optional<Tensor>& tensor, const char* name, Shape shape) {
  if (!tensor) return nullptr;
  return static_cast<float*>(call.strided_output(*tensor, name, ScalarType::Float, shape));
}

using Given = std::initializer_list<const std::optional<Tensor>*>;

// An output [rows, columns] transposed. Where it has one dimension, each expert's matrix lies behind the one before.
struct Transposed {
  const std::optional<Tensor>& tensor;
  std::int64_t rows;
  std::int64_t columns;
  [[nodiscard]] bool is_apart() const { return tensor && tensor->dim() == 1; }
};

void* payload(const Call& call, const Transposed& out, const char* name, ScalarType dtype) {
  if (out.is_apart()) return output(call, out.tensor, name, dtype, {{out.rows * out.columns}});
  return output(call, out.tensor, name, dtype, {{out.rows, out.columns}});
}

float* group_scales(const Call& call, const Transposed& out, const char* name) {
  const std::int64_t groups = qfuse_block_count(out.columns, QFUSE_SWIGLU_GROUP_SIZE);
  if (out.is_apart()) return scales(call, out.tensor, name, {{out.rows * groups}});
  return scales(call, out.tensor, name, {{out.rows, groups}});
}

bool are_apart(const Transposed& y, const Transposed& gradient, bool has_experts) {
  const bool apart = y.is_apart() || gradient.is_apart();
  if (apart && !has_experts) refuse("y_q_t and grad_input_q_t must have 2 dimensions where there is no expert_ends");
  if (apart && ((y.tensor && !y.is_apart()) || (gradient.tensor && !gradient.is_apart())))
    refuse("y_q_t and grad_input_q_t must both have 1 dimension, each expert's columns by themselves, or both 2");
  return apart;
}

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

// Returns the columns that what is transposed has for them.
std::int64_t point_to_experts(const Call& call, const Tensor& ends, qfuse_swiglu_params& p) {
  if (ends.dim() != 1 || ends.numel() == 0)
    refuse("expert_ends has ", ends.dim(), " dimensions and ", ends.numel(), " elements, it must be [experts]");
  const bool is_64 = ends.scalar_type() == ScalarType::Long;
  if (!is_64 && ends.scalar_type() != ScalarType::Int)
    refuse("expert_ends is ", name_of(ends.scalar_type()), ", it must be int32 or int64");
  p.expert_count = ends.size(0);
  p.expert_ends_type = is_64 ? QFUSE_INDEX_INT64 : QFUSE_INDEX_INT32;
  p.expert_ends = call.array(ends, "expert_ends", is_64 ? ScalarType::Long : ScalarType::Int, p.expert_count);
  return qfuse_expert_columns(p.m, p.expert_count);
}

struct Activation {
  std::optional<double> limit;
  double alpha = 1;
  double up_offset = 0;
};

// To the library, 0 is what is not given.
void choose(const Activation& activation, qfuse_swiglu_params& p) {
  p.limit = static_cast<float>(activation.limit.value_or(0));
  p.alpha = static_cast<float>(activation.alpha);
  if (activation.limit && !(p.limit > 0 && std::isfinite(p.limit)))
    refuse("limit is ", *activation.limit, ", it must be finite and above 0, or None");
  if (p.alpha == 0) refuse("alpha is ", activation.alpha, ", it must not be 0");
  p.up_offset = static_cast<float>(activation.up_offset);
}

void point_to_weights(const Call& call, const SwigluTensors& t, qfuse_swiglu_params& p) {
  if (t.weights) p.weights = static_cast<const float*>(call.array(*t.weights, "weights", ScalarType::Float, p.m));
  if (t.grad_weights)
    p.grad_weights = static_cast<float*>(call.output(*t.grad_weights, "grad_weights", ScalarType::Float, {{p.m}}));
}

void point_to_outputs(const Call& call, const SwigluTensors& t, qfuse_swiglu_params& p) {
  const ScalarType dtype = payload_dtype({&t.y_q, &t.y_q_t, &t.grad_input_q, &t.grad_input_q_t});
  p.payload_type = dtype == ScalarType::Char ? QFUSE_INT8 : QFUSE_E4M3;
  const std::int64_t channel_groups = qfuse_block_count(p.h, QFUSE_SWIGLU_GROUP_SIZE);
  const std::int64_t columns = t.expert_ends ? point_to_experts(call, *t.expert_ends, p) : p.m;
  const Transposed y = {t.y_q_t, p.h, columns};
  const Transposed gradient = {t.grad_input_q_t, 2 * p.h, columns};
  p.expert_layout =
      are_apart(y, gradient, t.expert_ends.has_value()) ? QFUSE_EXPERTS_APART : QFUSE_EXPERTS_SIDE_BY_SIDE;
  p.y_q = output(call, t.y_q, "y_q", dtype, {{p.m, p.h}});
  p.y_s = scales(call, t.y_s, "y_s", {{p.m, channel_groups}});
  p.grad_input_q = output(call, t.grad_input_q, "grad_input_q", dtype, {{p.m, 2 * p.h}});
  p.grad_input_s = scales(call, t.grad_input_s, "grad_input_s", {{p.m, 2 * channel_groups}});
  p.y_q_t = payload(call, y, "y_q_t", dtype);
  p.y_s_t = group_scales(call, {t.y_s_t, p.h, columns}, "y_s_t");
  p.grad_input_q_t = payload(call, gradient, "grad_input_q_t", dtype);
  p.grad_input_s_t = group_scales(call, {t.grad_input_s_t, 2 * p.h, columns}, "grad_input_s_t");
  p.scale_layout = layout_of({&t.y_s, &t.grad_input_s, &t.y_s_t, &t.grad_input_s_t});
}

// The workspace is torch's memory; the op's stream is torch's current one, so it is not used again too early.
void run_swiglu(const Tensor& x, const SwigluTensors& t, const Activation& activation) {
  const Call call(x, "x");
  if (x.dim() != 2 || x.size(1) % 2 != 0)
    refuse("x has ", x.dim(), " dimensions and ", x.numel(), " elements, it must be [m, 2h]: gate and up");
  qfuse_swiglu_params p{};
  p.m = x.size(0);
  p.h = x.size(1) / 2;
  p.group_size = QFUSE_SWIGLU_GROUP_SIZE;
  choose(activation, p);
  p.x = call.rows(x, "x", ScalarType::BFloat16, {{p.m, 2 * p.h}}, p.x_stride);
  if (t.grad_y) p.grad_y = call.rows(*t.grad_y, "grad_y", ScalarType::BFloat16, {{p.m, p.h}}, p.grad_y_stride);
  point_to_weights(call, t, p);
  point_to_outputs(call, t, p);
  std::optional<Tensor> workspace;
  if (t.grad_weights) {
    p.workspace_size = call.workspace_size(qfuse_swiglu_workspace_size, p);
    workspace = call.empty({{p.workspace_size}}, ScalarType::Byte);
    p.workspace = workspace->mutable_data_ptr();
  }
  call.run(qfuse_swiglu, p);
}

}  // namespace

void swiglu(const Tensor& x, const std::optional<Tensor>& grad_y, const std::optional<Tensor>& y_q,
            const std::optional<Tensor>& y_s, const std::optional<Tensor>& y_q_t, const std::optional<Tensor>& y_s_t,
            const std::optional<Tensor>& grad_input_q, const std::optional<Tensor>& grad_input_s,
            const std::optional<Tensor>& grad_input_q_t, const std::optional<Tensor>& grad_input_s_t,
            const std::optional<Tensor>& weights, const std::optional<Tensor>& grad_weights,
            const std::optional<Tensor>& expert_ends, std::optional<double> limit, double alpha, double up_offset) {
  run_swiglu(x,
             {grad_y, y_q, y_s, y_q_t, y_s_t, grad_input_q, grad_input_s, grad_input_q_t, grad_input_s_t, weights,
              grad_weights, expert_ends},
             {limit, alpha, up_offset});
}

void silu_dot_fwd_bwd_quant_fuse(const Tensor& x, const std::optional<Tensor>& grad_y,
                                 const std::optional<Tensor>& grad_input_q, const std::optional<Tensor>& grad_input_s,
                                 const std::optional<Tensor>& y_q_t, const std::optional<Tensor>& y_s_t,
                                 const std::optional<Tensor>& grad_input_q_t,
                                 const std::optional<Tensor>& grad_input_s_t,
                                 const std::optional<Tensor>& expert_ends) {
  const std::optional<Tensor> none;
  run_swiglu(x,
             {grad_y, none, none, y_q_t, y_s_t, grad_input_q, grad_input_s, grad_input_q_t, grad_input_s_t, none, none,
              expert_ends},
             {});
}

}  // namespace qfuse::torch_ops
