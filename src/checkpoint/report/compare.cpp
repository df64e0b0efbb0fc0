// Compares two checkpoints tensor by tensor: first their bits, then how far apart their values are.
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <optional>
#include <qfuse/checkpoint.hpp>
#include <thread>
#include <utility>

#include "checkpoint/convert/decode.h"
#include "checkpoint/convert/source.h"
#include "checkpoint/convert/transpose.h"
#include "checkpoint/files/components.h"
#include "checkpoint/files/config.h"
#include "checkpoint/files/errors.h"
#include "checkpoint/files/foreign.h"
#include "checkpoint/files/hub.h"
#include "checkpoint/files/json.h"
#include "checkpoint/files/layout.h"
#include "checkpoint/files/model.h"
#include "checkpoint/files/progress.h"
#include "checkpoint/merge/merged.h"
#include "checkpoint/merge/merged_model.h"
#include "checkpoint/names/families.h"
#include "checkpoint/names/plain_names.h"
#include "checkpoint/report/chains.h"
#include "checkpoint/report/differences.h"

namespace qfuse::checkpoint {
namespace {

// Opens a tensor that adapters change. The sum gets the dtype of the other side.
using OpenMerged = std::function<Source(Dtype dtype, ScratchFile* scratch)>;

struct Pair {
  const Tensor* a = nullptr;  // NULL if only the other side has it
  const Tensor* b = nullptr;
  const OpenMerged* merged_a = nullptr;  // NULL if the stored tensor is compared
  bool transposed = false;               // one is quantized, and the plain other one is its transpose
};

// Whether one is quantized as a linear layer's weight, and the other is plain with a dtype that can be quantized.
bool may_be_transposed(const Pair& pair) {
  if (pair.a == nullptr || pair.b == nullptr) return false;
  const Tensor& quantized = pair.a->quantized_dtype() ? *pair.a : *pair.b;
  const Tensor& plain = pair.a->quantized_dtype() ? *pair.b : *pair.a;
  return quantized.is_of_linear() && !plain.quantized_dtype() && dtype_of(plain.values().entry->type);
}

bool is_transposed(const Pair& pair, const Tensor& tensor) { return pair.transposed && !tensor.quantized_dtype(); }

// Returns the tensor's shape, transposed if it is compared transposed.
std::vector<std::int64_t> compared_shape(const Pair& pair, const Tensor& tensor) {
  std::vector<std::int64_t> shape = tensor.shape;
  if (is_transposed(pair, tensor)) std::ranges::reverse(shape);
  return shape;
}

Source compared(const Pair& pair, const Tensor& tensor, Dtype dtype, ScratchFile* scratch) {
  if (&tensor == pair.a && pair.merged_a != nullptr) return (*pair.merged_a)(dtype, scratch);
  const Source source = decoded(tensor, dtype);
  return is_transposed(pair, tensor) ? transposed(source, tensor.shape[0], tensor.shape[1]) : source;
}

// Returns the dtype to which `tensor` is decoded for the comparison; ignored if it is not quantized.
Dtype compared_dtype(const Tensor& tensor, const Tensor& other) {
  const std::optional<Dtype> others = other.quantized_dtype() ? std::nullopt : dtype_of(other.values().entry->type);
  return others.value_or(tensor.quantized_dtype().value_or(Dtype::bfloat16));
}

// Returns the element type in which this side of a pair is compared.
TensorType compared_type(const Pair& pair, const Tensor& tensor, const Tensor& other) {
  const Dtype dtype = compared_dtype(tensor, other);
  if (&tensor == pair.a && pair.merged_a != nullptr) return type_of(dtype);
  return tensor.decoded_type(dtype);
}

// Returns the bytes of each side; both have the same shape and type.
std::int64_t compared_bytes(const Pair& pair) {
  const TensorType type = compared_type(pair, *pair.a, *pair.b);
  if (pair.merged_a == nullptr) return pair.a->decoded_bytes(compared_dtype(*pair.a, *pair.b));
  return pair.b->elements() * type_bits(type) / 8;
}

// State shared by the comparing threads: their progress, and whether to stop.
struct Shared {
  std::atomic<std::int64_t> bytes_done = 0;
  std::atomic<bool> stop = false;
};

// Compares pairs in one thread.
class Worker {
 public:
  Worker(Shared& shared, ScratchFile* scratch) : shared_(shared), scratch_(scratch) {}

