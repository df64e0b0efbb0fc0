// PTX versions of the steps of hopper_portable.cuh, for Hopper and later GPUs; wgmma exists only on Hopper. A test
// compares both versions.
#ifndef QFUSE_BACKEND_CUDA_DEVICE_HOPPER_PTX_CUH
#define QFUSE_BACKEND_CUDA_DEVICE_HOPPER_PTX_CUH

#include <cuda_runtime.h>

#include <cstdint>

#include "backend/cuda/device/ptx.cuh"
#include "backend/cuda/device/tensor_map.h"

namespace qfuse::cuda::ptx {

// ---- mbarriers ----

using Mbarrier = std::uint64_t;

__device__ inline void init_mbarrier(Mbarrier& barrier, unsigned count = 1) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&barrier)), "r"(count) : "memory");
}
__device__ inline void fence_mbarrier_init() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }

__device__ inline void arrive(Mbarrier& barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&barrier)) : "memory");
}

__device__ inline void arrive_expect_tx(Mbarrier& barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&barrier)), "r"(bytes)
               : "memory");
}

__device__ inline void wait_for(Mbarrier& barrier, unsigned phase = 0) {
  unsigned done = 0;
  while (done == 0)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(shared_address(&barrier)), "r"(phase % 2)
                 : "memory");
}

__device__ inline bool test_wait(Mbarrier& barrier, unsigned phase) {
  unsigned done;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
               : "=r"(done)
               : "r"(shared_address(&barrier)), "r"(phase % 2)
               : "memory");
  return done != 0;
}

// ---- shared memory ----

// When short of registers, the compiler recomputes a shared-memory address at each use, by a dozen instructions. The
// asm statement prevents that.
template <class T>
__device__ T* worked_out_once(T* shared) {
  asm volatile("" : "+l"(shared));
  __builtin_assume(__isShared(shared));
  return shared;
}

// ---- bulk copies ----

__device__ inline void fence_proxy_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

__device__ inline void load_bulk(void* to, const void* from, unsigned bytes, Mbarrier& barrier) {
  arrive_expect_tx(barrier, bytes);
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(to)),
               "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared_address(&barrier))
               : "memory");
}

__device__ inline void store_bulk(void* to, const void* from, unsigned bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
               "r"(shared_address(from)), "r"(bytes)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;");
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

// ---- tiles ----

__device__ inline void load_tile(void* to, const TensorMap& map, int byte, int row, Mbarrier& barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
          shared_address(to)),
      "l"(&map.tensor), "r"(byte), "r"(row), "r"(shared_address(&barrier))
      : "memory");
}

// For a map with layers.
__device__ inline void load_tile(void* to, const TensorMap& map, int byte, int row, int layer, Mbarrier& barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" ::
          "r"(shared_address(to)),
      "l"(&map.tensor), "r"(byte), "r"(row), "r"(layer), "r"(shared_address(&barrier))
      : "memory");
}

__device__ inline void prefetch_tile(const TensorMap& map, int byte, int row) {
  asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(&map.tensor), "r"(byte), "r"(row)
               : "memory");
}

// ---- wgmma ----

// The instruction's matrix descriptor: address, leading bytes and stride bytes in units of 16, and the swizzle: 1 for
// 128 bytes, 2 for 64.
struct TileOperand {
  std::uint64_t descriptor;
};
template <int kRowBytes>
__device__ TileOperand tile_operand(const void* tile, unsigned leading_bytes) {
  static_assert(kRowBytes == 128 || kRowBytes == 64);
  constexpr unsigned kAddresses = 1U << 18;  // addresses that the descriptor can hold: more than shared memory has
  constexpr std::uint64_t kSwizzle = 128 / kRowBytes;
  constexpr std::uint64_t kStrideBytes = 8 * kRowBytes;
  return {kSwizzle << 62 | kStrideBytes / 16 << 32 | std::uint64_t{leading_bytes / 16} << 16 |
          shared_address(tile) % kAddresses / 16};
}
__device__ inline TileOperand offset(TileOperand operand, unsigned bytes) { return {operand.descriptor + bytes / 16}; }

// Orders accesses to the registers of sums and of a left operand before the next wgmma.
__device__ inline void wgmma_fence() {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#else
  __trap();
#endif
}

