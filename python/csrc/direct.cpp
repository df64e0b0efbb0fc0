// The Python module qfuse._direct runs dequantize_4bit and the products on Python objects without torch's dispatcher,
// because converting and dispatching an op's arguments takes as long as a kernel launch. native/torch_ops.py calls it.
// Its functions return None if a mode, tracer or profiler must see the op or if an argument is not a plain tensor; the
// caller then goes through torch.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <torch/csrc/inductor/aoti_torch/c/shim.h>

#include <array>
#include <cstddef>
#include <exception>
#include <initializer_list>
#include <memory>

#include "ops.h"

// DLPack's own header, which is independent of torch; torch's copy rejects a build that pins torch's version.
#pragma push_macro("TORCH_TARGET_VERSION")
#undef TORCH_TARGET_VERSION
#include <ATen/dlpack.h>
#pragma pop_macro("TORCH_TARGET_VERSION")

// Exists in torch 2.14 and later; null in older ones.
extern "C" {
__attribute__((weak)) AOTITorchError torch_tensor_to_pyobject(AtenTensorHandle tensor, void* type, void** object);
}

namespace qfuse::torch_ops {
namespace {

struct NotPlain {};  // thrown if the call must go through torch instead

struct Decrement {
  void operator()(PyObject* object) const { Py_DECREF(object); }
};
using Owned = std::unique_ptr<PyObject, Decrement>;

PyObject* present(PyObject* object) { return object != nullptr ? object : throw NotPlain(); }

struct Dtype {
  PyObject* object;
  ScalarType type;
};

// Objects of torch's Python that are looked up once. Imported modules stay loaded, so nothing here is ever freed.
struct Torch {
  PyObject* tensor;
  PyObject* parameter;
  PyObject* no_dispatch;  // torch.Tensor's __torch_dispatch__, which a class inherits if it defines none
  PyObject* dispatch_name;
  PyObject* dtype_name;
  PyObject* uint8;
  PyObject* is_neg;
  PyObject* without_torch_function;  // calls a function with __torch_function__ disabled
  PyObject* transpose;
  PyObject* give;  // before torch 2.14: turns a capsule with a tensor handle into a Python tensor
  std::array<PyObject*, 5> watchers;
  std::array<Dtype, 3> dtypes;
  decltype(DLPackExchangeAPI::dltensor_from_py_object_no_sync) describe;
};
Torch torch_python;

PyObject* find(const char* module_name, std::initializer_list<const char*> names) {
  Owned found(present(PyImport_ImportModule(module_name)));
  for (const char* const name : names) found.reset(present(PyObject_GetAttrString(found.get(), name)));
  return found.release();
}

// DLPack's table of C functions, which torch provides since 2.10.
const DLPackExchangeAPI& exchange_api() {
  const Owned capsule(find("torch", {"Tensor", "__dlpack_c_exchange_api__"}));
  const auto* const api =
      static_cast<const DLPackExchangeAPI*>(PyCapsule_GetPointer(capsule.get(), "dlpack_exchange_api"));
  if (api == nullptr) throw NotPlain();
  if (api->header.version.major != DLPACK_MAJOR_VERSION || api->dltensor_from_py_object_no_sync == nullptr) {
    PyErr_SetString(PyExc_AttributeError, "torch describes its tensors by another version of DLPack");
    throw NotPlain();
  }
  return *api;
}

void look_up_torch() {
  torch_python.tensor = find("torch", {"Tensor"});
  torch_python.parameter = find("torch", {"nn", "Parameter"});
  torch_python.no_dispatch = find("torch", {"Tensor", "__torch_dispatch__"});
  torch_python.dispatch_name = present(PyUnicode_InternFromString("__torch_dispatch__"));
  torch_python.dtype_name = present(PyUnicode_InternFromString("dtype"));
  torch_python.uint8 = find("torch", {"uint8"});
  torch_python.is_neg = find("torch", {"Tensor", "is_neg"});
  torch_python.without_torch_function = find("torch", {"_C", "_disabled_torch_function_impl"});
  torch_python.transpose = find("torch", {"Tensor", "t"});
  torch_python.watchers = {
      find("torch", {"_C", "_len_torch_dispatch_stack"}), find("torch", {"_C", "_is_torch_function_mode_enabled"}),
      find("torch", {"_C", "_functorch", "maybe_current_level"}), find("torch", {"_C", "_is_tracing"}),
      find("torch", {"_C", "_autograd", "_profiler_enabled"})};
  torch_python.dtypes = {{{find("torch", {"float32"}), ScalarType::Float},
                          {find("torch", {"float16"}), ScalarType::Half},
                          {find("torch", {"bfloat16"}), ScalarType::BFloat16}}};
  torch_python.describe = exchange_api().dltensor_from_py_object_no_sync;
  if (torch_tensor_to_pyobject == nullptr)
    torch_python.give = find("torch", {"_C", "_aoti", "alloc_tensor_by_stealing_from_void_ptr"});
}

// Throws NotPlain if a mode, a transform, a tracer or a profiler is active, because it has to see each op.
void expect_no_watcher() {
  for (PyObject* const watcher : torch_python.watchers) {
    const Owned found(present(PyObject_CallNoArgs(watcher)));
    if (PyObject_IsTrue(found.get()) != 0) throw NotPlain();
  }
}

bool is_tensor_or_parameter(PyTypeObject* type) {
  auto* const object = reinterpret_cast<PyObject*>(type);
  return object == torch_python.tensor || object == torch_python.parameter;
}

// Throws NotPlain for a subclass with its own __torch_dispatch__, as fake, functional and other wrapper tensors have.
void expect_no_dispatch(PyObject* object) {
  if (is_tensor_or_parameter(Py_TYPE(object))) return;
  const Owned dispatch(
      present(PyObject_GetAttr(reinterpret_cast<PyObject*>(Py_TYPE(object)), torch_python.dispatch_name)));
  if (dispatch.get() != torch_python.no_dispatch) throw NotPlain();
}

// Disables a subclass's __torch_function__: that of Params4bit takes longer than everything else here.
bool is_negative(PyObject* object) {
  const Owned negative(
      present(is_tensor_or_parameter(Py_TYPE(object))
                  ? PyObject_CallFunctionObjArgs(torch_python.is_neg, object, nullptr)
                  : PyObject_CallFunction(torch_python.without_torch_function, "O()(O)", torch_python.is_neg, object)));
  return negative.get() != Py_False;
}

// Throws NotPlain if torch's negative bit is set: the data then have the wrong sign. Integers never have that bit.
void expect_no_negative_bit(PyObject* object, ScalarType dtype) {
  if (dtype == ScalarType::Byte || dtype == ScalarType::Char) return;
  if (is_negative(object)) throw NotPlain();
}

// Throws NotPlain for integers below 8 bits, which torch describes to DLPack as 8-bit integers.
void expect_whole_bytes(PyObject* object, ScalarType dtype) {
  if (dtype != ScalarType::Byte && dtype != ScalarType::Char) return;
  const Owned has(present(PyObject_GetAttr(object, torch_python.dtype_name)));
  if (has.get() != torch_python.uint8) throw NotPlain();
}

ScalarType dtype_of(const DLDataType& dtype) {
  if (dtype.lanes != 1) throw NotPlain();
  switch (dtype.code << 8 | dtype.bits) {
    case kDLUInt << 8 | 8: return ScalarType::Byte;
    case kDLInt << 8 | 8: return ScalarType::Char;
    case kDLFloat << 8 | 16: return ScalarType::Half;
    case kDLBfloat << 8 | 16: return ScalarType::BFloat16;
    case kDLFloat << 8 | 32: return ScalarType::Float;
    default: throw NotPlain();
  }
}

std::int32_t device_type_of(DLDeviceType type) {
  if (type == kDLCPU) return aoti_torch_device_type_cpu();
  if (type == kDLCUDA) return aoti_torch_device_type_cuda();
  throw NotPlain();
}

// torch refuses to describe tensors without memory of their own, such as sparse ones, and first gives memory to a
// copy-on-write tensor. The view is a snapshot: no other thread may replace the tensor's data until the op has run.
TensorView view_of(PyObject* object) {
  expect_no_dispatch(object);
  DLTensor tensor{};
  if (torch_python.describe(object, &tensor) != 0 || tensor.strides == nullptr) throw NotPlain();
  const auto dim = static_cast<std::size_t>(tensor.ndim);
  TensorView view;
  view.data = static_cast<const std::byte*>(tensor.data) + tensor.byte_offset;
  view.dtype = dtype_of(tensor.dtype);
  view.item_size = tensor.dtype.bits / 8;
  view.device_type = device_type_of(tensor.device.device_type);
  view.device_index = tensor.device.device_id;
  view.sizes = Shape(tensor.shape, dim);
  view.strides = Shape(tensor.strides, dim);
  if (tensor.data == nullptr && view.numel() != 0) throw NotPlain();  // a zero tensor without memory
  expect_no_negative_bit(object, view.dtype);
  return view;
}

TensorViews views_of(PyObject* objects) {
  const Py_ssize_t count = PyTuple_Check(objects) != 0 ? PyTuple_Size(objects) : 0;
  if (count == 0) throw NotPlain();
  TensorViews views;
  views.reserve(static_cast<std::size_t>(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* const object = PyTuple_GetItem(objects, i);
    views.push_back(view_of(object));
    if (i > 0) expect_whole_bytes(object, views.back().dtype);  // the first is packed: its bytes count, not its dtype
  }
  return views;
}

std::int64_t integer_of(PyObject* object) {
  if (!PyLong_Check(object)) throw NotPlain();
  const long long value = PyLong_AsLongLong(object);
  if (value == -1 && PyErr_Occurred() != nullptr) throw NotPlain();
  return value;
}

std::vector<std::int64_t> shape_of(PyObject* object) {
  if (!PyTuple_Check(object)) throw NotPlain();
  std::vector<std::int64_t> shape(PyTuple_Size(object));
  for (std::size_t i = 0; i < shape.size(); ++i) shape[i] = integer_of(PyTuple_GetItem(object, i));
  return shape;
}

ScalarType dtype_of(PyObject* object) {
  for (const Dtype& dtype : torch_python.dtypes)
    if (object == dtype.object) return dtype.type;
  throw NotPlain();
}

std::string text_of(PyObject* object) {
  if (!PyUnicode_Check(object)) throw NotPlain();
  Py_ssize_t length = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(object, &length);
  if (text == nullptr) throw NotPlain();
  return {text, static_cast<std::size_t>(length)};
}

PyObject* object_of(const Tensor& tensor) {
  void* object = nullptr;
  if (torch_tensor_to_pyobject != nullptr) {
    STABLE_TORCH_ERROR_CODE_CHECK(torch_tensor_to_pyobject(tensor.get(), nullptr, &object));
    return static_cast<PyObject*>(object);
  }
  const Owned capsule(
      present(PyCapsule_New(tensor.get(), nullptr, nullptr)));  // despite the name of `give`, the handle stays ours
  return PyObject_CallFunctionObjArgs(torch_python.give, capsule.get(), nullptr);
}

// Releases the GIL so that other Python threads run meanwhile, as in torch's own calls.
class WithoutLock {
 public:
  WithoutLock() = default;
  WithoutLock(const WithoutLock&) = delete;
  WithoutLock& operator=(const WithoutLock&) = delete;
  ~WithoutLock() { PyEval_RestoreThread(state_); }

 private:
  PyThreadState* state_ = PyEval_SaveThread();
};

struct DecodeArguments {
  TensorViews weight;
  std::vector<std::int64_t> shape;
  ScalarType dtype;
  std::string quant_type;
  std::int64_t blocksize;
  std::int64_t nested_blocksize;
};

Tensor decode(const DecodeArguments& a) {
  const WithoutLock unlocked;
  return dequantize_4bit_views(a.weight, a.shape, a.dtype, a.quant_type, a.blocksize, a.nested_blocksize);
}

// bitsandbytes marks transposed packed codes by a first dimension of 1.
bool is_transposed(const TensorView& packed) { return !packed.sizes.empty() && packed.sizes[0] == 1; }

PyObject* decode_objects(PyObject* const* args) {
  expect_no_watcher();
  const DecodeArguments a = {views_of(args[0]), shape_of(args[1]),   dtype_of(args[2]),
                             text_of(args[3]),  integer_of(args[4]), integer_of(args[5])};
  Owned decoded(object_of(decode(a)));
  const bool transposes = args[6] == Py_True && is_transposed(a.weight[0]);
  if (decoded == nullptr || !transposes) return decoded.release();
  return PyObject_CallFunctionObjArgs(torch_python.transpose, decoded.get(), nullptr);
}

struct MultiplyArguments {
  Matmul4bitViews views;
  std::vector<std::int64_t> shape;
  std::string quant_type;
  std::int64_t blocksize;
  std::int64_t nested_blocksize;
  std::string direction;
  std::string order;
};

// Throws NotPlain for any other subclass, because torch's result would be of that subclass, too.
TensorView operand_view_of(PyObject* object) {
  if (object == Py_None) return {};
  return is_tensor_or_parameter(Py_TYPE(object)) ? view_of(object) : throw NotPlain();
}

Tensor multiply(const MultiplyArguments& a) {
  const WithoutLock unlocked;
  return matmul_4bit_views(a.views, a.shape, a.quant_type, a.blocksize, a.nested_blocksize, a.direction, a.order);
}

PyObject* multiply_objects(PyObject* const* args) {
  expect_no_watcher();
  const MultiplyArguments a = {{operand_view_of(args[0]), views_of(args[1]), operand_view_of(args[2]),
                                operand_view_of(args[3]), operand_view_of(args[4])},
                               shape_of(args[5]),
                               text_of(args[6]),
                               integer_of(args[7]),
                               integer_of(args[8]),
                               text_of(args[9]),
                               text_of(args[10])};
  if (!has_rows(a.views.x)) throw NotPlain();  // torch's op copies such an x
  return object_of(multiply(a));
}

struct MultiplyManyArguments {
  Matmul4bitManyViews views;
  std::vector<std::int64_t> rows;
  std::string quant_type;
  std::int64_t blocksize;
  std::int64_t nested_blocksize;
  std::string order;
};

TensorViews operand_views_of(PyObject* objects) {
  if (!PyTuple_Check(objects)) throw NotPlain();
  TensorViews views(PyTuple_Size(objects));
  for (std::size_t i = 0; i < views.size(); ++i) views[i] = operand_view_of(PyTuple_GetItem(objects, i));
  return views;
}

Tensors multiply(const MultiplyManyArguments& a) {
  const WithoutLock unlocked;
  return matmul_4bit_many_views(a.views, a.rows, a.quant_type, a.blocksize, a.nested_blocksize, a.order);
}

PyObject* multiply_many_objects(PyObject* const* args) {
  expect_no_watcher();
  const MultiplyManyArguments a = {{operand_view_of(args[0]), views_of(args[1]), operand_views_of(args[2])},
                                   shape_of(args[3]),
                                   text_of(args[4]),
                                   integer_of(args[5]),
                                   integer_of(args[6]),
                                   text_of(args[7])};
  if (!has_rows(a.views.x)) throw NotPlain();  // torch's op copies such an x
  const Tensors products = multiply(a);
  Owned objects(present(PyTuple_New(static_cast<Py_ssize_t>(products.size()))));
  for (std::size_t i = 0; i < products.size(); ++i)
    PyTuple_SetItem(objects.get(), static_cast<Py_ssize_t>(i), present(object_of(products[i])));
  return objects.release();
}

template <Py_ssize_t kCount, PyObject* (*kFunction)(PyObject* const*)>
PyObject* call(PyObject* /*module*/, PyObject* const* args, Py_ssize_t count) {
  if (count != kCount) return PyErr_Format(PyExc_TypeError, "%zd arguments are needed, %zd were given", kCount, count);
  try {
    return kFunction(args);
  } catch (const NotPlain&) {
    if (PyErr_Occurred() != nullptr && PyErr_ExceptionMatches(PyExc_Exception) == 0) return nullptr;  // Ctrl-C
    PyErr_Clear();
    return Py_NewRef(Py_None);
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
    return nullptr;
  }
}

template <Py_ssize_t kCount, PyObject* (*kFunction)(PyObject* const*)>
PyCFunction method() {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call<kCount, kFunction>));
}

PyMethodDef methods[] = {
    {"dequantize_4bit", method<7, decode_objects>(), METH_FASTCALL,
     "(weight, shape, dtype, quant_type, blocksize, nested_blocksize, transposes) -> Tensor | None"},
    {"matmul_4bit", method<11, multiply_objects>(), METH_FASTCALL,
     "(x, weight, bias, lora_in, lora_weight, shape, quant_type, blocksize, nested_blocksize, direction, order) -> "
     "Tensor | None"},
    {"matmul_4bit_many", method<8, multiply_many_objects>(), METH_FASTCALL,
     "(x, weights, biases, rows, quant_type, blocksize, nested_blocksize, order) -> tuple[Tensor, ...] | None"},
    {nullptr, nullptr, 0, nullptr}};

PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_direct", nullptr, -1, methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace
}  // namespace qfuse::torch_ops

PyMODINIT_FUNC PyInit__direct() {
  try {
    qfuse::torch_ops::look_up_torch();
  } catch (const qfuse::torch_ops::NotPlain&) {
    return nullptr;  // Python's error is set
  }
  return PyModule_Create(&qfuse::torch_ops::definition);
}
