// Two checkpoints, tensor by tensor: their bits first, and how far apart their values are.
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <qfuse/checkpoint.hpp>

#include "checkpoint/convert/decode.h"
#include "checkpoint/convert/source.h"
#include "checkpoint/convert/transpose.h"
#include "checkpoint/files/bitsandbytes.h"
#include "checkpoint/files/components.h"
#include "checkpoint/files/config.h"
#include "checkpoint/files/errors.h"
#include "checkpoint/files/foreign.h"
#include "checkpoint/files/json.h"
#include "checkpoint/files/model.h"
#include "checkpoint/files/progress.h"
#include "checkpoint/merge/merged.h"
#include "checkpoint/merge/merged_model.h"
#include "checkpoint/names/families.h"
#include "checkpoint/names/plain_names.h"
#include "format/elements.h"

namespace qfuse::checkpoint {
namespace {

// A tensor that adapters change. The dtype of the sum is the other side's.
using OpenMerged = std::function<Source(Dtype dtype)>;

struct Pair {
  const Tensor* a = nullptr;  // NULL where only the other has it
  const Tensor* b = nullptr;
  const OpenMerged* merged_a = nullptr;  // NULL where no adapter changes it
  bool turned = false;                   // one of them is quantized, and the other one, the model's own, its transpose
};

// Whether one of the two is quantized and the other one not, but of a type to quantize from.
bool is_turnable(const Pair& pair) {
  if (pair.a == nullptr || pair.b == nullptr) return false;
  const Tensor& plain = pair.a->quantized_dtype() ? *pair.b : *pair.a;
  const bool one_is_quantized = pair.a->quantized_dtype().has_value() != pair.b->quantized_dtype().has_value();
  return one_is_quantized && dtype_of(plain.values().entry->type);
}

bool is_transposed(const Pair& pair, const Tensor& tensor) { return pair.turned && !tensor.quantized_dtype(); }

// As both are compared.
std::vector<std::int64_t> compared_shape(const Pair& pair, const Tensor& tensor) {
  std::vector<std::int64_t> shape = tensor.shape;
  if (is_transposed(pair, tensor)) std::ranges::reverse(shape);
  return shape;
}

Source compared(const Pair& pair, const Tensor& tensor, Dtype dtype) {
  if (&tensor == pair.a && pair.merged_a != nullptr) return (*pair.merged_a)(dtype);
  const Source source = decoded(tensor, dtype);
  return is_transposed(pair, tensor) ? transposed(source, tensor.shape[0], tensor.shape[1]) : source;
}

// What `tensor` is decoded to for comparing; ignored if it is not quantized.
Dtype compared_dtype(const Tensor& tensor, const Tensor& other) {
  const std::optional<Dtype> others = other.quantized_dtype() ? std::nullopt : dtype_of(other.values().entry->type);
  return others.value_or(tensor.quantized_dtype().value_or(Dtype::bfloat16));
}

// The type in which a pair's side is compared.
TensorType compared_type(const Pair& pair, const Tensor& tensor, const Tensor& other) {
  const Dtype dtype = compared_dtype(tensor, other);
  if (&tensor == pair.a && pair.merged_a != nullptr) return type_of(dtype);
  return tensor.decoded_type(dtype);
}

// The bytes of both sides, of one shape and type.
std::int64_t compared_bytes(const Pair& pair) {
  const TensorType type = compared_type(pair, *pair.a, *pair.b);
  if (pair.merged_a == nullptr) return pair.a->decoded_bytes(compared_dtype(*pair.a, *pair.b));
  return pair.b->elements() * type_bits(type) / 8;
}

bool is_float(TensorType type) { return type == TensorType::f64 || dtype_of(type); }

// Whether the bits differ, which a and b were widened from exactly; any NaN equals any NaN.
bool differ(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) != std::isnan(b);
  return std::bit_cast<std::uint64_t>(a) != std::bit_cast<std::uint64_t>(b);
}

// Element i of an array of T, or of 16-bit floats of `dtype`.
template <class T>
double load(const std::byte* array, std::int64_t i) {
  return format::load_unaligned<T>(array, i);
}
template <qfuse_dtype dtype>
double load(const std::byte* array, std::int64_t i) {
  return format::load_as_float(array, i, dtype);
}

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

// Gathers a TensorComparison from equally long runs of both tensors.
class Comparator {
 public:
  Comparator(TensorType type, TensorComparison& result) : type_(type), result_(result) {}

