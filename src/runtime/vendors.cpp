#include "runtime/vendors.h"

#include <vector>

#ifdef QFUSE_WITH_CUDA
#include "backend/cuda/gpu.h"
#endif
#ifdef QFUSE_WITH_OPENCL
#include "backend/opencl/gpu.h"
#endif

namespace qfuse::runtime {
namespace {

std::vector<backend::Vendor>& vendors() {
  static std::vector<backend::Vendor> all = {
#ifdef QFUSE_WITH_CUDA
      cuda::kVendor,
#endif
#ifdef QFUSE_WITH_OPENCL
      opencl::kVendor,
#endif
  };
  return all;
}

}  // namespace

const backend::Vendor* find_vendor(qfuse_device_type type) {
  for (const backend::Vendor& vendor : vendors())
    if (vendor.type == type) return &vendor;
  return nullptr;
}

void replace_vendor(const backend::Vendor& vendor) {
  std::erase_if(vendors(), [&](const backend::Vendor& other) { return other.type == vendor.type; });
  vendors().push_back(vendor);
}

}  // namespace qfuse::runtime
