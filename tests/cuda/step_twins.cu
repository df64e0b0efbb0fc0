#include "step_twins.h"

#include <cuda_runtime.h>

#include "backend/cuda/device/encode.cuh"
#include "backend/cuda/device/portable.cuh"
#include "backend/cuda/device/ptx.cuh"
#include "format/binary64.h"
#include "format/layout.h"

namespace qfuse::tests {
namespace {

namespace ptx = cuda::ptx;
namespace portable = cuda::portable;

constexpr unsigned kThreads = 256;
constexpr std::uint64_t kAllFloats = std::uint64_t{1} << 32;
constexpr std::uint64_t kAllHalves = std::uint64_t{1} << 16;
constexpr std::uint64_t kMatrixLanes = std::uint64_t{1} << 28;  // each with 4 sums of 16 products

// ---- comparisons: each tells whether both implementations give the same bits for input number i ----

__device__ float float_number(std::uint64_t i) { return __uint_as_float(static_cast<unsigned>(i)); }
// Low and high bf16 of a pair, as floats.
__device__ float low_bfloat16(std::uint64_t i) { return __uint_as_float(static_cast<unsigned>(i) << 16); }
__device__ float high_bfloat16(std::uint64_t i) { return __uint_as_float(static_cast<unsigned>(i) & 0xffff0000U); }
// Hashes a number to a float of arbitrary bits.
__device__ float mixed(std::uint64_t i) {
  std::uint64_t x = i * 0x9e3779b97f4a7c15ULL;
  x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9ULL;
  return __uint_as_float(static_cast<unsigned>(x >> 32));
}

__device__ bool same(float a, float b) { return __float_as_uint(a) == __float_as_uint(portable::canonical(b)); }

struct HalfBits {
  __device__ bool operator()(std::uint64_t i) const {
    const float x = float_number(i);
    const float y = mixed(i);
    return ptx::half_bits(x) == portable::half_bits(x) && ptx::half_bits(x, y) == portable::half_bits(x, y);
  }
};
struct Bfloat16Bits {
  __device__ bool operator()(std::uint64_t i) const {
    const float x = float_number(i);
    const float y = mixed(i);
    return ptx::bfloat16_bits(x) == portable::bfloat16_bits(x) &&
           ptx::bfloat16_bits(x, y) == portable::bfloat16_bits(x, y);
  }
};
struct HalfValue {
  __device__ bool operator()(std::uint64_t i) const {
    const auto bits = static_cast<std::uint16_t>(i);
    const float a = ptx::half_value(bits);
    const float b = portable::half_value(bits);
    return __float_as_uint(a) == __float_as_uint(b) || (a != a && b != b);  // any NaN is right
  }
};
struct MulFtz {
  __device__ bool operator()(std::uint64_t i) const {
    return same(ptx::mul_ftz(float_number(i), mixed(i)), portable::mul_ftz(float_number(i), mixed(i)));
  }
};
struct MulFtzOfBfloat16 {
  __device__ bool operator()(std::uint64_t i) const {
    const float a = low_bfloat16(i);
    const float b = high_bfloat16(i);
    return same(ptx::mul_ftz(a, b), portable::mul_ftz(a, b));
  }
};
struct ReciprocalFtz {
  __device__ bool operator()(std::uint64_t i) const {
    return same(ptx::reciprocal_ftz(float_number(i)), portable::reciprocal_ftz(float_number(i)));
  }
};
// Compares with kNoNumber, the start value of a search, and with an earlier result.
struct Larger {
  __device__ bool operator()(std::uint64_t i) const {
    const float found = ptx::larger(0.0F, mixed(i));
    const float x = float_number(i);
    return same(ptx::larger(cuda::kNoNumber, x), portable::larger(cuda::kNoNumber, x)) &&
           same(ptx::larger(found, x), portable::larger(found, x));
  }
};
struct LargerMagnitudes {
  // Compares bf16 bits; any NaN equals any NaN.
  static __device__ bool same_half(unsigned a, unsigned b) { return a == b || (a > kInf && b > kInf); }
  static constexpr unsigned kInf = 0x7f80U;