  void add(std::span<const std::byte> a, std::span<const std::byte> b) {
    switch (type_) {
      case TensorType::f64: return add_floats<load<double>>(a, b, 8);
      case TensorType::f32: return add_floats<load<float>>(a, b, 4);
      case TensorType::f16: return add_floats<load<QFUSE_FLOAT16>>(a, b, 2);
      case TensorType::bf16: return add_floats<load<QFUSE_BFLOAT16>>(a, b, 2);
      default: return add_bytes(a, b, std::max(type_bits(type_) / 8, 1));  // narrower than a byte: byte by byte
    }
  }

  void finish() {
    result_.difference = result_.differing == 0 ? Difference::equal : Difference::values;
    if (!is_float(type_)) {
      result_.max_abs = result_.max_rel = result_.rmse = result_.snr_db = kNoNumber;
      return;
    }
    result_.rmse = sums_.finite == 0 ? 0.0 : std::sqrt(sums_.noise / static_cast<double>(sums_.finite));
    result_.snr_db =
        sums_.noise == 0.0 ? std::numeric_limits<double>::infinity() : 10.0 * std::log10(sums_.signal / sums_.noise);
  }

 private:
  // Over the elements that are finite on both sides.
  struct Sums {
    std::int64_t finite = 0;
    double signal = 0.0;  // of a^2
    double noise = 0.0;   // of (a-b)^2
  };

  void add_difference(std::int64_t i, double a, double b) {
    if (result_.differing++ > 0) return;
    result_.first_differing = result_.elements + i;
    result_.first_a = a;
    result_.first_b = b;
  }

  void add_bytes(std::span<const std::byte> a, std::span<const std::byte> b, int element) {
    const auto size = static_cast<std::size_t>(element);
    const std::size_t count = a.size() / size;
    for (std::size_t i = 0; i < count; ++i)
      if (std::memcmp(&a[i * size], &b[i * size], size) != 0)
        add_difference(static_cast<std::int64_t>(i), kNoNumber, kNoNumber);
    result_.elements += static_cast<std::int64_t>(count);
  }

  template <double (*load_element)(const std::byte*, std::int64_t)>
  void add_floats(std::span<const std::byte> a, std::span<const std::byte> b, std::int64_t element) {
    const auto count = static_cast<std::int64_t>(a.size()) / element;
    Sums sums = sums_;  // in registers
    for (std::int64_t i = 0; i < count; ++i) {
      const double x = load_element(a.data(), i);
      const double y = load_element(b.data(), i);
      if (differ(x, y)) add_difference(i, x, y);
      if (!std::isfinite(x) || !std::isfinite(y)) continue;
      const double distance = std::abs(x - y);
      ++sums.finite;
      sums.signal += x * x;
      if (distance == 0.0) continue;
      sums.noise += distance * distance;
      result_.max_abs = std::max(result_.max_abs, distance);
      result_.max_rel = std::max(result_.max_rel, distance / std::max(std::abs(x), std::abs(y)));
    }
    sums_ = sums;
    result_.elements += count;
  }

