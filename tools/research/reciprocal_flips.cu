// Counts how often bitsandbytes' approximate reciprocal gives another code than the IEEE one with which qfuse encodes.
// Computes both on the GPU as format/ defines: counts the thresholds strictly below ftz(x * reciprocal(absmax)). Output
// lines: the sweep, pairs, differing codes. docs/ACCURACY.md has the results.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "format/codebook4.h"
#include "format/dynamic8.h"

namespace {

using qfuse::format::Codebook4;

// A codebook as thresholds only. The codes of two ranks are not needed to tell whether the ranks differ.
struct Thresholds {
  float values[255];
  int count;
  bool signed_magnitude;
};

// Type of the pairs (x, absmax), |x| <= absmax.
enum class Sweep { bf16, fp16, fp32 };

__constant__ Thresholds thresholds;

__device__ float approximate_reciprocal(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

__device__ float mul_ftz(float a, float b) {
  float y;
  asm("mul.ftz.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
  return y;
}

__device__ int rank(float scaled) {
  const float value = thresholds.signed_magnitude ? fabsf(scaled) : scaled;
  int below = thresholds.signed_magnitude && scaled < 0 ? thresholds.count + 1 : 0;
  for (int i = 0; i < thresholds.count; ++i) below += value > thresholds.values[i] ? 1 : 0;
  return below;
}

__device__ std::uint64_t mix(std::uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// Pair i of a sweep. 16-bit sweeps are exhaustive: every mantissa of absmax in [1, 2), and every x of that type down to
// where it cannot reach the lowest threshold. The fp32 sweep draws absmax from [1, 2) and x from [-absmax, absmax].
__device__ bool pair(Sweep sweep, std::uint64_t i, float& x, float& absmax) {
  if (sweep == Sweep::fp32) {
    const std::uint64_t bits = mix(i);
    absmax = __uint_as_float(0x3f800000U | static_cast<std::uint32_t>(bits & 0x7fffffU));
    x = absmax * (static_cast<float>(static_cast<std::int32_t>(bits >> 32)) * 0x1p-31f);
    return true;
  }
  const int mantissa = sweep == Sweep::bf16 ? 7 : 10;
  const std::uint32_t magnitudes = 16U << mantissa;  // 16 binades
  absmax = __uint_as_float(0x3f800000U | static_cast<std::uint32_t>(i % (1U << mantissa)) << (23 - mantissa));
  const std::uint64_t rest = i >> mantissa;
  const auto magnitude = static_cast<std::uint32_t>(rest % magnitudes);
  x = __uint_as_float(((127U - 15U) << 23) + (magnitude << (23 - mantissa)));
  if (rest / magnitudes == 1) x = -x;
  return fabsf(x) <= absmax;
}

__global__ void count_flips(Sweep sweep, std::uint64_t pairs, unsigned long long* swept, unsigned long long* flips) {
  unsigned long long my_swept = 0;
  unsigned long long my_flips = 0;
  for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < pairs;
       i += std::uint64_t{gridDim.x} * blockDim.x) {
    float x;
    float absmax;
    if (!pair(sweep, i, x, absmax)) continue;
    ++my_swept;
    my_flips += rank(mul_ftz(x, approximate_reciprocal(absmax))) != rank(mul_ftz(x, __frcp_rn(absmax)));
  }
  atomicAdd(swept, my_swept);
  atomicAdd(flips, my_flips);
}

Thresholds make_thresholds(const float* values, int count, bool signed_magnitude) {
  Thresholds t{};
  for (int i = 0; i < count; ++i) t.values[i] = values[i];
  t.count = count;
  t.signed_magnitude = signed_magnitude;
  return t;
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "reciprocal_flips: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

void report(const char* name, const Thresholds& t, Sweep sweep, std::uint64_t pairs) {
  unsigned long long* counts = nullptr;
  unsigned long long host[2];
  check(cudaMemcpyToSymbol(thresholds, &t, sizeof t));
  check(cudaMalloc(&counts, sizeof host));
  check(cudaMemset(counts, 0, sizeof host));
  count_flips<<<1024, 256>>>(sweep, pairs, counts, counts + 1);
  check(cudaMemcpy(host, counts, sizeof host, cudaMemcpyDeviceToHost));
  check(cudaFree(counts));
  std::printf("%-40s %14llu pairs %10llu codes differ\n", name, host[0], host[1]);
}

}  // namespace

int main() {
  using namespace qfuse::format;
  cudaDeviceProp device{};
  check(cudaGetDeviceProperties(&device, 0));
  std::printf("%s\n", device.name);
  constexpr std::uint64_t kRandom = std::uint64_t{1} << 32;
  constexpr std::uint64_t kBf16 = (std::uint64_t{1} << 7) * (16U << 7) * 2;
  constexpr std::uint64_t kFp16 = (std::uint64_t{1} << 10) * (16U << 10) * 2;
  const Thresholds nf4 = make_thresholds(kNf4.thresholds.data(), kNf4.threshold_count, false);
  const Thresholds fp4 = make_thresholds(kFp4.thresholds.data(), kFp4.threshold_count, true);
  const Thresholds dynamic8 = make_thresholds(kDynamic8Thresholds.data(), 255, false);
  report("nf4, bf16 input, every pair", nf4, Sweep::bf16, kBf16);
  report("nf4, fp16 input, every pair", nf4, Sweep::fp16, kFp16);
  report("nf4, fp32 input, random", nf4, Sweep::fp32, kRandom);
  report("fp4, bf16 input, every pair", fp4, Sweep::bf16, kBf16);
  report("fp4, fp16 input, every pair", fp4, Sweep::fp16, kFp16);
  report("fp4, fp32 input, random", fp4, Sweep::fp32, kRandom);
  report("nested codes, random", dynamic8, Sweep::fp32, kRandom);
  return 0;
}
