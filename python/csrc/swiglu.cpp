#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "ops.h"

namespace qfuse::torch_ops {
namespace {

// All tensors of a call except x.
struct SwigluTensors {
  const std::optional<Tensor>& grad_y;
  const std::optional<Tensor>& y_q;
  const std::optional<Tensor>& y_s;
  const std::optional<Tensor>& y_t_q;
  const std::optional<Tensor>& y_t_s;
  const std::optional<Tensor>& grad_input_q;
  const std::optional<Tensor>& grad_input_s;
  const std::optional<Tensor>& grad_input_t_q;
  const std::optional<Tensor>& grad_input_t_s;
  const std::optional<Tensor>& weights;
  const std::optional<Tensor>& grad_weights;
  const std::optional<Tensor>& expert_ends;
};

// The part of the format that a call names; its tensors' dtypes decide the rest.
struct Format {
  std::optional<std::string> recipe;
  std::optional<std::int64_t> group_size;
  std::optional<std::string> scale_rule;
  std::optional<std::string> zero_rule;
  std::optional<double> amax_floor;
};

// Returns null for an output that is not requested. The library refuses q without s and s without q.
void* output(const Call& call, const std::optional<Tensor>& tensor, const char* name, ScalarType dtype, Shape shape) {
  return tensor ? call.output(*tensor, name, dtype, shape) : nullptr;
}

using Given = std::initializer_list<const std::optional<Tensor>*>;

// Storage of all scales of a call: fp32, UE8M0 in one byte each, or UE8M0 with four scales of a row in one int32 word.
struct Scales {
  ScalarType dtype;
  std::int64_t group_size;