  // Compares the values of a pair with the same shape and type on both sides.
  ErrorSums compare_values(const Pair& pair, TensorComparison& result) {
    const Source a = compared(pair, *pair.a, compared_dtype(*pair.a, *pair.b), scratch_);
    const Source b = compared(pair, *pair.b, compared_dtype(*pair.b, *pair.a), scratch_);
    Differences differences(compared_type(pair, *pair.a, *pair.b), result);
    const std::int64_t bytes = compared_bytes(pair);
    const std::int64_t piece = piece_bytes(pair, a, b);
    std::vector<std::int64_t> equal;  // offsets of pieces with equal bytes
    for (std::int64_t at = 0; at < bytes && !shared_.stop; at += piece) {
      read(a, at, std::min(piece, bytes - at), a_);
      read(b, at, std::min(piece, bytes - at), b_);
      if (std::memcmp(a_.data(), b_.data(), a_.size()) == 0) {
        differences.add_equal(std::ssize(a_));
        equal.push_back(at);
      } else {
        differences.add(a_, b_);
      }
      shared_.bytes_done += std::ssize(a_);
    }
    if (result.differing > 0)
      for (const std::int64_t at : equal) {
        read(a, at, std::min(piece, bytes - at), a_);
        differences.add_signal(a_);
      }
    return differences.finish();
  }

 private:
  // Small enough for a core's cache; large for merged tensors, whose pieces are made from several inputs.
  static std::int64_t piece_bytes(const Pair& pair, const Source& a, const Source& b) {
    constexpr std::int64_t kLeast = 1 << 20;
    if (pair.merged_a != nullptr) return std::max(a.piece, b.piece);
    return std::max({kLeast, a.unit, b.unit});  // powers of two
  }

  void read(const Source& source, std::int64_t at, std::int64_t size, std::vector<std::byte>& out) {
    out.resize(static_cast<std::size_t>(size));
    read_now(source, at, out, pipeline_.next(), array::kWritten);
  }

  Shared& shared_;
  ScratchFile* scratch_;
  Pipeline pipeline_{Exec{.device = {QFUSE_REFERENCE, 0}, .threads = 1}};
  std::vector<std::byte> a_;
  std::vector<std::byte> b_;
};

ErrorSums compare_pair(const Pair& pair, TensorComparison& result, Worker& worker) {
  if (pair.a == nullptr || pair.b == nullptr) {
    result.difference = pair.a == nullptr ? Difference::only_in_b : Difference::only_in_a;
    return {};
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
    return worker.compare_values(pair, result);
  }
  return {};
}

bool is_wrapped(const Model& model) { return peft_content(model) == PeftContent::wrapped_model; }

// Returns the tensors' names, without peft's additions unless that makes two names equal.
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

// One side of a comparison: a model, or all models of a pipeline.
class Side {
 public:
  // `as_converted`: names of peft-wrapped tensors are those that dequantize writes.
  explicit Side(const std::filesystem::path& path, bool as_converted = true) {
    for (const Component& component : models_in(path)) {
      const Model& model = models_.emplace_back(component.path);
      const Families& families = families_.emplace_back(read_model_types(model));
      std::vector<Tensor> tensors = read_layout(model, read_config(model)).tensors;
      const std::vector<std::string> names = names_of(tensors, as_converted && is_wrapped(model));
      for (std::size_t i = 0; i < tensors.size(); ++i)
        tensors_.insert_or_assign(name_prefix(component) + names[i], Known{std::move(tensors[i]), &families, {}});
    }
  }

  // A base with adapters.
  Side(const std::filesystem::path& path, const CompareOptions& options) : Side(path, false) {
    adapters_.emplace(located_all(options.adapters), true);
    if (!options.components.empty() && !is_pipeline(path))
      fail(Status::invalid_argument, "{}: is one model, and has no components", shown(path));
    adapters_->settle(path, options.components);
    const MergeWay way{{},
                       options.base_as,
                       options.blocksize,
                       options.double_quant,
                       options.include,
                       options.exclude,
                       {options.prefix, options.head, options.lora_b_layout}};
    needs_scratch_ = options.base_as.has_value();
    const std::vector<Component> components = models_in(path);
    for (std::size_t i = 0; i < components.size(); ++i) {
      std::vector<WeightedAdapter> adapters = adapters_->of(components[i].name);
      if (adapters.empty()) continue;
      const MergedModel& merged = merged_.emplace_back(models_[i], std::move(adapters), way);
      for (const Tensor& tensor : merged.tensors())
        if (merged.change_of(tensor.name) != nullptr || merged.is_seen(tensor.name))
          add_merged(merged, components[i], tensor.name, tensor);
        else if (!tensor.quantized_dtype() && dtype_of(tensor.values().entry->type))
          tensors_.at(name_prefix(components[i]) + tensor.name).cast = opened(merged, tensor, nullptr);
      for (const auto& [name, change] : merged.rules().changes) add_merged(merged, components[i], name, *change.base);
    }
  }

