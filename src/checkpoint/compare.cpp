// Two checkpoints, tensor by tensor: their bits first, and how far apart their values are.
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <qfuse/checkpoint.hpp>

#include "checkpoint/bitsandbytes.h"
#include "checkpoint/config.h"
#include "checkpoint/decode.h"
#include "checkpoint/errors.h"
#include "checkpoint/model.h"
#include "checkpoint/progress.h"
#include "format/elements.h"

namespace qfuse::checkpoint {
namespace {

struct Pair {
  const Tensor* a = nullptr;  // NULL where only the other has it
  const Tensor* b = nullptr;
};

// What `tensor` is decoded to for comparing; ignored if it is not quantized.
Dtype compared_dtype(const Tensor& tensor, const Tensor& other) {
  const std::optional<Dtype> others = other.quantized_dtype() ? std::nullopt : dtype_of(other.values().entry->type);
  return others.value_or(tensor.quantized_dtype().value_or(Dtype::bfloat16));
}

bool is_float(TensorType type) { return type == TensorType::f64 || dtype_of(type); }

// Element i of an array of a float type; exact.
double value_at(TensorType type, const std::byte* array, std::int64_t i) {
  if (type == TensorType::f64) return format::load_unaligned<double>(array, i);
  return format::load_as_float(array, i, static_cast<qfuse_dtype>(*dtype_of(type)));
}

// Gathers a TensorComparison from equally long runs of both tensors.
class Comparator {
 public:
  Comparator(TensorType type, TensorComparison& result)
      : type_(type), element_(std::max(type_bits(type) / 8, 1)), result_(result) {}

  void add(std::span<const std::byte> a, std::span<const std::byte> b) {
    const auto count = static_cast<std::int64_t>(a.size()) / element_;
    for (std::int64_t i = 0; i < count; ++i) {
      const bool same = std::memcmp(&a[i * element_], &b[i * element_], element_) == 0;
      if (is_float(type_))
        add_values(value_at(type_, a.data(), i), value_at(type_, b.data(), i), same);
      else if (!same)
        add_difference(kNaN, kNaN);
      ++result_.elements;
    }
  }

  void finish() {
    result_.difference = result_.differing == 0 ? Difference::equal : Difference::values;
    if (!is_float(type_)) {
      result_.max_abs = result_.max_rel = result_.rmse = result_.snr_db = kNaN;
      return;
    }
    result_.rmse = finite_ == 0 ? 0.0 : std::sqrt(noise_ / static_cast<double>(finite_));
    result_.snr_db = noise_ == 0.0 ? std::numeric_limits<double>::infinity() : 10.0 * std::log10(signal_ / noise_);
  }

 private:
  static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

  void add_difference(double a, double b) {
    if (result_.differing++ > 0) return;
    result_.first_differing = result_.elements;
    result_.first_a = a;
    result_.first_b = b;
  }

  void add_values(double a, double b, bool same) {
    if (!same && !(std::isnan(a) && std::isnan(b))) add_difference(a, b);
    if (!std::isfinite(a) || !std::isfinite(b)) return;
    const double distance = std::abs(a - b);
    ++finite_;
    signal_ += a * a;
    noise_ += distance * distance;
    if (distance == 0.0) return;
    result_.max_abs = std::max(result_.max_abs, distance);
    result_.max_rel = std::max(result_.max_rel, distance / std::max(std::abs(a), std::abs(b)));
  }

  TensorType type_;
  std::int64_t element_;  // bytes; types narrower than a byte are compared byte by byte
  TensorComparison& result_;
  std::int64_t finite_ = 0;  // elements finite on both sides
  double signal_ = 0.0;      // their sum of a^2
  double noise_ = 0.0;       // their sum of (a-b)^2
};

void compare_values(const Pair& pair, TensorComparison& result, ProgressMeter& meter) {
  const Exec oracle{.device = {QFUSE_REFERENCE, 0}, .threads = 0, .cpu_target = {}, .stream = nullptr};
  TensorReader a(*pair.a, compared_dtype(*pair.a, *pair.b), oracle);
  TensorReader b(*pair.b, compared_dtype(*pair.b, *pair.a), oracle);
  Comparator comparator(pair.a->decoded_type(compared_dtype(*pair.a, *pair.b)), result);
  const std::int64_t chunk = chunk_bytes(std::max(a.alignment(), b.alignment()));
  std::vector<std::byte> bytes_a;
  std::vector<std::byte> bytes_b;
  for (std::int64_t at = 0; at < a.bytes(); at += chunk) {
    const auto size = static_cast<std::size_t>(std::min(chunk, a.bytes() - at));
    bytes_a.resize(size);
    bytes_b.resize(size);
    a.read(at, bytes_a);
    b.read(at, bytes_b);
    comparator.add(bytes_a, bytes_b);
    meter.advance(result.name, static_cast<std::int64_t>(size));
  }
  comparator.finish();
}

TensorComparison compare_pair(const std::string& name, const Pair& pair, ProgressMeter& meter) {
  TensorComparison result;
  result.name = name;
  if (pair.a == nullptr || pair.b == nullptr) {
    result.difference = pair.a == nullptr ? Difference::only_in_b : Difference::only_in_a;
    return result;
  }
  const TensorType type_a = pair.a->decoded_type(compared_dtype(*pair.a, *pair.b));
  const TensorType type_b = pair.b->decoded_type(compared_dtype(*pair.b, *pair.a));
  if (pair.a->shape != pair.b->shape) {
    result.difference = Difference::shape;
    result.note = fmt::format("[{}] and [{}]", fmt::join(pair.a->shape, ", "), fmt::join(pair.b->shape, ", "));
  } else if (type_a != type_b) {
    result.difference = Difference::dtype;
    result.note = fmt::format("{} and {}", type_name(type_a), type_name(type_b));
  } else {
    compare_values(pair, result, meter);
  }
  return result;
}

CompareReport compare_models(const std::filesystem::path& a, const std::filesystem::path& b,
                             const ProgressCallback& progress) {
  const Model model_a(a);
  const Model model_b(b);
  const std::vector<Tensor> tensors_a = read_layout(model_a, int8_dtype(read_config(model_a)));
  const std::vector<Tensor> tensors_b = read_layout(model_b, int8_dtype(read_config(model_b)));
  std::map<std::string, Pair> pairs;
  for (const Tensor& tensor : tensors_a) pairs[tensor.name].a = &tensor;
  for (const Tensor& tensor : tensors_b) pairs[tensor.name].b = &tensor;
  std::int64_t bytes_total = 0;
  for (const auto& [name, pair] : pairs)
    if (pair.a != nullptr && pair.b != nullptr) bytes_total += pair.a->decoded_bytes(compared_dtype(*pair.a, *pair.b));
  ProgressMeter meter(progress, bytes_total);
  CompareReport report;
  for (const auto& [name, pair] : pairs) {
    report.tensors.push_back(compare_pair(name, pair, meter));
    report.equal = report.equal && report.tensors.back().difference == Difference::equal;
  }
  return report;
}

}  // namespace

CompareReport compare(const std::filesystem::path& a, const std::filesystem::path& b,
                      const ProgressCallback& progress) {
  return with_qfuse_errors([&] { return compare_models(a, b, progress); });
}

}  // namespace qfuse::checkpoint
