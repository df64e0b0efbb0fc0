// Sets a kernel's arguments and enqueues it.
#ifndef QFUSE_BACKEND_OPENCL_LAUNCH_H
#define QFUSE_BACKEND_OPENCL_LAUNCH_H

#include <cstddef>
#include <type_traits>

#include "backend/opencl/device.h"

namespace qfuse::opencl {

// Pointers are addresses in shared virtual memory; everything else is passed by value.
template <class Argument>
cl_int set_argument(cl_kernel kernel, cl_uint number, const Argument& argument) {
  if constexpr (std::is_pointer_v<Argument>) return clSetKernelArgSVMPointer(kernel, number, argument);
  return clSetKernelArg(kernel, number, sizeof argument, &argument);
}

// Enqueues at least `items` work-items, in whole work-groups. Every call makes its own kernel object, because setting
// arguments is not thread-safe.
template <class... Arguments>
contract::Outcome launch(const Device& device, cl_command_queue queue, const char* name, std::size_t items,
                         const Arguments&... arguments) {
  cl_int error = CL_SUCCESS;
  const Kernel kernel(clCreateKernel(device.program.get(), name, &error));
  if (error != CL_SUCCESS) return outcome_of(error, "clCreateKernel");
  cl_uint number = 0;
  const auto set = [&](const auto& argument) {
    if (error == CL_SUCCESS) error = set_argument(kernel.get(), number++, argument);
  };
  (set(arguments), ...);
  if (error != CL_SUCCESS) return outcome_of(error, "clSetKernelArg");
  const std::size_t local = device.group_size;
  const std::size_t global = (items + local - 1) / local * local;
  error = clEnqueueNDRangeKernel(queue, kernel.get(), 1, nullptr, &global, &local, 0, nullptr, nullptr);
  if (error != CL_SUCCESS) return outcome_of(error, "clEnqueueNDRangeKernel");
  return outcome_of(clFlush(queue), "clFlush");  // the kernel begins now, not when somebody waits
}

}  // namespace qfuse::opencl

#endif  // QFUSE_BACKEND_OPENCL_LAUNCH_H
