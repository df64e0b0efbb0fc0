// The kernels as a program for one device, and the proof that the device computes as the contract says.
#ifndef QFUSE_BACKEND_OPENCL_PROGRAM_H
#define QFUSE_BACKEND_OPENCL_PROGRAM_H

#include <string>

#include "backend/opencl/device.h"

namespace qfuse::opencl {

// Elements that a work-item decodes: 4 bytes of packed codes, and one or two 16-byte stores.
inline constexpr int kGroup = 8;

// What a weight with scales of rows has beside them.
inline constexpr int kHasFactor = 1;
inline constexpr int kHasDivisor = 2;
inline constexpr int kHasZeroPoints = 4;

// All .cl files of this folder, put here when the library is built.
extern const char* const kSource;

// Compiles the kernels for a device that has all else.
contract::Outcome build_program(const std::string& build_options, Device& device);

// Runs the steps on values that show flushed subnormals, fused or reordered arithmetic and other roundings, and
// compares with format/'s. What a device says of itself may be wrong, and options of the compiler change it.
contract::Outcome check_arithmetic(const Device& device);

}  // namespace qfuse::opencl

#endif  // QFUSE_BACKEND_OPENCL_PROGRAM_H