  [[nodiscard]] bool are_words() const { return dtype == ScalarType::Int; }
  [[nodiscard]] bool are_float() const { return dtype == ScalarType::Float; }
  // Number of elements that hold the scales of a row of `values` values.
  [[nodiscard]] std::int64_t count(std::int64_t values) const {
    const std::int64_t groups = qfuse_block_count(values, group_size);
    return are_words() ? qfuse_block_count(groups, 4) : groups;
  }
};

void* scales(const Call& call, const std::optional<Tensor>& tensor, const char* name, ScalarType dtype, Shape shape) {
  return tensor ? call.strided_output(*tensor, name, dtype, shape) : nullptr;
}

// A transposed output, [rows, columns]. A tensor of one dimension holds the experts' matrices one after another.
struct Transposed {
  const std::optional<Tensor>& tensor;
  std::int64_t rows;
  std::int64_t columns;
  [[nodiscard]] bool is_apart() const { return tensor && tensor->dim() == 1; }
};

void* payload(const Call& call, const Transposed& out, const char* name, ScalarType dtype) {
  if (out.is_apart()) return output(call, out.tensor, name, dtype, {out.rows * out.columns});
  return output(call, out.tensor, name, dtype, {out.rows, out.columns});
}

void* group_scales(const Call& call, const Transposed& out, const char* name, const Scales& how) {
  const std::int64_t count = how.count(out.columns);
  if (out.is_apart()) return scales(call, out.tensor, name, how.dtype, {out.rows * count});
  return scales(call, out.tensor, name, how.dtype, {out.rows, count});
}

bool are_apart(const Transposed& y, const Transposed& gradient, bool has_experts) {
  const bool apart = y.is_apart() || gradient.is_apart();
  if (apart && !has_experts) refuse("y_t_q and grad_input_t_q must have 2 dimensions where there are no expert_ends");
  if (apart && ((y.tensor && !y.is_apart()) || (gradient.tensor && !gradient.is_apart())))
    refuse("y_t_q and grad_input_t_q must both have 1 dimension, each expert's columns by themselves, or both 2");
  return apart;
}

bool is(const std::optional<Tensor>* tensor, ScalarType dtype) {
  return *tensor && TensorView(**tensor).dtype == dtype;
}

// FP8 if any payload tensor is FP8, otherwise INT8. Payloads of another dtype are refused later, by name.
ScalarType payload_of(const SwigluTensors& t) {
  for (const std::optional<Tensor>* payload : {&t.y_q, &t.y_t_q, &t.grad_input_q, &t.grad_input_t_q})
    if (is(payload, ScalarType::Float8_e4m3fn)) return ScalarType::Float8_e4m3fn;
  return ScalarType::Char;
}

// dtype of the first scales given if it is a UE8M0 one, otherwise float32, against which all scales are then checked.
ScalarType scale_dtype(Given all_scales, ScalarType payload) {
  if (payload == ScalarType::Char) return ScalarType::Float;
  for (const std::optional<Tensor>* scales : all_scales) {
    if (!*scales) continue;
    const ScalarType dtype = TensorView(**scales).dtype;
    const bool is_ue8m0 = dtype == ScalarType::Byte || dtype == ScalarType::Float8_e8m0fnu || dtype == ScalarType::Int;
    return is_ue8m0 ? dtype : ScalarType::Float;
  }
  return ScalarType::Float;
}

// Whether scales [rows, groups] are column-major with each group's column padded to a multiple of 4 rows (16 bytes).
bool is_mn_major(const TensorView& scales) {
  if (scales.numel() == 0) return true;
  if (scales.sizes.size() != 2) return false;
  const std::int64_t rows = scales.sizes[0];
  return (rows <= 1 || scales.strides[0] == 1) && (scales.sizes[1] <= 1 || scales.strides[1] == (rows + 3) / 4 * 4);
}

qfuse_scale_layout layout_of(Given all_scales, const Scales& how) {
  bool row_major = !how.are_words();
  bool mn_major = how.are_words() || how.are_float();
  for (const std::optional<Tensor>* scales : all_scales) {
    if (!*scales) continue;
    const TensorView view(**scales);
    row_major = row_major && view.is_contiguous();
    mn_major = mn_major && is_mn_major(view);
  }
  if (row_major) return QFUSE_SCALES_ROW_MAJOR;
  if (mn_major) return QFUSE_SCALES_MN_MAJOR;
  constexpr const char* kStrides = "the strides (1, rows rounded up to a multiple of 4)";
  if (how.are_float()) refuse("the scales must all be contiguous, or all have ", kStrides);
  if (how.are_words()) refuse("the scales are int32, four groups to a word: all must have ", kStrides);
  refuse("the scales are ", name_of(how.dtype), ", all must be contiguous; group by group, UE8M0 scales are int32");
}

// Sets the experts and returns the number of columns of a transposed output.
std::int64_t point_to_experts(const Call& call, const Tensor& tensor, qfuse_swiglu_params& p) {
  const ExpertEnds ends = call.expert_ends(tensor);
  if (ends.count == 0) refuse("expert_ends has shape (0), it must be [experts]");
  p.experts.count = ends.count;
  p.experts.ends_type = ends.type;
  p.experts.ends = ends.data;
  return qfuse_expert_columns(p.m, ends.count);
}

struct Activation {
  std::optional<double> limit;
  double alpha = 1;
  double up_offset = 0;
};

// The library reads 0 as "not given", so an explicit 0 is refused here where it would change the meaning.
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
    p.grad_weights = static_cast<float*>(call.output(*t.grad_weights, "grad_weights", ScalarType::Float, {p.m}));
}

// ---- formats

// Names of the enumerations' values, in the order of their numbers from 0.
constexpr std::array<std::string_view, 2> kScaleRules = {"power_of_two", "torchao"};
constexpr std::array<std::string_view, 3> kZeroRules = {"floor", "one", "least"};

template <class Value, std::size_t N>
void choose_by_name(const std::optional<std::string>& name, const char* what,
                    const std::array<std::string_view, N>& names, Value& value) {
  if (!name) return;
  std::string all;
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == *name) {
      value = static_cast<Value>(i);
      return;
    }
    all += (i == 0 ? "'" : i + 1 == N ? " or '" : ", '") + std::string(names[i]) + "'";
  }
  refuse(what, " is '", *name, "', it can be ", all);
}

