// Every way in which an op can run on this machine: the oracle, each SIMD target with several thread counts, a GPU.
// Bodies call run(params, exec, error) of support/run.h, which knows where arrays must lie.
#ifndef QFUSE_TESTS_SUPPORT_WAYS_H
#define QFUSE_TESTS_SUPPORT_WAYS_H

#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <cstdlib>
#include <qfuse/qfuse.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "support/quick.h"

namespace qfuse::tests {

inline qfuse_exec oracle() {
  qfuse_exec exec = QFUSE_EXEC_INIT;
  exec.device = {QFUSE_REFERENCE, 0};
  return exec;
}

// ThreadSanitizer looks at which thread has what range, which no SIMD target changes: the best one is enough.
#if defined(__SANITIZE_THREAD__)
inline constexpr int kMostTargets = kQuick ? 1 : 99;
#else
inline constexpr int kMostTargets = 99;
#endif
inline const std::vector<int> kThreadCounts = kQuick ? std::vector{5} : std::vector{1, 2, 5};

// Bytes from an aligned address to that of an array.
inline const std::vector<std::size_t> kMisalignments =
    kQuick ? std::vector<std::size_t>{1} : std::vector<std::size_t>{0, 1, 6};

// Calls body(exec) for each CPU target with several numbers of threads.
template <class Body>
void for_each_cpu_way(const Body& body) {
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

// On the first GPU, if there is one: on a stream of its own.
template <class Body>
void for_each_gpu_way(const Body& body) {
  if (qfuse_device_count(QFUSE_CUDA) == 0) {
    if (std::getenv("QFUSE_REQUIRE_GPU") != nullptr) ADD_FAILURE() << "there is no GPU here, and there should be";
    return;
  }
  SCOPED_TRACE("cuda");
  qfuse_exec exec = QFUSE_EXEC_INIT;
  exec.device = {QFUSE_CUDA, 0};
  const Stream stream(exec.device);
  exec.stream = stream.handle();
  body(exec);
}

// Whether GPUs take NVIDIA's own steps: its exp, and the approximate reciprocal. The portable ones have the oracle's bits.
inline bool gpus_have_nvidias_steps() {
  return std::string_view(qfuse_build_info()).find("cuda_steps: portable") == std::string_view::npos;
}

// Where exp is the oracle's.
template <class Body>
void for_each_way_with_the_oracles_exp(const Body& body) {
  for_each_cpu_way(body);
  if (!gpus_have_nvidias_steps()) for_each_gpu_way(body);
}

// All but the oracle.
template <class Body>
void for_each_fast_way(const Body& body) {
  for_each_cpu_way(body);
  for_each_gpu_way(body);
}

// The oracle too.
template <class Body>
void for_each_way(const Body& body) {
  {
    SCOPED_TRACE("reference");
    body(oracle());
  }
  for_each_fast_way(body);
}

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_SUPPORT_WAYS_H
