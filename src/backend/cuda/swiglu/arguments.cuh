// Arguments of the swiglu kernels, and the bounds that they are compiled for.
#ifndef QFUSE_BACKEND_CUDA_SWIGLU_ARGUMENTS_CUH
#define QFUSE_BACKEND_CUDA_SWIGLU_ARGUMENTS_CUH

#include <cstdint>
#include <limits>

#include "backend/cuda/swiglu/plan.h"
#include "format/group_rules.h"

namespace qfuse::cuda::swiglu {

constexpr int kRowChunks = kTile / kChunk;  // threads that share a row
constexpr int kPairs = kChunk / 2;          // words per chunk, each with two bf16 values
constexpr int kHardwareWarp = 64;           // upper bound, in threads; all threads of a warp take part in exchanges
constexpr int kWarpRows = kHardwareWarp / kRowChunks;

// ---- kernel arguments ----

struct QuantizedArrays {
  std::int8_t* q;
  void* s;
};

struct Arguments {
  std::int64_t m;
  std::int64_t h;
  std::int64_t x_stride;       // elements
  std::int64_t grad_y_stride;  // elements
  int channel_tiles;
  std::uint32_t per_channel_tiles;  // (2^32 - 1) / channel_tiles, rounded down
  unsigned outputs;                 // OutputBits that this launch writes
  bool wide_t;
  const std::uint8_t* x;
  const std::uint8_t* grad_y;
  QuantizedArrays grad_input;
  QuantizedArrays y;
  QuantizedArrays y_t;
  QuantizedArrays grad_input_t;
  format::GroupRules rules;
  format::ScaleStrides row_scales;
  format::ScaleStrides y_scales;
  format::ColumnPlace y_place;  // without experts
  format::ColumnPlace gradient_place;
  format::ColumnLayout columns;  // with experts
  const void* expert_ends;
  bool ends_are_64;  // whether expert_ends is int64
  int experts;
  int most_column_tiles;  // that the arrays have room for
  const float* weights;   // NULL: all are 1
  float* grad_weights;    // [m]
  float* parts_of_sums;   // [h/128, m]: partial sums of grad_weights; NULL: not requested
  float limit;            // infinity: no limit
  float alpha;
  float up_offset;
  bool exponents_are_bf16;  // the sigmoid's argument is a bf16 value for all gates
  bool scales_wait;         // scales are buffered in shared memory
  // Bytes from a thread's row to its next one.
  std::int64_t x_step;
  std::int64_t grad_y_step;
  std::int64_t gradients_step;
  std::int64_t gradient_scales_step;
  std::int64_t y_step;
  std::int64_t y_scales_step;
};

// The tile of a thread block.
struct Tile {
  std::int64_t token;    // the first one
  std::int64_t channel;  // the first one
  int tokens;            // that exist: 128, or fewer in the last tile
};

// Product for an address. In a staged kernel each factor has at most 32 bits, which kMostStagedStride ensures. That
// matters: an instruction before a block's first loads or after its last ones runs once, but costs the block about ten
// cycles.
template <bool kStaged>
__device__ std::int64_t product(std::int64_t a, std::int64_t b) {
  if constexpr (!kStaged) return a * b;
  return static_cast<std::int64_t>(std::uint64_t{static_cast<std::uint32_t>(a)} * static_cast<std::uint32_t>(b));
}

// Where a thread's part of a row is in the inputs, and in OutputPlace in the outputs. Both advance row by row, because
// products of a row's number with a stride would be an eighth of all instructions.
struct InputPlace {
  const std::uint8_t* x;
  const std::uint8_t* grad_y;
};

// Address of a scale, and the number of bytes after it, up to the end of its word, that belong to no group.
struct ScalePlace {
  std::uint8_t* address;
  int empty;
};

struct OutputPlace {  // of the gradients or of y
  std::int8_t* q;
  ScalePlace scale;
};

// A thread's part of a row: pairs of bf16.
struct Inputs {
  std::uint32_t gate[kPairs];
  std::uint32_t up[kPairs];
  std::uint32_t grad_y[kPairs];
};

struct Outputs {
  std::uint32_t d_gate[kPairs];
  std::uint32_t d_up[kPairs];
  std::uint32_t y[kPairs];
};

inline Arguments arguments_of(const contract::Swiglu& p, const Plan& plan, unsigned outputs) {
  constexpr std::int64_t kMost32 = std::numeric_limits<std::uint32_t>::max();
  const int row_step = plan.threads / kRowChunks;
  const auto step = [&](std::int64_t stride, unsigned size = 1) {  // modulo 2^64: a single row may have any stride
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(stride) * size * static_cast<unsigned>(row_step));
  };
  const bool scales_wait = plan.kernel.staged && p.format.scale_layout == QFUSE_SCALES_MN_MAJOR;
  const auto scale_step = [&](const format::ScaleStrides& strides) {
    return step(scales_wait ? 1 : strides.row, static_cast<unsigned>(format::scale_size(contract::group_rules(p))));
  };
  return {.m = p.m,
          .h = p.h,
          .x_stride = contract::x_stride(p),
          .grad_y_stride = contract::grad_y_stride(p),
          .channel_tiles = static_cast<int>(p.h / kTile),
          .per_channel_tiles = static_cast<std::uint32_t>(kMost32 / (p.h / kTile)),
          .outputs = outputs,
          .wide_t = plan.wide_t,
          .x = static_cast<const std::uint8_t*>(p.x),
          .grad_y = static_cast<const std::uint8_t*>(p.grad_y),
          .grad_input = {contract::payload(p.grad_input), p.grad_input.s},
          .y = {contract::payload(p.y), p.y.s},
          .y_t = {contract::payload(p.y_t), p.y_t.s},
          .grad_input_t = {contract::payload(p.grad_input_t), p.grad_input_t.s},
          .rules = contract::group_rules(p),
          .row_scales = contract::row_scale_strides(p),
          .y_scales = contract::y_scale_strides(p),
          .y_place = format::place_columns(contract::column_layout(p), p.h, 0, p.m),
          .gradient_place = format::place_columns(contract::column_layout(p), 2 * p.h, 0, p.m),
          .columns = contract::column_layout(p),
          .expert_ends = p.experts.ends,
          .ends_are_64 = p.experts.ends_type == QFUSE_INDEX_INT64,
          .experts = static_cast<int>(p.experts.count),
          .most_column_tiles = static_cast<int>(contract::all_columns(p) / kTile),
          .weights = p.weights,
          .grad_weights = p.grad_weights,
          .parts_of_sums = contract::wants_grad_weights(p) ? static_cast<float*>(p.workspace) : nullptr,
          .limit = contract::limit(p),
          .alpha = contract::alpha(p),
          .up_offset = p.up_offset,
          .exponents_are_bf16 = contract::alpha(p) == 1 && contract::limit_is_bfloat16(p),
          .scales_wait = scales_wait,
          .x_step = step(contract::x_stride(p), 2),
          .grad_y_step = step(contract::grad_y_stride(p), 2),
          .gradients_step = step(p.h, 2),
          .gradient_scales_step = scale_step(contract::row_scale_strides(p)),
          .y_step = step(p.h),
          .y_scales_step = scale_step(contract::y_scale_strides(p))};
}

