// Compiled twice: with PTX instructions, and with QFUSE_PORTABLE.
#include "cuda/hopper_steps.h"

#include "backend/cuda/device/current.h"
#include "backend/cuda/device/hopper.cuh"
#include "backend/cuda/device/memory.cuh"
#include "backend/cuda/device/warp.cuh"
#include "format/matrix_step.h"

namespace qfuse::tests {
namespace {

using namespace cuda;

constexpr int kRowBytes = 128;  // of the operand tiles
constexpr int kStepBytes = format::kStepTerms * 2;
constexpr int kProductSteps = kProductTerms / format::kStepTerms;
constexpr int kProductThreads = 128;

// Bytes per row of a right operand's tile. If transposed, a row is no wider than the operand's columns.
constexpr int right_row_bytes(int columns, bool transposed) {
  return transposed && 2 * columns < kRowBytes ? 2 * columns : kRowBytes;
}

template <int kRows>
struct alignas(1024) Tile {
  std::uint8_t bytes[kRows * kRowBytes];
};

// Row and column of this thread's sums[i].
struct Place {
  int row;
  int column;
};
__device__ Place place_of(int i) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  return {16 * warp + lane / 4 + 8 * (i / 2 % 2), 8 * (i / 4) + 2 * (lane % 4) + i % 2};
}

// Returns the kernel's shared memory, aligned to a swizzle pattern. It is dynamic because the software GPU copies all
// static memory at each fence.
constexpr std::size_t kSharedAlignment = 1024;
template <class Shared>
__device__ Shared& shared_as() {
  auto* const begin = static_cast<char*>(dynamic_shared());
  const std::size_t beyond = reinterpret_cast<std::uintptr_t>(begin) % kSharedAlignment;
  return *reinterpret_cast<Shared*>(begin + (beyond == 0 ? 0 : kSharedAlignment - beyond));
}
template <class Shared>
constexpr std::size_t kSharedBytes = sizeof(Shared) + kSharedAlignment;

// Initializes an mbarrier for the arrival of one thread. All threads call this.
__device__ void prepare_one(Mbarrier& barrier) {
  if (threadIdx.x == 0) {
    init_mbarrier(barrier);
    fence_mbarrier_init();
  }
  __syncthreads();
}

// ---- load of a tile ----

struct LoadArguments {
  TensorMap map;
  int byte;
  int row;
  int bytes;
  std::uint8_t* out;
};

constexpr int kMostTileBytes = 32 << 10;
struct LoadShared {
  Tile<kMostTileBytes / kRowBytes> tile;
  Mbarrier loaded;
};

__global__ void load_one(const __grid_constant__ LoadArguments a) {
  auto& [tile, loaded] = shared_as<LoadShared>();
  prepare_one(loaded);
  if (threadIdx.x == 0) {
    arrive_expect_tx(loaded, static_cast<unsigned>(a.bytes));
    load_tile(&tile, a.map, a.byte, a.row, loaded);
  }
  wait_for(loaded);
  for (int i = static_cast<int>(threadIdx.x); i < a.bytes; i += kProductThreads) a.out[i] = tile.bytes[i];
}

// ---- product of two tiles ----

struct ProductArguments {
  TensorMap a;
  TensorMap b;
  float* sums;
  bool adds;
};

template <int kRightBytes>
struct ProductShared {
  Tile<kProductRows> a;
  Tile<kRightBytes / kRowBytes> b;
  Mbarrier loaded;
};
// Bytes of the largest right operand, a tile of 256 columns.
constexpr int kMostRightBytes = 256 * kRowBytes;

template <class Value, int kColumns, bool kLeftTransposed, bool kRightTransposed>
__global__ void __launch_bounds__(kProductThreads) multiply_one(const __grid_constant__ ProductArguments p) {
  constexpr int kRightRowBytes = right_row_bytes(kColumns, kRightTransposed);
  constexpr int kBoxes = kRightTransposed ? kColumns * 2 / kRightRowBytes : 1;
  constexpr int kBoxRows = kRightTransposed ? kProductTerms : kColumns;
  static_assert(kProductRows == kProductTerms);  // transposed or not, a's box has the same shape
  constexpr int kBoxBytes = kBoxRows * kRightRowBytes;
  static_assert(kBoxes * kBoxBytes <= kMostRightBytes);
  auto& [a, b, loaded] = shared_as<ProductShared<kBoxes * kBoxBytes>>();
  prepare_one(loaded);
  if (threadIdx.x == 0) {
    arrive_expect_tx(loaded, sizeof a + sizeof b);
    load_tile(&a, p.a, 0, 0, loaded);
    for (int box = 0; box < kBoxes; ++box) load_tile(b.bytes + box * kBoxBytes, p.b, box * kRightRowBytes, 0, loaded);
  }
  wait_for(loaded);
  float sums[kColumns / 2];
#pragma unroll
  for (int i = 0; i < kColumns / 2; ++i) sums[i] = p.sums[place_of(i).row * kColumns + place_of(i).column];
  const TileOperand of_a = tile_operand<kRowBytes>(&a, 0);
  const TileOperand of_b = tile_operand<kRightRowBytes>(&b, kBoxBytes);
  wgmma_fence();
#pragma unroll
  for (int step = 0; step < kProductSteps; ++step)
    wgmma<kColumns, kLeftTransposed, kRightTransposed>(
        sums, offset(of_a, step * (kLeftTransposed ? format::kStepTerms * kRowBytes : kStepBytes)),
        offset(of_b, step * (kRightTransposed ? format::kStepTerms * kRightRowBytes : kStepBytes)), p.adds || step > 0,
        Value());
  wgmma_commit();
  wgmma_wait<0>();
#pragma unroll
  for (int i = 0; i < kColumns / 2; ++i) p.sums[place_of(i).row * kColumns + place_of(i).column] = sums[i];
}

// ---- product with the left operand in registers ----

struct LeftArguments {
  const std::uint8_t* a;
  TensorMap b;
  float* sums;
  bool adds;
};
struct LeftShared {
  Tile<256> b;
  Mbarrier loaded;
};

template <class Value>
__global__ void __launch_bounds__(kProductThreads) multiply_one_left(const __grid_constant__ LeftArguments p) {
  constexpr int kColumns = 256;
  auto& [b, loaded] = shared_as<LeftShared>();
  prepare_one(loaded);
  if (threadIdx.x == 0) {
    arrive_expect_tx(loaded, sizeof b);
    load_tile(&b, p.b, 0, 0, loaded);
  }
  wait_for(loaded);
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  std::uint32_t a[kProductSteps][4];
#pragma unroll
  for (int step = 0; step < kProductSteps; ++step)
#pragma unroll
    for (int i = 0; i < 4; ++i)
      a[step][i] = *reinterpret_cast<const std::uint32_t*>(p.a + (place_of(0).row + i % 2 * 8) * kRowBytes +
                                                           step * kStepBytes + lane % 4 * 4 + i / 2 * 16);
  float sums[kColumns / 2];
#pragma unroll
  for (int i = 0; i < kColumns / 2; ++i) sums[i] = p.sums[place_of(i).row * kColumns + place_of(i).column];
  const TileOperand of_b = tile_operand<kRowBytes>(&b, 0);
  wgmma_fence();
#pragma unroll
  for (int step = 0; step < kProductSteps; ++step)
    wgmma_rs(sums, a[step], offset(of_b, step * kStepBytes), p.adds || step > 0, Value());
  wgmma_commit();
  wgmma_wait<0>();
#pragma unroll
  for (int i = 0; i < kColumns / 2; ++i) p.sums[place_of(i).row * kColumns + place_of(i).column] = sums[i];
}

// ---- int8 ----

struct Int8Arguments {
  TensorMap a;
  TensorMap b;
  int* sums;
  bool adds;
};

template <int kColumns>
__global__ void __launch_bounds__(kProductThreads) multiply_one_int8(const __grid_constant__ Int8Arguments p) {
  auto& [a, b, loaded] = shared_as<ProductShared<kColumns * kRowBytes>>();
  prepare_one(loaded);
  if (threadIdx.x == 0) {
    arrive_expect_tx(loaded, sizeof a + sizeof b);
    load_tile(&a, p.a, 0, 0, loaded);
    load_tile(&b, p.b, 0, 0, loaded);
  }
  wait_for(loaded);
  int sums[kColumns / 2];
#pragma unroll
  for (int i = 0; i < kColumns / 2; ++i) sums[i] = p.sums[place_of(i).row * kColumns + place_of(i).column];
  const TileOperand of_a = tile_operand<kRowBytes>(&a, 0);
  const TileOperand of_b = tile_operand<kRowBytes>(&b, 0);
  wgmma_fence();
#pragma unroll
  for (int step = 0; step < kInt8ProductTerms / format::kInt8StepTerms; ++step)
    wgmma_int8<kColumns>(sums, offset(of_a, step * format::kInt8StepTerms), offset(of_b, step * format::kInt8StepTerms),
                         p.adds || step > 0);
  wgmma_commit();
  wgmma_wait<0>();
#pragma unroll
  for (int i = 0; i < kColumns / 2; ++i) p.sums[place_of(i).row * kColumns + place_of(i).column] = sums[i];
}

// ---- pipeline: one thread loads, two warps make b's tiles from the loaded data, four warps multiply ----

constexpr int kLoaded = 2;  // Stages per ring. The rings differ in length, so their phases diverge.
constexpr int kMade = 3;
constexpr int kMakers = 64;
constexpr int kPipelineThreads = kProductThreads + kMakers + kWarp;

struct PipelineArguments {
  TensorMap a;
  TensorMap b;
  int steps;
  int columns;
  float* sums;
};

struct PipelineShared {
  Tile<kProductRows> a[kLoaded];
  Tile<kPipelineColumns> b[kLoaded];
  Tile<kPipelineColumns> made[kMade];
  Mbarrier loaded[kLoaded];  // completed by the loading thread's arrive_expect_tx() and its bytes
  Mbarrier used[kLoaded];    // each warp that makes or multiplies arrives
  Mbarrier has_made[kMade];  // each warp that makes arrives
  Mbarrier multiplied[kMade];
};

// Slot and phase of a step in a ring.
struct Stage {
  int slot;
  unsigned phase;
};
__device__ Stage stage_of(int step, int stages) { return {step % stages, static_cast<unsigned>(step / stages)}; }

__device__ void load_all(const PipelineArguments& p, PipelineShared& shared) {
  for (int step = 0; step < p.steps; ++step) {
    const auto [slot, phase] = stage_of(step, kLoaded);
    wait_for(shared.used[slot], phase - 1);
    arrive_expect_tx(shared.loaded[slot], sizeof shared.a[0] + sizeof shared.b[0]);
    load_tile(&shared.a[slot], p.a, step * kRowBytes, 0, shared.loaded[slot]);
    load_tile(&shared.b[slot], p.b, step * kRowBytes, static_cast<int>(blockIdx.x) * kPipelineColumns,
              shared.loaded[slot]);
  }
}

__device__ void make_all(const PipelineArguments& p, PipelineShared& shared) {
  constexpr std::uint32_t kSigns = 0x80008000U;
  const int me = static_cast<int>(threadIdx.x) - kProductThreads;
  for (int step = 0; step < p.steps; ++step) {
    const auto [from, from_phase] = stage_of(step, kLoaded);
    const auto [to, to_phase] = stage_of(step, kMade);
    wait_for(shared.loaded[from], from_phase);
    wait_for(shared.multiplied[to], to_phase - 1);
    const auto* const words = reinterpret_cast<const std::uint32_t*>(shared.b[from].bytes);
    auto* const made = reinterpret_cast<std::uint32_t*>(shared.made[to].bytes);
    for (int i = me; i < static_cast<int>(sizeof shared.b[0] / 4); i += kMakers) made[i] = words[i] ^ kSigns;
    fence_proxy_async();
    sync_warp();
    if (me % kWarp == 0) {
      arrive(shared.has_made[to]);
      arrive(shared.used[from]);
    }
  }
}

__device__ void multiply_all(const PipelineArguments& p, PipelineShared& shared) {
  float sums[kPipelineColumns / 2];
#pragma unroll 1
  for (int step = 0; step < p.steps; ++step) {
    const auto [a, a_phase] = stage_of(step, kLoaded);
    const auto [b, b_phase] = stage_of(step, kMade);
    wait_for(shared.loaded[a], a_phase);
    wait_for(shared.has_made[b], b_phase);
    const TileOperand of_a = tile_operand<kRowBytes>(&shared.a[a], 0);
    const TileOperand of_b = tile_operand<kRowBytes>(&shared.made[b], 0);
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < kProductSteps; ++k)
      wgmma<kPipelineColumns, false, false>(sums, offset(of_a, k * kStepBytes), offset(of_b, k * kStepBytes),
                                            step > 0 || k > 0, Bfloat16());
    wgmma_commit();
    wgmma_wait<0>();
    if (threadIdx.x % kWarp == 0) {
      arrive(shared.used[a]);
      arrive(shared.multiplied[b]);
    }
  }
#pragma unroll
  for (int i = 0; i < kPipelineColumns / 2; ++i)
    p.sums[place_of(i).row * p.columns + static_cast<int>(blockIdx.x) * kPipelineColumns + place_of(i).column] =
        sums[i];
}