  __device__ bool operator()(std::uint64_t i) const {
    const auto a = static_cast<unsigned>(i);
    const unsigned b = a >> 16 | a << 16;  // a pair with both halves swapped
    const unsigned x = ptx::larger_magnitudes(a, b) & 0x7fff7fffU;
    const unsigned y = portable::larger_magnitudes(a, b) & 0x7fff7fffU;
    return same_half(x & 0xffffU, y & 0xffffU) && same_half(x >> 16, y >> 16);
  }
};
struct AreAtMost {
  __device__ bool operator()(std::uint64_t i) const {
    constexpr unsigned kLimit = 0x42aeU;  // the limit of fast_sigmoid
    const unsigned pair = static_cast<unsigned>(i) & 0x7fff7fffU;
    return ptx::are_at_most(pair, kLimit) == portable::are_at_most(pair, kLimit);
  }
};
struct LargerOrNan {
  __device__ bool operator()(std::uint64_t i) const {
    const float x = float_number(i);
    const float b = format::kMinGroupScale;
    return __float_as_uint(ptx::larger_or_nan(x, b)) == __float_as_uint(portable::larger_or_nan(x, b));
  }
};
struct Truncate {
  __device__ bool operator()(std::uint64_t i) const {
    return ptx::truncate(float_number(i)) == portable::truncate(float_number(i));
  }
};
struct SaturatedBytes {
  __device__ bool operator()(std::uint64_t i) const {
    const int q[4] = {static_cast<int>(i), static_cast<int>(i) >> 8, static_cast<int>(i) >> 16,
                      static_cast<int>(i) >> 23};
    return ptx::saturated_bytes(q) == portable::saturated_bytes(q);
  }
};
struct E4m3Bits {
  __device__ bool operator()(std::uint64_t i) const {
    const float low = float_number(i);
    const float high = float_number(~i);
    return ptx::e4m3_bits(low, high) == portable::e4m3_bits(low, high);
  }
};
struct E4m3Numbers {
  __device__ bool operator()(std::uint64_t i) const {
    float a[2], b[2];
    ptx::e4m3_numbers(static_cast<std::uint32_t>(i), a[0], a[1]);
    portable::e4m3_numbers(static_cast<std::uint32_t>(i), b[0], b[1]);
    const auto same_number = [](float x, float y) {  // any NaN is right
      return __float_as_uint(x) == __float_as_uint(y) || (x != x && y != y);
    };
    return same_number(a[0], b[0]) && same_number(a[1], b[1]);
  }
};
struct Divide {
  __device__ bool operator()(std::uint64_t i) const {
    return same(ptx::divide(float_number(i), mixed(i)), portable::divide(float_number(i), mixed(i)));
  }
};
// Selectors as decoders make them: codes without their highest bits, or constants.
struct Permuted {
  __device__ bool operator()(std::uint64_t i) const {
    const std::uint32_t low = __float_as_uint(mixed(i));
    const std::uint32_t high = __float_as_uint(mixed(i + kAllFloats));
    const std::uint32_t selector = static_cast<std::uint32_t>(i) & 0x77777777U;
    return ptx::permuted(low, high, selector) == portable::permuted(low, high, selector);
  }
};
struct SpreadSigns {
  __device__ bool operator()(std::uint64_t i) const {
    const auto first = static_cast<std::uint32_t>(i);
    const std::uint32_t second = __float_as_uint(mixed(i));
    return ptx::spread_signs<0>(first, second) == portable::spread_signs<0>(first, second) &&
           ptx::spread_signs<1>(first, second) == portable::spread_signs<1>(first, second);
  }
};
// Compares format/binary64.h with the GPU's fp64.
struct Binary64 {
  __device__ bool operator()(std::uint64_t i) const {
    const double a = static_cast<double>(float_number(i)) + static_cast<double>(mixed(i));
    const double b = static_cast<double>(mixed(i + kAllFloats));
    const auto bits = [](double x) { return static_cast<std::uint64_t>(__double_as_longlong(x)); };
    const format::Binary64 sum = format::add({bits(a)}, {bits(b)});
    const double expected = __dadd_rn(a, b);
    const auto count = static_cast<std::int64_t>(i % 4095 + 1);
    const float mean = __double2float_rn(__ddiv_rn(expected, static_cast<double>(count)));
    const bool is_nan = expected != expected;
    if (is_nan) return format::binary64::magnitude(sum) > format::binary64::kInf;
    return sum.bits == bits(expected) && same(mean, format::divide(sum, count));
  }
};

// Random bits by kind, to test the sums of matrix instructions: any bits, exponents close to each other, far apart or
// lowest, zeros of both signs, and a few infinities and NaN.
struct Numbers {
  int fraction_bits;
  int exponent_bits;