// Macros for the sums: their operand numbers in the instruction's text, and their registers.
#define QFUSE_NAMES_16 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define QFUSE_NAMES_32 QFUSE_NAMES_16 ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define QFUSE_NAMES_64                                                                 \
  QFUSE_NAMES_32                                                                       \
  ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define QFUSE_NAMES_128                                                                          \
  QFUSE_NAMES_64                                                                                 \
  ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "           \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "             \
  "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
  "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define QFUSE_SUMS_4(kind, at) kind(sums[at]), kind(sums[(at) + 1]), kind(sums[(at) + 2]), kind(sums[(at) + 3])
#define QFUSE_SUMS_16(kind, at) \
  QFUSE_SUMS_4(kind, at), QFUSE_SUMS_4(kind, (at) + 4), QFUSE_SUMS_4(kind, (at) + 8), QFUSE_SUMS_4(kind, (at) + 12)
#define QFUSE_SUMS_64(kind, at)                                                            \
  QFUSE_SUMS_16(kind, at), QFUSE_SUMS_16(kind, (at) + 16), QFUSE_SUMS_16(kind, (at) + 32), \
      QFUSE_SUMS_16(kind, (at) + 48)

// Macros for the instruction's text, given the numbers of the operands that follow the sums, and for these operands.
#define QFUSE_PRODUCT(columns, names, a, b, adds, transposed, type)                                             \
  "{ .reg .pred adds; setp.ne.b32 adds, " adds ", 0; wgmma.mma_async.sync.aligned.m64n" columns "k16.f32." type \
  "." type " {" names "}, " a ", " b ", adds, 1, 1, " transposed "; }"
#define QFUSE_FACTORS                                                                                        \
  "l"(a.descriptor), "l"(b.descriptor), "r"(static_cast<int>(adds)), "n"(static_cast<int>(kLeftTransposed)), \
      "n"(static_cast<int>(kRightTransposed)), "C"(Type::name)

struct TypeHalf {
  static constexpr char name[] = "f16";
};
struct TypeBfloat16 {
  static constexpr char name[] = "bf16";
};

template <class Type, int kColumns, bool kLeftTransposed, bool kRightTransposed>
__device__ void wgmma_of(float (&sums)[kColumns / 2], TileOperand a, TileOperand b, bool adds) {
  static_assert(kColumns == 32 || kColumns == 64 || kColumns == 128 || kColumns == 256);
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  if constexpr (kColumns == 32)
    asm volatile(QFUSE_PRODUCT("32", QFUSE_NAMES_16, "%16", "%17", "%18", "%19, %20", "%21")
                 : QFUSE_SUMS_16("+f", 0)
                 : QFUSE_FACTORS);
  else if constexpr (kColumns == 64)
    asm volatile(QFUSE_PRODUCT("64", QFUSE_NAMES_32, "%32", "%33", "%34", "%35, %36", "%37")
                 : QFUSE_SUMS_16("+f", 0), QFUSE_SUMS_16("+f", 16)
                 : QFUSE_FACTORS);
  else if constexpr (kColumns == 128)
    asm volatile(QFUSE_PRODUCT("128", QFUSE_NAMES_64, "%64", "%65", "%66", "%67, %68", "%69")
                 : QFUSE_SUMS_64("+f", 0)
                 : QFUSE_FACTORS);
  else
    asm volatile(QFUSE_PRODUCT("256", QFUSE_NAMES_128, "%128", "%129", "%130", "%131, %132", "%133")
                 : QFUSE_SUMS_64("+f", 0), QFUSE_SUMS_64("+f", 64)
                 : QFUSE_FACTORS);
#else
  __trap();
#endif
}
template <int kColumns, bool kLeftTransposed, bool kRightTransposed>
__device__ void wgmma_half(float (&sums)[kColumns / 2], TileOperand a, TileOperand b, bool adds) {
  wgmma_of<TypeHalf, kColumns, kLeftTransposed, kRightTransposed>(sums, a, b, adds);
}
template <int kColumns, bool kLeftTransposed, bool kRightTransposed>
__device__ void wgmma_bfloat16(float (&sums)[kColumns / 2], TileOperand a, TileOperand b, bool adds) {
  wgmma_of<TypeBfloat16, kColumns, kLeftTransposed, kRightTransposed>(sums, a, b, adds);
}

// Operands of a product whose left operand is in registers.
#define QFUSE_LEFT_FACTORS \
  "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b.descriptor), "r"(static_cast<int>(adds)), "n"(0), "C"(Type::name)

template <class Type>
__device__ void wgmma_rs_of(float (&sums)[128], const std::uint32_t (&a)[4], TileOperand b, bool adds) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile(QFUSE_PRODUCT("256", QFUSE_NAMES_128, "{%128, %129, %130, %131}", "%132", "%133", "%134", "%135")
               : QFUSE_SUMS_64("+f", 0), QFUSE_SUMS_64("+f", 64)
               : QFUSE_LEFT_FACTORS);
