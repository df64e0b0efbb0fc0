// in:     packed [n/2] u8, absmax_8bit [n/64] u8, nested_absmax [n/64/256] fp32, map, offset; aligned to 16
// out:    [n] fp16 or bf16, aligned to 16; whole tiles of each variant
// math:   A = ftz(map[q] * nested_absmax) + offset; out = round(ftz(code[nibble] * A)), each step rounded in fp32
// cost:   n/2 + n/64 bytes read, 2n written; three launches: 4n/64 written, read, written and read again besides
// oracle: reference/dequantize_4bit.cpp
#include <cuda_runtime.h>

#include <array>
#include <bit>
#include <stdexcept>
#include <string>

#include "backend/cuda/device/weight_4bit.cuh"
#include "format/codebook4.h"
#include "format/layout.h"
#include "variants/variants.h"

namespace qfuse::bench {
namespace {

using cuda::mul_ftz;
using cuda::nibble;
using cuda::Rounding;
using Codebook = cuda::Tables<false>;  // in shared memory

// ---- policy: the same for all, where a variant is not about it ----

constexpr int kThreads = 256;
constexpr int kBlock = static_cast<int>(kBlocksize);  // elements
constexpr int kNested = static_cast<int>(QFUSE_NESTED_BLOCKSIZE);
constexpr int kGroup = 8;  // elements whose 16-bit form fills one 16-byte store
constexpr int kWarp = 32;

// ---- what a kernel sees ----

struct Weight : cuda::Weight4bit {
  std::int64_t bytes;      // of packed
  std::int64_t row_bytes;  // of packed
  float* scratch;          // [n/64]
};

// The codebook in the GPU's memory, for those who keep it elsewhere than the library.
__device__ constexpr auto kValues = format::kNf4.values;

// ---- steps: the library's (device/weight_4bit.cuh), and those that it has not ----

// From the caches, without a table of the map.
__device__ float decode_absmax(const Weight& w, std::int64_t block) {
  const cuda::Absmax absmax = cuda::load_absmax<true, true>(w, block * kBlock, 0);
  return __fadd_rn(mul_ftz(__ldg(w.nested_quant_map + absmax.code), absmax.scale), cuda::load_offset<true, true>(w));
}

// All threads of the thread block come here.
__device__ void load_codebook(const Weight& w, Codebook& codebook) {
  cuda::load_tables<kThreads, true>(w, codebook);
  __syncthreads();
}

// The two elements of byte i, stored as one word, the first one lowest.
template <class Out>
__device__ void decode_byte(const Weight& w, const Codebook& codebook, std::int64_t i, float absmax, Out* out) {
  const unsigned byte = w.packed[i];
  const float weights[2] = {cuda::decode_code(codebook, byte, 0, absmax), cuda::decode_code(codebook, byte, 1, absmax)};
  reinterpret_cast<std::uint32_t*>(out)[i] = Rounding<Out>::word(weights);
}

// Of group i.
__device__ std::uint32_t load_codes(const Weight& w, std::int64_t i) {
  return reinterpret_cast<const std::uint32_t*>(w.packed)[i];
}

template <class Out>
__device__ uint4 scale_group(const float (&values)[kGroup], float absmax) {
  float weights[kGroup];
#pragma unroll
  for (int e = 0; e < kGroup; ++e) weights[e] = mul_ftz(values[e], absmax);
  return {Rounding<Out>::word(weights), Rounding<Out>::word(weights + 2), Rounding<Out>::word(weights + 4),
          Rounding<Out>::word(weights + 6)};
}

template <class Out>
__device__ void store_group(const float (&values)[kGroup], float absmax, Out* out, std::int64_t i) {
  reinterpret_cast<uint4*>(out)[i] = scale_group<Out>(values, absmax);
}

// ---- three launches, as the libraries: absmax is decoded to memory, shifted there, and read by the decoder ----

__global__ void __launch_bounds__(kThreads) decode_codes(const __grid_constant__ Weight w, std::int64_t blocks) {
  const std::int64_t block = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (block < blocks)
    w.scratch[block] = mul_ftz(w.nested_quant_map[w.absmax_8bit[block]], w.nested_absmax[block / kNested]);
}

__global__ void __launch_bounds__(kThreads) add_offset(const __grid_constant__ Weight w, std::int64_t blocks) {
  const std::int64_t block = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (block < blocks) w.scratch[block] = __fadd_rn(w.scratch[block], *w.nested_offset);
}

template <class Out>
__global__ void __launch_bounds__(kThreads) decode_plain(const __grid_constant__ Weight w, Out* out) {
  __shared__ Codebook codebook;
  load_codebook(w, codebook);
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  const std::uint32_t codes = load_codes(w, i);
  float values[kGroup];
#pragma unroll
  for (int e = 0; e < kGroup; ++e) values[e] = codebook.values[nibble(codes, e)];
  store_group(values, w.scratch[i * kGroup / kBlock], out, i);
}

// ---- one kernel, the absmax decoded where it is used: three ways to store the two elements of a byte ----

// A thread has a byte and stores its elements one after the other, so that a warp's stores leave every other element
// out.
template <class Out>
__global__ void __launch_bounds__(kThreads) store_interleaved(const __grid_constant__ Weight w, Out* out) {
  __shared__ Codebook codebook;
  load_codebook(w, codebook);
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  const float absmax = decode_absmax(w, 2 * i / kBlock);
  const unsigned byte = w.packed[i];
  out[2 * i] = Rounding<Out>::one(cuda::decode_code(codebook, byte, 0, absmax));
  out[2 * i + 1] = Rounding<Out>::one(cuda::decode_code(codebook, byte, 1, absmax));
}

// The two joined into one store of 4 bytes.
template <class Out>
__global__ void __launch_bounds__(kThreads) store_joined(const __grid_constant__ Weight w, Out* out) {
  __shared__ Codebook codebook;
  load_codebook(w, codebook);
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  decode_byte(w, codebook, i, decode_absmax(w, 2 * i / kBlock), out);
}

// A thread has an element, and loads the byte that its neighbour loads too: dense stores without joining.
template <class Out>
__global__ void __launch_bounds__(kThreads) load_twice(const __grid_constant__ Weight w, Out* out) {
  __shared__ Codebook codebook;
  load_codebook(w, codebook);
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  const unsigned byte = w.packed[i / 2];
  const float absmax = decode_absmax(w, i / kBlock);
  out[i] = Rounding<Out>::one(cuda::decode_code(codebook, byte, static_cast<int>(i % 2), absmax));
}

// ---- joined 4-byte stores: three ways to deal out the work ----

constexpr int kBlocksPerMultiprocessor = 8;  // all the threads that one has

// Row tiles: 4 rows of 256 bytes, 2 bytes a thread.
constexpr int kTileRows = 4;
constexpr int kTileBytes = 256;
constexpr int kTileThreads = 512;
constexpr int kRowThreads = kTileThreads / kTileRows;

// As many threads as the GPU has at once; each takes a byte, then the next one a grid further.
template <class Out>
__global__ void __launch_bounds__(kThreads) stride(const __grid_constant__ Weight w, Out* out) {
  __shared__ Codebook codebook;
  load_codebook(w, codebook);
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kThreads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < w.bytes; i += step)
    decode_byte(w, codebook, i, decode_absmax(w, 2 * i / kBlock), out);
}

// The matrix cut into tiles of rows and columns, as a kernel for matrices would.
template <class Out>
__global__ void __launch_bounds__(kTileThreads) tile_rows(const __grid_constant__ Weight w, Out* out) {
  __shared__ Codebook codebook;
  load_codebook(w, codebook);
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.y) * kTileRows + threadIdx.x / kRowThreads;
  const std::int64_t first =
      row * w.row_bytes + static_cast<std::int64_t>(blockIdx.x) * kTileBytes + threadIdx.x % kRowThreads;
#pragma unroll
  for (int b = 0; b < kTileBytes / kRowThreads; ++b) {
    const std::int64_t i = first + b * kRowThreads;
    decode_byte(w, codebook, i, decode_absmax(w, 2 * i / kBlock), out);
  }
}

