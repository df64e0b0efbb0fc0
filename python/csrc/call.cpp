#include "call.h"

#include <dlfcn.h>
#include <torch/csrc/inductor/aoti_torch/c/shim.h>
#include <torch/csrc/stable/stableivalue_conversions.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>
#include <utility>

namespace qfuse::torch_ops {
namespace {

// The wording matches python/qfuse/native/devices.py, which checks the calls that torch sends to fake implementations.
std::string device_text(const TensorView& tensor) {
  if (tensor.is_cpu()) return "the CPU";
  if (tensor.is_cuda()) return "cuda:" + std::to_string(tensor.device_index);
  if (tensor.device_type == aoti_torch_device_type_meta()) return "meta";
  return "another kind of device";
}

bool same(Shape a, Shape b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i]) return false;
  return true;
}

void check_is_tensor(const TensorView& tensor, const char* name) {
  if (!tensor.is_tensor()) refuse(name, " is None, it must be a tensor");
}

void check_dtype(const TensorView& tensor, const char* name, ScalarType dtype) {
  check_is_tensor(tensor, name);
  if (tensor.dtype != dtype) refuse(name, " is ", name_of(tensor.dtype), ", it must be ", name_of(dtype));
}

void check_shape(const TensorView& tensor, const char* name, Shape shape) {
  if (!same(tensor.sizes, shape))
    refuse(name, " has shape ", shape_text(tensor.sizes), ", it must be ", shape_text(shape));
}

std::vector<std::int64_t> contiguous_strides(Shape shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    if (__builtin_mul_overflow(stride, std::max<std::int64_t>(shape[i], 1), &stride))
      refuse("shape is ", shape_text(shape), ", more than 2^63 elements but for its zeros");
  }
  return strides;
}

// Returns Undefined for a dtype that the stable interface's scalar_type() rejects. It rejects float8_e8m0fnu too, which
// is therefore recognized by its number first.
ScalarType scalar_type_of(const Tensor& tensor) {
  std::int32_t number = 0;
  STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch_get_dtype(tensor.get(), &number));
  if (number == static_cast<std::int32_t>(ScalarType::Float8_e8m0fnu)) return ScalarType::Float8_e8m0fnu;
  try {
    return tensor.scalar_type();
  } catch (const std::exception&) {
    return ScalarType::Undefined;
  }
}

// torch's function for the current stream. Only a torch built for NVIDIA or AMD GPUs has its library, and has already
// loaded it; torch calls AMD devices cuda, too.
using CurrentStream = AOTITorchError (*)(std::int32_t device_index, void** stream);

CurrentStream find_current_stream() {
  for (const char* const name : {"libtorch_cuda.so", "libtorch_hip.so"})
    if (void* const library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD); library != nullptr)
      return reinterpret_cast<CurrentStream>(dlsym(library, "aoti_torch_get_current_cuda_stream"));
  return nullptr;
}

void* current_stream(std::int32_t device_index) {
  static const CurrentStream current = find_current_stream();
  void* stream = nullptr;
  if (current == nullptr) refuse("this torch has no libtorch_cuda.so, so its current CUDA stream is not to be had");
  STABLE_TORCH_ERROR_CODE_CHECK(current(device_index, &stream));
  return stream;
}

// Runs the op on torch's threads. They spin on their cores while they wait, so a second thread pool would get no cores.
void run_on_torchs_threads(void* /*context*/, std::int64_t count, std::int64_t grain, qfuse_range_function function,
                           const void* task) {
  struct Ranges {
    qfuse_range_function function;
    const void* task;
  };
  Ranges ranges = {function, task};
  STABLE_TORCH_ERROR_CODE_CHECK(torch_parallel_for(
      0, count, grain,
      [](std::int64_t begin, std::int64_t end, void* context) {
        const auto& of_call = *static_cast<const Ranges*>(context);
        of_call.function(of_call.task, begin, end);
      },
      &ranges));
}

}  // namespace

