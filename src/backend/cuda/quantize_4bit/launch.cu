// in:     in [n] fp32, fp16 or bf16; 16-byte loads if in is aligned to 16 bytes and packed to 8; otherwise any address;
//         importance [cols] fp32 or none; kept absmax, plain or nested, or none
// out:    packed [ceil(n/2)] u8, absmax [blocks] fp32; if nested also absmax_8bit [blocks] u8, nested_absmax, offset
// math:   absmax = max |x|; code = rank(ftz(x * ftz(1/absmax)));
//         nested: the same of absmax - offset, in the 8-bit code;
//         importance: absmax becomes absmax * f, where f has the least sum of importance * (decoded - x)^2;
//         kept: absmax = ftz(kept absmax); MXFP4: code = e2m1(x * 1/scale)
// cost:   2n or 4n bytes read, n/2 + 4n/blocksize written: bound by device memory bandwidth;
//         importance: six more ranks, values and sums per element
// oracle: reference/quantize_4bit.cpp
#include <type_traits>

#include "backend/cuda/device/encode_4bit.cuh"
#include "backend/cuda/device/launch.cuh"
#include "backend/cuda/device/memory.cuh"
#include "backend/cuda/device/rounding.cuh"
#include "backend/cuda/device/sum.cuh"
#include "backend/cuda/device/weight_4bit.cuh"
#include "backend/cuda/kernels.h"
#include "backend/cuda/quantize_4bit/plan.h"
#include "format/block_codes.h"
#include "format/codebook4.h"
#include "format/layout.h"
#include "format/mean.h"
#include "format/scale_search.h"

