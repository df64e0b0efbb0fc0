// The Python module qfuse._direct: dequantize_4bit of Python's own objects, past torch's dispatcher. To convert and to
// dispatch an op's arguments takes torch as long as launching a kernel does. python/qfuse/direct.py calls this where nobody
// would see the op; whatever is not plain gives None, and then takes torch's way.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <torch/csrc/inductor/aoti_torch/c/shim.h>

#include <exception>
#include <initializer_list>
#include <memory>

#include "ops.h"

// Of torch 2.14 and later: null where torch is older.
extern "C" {
__attribute__((weak)) AOTITorchError torch_tensor_from_pyobject(void* object, AtenTensorHandle* tensor);
__attribute__((weak)) AOTITorchError torch_tensor_to_pyobject(AtenTensorHandle tensor, void* type, void** object);
}

namespace qfuse::torch_ops {
namespace {

struct NotPlain {};  // thrown where torch has to look itself

struct Decrement {
  void operator()(PyObject* object) const { Py_DECREF(object); }
};
using Owned = std::unique_ptr<PyObject, Decrement>;

PyObject* present(PyObject* object) { return object != nullptr ? object : throw NotPlain(); }

// What of torch's Python is looked up once. Modules that are imported stay, so nothing here is ever freed.
struct Torch {
  PyObject* tensor;
  PyObject* parameter;
  PyObject* no_dispatch;  // the __torch_dispatch__ of a class that has none of its own
  PyObject* is_neg;
  PyObject* take;  // before 2.14: tensors as capsules that hold handles
  PyObject* give;  // before 2.14: a capsule as the tensor whose handle it holds
  PyObject* dispatch_name;
};
Torch torch_python;

PyObject* find(const char* module_name, std::initializer_list<const char*> names) {
  Owned found(present(PyImport_ImportModule(module_name)));
  for (const char* const name : names) found.reset(present(PyObject_GetAttrString(found.get(), name)));
  return found.release();
}

void look_up_torch() {
  torch_python.tensor = find("torch", {"Tensor"});
  torch_python.parameter = find("torch", {"nn", "Parameter"});
  torch_python.no_dispatch = find("torch", {"Tensor", "__torch_dispatch__"});
  torch_python.dispatch_name = present(PyUnicode_InternFromString("__torch_dispatch__"));
  torch_python.is_neg = find("torch", {"Tensor", "is_neg"});
  if (torch_tensor_from_pyobject != nullptr) return;
  torch_python.take = find("torch", {"_C", "_aoti", "unsafe_alloc_void_ptrs_from_tensors"});
  torch_python.give = find("torch", {"_C", "_aoti", "alloc_tensor_by_stealing_from_void_ptr"});
}

// Fake, functional and other tensors that stand for something else are subclasses with a __torch_dispatch__.
void expect_no_dispatch(PyObject* object) {
  PyObject* const type = reinterpret_cast<PyObject*>(Py_TYPE(object));
  if (type == torch_python.tensor || type == torch_python.parameter) return;
  const Owned dispatch(present(PyObject_GetAttr(type, torch_python.dispatch_name)));
  if (dispatch.get() != torch_python.no_dispatch) throw NotPlain();
}

// The data of a tensor with torch's negative bit have the wrong sign.
void expect_no_negative_bit(PyObject* object, const Tensor& tensor) {
  const ScalarType dtype = tensor.scalar_type();
  if (dtype == ScalarType::Byte || dtype == ScalarType::Char) return;
  const Owned negative(present(PyObject_CallFunctionObjArgs(torch_python.is_neg, object, nullptr)));
  if (negative.get() != Py_False) throw NotPlain();
}

void expect_plain(PyObject* object, const Tensor& tensor) {
  std::int32_t layout = -1;
  if (aoti_torch_get_layout(tensor.get(), &layout) != AOTI_TORCH_SUCCESS) throw NotPlain();
  if (layout != aoti_torch_layout_strided() || (!tensor.is_cpu() && !tensor.is_cuda())) throw NotPlain();
  expect_no_negative_bit(object, tensor);
}

Tensor tensor_of(PyObject* object) {
  AtenTensorHandle handle = nullptr;
  if (torch_tensor_from_pyobject(object, &handle) != AOTI_TORCH_SUCCESS) throw NotPlain();
  return Tensor(handle);
}

Tensors tensors_of_old_torch(PyObject* objects) {
  const Owned capsules(present(PyObject_CallFunctionObjArgs(torch_python.take, objects, nullptr)));
  Tensors tensors;
  for (Py_ssize_t i = 0; i < PyList_Size(capsules.get()); ++i)
    tensors.emplace_back(
        static_cast<AtenTensorHandle>(PyCapsule_GetPointer(PyList_GetItem(capsules.get(), i), nullptr)));
  return tensors;
}

Tensors tensors_of(PyObject* objects) {
  const Py_ssize_t count = PyTuple_Check(objects) != 0 ? PyTuple_Size(objects) : 0;
  if (count == 0) throw NotPlain();
  for (Py_ssize_t i = 0; i < count; ++i) expect_no_dispatch(PyTuple_GetItem(objects, i));
  Tensors tensors;
  tensors.reserve(count);
  if (torch_tensor_from_pyobject == nullptr)
    tensors = tensors_of_old_torch(objects);
  else
    for (Py_ssize_t i = 0; i < count; ++i) tensors.push_back(tensor_of(PyTuple_GetItem(objects, i)));
  for (Py_ssize_t i = 0; i < count; ++i) expect_plain(PyTuple_GetItem(objects, i), tensors[i]);
  return tensors;
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
      present(PyCapsule_New(tensor.get(), nullptr, nullptr)));  // in spite of give's name, it stays ours
  return PyObject_CallFunctionObjArgs(torch_python.give, capsule.get(), nullptr);
}

// Other threads of Python run meanwhile, as they do in torch's own calls.
class WithoutLock {
 public:
  WithoutLock() = default;
  WithoutLock(const WithoutLock&) = delete;
  WithoutLock& operator=(const WithoutLock&) = delete;
  ~WithoutLock() { PyEval_RestoreThread(state_); }

