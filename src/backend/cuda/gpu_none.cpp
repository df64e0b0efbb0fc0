#include "backend/cuda/gpu.h"

namespace qfuse::cuda {

int device_count() { return 0; }

std::string describe_device(int /*index*/) { return {}; }

}  // namespace qfuse::cuda