  struct Known {
    Tensor tensor;
    const Families* families;
    OpenMerged merged;     // empty if no adapter changes it
    OpenMerged cast = {};  // for an unchanged tensor that a merge may cast to another dtype
  };
  [[nodiscard]] const std::map<std::string, Known>& tensors() const { return tensors_; }
  [[nodiscard]] bool needs_scratch() const { return needs_scratch_; }

 private:
  void add_merged(const MergedModel& merged, const Component& component, const std::string& name, const Tensor& base) {
    const TensorChange* change = merged.change_of(name);
    const std::string full_name = name_prefix(component) + name;
    Known& known = tensors_.try_emplace(full_name, Known{base, &merged.families(), {}}).first->second;
    known.tensor.name = name;
    if (change != nullptr) known.tensor.shape = change->shape;
    known.merged = opened(merged, base, change);
  }

  static OpenMerged opened(const MergedModel& merged, const Tensor& base, const TensorChange* change) {
    return [task = merged.task(base, change)](Dtype dtype, ScratchFile* scratch) {
      return qfuse::checkpoint::merged(task.base(scratch), task.merging, dtype, add_by_chains);
    };
  }

  std::deque<Model> models_;
  std::deque<Families> families_;
  std::map<std::string, Known> tensors_;
  std::optional<Adapters> adapters_;  // tensors_ depend on these
  std::deque<MergedModel> merged_;
  bool needs_scratch_ = false;
};

bool is_kept_transposed(const Side::Known& known, const Pair& pair) {
  return known.families->is_transposed(known.tensor.name, pair.a->shape);
}

// Whether both are plain F32, F16 or BF16, with different dtypes.
bool have_other_dtypes(const Pair& pair) {
  if (pair.a == nullptr || pair.b == nullptr || pair.b->quantized_dtype()) return false;
  const TensorType type = pair.b->values().entry->type;
  return dtype_of(type) && type != pair.a->values().entry->type;
}

std::map<std::string, Pair> pair_up(const Side& a, const Side& b) {
  std::map<std::string, Pair> pairs;
  for (const auto& [name, known] : a.tensors()) {
    pairs[name].a = &known.tensor;
    if (known.merged) pairs[name].merged_a = &known.merged;
  }
  for (const auto& [name, known] : b.tensors()) pairs[name].b = &known.tensor;
  for (auto& [name, pair] : pairs)
    if (const auto known = a.tensors().find(name);
        known != a.tensors().end() && known->second.cast && have_other_dtypes(pair))
      pair.merged_a = &known->second.cast;
  for (auto& [name, pair] : pairs)
    pair.transposed = may_be_transposed(pair) && (is_kept_transposed(a.tensors().at(name), pair) ||
                                                  is_kept_transposed(b.tensors().at(name), pair));
  return pairs;
}

std::size_t thread_count(int asked, std::size_t pairs) {
  constexpr std::size_t kMost = 16;  // default limit: more than disks and memory keep busy
  const std::size_t cores = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kMost);
  return std::clamp<std::size_t>(asked > 0 ? static_cast<std::size_t>(asked) : cores, 1,
                                 std::max<std::size_t>(pairs, 1));
}

// Compares all pairs in several threads, while the calling thread reports progress.
class AllPairs {
 public:
  AllPairs(const Side& a, const Side& b) : pairs_(pair_up(a, b)), needs_scratch_(a.needs_scratch()) {
    for (const auto& [name, pair] : pairs_) {
      const bool has_both = pair.a != nullptr && pair.b != nullptr;
      by_size_.push_back(jobs_.size());
      jobs_.push_back({.pair = &pair, .bytes = has_both ? compared_bytes(pair) : 0});
      jobs_.back().result.name = name;
    }
    std::ranges::sort(by_size_, std::greater(), [&](std::size_t i) { return std::pair(jobs_[i].bytes, i); });
  }

