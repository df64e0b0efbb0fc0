// The implementation of gpu/gpu.h in a build without CUDA.
#include <stdexcept>

#include "gpu/gpu.h"

namespace qfuse::bench {

int run_on_gpu(const Options& /*options*/, int /*device*/) {
  throw std::runtime_error("this build of qfuse has no CUDA (configure with -DQFUSE_CUDA=ON)");
}

}  // namespace qfuse::bench