// A warp has a quantization block, a byte a lane; one lane decodes the absmax for all.
template <class Out>
__global__ void __launch_bounds__(kThreads) own_block(const __grid_constant__ Weight w, Out* out) {
  static_assert(kBlock == 2 * kWarp);
  __shared__ Codebook codebook;
  load_codebook(w, codebook);
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  float absmax = 0.0F;
  if (threadIdx.x % kWarp == 0) absmax = decode_absmax(w, i / kWarp);
  absmax = __shfl_sync(0xffffffffU, absmax, 0);
  decode_byte(w, codebook, i, absmax, out);
}

// ---- 16-byte stores of 8 elements a thread: four places for the codebook's 16 values ----

// Each looks up the 8 values of a word of codes.

// In constant memory, which serves one address at a time: lanes that differ wait for one another.
__constant__ constexpr auto kConstantValues = format::kNf4.values;

struct ConstantTable {
  __device__ explicit ConstantTable(const Weight& /*w*/) {}
  __device__ void look_up(std::uint32_t codes, float (&values)[kGroup]) const {
#pragma unroll
    for (int e = 0; e < kGroup; ++e) values[e] = kConstantValues[nibble(codes, e)];
  }
};

// In shared memory, where 16 values lie in 16 banks: no lane waits.
struct SharedTable {
  const float* values_by_code;
  __device__ explicit SharedTable(const Weight& w) {
    __shared__ Codebook codebook;
    load_codebook(w, codebook);
    values_by_code = codebook.values;
  }
  __device__ void look_up(std::uint32_t codes, float (&values)[kGroup]) const {
#pragma unroll
    for (int e = 0; e < kGroup; ++e) values[e] = values_by_code[nibble(codes, e)];
  }
};

