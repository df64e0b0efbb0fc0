// in:     x [m, 2h] bf16 (gate, up), grad_y [m, h] bf16; contiguous rows, m and h multiples of 128, aligned to 16;
//         weights [m] fp32
// out:    i8 payloads, fp32 scales: grad_input.q [m, 2h], grad_input.s [m, 2h/128]; y.q [m, h], y.s [m, h/128];
//         y_t.q [h, m], y_t.s [h, m/128]; grad_input_t.q [2h, m], grad_input_t.s [2h, m/128]; grad_weights [m] fp32
// math:   the checker: the formulas in qfuse.h line by line, with CUDA's explicitly rounded intrinsics; the roof: none
// cost:   the checker: irrelevant; the roof: reads 4 or 6 bytes an element, writes 2, 3 or 5
// oracle: the eager PyTorch in python/benchmarks/, with which this checker and the library are compared on a GPU
#include "gpu/swiglu_kernels.h"

#include <cuda_bf16.h>
#include <cuda_fp8.h>

#include <stdexcept>

#include "format/layout.h"
#include "gpu/device.h"

namespace qfuse::bench {
namespace {

// ---- policy ----

constexpr int kThreads = 256;  // of the kernels that are not timed
constexpr int kGroup = format::kGroupSize;
constexpr int kVector = 16;   // elements whose payload fills 16 bytes
constexpr int kXVectors = 4;  // vectors of x per vector of y's payload
constexpr int kGradVectors = 2;

__device__ std::int64_t thread_index() { return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; }

unsigned blocks_for(std::int64_t threads) { return static_cast<unsigned>(format::ceil_div(threads, kThreads)); }

// ---- inputs ----

// Mixes the bits of a counter (Steele, Lea, Flood: SplitMix64).
__device__ std::uint64_t mix(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

// Fills with normal numbers: the Box-Muller transform of two uniform numbers.
__global__ void __launch_bounds__(kThreads) normal(__nv_bfloat16* to, std::int64_t count, std::uint32_t seed) {
  const std::int64_t i = thread_index();
  if (i >= count) return;
  const std::uint64_t bits = mix(static_cast<std::uint64_t>(i) + (static_cast<std::uint64_t>(seed) << 40));
  const float first = (static_cast<float>(bits >> 40) + 1.0F) * 0x1p-24F;  // greater than 0
  const float second = static_cast<float>(bits & 0xffffffU) * 0x1p-24F;
  to[i] = __float2bfloat16_rn(sqrtf(-2.0F * logf(first)) * cospif(2.0F * second));
}

__global__ void __launch_bounds__(kThreads) uniform(float* to, std::int64_t count, std::uint32_t seed) {
  const std::int64_t i = thread_index();
  if (i >= count) return;
  const std::uint64_t bits = mix(static_cast<std::uint64_t>(i) + (static_cast<std::uint64_t>(seed) << 40));
  to[i] = static_cast<float>(bits >> 40) * 0x1p-24F;
}

// ---- the checker ----

struct Element {
  float d_gate;
  float d_up;
  float y;
  float product;  // grad_y times y without the router weight
};

// Computes the values that are quantized, rounded to bf16 and widened to fp32, and the product.
__device__ Element check_element(const contract::Swiglu& p, std::int64_t token, std::int64_t channel) {
  const auto* const x = static_cast<const __nv_bfloat16*>(p.x) + token * 2 * p.h + channel;
  const float g = __bfloat162float(x[0]);
  const float u = __bfloat162float(x[p.h]);
  const auto* const grad_y = static_cast<const __nv_bfloat16*>(p.grad_y);
  const float given = grad_y != nullptr ? __bfloat162float(grad_y[token * p.h + channel]) : 0.0F;
  const float weight = p.weights != nullptr ? p.weights[token] : 1.0F;
  const float dy = __fmul_rn(given, weight);
  const float s = __frcp_rn(__fadd_rn(1.0F, expf(-g)));
  const float silu = __fmul_rn(g, s);
  const float activation = __fmul_rn(silu, u);
  const float y = __fmul_rn(activation, weight);
  const float d_up = __fmul_rn(dy, silu);
  const float slope = __fadd_rn(1.0F, __fmul_rn(g, __fsub_rn(1.0F, s)));
  const float d_gate = __fmul_rn(__fmul_rn(__fmul_rn(dy, u), s), slope);
  return {__bfloat162float(__float2bfloat16_rn(d_gate)), __bfloat162float(__float2bfloat16_rn(d_up)),
          __bfloat162float(__float2bfloat16_rn(y)), __fmul_rn(given, activation)};
}

// The stored scale, and the number that values are divided by (torchao's format: multiplied with).
struct CheckedScale {
  float stored;
  float of_values;
};

// Smallest power of two that is large enough. The loops correct the first guess.
__device__ float check_power_of_two(float absmax) {
  const double most = fmaxf(absmax, 1e-4F);
  double scale = exp2(floor(log2(most / 448.0)));
  while (448.0 * scale < most) scale *= 2.0;
  while (448.0 * (scale / 2.0) >= most) scale /= 2.0;
  return static_cast<float>(scale);
}

__device__ CheckedScale check_scale(const contract::Swiglu& p, float absmax) {
  if (p.format.scale_rule == QFUSE_SCALES_TORCHAO) {
    const float factor = __fdiv_rn(448.0F, fmaxf(absmax, p.format.amax_floor));
    return {__fdiv_rn(1.0F, factor), factor};
  }
  const float scale = p.format.payload_type == QFUSE_INT8 ? fmaxf(__fmul_rn(absmax, 1.0F / 127.0F), 1e-10F)
                                                          : check_power_of_two(absmax);
  return {scale, scale};
}

__device__ std::int8_t check_quotient(const contract::Swiglu& p, float z, CheckedScale scale) {
  const float quotient =
      p.format.scale_rule == QFUSE_SCALES_TORCHAO ? __fmul_rn(z, scale.of_values) : __fdiv_rn(z, scale.of_values);
  if (p.format.payload_type == QFUSE_E4M3)
    return static_cast<std::int8_t>(__nv_cvt_float_to_fp8(quotient, __NV_SATFINITE, __NV_E4M3));
  return static_cast<std::int8_t>(static_cast<int>(fminf(fmaxf(quotient, -127.0F), 127.0F)));  // truncates
}

// Index of the scale of a row's group, for the given numbers of rows and groups.
__device__ std::int64_t check_scale_at(const contract::Swiglu& p, std::int64_t row, std::int64_t rows,
                                       std::int64_t group, std::int64_t groups) {
  return p.format.scale_layout == QFUSE_SCALES_MN_MAJOR ? group * rows + row : row * groups + group;
}

// A thread checks two groups: d_gate and d_up of the same 128 channels of a token.
__global__ void __launch_bounds__(kThreads) check_gradients(const contract::Swiglu p) {
  const std::int64_t groups = p.h / kGroup;
  const std::int64_t token = thread_index() / groups;
  if (token >= p.m) return;
  const std::int64_t group = thread_index() % groups;
  float gate_absmax = 0.0F;
  float up_absmax = 0.0F;
  for (int i = 0; i < kGroup; ++i) {
    const Element e = check_element(p, token, group * kGroup + i);
    gate_absmax = fmaxf(gate_absmax, fabsf(e.d_gate));
    up_absmax = fmaxf(up_absmax, fabsf(e.d_up));
  }
  const CheckedScale gate_scale = check_scale(p, gate_absmax);
  const CheckedScale up_scale = check_scale(p, up_absmax);
  auto* const scales = static_cast<float*>(p.grad_input.s);
  scales[check_scale_at(p, token, p.m, group, 2 * groups)] = gate_scale.stored;
  scales[check_scale_at(p, token, p.m, groups + group, 2 * groups)] = up_scale.stored;
  for (int i = 0; i < kGroup; ++i) {
    const Element e = check_element(p, token, group * kGroup + i);
    std::int8_t* const q = static_cast<std::int8_t*>(p.grad_input.q) + token * 2 * p.h + group * kGroup + i;
    q[0] = check_quotient(p, e.d_gate, gate_scale);
    q[p.h] = check_quotient(p, e.d_up, up_scale);
  }
}

// A thread checks one group.
__global__ void __launch_bounds__(kThreads) check_rows_of_y(const contract::Swiglu p) {
  const std::int64_t groups = p.h / kGroup;
  const std::int64_t token = thread_index() / groups;
  if (token >= p.m) return;
  const std::int64_t first = thread_index() % groups * kGroup;
  float absmax = 0.0F;
  for (int i = 0; i < kGroup; ++i) absmax = fmaxf(absmax, fabsf(check_element(p, token, first + i).y));
  const CheckedScale scale = check_scale(p, absmax);
  static_cast<float*>(p.y.s)[check_scale_at(p, token, p.m, first / kGroup, groups)] = scale.stored;
  for (int i = 0; i < kGroup; ++i)
    static_cast<std::int8_t*>(p.y.q)[token * p.h + first + i] =
        check_quotient(p, check_element(p, token, first + i).y, scale);
}

constexpr int kNeighbours = 8;  // channels summed sequentially
constexpr int kSums = kGroup / kNeighbours;

// 16 threads per token. Each sums eight channels of every group.
__global__ void __launch_bounds__(kThreads) check_grad_weights(const contract::Swiglu p) {
  const std::int64_t token = thread_index() / kSums;
  float total = 0.0F;
  for (std::int64_t first = thread_index() % kSums * kNeighbours; first < p.h; first += kGroup) {
    float sum = check_element(p, token, first).product;
    for (int n = 1; n < kNeighbours; ++n) sum = __fadd_rn(sum, check_element(p, token, first + n).product);
    for (int half = kSums / 2; half > 0; half /= 2) sum = __fadd_rn(sum, __shfl_xor_sync(~0U, sum, half));
    total = first < kGroup ? sum : __fadd_rn(total, sum);
  }
  if (thread_index() % kSums == 0) p.grad_weights[token] = total;
}

// The tokens of one expert, or all tokens, and the column groups that hold them.
struct CheckedTokens {
  std::int64_t first;
  std::int64_t count;
  std::int64_t first_group;
  std::int64_t all_groups;
};

enum class Column { y, d_gate, d_up };

__device__ float check_value(const contract::Swiglu& p, Column column, std::int64_t token, std::int64_t channel) {
  const Element e = check_element(p, token, channel);
  if (column == Column::y) return e.y;
  return column == Column::d_gate ? e.d_gate : e.d_up;
}

// A thread checks one group: 128 tokens of a channel, zero-padded. Neighboring threads have neighboring channels.
__global__ void __launch_bounds__(kThreads)
    check_columns(const contract::Swiglu p, const CheckedTokens tokens, Column column) {
  const std::int64_t group = thread_index() / p.h;
  if (group * kGroup >= tokens.count) return;
  const std::int64_t channel = thread_index() % p.h;
  const auto value = [&](int i) {
    const std::int64_t token = group * kGroup + i;
    return token < tokens.count ? check_value(p, column, tokens.first + token, channel) : 0.0F;
  };
  float absmax = 0.0F;
  for (int i = 0; i < kGroup; ++i) absmax = fmaxf(absmax, fabsf(value(i)));
  const CheckedScale scale = check_scale(p, absmax);
  const std::int64_t row = channel + (column == Column::d_up ? p.h : 0);
  const std::int64_t rows = column == Column::y ? p.h : 2 * p.h;
  const bool is_apart = p.experts.ends != nullptr && p.experts.layout == QFUSE_EXPERTS_APART;
  const std::int64_t first = is_apart ? rows * tokens.first_group : 0;  // group of the output
  const std::int64_t groups = is_apart ? format::ceil_div(tokens.count, kGroup) : tokens.all_groups;
  const std::int64_t group_of_row = is_apart ? group : tokens.first_group + group;
  auto* const scales = static_cast<float*>(column == Column::y ? p.y_t.s : p.grad_input_t.s);
  scales[first + check_scale_at(p, row, rows, group_of_row, groups)] = scale.stored;
  auto* const q = static_cast<std::int8_t*>(column == Column::y ? p.y_t.q : p.grad_input_t.q);
  for (int i = 0; i < kGroup; ++i)
    q[(first + row * groups + group_of_row) * kGroup + i] = check_quotient(p, value(i), scale);
}

// ---- the roof ----

// Reads a thread's vectors, `step` apart. Neighboring threads read neighboring vectors, so each access is coalesced.
template <int kVectors, bool kStream>
__device__ std::uint32_t read_vectors(const uint4* from, std::int64_t step) {
  uint4 vectors[kVectors];
#pragma unroll
  for (int i = 0; i < kVectors; ++i) vectors[i] = kStream ? __ldcs(from + i * step) : __ldg(from + i * step);
  std::uint32_t all = 0;
#pragma unroll
  for (int i = 0; i < kVectors; ++i) all ^= vectors[i].x ^ vectors[i].y ^ vectors[i].z ^ vectors[i].w;
  return all;
}

template <int kVectors, bool kStream>
__device__ void write_vectors(uint4* to, std::int64_t step, std::uint32_t word) {
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const uint4 vector = {word, word + 1, word * 3, word ^ static_cast<unsigned>(i)};
    if constexpr (kStream)
      __stcs(to + i * step, vector);
    else
      to[i * step] = vector;
  }
}

// Arrays that move_swiglu moves. A null array is skipped.
struct MovedArrays {
  const uint4* x;
  const uint4* grad_y;
  uint4* gradient;
  uint4* gradient_transposed;
  uint4* y;
  uint4* y_transposed;
};

// Each thread moves kGroups vectors of y's payload and the corresponding vectors of the other arrays.
template <int kGroups, bool kStream>
__global__ void __launch_bounds__(512) move_swiglu(const MovedArrays a) {
  const std::int64_t step = blockDim.x;
  const std::int64_t tile = static_cast<std::int64_t>(blockIdx.x) * step * kGroups;
  const auto first = [tile](int vectors) { return tile * vectors + threadIdx.x; };
  std::uint32_t word = read_vectors<kXVectors * kGroups, kStream>(a.x + first(kXVectors), step);
  if (a.grad_y != nullptr) word += read_vectors<kGradVectors * kGroups, kStream>(a.grad_y + first(kGradVectors), step);
  for (uint4* const gradient : {a.gradient, a.gradient_transposed})
    if (gradient != nullptr) write_vectors<kGradVectors * kGroups, kStream>(gradient + first(kGradVectors), step, word);
  for (uint4* const y : {a.y, a.y_transposed})
    if (y != nullptr) write_vectors<kGroups, kStream>(y + first(1), step, word);
}

using Move = void (*)(MovedArrays);

Move move_for(const RoofTile& tile) {
  if (tile.groups == 1) return tile.stream ? move_swiglu<1, true> : move_swiglu<1, false>;
  if (tile.groups == 2) return tile.stream ? move_swiglu<2, true> : move_swiglu<2, false>;
  if (tile.groups == 4) return tile.stream ? move_swiglu<4, true> : move_swiglu<4, false>;
  throw std::logic_error("a roof has 1, 2 or 4 groups a thread, not " + std::to_string(tile.groups));
}

}  // namespace

void fill_normal(void* to, std::int64_t count, std::uint32_t seed, cudaStream_t stream) {
  normal<<<blocks_for(count), kThreads, 0, stream>>>(static_cast<__nv_bfloat16*>(to), count, seed);
  require(cudaGetLastError(), "filling with normal numbers");
}

void fill_weights(float* to, std::int64_t count, std::uint32_t seed, cudaStream_t stream) {
  uniform<<<blocks_for(count), kThreads, 0, stream>>>(to, count, seed);
  require(cudaGetLastError(), "filling with weights");
}

void check_swiglu(const contract::Swiglu& p, const std::vector<std::int64_t>& ends, cudaStream_t stream) {
  if (p.m % kGroup != 0) throw std::logic_error("the checker takes whole groups of tokens");
  const unsigned blocks_of_rows = blocks_for(p.m * p.h / kGroup);
  if (p.grad_input.q != nullptr) check_gradients<<<blocks_of_rows, kThreads, 0, stream>>>(p);
  if (p.y.q != nullptr) check_rows_of_y<<<blocks_of_rows, kThreads, 0, stream>>>(p);
  if (p.grad_weights != nullptr) check_grad_weights<<<blocks_for(p.m * kSums), kThreads, 0, stream>>>(p);
  require(cudaGetLastError(), "checker of the rows");
  CheckedTokens tokens = {0, 0, 0, contract::all_columns(p) / kGroup};
  for (const std::int64_t end : ends.empty() ? std::vector{p.m} : ends) {
    tokens.first += tokens.count;
    tokens.first_group += format::ceil_div(tokens.count, kGroup);
    tokens.count = end - tokens.first;
    if (tokens.count == 0) continue;
    const unsigned blocks = blocks_for(format::ceil_div(tokens.count, kGroup) * p.h);
    check_columns<<<blocks, kThreads, 0, stream>>>(p, tokens, Column::y);
    if (p.grad_input_t.q == nullptr) continue;
    check_columns<<<blocks, kThreads, 0, stream>>>(p, tokens, Column::d_gate);
    check_columns<<<blocks, kThreads, 0, stream>>>(p, tokens, Column::d_up);
  }
  require(cudaGetLastError(), "checker of the columns");
}

std::int64_t bytes_of_move(const contract::Swiglu& p) {
  int moved = kXVectors;
  if (p.grad_y != nullptr) moved += kGradVectors;
  for (const void* gradient : {p.grad_input.q, p.grad_input_t.q})
    if (gradient != nullptr) moved += kGradVectors;
  for (const void* y : {p.y.q, p.y_t.q})
    if (y != nullptr) ++moved;
  return p.m * p.h / kVector * 16 * moved;
}

void move_as_swiglu(const contract::Swiglu& p, const RoofTile& tile, cudaStream_t stream) {
  const std::int64_t vectors = p.m * p.h / kVector;
  const std::int64_t of_block = std::int64_t{tile.threads} * tile.groups;
  if (vectors % of_block != 0) throw std::logic_error("the roof takes whole tiles");
  move_for(tile)<<<static_cast<unsigned>(vectors / of_block), static_cast<unsigned>(tile.threads), 0, stream>>>(
      {static_cast<const uint4*>(p.x), static_cast<const uint4*>(p.grad_y), static_cast<uint4*>(p.grad_input.q),
       static_cast<uint4*>(p.grad_input_t.q), static_cast<uint4*>(p.y.q), static_cast<uint4*>(p.y_t.q)});
  require(cudaGetLastError(), "roof of swiglu");
}

}  // namespace qfuse::bench