__global__ void __launch_bounds__(kPipelineThreads) run_pipeline(const __grid_constant__ PipelineArguments p) {
  auto& shared = shared_as<PipelineShared>();
  constexpr unsigned kMultiplyingWarps = kProductThreads / kWarp;
  constexpr unsigned kMakingWarps = kMakers / kWarp;
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) {
    for (Mbarrier& barrier : shared.loaded) init_mbarrier(barrier);
    for (Mbarrier& barrier : shared.used) init_mbarrier(barrier, kMakingWarps + kMultiplyingWarps);
    for (Mbarrier& barrier : shared.has_made) init_mbarrier(barrier, kMakingWarps);
    for (Mbarrier& barrier : shared.multiplied) init_mbarrier(barrier, kMultiplyingWarps);
    fence_mbarrier_init();
  }
  __syncthreads();
  if (thread < kProductThreads)
    multiply_all(p, shared);
  else if (thread < kProductThreads + kMakers)
    make_all(p, shared);
  else if (thread == kProductThreads + kMakers)
    load_all(p, shared);
}

// ---- host code ----

cudaError_t copy(void* to, const void* from, std::size_t bytes) {
  const cudaError_t error = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, nullptr);
  return error != cudaSuccess ? error : cudaStreamSynchronize(nullptr);
}