  CompareReport run(int threads, const ProgressCallback& progress) {
    const std::size_t count = thread_count(threads, jobs_.size());
    std::deque<ScratchFile> scratch;  // one per thread
    for (std::size_t i = 0; needs_scratch_ && i < count; ++i)
      scratch.emplace_back(std::filesystem::temp_directory_path());
    const auto scratch_of = [&](std::size_t i) { return needs_scratch_ ? &scratch[i] : nullptr; };
    std::int64_t bytes = 0;
    for (const Job& job : jobs_) bytes += job.bytes;
    ProgressMeter meter(progress, bytes);
    std::int64_t told = 0;
    const auto report = [&] {
      if (jobs_.empty()) return;
      const std::size_t last_begun = std::clamp<std::size_t>(next_, 1, jobs_.size()) - 1;
      const std::int64_t done = shared_.bytes_done;
      meter.advance(jobs_[by_size_[last_begun]].result.name, done - std::exchange(told, done));
    };
    report();
    std::vector<std::future<void>> workers;  // destruction waits for the threads, after they were told to stop
    const StopAtEnd stop{shared_};
    for (std::size_t i = 0; i < count; ++i)
      workers.push_back(std::async(std::launch::async, [this, file = scratch_of(i)] { work(file); }));
    for (std::future<void>& worker : workers) {
      while (worker.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready) report();
      worker.get();
    }
    report();
    return gathered();
  }

 private:
  struct Job {
    const Pair* pair = nullptr;
    std::int64_t bytes = 0;
    TensorComparison result = {};
    ErrorSums sums = {};
  };

  struct StopAtEnd {
    Shared& shared;
    ~StopAtEnd() { shared.stop = true; }
  };

  // Compares pair after pair, large ones first, until none is left or another thread has failed.
  void work(ScratchFile* scratch) {
    try {
      Worker worker(shared_, scratch);
      for (std::size_t i = next_++; i < jobs_.size() && !shared_.stop; i = next_++) {
        Job& job = jobs_[by_size_[i]];
        job.sums = compare_pair(*job.pair, job.result, worker);
      }
    } catch (...) {
      shared_.stop = true;
      throw;
    }
  }

  CompareReport gathered() {
    CompareReport report;
    ErrorSums all;
    for (Job& job : jobs_) {
      if (job.result.difference != Difference::equal) ++report.different;
      if (job.result.difference == Difference::values) {
        all.signal += job.sums.signal;
        all.noise += job.sums.noise;
      }
      report.tensors.push_back(std::move(job.result));
    }
    report.equal = report.different == 0;
    report.snr_db = all.snr_db();
    report.relative_error = all.noise == 0.0 ? 0.0 : std::sqrt(all.noise / all.signal);
    return report;
  }

  const std::map<std::string, Pair> pairs_;
  const bool needs_scratch_;
  std::vector<Job> jobs_;             // sorted by name
  std::vector<std::size_t> by_size_;  // indices into jobs_, largest first
  std::atomic<std::size_t> next_ = 0;
  Shared shared_;
};

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
  return fmt::format(
      "{{\"equal\": {}, \"compared\": {}, \"different\": {}, \"snr_db\": {}, \"relative_error\": {}, \"tensors\": "
      "[{}\n]}}",
      report.equal, report.tensors.size(), report.different, json_number(report.snr_db),
      json_number(report.relative_error), fmt::join(tensors, ","));
}

}  // namespace

CompareReport compare(const std::filesystem::path& a, const std::filesystem::path& b,
                      const ProgressCallback& progress) {
  CompareOptions options;
  options.progress = progress;
  return compare(a, b, options);
}

CompareReport compare(const std::filesystem::path& a, const std::filesystem::path& b, const CompareOptions& options) {
  return with_qfuse_errors([&] {
    const Side side_a = options.adapters.empty() ? Side(located(a)) : Side(located(a), options);
    const Side side_b(located(b));
    return AllPairs(side_a, side_b).run(options.threads, options.progress);
  });
}

std::string to_json(const CompareReport& report, bool equal_too) {
  return with_qfuse_errors([&] { return json_of(report, equal_too); });
}

}  // namespace qfuse::checkpoint
