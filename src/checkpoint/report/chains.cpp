#include "checkpoint/report/chains.h"

#include <algorithm>
#include <array>

#include "format/elements.h"

namespace qfuse::checkpoint {
namespace {

constexpr std::int64_t kColumns = 512;  // columns summed side by side, which the compiler vectorizes

struct Chains {
  const void* in;
  qfuse_dtype in_dtype;
  void* out;
  qfuse_dtype out_dtype;
  std::int64_t rows;
  std::int64_t cols;
  const LoraProduct& product;
};

// The dtypes are template constants, so that loops over elements do not branch on them.
template <qfuse_dtype kIn, qfuse_dtype kOut>
[[gnu::always_inline]] inline void add_stretch(const Chains& to, std::int64_t row, std::int64_t first,
                                               std::int64_t count) {
  std::array<float, kColumns> sums{};
  for (std::int64_t k = 0; k < to.product.rank; ++k) {
    const float b = to.product.b[static_cast<std::size_t>(row * to.product.rank + k)];
    const float* const a = to.product.a.data() + k * to.cols + first;
    for (std::int64_t j = 0; j < count; ++j) sums[j] = __builtin_fmaf(b, a[j], sums[j]);
  }
  const std::int64_t at = row * to.cols + first;
  for (std::int64_t j = 0; j < count; ++j) {
    const float scaled = sums[j] * to.product.scale;
    format::store_rounded(to.out, at + j, kOut, format::load_as_float(to.in, at + j, kIn) + scaled);
  }
}

template <qfuse_dtype kIn, qfuse_dtype kOut>
[[gnu::always_inline]] inline void add_all(const Chains& to) {
  for (std::int64_t row = 0; row < to.rows; ++row)
    for (std::int64_t first = 0; first < to.cols; first += kColumns)
      add_stretch<kIn, kOut>(to, row, first, std::min(kColumns, to.cols - first));
}

template <qfuse_dtype kIn>
[[gnu::always_inline]] inline void add_from(const Chains& to) {
  switch (to.out_dtype) {
    case QFUSE_FLOAT32: return add_all<kIn, QFUSE_FLOAT32>(to);
    case QFUSE_FLOAT16: return add_all<kIn, QFUSE_FLOAT16>(to);
    case QFUSE_BFLOAT16: return add_all<kIn, QFUSE_BFLOAT16>(to);
  }
}

[[gnu::always_inline]] inline void add(const Chains& to) {
  switch (to.in_dtype) {
    case QFUSE_FLOAT32: return add_from<QFUSE_FLOAT32>(to);
    case QFUSE_FLOAT16: return add_from<QFUSE_FLOAT16>(to);
    case QFUSE_BFLOAT16: return add_from<QFUSE_BFLOAT16>(to);
  }
}

#if defined(__x86_64__)
// On x86 without this target, every step would be a call of the C library's fmaf.
[[gnu::target("avx2,fma")]] void add_with_fma(const Chains& to) { add(to); }
bool has_fma() { return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0; }
#else
void add_with_fma(const Chains& to) { add(to); }
bool has_fma() { return true; }
#endif

}  // namespace

void add_by_chains(std::span<const std::byte> in, Dtype in_dtype, std::int64_t rows, std::int64_t cols,
                   const LoraProduct& product, std::span<std::byte> out, Dtype out_dtype, const Exec& /*exec*/) {
  const Chains to{
      in.data(), static_cast<qfuse_dtype>(in_dtype), out.data(), static_cast<qfuse_dtype>(out_dtype), rows, cols,
      product};
  has_fma() ? add_with_fma(to) : add(to);
}

}  // namespace qfuse::checkpoint
