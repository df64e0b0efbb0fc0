// Tests HIP's runtime without an AMD GPU.
#include <gtest/gtest.h>

#include "backend/cuda/gpu.h"

namespace qfuse {
namespace {

TEST(Hip, says_why_there_is_no_gpu) {
  if (cuda::kVendor.device_count() > 0) GTEST_SKIP() << "there is one";
  const contract::Outcome why = cuda::kVendor.why_none();
  EXPECT_EQ(why.status, QFUSE_UNSUPPORTED);
  EXPECT_EQ(why.message.rfind("HIP: ", 0), 0U) << why.message;
}

TEST(Hip, gives_no_memory_without_one) {
  if (cuda::kVendor.device_count() > 0) GTEST_SKIP() << "there is one";
  void* memory = nullptr;
  EXPECT_FALSE(cuda::kVendor.allocate(0, QFUSE_MEMORY_DEVICE, 16, &memory).ok());
  EXPECT_EQ(memory, nullptr);
}

}  // namespace
}  // namespace qfuse
