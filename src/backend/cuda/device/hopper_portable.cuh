// The steps that NVIDIA's GPUs have from Hopper on, in what every GPU has that can wait for its own threads: the
// kernels for Hopper run on the GPU of tests/software_gpu by these, and a test compares them with hopper_ptx.cuh. They
// are as slow as they are plain.
#ifndef QFUSE_BACKEND_CUDA_DEVICE_HOPPER_PORTABLE_CUH
#define QFUSE_BACKEND_CUDA_DEVICE_HOPPER_PORTABLE_CUH

#include <cstdint>

#include "backend/cuda/device/portable.cuh"
#include "backend/cuda/device/tensor_map.h"

namespace qfuse::cuda::portable {

// ---- what the hardware does by itself: here at once ----
// The software GPU has its own, which does it late, in any order.

#ifdef QFUSE_HARDWARE
using Hardware = QFUSE_HARDWARE;
#else
struct Hardware {
  // A bulk copy of so many bytes to shared memory begins.
  template <class Copy>
  static __device__ void copy_in_bulk(void* /*to*/, unsigned /*bytes*/, const Copy& copy) {
    copy();
  }
  // Bulk copies and wgmma reach shared memory by the async proxy, which sees plain stores only after a fence.
  // Where they find a byte; and the fence.
  template <class T>
  static __device__ const T* seen_by_async_proxy(const T* shared) {
    return shared;
  }
  static __device__ void fence_proxy_async() {}
  // A wgmma begins, in the group that the next commit closes; wgmma_wait() waits for groups.
  template <class Product>
  static __device__ void multiply(const Product& product) {
    product();
  }
  static __device__ void close_products() {}
  static __device__ void wait_for_products(int /*pending*/) {}
  // Between two steps of a thread others may take theirs.
  static __device__ void let_others_run() {}
  // The kernel did what no GPU's rules allow.
  static __device__ void fault(const char* /*what*/) {}
};
#endif

// ---- mbarriers: how some threads of a block wait for others, and for loads ----

// In shared memory. It has phases, numbered from 0; one completes when `count` threads have arrived and all bytes that
// they expect have come, and the next one begins. Here the count of arrivals only grows, until 2^32.
struct Mbarrier {
  unsigned count;
  unsigned arrived;
  unsigned missing_bytes;
};

// One thread initializes them, fences once, and then the block synchronizes.
__device__ inline void init_mbarrier(Mbarrier& barrier, unsigned count = 1) { barrier = {count, 0, 0}; }
__device__ inline void fence_mbarrier_init() {}

// How many phases are complete. Bytes are looked at after arrivals: they were expected before.
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

// What the thread wrote before, those who wait see.
__device__ inline void arrive(Mbarrier& barrier) {
  Hardware::let_others_run();
  check_arrive(barrier);
  __threadfence_block();
  atomicAdd(&barrier.arrived, 1U);
}

// Arrives; and so many bytes are to be loaded, by what the thread begins then.
__device__ inline void arrive_expect_tx(Mbarrier& barrier, unsigned bytes) {
  Hardware::let_others_run();
  check_arrive(barrier);
  atomicAdd(&barrier.missing_bytes, bytes);
  __threadfence_block();
  atomicAdd(&barrier.arrived, 1U);
}

// A load's bytes have come.
__device__ inline void complete_tx(Mbarrier& barrier, unsigned bytes) {
  __threadfence_block();
  atomicSub(&barrier.missing_bytes, bytes);
}

// NVIDIA's barriers know a phase by its parity alone: who is two phases off would take another one's end for its own.
__device__ inline bool is_complete(const volatile Mbarrier& barrier, unsigned phase) {
  const auto ahead = static_cast<int>(complete_phases(barrier) - phase);
  if (ahead < 0)
    Hardware::fault("a wait passes two phases off: the phase before the one that it means is not complete");
  if (ahead > 1) Hardware::fault("a wait comes two phases late: the phase behind the one that it means is complete");
  return ahead == 1;
}

// Whether wait_for() would return at once: what a thread asks early, to wait less where the answer is yes.
__device__ inline bool test_wait(Mbarrier& barrier, unsigned phase) {
  const bool is = is_complete(barrier, phase);
  __threadfence_block();
  return is;
}

// Waits until the phase of this number is complete; "the one before the first", -1, is. Any threads may, as long as
// neither the phase before is still open nor the one behind complete.
__device__ inline void wait_for(Mbarrier& barrier, unsigned phase = 0) {
  constexpr unsigned kNanoseconds = 20;
  Hardware::let_others_run();
  while (!is_complete(barrier, phase)) __nanosleep(kNanoseconds);
  __threadfence_block();
}

// ---- shared memory: an address that is not worked out again at each use ----

template <class T>
__device__ T* worked_out_once(T* shared) {
  return shared;
}

// ---- bulk copies between global and shared memory: addresses and bytes are multiples of 16 ----

__device__ inline void copy_words(void* to, const void* from, unsigned bytes) {
  for (unsigned i = 0; i < bytes / sizeof(uint4); ++i) static_cast<uint4*>(to)[i] = static_cast<const uint4*>(from)[i];
}
// Makes a thread's stores to shared memory visible to what bulk copies and wgmma read. The thread calls it before it
// arrives or synchronizes, as in CUTLASS: the rules of PTX's memory model do not mention this fence.
__device__ inline void fence_proxy_async() { Hardware::fence_proxy_async(); }

// One thread loads; it arrives, and those who wait have the bytes.
__device__ inline void load_bulk(void* to, const void* from, unsigned bytes, Mbarrier& barrier) {
  arrive_expect_tx(barrier, bytes);
  Hardware::copy_in_bulk(to, bytes, [=, &barrier] {
    copy_words(to, from, bytes);
    complete_tx(barrier, bytes);
  });
}

// One thread stores.
__device__ inline void store_bulk(void* to, const void* from, unsigned bytes) {
  for (unsigned i = 0; i < bytes / sizeof(uint4); ++i)
    static_cast<uint4*>(to)[i] = *Hardware::seen_by_async_proxy(static_cast<const uint4*>(from) + i);
}

// ---- tiles in shared memory, as device/tensor_map.h describes them ----

// Where the byte lies that would be at `at`, in a tile with rows of row_bytes.
template <class Byte>
__device__ Byte* swizzled(Byte* at, unsigned row_bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  const std::uintptr_t chunk = address / 16 % 8;
  return at + 16 * (static_cast<std::int64_t>(chunk ^ (address / 128 % (row_bytes / 16))) -
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
// One thread loads the tile that begins at `byte`, a multiple of 16, of `row`; all its bytes were expected, those
// outside of the array too. The tile is aligned to 128 bytes. The map may be gone before the bytes come. A map with
// layers is asked for a tile of one.
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

// Into the L2, for a load that is to come.
__device__ inline void prefetch_tile(const TensorMap& /*map*/, int /*byte*/, int /*row*/) {}

// ---- wgmma: products of tiles by a warpgroup, four warps of which the first one's number is a multiple of four ----

// 16-bit values in rows of 128 or 64 bytes that follow each other, swizzled as load_tile does. A row has terms of one
// row of the matrix, or, transposed, as many rows' values of one term: the rows behind these lie leading_bytes further.
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
// The operand that begins `bytes` later: 16 more terms are 32 bytes, or, transposed, 16 rows.
__device__ inline TileOperand offset(TileOperand operand, unsigned bytes) {
  return {operand.tile + bytes, operand.leading_bytes, operand.row_bytes};
}

template <bool kTransposed>
__device__ std::uint16_t tile_value(TileOperand operand, unsigned row, unsigned term) {
  const unsigned rows = operand.row_bytes / 2;  // of the matrix, transposed
  const unsigned at = kTransposed ? row / rows * operand.leading_bytes + term * operand.row_bytes + row % rows * 2
                                  : row * operand.row_bytes + term * 2;
  return *Hardware::seen_by_async_proxy(
      reinterpret_cast<const std::uint16_t*>(swizzled(operand.tile + at, operand.row_bytes)));
}

// sum + a[row] * b[column], 16 terms. Not inline: with a copy for each sum of a thread, nvcc takes minutes.
template <bool kLeftTransposed, bool kRightTransposed>
__attribute__((noinline)) __device__ float add_products(format::Binary16 type, float sum, TileOperand a, unsigned row,
                                                        TileOperand b, unsigned column) {
  std::uint16_t of_row[format::kStepTerms];
  std::uint16_t of_column[format::kStepTerms];
  QFUSE_UNROLL
  for (unsigned k = 0; k < format::kStepTerms; ++k) {
    of_row[k] = tile_value<kLeftTransposed>(a, row, k);
    of_column[k] = tile_value<kRightTransposed>(b, column, k);
  }
  return format::matrix_step(type, sum, of_row, of_column);
}
// The same of a row that is there already.
__attribute__((noinline)) __device__ inline float add_products_of(format::Binary16 type, float sum,
                                                                  const std::uint16_t (&of_row)[format::kStepTerms],
                                                                  TileOperand b, unsigned column) {
  std::uint16_t of_column[format::kStepTerms];
  QFUSE_UNROLL
  for (unsigned k = 0; k < format::kStepTerms; ++k) of_column[k] = tile_value<false>(b, column, k);
  return format::matrix_step(type, sum, of_row, of_column);
}

// sums = a * b, or, if it adds, sums + a * b: of 64 rows, kColumns columns and 16 terms. b has the columns as rows.
// Warp w of the four holds rows 16 * w + lane / 4 and the eighth one after it (h), columns 8 * j + 2 * (lane % 4) and
// the next one (e), in sums[4 * j + 2 * h + e]. That is how wgmma.m64nNk16 has them.
template <int kColumns, bool kLeftTransposed, bool kRightTransposed>
__device__ void wgmma_of(format::Binary16 type, float (&sums)[kColumns / 2], TileOperand a, TileOperand b, bool adds) {
  Hardware::multiply([=, &sums] {
    const unsigned lane = threadIdx.x % kWarp;
    const unsigned warp = threadIdx.x / kWarp % 4;
    QFUSE_UNROLL
    for (unsigned i = 0; i < kColumns / 2; ++i) {
      const unsigned row = 16 * warp + lane / 4 + 8 * (i / 2 % 2);
      const unsigned column = 8 * (i / 4) + 2 * (lane % 4) + i % 2;
      sums[i] = add_products<kLeftTransposed, kRightTransposed>(type, adds ? sums[i] : 0.0F, a, row, b, column);
    }
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

// The same of 256 columns with a in registers: of warp w the rows from 16 * w on, as multiply() has them.
__device__ inline void wgmma_rs_of(format::Binary16 type, float (&sums)[128], const std::uint32_t (&a)[4],
                                   TileOperand b, bool adds) {
  Hardware::multiply([=, &sums, &a] {
    const unsigned lane = threadIdx.x % kWarp;
    std::uint16_t rows[2][format::kStepTerms];
    QFUSE_UNROLL
    for (unsigned i = 0; i < 16; ++i) {
      const std::uint32_t word = value_of(a[i / 4], static_cast<int>(lane / 4 * 4 + i % 4));
      for (unsigned e = 0; e < 2; ++e)
        rows[i / 4 % 2][i / 8 * 8 + i % 4 * 2 + e] = static_cast<std::uint16_t>(word >> (16 * e));
    }
    QFUSE_UNROLL
    for (unsigned i = 0; i < 128; ++i)
      sums[i] = add_products_of(type, adds ? sums[i] : 0.0F, rows[i / 2 % 2], b, 8 * (i / 4) + 2 * (lane % 4) + i % 2);
  });
}
__device__ inline void wgmma_rs_half(float (&sums)[128], const std::uint32_t (&a)[4], TileOperand b, bool adds) {
  wgmma_rs_of(format::kBinaryFloat16, sums, a, b, adds);
}
__device__ inline void wgmma_rs_bfloat16(float (&sums)[128], const std::uint32_t (&a)[4], TileOperand b, bool adds) {
  wgmma_rs_of(format::kBinaryBfloat16, sums, a, b, adds);
}

// The same of int8, 32 terms a step, to integers: tiles have rows of 128 bytes, one a term, none of them transposed.
// Not inline, for the reason that add_products is not.
__attribute__((noinline)) __device__ inline int add_int8_products(int sum, TileOperand a, unsigned row, TileOperand b,
                                                                  unsigned column) {
  const auto value = [](TileOperand of, unsigned r, unsigned term) -> int {
    return *Hardware::seen_by_async_proxy(
        reinterpret_cast<const std::int8_t*>(swizzled(of.tile + r * of.row_bytes + term, of.row_bytes)));
  };
  auto wrapping = static_cast<std::uint32_t>(sum);
  for (unsigned k = 0; k < format::kInt8StepTerms; ++k)
    wrapping += static_cast<std::uint32_t>(value(a, row, k) * value(b, column, k));
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

// Products begin, on tiles that were waited for; so many as one likes; they end; and they are waited for, up to the
// last kPending such groups. Until then nobody touches sums or tiles; then all of the warp have their sums.
__device__ inline void wgmma_fence() {}
__device__ inline void wgmma_commit() { Hardware::close_products(); }
template <int kPending>
__device__ void wgmma_wait() {
  Hardware::wait_for_products(kPending);
  sync_warp();
}

// After the wait, before sums are used.
template <class Sum, int kSums>
__device__ void warpgroup_fence_operand(Sum (&/*sums*/)[kSums]) {}
// And of a left operand in registers before it is made anew.
__device__ inline void warpgroup_fence_operand(std::uint32_t (&/*words*/)[4]) {}

// ---- registers, by all of a warpgroup: so many each from here on, fewer than at the launch or more ----

template <int kEach>
__device__ void warpgroup_reg_dealloc() {}
template <int kEach>
__device__ void warpgroup_reg_alloc() {}

}  // namespace qfuse::cuda::portable

#endif  // QFUSE_BACKEND_CUDA_DEVICE_HOPPER_PORTABLE_CUH