std::string shape_text(Shape shape) {
  std::ostringstream text;
  text << '(';
  for (std::size_t i = 0; i < shape.size(); ++i) text << (i == 0 ? "" : ", ") << shape[i];
  text << ')';
  return text.str();
}

std::string in_python(std::string message) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 15> kWords{
      {{"QFUSE_RECIPROCAL_APPROX", "'approx'"},
       {"QFUSE_RECIPROCAL_IEEE", "'ieee'"},
       {"QFUSE_BACKWARD", "direction='backward'"},
       {"sum is QFUSE_SUM_FACTORED", "order is 'factored'"},
       {"the format is", "recipe is"},
       {"format.", ""},
       {"experts.ends", "expert_ends"},
       {"scale_type is QFUSE_SCALES_UE8M0", "the scales are UE8M0"},
       {"QFUSE_SCALES_POWER_OF_TWO", "'power_of_two'"},
       {"QFUSE_ZERO_SCALE_LEAST", "'least'"},
       {"QFUSE_E2M1 (3)", "'e2m1'"},
       {"QFUSE_INT4 (4)", "'int4'"},
       {"be NULL", "be None"},
       {"is NULL", "is None"},
       {"not NULL", "not None"}}};
  for (const auto& [c, python] : kWords)
    for (std::size_t at = message.find(c); at != std::string::npos; at = message.find(c, at))
      message.replace(at, c.size(), python);
  return message;
}

std::string name_of(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Byte: return "uint8";
    case ScalarType::Char: return "int8";
    case ScalarType::Half: return "float16";
    case ScalarType::BFloat16: return "bfloat16";
    case ScalarType::Float: return "float32";
    case ScalarType::Double: return "float64";
    case ScalarType::Float8_e4m3fn: return "float8_e4m3fn";
    case ScalarType::Float8_e5m2: return "float8_e5m2";
    case ScalarType::Float8_e8m0fnu: return "float8_e8m0fnu";
    case ScalarType::Int: return "int32";
    case ScalarType::Long: return "int64";
    case ScalarType::Undefined: return "of a dtype that torch's stable interface has no name for";
    default: return torch::headeronly::toString(dtype);  // no op takes these dtypes, so torch's own name will do
  }
}

qfuse_dtype dtype_of(ScalarType dtype, const char* what) {
  if (dtype == ScalarType::Float) return QFUSE_FLOAT32;
  if (dtype == ScalarType::Half) return QFUSE_FLOAT16;
  if (dtype == ScalarType::BFloat16) return QFUSE_BFLOAT16;
  refuse(what, " is ", name_of(dtype), ", it can be float32, float16 or bfloat16");
}

qfuse_quant_type quant_type_of(const std::string& name) {
  if (name == "nf4") return QFUSE_NF4;
  if (name == "fp4") return QFUSE_FP4;
  refuse("quant_type is '", name, "', it can be 'nf4' or 'fp4'");
}

qfuse_reciprocal reciprocal_of(const std::string& name) {
  if (name == "ieee") return QFUSE_RECIPROCAL_IEEE;
  if (name == "approx") return QFUSE_RECIPROCAL_APPROX;
  refuse("reciprocal is '", name, "', it can be 'ieee' or 'approx'");
}

qfuse_direction direction_of(const std::string& name) {
  if (name == "forward") return QFUSE_FORWARD;
  if (name == "backward") return QFUSE_BACKWARD;
  refuse("direction is '", name, "', it can be 'forward' or 'backward'");
}

std::int64_t elements_of(Shape shape) {
  std::int64_t product = 1;
  for (const std::int64_t dim : shape) {
    if (dim < 0) refuse("shape is ", shape_text(shape), ", no dimension can be negative");
    if (__builtin_mul_overflow(product, dim, &product))
      refuse("shape is ", shape_text(shape), ", more than 2^63 elements");
  }
  return product;
}