// A value a lane, in both halves of the warp: a shuffle is the look-up. All lanes must be there.
struct ShuffledTable {
  float own;
  __device__ explicit ShuffledTable(const Weight& /*w*/) : own(kValues[threadIdx.x % format::kCodes4]) {}
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
  __device__ explicit PermutedTable(const Weight& /*w*/) {}
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

template <class Table, class Out>
__global__ void __launch_bounds__(kThreads) decode_groups(const __grid_constant__ Weight w, Out* out) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  const std::uint32_t codes = load_codes(w, i);
  const float absmax = decode_absmax(w, i * kGroup / kBlock);
  const Table table(w);  // after the loads, so that they are under way while it is made
  float values[kGroup];
  table.look_up(codes, values);
  store_group(values, absmax, out, i);
}

// ---- 16-byte stores, a table of products: made and rounded once a block, then only looked up ----

constexpr int kLanes = kBlock / kGroup;                  // threads that share a block, and so its products
constexpr int kPairs = format::kCodes4 / 2;              // words of products
static_assert(kLanes == kPairs && kWarp % kLanes == 0);  // each lane makes one word, and no block leaves its warp

template <class Out>
__global__ void __launch_bounds__(kThreads) look_up_products(const __grid_constant__ Weight w, Out* out) {
  __shared__ std::uint32_t tables[kThreads / kLanes][kPairs];
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  const std::uint32_t codes = load_codes(w, i);
  const float absmax = decode_absmax(w, i / kLanes);
  const unsigned lane = threadIdx.x % kLanes;
  std::uint32_t* const table = tables[threadIdx.x / kLanes];
  const float pair[2] = {mul_ftz(kValues[2 * lane], absmax), mul_ftz(kValues[2 * lane + 1], absmax)};
  table[lane] = Rounding<Out>::word(pair);
  __syncwarp();
  const auto* const products = reinterpret_cast<const std::uint16_t*>(table);
  const auto word = [&](int e) {
    return products[nibble(codes, e)] | static_cast<std::uint32_t>(products[nibble(codes, e + 1)]) << 16;
  };
  reinterpret_cast<uint4*>(out)[i] = {word(0), word(2), word(4), word(6)};
}

// ---- a tile decoded into shared memory, which the copy engine of Hopper and later writes out ----

// Shared memory to global memory, and no further than that shared memory has been read.
__device__ void copy_out(void* to, const void* from, unsigned bytes) {
#if __CUDA_ARCH__ >= 900
  const auto shared = static_cast<unsigned>(__cvta_generic_to_shared(from));
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
               "r"(shared), "r"(bytes)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
#endif
}

