#include "checkpoint/report/differences.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "checkpoint/convert/source.h"

namespace qfuse::checkpoint {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kRun = 1024;  // elements widened at a time, which fit in the L1 cache
constexpr std::size_t kLanes = 8;    // independent sums, which compilers vectorize

template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

// Whether the bits differ; any NaN equals any NaN.
template <class T>
bool differ(T a, T b) {
  return static_cast<int>(std::bit_cast<Bits<T>>(a) != std::bit_cast<Bits<T>>(b)) &
         static_cast<int>((a == a) | (b == b));
}

template <class T>
bool is_finite(T value) {
  constexpr auto kExponent = std::bit_cast<Bits<T>>(std::numeric_limits<T>::infinity());
  return (std::bit_cast<Bits<T>>(value) & kExponent) != kExponent;
}

}  // namespace

// Sums of the elements i, i + kLanes, ...
struct Differences::Lanes {
  std::array<std::int64_t, kLanes> finite{};
  std::array<std::int64_t, kLanes> differing{};
  std::array<double, kLanes> signal{};
  std::array<double, kLanes> noise{};
  std::array<double, kLanes> max_abs{};
  std::array<double, kLanes> max_rel{};

  template <class T>
  void add(const T* a, const T* b) {
    for (std::size_t i = 0; i < kLanes; ++i) {
      const bool counts = static_cast<int>(is_finite(a[i])) & static_cast<int>(is_finite(b[i]));
      const double x = counts ? a[i] : T{0};
      const double y = counts ? b[i] : T{0};
      const double distance = std::abs(x - y);
      const double larger = std::max(std::abs(x), std::abs(y));
      const double relative = distance / (larger == 0.0 ? 1.0 : larger);
      finite[i] += counts ? 1 : 0;
      differing[i] += differ(a[i], b[i]) ? 1 : 0;
      signal[i] += x * x;
      noise[i] += distance * distance;
      max_abs[i] = std::max(max_abs[i], distance);
      max_rel[i] = std::max(max_rel[i], relative);
    }
  }
};

double ErrorSums::snr_db() const {
  return noise == 0.0 ? std::numeric_limits<double>::infinity() : 10.0 * std::log10(signal / noise);
}

// Types smaller than a byte are compared and counted by bytes.
std::int64_t Differences::element_bytes() const { return std::max(type_bits(type_) / 8, 1); }

void Differences::add(std::span<const std::byte> a, std::span<const std::byte> b) {
  if (type_ == TensorType::f64 || dtype_of(type_))
    add_floats(a, b, false);
  else
    add_bytes(a, b);
  result_.elements += std::ssize(a) / element_bytes();
}

void Differences::add_equal(std::int64_t bytes) { result_.elements += bytes / element_bytes(); }

void Differences::add_signal(std::span<const std::byte> a) {
  if (type_ == TensorType::f64 || dtype_of(type_)) add_floats(a, a, true);
}

void Differences::add_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  const auto size = static_cast<std::size_t>(element_bytes());
  for (std::size_t i = 0; i < a.size() / size; ++i) {
    if (std::memcmp(&a[i * size], &b[i * size], size) == 0 || result_.differing++ > 0) continue;
    result_.first_differing = result_.elements + static_cast<std::int64_t>(i);
    result_.first_a = result_.first_b = kNoNumber;
  }
}

void Differences::add_floats(std::span<const std::byte> a, std::span<const std::byte> b, bool of_equal) {
  if (type_ == TensorType::f64)
    add_runs<double>(a, b, of_equal, [](std::span<const std::byte> bytes, double* out) {
      std::memcpy(out, bytes.data(), bytes.size());
    });
  else
    add_runs<float>(a, b, of_equal, [dtype = *dtype_of(type_)](std::span<const std::byte> bytes, float* out) {
      widen(dtype, bytes, {out, bytes.size() / dtype_size(dtype)});
    });
}

// `read` converts the elements of a run to T.
template <class T, class Read>
void Differences::add_runs(std::span<const std::byte> a, std::span<const std::byte> b, bool of_equal,
                           const Read& read) {
  const std::int64_t count = std::ssize(a) / element_bytes();
  std::array<T, kRun> x;
  std::array<T, kRun> y;
  Lanes lanes;
  for (std::int64_t begin = 0; begin < count; begin += kRun) {
    const std::int64_t length = std::min(kRun, count - begin);
    const auto at = static_cast<std::size_t>(begin * element_bytes());
    const auto size = static_cast<std::size_t>(length * element_bytes());
    read(a.subspan(at, size), x.data());
    read(b.subspan(at, size), y.data());
    const auto padded = (static_cast<std::size_t>(length) + kLanes - 1) / kLanes * kLanes;
    std::fill(x.begin() + length, x.begin() + static_cast<std::ptrdiff_t>(padded), T{0});
    std::fill(y.begin() + length, y.begin() + static_cast<std::ptrdiff_t>(padded), T{0});
    for (std::size_t i = 0; i < padded; i += kLanes) lanes.add(&x[i], &y[i]);
    lanes.finite[0] -= static_cast<std::int64_t>(padded) - length;
    if (of_equal || result_.first_differing >= 0) continue;
    for (std::int64_t i = 0; i < length; ++i) {
      const auto j = static_cast<std::size_t>(i);
      if (!differ(x[j], y[j])) continue;
      result_.first_differing = result_.elements + begin + i;
      result_.first_a = x[j];
      result_.first_b = y[j];
      break;
    }
  }
  for (std::size_t i = 0; i < kLanes; ++i) {
    sums_.finite += lanes.finite[i];
    sums_.signal += lanes.signal[i];
    sums_.noise += lanes.noise[i];
    result_.differing += lanes.differing[i];
    result_.max_abs = std::max(result_.max_abs, lanes.max_abs[i]);
    result_.max_rel = std::max(result_.max_rel, lanes.max_rel[i]);
  }
}

ErrorSums Differences::finish() {
  result_.difference = result_.differing == 0 ? Difference::equal : Difference::values;
  if (type_ != TensorType::f64 && !dtype_of(type_)) {
    result_.max_abs = result_.max_rel = result_.rmse = result_.snr_db = kNoNumber;
    return {};
  }
  result_.rmse = sums_.finite == 0 ? 0.0 : std::sqrt(sums_.noise / static_cast<double>(sums_.finite));
  result_.snr_db = sums_.snr_db();
  return sums_;
}

}  // namespace qfuse::checkpoint