 private:
  PyThreadState* state_ = PyEval_SaveThread();
};

Tensor decode(PyObject* const* args) {
  const Tensors weight = tensors_of(args[0]);
  const std::vector<std::int64_t> shape = shape_of(args[1]);
  const auto dtype = static_cast<ScalarType>(integer_of(args[2]));
  const std::string quant_type = text_of(args[3]);
  const std::int64_t blocksize = integer_of(args[4]), nested_blocksize = integer_of(args[5]);
  const WithoutLock unlocked;
  return dequantize_4bit(weight, shape, dtype, quant_type, blocksize, nested_blocksize);
}

PyObject* call(PyObject* /*module*/, PyObject* const* args, Py_ssize_t count) {
  if (count != 6) return PyErr_Format(PyExc_TypeError, "6 arguments are needed, %zd were given", count);
  try {
    return object_of(decode(args));
  } catch (const NotPlain&) {
    PyErr_Clear();
    return Py_NewRef(Py_None);
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
    return nullptr;
  }
}

PyMethodDef methods[] = {
    {"dequantize_4bit", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call)), METH_FASTCALL,
     "(weight, shape, number of the dtype, quant_type, blocksize, nested_blocksize) -> Tensor | None"},
    {nullptr, nullptr, 0, nullptr}};

PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_direct", nullptr, -1, methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace
}  // namespace qfuse::torch_ops

PyMODINIT_FUNC PyInit__direct() {
  try {
    qfuse::torch_ops::look_up_torch();
  } catch (const qfuse::torch_ops::NotPlain&) {
    return nullptr;  // with Python's own error
  }
  return PyModule_Create(&qfuse::torch_ops::definition);
}