#else
  __trap();
#endif
}
__device__ inline void wgmma_rs_half(float (&sums)[128], const std::uint32_t (&a)[4], TileOperand b, bool adds) {
  wgmma_rs_of<TypeHalf>(sums, a, b, adds);
}
__device__ inline void wgmma_rs_bfloat16(float (&sums)[128], const std::uint32_t (&a)[4], TileOperand b, bool adds) {
  wgmma_rs_of<TypeBfloat16>(sums, a, b, adds);
}

// Products of s8 by s8 with int sums, 32 K elements per step.
#define QFUSE_INT8_PRODUCT(columns, names, a, b, adds)                                          \
  "{ .reg .pred adds; setp.ne.b32 adds, " adds ", 0; wgmma.mma_async.sync.aligned.m64n" columns \
  "k32.s32.s8.s8 "                                                                              \
  "{" names "}, " a ", " b ", adds; }"

template <int kColumns>
__device__ void wgmma_int8(int (&sums)[kColumns / 2], TileOperand a, TileOperand b, bool adds) {
  static_assert(kColumns == 128 || kColumns == 256);
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  if constexpr (kColumns == 128)
    asm volatile(QFUSE_INT8_PRODUCT("128", QFUSE_NAMES_64, "%64", "%65", "%66")
                 : QFUSE_SUMS_64("+r", 0)
                 : "l"(a.descriptor), "l"(b.descriptor), "r"(static_cast<int>(adds)));
  else
    asm volatile(QFUSE_INT8_PRODUCT("256", QFUSE_NAMES_128, "%128", "%129", "%130")
                 : QFUSE_SUMS_64("+r", 0), QFUSE_SUMS_64("+r", 64)
                 : "l"(a.descriptor), "l"(b.descriptor), "r"(static_cast<int>(adds)));
#else
  __trap();
#endif
}

#undef QFUSE_NAMES_16
#undef QFUSE_NAMES_32
#undef QFUSE_NAMES_64
#undef QFUSE_NAMES_128
#undef QFUSE_SUMS_4
#undef QFUSE_SUMS_16
#undef QFUSE_SUMS_64
#undef QFUSE_PRODUCT
#undef QFUSE_FACTORS
#undef QFUSE_LEFT_FACTORS
#undef QFUSE_INT8_PRODUCT

__device__ inline void wgmma_commit() {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#else
  __trap();
#endif
}
template <int kPending>
__device__ void wgmma_wait() {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
#else
  __trap();
#endif
}

// The compiler knows that the instructions write the sums, but not that they keep writing until the wait.
template <int kSums>
__device__ void warpgroup_fence_operand(float (&sums)[kSums]) {
#pragma unroll
  for (int i = 0; i < kSums; ++i) asm volatile("" : "+f"(sums[i])::"memory");
}
template <int kSums>
__device__ void warpgroup_fence_operand(int (&sums)[kSums]) {
#pragma unroll
  for (int i = 0; i < kSums; ++i) asm volatile("" : "+r"(sums[i])::"memory");
}
// Nor does it know that instructions still read the registers of a left operand.
__device__ inline void warpgroup_fence_operand(std::uint32_t (&words)[4]) {
#pragma unroll
  for (int i = 0; i < 4; ++i) asm volatile("" : "+r"(words[i])::"memory");
}

// ---- pairs of 16 bits ----

// In a selector, 8 fills a byte with the sign bit of another, here 0.
template <int kAt>
__device__ std::uint32_t pair_of_bytes(std::uint32_t low, std::uint32_t high) {
  return permuted(low, high, 0xc480 + kAt * 0x1111);
}

__device__ inline std::uint32_t multiply_exactly(std::uint32_t a, std::uint32_t b) {
  std::uint32_t products;
  asm("mul.bf16x2 %0, %1, %2;" : "=r"(products) : "r"(a), "r"(b));
  return products;
}

// ---- registers ----

template <int kEach>
__device__ void warpgroup_reg_dealloc() {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kEach));
#else
  __trap();
#endif
}
template <int kEach>
__device__ void warpgroup_reg_alloc() {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kEach));
#else
  __trap();
#endif
}

}  // namespace qfuse::cuda::ptx

#endif  // QFUSE_BACKEND_CUDA_DEVICE_HOPPER_PTX_CUH