  __device__ std::uint32_t operator()(std::uint64_t kind, std::uint64_t i) const {
    const std::uint32_t any = __float_as_uint(mixed(i));
    const std::uint32_t choice = __float_as_uint(mixed(i ^ kAllFloats * 77));
    const auto highest = static_cast<int>((1U << exponent_bits) - 1);
    const int middle = highest / 2;
    const auto up_to = [&](int first, int count) {
      return first + static_cast<int>(choice % static_cast<unsigned>(count));
    };
    const std::uint32_t magnitude = any & ((1U << (fraction_bits + exponent_bits)) - 1);
    int exponent = static_cast<int>(magnitude >> fraction_bits);
    std::uint32_t fraction = any & ((1U << fraction_bits) - 1);
    if (kind == 1) exponent = up_to(middle - 5, 10);
    if (kind == 2) exponent = up_to(1, highest - 1);
    if (kind == 3) exponent = up_to(0, 1 + highest / 8);
    if (kind == 4) exponent = up_to(0, 2) * middle, fraction = exponent == 0 ? 0 : fraction;
    if (kind == 5) exponent = choice % 97 == 0 ? highest : middle, fraction = choice % 5 == 0 ? 0 : fraction;
    const std::uint32_t sign = any >> 31 << (fraction_bits + exponent_bits);
    return sign | static_cast<std::uint32_t>(exponent) << fraction_bits | fraction;
  }
};
// All lanes of a warp use the same kind.
template <bool kHalf>
struct Multiply {
  __device__ bool operator()(std::uint64_t i) const {
    const std::uint64_t kind = i / 32 % 6;
    const Numbers of_16 = kHalf ? Numbers{10, 5} : Numbers{7, 8};
    const auto pair = [&](std::uint64_t at) { return of_16(kind, 2 * at) | of_16(kind, 2 * at + 1) << 16; };
    std::uint32_t a[4];
    std::uint32_t b[2];
    float x[4];
    float y[4];
    for (int w = 0; w < 4; ++w) a[w] = pair(10 * i + w);
    for (int w = 0; w < 2; ++w) b[w] = pair(10 * i + 4 + w);
    for (int s = 0; s < 4; ++s) x[s] = y[s] = __uint_as_float(Numbers{23, 8}(kind, kAllFloats * 3 + 4 * i + s));
    kHalf ? ptx::multiply_half(a, b, x) : ptx::multiply_bfloat16(a, b, x);
    kHalf ? portable::multiply_half(a, b, y) : portable::multiply_bfloat16(a, b, y);
    return same(x[0], y[0]) && same(x[1], y[1]) && same(x[2], y[2]) && same(x[3], y[3]);
  }
};

struct MultiplyInt8 {
  __device__ bool operator()(std::uint64_t i) const {
    std::uint32_t a[4];
    std::uint32_t b[2];
    int x[4];
    int y[4];
    for (int w = 0; w < 4; ++w) a[w] = __float_as_uint(mixed(10 * i + w));
    for (int w = 0; w < 2; ++w) b[w] = __float_as_uint(mixed(10 * i + 4 + w));
    for (int s = 0; s < 4; ++s) x[s] = y[s] = static_cast<int>(__float_as_uint(mixed(10 * i + 6 + s))) / 2;
    ptx::multiply_int8(a, b, x);
    portable::multiply_int8(a, b, y);
    return x[0] == y[0] && x[1] == y[1] && x[2] == y[2] && x[3] == y[3];
  }
};

template <class Twins>
__global__ void compare(std::uint64_t inputs, unsigned long long* counts) {
  const std::uint64_t stride = static_cast<std::uint64_t>(gridDim.x) * kThreads;
  for (std::uint64_t i = static_cast<std::uint64_t>(blockIdx.x) * kThreads + threadIdx.x; i < inputs; i += stride)
    if (!Twins()(i)) {
      atomicAdd(counts, 1ULL);
      counts[1] = i;
    }
}

// Loads four matrices with one warp, as they are and transposed.
__global__ void compare_matrices(unsigned long long* counts) {
  __shared__ uint4 rows[32];
  const int lane = static_cast<int>(threadIdx.x);
  const auto pair = [&](int word) { return static_cast<unsigned>(8 * lane + 2 * word) * 0x10001U + 0x10000U; };
  rows[lane] = {pair(0), pair(1), pair(2), pair(3)};
  __syncthreads();
  const auto row = [&](int matrix, int r) { return rows + (8 * matrix + r) % 32; };
  std::uint32_t a[4];
  std::uint32_t b[4];
  ptx::load_transposed(row, lane, a);
  portable::load_transposed(row, lane, b);
  for (int m = 0; m < 4; ++m) {
    const std::uint32_t again[2] = {ptx::transposed(a[m]), portable::transposed(a[m])};
    if (a[m] != b[m] || again[0] != again[1]) atomicAdd(counts, 1ULL);
  }
  ptx::load_matrices(row, lane, a);
  portable::load_matrices(row, lane, b);
  for (int m = 0; m < 4; ++m)
    if (a[m] != b[m]) atomicAdd(counts, 1ULL);
}

// Looks up every byte of a table, from every byte position of a word.
__global__ void compare_shared_pairs(unsigned long long* counts) {
  __shared__ float2 table[256 * ptx::kSharedPairs];
  const int lane = static_cast<int>(threadIdx.x);
  for (int i = lane; i < 256 * ptx::kSharedPairs; i += 32)
    table[i] = {static_cast<float>(i / ptx::kSharedPairs), static_cast<float>(-i)};
  __syncthreads();
  const auto of_ptx = ptx::shared_pairs(reinterpret_cast<const ptx::Pair*>(table), lane);
  const auto of_portable = portable::shared_pairs(reinterpret_cast<const portable::Pair*>(table), lane);
  for (std::uint32_t byte = 0; byte < 256; ++byte)
    for (int place = 0; place < 4; ++place) {
      const std::uint32_t word = (byte << (8 * place)) | ~(0xffU << (8 * place));
      const ptx::Pair a = ptx::load_pair_at(of_ptx, word, ptx::byte_place(place));
      const portable::Pair b = portable::load_pair_at(of_portable, word, portable::byte_place(place));
      if (a.first != b.first || a.second != b.second || a.first != static_cast<float>(byte)) atomicAdd(counts, 1ULL);
    }
}

struct Counts {
  unsigned long long* memory = nullptr;  // count of differences, and the last input that differs
  bool good = cudaMalloc(&memory, 2 * sizeof *memory) == cudaSuccess;

