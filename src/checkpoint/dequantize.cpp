// Plans the whole output from the headers, so that what can fail fails early; then writes it front to back.
#include <algorithm>
#include <array>
#include <qfuse/checkpoint.hpp>
#include <unordered_map>

#include "checkpoint/bitsandbytes.h"
#include "checkpoint/config.h"
#include "checkpoint/decode.h"
#include "checkpoint/errors.h"
#include "checkpoint/json.h"
#include "checkpoint/model.h"
#include "checkpoint/output.h"
#include "checkpoint/progress.h"

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
  std::string config;                  // of the output; empty where the input has none
  std::vector<fs::path> copied_files;  // beside the weights: names in the input directory
  std::int64_t data_bytes = 0;
};

bool is_quantized(const Tensor& tensor) { return tensor.quantized_dtype().has_value(); }

// What `tensor` is decoded to; ignored if it is not quantized.
Dtype output_dtype(const Tensor& tensor, const DequantizeOptions& options) {
  return options.dtype.value_or(tensor.quantized_dtype().value_or(Dtype::bfloat16));
}

// The dtype that most of the decoded elements get: the one a config can name.
Dtype main_dtype(const std::vector<Tensor>& tensors, const DequantizeOptions& options) {
  constexpr std::array<Dtype, 3> kDtypes{Dtype::bfloat16, Dtype::float16, Dtype::float32};
  std::array<std::int64_t, kDtypes.size()> elements{};
  for (const Tensor& tensor : tensors)
    for (std::size_t i = 0; i < kDtypes.size(); ++i)
      if (is_quantized(tensor) && output_dtype(tensor, options) == kDtypes[i]) elements[i] += tensor.elements();
  return kDtypes[static_cast<std::size_t>(std::max_element(elements.begin(), elements.end()) - elements.begin())];
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
    plan.data_bytes += entry.bytes();
    plan.files.back().entries.push_back(std::move(entry));
    plan.by_name.emplace(tensor.name, &tensor);
  }
  for (PlannedFile& file : plan.files) file.header = write_header(file.entries);
}

// The names that transformers looks for.
void name_files(std::vector<PlannedFile>& files) {
  if (files.size() == 1) {
    files.front().name = kModelFile;
    return;
  }
  for (std::size_t i = 0; i < files.size(); ++i)
    files[i].name = fmt::format("model-{:05}-of-{:05}.safetensors", i + 1, files.size());
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
  name_files(plan.files);
  if (model.is_directory())
    for (const fs::path& name : list_directory(model.path()))
      if (fs::is_regular_file(model.path() / name) && !is_weight_file(name) && name != kConfigFile)
        plan.copied_files.push_back(name);
  return plan;
}

std::string index_json(const Plan& plan) {
  nlohmann::json index;
  index["metadata"]["total_size"] = plan.data_bytes;
  for (const PlannedFile& file : plan.files)
    for (const TensorEntry& entry : file.entries) index["weight_map"][entry.name] = file.name;
  return print_json(index);
}

void write_text(const PendingOutput& output, const fs::path& name, std::string_view text) {
  OutputFile file = output.create(name);
  file.write(text);
  file.finish();
}

void copy_file(const PendingOutput& output, const fs::path& directory, const fs::path& name) {
  const InputFile from(directory / name);
  OutputFile to = output.create(name);
  std::vector<std::byte> buffer;
  for (std::int64_t at = 0; at < from.size(); at += static_cast<std::int64_t>(buffer.size())) {
    buffer.resize(static_cast<std::size_t>(std::min(from.size() - at, chunk_bytes(1))));
    from.read(at, buffer);
    to.write(buffer);
  }
  to.finish();
}

void write_tensor(OutputFile& file, const Tensor& tensor, const DequantizeOptions& options, ProgressMeter& meter,
                  std::vector<std::byte>& buffer) {
  TensorReader reader(tensor, output_dtype(tensor, options), options.exec);
  const std::int64_t chunk = chunk_bytes(reader.alignment());
  for (std::int64_t at = 0; at < reader.bytes(); at += chunk) {
    buffer.resize(static_cast<std::size_t>(std::min(chunk, reader.bytes() - at)));
    reader.read(at, buffer);
    file.write(buffer);
    meter.advance(tensor.name, static_cast<std::int64_t>(buffer.size()));
  }
}

void write_output(const PendingOutput& output, const Plan& plan, const Model& model, const DequantizeOptions& options) {
  ProgressMeter meter(options.progress, plan.data_bytes);
  std::vector<std::byte> buffer;
  for (const PlannedFile& planned : plan.files) {
    OutputFile file = output.create(planned.name);
    file.write(planned.header);
    for (const TensorEntry& entry : planned.entries)
      write_tensor(file, *plan.by_name.at(entry.name), options, meter, buffer);
    file.finish();
  }
  if (plan.files.size() > 1) write_text(output, kIndexFile, index_json(plan));
  if (!plan.config.empty()) write_text(output, kConfigFile, plan.config);
  for (const fs::path& name : plan.copied_files) copy_file(output, model.path(), name);
}

DequantizeReport dequantize_model(const fs::path& in, const fs::path& out, const DequantizeOptions& options) {
  if (options.max_shard_size < 1)
    fail(Status::invalid_argument, "max_shard_size is {}, must be positive", options.max_shard_size);
  require_decodable(options.exec);
  const Model model(in);
  const Plan plan = make_plan(model, options);
  const OutputKind kind = model.is_directory() ? OutputKind::directory : OutputKind::file;
  PendingOutput output(out, kind, options.force, in, plan.data_bytes);
  write_output(output, plan, model, options);
  output.commit();
  DequantizeReport report;
  report.tensors = static_cast<std::int64_t>(plan.tensors.size());
  report.dequantized = std::count_if(plan.tensors.begin(), plan.tensors.end(), is_quantized);
  report.files = static_cast<std::int64_t>(plan.files.size());
  report.bytes_read = model.data_bytes();
  report.bytes_written = plan.data_bytes;
  return report;
}

}  // namespace

DequantizeReport dequantize(const fs::path& in, const fs::path& out, const DequantizeOptions& options) {
  return with_qfuse_errors([&] { return dequantize_model(in, out, options); });
}

}  // namespace qfuse::checkpoint