std::int64_t row_stride(const TensorView& x) {
  const std::int64_t cols = x.sizes[x.sizes.size() - 1];
  if (cols > 1 && x.strides[x.strides.size() - 1] != 1) return 0;
  std::int64_t rows = 1, stride = cols;
  for (std::size_t i = x.sizes.size() - 1; i-- > 0;) {
    if (x.sizes[i] == 1) continue;
    if (rows == 1) stride = x.strides[i];
    if (x.strides[i] != stride * rows) return 0;
    rows *= x.sizes[i];
  }
  return stride < cols ? 0 : stride;
}

std::int64_t Blocks::count() const {
  if (size < 1 || !std::has_single_bit(static_cast<std::uint64_t>(size)))
    refuse(size_name, " is ", size, ", it must be a power of two");
  return qfuse_block_count(n, size);
}

TensorView::TensorView(const Tensor& tensor) {
  if (!tensor.defined()) return;
  data = tensor.const_data_ptr();
  dtype = scalar_type_of(tensor);
  item_size = static_cast<std::int64_t>(tensor.element_size());
  device_index = tensor.get_device_index();
  sizes = tensor.sizes();
  strides = tensor.strides();
  STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch_get_device_type(tensor.get(), &device_type));
}

// Ignores the stride of a dimension of size 1, and all strides of a tensor without elements.
bool TensorView::is_contiguous() const {
  if (numel() == 0) return true;
  std::int64_t stride = 1;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] == 1) continue;
    if (strides[i] != stride) return false;
    stride *= sizes[i];
  }
  return true;
}

Call::Call(const TensorView& first, const char* name) : first_(first), first_name_(name) {
  check_is_tensor(first, name);
  if (first.is_cuda()) {
    exec_.device = {QFUSE_CUDA, first.device_index};
    exec_.stream = current_stream(exec_.device.index);
  } else if (first.is_cpu()) {
    exec_.parallel_for = run_on_torchs_threads;
  } else {
    refuse(name, " lies on ", device_text(first), ", it must be on the CPU or a CUDA device");
  }
}

void Call::check_here(const TensorView& tensor, const char* name) const {
  const bool here =
      exec_.device.type == QFUSE_CUDA ? tensor.is_cuda() && tensor.device_index == exec_.device.index : tensor.is_cpu();
  if (!here)
    refuse(name, " lies on ", device_text(tensor), ", ", first_name_, " on ", device_text(first_),
           ": all must be on one device");
}

const void* Call::bytes(const TensorView& tensor, const char* name) const {
  check_is_tensor(tensor, name);
  check_here(tensor, name);
  if (!tensor.is_contiguous())
    refuse(name, " has shape ", shape_text(tensor.sizes), " and strides ", shape_text(tensor.strides),
           ", it must be contiguous");
  return tensor.data;
}

void* Call::output(const Tensor& tensor, const char* name, ScalarType dtype, Shape shape) const {
  const TensorView view(tensor);
  check_dtype(view, name, dtype);
  check_shape(view, name, shape);
  bytes(view, name);
  return tensor.mutable_data_ptr();  // first gives a copy-on-write tensor memory of its own
}

qfuse_sum Call::sum_of_few_rows(qfuse_dtype dtype) const {
  constexpr std::int64_t kAnyBlocksize = 64;
  qfuse_sum few = QFUSE_SUM_OF_DEVICE;
  std::int64_t few_rows = 0;
  std::int64_t fused_rows = 0;
  qfuse_error error;
  if (qfuse_matmul_4bit_advice(exec_.device, dtype, QFUSE_FORWARD, 0, 0, kAnyBlocksize, &few, &few_rows, &fused_rows,
                               &error) != QFUSE_OK)
    refuse(in_python(error.message));
  return few;
}