// Copies host values to GPU memory that it owns.
template <class T>
class OnGpu {
 public:
  explicit OnGpu(const std::vector<T>& values) : bytes_(values.size() * sizeof(T)) {
    error_ = cudaMalloc(&memory_, bytes_);
    if (error_ == cudaSuccess) error_ = copy(memory_, values.data(), bytes_);
  }
  OnGpu(const OnGpu&) = delete;
  OnGpu& operator=(const OnGpu&) = delete;
  ~OnGpu() { static_cast<void>(cudaFree(memory_)); }

  [[nodiscard]] T* data() const { return static_cast<T*>(memory_); }
  [[nodiscard]] contract::Outcome outcome() const { return outcome_of(error_); }
  contract::Outcome read(std::vector<T>& values) const { return outcome_of(copy(values.data(), memory_, bytes_)); }

 private:
  void* memory_ = nullptr;
  std::size_t bytes_;
  cudaError_t error_;
};

template <class Argument>
contract::Outcome launch(void (*kernel)(Argument), unsigned blocks, unsigned threads, std::size_t shared_bytes,
                         Argument argument) {
  void* arguments[] = {&argument};
  return outcome_of(cudaLaunchKernel(kernel, {blocks, 1, 1}, {threads, 1, 1}, arguments, shared_bytes, nullptr));
}

