// What a kernel's plan depends on of a device. Plain values, so that plans are made and tested without one.
#ifndef QFUSE_BACKEND_CUDA_FACTS_H
#define QFUSE_BACKEND_CUDA_FACTS_H

#include <array>
#include <cstdint>

namespace qfuse::cuda {

struct DeviceFacts {
  int multiprocessors = 0;
  int l2_bytes = 0;
  int compute_capability = 0;  // of NVIDIA's: 10 * major + minor
  int shared_bytes = 0;        // of shared memory that a thread block can ask for
  int clock_khz = 0;           // of a multiprocessor, at most; 0 where the driver does not say
  int memory_clock_khz = 0;    // likewise; memory moves data twice a clock
  int memory_bus_bits = 0;
};

// Devices whose figures plans were measured on, as their drivers describe them.
inline constexpr DeviceFacts kH100 = {132, 50 << 20, 90, 227 << 10, 1'980'000, 2'619'000, 5120};
inline constexpr DeviceFacts kH200 = {132, 60 << 20, 90, 227 << 10, 1'980'000, 3'201'000, 6144};

// The shared memory that a thread block can ask for, by compute capability.
struct Architecture {
  int compute_capability;
  int shared_bytes;
};
inline constexpr std::array<Architecture, 10> kArchitectures = {{{75, 64 << 10},
                                                                 {80, 163 << 10},
                                                                 {86, 99 << 10},
                                                                 {87, 163 << 10},
                                                                 {89, 99 << 10},
                                                                 {90, 227 << 10},
                                                                 {100, 227 << 10},
                                                                 {103, 227 << 10},
                                                                 {120, 99 << 10},
                                                                 {121, 99 << 10}}};

inline constexpr int kTuring = 75;  // compute capabilities
inline constexpr int kAmpere = 80;
inline constexpr int kHopper = 90;

// Inputs that thread blocks read at different places push each other out of the L2 if they are more: on an H100, whose
// L2 has 50 MiB.
inline constexpr std::int64_t kBytesReadAtManyPlaces = std::int64_t{20} << 20;

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_FACTS_H
