// Plans the whole output from the headers, so that what can fail fails early; then writes it front to back.
#include <algorithm>
#include <memory>
#include <qfuse/checkpoint.hpp>
#include <unordered_map>

#include "checkpoint/bitsandbytes.h"
#include "checkpoint/config.h"
#include "checkpoint/decode.h"
#include "checkpoint/errors.h"
#include "checkpoint/model.h"
#include "checkpoint/output.h"
#include "checkpoint/pieces.h"
#include "checkpoint/progress.h"
#include "checkpoint/shards.h"
#include "checkpoint/write_behind.h"

namespace qfuse::checkpoint {
namespace {

namespace fs = std::filesystem;

struct PlannedFile {
  std::string name;  // in an output directory
  std::string header;
  std::vector<TensorEntry> entries;  // in the order of their bytes
  std::int64_t data_bytes = 0;
};

struct Plan {
  std::vector<PlannedFile> files;
  std::vector<Tensor> tensors;
  std::unordered_map<std::string_view, const Tensor*> by_name;
  std::string config;  // of the output; empty where the input has none
};

bool is_quantized(const Tensor& tensor) { return tensor.quantized_dtype().has_value(); }

// What `tensor` is decoded to; ignored if it is not quantized.
Dtype output_dtype(const Tensor& tensor, const DequantizeOptions& options) {
  return options.dtype.value_or(tensor.quantized_dtype().value_or(Dtype::bfloat16));
}

Dtype main_dtype(const std::vector<Tensor>& tensors, const DequantizeOptions& options) {
  DtypeVote vote;
  for (const Tensor& tensor : tensors)
    if (is_quantized(tensor)) vote.add(output_dtype(tensor, options), tensor.elements());
  return vote.most();
}

// Deals the tensors out to files of at most `max_bytes`, in their order; a larger tensor gets a file of its own.
void plan_files(Plan& plan, const DequantizeOptions& options, std::int64_t max_bytes) {
  plan.files.emplace_back();
  for (const Tensor& tensor : plan.tensors) {
    const Dtype dtype = output_dtype(tensor, options);
    TensorEntry entry{tensor.name, tensor.decoded_type(dtype), tensor.shape, 0, tensor.decoded_bytes(dtype)};
    if (!plan.files.back().entries.empty() && entry.bytes() > max_bytes - plan.files.back().data_bytes)
      plan.files.emplace_back();
    plan.files.back().data_bytes += entry.bytes();
    plan.files.back().entries.push_back(std::move(entry));
    plan.by_name.emplace(tensor.name, &tensor);
  }
  for (PlannedFile& file : plan.files) file.header = write_header(file.entries);
}

Plan make_plan(const Model& model, const DequantizeOptions& options) {
  Plan plan;
  const std::optional<Config> config = read_config(model);
  plan.tensors = read_layout(model, int8_dtype(config));
  if (std::none_of(plan.tensors.begin(), plan.tensors.end(), is_quantized))
    fail(Status::invalid_data, "{}: nothing to dequantize: none of its {} tensors is quantized by bitsandbytes",
         model.name(), plan.tensors.size());
  if (config) plan.config = config->unquantized(main_dtype(plan.tensors, options));
  plan_files(plan, options, model.is_directory() ? options.max_shard_size : INT64_MAX);
  for (std::size_t i = 0; i < plan.files.size(); ++i) plan.files[i].name = weight_file_name(i, plan.files.size());
  return plan;
}

// What the files of a run are made with, one after the other.
struct Tools {
  const DequantizeOptions& options;
  Pieces& pieces;
  ProgressMeter& meter;
};

// To byte `place` of the file on.
void write_tensor(WriteBehind& file, std::int64_t place, const Tensor& tensor, const Tools& tools) {
  const TensorReader reader(tensor, output_dtype(tensor, tools.options));
  const std::int64_t chunk = chunk_bytes(reader.alignment());
  for (std::int64_t at = 0; at < reader.bytes(); at += chunk) {
    const std::int64_t size = std::min(chunk, reader.bytes() - at);
    Slot& slot = tools.pieces.next();
    reader.read(at, file.buffer(static_cast<std::size_t>(size)), slot);
    tools.pieces.then([&file, offset = place + at] { file.write(offset); });
    tools.meter.advance(tensor.name, size);
  }
}

void write_file(const Destination& output, const PlannedFile& planned, const Plan& plan, const Tools& tools) {
  OutputFile file = output.create(planned.name);
  file.write(planned.header);
  const auto data_begin = static_cast<std::int64_t>(planned.header.size());
  WriteBehind behind(file, tools.pieces.buffers());
  for (const TensorEntry& entry : planned.entries)
    write_tensor(behind, data_begin + entry.begin, *plan.by_name.at(entry.name), tools);
  tools.pieces.finish();
  behind.finish();
  file.finish();
  output.publish(planned.name);
}

// Of what is written here.
DequantizeReport report_of(const Plan& plan, const std::optional<Shard>& shard) {
  DequantizeReport report;
  for (std::size_t i = 0; i < plan.files.size(); ++i) {
    if (!is_own(shard, i)) continue;
    ++report.files;
    report.bytes_written += plan.files[i].data_bytes;
    for (const TensorEntry& entry : plan.files[i].entries) {
      const Tensor& tensor = *plan.by_name.at(entry.name);
      ++report.tensors;
      report.dequantized += is_quantized(tensor) ? 1 : 0;
      report.bytes_read += tensor.stored_bytes();
    }
  }
  return report;
}

nlohmann::json command_of(const DequantizeOptions& options) {
  return {{"command", "dequantize"},
          {"dtype", options.dtype ? dtype_name(*options.dtype) : "auto"},
          {"max_shard_size", options.max_shard_size}};
}

DequantizeReport dequantize_model(const fs::path& in, const fs::path& out, const DequantizeOptions& options) {
  if (options.max_shard_size < 1)
    fail(Status::invalid_argument, "max_shard_size is {}, must be positive", options.max_shard_size);
  Pieces pieces(options.exec);
  require_decodable(pieces);
  const Model model(in);
  check_shard(options.shard, model);
  const Plan plan = make_plan(model, options);
  const DequantizeReport report = report_of(plan, options.shard);
  const Conversion conversion{model, command_of(options), index_of(plan.files), plan.config};
  const std::unique_ptr<Destination> output =
      open_destination(out, conversion, options.shard, options.force, report.bytes_written);
  ProgressMeter meter(options.progress, report.bytes_written);
  write_files(*output, conversion, options.shard, [&](std::size_t i) {
    write_file(*output, plan.files[i], plan, {options, pieces, meter});
  });
  output->commit();
  return report;
}

}  // namespace

DequantizeReport dequantize(const fs::path& in, const fs::path& out, const DequantizeOptions& options) {
  return with_qfuse_errors([&] { return dequantize_model(in, out, options); });
}

}  // namespace qfuse::checkpoint