// ---- what a kernel is compiled for ----

// Bounds of a forward kernel. They leave 48 registers, which is enough, so that five blocks of 256 threads or two of
// 512 fit. Turing has no room for so many threads, and on Blackwell experts need more registers.
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ < 800 || __CUDA_ARCH__ >= 1000)
constexpr int kMostForwardThreads = kThreads;
#else
constexpr int kMostForwardThreads = 640;
#endif
// If a multiprocessor's 100 KiB of shared memory fit only one block with the three planes of a backward, that block may
// use all registers; with experts and router weights it needs more than two blocks could have.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1200
constexpr int kWeightedBackwardBlocks = 1;
#else
constexpr int kWeightedBackwardBlocks = kThreadsPerMultiprocessor / kThreads;
#endif

// Threads per block, and blocks per multiprocessor. Other activations and formats take more registers.
template <bool kBackward, Format kFormat, Extras kExtras, bool kStaged>
struct Bounds {
  static constexpr bool kIsAny = kExtras == Extras::any || kFormat == Format::any;
  static constexpr int kMostThreads = kStaged               ? staged_threads(kBackward)
                                      : kBackward || kIsAny ? kThreads
                                                            : kMostForwardThreads;
  static constexpr int kBlocks = kIsAny && !kStaged ? 1
                                 : kBackward && kExtras == Extras::weights
                                     ? kWeightedBackwardBlocks
                                     : kThreadsPerMultiprocessor / (kStaged ? kMostThreads : kThreads);
};

}  // namespace qfuse::cuda::swiglu

#endif  // QFUSE_BACKEND_CUDA_SWIGLU_ARGUMENTS_CUH