void* Call::strided_output(const Tensor& tensor, const char* name, ScalarType dtype, Shape shape) const {
  const TensorView view(tensor);
  check_dtype(view, name, dtype);
  check_shape(view, name, shape);
  check_here(view, name);
  return tensor.mutable_data_ptr();
}

const void* Call::array(const TensorView& tensor, const char* name, ScalarType dtype, const Blocks& blocks) const {
  check_dtype(tensor, name, dtype);
  if (const std::int64_t count = blocks.count(); tensor.numel() != count)
    refuse(name, " has ", tensor.numel(), " elements, ", blocks.n, " values in blocks of ", blocks.size, " need ",
           count);
  return bytes(tensor, name);
}

const void* Call::array(const TensorView& tensor, const char* name, ScalarType dtype, std::int64_t count) const {
  check_dtype(tensor, name, dtype);
  if (tensor.numel() != count) refuse(name, " has ", tensor.numel(), " elements, it must have ", count);
  return bytes(tensor, name);
}

ExpertEnds Call::expert_ends(const TensorView& tensor) const {
  check_is_tensor(tensor, "expert_ends");
  if (tensor.sizes.size() != 1) refuse("expert_ends has shape ", shape_text(tensor.sizes), ", it must be [experts]");
  if (tensor.dtype != ScalarType::Int && tensor.dtype != ScalarType::Long)
    refuse("expert_ends is ", name_of(tensor.dtype), ", it must be int32 or int64");
  return {array(tensor, "expert_ends", tensor.dtype, tensor.numel()), tensor.numel(),
          tensor.dtype == ScalarType::Long ? QFUSE_INDEX_INT64 : QFUSE_INDEX_INT32};
}

const void* Call::rows(const TensorView& tensor, const char* name, ScalarType dtype, Shape shape,
                       std::int64_t& stride) const {
  check_dtype(tensor, name, dtype);
  check_shape(tensor, name, shape);
  check_here(tensor, name);
  if (shape[0] == 0 || shape[1] == 0) {
    stride = 0;
    return nullptr;
  }
  if (shape[1] > 1 && tensor.strides[1] != 1)
    refuse(name, " has strides ", shape_text(tensor.strides), ", its rows must be contiguous: a last stride of 1");
  stride = shape[0] > 1 ? tensor.strides[0] : shape[1];
  if (stride < shape[1])  // an expanded tensor has stride 0, which means "contiguous" in qfuse.h
    refuse(name, " has strides ", shape_text(tensor.strides), ", rows of ", shape[1], " must not overlap");
  return tensor.data;
}

const void* Call::rows_anyhow(const TensorView& tensor, const char* name, ScalarType dtype, Shape shape,
                              std::int64_t& stride) const {
  check_dtype(tensor, name, dtype);
  check_shape(tensor, name, shape);
  check_here(tensor, name);
  stride = tensor.numel() == 0 ? 0 : row_stride(tensor);
  return tensor.data;
}

// Calls torch's allocator, because torch::stable::new_empty looks its operator up by name, which takes most of its
// time.
Tensor Call::empty(Shape shape, ScalarType dtype) const {
  const std::vector<std::int64_t> strides = contiguous_strides(shape);
  const auto torch_dtype = torch::stable::detail::to<std::int32_t>(torch::stable::detail::from(dtype));
  const bool cuda = exec_.device.type == QFUSE_CUDA;
  const std::int32_t type = cuda ? aoti_torch_device_type_cuda() : aoti_torch_device_type_cpu();
  const std::int32_t index = cuda ? exec_.device.index : 0;
  AtenTensorHandle tensor = nullptr;
  const AOTITorchError allocated = aoti_torch_empty_strided(static_cast<std::int64_t>(shape.size()), shape.data(),
                                                            strides.data(), torch_dtype, type, index, &tensor);
  STABLE_TORCH_ERROR_CODE_CHECK(allocated);  // throws torch's own message
  return Tensor(tensor);
}

}  // namespace qfuse::torch_ops
