// The facts about a device that plans depend on. Plain values, so that plans are made and tested without a device.
#ifndef QFUSE_BACKEND_CUDA_FACTS_H
#define QFUSE_BACKEND_CUDA_FACTS_H

#include <array>
#include <cstdint>

namespace qfuse::cuda {

struct DeviceFacts {
  int multiprocessors = 0;
  int l2_bytes = 0;
  int compute_capability = 0;  // NVIDIA only: 10 * major + minor
  int shared_bytes = 0;        // shared memory that a thread block can request
  int clock_khz = 0;           // highest clock of a multiprocessor; 0 if the driver does not say
  int memory_clock_khz = 0;    // likewise; memory transfers data twice per clock
  int memory_bus_bits = 0;
};

// Devices on which plans were measured, as their drivers describe them.
inline constexpr DeviceFacts kH100 = {132, 50 << 20, 90, 227 << 10, 1'980'000, 2'619'000, 5120};
inline constexpr DeviceFacts kH200 = {132, 60 << 20, 90, 227 << 10, 1'980'000, 3'201'000, 6144};
// Other devices, according to their data sheets.
inline constexpr DeviceFacts kT4 = {40, 4 << 20, 75, 64 << 10, 1'590'000, 5'001'000, 256};
inline constexpr DeviceFacts kA100 = {108, 40 << 20, 80, 163 << 10, 1'410'000, 1'593'000, 5120};
inline constexpr DeviceFacts kRtx3090 = {82, 6 << 20, 86, 99 << 10, 1'695'000, 9'751'000, 384};
inline constexpr DeviceFacts kL4 = {58, 48 << 20, 89, 99 << 10, 2'040'000, 6'251'000, 192};
inline constexpr DeviceFacts kRtx4090 = {128, 72 << 20, 89, 99 << 10, 2'520'000, 10'501'000, 384};
inline constexpr DeviceFacts kRtx5090 = {170, 96 << 20, 120, 99 << 10, 2'407'000, 14'001'000, 512};

// Per compute capability, from the data sheets: shared memory that a thread block can request, and 16-bit
// multiplications with fp32 sums per clock of a multiprocessor's matrix instructions. GeForce cards have half as many
// as data center cards of the same compute capability; from 8.6 on the table has the GeForce number.
struct Architecture {
  int compute_capability;
  int shared_bytes;
  int multiplications;
};
inline constexpr std::array<Architecture, 10> kArchitectures = {{{75, 64 << 10, 512},
                                                                 {80, 163 << 10, 1024},
                                                                 {86, 99 << 10, 256},
                                                                 {87, 163 << 10, 256},
                                                                 {89, 99 << 10, 256},
                                                                 {90, 227 << 10, 2048},
                                                                 {100, 227 << 10, 4096},
                                                                 {103, 227 << 10, 4096},
                                                                 {120, 99 << 10, 256},
                                                                 {121, 99 << 10, 256}}};
// Null if the table does not have it.
constexpr const Architecture* find_architecture(int compute_capability) {
  for (const Architecture& known : kArchitectures)
    if (known.compute_capability == compute_capability) return &known;
  return nullptr;
}

inline constexpr int kTuring = 75;  // compute capabilities
inline constexpr int kAmpere = 80;
inline constexpr int kHopper = 90;

// Kinds of kernels that the build has.
#ifdef QFUSE_HIP  // without NVIDIA's matrix instructions
inline constexpr bool kHasMatrixInstructions = false;
#else
inline constexpr bool kHasMatrixInstructions = true;
#endif
#ifdef QFUSE_WITHOUT_WGMMA
inline constexpr bool kHasWgmma = false;
#else
inline constexpr bool kHasWgmma = true;
#endif

// Inputs that thread blocks read at different places evict each other from L2 if they have more bytes than this, on an
// H100, whose L2 has 50 MiB.
inline constexpr std::int64_t kBytesReadAtManyPlaces = std::int64_t{20} << 20;

}  // namespace qfuse::cuda

#endif  // QFUSE_BACKEND_CUDA_FACTS_H
