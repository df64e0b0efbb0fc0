// Finds the OpenCL devices of this machine for tests.
#ifndef QFUSE_TESTS_OPENCL_DEVICES_H
#define QFUSE_TESTS_OPENCL_DEVICES_H

#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <cstdint>
#include <qfuse/qfuse.hpp>
#include <string>

#include "backend/opencl/device.h"

namespace qfuse::tests {

// Calls body(device) for every usable device. It is a failure if all are refused, because the kernels may be the
// reason.
template <class Body>
void for_each_opencl_device(const Body& body) {
  const std::int32_t count = qfuse_device_count(QFUSE_OPENCL);
  if (count == 0) GTEST_SKIP() << "there is no OpenCL device here";
  int used = 0;
  for (std::int32_t i = 0; i < count; ++i) {
    const opencl::Device* opened = nullptr;
    if (!opencl::open(i, opened).ok()) continue;
    SCOPED_TRACE("opencl:" + std::to_string(i) + ": " + describe_device({QFUSE_OPENCL, i}));
    body(qfuse_device{QFUSE_OPENCL, i});
    ++used;
  }
  EXPECT_GT(used, 0) << describe_device({QFUSE_OPENCL, 0});
}

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_OPENCL_DEVICES_H
