// One call of an op: torch's tensors as the pointers of qfuse.h, with every check that qfuse.h cannot make, because it
// sees neither dtypes nor shapes nor where memory lies. What it can check, it checks and words itself.
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

// What passes torch's own words on; older headers, 2.11's among them, have only the one that does not.
#ifndef STABLE_TORCH_ERROR_CODE_CHECK
#define STABLE_TORCH_ERROR_CODE_CHECK TORCH_ERROR_CODE_CHECK
#endif

namespace qfuse::torch_ops {

using torch::headeronly::ScalarType;
using torch::stable::Tensor;
using Shape = torch::headeronly::IntHeaderOnlyArrayRef;

// Throws what Python sees as a RuntimeError.
template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
  std::ostringstream message;
  ((message << parts), ...);
  throw std::runtime_error(message.str());
}

// What the library says in words of C, in Python's.
std::string in_python(std::string message);

// Shapes, strides and dtypes as Python writes them.
std::string shape_text(Shape shape);
std::string name_of(ScalarType dtype);
qfuse_dtype dtype_of(ScalarType dtype, const char* what);
qfuse_quant_type quant_type_of(const std::string& name);
qfuse_reciprocal reciprocal_of(const std::string& name);
qfuse_direction direction_of(const std::string& name);

// The product of a shape's dimensions; refuses negative ones and what does not fit.
std::int64_t elements_of(Shape shape);

// What a call has to know of a strided tensor, which has to outlive this: of torch's own, or of one described by
// DLPack.
struct TensorView {
  TensorView() = default;
  TensorView(const Tensor& tensor);  // every function that looks at a tensor takes it so

  const void* data = nullptr;
  ScalarType dtype = ScalarType::Undefined;
  std::int64_t item_size = 0;     // bytes
  std::int32_t device_type = -1;  // as torch's C interface numbers them; of None, which torch lets through, -1
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

// The distance between rows, if all dimensions but the last can be taken for one: of contiguous tensors, and of slices
// that leave out columns. 0 where they have to be copied: rows that overlap or lie irregularly, columns apart.
std::int64_t row_stride(const TensorView& x);

// `n` values in blocks of `size`, whose number is an array's length.
struct Blocks {
  std::int64_t n;
  std::int64_t size;
  const char* size_name;

  [[nodiscard]] std::int64_t count() const;  // refuses a size that is no power of two
};

// Whose rows are whose, as qfuse.h's experts have them.
struct ExpertEnds {
  const void* data;
  std::int64_t count;
  qfuse_index_type type;
};

// The tensors of one call lie where its first one does, and there it runs, on torch's current stream.
class Call {
 public:
  Call(const TensorView& first, const char* name);

  // Contiguous arrays of one dtype: one value for each block, or `count` values.
  const void* array(const TensorView& tensor, const char* name, ScalarType dtype, const Blocks& blocks) const;
  const void* array(const TensorView& tensor, const char* name, ScalarType dtype, std::int64_t count) const;
  // The same of a whole shape, to be written.
  void* output(const Tensor& tensor, const char* name, ScalarType dtype, Shape shape) const;
  // The same at strides that the caller has looked at.
  void* strided_output(const Tensor& tensor, const char* name, ScalarType dtype, Shape shape) const;
  [[nodiscard]] ExpertEnds expert_ends(const TensorView& tensor) const;
  // Contiguous and here, of whatever dtype and size.
  const void* bytes(const TensorView& tensor, const char* name) const;
  // Here, with rows that are each contiguous; the stride is the distance between them.
  const void* rows(const TensorView& tensor, const char* name, ScalarType dtype, Shape shape,
                   std::int64_t& stride) const;

  // The same of any number of dimensions, with rows that row_stride finds; 0 of no values.
  const void* rows_anyhow(const TensorView& tensor, const char* name, ScalarType dtype, Shape shape,
                          std::int64_t& stride) const;

  // A new tensor here.
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

  // The device's for few rows of that dtype.
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
