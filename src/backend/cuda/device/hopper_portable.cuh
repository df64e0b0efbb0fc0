// Portable versions of the instructions that NVIDIA's GPUs have from Hopper on, for any GPU whose threads can wait for
// each other. Hopper kernels use them on the GPU of tests/software_gpu, and a test compares them with hopper_ptx.cuh.
// They are simple and slow.
#ifndef QFUSE_BACKEND_CUDA_DEVICE_HOPPER_PORTABLE_CUH
#define QFUSE_BACKEND_CUDA_DEVICE_HOPPER_PORTABLE_CUH

#include <cstdint>

#include "backend/cuda/device/portable.cuh"
#include "backend/cuda/device/tensor_map.h"

namespace qfuse::cuda::portable {

// ---- what the hardware does asynchronously: here it happens at once ----
// The software GPU defines its own version, which acts late and in any order.

#ifdef QFUSE_HARDWARE
using Hardware = QFUSE_HARDWARE;
#else
struct Hardware {
  // Begins a bulk copy of `bytes` bytes to shared memory.
  template <class Copy>
  static __device__ void copy_in_bulk(void* /*to*/, unsigned /*bytes*/, const Copy& copy) {
    copy();
  }
  // Bulk copies and wgmma access shared memory through the async proxy, which sees plain stores only after a fence.
  // seen_by_async_proxy() returns the address where the proxy reads an element; fence_proxy_async() is the fence.
  template <class T>
  static __device__ const T* seen_by_async_proxy(const T* shared) {
    return shared;
  }
  static __device__ void fence_proxy_async() {}
  // Begins a wgmma in the group that the next commit closes; wgmma_wait() waits for groups.
  template <class Product>
  static __device__ void multiply(const Product& product) {
    product();
  }
  static __device__ void close_products() {}
  static __device__ void wait_for_products(int /*pending*/) {}
  // Lets other threads run between two steps of this one.
  static __device__ void let_others_run() {}
  // Reports that the kernel did something that no GPU allows.
  static __device__ void fault(const char* /*what*/) {}
};
#endif

// ---- mbarriers: threads of a block wait for other threads and for loads ----

// Lives in shared memory. Phases are numbered from 0; one completes when `count` threads have arrived and all bytes
// that they expect have come, and the next one begins. In this version the arrival count only grows, up to 2^32.
struct Mbarrier {
  unsigned count;
  unsigned arrived;
  unsigned missing_bytes;
};

// One thread initializes the barriers and fences once; then the block synchronizes.
__device__ inline void init_mbarrier(Mbarrier& barrier, unsigned count = 1) { barrier = {count, 0, 0}; }
__device__ inline void fence_mbarrier_init() {}

// Returns the number of complete phases. Arrivals are read first, because the bytes are expected before them.
__device__ inline unsigned complete_phases(const volatile Mbarrier& barrier) {
  const unsigned arrived = barrier.arrived;
  __threadfence_block();
  const bool lacks_bytes = arrived > 0 && arrived % barrier.count == 0 && barrier.missing_bytes != 0;
  return arrived / barrier.count - (lacks_bytes ? 1 : 0);
}

__device__ inline void check_arrive(const volatile Mbarrier& barrier) {
  if (complete_phases(barrier) < barrier.arrived / barrier.count)
    Hardware::fault("an arrival too many: its phase only lacks bytes");
}

// Arrives. Threads that wait for the phase see what this thread wrote before.
__device__ inline void arrive(Mbarrier& barrier) {
  Hardware::let_others_run();
  check_arrive(barrier);
  __threadfence_block();
  atomicAdd(&barrier.arrived, 1U);
}

// Arrives, and makes the phase wait for `bytes` more bytes, which the thread begins to load next.
__device__ inline void arrive_expect_tx(Mbarrier& barrier, unsigned bytes) {
  Hardware::let_others_run();
  check_arrive(barrier);
  atomicAdd(&barrier.missing_bytes, bytes);
  __threadfence_block();
  atomicAdd(&barrier.arrived, 1U);
}

// Reports `bytes` bytes of a load as complete.
__device__ inline void complete_tx(Mbarrier& barrier, unsigned bytes) {
  __threadfence_block();
  atomicSub(&barrier.missing_bytes, bytes);
}

// NVIDIA's barriers know only a phase's parity: a thread two phases off would mistake another phase's end for its own.
__device__ inline bool is_complete(const volatile Mbarrier& barrier, unsigned phase) {
  const auto ahead = static_cast<int>(complete_phases(barrier) - phase);
  if (ahead < 0)
    Hardware::fault("a wait passes two phases off: the phase before the one that it means is not complete");
  if (ahead > 1) Hardware::fault("a wait comes two phases late: the phase behind the one that it means is complete");
  return ahead == 1;
}

// Whether wait_for() would return at once. A thread may ask early and skip the wait if the answer is yes.
__device__ inline bool test_wait(Mbarrier& barrier, unsigned phase) {
  const bool is = is_complete(barrier, phase);
  __threadfence_block();
  return is;
}

// Waits until this phase is complete; phase -1, before the first, always is. Any threads may wait, provided that the
// previous phase is complete and the next one is not.
__device__ inline void wait_for(Mbarrier& barrier, unsigned phase = 0) {
  constexpr unsigned kNanoseconds = 20;
  Hardware::let_others_run();
  while (!is_complete(barrier, phase)) __nanosleep(kNanoseconds);
  __threadfence_block();
}

// ---- shared memory: an address that is not recomputed at each use ----

template <class T>
__device__ T* worked_out_once(T* shared) {
  return shared;
}

// ---- bulk copies between global and shared memory: addresses and bytes are multiples of 16 ----

__device__ inline void copy_words(void* to, const void* from, unsigned bytes) {
  for (unsigned i = 0; i < bytes / sizeof(uint4); ++i) static_cast<uint4*>(to)[i] = static_cast<const uint4*>(from)[i];
}
// Makes a thread's stores to shared memory visible to the reads of bulk copies and wgmma. Call it before the thread
// arrives or synchronizes, as CUTLASS does: the rules of PTX's memory model do not mention this fence.
__device__ inline void fence_proxy_async() { Hardware::fence_proxy_async(); }

// Called by one thread, which also arrives; threads that wait on the barrier then see the bytes.
__device__ inline void load_bulk(void* to, const void* from, unsigned bytes, Mbarrier& barrier) {
  arrive_expect_tx(barrier, bytes);
  Hardware::copy_in_bulk(to, bytes, [=, &barrier] {
    copy_words(to, from, bytes);
    complete_tx(barrier, bytes);
  });
}

// Called by one thread.
__device__ inline void store_bulk(void* to, const void* from, unsigned bytes) {
  for (unsigned i = 0; i < bytes / sizeof(uint4); ++i)
    static_cast<uint4*>(to)[i] = *Hardware::seen_by_async_proxy(static_cast<const uint4*>(from) + i);
}

// ---- tiles in shared memory, as device/tensor_map.h describes them ----

// Returns the swizzled address of the byte at `at`, in a tile with rows of row_bytes, a power of two.
template <class Byte>
__device__ Byte* swizzled(Byte* at, unsigned row_bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  const std::uintptr_t chunk = address / 16 % 8;
  return at + 16 * (static_cast<std::int64_t>(chunk ^ (address / 128 & (row_bytes / 16 - 1))) -
                    static_cast<std::int64_t>(chunk));
}

__device__ inline void copy_tile(void* to, const TensorMap& map, int byte, int row, int layer) {
  const std::uint8_t* const base = map.base + layer * map.rows * map.stride_bytes;
  const bool is_layer = layer >= 0 && layer < (map.layers == 0 ? 1 : map.layers);
  for (int r = 0; r < map.box_rows; ++r)
    for (int b = 0; b < map.box_bytes; ++b) {
      const std::int64_t from_row = static_cast<std::int64_t>(row) + r;
      const std::int64_t from_byte = static_cast<std::int64_t>(byte) + b;
      const bool is_inside =
          is_layer && from_row >= 0 && from_row < map.rows && from_byte >= 0 && from_byte < map.row_bytes;
      std::uint8_t* const at = static_cast<std::uint8_t*>(to) + r * map.box_bytes + b;
      *swizzled(at, static_cast<unsigned>(map.box_bytes)) =
          is_inside ? base[from_row * map.stride_bytes + from_byte] : std::uint8_t{0};
    }
}
// Called by one thread. Loads the tile that begins at `byte`, a multiple of 16, of `row`; the barrier must expect all
// its bytes, also those outside the array. The tile is aligned to 128 bytes. The map may be destroyed before the bytes
// come. Maps with layers need this overload, maps without need the next one.
__device__ inline void load_tile(void* to, const TensorMap& map, int byte, int row, int layer, Mbarrier& barrier) {
  const auto bytes = static_cast<unsigned>(map.box_rows * map.box_bytes);
  Hardware::copy_in_bulk(to, bytes, [=, &barrier] {
    copy_tile(to, map, byte, row, layer);
    complete_tx(barrier, bytes);
  });
}
__device__ inline void load_tile(void* to, const TensorMap& map, int byte, int row, Mbarrier& barrier) {
  load_tile(to, map, byte, row, 0, barrier);
}

// Prefetches a tile into L2 for a later load.
__device__ inline void prefetch_tile(const TensorMap& /*map*/, int /*byte*/, int /*row*/) {}

// ---- wgmma: products of tiles by a warpgroup, four warps of which the first's number is a multiple of four ----

// 16-bit values in contiguous rows of 128 or 64 bytes, swizzled as load_tile does. A tile row has K elements of one
// matrix row or, transposed, one K element of row_bytes / 2 matrix rows; further rows are leading_bytes apart.
struct TileOperand {
  const char* tile;
  unsigned leading_bytes;
  unsigned row_bytes;
};
template <int kRowBytes>
__device__ TileOperand tile_operand(const void* tile, unsigned leading_bytes) {
  static_assert(kRowBytes == 128 || kRowBytes == 64);
  return {static_cast<const char*>(tile), leading_bytes, kRowBytes};
}
// The operand that begins `bytes` later: 16 more K elements are 32 bytes or, transposed, 16 tile rows.
__device__ inline TileOperand offset(TileOperand operand, unsigned bytes) {
  return {operand.tile + bytes, operand.leading_bytes, operand.row_bytes};
}

// Returns the 16 bytes of a tile that begin `at` bytes after the operand.
__device__ inline const void* tile_chunk(TileOperand operand, unsigned at) {
  return Hardware::seen_by_async_proxy(reinterpret_cast<const uint4*>(swizzled(operand.tile + at, operand.row_bytes)));
}

// Returns 16 K elements of a matrix row. Not inline: with a copy per sum, nvcc takes minutes.
template <bool kTransposed>
__attribute__((noinline)) __device__ format::StepTerms tile_terms(format::Binary16 type, TileOperand operand,
                                                                  unsigned row) {
  std::uint16_t bits[format::kStepTerms];
  const unsigned rows = operand.row_bytes / 2;  // matrix rows per tile row, if transposed
  const unsigned at = kTransposed ? row / rows * operand.leading_bytes + row % rows * 2 : row * operand.row_bytes;
  if constexpr (!kTransposed)
    for (unsigned half = 0; half < 2; ++half)
      __builtin_memcpy(bits + 8 * half, tile_chunk(operand, at + 16 * half), 16);
  else
    for (unsigned k = 0; k < format::kStepTerms; ++k)
      bits[k] = *Hardware::seen_by_async_proxy(reinterpret_cast<const std::uint16_t*>(
          swizzled(operand.tile + at + k * operand.row_bytes, operand.row_bytes)));
  return format::step_terms(type, bits);
}
// Not inline, for the same reason.
__attribute__((noinline)) __device__ inline float add_products(format::Binary16 type, float sum,
                                                               const format::StepTerms& row,
                                                               const format::StepTerms& column) {
  return format::matrix_step(type, sum, row, column);
}
// Adds the products of a thread's two rows and its columns to its sums, which are laid out as wgmma_of() says.
template <unsigned kSums, bool kTransposed>
__device__ void add_rows(format::Binary16 type, float (&sums)[kSums], const format::StepTerms (&rows)[2], TileOperand b,
                         bool adds) {
  QFUSE_UNROLL
  for (unsigned i = 0; i < kSums; i += 4) QFUSE_UNROLL
  for (unsigned e = 0; e < 2; ++e) {
    const format::StepTerms column = tile_terms<kTransposed>(type, b, 2 * i + 2 * (threadIdx.x % 4) + e);
    QFUSE_UNROLL
    for (unsigned h = 0; h < 2; ++h) {
      float& sum = sums[i + 2 * h + e];
      sum = add_products(type, adds ? sum : 0.0F, rows[h], column);
    }
  }
}

// sums = a * b, or sums += a * b if `adds`: 64 rows, kColumns columns, 16 K elements. b's rows are the columns. Warp w
// of the four holds rows r = 16 * w + lane / 4 and r + 8 (h is 0 or 1), columns c = 8 * j + 2 * (lane % 4) and c + 1 (e
// is 0 or 1), in sums[4 * j + 2 * h + e]: the layout of wgmma.m64nNk16.
template <int kColumns, bool kLeftTransposed, bool kRightTransposed>
__device__ void wgmma_of(format::Binary16 type, float (&sums)[kColumns / 2], TileOperand a, TileOperand b, bool adds) {
  Hardware::multiply([=, &sums] {
    const unsigned lane = threadIdx.x % kWarp;
    const unsigned warp = threadIdx.x / kWarp % 4;
    const unsigned row = 16 * warp + lane / 4;
    const format::StepTerms rows[2] = {tile_terms<kLeftTransposed>(type, a, row),
                                       tile_terms<kLeftTransposed>(type, a, row + 8)};
    add_rows<kColumns / 2, kRightTransposed>(type, sums, rows, b, adds);
  });
}
template <int kColumns, bool kLeftTransposed, bool kRightTransposed>
__device__ void wgmma_half(float (&sums)[kColumns / 2], TileOperand a, TileOperand b, bool adds) {
  wgmma_of<kColumns, kLeftTransposed, kRightTransposed>(format::kBinaryFloat16, sums, a, b, adds);
}
template <int kColumns, bool kLeftTransposed, bool kRightTransposed>
__device__ void wgmma_bfloat16(float (&sums)[kColumns / 2], TileOperand a, TileOperand b, bool adds) {
  wgmma_of<kColumns, kLeftTransposed, kRightTransposed>(format::kBinaryBfloat16, sums, a, b, adds);
}

// Like wgmma_of() for 256 columns with a in registers: warp w has rows from 16 * w on, laid out as in multiply().
__device__ inline void wgmma_rs_of(format::Binary16 type, float (&sums)[128], const std::uint32_t (&a)[4],
                                   TileOperand b, bool adds) {
  Hardware::multiply([=, &sums, &a] {
    const unsigned lane = threadIdx.x % kWarp;
    std::uint16_t rows[2][format::kStepTerms];
    const WarpWords words{{a[0], a[1], a[2], a[3]}};
    QFUSE_UNROLL
    for (unsigned i = 0; i < 16; ++i) {
      const std::uint32_t word = words.of(static_cast<int>(lane / 4 * 4 + i % 4), static_cast<int>(i / 4));
      for (unsigned e = 0; e < 2; ++e)
        rows[i / 4 % 2][i / 8 * 8 + i % 4 * 2 + e] = static_cast<std::uint16_t>(word >> (16 * e));
    }
    const format::StepTerms of_rows[2] = {format::step_terms(type, rows[0]), format::step_terms(type, rows[1])};
    add_rows<128, false>(type, sums, of_rows, b, adds);
  });
}
__device__ inline void wgmma_rs_half(float (&sums)[128], const std::uint32_t (&a)[4], TileOperand b, bool adds) {
  wgmma_rs_of(format::kBinaryFloat16, sums, a, b, adds);
}
__device__ inline void wgmma_rs_bfloat16(float (&sums)[128], const std::uint32_t (&a)[4], TileOperand b, bool adds) {
  wgmma_rs_of(format::kBinaryBfloat16, sums, a, b, adds);
}

// Returns sum + a[row] * b[column] for int8, over 32 K elements and with int sums. Tiles are not transposed, with rows
// of 128 bytes, one byte per element. Not inline, for the same reason.
__attribute__((noinline)) __device__ inline int add_int8_products(int sum, TileOperand a, unsigned row, TileOperand b,
                                                                  unsigned column) {
  auto wrapping = static_cast<std::uint32_t>(sum);
  for (unsigned k = 0; k < format::kInt8StepTerms; k += 16) {
    const auto* const of_a = static_cast<const std::int8_t*>(tile_chunk(a, row * a.row_bytes + k));
    const auto* const of_b = static_cast<const std::int8_t*>(tile_chunk(b, column * b.row_bytes + k));
    for (int i = 0; i < 16; ++i) wrapping += static_cast<std::uint32_t>(of_a[i] * of_b[i]);
  }
  return static_cast<int>(wrapping);
}
template <int kColumns>
__device__ void wgmma_int8(int (&sums)[kColumns / 2], TileOperand a, TileOperand b, bool adds) {
  Hardware::multiply([=, &sums] {
    const unsigned lane = threadIdx.x % kWarp;
    const unsigned warp = threadIdx.x / kWarp % 4;
    QFUSE_UNROLL
    for (unsigned i = 0; i < kColumns / 2; ++i)
      sums[i] = add_int8_products(adds ? sums[i] : 0, a, 16 * warp + lane / 4 + 8 * (i / 2 % 2), b,
                                  8 * (i / 4) + 2 * (lane % 4) + i % 2);
  });
}

// Products on loaded tiles run between wgmma_fence() and wgmma_commit(); wgmma_wait() leaves at most the last kPending
// groups running. Until then no thread may touch sums or tiles; then all threads of the warp have their sums.
__device__ inline void wgmma_fence() {}
__device__ inline void wgmma_commit() { Hardware::close_products(); }
template <int kPending>
__device__ void wgmma_wait() {
  Hardware::wait_for_products(kPending);
  sync_warp();
}

// Call this after the wait, before sums are used.
template <class Sum, int kSums>
__device__ void warpgroup_fence_operand(Sum (&/*sums*/)[kSums]) {}
// Likewise for a left operand in registers, before it is overwritten.
__device__ inline void warpgroup_fence_operand(std::uint32_t (&/*words*/)[4]) {}

// ---- pairs of 16 bits ----

// Byte kAt of each word, as 16 bits. The bytes' highest bits must be 0.
template <int kAt>
__device__ std::uint32_t pair_of_bytes(std::uint32_t low, std::uint32_t high) {
  return (low >> 8 * kAt & 0xffU) | (high >> 8 * kAt & 0xffU) << 16;
}

// Products of two pairs of bf16. They must be exact, or inf or NaN.
__device__ inline std::uint32_t multiply_exactly(std::uint32_t a, std::uint32_t b) {
  constexpr std::uint32_t kHigh = 0xffff0000;
  const float low = __uint_as_float(a << 16) * __uint_as_float(b << 16);
  const float high = __uint_as_float(a & kHigh) * __uint_as_float(b & kHigh);
  return __float_as_uint(low) >> 16 | (__float_as_uint(high) & kHigh);
}

// ---- registers: all threads of a warpgroup lower or raise their number to kEach ----

template <int kEach>
__device__ void warpgroup_reg_dealloc() {}
template <int kEach>
__device__ void warpgroup_reg_alloc() {}

}  // namespace qfuse::cuda::portable

#endif  // QFUSE_BACKEND_CUDA_DEVICE_HOPPER_PORTABLE_CUH
