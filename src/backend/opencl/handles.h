// OpenCL objects as values that release themselves, and OpenCL errors as outcomes.
#ifndef QFUSE_BACKEND_OPENCL_HANDLES_H
#define QFUSE_BACKEND_OPENCL_HANDLES_H

#include <CL/cl.h>

#include <memory>
#include <type_traits>

#include "contract/outcome.h"

namespace qfuse::opencl {

template <auto kRelease>
struct Release {
  template <class Object>
  void operator()(Object* object) const {
    kRelease(object);
  }
};
template <class Handle, auto kRelease>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Release<kRelease>>;

using Context = Owned<cl_context, clReleaseContext>;
using Queue = Owned<cl_command_queue, clReleaseCommandQueue>;
using Program = Owned<cl_program, clReleaseProgram>;
using Kernel = Owned<cl_kernel, clReleaseKernel>;

// Converts the error of an OpenCL function to an outcome, whose message names the function.
contract::Outcome outcome_of(cl_int error, const char* function);

}  // namespace qfuse::opencl

#endif  // QFUSE_BACKEND_OPENCL_HANDLES_H