void apply(const std::string& recipe, ScalarType payload, qfuse_swiglu_params& p) {
  qfuse_error error;
  if (qfuse_swiglu_format(recipe.c_str(), &p.format, &error) != QFUSE_OK) refuse(in_python(error.message));
  const ScalarType its = p.format.payload_type == QFUSE_INT8 ? ScalarType::Char : ScalarType::Float8_e4m3fn;
  if (its != payload)
    refuse("recipe is '", recipe, "', whose payloads are ", name_of(its), ", but those given are ", name_of(payload));
}

// Refuses options of FP8 formats if the payload is INT8, whatever their values are.
void check_kind(const Format& format, ScalarType payload) {
  const bool int8 = payload == ScalarType::Char;
  for (const auto& [name, is_given] : {std::pair{"scale_rule", format.scale_rule.has_value()},
                                       {"zero_rule", format.zero_rule.has_value()},
                                       {"amax_floor", format.amax_floor.has_value()}})
    if (int8 && is_given) refuse(name, " is given, but the payloads are int8: it is of FP8 alone");
}

// The library reads 0 as "not given", so an amax_floor of 0 is allowed only where the zero rule needs none.
void choose_floor(double floor, qfuse_swiglu_params& p) {
  p.format.amax_floor = static_cast<float>(floor);
  if (p.format.amax_floor == 0 && (floor != 0 || p.format.zero_rule == QFUSE_ZERO_AT_FLOOR))
    refuse("amax_floor is ", floor, ", it must be 1e-30 to 1e30, or with zero_rule 'one' 0 for none");
}

void choose(const Format& format, ScalarType payload, qfuse_swiglu_params& p) {
  p.format.group_size = QFUSE_SWIGLU_GROUP_SIZE;
  if (format.recipe) apply(*format.recipe, payload, p);
  check_kind(format, payload);
  p.format.payload_type = payload == ScalarType::Char ? QFUSE_INT8 : QFUSE_E4M3;
  choose_by_name(format.scale_rule, "scale_rule", kScaleRules, p.format.scale_rule);
  choose_by_name(format.zero_rule, "zero_rule", kZeroRules, p.format.zero_rule);
  if (format.amax_floor) choose_floor(*format.amax_floor, p);
  p.format.group_size = format.group_size.value_or(p.format.group_size);
  if (p.format.group_size != QFUSE_SWIGLU_GROUP_SIZE &&
      p.format.group_size != QFUSE_SWIGLU_SMALL_GROUP_SIZE)  // checked here because group counts need a valid size
    refuse("group_size is ", p.format.group_size, ", it must be ", QFUSE_SWIGLU_GROUP_SIZE, " or ",
           QFUSE_SWIGLU_SMALL_GROUP_SIZE);
}

// ---- outputs

void point_to_outputs(const Call& call, const SwigluTensors& t, ScalarType dtype, qfuse_swiglu_params& p) {
  const Given all_scales = {&t.y_s, &t.grad_input_s, &t.y_t_s, &t.grad_input_t_s};
  const Scales how = {scale_dtype(all_scales, dtype), p.format.group_size};
  const std::int64_t columns = t.expert_ends ? point_to_experts(call, *t.expert_ends, p) : p.m;
  const Transposed y = {t.y_t_q, p.h, columns};
  const Transposed gradient = {t.grad_input_t_q, 2 * p.h, columns};
  const bool apart = are_apart(y, gradient, t.expert_ends.has_value());
  if (apart && how.are_words())
    refuse("the scales are int32, whose words experts share: y_t_q and grad_input_t_q must have 2 dimensions");
  p.experts.layout = apart ? QFUSE_EXPERTS_APART : QFUSE_EXPERTS_SIDE_BY_SIDE;
  p.format.scale_type = how.are_float() ? QFUSE_SCALES_FLOAT32 : QFUSE_SCALES_UE8M0;
  p.y.q = output(call, t.y_q, "y_q", dtype, {p.m, p.h});
  p.y.s = scales(call, t.y_s, "y_s", how.dtype, {p.m, how.count(p.h)});
  p.grad_input.q = output(call, t.grad_input_q, "grad_input_q", dtype, {p.m, 2 * p.h});
  p.grad_input.s = scales(call, t.grad_input_s, "grad_input_s", how.dtype, {p.m, how.count(2 * p.h)});
  p.y_t.q = payload(call, y, "y_t_q", dtype);
  p.y_t.s = group_scales(call, {t.y_t_s, p.h, columns}, "y_t_s", how);
  p.grad_input_t.q = payload(call, gradient, "grad_input_t_q", dtype);
  p.grad_input_t.s = group_scales(call, {t.grad_input_t_s, 2 * p.h, columns}, "grad_input_t_s", how);
  p.format.scale_layout = layout_of(all_scales, how);
}

