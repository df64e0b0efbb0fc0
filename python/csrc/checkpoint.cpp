// Conversions and reports of whole checkpoints, for python/qfuse/native/library.py, which calls them through ctypes: a
// library of its own, which needs no torch. It is given paths and numbers, and gives numbers and texts.
#include <qfuse/checkpoint.hpp>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <iterator>
#include <span>
#include <string>
#include <vector>

namespace {

namespace checkpoint = qfuse::checkpoint;

using Take = void (*)(const char* text);  // which lives as long as the call
using ReportProgress = std::int32_t (*)(const char* tensor, std::int64_t bytes_done, std::int64_t bytes_total);

// Runs `work`; of an error the message is taken.
template <class Work>
qfuse_status guarded(Take take, const Work& work) {
  try {
    work();
    return QFUSE_OK;
  } catch (const qfuse::Error& error) {
    take(error.what());
    return static_cast<qfuse_status>(error.status());
  } catch (const std::exception& error) {  // no memory for a path
    take(error.what());
    return QFUSE_OUT_OF_MEMORY;
  }
}

checkpoint::ProgressCallback callback(ReportProgress report) {
  return [report](const checkpoint::Progress& progress) {
    return report(std::string(progress.tensor).c_str(), progress.bytes_done, progress.bytes_total) != 0;
  };
}

}  // namespace

// What all conversions take, as ctypes lays it out: qfuse/native/library.py has the same fields.
extern "C" struct qfuse_python_conversion {
  const char* in;
  const char* out;
  std::int32_t quantize;  // else dequantize; merge does not read it
  std::int32_t dtype;     // a qfuse_dtype; -1: none is asked for
  std::int64_t max_shard_size;
  std::int64_t shard_index;
  std::int64_t shard_count;  // 0: no shard
  std::int32_t force;
  std::int32_t dry_run;
  std::int32_t allow_other_names;
  std::int32_t component_count;
  const char* const* components;
  std::int32_t device_type;  // a qfuse_device_type; -1: the best one
  std::int32_t device_index;
  std::int32_t threads;
  // of quantize, and but for `quant_type` of merge
  std::int32_t quant_type;
  std::int32_t double_quant;
  std::int64_t blocksize;
  std::int32_t experts;  // of quantize alone
  std::int32_t include_count;
  std::int32_t exclude_count;
  const char* const* include;
  const char* const* exclude;
};

// What merge takes besides; `in` is the base.
extern "C" struct qfuse_python_merge {
  std::int64_t adapter_count;
  const char* const* adapters;
  const double* weights;  // of each
  std::int32_t to_4bit;   // a qfuse_quant_type; 0: none
  std::int32_t base_as;   // likewise
  double fail_below;
  std::int32_t allow_nonfinite;
  std::int32_t head;           // a checkpoint::Head
  std::int32_t lora_b_layout;  // a checkpoint::LoraBLayout
  const char* prefix;
};

namespace {

void set_common(const qfuse_python_conversion& from, ReportProgress report, checkpoint::ConversionOptions& options) {
  if (from.dtype >= 0) options.dtype = static_cast<qfuse::Dtype>(from.dtype);
  options.max_shard_size = from.max_shard_size;
  options.force = from.force != 0;
  options.dry_run = from.dry_run != 0;
  options.allow_other_names = from.allow_other_names != 0;
  options.components.assign(from.components, from.components + from.component_count);
  if (from.shard_count != 0) options.shard = checkpoint::Shard{from.shard_index, from.shard_count};
  options.exec.threads = from.threads;
  options.exec.device = {static_cast<qfuse_device_type>(from.device_type), from.device_index};
  if (from.device_type < 0) options.exec.device = checkpoint::best_device();
  options.progress = callback(report);
}

checkpoint::ConversionReport convert(const qfuse_python_conversion& from, ReportProgress report) {
  if (from.quantize == 0) {
    checkpoint::DequantizeOptions options;
    set_common(from, report, options);
    return checkpoint::dequantize(from.in, from.out, options);
  }
  checkpoint::QuantizeOptions options;
  set_common(from, report, options);
  options.quant_type = static_cast<qfuse::QuantType>(from.quant_type);
  options.double_quant = from.double_quant != 0;
  options.blocksize = from.blocksize;
  options.experts = from.experts != 0;
  options.include.assign(from.include, from.include + from.include_count);
  options.exclude.assign(from.exclude, from.exclude + from.exclude_count);
  return checkpoint::quantize(from.in, from.out, options);
}

checkpoint::MergeReport merge(const qfuse_python_conversion& from, const qfuse_python_merge& what,
                              ReportProgress report) {
  std::vector<checkpoint::AdapterInput> adapters;
  for (std::int64_t i = 0; i < what.adapter_count; ++i) adapters.push_back({what.adapters[i], what.weights[i]});
  checkpoint::MergeOptions options;
  set_common(from, report, options);
  if (what.to_4bit != 0) options.to_4bit = static_cast<qfuse::QuantType>(what.to_4bit);
  if (what.base_as != 0) options.base_as = static_cast<qfuse::QuantType>(what.base_as);
  options.blocksize = from.blocksize;
  options.double_quant = from.double_quant != 0;
  options.include.assign(from.include, from.include + from.include_count);
  options.exclude.assign(from.exclude, from.exclude + from.exclude_count);
  options.fail_below = what.fail_below;
  options.allow_nonfinite = what.allow_nonfinite != 0;
  options.head = static_cast<checkpoint::Head>(what.head);
  options.lora_b_layout = static_cast<checkpoint::LoraBLayout>(what.lora_b_layout);
  options.prefix = what.prefix;
  return checkpoint::merge(from.in, adapters, from.out, options);
}

// As JSON; kinds are words that need no escapes.
std::string json_of(const std::vector<checkpoint::KeptTensors>& all) {
  std::string json;
  for (const checkpoint::KeptTensors& kept : all)
    json += (json.empty() ? "" : ", ") + ("{\"kind\": \"" + kept.kind) +
            "\", \"tensors\": " + std::to_string(kept.tensors) + ", \"bytes\": " + std::to_string(kept.bytes) + "}";
  return "[" + json + "]";
}

// `numbers`: tensors, converted, files, bytes_read and bytes_written. Takes what was kept as JSON, then the notes.
void give(const checkpoint::ConversionReport& done, std::int64_t* numbers, Take take) {
  const std::int64_t found[] = {done.tensors, done.converted, done.files, done.bytes_read, done.bytes_written};
  std::copy(std::begin(found), std::end(found), numbers);
  take(json_of(done.kept).c_str());
  for (const std::string& note : done.notes) take(note.c_str());
}

}  // namespace

