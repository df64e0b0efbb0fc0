// in:     packed [n/2] u8, absmax_8bit [n/64] u8, nested_absmax [n/64/256] fp32, map, offset; aligned to 16
// out:    [n] fp16 or bf16, aligned to 16
// math:   A = ftz(map[q] * nested_absmax) + offset; out = round(ftz(code[nibble] * A)), each step rounded in fp32
// cost:   n/2 + n/64 bytes read, 2n written
// oracle: reference/dequantize_4bit.cpp
// 16-byte stores of 8 elements a thread; four homes for the 16 values of the codebook.
#include <array>
#include <bit>

#include "ladder/steps.cuh"

namespace qfuse::bench {
namespace ladder {
namespace {

constexpr int kThreads = 256;

// ---- tables: each looks up the 8 values of a word of codes ----

// In constant memory, which serves one address at a time: lanes that differ wait for one another.
__constant__ constexpr auto kConstantValues = format::kNf4.values;

struct ConstantTable {
  __device__ void look_up(std::uint32_t codes, float (&values)[kGroup]) const {
#pragma unroll
    for (int e = 0; e < kGroup; ++e) values[e] = kConstantValues[nibble(codes, e)];
  }
};

// In shared memory, where 16 values lie in 16 banks: no lane waits.
struct SharedTable {
  const float* values_by_code;
  __device__ SharedTable() {
    __shared__ float table[format::kCodes4];
    load_table(table);
    values_by_code = table;
  }
  __device__ void look_up(std::uint32_t codes, float (&values)[kGroup]) const {
#pragma unroll
    for (int e = 0; e < kGroup; ++e) values[e] = values_by_code[nibble(codes, e)];
  }
};

// A value a lane, in both halves of the warp: a shuffle is the look-up. All lanes must be there.
struct ShuffledTable {
  float own = kValues[threadIdx.x % format::kCodes4];
  __device__ void look_up(std::uint32_t codes, float (&values)[kGroup]) const {
#pragma unroll
    for (int e = 0; e < kGroup; ++e)
      values[e] = __shfl_sync(0xffffffffU, own, static_cast<int>(nibble(codes, e)), format::kCodes4);
  }
};

// The values cut into planes of bytes, a plane in four words; byte b of value v is byte v % 4 of word v / 4 of plane b.
struct Plane {
  std::uint32_t words[format::kCodes4 / 4];
};
constexpr Plane plane_of(int b) {
  Plane plane{};
  for (unsigned v = 0; v < format::kCodes4; ++v)
    plane.words[v / 4] |= (std::bit_cast<std::uint32_t>(format::kNf4.values[v]) >> (8 * b) & 0xffU) << (8 * (v % 4));
  return plane;
}

// In the instructions themselves: a permutation picks 4 bytes out of 8 by the nibbles of its selector, which the codes
// are. Three make 4 codes' bytes of a plane, eight turn four planes into 4 values.
struct PermutedTable {
  // Bytes of 4 codes: by their low three bits from either half of the plane, then by their high bit from the two.
  template <int kPlane>
  static __device__ std::uint32_t bytes_of(std::uint32_t codes) {
    constexpr Plane plane = plane_of(kPlane);
    const std::uint32_t in_half = codes & 0x7777U;
    const std::uint32_t half = 0x3210U | (codes & 0x8888U) >> 1;
    return __byte_perm(__byte_perm(plane.words[0], plane.words[1], in_half),
                       __byte_perm(plane.words[2], plane.words[3], in_half), half);
  }
  // The lowest nibble of the codes is the second element.
  static __device__ void look_up_4(std::uint32_t codes, float* values) {
    const std::uint32_t b0 = bytes_of<0>(codes);
    const std::uint32_t b1 = bytes_of<1>(codes);
    const std::uint32_t b2 = bytes_of<2>(codes);
    const std::uint32_t b3 = bytes_of<3>(codes);
    const std::uint32_t low01 = __byte_perm(b0, b1, 0x5140);
    const std::uint32_t low23 = __byte_perm(b2, b3, 0x5140);
    const std::uint32_t high01 = __byte_perm(b0, b1, 0x7362);
    const std::uint32_t high23 = __byte_perm(b2, b3, 0x7362);
    values[1] = __uint_as_float(__byte_perm(low01, low23, 0x5410));
    values[0] = __uint_as_float(__byte_perm(low01, low23, 0x7632));
    values[3] = __uint_as_float(__byte_perm(high01, high23, 0x5410));
    values[2] = __uint_as_float(__byte_perm(high01, high23, 0x7632));
  }
  __device__ void look_up(std::uint32_t codes, float (&values)[kGroup]) const {
    look_up_4(codes, values);
    look_up_4(codes >> 16, values + 4);
  }
};

// ---- kernel ----

template <class Out, class Table>
__global__ void __launch_bounds__(kThreads) decode(Weight w, uint4* out) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  const std::uint32_t codes = reinterpret_cast<const std::uint32_t*>(w.packed)[i];
  const float absmax = decode_absmax(w, i * kGroup / kBlock);
  const Table table;  // after the loads, so that they are under way while it is made
  float values[kGroup];
  table.look_up(codes, values);
  out[i] = scale_group<Out>(values, absmax);
}

template <class Table>
void launch(const Climb& climb) {
  for_dtype(climb.p.out_dtype, [&]<class Out>() {
    decode<Out, Table><<<whole_tiles(climb.p.n, kThreads * kGroup), kThreads, 0, climb.stream>>>(
        weight_of(climb.p), static_cast<uint4*>(climb.p.out));
  });
}

}  // namespace
}  // namespace ladder

void constant_table(const Climb& climb) { ladder::launch<ladder::ConstantTable>(climb); }
void shared_table(const Climb& climb) { ladder::launch<ladder::SharedTable>(climb); }
void shuffled_table(const Climb& climb) { ladder::launch<ladder::ShuffledTable>(climb); }
void permuted_table(const Climb& climb) { ladder::launch<ladder::PermutedTable>(climb); }

}  // namespace qfuse::bench