contract::Outcome map_array(TensorMap& map, const ByteArray& array, const OnGpu<std::uint8_t>& memory, int box_rows,
                            int box_bytes) {
  if (contract::Outcome o = memory.outcome(); !o.ok()) return o;
  return make_tensor_map(map, memory.data(), array.rows, array.row_bytes, array.stride, box_rows, box_bytes);
}

contract::Outcome load(const TileLoad& load, std::vector<std::uint8_t>& tile) {
  const OnGpu array(load.array.bytes);
  tile.assign(static_cast<std::size_t>(load.box_rows * load.box_bytes), 0xee);
  const OnGpu out(tile);
  if (contract::Outcome o = out.outcome(); !o.ok()) return o;
  LoadArguments a{
      .map = {}, .byte = load.byte, .row = load.row, .bytes = load.box_rows * load.box_bytes, .out = out.data()};
  if (contract::Outcome o = map_array(a.map, load.array, array, load.box_rows, load.box_bytes); !o.ok()) return o;
  if (contract::Outcome o = launch(load_one, 1, kProductThreads, kSharedBytes<LoadShared>, a); !o.ok()) return o;
  return out.read(tile);
}

// With the portable steps, a GPU thread has too few registers for 128 sums.
#if defined(QFUSE_PORTABLE) && defined(__CUDACC__)
constexpr int kMostColumns = 128;
#else
constexpr int kMostColumns = 256;
#endif

