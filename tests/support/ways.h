// Every way of running an op on this machine: the oracle, each SIMD target with several thread counts, a GPU, an OpenCL
// device. for_each_way<Op> asks the registry which devices have the op. Without an Op it includes only devices that
// have all. Bodies call run(params, exec, error) of support/run.h, which puts arrays into the right memory.
#ifndef QFUSE_TESTS_SUPPORT_WAYS_H
#define QFUSE_TESTS_SUPPORT_WAYS_H

#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <cstdlib>
#include <qfuse/qfuse.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "ops/registry.h"
#include "support/quick.h"

namespace qfuse::tests {

inline qfuse_exec oracle() {
  qfuse_exec exec = QFUSE_EXEC_INIT;
  exec.device = {QFUSE_REFERENCE, 0};
  return exec;
}

// In these builds the best target is enough: ThreadSanitizer checks which thread has which range, which does not depend
// on the SIMD target, and an emulated processor adds only NEON to the targets of native builds.
#if defined(QFUSE_ONE_TARGET)
inline constexpr int kMostTargets = 1;
#else
inline constexpr int kMostTargets = 99;
#endif
inline const std::vector<int> kThreadCounts = kQuick ? std::vector{5} : std::vector{1, 2, 5};

// Calls body(exec) for each CPU target with several thread counts. Skips them if QFUSE_GPU_ORDER is set, because the
// order of a GPU's threads does not affect them.
template <class Body>
void for_each_cpu_way(const Body& body) {
  if (std::getenv("QFUSE_GPU_ORDER") != nullptr) return;
  for (int i = 0; const char* target = i < kMostTargets ? qfuse_cpu_target_name(i) : nullptr; ++i) {
    for (const int threads : kThreadCounts) {
      SCOPED_TRACE(std::string("cpu ") + target + ", threads " + std::to_string(threads));
      qfuse_exec exec = QFUSE_EXEC_INIT;
      exec.cpu_target = target;
      exec.threads = threads;
      body(exec);
      if (testing::Test::HasFailure()) return;
    }
  }
}

// Whether this processor and target must support QFUSE_SUM_BF16_DOT or BF16_AMX. A system may refuse AMX, so tests
// require it only on Linux.
inline bool has_sum([[maybe_unused]] qfuse_sum sum, [[maybe_unused]] const qfuse_exec& exec) {
#ifdef __x86_64__
  if (!std::string_view(exec.cpu_target).starts_with("avx512") || __builtin_cpu_supports("avx512bf16") == 0)
    return false;
#ifdef __linux__
  if (sum == QFUSE_SUM_BF16_AMX) return __builtin_cpu_supports("amx-bf16") != 0;
#endif
  return sum == QFUSE_SUM_BF16_DOT;
#else
  return false;
#endif
}

// Like for_each_cpu_way, but only for targets that support `sum`.
template <class Body>
void for_each_cpu_way_with(qfuse_sum sum, const Body& body) {
  for_each_cpu_way([&](const qfuse_exec& exec) {
    if (has_sum(sum, exec)) body(exec);
  });
}

// Calls body with a device and a stream of its own.
template <class Body>
void on_device_way(const char* name, qfuse_device device, const Body& body) {
  SCOPED_TRACE(name);
  qfuse_exec exec = QFUSE_EXEC_INIT;
  exec.device = device;
  const Stream stream(exec.device);
  exec.stream = stream.handle();
  body(exec);
}

// Calls body for the first GPU, if there is one.
template <class Body>
void for_each_gpu_way(const Body& body) {
  if (qfuse_device_count(QFUSE_CUDA) == 0) {
    if (std::getenv("QFUSE_REQUIRE_GPU") != nullptr) ADD_FAILURE() << "there is no GPU here, and there should be";
    return;
  }
  on_device_way("cuda", {QFUSE_CUDA, 0}, body);
}

// Whether this build has the op for a device type.
template <class Op>
bool has_kernel(qfuse_device_type type) {
  return ops::find_kernel<Op>(ops::backends(), type) != nullptr;
}

// Calls body for the first OpenCL device, if there is one and it has the op.
template <class Op, class Body>
void for_each_opencl_way(const Body& body) {
  if constexpr (!std::is_void_v<Op>)
    if (qfuse_device_count(QFUSE_OPENCL) > 0 && has_kernel<Op>(QFUSE_OPENCL))
      on_device_way("opencl", {QFUSE_OPENCL, 0}, body);
}

// Whether GPUs use NVIDIA's own exp and approximate reciprocal. The portable ones give the oracle's bits.
inline bool gpus_have_nvidias_steps() {
  return std::string_view(qfuse_build_info()).find("cuda_steps: portable") == std::string_view::npos;
}

// Whether the GPU is the software GPU of tests/software_gpu, whose memory is the host's.
inline bool has_software_gpu() {
  return std::string_view(qfuse_build_info()).find("cuda: software") != std::string_view::npos;
}

// Offsets of arrays from an aligned address, in bytes. A GPU's kernels use other loads for aligned arrays.
inline const std::vector<std::size_t> kMisalignments = !kQuick              ? std::vector<std::size_t>{0, 1, 6}
                                                       : has_software_gpu() ? std::vector<std::size_t>{0, 1}
                                                                            : std::vector<std::size_t>{1};

inline bool gpu_is(std::string_view words) {
  char text[256] = {};
  return qfuse_device_describe({QFUSE_CUDA, 0}, text, sizeof text, nullptr) == QFUSE_OK &&
         std::string_view(text).find(words) != std::string_view::npos;
}

// A dtype for which the GPU has matrix instructions. Turing has none for bf16.
inline qfuse_dtype dtype_of_gpu() { return gpu_is("taken for one of 7.5") ? QFUSE_FLOAT16 : QFUSE_BFLOAT16; }

// Whether the GPU's matrix instructions add in the steps that the oracle's were measured on. Turing's have steps of 8,
// except on the software GPU.
inline bool gpu_adds_as_the_oracle(qfuse_dtype dtype = dtype_of_gpu()) {
  return gpu_is("compute capability 9.0") &&
         (!gpu_is("taken for one of 7.5") || (has_software_gpu() && dtype == QFUSE_FLOAT16));
}

// Calls body for each way whose exp equals the oracle's.
template <class Body>
void for_each_way_with_the_oracles_exp(const Body& body) {
  for_each_cpu_way(body);
  if (!gpus_have_nvidias_steps()) for_each_gpu_way(body);
}

// Calls body for each way except the oracle.
template <class Op = void, class Body>
void for_each_fast_way(const Body& body) {
  for_each_cpu_way(body);
  if constexpr (std::is_void_v<Op>)
    for_each_gpu_way(body);
  else if (has_kernel<Op>(QFUSE_CUDA) || qfuse_device_count(QFUSE_CUDA) == 0)
    for_each_gpu_way(body);  // reports a missing GPU
  for_each_opencl_way<Op>(body);
}

// Calls body for each way, including the oracle.
template <class Op = void, class Body>
void for_each_way(const Body& body) {
  {
    SCOPED_TRACE("reference");
    body(oracle());
  }
  for_each_fast_way<Op>(body);
}

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_SUPPORT_WAYS_H
