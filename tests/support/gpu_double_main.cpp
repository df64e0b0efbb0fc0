// The main of a program whose tests see a double in the place of CUDA.
#include <gtest/gtest.h>

#include "support/gpu_double.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  qfuse::tests::install_gpu_double();
  return RUN_ALL_TESTS();
}
