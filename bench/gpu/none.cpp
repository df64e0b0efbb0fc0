// What a build without CUDA has of gpu/run.h.
#include <stdexcept>

#include "gpu/run.h"

namespace qfuse::bench {
namespace {

[[noreturn]] void refuse() {
  throw std::runtime_error("this build of qfuse has no CUDA (configure with -DQFUSE_CUDA=ON)");
}

}  // namespace

int run_gpu_nf4(const Options& /*options*/, int /*device*/) { refuse(); }
int run_gpu_ladder(const Options& /*options*/, int /*device*/) { refuse(); }
int run_gpu_swiglu(const Options& /*options*/, int /*device*/) { refuse(); }
int run_gpu_swiglu_ladder(const Options& /*options*/, int /*device*/) { refuse(); }

}  // namespace qfuse::bench