// torch may reuse the workspace's memory only for later work on the same stream, because the op runs on that stream.
void run_swiglu(const Tensor& x, const SwigluTensors& t, const Activation& activation, const Format& format) {
  const Call call(x, "x");
  if (x.dim() != 2 || x.size(1) % 2 != 0)
    refuse("x has ", x.dim(), " dimensions and ", x.numel(), " elements, it must be [m, 2h]: gate and up");
  qfuse_swiglu_params p{};
  p.m = x.size(0);
  p.h = x.size(1) / 2;
  const ScalarType dtype = payload_of(t);
  choose(format, dtype, p);
  choose(activation, p);
  p.x = call.rows(x, "x", ScalarType::BFloat16, {p.m, 2 * p.h}, p.x_stride);
  if (t.grad_y) p.grad_y = call.rows(*t.grad_y, "grad_y", ScalarType::BFloat16, {p.m, p.h}, p.grad_y_stride);
  point_to_weights(call, t, p);
  point_to_outputs(call, t, dtype, p);
  std::optional<Tensor> workspace;
  if (t.grad_weights) {
    p.workspace_size = call.workspace_size(qfuse_swiglu_workspace_size, p);
    workspace = call.empty({p.workspace_size}, ScalarType::Byte);
    p.workspace = workspace->mutable_data_ptr();
  }
  call.run(qfuse_swiglu, p);
}

}  // namespace

void swiglu(const Tensor& x, const std::optional<Tensor>& grad_y, const std::optional<Tensor>& y_q,
            const std::optional<Tensor>& y_s, const std::optional<Tensor>& y_t_q, const std::optional<Tensor>& y_t_s,
            const std::optional<Tensor>& grad_input_q, const std::optional<Tensor>& grad_input_s,
            const std::optional<Tensor>& grad_input_t_q, const std::optional<Tensor>& grad_input_t_s,
            const std::optional<Tensor>& weights, const std::optional<Tensor>& grad_weights,
            const std::optional<Tensor>& expert_ends, std::optional<double> limit, double alpha, double up_offset,
            const std::optional<std::string>& recipe, std::optional<std::int64_t> group_size,
            const std::optional<std::string>& scale_rule, const std::optional<std::string>& zero_rule,
            std::optional<double> amax_floor) {
  run_swiglu(x,
             {grad_y, y_q, y_s, y_t_q, y_t_s, grad_input_q, grad_input_s, grad_input_t_q, grad_input_t_s, weights,
              grad_weights, expert_ends},
             {limit, alpha, up_offset}, {recipe, group_size, scale_rule, zero_rule, amax_floor});
}

void silu_dot_fwd_bwd_quant_fuse(const Tensor& x, const std::optional<Tensor>& grad_y,
                                 const std::optional<Tensor>& grad_input_q, const std::optional<Tensor>& grad_input_s,
                                 const std::optional<Tensor>& y_t_q, const std::optional<Tensor>& y_t_s,
                                 const std::optional<Tensor>& grad_input_t_q,
                                 const std::optional<Tensor>& grad_input_t_s,
                                 const std::optional<Tensor>& expert_ends) {
  const std::optional<Tensor> none;
  run_swiglu(x,
             {grad_y, none, none, y_t_q, y_t_s, grad_input_q, grad_input_s, grad_input_t_q, grad_input_t_s, none, none,
              expert_ends},
             {}, {});
}

}  // namespace qfuse::torch_ops
