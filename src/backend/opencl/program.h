// Builds the kernels as a program for one device, and checks that the device's arithmetic has the bits of format/.
#ifndef QFUSE_BACKEND_OPENCL_PROGRAM_H
#define QFUSE_BACKEND_OPENCL_PROGRAM_H

#include <string>

#include "backend/opencl/device.h"

namespace qfuse::opencl {

// Elements that a work-item decodes: 4 bytes of packed codes, and one or two 16-byte stores.
inline constexpr int kGroup = 8;

// Bits for the arrays that a weight with row scales has besides the scales.
inline constexpr int kHasFactor = 1;
inline constexpr int kHasDivisor = 2;
inline constexpr int kHasZeroPoints = 4;

// The text of all .cl files of this folder, inserted when the library is built.
extern const char* const kSource;

// Compiles the kernels for a device whose other members are set.
contract::Outcome build_program(const std::string& build_options, Device& device);

// Runs the steps on values that reveal flushed subnormals, fused or reordered arithmetic and other roundings, and
// compares with format/. Needed because a device's claims may be wrong and compiler options change the arithmetic.
contract::Outcome check_arithmetic(const Device& device);

}  // namespace qfuse::opencl

#endif  // QFUSE_BACKEND_OPENCL_PROGRAM_H