using ProductKernel = void (*)(ProductArguments);

template <class Value, int kColumns>
ProductKernel find_kernel_of(const TileProduct& p) {
  if (p.left_transposed)
    return p.right_transposed ? multiply_one<Value, kColumns, true, true> : multiply_one<Value, kColumns, true, false>;
  return p.right_transposed ? multiply_one<Value, kColumns, false, true> : multiply_one<Value, kColumns, false, false>;
}
template <class Value>
ProductKernel find_kernel(const TileProduct& p) {
  switch (p.columns) {
    case 32: return find_kernel_of<Value, 32>(p);
    case 64: return find_kernel_of<Value, 64>(p);
    case 128: return find_kernel_of<Value, 128>(p);
  }
  if constexpr (kMostColumns == 256) return find_kernel_of<Value, 256>(p);
  return nullptr;
}

ByteArray rows_of(const std::vector<std::uint16_t>& values, int columns) {
  ByteArray array{static_cast<std::int64_t>(values.size()) / columns, 2 * columns, 2 * columns, {}};
  for (const std::uint16_t value : values) {
    array.bytes.push_back(static_cast<std::uint8_t>(value));
    array.bytes.push_back(static_cast<std::uint8_t>(value >> 8));
  }
  return array;
}

using LeftKernel = void (*)(LeftArguments);

template <int kColumns>
LeftKernel find_left_kernel(bool half) {
  if constexpr (kColumns == 256) return half ? multiply_one_left<Half> : multiply_one_left<Bfloat16>;
  return nullptr;
}

contract::Outcome multiply_left(TileProduct& p) {
  const ByteArray a = rows_of(p.a, kProductTerms);
  const ByteArray b = rows_of(p.b, kProductTerms);
  const OnGpu a_memory(a.bytes);
  const OnGpu b_memory(b.bytes);
  const OnGpu sums(p.sums);
  if (contract::Outcome o = a_memory.outcome(); !o.ok()) return o;
  if (contract::Outcome o = sums.outcome(); !o.ok()) return o;
  LeftArguments arguments{.a = a_memory.data(), .b = {}, .sums = sums.data(), .adds = p.adds};
  if (contract::Outcome o = map_array(arguments.b, b, b_memory, p.columns, kRowBytes); !o.ok()) return o;
  if (contract::Outcome o =
          launch(find_left_kernel<kMostColumns>(p.half), 1, kProductThreads, kSharedBytes<LeftShared>, arguments);
      !o.ok())
    return o;
  return sums.read(p.sums);
}