namespace qfuse::cuda::quantize_4bit {
namespace {

// ---- kernel arguments ----

struct Arguments {
  std::int64_t n;
  int block_shift;  // log2 of the elements per block
  qfuse_reciprocal reciprocal;
  const void* in;
  std::uint8_t* packed;
  float* absmax;
  Bins bins;
};

// What the search for scales needs besides.
struct SearchArguments : Arguments {
  const float* importance;
  std::int64_t cols;
  float values[format::kCodes4];  // by rank
};

// The same of kept absmax.
struct KeptArguments : Arguments {
  Weight4bit kept;
  bool is_nested;
};

// ---- steps ----

// The bits of kEncodeGroup elements, as 32-bit words; if only `left` elements exist, the others are zeros.
template <class In>
struct Group {
  static constexpr int kWords = kEncodeGroup * static_cast<int>(sizeof(In)) / 4;
  std::uint32_t words[kWords];
};

template <class In, bool kWide>
__device__ Group<In> load_group(const In* in, int left) {
  Group<In> group = {};
  if (kWide && left >= kEncodeGroup) {
#pragma unroll
    for (int v = 0; v < Group<In>::kWords / 4; ++v)
      unpack(load_once(reinterpret_cast<const uint4*>(in) + v), group.words + 4 * v);
    return group;
  }
#pragma unroll
  for (int e = 0; e < kEncodeGroup; ++e)
    if (e < left) insert(group.words, e, load<kWide>(in + e));
  return group;
}

// Encodes eight elements into four bytes: a byte's high nibble is its first element, and the first byte is the lowest.
// kAny: scaled elements may have any size.
template <class In, bool kSigned, bool kAny>
__device__ std::uint32_t encode_word(const Group<In>& group, int first, const Bins& bins, float scale) {
  std::uint32_t ranks = 0;
#pragma unroll
  for (int byte = 3; byte >= 0; --byte)
#pragma unroll
    for (int e = 2 * byte; e < 2 * byte + 2; ++e) {
      const float scaled = mul_ftz(widen<In>(group.words, first + e), scale);
      ranks = append_rank<kSigned>(ranks, bins, kAny ? within_codes(scaled) : scaled);
    }
  return codes_of_ranks<kSigned>(ranks);
}

template <bool kWide>
__device__ void store_codes(std::uint8_t* packed, int left, const std::uint32_t (&codes)[kEncodeGroup / 8]) {
  if (kWide && left >= kEncodeGroup) {
    *reinterpret_cast<uint2*>(packed) = {codes[0], codes[1]};
    return;
  }
#pragma unroll
  for (int j = 0; j < kEncodeGroup / 2; ++j)
    if (2 * j < left) packed[j] = static_cast<std::uint8_t>(codes[j / 4] >> (8 * (j % 4)));
}

// ---- the search for a scale, in the order of format/scale_search.h ----

static_assert(format::kErrorGroup == kEncodeGroup);

// A thread's elements and their importance, which is zero after the last.
template <class In>
struct Weighted {
  Group<In> group;
  float importance[kEncodeGroup];
};

// What the threads of a block share.
struct Search {
  const Bins& bins;
  const float* values;  // by rank
  float (&of_warps)[kEncodeThreads / kWarp];
  int lanes;  // threads that share a scale
  qfuse_reciprocal reciprocal;
};

template <bool kWide>
__device__ void load_importance(const SearchArguments& a, std::int64_t first, int left,
                                float (&importance)[kEncodeGroup]) {
  std::int64_t col = first % a.cols;
#pragma unroll
  for (int e = 0; e < kEncodeGroup; ++e) {
    importance[e] = e < left ? load<kWide>(a.importance + col) : 0.0F;
    if (++col == a.cols) col = 0;
  }
}

// The value of the code of v.
template <bool kSigned>
__device__ float nearest_value(const Bins& bins, const float* values, float v) {
  const float number = kSigned ? fabsf(v) : v;
  const unsigned offset = bin_offset(number);
  const int rank = at_offset(bins.rank, offset) + (number > at_offset(bins.threshold, offset) ? 1 : 0);
  return kSigned && v < 0 ? -values[rank] : values[rank];
}

// Recursive, so that the terms stay in registers.
template <int kTerms>
__device__ float folded(float (&terms)[kEncodeGroup]) {
  constexpr int kHalf = kTerms / 2;
#pragma unroll
  for (int e = 0; e < kHalf; ++e) terms[e] += terms[e + kHalf];
  if constexpr (kHalf > 1) return folded<kHalf>(terms);
  return terms[0];
}

// Returns the sum over neighboring threads, in pairs. All threads of the block must call this together.
template <int kThreads>
__device__ float sum_of_lanes(float sum, int lanes, float (&of_warps)[kThreads / kWarp]) {
  for (int step = 1; step < lanes && step < kWarp; step *= 2) sum += exchange(sum, step);
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  for (int step = kWarp; step < lanes; step *= 2) {
    __syncthreads();  // until the previous values have been read
    if (threadIdx.x % kWarp == 0) of_warps[warp] = sum;
    __syncthreads();
    sum += of_warps[warp ^ (step / kWarp)];
  }
  return sum;
}

// Returns the error of a block if `scale` is stored in place of absmax.
template <class In, bool kSigned>
__device__ float error_of(const Weighted<In>& of, const Search& search, float scale) {
  const float factor = reciprocal(scale, search.reciprocal);
  float terms[kEncodeGroup];
#pragma unroll
  for (int e = 0; e < kEncodeGroup; ++e) {
    const float x = widen<In>(of.group.words, e);
    const float error = nearest_value<kSigned>(search.bins, search.values, x * factor) * scale - x;
    terms[e] = x == x ? of.importance[e] * (error * error) : 0.0F;
  }
  return sum_of_lanes<kEncodeThreads>(folded<kEncodeGroup>(terms), search.lanes, search.of_warps);
}

// Returns the scale of a block. All threads of the thread block must call this together.
template <class In, bool kSigned>
__device__ float search_scale(const Weighted<In>& of, const Search& search, float absmax) {
  float best = absmax;
  float least = __uint_as_float(format::kInfBits);
  for (int i = 0; i < format::kScaleFactors; ++i) {
    const float scale = absmax * format::scale_factor(i);
    const float error = error_of<In, kSigned>(of, search, scale);
    if (!(error < least)) continue;
    best = scale;
    least = error;
  }
  return format::is_searched(absmax) ? best : absmax;
}

// ---- kernel: absmax and codes ----

template <class In, bool kSigned, bool kWide, class Args>
__global__ void __launch_bounds__(kEncodeThreads) encode(const __grid_constant__ Args a) {
  constexpr int kTile = kEncodeThreads * kEncodeGroup;
  constexpr bool kKeeps = std::is_same_v<Args, KeptArguments>;
  __shared__ Bins bins;
  __shared__ float of_warps[kEncodeThreads / kWarp];
  const std::int64_t tile = static_cast<std::int64_t>(blockIdx.x) * kTile;
  const int count = static_cast<int>(a.n - tile < kTile ? a.n - tile : kTile);
  const int at = static_cast<int>(threadIdx.x) * kEncodeGroup;
  const Group<In> group = load_group<In, kWide>(static_cast<const In*>(a.in) + tile + at, count - at);
  load_bins(a.bins, bins);  // while the group is being loaded
  // A short block is padded with zeros, as bitsandbytes pads it.
  float most = kNoNumber;
#pragma unroll
  for (int e = 0; e < kEncodeGroup; ++e) most = larger(most, widen<In>(group.words, e));
  const int lanes = 1 << (a.block_shift - kEncodeGroupShift);
  if constexpr (!kKeeps) most = largest_of<kEncodeThreads>(most, lanes, of_warps);
  if constexpr (std::is_same_v<Args, SearchArguments>) {
    __shared__ float values[format::kCodes4];
    if (threadIdx.x < format::kCodes4) values[threadIdx.x] = a.values[threadIdx.x];
    __syncthreads();
    Weighted<In> of{group, {}};
    load_importance<kWide>(a, tile + at, count - at, of.importance);
    most = search_scale<In, kSigned>(of, {bins, values, of_warps, lanes, a.reciprocal}, most);
  }
  if (at >= count) return;
  const std::int64_t block = (tile >> a.block_shift) + (at >> a.block_shift);
  if constexpr (kKeeps)  // the reciprocal reads a subnormal one as zero
    most = load_decoded_absmax<kWide>(a.kept, a.is_nested, block);
  else if ((at & ((1 << a.block_shift) - 1)) == 0)
    store<kWide>(a.absmax + block, most);
  const float scale = reciprocal(most, a.reciprocal);
  const std::uint32_t codes[kEncodeGroup / 8] = {encode_word<In, kSigned, kKeeps>(group, 0, bins, scale),
                                                 encode_word<In, kSigned, kKeeps>(group, 8, bins, scale)};
  store_codes<kWide>(a.packed + (tile + at) / 2, count - at, codes);
}

// ---- kernel: MXFP4 ----

struct MxArguments {
  std::int64_t n;
  const void* in;
  std::uint8_t* packed;
  std::uint8_t* scales;
  const std::uint8_t* kept;  // null: scales are new
  bool is_nearest;
  Bins bins;
};

template <class In, bool kWide>
__global__ void __launch_bounds__(kEncodeThreads) encode_mx(const __grid_constant__ MxArguments a) {
  const std::int64_t at = (static_cast<std::int64_t>(blockIdx.x) * kEncodeThreads + threadIdx.x) * kEncodeGroup;
  __shared__ Bins bins;
  const int left = at < a.n ? kEncodeGroup : 0;  // a block is two groups
  const Group<In> group = load_group<In, kWide>(static_cast<const In*>(a.in) + at, left);
  load_bins(a.bins, bins);  // while the group is being loaded
  std::uint32_t most = 0;
#pragma unroll
  for (int e = 0; e < kEncodeGroup; ++e) most = larger_magnitude(most, widen<In>(group.words, e));
  most = larger_magnitude(most, __uint_as_float(exchange(most, 1)));
  if (left == 0) return;
  const std::int64_t block = at / format::kMinBlocksize;
  const std::uint8_t exponent = a.kept != nullptr ? a.kept[block] : format::mx_exponent(a.is_nearest, most);
  if (a.kept == nullptr && at % format::kMinBlocksize == 0) a.scales[block] = exponent;
  const float factor = format::mx_factor(a.is_nearest, exponent);
  std::uint32_t codes[kEncodeGroup / 8] = {};
#pragma unroll
  for (int e = kEncodeGroup - 1; e >= 0; --e)
    codes[e / 8] = append_e2m1(codes[e / 8], bins, a.is_nearest, __fmul_rn(widen<In>(group.words, e), factor));
  store_codes<kWide>(a.packed + at / 2, left, codes);
}

template <class In>
contract::Outcome enqueue_mx(const contract::Quantize4bit& p, const Plan& plan, const qfuse_exec& exec) {
  const MxArguments a{.n = contract::element_count(p.weight),
                      .in = p.in,
                      .packed = p.weight.packed,
                      .scales = p.weight.scales,
                      .kept = static_cast<const std::uint8_t*>(p.kept.scales),
                      .is_nearest = p.weight.mx_scales == QFUSE_MX_NEAREST,
                      .bins = p.weight.mx_scales == QFUSE_MX_NEAREST ? kE2m1NearestBins : kE2m1UpBins};
  return launch(plan.wide ? encode_mx<In, true> : encode_mx<In, false>,
                {.blocks = plan.blocks, .threads = plan.threads}, a, exec);
}

// ---- kernels: the mean of absmax, in the order of format/mean.h ----

struct MeanArguments {
  const float* values;
  std::int64_t count;
  Sum* sums;  // [chunks]: of all chunks but the last
  float* mean;
};

constexpr int kMeanThreads = format::kMeanLanes;

__device__ Sum sum_chunk(const MeanArguments& a, std::int64_t chunk, Sum (&lanes)[kMeanThreads]) {
  const std::int64_t begin = chunk * format::kMeanChunk;
  Sum sum = sum_of(0.0F);
  for (std::int64_t i = begin + threadIdx.x; i < begin + format::kMeanChunk && i < a.count; i += kMeanThreads)
    sum = plus(sum, sum_of(load<false>(a.values + i)));
  lanes[threadIdx.x] = sum;
  for (int half = kMeanThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (static_cast<int>(threadIdx.x) < half) lanes[threadIdx.x] = plus(lanes[threadIdx.x], lanes[threadIdx.x + half]);
  }
  __syncthreads();
  return lanes[0];
}

__global__ void __launch_bounds__(kMeanThreads) sum_chunks(const __grid_constant__ MeanArguments a) {
  __shared__ Sum lanes[kMeanThreads];
  const Sum sum = sum_chunk(a, blockIdx.x, lanes);
  if (threadIdx.x == 0) store<false>(a.sums + blockIdx.x, sum);
}

__global__ void __launch_bounds__(kMeanThreads) finish_mean(const __grid_constant__ MeanArguments a) {
  __shared__ Sum sums[kMeanThreads];
  const std::int64_t last = (a.count - 1) / format::kMeanChunk;
  Sum total = sum_of(0.0F);
  for (std::int64_t chunk = 0; chunk < last; chunk += kMeanThreads) {
    __syncthreads();
    if (chunk + threadIdx.x < last) sums[threadIdx.x] = load<false>(a.sums + chunk + threadIdx.x);
    __syncthreads();
    for (int i = 0; i < kMeanThreads && chunk + i < last; ++i) total = plus(total, sums[i]);
  }
  __syncthreads();
  total = plus(total, sum_chunk(a, last, sums));
  if (threadIdx.x == 0) store<false>(a.mean, mean_of(total, a.count));
}

contract::Outcome enqueue_mean(const contract::Quantize4bit& p, const Plan& plan, const qfuse_exec& exec) {
  const MeanArguments a{contract::absmax(p), contract::block_count(p.weight), static_cast<Sum*>(p.workspace),
                        p.weight.nested_offset};
  if (plan.chunks > 0)
    if (contract::Outcome o = launch(sum_chunks, {.blocks = plan.chunks, .threads = kMeanThreads}, a, exec); !o.ok())
      return o;
  return launch(finish_mean, {.blocks = 1, .threads = kMeanThreads}, a, exec);
}

// ---- the order of the launches ----

contract::Outcome enqueue_nested(const contract::Quantize4bit& p, const Plan& plan, const qfuse_exec& exec) {
  const bool given = p.given_offset != nullptr;
  if (!given)
    if (contract::Outcome o = enqueue_mean(p, plan, exec); !o.ok()) return o;
  const float* const offset_at = given ? p.given_offset : p.weight.nested_offset;
  return quantize_absmax(contract::nested_step(p, 0.0F), offset_at, given ? p.weight.nested_offset : nullptr,
                         p.weight.nested_quant_map, exec);
}

template <class In, class Args>
contract::Outcome launch_encode(const format::Codebook4& codebook, const Plan& plan, const Args& a,
                                const qfuse_exec& exec) {
  const LaunchShape shape = {.blocks = plan.blocks, .threads = plan.threads};
  if (codebook.signed_magnitude)
    return launch(plan.wide ? encode<In, true, true, Args> : encode<In, true, false, Args>, shape, a, exec);
  return launch(plan.wide ? encode<In, false, true, Args> : encode<In, false, false, Args>, shape, a, exec);
}

template <class In>
contract::Outcome enqueue_encode(const contract::Quantize4bit& p, const Plan& plan, const qfuse_exec& exec) {
  if (contract::has_scales_of_rows(p.weight)) return enqueue_mx<In>(p, plan, exec);
  const format::Codebook4& codebook = format::codebook4(p.weight.quant_type);
  const Arguments a{.n = contract::element_count(p.weight),
                    .block_shift = log2(p.weight.blocksize),
                    .reciprocal = p.reciprocal,
                    .in = p.in,
                    .packed = p.weight.packed,
                    .absmax = contract::absmax(p),
                    .bins = codebook.signed_magnitude ? kFp4Bins : kNf4Bins};
  if (contract::has_kept(p))
    return launch_encode<In>(codebook, plan, KeptArguments{a, device_view(p.kept), contract::is_nested(p.kept)}, exec);
  if (p.importance == nullptr) return launch_encode<In>(codebook, plan, a, exec);
  SearchArguments search{a, p.importance, p.weight.cols, {}};
  for (std::size_t rank = 0; rank < format::kCodes4; ++rank)
    search.values[rank] = codebook.values[codebook.code_of_rank[rank]];
  return launch_encode<In>(codebook, plan, search, exec);
}

contract::Outcome enqueue_encode(const contract::Quantize4bit& p, const Plan& plan, const qfuse_exec& exec) {
  switch (p.in_dtype) {
    case QFUSE_FLOAT32: return enqueue_encode<float>(p, plan, exec);
    case QFUSE_FLOAT16: return enqueue_encode<Half>(p, plan, exec);
    case QFUSE_BFLOAT16: return enqueue_encode<Bfloat16>(p, plan, exec);
  }
  return {};
}

}  // namespace

}  // namespace qfuse::cuda::quantize_4bit

namespace qfuse::cuda {

contract::Outcome nest_absmax(const contract::Quantize4bit& p, const qfuse_exec& exec) {
  return quantize_4bit::enqueue_nested(p, quantize_4bit::plan(p), exec);
}

contract::Outcome ops::quantize_4bit(const contract::Quantize4bit& p, const qfuse_exec& exec) {
  using namespace cuda::quantize_4bit;
  if (contract::Outcome o = check_reciprocal(p.reciprocal); !o.ok()) return o;
  Plan how = plan(p);
  if (contract::Outcome o = contract::settle("cuda", how, [&] { return candidates(p); }); !o.ok()) return o;
  if (contract::Outcome o = enqueue_encode(p, how, exec); !o.ok()) return o;
  return contract::nests_absmax(p) ? enqueue_nested(p, how, exec) : contract::Outcome{};
}

}  // namespace qfuse::cuda