  TensorType type_;
  TensorComparison& result_;
  Sums sums_;
};

void compare_values(const Pair& pair, TensorComparison& result, ProgressMeter& meter) {
  Pipeline pipeline(Exec{.device = {QFUSE_REFERENCE, 0}});
  const Dtype dtype = compared_dtype(*pair.a, *pair.b);
  const Source a = compared(pair, *pair.a, dtype);
  const Source b = compared(pair, *pair.b, compared_dtype(*pair.b, *pair.a));
  Comparator comparator(compared_type(pair, *pair.a, *pair.b), result);
  const std::int64_t bytes = compared_bytes(pair);
  const std::int64_t piece = std::max(a.piece, b.piece);  // powers of two
  std::vector<std::byte> bytes_a;
  std::vector<std::byte> bytes_b;
  for (std::int64_t at = 0; at < bytes; at += piece) {
    const auto size = static_cast<std::size_t>(std::min(piece, bytes - at));
    bytes_a.resize(size);
    bytes_b.resize(size);
    read_now(a, at, bytes_a, pipeline.next(), array::kWritten);
    read_now(b, at, bytes_b, pipeline.next(), array::kWritten);
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
  const TensorType type_a = compared_type(pair, *pair.a, *pair.b);
  const TensorType type_b = compared_type(pair, *pair.b, *pair.a);
  if (compared_shape(pair, *pair.a) != compared_shape(pair, *pair.b)) {
    result.difference = Difference::shape;
    result.note = fmt::format("{} and {}", printable(pair.a->shape), printable(pair.b->shape));
  } else if (type_a != type_b) {
    result.difference = Difference::dtype;
    result.note = fmt::format("{} and {}", type_name(type_a), type_name(type_b));
  } else {
    compare_values(pair, result, meter);
  }
  return result;
}

bool is_wrapped(const Model& model) { return peft_content(model) == PeftContent::wrapped_model; }

// Their own, or without what peft adds, unless another one is called so.
std::vector<std::string> names_of(const std::vector<Tensor>& tensors, bool are_wrapped) {
  std::vector<std::string> names;
  std::map<std::string, int> uses;
  for (const Tensor& tensor : tensors) {
    names.push_back(are_wrapped ? without_peft(tensor.name) : tensor.name);
    ++uses[names.back()];
  }
  for (std::size_t i = 0; i < names.size(); ++i)
    if (uses[names[i]] > 1) names[i] = tensors[i].name;
  return names;
}

// One side of a comparison: a model, or those of a pipeline.
class Side {
 public:
  // `as_converted`: what peft has wrapped is called as dequantize writes it.
  explicit Side(const std::filesystem::path& path, bool as_converted = true) {
    for (const Component& component : models_in(path)) {
      const Model& model = models_.emplace_back(component.path);
      const Families& families = families_.emplace_back(read_model_types(model));
      std::vector<Tensor> tensors = read_layout(model, int8_dtype(read_config(model)));
      const std::vector<std::string> names = names_of(tensors, as_converted && is_wrapped(model));
      for (std::size_t i = 0; i < tensors.size(); ++i)
        tensors_.insert_or_assign(name_prefix(component) + names[i], Known{std::move(tensors[i]), &families, {}});
    }
  }

  // A base with adapters.
  Side(const std::filesystem::path& path, const CompareOptions& options) : Side(path, false) {
    adapters_.emplace(options.adapters, true);
    adapters_->require_used(path, {});
    const MergeWay way{{},
                       options.base_as,
                       options.blocksize,
                       options.double_quant,
                       options.include,
                       options.exclude,
                       options.prefix,
                       options.head};
    if (options.base_as) scratch_.emplace(std::filesystem::temp_directory_path());
    const std::vector<Component> components = models_in(path);
    for (std::size_t i = 0; i < components.size(); ++i) {
      std::vector<WeightedAdapter> adapters = adapters_->of(components[i].name);
      if (adapters.empty()) continue;
      const MergedModel& merged = merged_.emplace_back(models_[i], std::move(adapters), way);
      for (const Tensor& tensor : merged.tensors())
        if (merged.change_of(tensor.name) != nullptr || merged.is_seen(tensor.name))
          add_merged(merged, components[i], tensor.name, tensor);
      for (const auto& [name, change] : merged.rules().changes) add_merged(merged, components[i], name, *change.base);
    }
  }

  struct Known {
    Tensor tensor;
    const Families* families;
    OpenMerged merged;  // empty where no adapter changes it
  };
  [[nodiscard]] const std::map<std::string, Known>& tensors() const { return tensors_; }

 private:
  void add_merged(const MergedModel& merged, const Component& component, const std::string& name, const Tensor& base) {
    const TensorChange* change = merged.change_of(name);
    const std::string full_name = name_prefix(component) + name;
    Known& known = tensors_.try_emplace(full_name, Known{base, &merged.families(), {}}).first->second;
    known.tensor.name = name;
    if (change != nullptr) known.tensor.shape = change->shape;
    known.merged = [task = merged.task(base, change), scratch = scratch_ ? &*scratch_ : nullptr](Dtype dtype) {
      return qfuse::checkpoint::merged(task.base(scratch), task.merging, dtype);
    };
  }

  std::deque<Model> models_;
  std::deque<Families> families_;
  std::map<std::string, Known> tensors_;
  std::optional<Adapters> adapters_;  // tensors_ rest on these
  std::deque<MergedModel> merged_;
  std::optional<ScratchFile> scratch_;
};

bool is_turned(const Side::Known& known, const Pair& pair) {
  return known.families->is_turned(known.tensor.name, pair.a->shape);
}

std::map<std::string, Pair> pair_up(const Side& a, const Side& b) {
  std::map<std::string, Pair> pairs;
  for (const auto& [name, known] : a.tensors()) {
    pairs[name].a = &known.tensor;
    if (known.merged) pairs[name].merged_a = &known.merged;
  }
  for (const auto& [name, known] : b.tensors()) pairs[name].b = &known.tensor;
  for (auto& [name, pair] : pairs)
    pair.turned = is_turnable(pair) && (is_turned(a.tensors().at(name), pair) || is_turned(b.tensors().at(name), pair));
  return pairs;
}

CompareReport compare_sides(const Side& side_a, const Side& side_b, const ProgressCallback& progress) {
  const std::map<std::string, Pair> pairs = pair_up(side_a, side_b);
  std::int64_t bytes_total = 0;
  for (const auto& [name, pair] : pairs)
    if (pair.a != nullptr && pair.b != nullptr) bytes_total += compared_bytes(pair);
  ProgressMeter meter(progress, bytes_total);
  CompareReport report;
  for (const auto& [name, pair] : pairs) {
    report.tensors.push_back(compare_pair(name, pair, meter));
    report.equal = report.equal && report.tensors.back().difference == Difference::equal;
  }
  return report;
}

std::string json_of(const TensorComparison& t) {
  return fmt::format(
      R"({{"name": {}, "difference": {}, "note": {}, "elements": {}, "differing": {}, "max_abs": {}, "max_rel": {}, )"
      R"("rmse": {}, "snr_db": {}, "first_differing": {}, "first_a": {}, "first_b": {}}})",
      json_string(t.name), json_string(name_of(t.difference)), json_string(t.note), t.elements, t.differing,
      json_number(t.max_abs), json_number(t.max_rel), json_number(t.rmse), json_number(t.snr_db), t.first_differing,
      json_number(t.first_a), json_number(t.first_b));
}

std::string json_of(const CompareReport& report, bool equal_too) {
  std::vector<std::string> tensors;
  for (const TensorComparison& t : report.tensors)
    if (equal_too || t.difference != Difference::equal) tensors.push_back("\n  " + json_of(t));
  return fmt::format("{{\"equal\": {}, \"compared\": {}, \"tensors\": [{}\n]}}", report.equal, report.tensors.size(),
                     fmt::join(tensors, ","));
}

}  // namespace

CompareReport compare(const std::filesystem::path& a, const std::filesystem::path& b,
                      const ProgressCallback& progress) {
  return with_qfuse_errors([&] { return compare_sides(Side(a), Side(b), progress); });
}

CompareReport compare(const std::filesystem::path& a, const std::filesystem::path& b, const CompareOptions& options) {
  return with_qfuse_errors([&] {
    const Side side_a = options.adapters.empty() ? Side(a) : Side(a, options);
    return compare_sides(side_a, Side(b), options.progress);
  });
}

std::string to_json(const CompareReport& report, bool equal_too) {
  return with_qfuse_errors([&] { return json_of(report, equal_too); });
}

}  // namespace qfuse::checkpoint