  Counts() = default;
  Counts(const Counts&) = delete;
  Counts& operator=(const Counts&) = delete;
  ~Counts() { cudaFree(memory); }

  // Returns the differences that `launch` counts.
  template <class Launch>
  TwinResult run(const char* step, std::uint64_t inputs, const Launch& launch) {
    TwinResult result{step, inputs};
    unsigned long long host[2] = {};
    good = good && cudaMemset(memory, 0, sizeof host) == cudaSuccess;
    launch();
    good = good && cudaMemcpy(host, memory, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess;
    result.differ = host[0];
    result.example = host[1];
    return result;
  }
  template <class Twins>
  TwinResult run(const char* step, std::uint64_t inputs) {
    constexpr unsigned kBlocks = 4096;
    return run(step, inputs, [&] { compare<Twins><<<kBlocks, kThreads>>>(inputs, memory); });
  }
};

}  // namespace

std::vector<TwinResult> compare_step_twins() {
  Counts counts;
  std::vector<TwinResult> all = {
      counts.run<HalfBits>("half_bits, every float", kAllFloats),
      counts.run<Bfloat16Bits>("bfloat16_bits, every float", kAllFloats),
      counts.run<HalfValue>("half_value, every fp16", kAllHalves),
      counts.run<MulFtz>("mul_ftz, every float by another", kAllFloats),
      counts.run<MulFtzOfBfloat16>("mul_ftz, every pair of bf16", kAllFloats),
      counts.run<ReciprocalFtz>("reciprocal_ftz, every float", kAllFloats),
      counts.run<Larger>("larger, every float", kAllFloats),
      counts.run<LargerMagnitudes>("larger_magnitudes, every pair of bf16", kAllFloats),
      counts.run<AreAtMost>("are_at_most, every pair of bf16 magnitudes", kAllFloats),
      counts.run<LargerOrNan>("larger_or_nan", kAllFloats),
      counts.run<Truncate>("truncate, every float", kAllFloats),
      counts.run<SaturatedBytes>("saturated_bytes, every integer", kAllFloats),
      counts.run<E4m3Bits>("e4m3_bits, every float", kAllFloats),
      counts.run<E4m3Numbers>("e4m3_numbers, every pair", kAllHalves),
      counts.run<Divide>("divide, every float by another", kAllFloats),
      counts.run<Permuted>("permuted, every selector of three bits a byte", kAllFloats),
      counts.run<SpreadSigns>("spread_signs, every first word", kAllFloats),
      counts.run<Binary64>("fp64 by integers, every float and two others", kAllFloats),
      counts.run<Multiply<false>>("matrix instruction for bf16, numbers of six kinds", kMatrixLanes),
      counts.run<Multiply<true>>("matrix instruction for fp16, numbers of six kinds", kMatrixLanes),
      counts.run<MultiplyInt8>("matrix instruction for int8, any bytes", kMatrixLanes),
      counts.run("load_transposed, load_matrices, transposed", 4 * 32,
                 [&] { compare_matrices<<<1, 32>>>(counts.memory); }),
      counts.run("load_pair_at", 4 * 256 * 32, [&] { compare_shared_pairs<<<1, 32>>>(counts.memory); })};
  if (!counts.good) return {};
  return all;
}

}  // namespace qfuse::tests
