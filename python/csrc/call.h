// One call of an op: converts torch's tensors to the pointers of qfuse.h. Checks dtypes, shapes and devices, which
// qfuse.h cannot see; the library checks everything else and words those errors.
#ifndef QFUSE_PYTHON_CSRC_CALL_H
#define QFUSE_PYTHON_CSRC_CALL_H

#include <qfuse/qfuse.h>
#include <torch/csrc/inductor/aoti_torch/c/shim.h>
#include <torch/csrc/stable/tensor.h>

#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

// STABLE_TORCH_ERROR_CODE_CHECK throws torch's own message. Older headers, including those of torch 2.11, have only
// TORCH_ERROR_CODE_CHECK, which does not.
#ifndef STABLE_TORCH_ERROR_CODE_CHECK
#define STABLE_TORCH_ERROR_CODE_CHECK TORCH_ERROR_CODE_CHECK
#endif

namespace qfuse::torch_ops {

using torch::headeronly::ScalarType;
using torch::stable::Tensor;
using Shape = torch::headeronly::IntHeaderOnlyArrayRef;

// Throws an exception that Python receives as a RuntimeError.
template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
  std::ostringstream message;
  ((message << parts), ...);
  throw std::runtime_error(message.str());
}

// Replaces the C names in a message of the library by their Python names.
std::string in_python(std::string message);

// Shapes, strides and dtypes as Python writes them, and the C enums of dtypes and of Python's option names.
std::string shape_text(Shape shape);
std::string name_of(ScalarType dtype);
qfuse_dtype dtype_of(ScalarType dtype, const char* what);
qfuse_quant_type quant_type_of(const std::string& name);
qfuse_reciprocal reciprocal_of(const std::string& name);
qfuse_direction direction_of(const std::string& name);

// Product of a shape's dimensions. Refuses negative dimensions and a product that overflows.
std::int64_t elements_of(Shape shape);

// The properties of a strided tensor that a call needs, from a torch tensor or a DLPack description. The tensor must
// outlive the view.
struct TensorView {
  TensorView() = default;
  TensorView(const Tensor& tensor);  // implicit, so that functions that take a view accept tensors

  const void* data = nullptr;
  ScalarType dtype = ScalarType::Undefined;
  std::int64_t item_size = 0;     // bytes
  std::int32_t device_type = -1;  // number in torch's C interface; -1: None, which torch passes as an undefined tensor
  std::int32_t device_index = 0;
  Shape sizes;
  Shape strides;

  [[nodiscard]] bool is_tensor() const { return device_type >= 0; }
  [[nodiscard]] bool is_cpu() const { return device_type == aoti_torch_device_type_cpu(); }
  [[nodiscard]] bool is_cuda() const { return device_type == aoti_torch_device_type_cuda(); }
  [[nodiscard]] std::int64_t numel() const {
    return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1},
                           std::multiplies<>());  // fits: the tensor exists
  }
  [[nodiscard]] bool is_contiguous() const;
};

// Elements from one row to the next if all dimensions but the last collapse into one, as in contiguous tensors and in
// slices of columns. 0 if x must be copied: overlapping or irregularly spaced rows, or columns that are not contiguous.
std::int64_t row_stride(const TensorView& x);

// `n` values in blocks of `size`; the number of blocks is the length of an array such as absmax.
struct Blocks {
  std::int64_t n;
  std::int64_t size;
  const char* size_name;

  [[nodiscard]] std::int64_t count() const;  // refuses a size that is not a power of two
};

// Each expert's end row: the array, its length and its type, as in qfuse.h's experts.
struct ExpertEnds {
  const void* data;
  std::int64_t count;
  qfuse_index_type type;
};

// One call. It runs on the device of its first tensor, where all its tensors must be, and on torch's current stream.
class Call {
 public:
  Call(const TensorView& first, const char* name);

  // Checks a contiguous array of `dtype` with one value per block, or with `count` values; returns its data.
  const void* array(const TensorView& tensor, const char* name, ScalarType dtype, const Blocks& blocks) const;
  const void* array(const TensorView& tensor, const char* name, ScalarType dtype, std::int64_t count) const;
  // Like array(), but for a tensor of the whole `shape` that the op writes.
  void* output(const Tensor& tensor, const char* name, ScalarType dtype, Shape shape) const;
  // Like output(), but with any strides: the caller checks them.
  void* strided_output(const Tensor& tensor, const char* name, ScalarType dtype, Shape shape) const;
  [[nodiscard]] ExpertEnds expert_ends(const TensorView& tensor) const;
  // Checks that a tensor of any dtype and size is contiguous and on the call's device; returns its data.
  const void* bytes(const TensorView& tensor, const char* name) const;
  // Checks a matrix on the call's device whose rows are each contiguous. `stride` gets the elements from row to row.
  const void* rows(const TensorView& tensor, const char* name, ScalarType dtype, Shape shape,
                   std::int64_t& stride) const;

  // Like rows(), but for any number of dimensions: `stride` gets row_stride(), or 0 if the tensor has no elements.
  const void* rows_anyhow(const TensorView& tensor, const char* name, ScalarType dtype, Shape shape,
                          std::int64_t& stride) const;

  // Allocates a contiguous tensor on the call's device.
  [[nodiscard]] Tensor empty(Shape shape, ScalarType dtype) const;

  // Bytes of workspace that an op with these parameters needs.
  template <class Params>
  std::int64_t workspace_size(qfuse_status (*size_of)(const Params*, const qfuse_exec*, std::int64_t*, qfuse_error*),
                              Params params) const {
    params.struct_size = sizeof params;
    std::int64_t size = 0;
    qfuse_error error;
    if (size_of(&params, &exec_, &size, &error) != QFUSE_OK) refuse(in_python(error.message));
    return size;
  }

  // The device's summation order for few rows of that dtype (qfuse_matmul_4bit_advice).
  [[nodiscard]] qfuse_sum sum_of_few_rows(qfuse_dtype dtype) const;

  template <class Params>
  void run(qfuse_status (*op)(const Params*, const qfuse_exec*, qfuse_error*), Params params) const {
    params.struct_size = sizeof params;
    qfuse_error error;
    if (op(&params, &exec_, &error) != QFUSE_OK) refuse(in_python(error.message));
  }

 private:
  void check_here(const TensorView& tensor, const char* name) const;

  const TensorView first_;
  const char* first_name_;
  qfuse_exec exec_ = QFUSE_EXEC_INIT;
};

}  // namespace qfuse::torch_ops

#endif  // QFUSE_PYTHON_CSRC_CALL_H