// What threads have stored there may be read by the copy engine, when all have come this far and to a barrier.
__device__ void publish_shared() {
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

template <class Out>
__global__ void __launch_bounds__(kThreads) decode_tile(const __grid_constant__ Weight w, Out* out) {
  __shared__ Codebook codebook;
  __shared__ alignas(16) uint4 tile[kThreads];
  load_codebook(w, codebook);
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kThreads;
  const std::int64_t i = first + threadIdx.x;
  const std::uint32_t codes = load_codes(w, i);
  float values[kGroup];
#pragma unroll
  for (int e = 0; e < kGroup; ++e) values[e] = codebook.values[nibble(codes, e)];
  tile[threadIdx.x] = scale_group<Out>(values, decode_absmax(w, i * kGroup / kBlock));
  publish_shared();
  __syncthreads();
  if (threadIdx.x == 0) copy_out(out + first * kGroup, tile, sizeof tile);
}

// ---- launches ----

Weight weight_of(const Nf4Run& run) {
  return {cuda::device_view(run.p.weight), run.shape.count() / 2, run.shape.cols / 2, run.scratch};
}

// How many tiles a weight has that must be made of whole ones.
unsigned whole_tiles(std::int64_t count, std::int64_t tile) {
  if (count % tile != 0)
    throw std::runtime_error(std::to_string(count) + " is not a multiple of the variant's tile, " +
                             std::to_string(tile));
  return static_cast<unsigned>(count / tile);
}

template <class Out>
using Kernel = void (*)(Weight w, Out* out);
struct Kernels {
  Kernel<cuda::Half> fp16;
  Kernel<cuda::Bfloat16> bf16;
};

void launch(const Nf4Run& run, dim3 blocks, int threads, const Kernels& kernels) {
  const auto block = static_cast<unsigned>(threads);
  switch (run.p.out_dtype) {
    case QFUSE_FLOAT16:
      kernels.fp16<<<blocks, block, 0, run.stream>>>(weight_of(run), static_cast<cuda::Half*>(run.p.out));
      break;
    case QFUSE_BFLOAT16:
      kernels.bf16<<<blocks, block, 0, run.stream>>>(weight_of(run), static_cast<cuda::Bfloat16*>(run.p.out));
      break;
    case QFUSE_FLOAT32: throw std::logic_error("the variants decode to 16 bits");
  }
  require(cudaGetLastError(), "launching a variant");
}

// kElements a thread.
template <int kElements>
void launch_tiles(const Nf4Run& run, const Kernels& kernels) {
  launch(run, whole_tiles(run.shape.count(), kElements * kThreads), kThreads, kernels);
}

void three_launches(const Nf4Run& run) {
  const Weight w = weight_of(run);
  const std::int64_t blocks = run.shape.count() / kBlock;
  const auto grid = static_cast<unsigned>(format::ceil_div(blocks, kThreads));
  decode_codes<<<grid, kThreads, 0, run.stream>>>(w, blocks);
  add_offset<<<grid, kThreads, 0, run.stream>>>(w, blocks);
  launch_tiles<kGroup>(run, {decode_plain, decode_plain});
}

void interleaved_stores(const Nf4Run& run) { launch_tiles<2>(run, {store_interleaved, store_interleaved}); }
void joined_stores(const Nf4Run& run) { launch_tiles<2>(run, {store_joined, store_joined}); }
void double_load(const Nf4Run& run) { launch_tiles<1>(run, {load_twice, load_twice}); }

void grid_stride(const Nf4Run& run) {
  const auto blocks = static_cast<unsigned>(run.multiprocessors * kBlocksPerMultiprocessor);
  launch(run, blocks, kThreads, {stride, stride});
}

void row_tiles(const Nf4Run& run) {
  const dim3 blocks(whole_tiles(run.shape.cols / 2, kTileBytes), whole_tiles(run.shape.rows, kTileRows));
  launch(run, blocks, kTileThreads, {tile_rows, tile_rows});
}
void warp_per_block(const Nf4Run& run) { launch_tiles<2>(run, {own_block, own_block}); }
void product_table(const Nf4Run& run) { launch_tiles<kGroup>(run, {look_up_products, look_up_products}); }
void bulk_stores(const Nf4Run& run) { launch_tiles<kGroup>(run, {decode_tile, decode_tile}); }

template <class Table>
void look_up(const Nf4Run& run) {
  launch_tiles<kGroup>(run, {decode_groups<Table>, decode_groups<Table>});
}

constexpr std::array kVariants = {
    Nf4Variant{"three launches, as the libraries", three_launches},
    Nf4Variant{"one kernel, interleaved 2-byte stores", interleaved_stores},
    Nf4Variant{"joined 4-byte stores", joined_stores},
    Nf4Variant{"an element a thread, bytes loaded twice", double_load},
    Nf4Variant{"grid-stride loop", grid_stride},
    Nf4Variant{"tiles of 4 rows x 256 bytes", row_tiles},
    Nf4Variant{"a warp per quantization block", warp_per_block},
    Nf4Variant{"16-byte stores, table in constant memory", look_up<ConstantTable>},
    Nf4Variant{"16-byte stores, table in shared memory", look_up<SharedTable>},
    Nf4Variant{"16-byte stores, table by shuffle", look_up<ShuffledTable>},
    Nf4Variant{"16-byte stores, table by byte permutation", look_up<PermutedTable>},
    Nf4Variant{"16-byte stores, table of products", product_table},
    Nf4Variant{"qfuse", nullptr},
    Nf4Variant{"bulk stores through shared memory", bulk_stores, 90},
};

}  // namespace

std::span<const Nf4Variant> nf4_variants() { return kVariants; }

}  // namespace qfuse::bench
