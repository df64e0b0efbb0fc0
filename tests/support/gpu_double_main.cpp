// The main of a test program that uses the GPU double instead of CUDA.
#include <gtest/gtest.h>

#include "support/gpu_double.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  qfuse::tests::install_gpu_double();
  return RUN_ALL_TESTS();
}