// Fills `numbers` and takes texts as give() says.
extern "C" QFUSE_API qfuse_status qfuse_python_convert(const qfuse_python_conversion* conversion, ReportProgress report,
                                                       std::int64_t* numbers, Take take) {
  return guarded(take, [&] { give(convert(*conversion, report), numbers, take); });
}

// Likewise, but takes the merged tensors as JSON before that.
extern "C" QFUSE_API qfuse_status qfuse_python_merge_adapters(const qfuse_python_conversion* conversion,
                                                              const qfuse_python_merge* merged, ReportProgress report,
                                                              std::int64_t* numbers, Take take) {
  return guarded(take, [&] {
    const checkpoint::MergeReport done = merge(*conversion, *merged, report);
    if (!done.refused.empty()) throw qfuse::Error(qfuse::Status::invalid_data, done.refused);
    take(to_json(done).c_str());
    give(done, numbers, take);
  });
}

// Fills `numbers` with shards, files, tensors and bytes.
extern "C" QFUSE_API qfuse_status qfuse_python_finish(const char* out, std::int32_t force, ReportProgress report,
                                                      std::int64_t* numbers, Take take) {
  return guarded(take, [&] {
    checkpoint::FinishOptions options;
    options.force = force != 0;
    options.progress = callback(report);
    const checkpoint::FinishReport done = checkpoint::finish(out, options);
    const std::int64_t found[] = {done.shards, done.files, done.tensors, done.bytes};
    std::copy(std::begin(found), std::end(found), numbers);
  });
}

// Takes the inventory as JSON.
extern "C" QFUSE_API qfuse_status qfuse_python_inspect(const char* path, Take take) {
  return guarded(take, [&] { take(to_json(checkpoint::inspect(path)).c_str()); });
}

// Takes what is wrong as JSON.
extern "C" QFUSE_API qfuse_status qfuse_python_check(const char* path, Take take) {
  return guarded(take, [&] { take(to_json(checkpoint::check(path)).c_str()); });
}

// Takes the comparison as JSON, tensors that are equal included.
extern "C" QFUSE_API qfuse_status qfuse_python_compare(const char* a, const char* b, std::int32_t threads,
                                                       ReportProgress report, Take take) {
  return guarded(take, [&] {
    checkpoint::CompareOptions options;
    options.threads = threads;
    options.progress = callback(report);
    take(to_json(checkpoint::compare(a, b, options), true).c_str());
  });
}

// Fills `numbers` with the fields of a checkpoint::WeightShard, in their order.
extern "C" QFUSE_API qfuse_status qfuse_python_shard_plan(const std::int64_t* shape, std::int32_t dims,
                                                          std::int32_t dim, std::int64_t rank, std::int64_t ranks,
                                                          std::int64_t blocksize, std::int64_t nested_blocksize,
                                                          std::int64_t* numbers, Take take) {
  return guarded(take, [&] {
    const std::span sizes(shape, static_cast<std::size_t>(dims));
    const checkpoint::WeightShard shard = checkpoint::shard_plan(sizes, blocksize, nested_blocksize, dim, rank, ranks);
    const std::int64_t found[] = {
        shard.begin,         shard.length,           shard.runs,         shard.first_block, shard.run_blocks,
        shard.stride_blocks, shard.nested_blocksize, shard.nested_blocks};
    std::copy(std::begin(found), std::end(found), numbers);
  });
}