contract::Outcome multiply(TileProduct& p) {
  if (p.left_in_registers) return multiply_left(p);
  const ByteArray a = rows_of(p.a, kProductTerms);
  const ByteArray b = rows_of(p.b, p.right_transposed ? p.columns : kProductTerms);
  const OnGpu a_memory(a.bytes);
  const OnGpu b_memory(b.bytes);
  const OnGpu sums(p.sums);
  if (contract::Outcome o = sums.outcome(); !o.ok()) return o;
  ProductArguments arguments{.a = {}, .b = {}, .sums = sums.data(), .adds = p.adds};
  if (contract::Outcome o = map_array(arguments.a, a, a_memory, kProductRows, kRowBytes); !o.ok()) return o;
  if (contract::Outcome o = map_array(arguments.b, b, b_memory, p.right_transposed ? kProductTerms : p.columns,
                                      right_row_bytes(p.columns, p.right_transposed));
      !o.ok())
    return o;
  const ProductKernel kernel = p.half ? find_kernel<Half>(p) : find_kernel<Bfloat16>(p);
  if (contract::Outcome o = launch(kernel, 1, kProductThreads, kSharedBytes<ProductShared<kMostRightBytes>>, arguments);
      !o.ok())
    return o;
  return sums.read(p.sums);
}

using Int8Kernel = void (*)(Int8Arguments);

template <int kColumns>
Int8Kernel find_int8_kernel(int columns) {
  if constexpr (kColumns == 256)
    if (columns == 256) return multiply_one_int8<256>;
  return multiply_one_int8<128>;
}

contract::Outcome multiply_int8(Int8Product& p) {
  const ByteArray a{kProductRows, kInt8ProductTerms, kInt8ProductTerms, p.a};
  const ByteArray b{p.columns, kInt8ProductTerms, kInt8ProductTerms, p.b};
  const OnGpu a_memory(a.bytes);
  const OnGpu b_memory(b.bytes);
  const OnGpu sums(p.sums);
  if (contract::Outcome o = sums.outcome(); !o.ok()) return o;
  Int8Arguments arguments{.a = {}, .b = {}, .sums = sums.data(), .adds = p.adds};
  if (contract::Outcome o = map_array(arguments.a, a, a_memory, kProductRows, kRowBytes); !o.ok()) return o;
  if (contract::Outcome o = map_array(arguments.b, b, b_memory, p.columns, kRowBytes); !o.ok()) return o;
  const Int8Kernel kernel = find_int8_kernel<kMostColumns>(p.columns);
  if (contract::Outcome o = launch(kernel, 1, kProductThreads, kSharedBytes<ProductShared<kMostRightBytes>>, arguments);
      !o.ok())
    return o;
  return sums.read(p.sums);
}

contract::Outcome run(const Pipeline& p, std::vector<float>& result) {
  const OnGpu a_memory(p.a.bytes);
  const OnGpu b_memory(p.b.bytes);
  result.assign(static_cast<std::size_t>(kProductRows * p.b.rows), -1.0F);
  const OnGpu sums(result);
  if (contract::Outcome o = sums.outcome(); !o.ok()) return o;
  PipelineArguments arguments{.a = {},
                              .b = {},
                              .steps = static_cast<int>((p.a.row_bytes + kRowBytes - 1) / kRowBytes),
                              .columns = static_cast<int>(p.b.rows),
                              .sums = sums.data()};
  if (contract::Outcome o = map_array(arguments.a, p.a, a_memory, kProductRows, kRowBytes); !o.ok()) return o;
  if (contract::Outcome o = map_array(arguments.b, p.b, b_memory, kPipelineColumns, kRowBytes); !o.ok()) return o;
  const auto blocks = static_cast<unsigned>(p.b.rows / kPipelineColumns);
  if (contract::Outcome o = launch(run_pipeline, blocks, kPipelineThreads, kSharedBytes<PipelineShared>, arguments);
      !o.ok())
    return o;
  return sums.read(result);
}

}  // namespace

#ifdef QFUSE_PORTABLE
const HopperSteps kPortableHopperSteps = {"portable", kMostColumns, load, multiply, multiply_int8, run};
#else
const HopperSteps kPtxHopperSteps = {"ptx", kMostColumns, load, multiply, multiply_int8, run};

bool is_hopper() {
  int major = 0;
  return cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0) == cudaSuccess && major == 9;
}
#endif

}  // namespace qfuse::tests
