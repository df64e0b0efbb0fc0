// Plans the whole output from the headers, so that what can fail fails early. The one thing that the headers do not
// tell is how long each quant_state prints: these stand last in a file, and its header, written at the end, has room
// for the longest. So every other tensor has its place from the beginning, and nothing waits in memory.
#include <algorithm>
#include <memory>
#include <qfuse/checkpoint.hpp>
#include <unordered_map>

#include "checkpoint/bitsandbytes.h"
#include "checkpoint/config.h"
#include "checkpoint/encode.h"
#include "checkpoint/errors.h"
#include "checkpoint/linear.h"
#include "checkpoint/model.h"
#include "checkpoint/output.h"
#include "checkpoint/pieces.h"
#include "checkpoint/progress.h"
#include "checkpoint/shards.h"
#include "checkpoint/write_behind.h"
#include "format/layout.h"

namespace qfuse::checkpoint {
namespace {

namespace fs = std::filesystem;

struct PlannedTensor {
  StoredTensor stored;
  std::optional<QuantState> state;  // what it is encoded to, but for the offset; none: copied
  EncodedParts parts;               // that it becomes; copied: itself alone
};

struct PlannedFile {
  std::string name;  // in an output directory
  std::vector<PlannedTensor> tensors;
  std::vector<TensorEntry> entries;  // in the order of their bytes; quant_states last, as long as they can get
  std::size_t header_bytes = 0;      // reserved
  std::int64_t data_bytes = 0;       // at most, until the file is finished
};

struct Plan {
  std::vector<PlannedFile> files;
  std::string config;  // of the output; empty where the input has none
};

// ---- which tensors ---------------------------------------------------------------------------------------------

// A pattern that matches nothing is a typing error, which would otherwise be found in the finished model.
void check_patterns(const char* kind, const std::vector<std::string>& patterns, const std::vector<Tensor>& tensors) {
  for (const std::string& pattern : patterns)
    if (std::none_of(tensors.begin(), tensors.end(), [&](const Tensor& tensor) {
          return is_encodable(*tensor.values().entry) && matches_any(tensor.name, std::span(&pattern, 1));
        }))
      fail(Status::invalid_argument,
           "{} '{}' matches nothing: of {} tensors, none of that name has F32, F16 or BF16 and two dimensions or more",
           kind, printable(pattern), tensors.size());
}

bool is_selected(const TensorEntry& entry, const QuantizeOptions& options) {
  if (!is_encodable(entry) || matches_any(entry.name, options.exclude)) return false;
  return layer_of(entry) == Layer::linear || matches_any(entry.name, options.include);
}

QuantState state_for(const TensorEntry& entry, const QuantizeOptions& options) {
  QuantState state{
      options.quant_type, options.blocksize, options.dtype.value_or(*dtype_of(entry.type)), entry.shape, {}};
  if (options.double_quant) state.nested = NestedState{format::kNestedBlocksize, 0.0F};
  return state;
}

std::vector<PlannedTensor> plan_tensors(const std::vector<Tensor>& tensors, const QuantizeOptions& options) {
  std::vector<PlannedTensor> planned;
  for (const Tensor& tensor : tensors) {
    const StoredTensor& stored = tensor.values();
    PlannedTensor& next = planned.emplace_back(PlannedTensor{stored, std::nullopt, {}});
    if (is_selected(*stored.entry, options)) {
      next.state = state_for(*stored.entry, options);
      next.parts = encoded_parts(tensor.name, *next.state);
    } else {
      next.parts.arrays = {*stored.entry};
    }
  }
  return planned;
}

std::vector<Tensor> read_plain_layout(const Model& model) {
  std::vector<Tensor> tensors = read_layout(model, Dtype::bfloat16);
  for (const Tensor& tensor : tensors)
    if (tensor.quantized_dtype())
      fail(Status::invalid_data, "{}: is quantized already: dequantize the checkpoint first", tensor.values().where());
  return tensors;
}

// ---- what config.json says of them -----------------------------------------------------------------------------

Dtype main_dtype(const std::vector<PlannedTensor>& tensors) {
  DtypeVote vote;
  for (const PlannedTensor& tensor : tensors)
    if (tensor.state) vote.add(tensor.state->dtype, *element_count(tensor.state->shape));
  return vote.most();
}

// transformers leaves out lm_head by itself, but only if it is given no list. So there is none where lm_head is all
// that stays plain, and otherwise one that names every layer, lm_head too: a tied one is in no file.
std::optional<std::vector<std::string>> skip_modules(const std::vector<PlannedTensor>& tensors) {
  constexpr std::string_view kDefault = "lm_head";
  std::vector<std::string> skipped;
  bool default_is_quantized = false;
  for (const PlannedTensor& tensor : tensors) {
    const std::string_view module = module_of(tensor.stored.entry->name);
    if (tensor.state && module == kDefault) default_is_quantized = true;
    if (!tensor.state && module != kDefault && layer_of(*tensor.stored.entry) != Layer::other)
      skipped.emplace_back(module);
  }
  if (skipped.empty() && !default_is_quantized) return std::nullopt;
  if (!default_is_quantized) skipped.emplace_back(kDefault);
  std::sort(skipped.begin(), skipped.end());
  return skipped;
}

std::string quantized_config(const Model& model, const std::vector<PlannedTensor>& tensors,
                             const QuantizeOptions& options) {
  const std::optional<Config> config = read_config(model);
  if (!config) return "";
  if (const std::string method = config->foreign_quant_method(); !method.empty())
    fail(Status::unsupported, "{}: is quantized by '{}', as its {} says", model.name(), printable(method), kConfigFile);
  if (has_turned_matrices(config->model_type()))
    fail(Status::unsupported,
         "{}: model_type is '{}', which keeps its matrices as [in, out], while transformers expects them turned where "
         "they are quantized",
         model.name(), printable(config->model_type()));
  return config->quantized({options.quant_type, options.double_quant, main_dtype(tensors), skip_modules(tensors)});
}

// ---- the files -------------------------------------------------------------------------------------------------

std::int64_t output_bytes(const PlannedTensor& tensor) {
  std::int64_t bytes = tensor.parts.quant_state.bytes();
  for (const TensorEntry& entry : tensor.parts.arrays) bytes += entry.bytes();
  return bytes;
}

// Deals the tensors out to files of at most `max_bytes`, in their order and the parts of a weight together; a larger
// one gets a file of its own.
std::vector<PlannedFile> deal_out(std::vector<PlannedTensor> tensors, std::int64_t max_bytes) {
  std::vector<PlannedFile> files(1);
  for (PlannedTensor& tensor : tensors) {
    const std::int64_t bytes = output_bytes(tensor);
    if (!files.back().tensors.empty() && bytes > max_bytes - files.back().data_bytes) files.emplace_back();
    files.back().data_bytes += bytes;
    files.back().tensors.push_back(std::move(tensor));
  }
  return files;
}

void lay_out(PlannedFile& file) {
  for (const PlannedTensor& tensor : file.tensors)
    file.entries.insert(file.entries.end(), tensor.parts.arrays.begin(), tensor.parts.arrays.end());
  order_entries(file.entries);
  for (const PlannedTensor& tensor : file.tensors)
    if (tensor.state) file.entries.push_back(tensor.parts.quant_state);
  place_entries(file.entries);
  file.header_bytes = print_header(file.entries).size();
}

Plan make_plan(const Model& model, const QuantizeOptions& options) {
  const std::vector<Tensor> tensors = read_plain_layout(model);
  check_patterns("include", options.include, tensors);
  check_patterns("exclude", options.exclude, tensors);
  std::vector<PlannedTensor> planned = plan_tensors(tensors, options);
  if (std::none_of(planned.begin(), planned.end(),
                   [](const PlannedTensor& tensor) { return tensor.state.has_value(); }))
    fail(Status::invalid_data, "{}: nothing to quantize: none of its {} tensors is the weight of a linear layer{}",
         model.name(), planned.size(), options.exclude.empty() ? "" : " and not excluded");
  Plan plan;
  plan.config = quantized_config(model, planned, options);
  plan.files = deal_out(std::move(planned), model.is_directory() ? options.max_shard_size : INT64_MAX);
  for (std::size_t i = 0; i < plan.files.size(); ++i) {
    plan.files[i].name = weight_file_name(i, plan.files.size());
    lay_out(plan.files[i]);
  }
  return plan;
}

// Of what is written here. Until that is done, `bytes_written` is the most that it can be.
QuantizeReport report_of(const Plan& plan, const std::optional<Shard>& shard) {
  QuantizeReport report;
  for (std::size_t i = 0; i < plan.files.size(); ++i) {
    if (!is_own(shard, i)) continue;
    ++report.files;
    report.bytes_written += plan.files[i].data_bytes;
    for (const PlannedTensor& tensor : plan.files[i].tensors) {
      ++report.tensors;
      report.quantized += tensor.state ? 1 : 0;
      report.bytes_read += tensor.stored.entry->bytes();
    }
  }
  return report;
}

// What the absmax of the largest weight need.
std::int64_t scratch_bytes(const Plan& plan, const std::optional<Shard>& shard) {
  std::int64_t most = 0;
  for (std::size_t i = 0; i < plan.files.size(); ++i)
    for (const PlannedTensor& tensor : plan.files[i].tensors) {
      if (!tensor.state || !is_own(shard, i)) continue;
      const std::int64_t blocks = qfuse_block_count(*element_count(tensor.state->shape), tensor.state->blocksize);
      most = std::max(most, blocks * static_cast<std::int64_t>(sizeof(float)));
    }
  return most;
}

// ---- writing ---------------------------------------------------------------------------------------------------

// A file whose tensors have their places.
class PlacedTensors : public TensorSink {
 public:
  PlacedTensors(OutputFile& file, std::span<HostMemory> buffers, const PlannedFile& planned) : behind_(file, buffers) {
    for (const TensorEntry& entry : planned.entries)
      places_.emplace(entry.name, static_cast<std::int64_t>(planned.header_bytes) + entry.begin);
  }
  std::span<std::byte> buffer(std::size_t size) override { return behind_.buffer(size); }
  void write(const std::string& tensor, std::int64_t offset) override { behind_.write(places_.at(tensor) + offset); }
  void finish() { behind_.finish(); }

 private:
  WriteBehind behind_;
  std::unordered_map<std::string_view, std::int64_t> places_;  // of a tensor's first byte in the file
};

void copy_tensor(const StoredTensor& stored, TensorSink& sink, const Advance& advance) {
  constexpr std::int64_t kPiece = WeightEncoder::kPieceBytes / 4;  // what a piece of bf16 is encoded to
  for (std::int64_t at = 0; at < stored.entry->bytes(); at += kPiece) {
    const std::int64_t size = std::min(kPiece, stored.entry->bytes() - at);
    stored.read(at, sink.buffer(static_cast<std::size_t>(size)));
    sink.write(stored.entry->name, at);
    advance(size);
  }
}

// The quant_states take their places, the data ends where the last one does, and the header says so.
void finish_file(OutputFile& file, PlannedFile& planned,
                 const std::unordered_map<std::string_view, std::string>& quant_states) {
  for (TensorEntry& entry : planned.entries)
    if (const auto state = quant_states.find(entry.name); state != quant_states.end()) {
      entry.shape = {static_cast<std::int64_t>(state->second.size())};
      entry.end = entry.begin + entry.shape.front();
    }
  planned.data_bytes = place_entries(planned.entries);
  const auto data_begin = static_cast<std::int64_t>(planned.header_bytes);
  for (const TensorEntry& entry : planned.entries)
    if (const auto state = quant_states.find(entry.name); state != quant_states.end())
      file.write_at(data_begin + entry.begin, std::as_bytes(std::span(state->second)));
  const std::string header = print_header(planned.entries, planned.header_bytes);
  file.write_at(0, std::as_bytes(std::span(header)));
  file.finish();
}

void write_file(const Destination& output, PlannedFile& planned, WeightEncoder& encoder, Pieces& pieces,
                ProgressMeter& meter) {
  OutputFile file = output.create(planned.name);
  PlacedTensors sink(file, pieces.buffers(), planned);
  std::unordered_map<std::string_view, std::string> quant_states;
  for (const PlannedTensor& tensor : planned.tensors) {
    const Advance advance = [&](std::int64_t bytes) { meter.advance(tensor.stored.entry->name, bytes); };
    if (tensor.state)
      quant_states.emplace(tensor.parts.quant_state.name,
                           print_quant_state(encoder.encode(tensor.stored, *tensor.state, sink, advance)));
    else
      copy_tensor(tensor.stored, sink, advance);
  }
  sink.finish();
  finish_file(file, planned, quant_states);
  output.publish(planned.name);
}

nlohmann::json command_of(const QuantizeOptions& options) {
  return {{"command", "quantize"},
          {"type", quant_type_name(options.quant_type)},
          {"block_size", options.blocksize},
          {"double_quant", options.double_quant},
          {"include", options.include},
          {"exclude", options.exclude},
          {"dtype", options.dtype ? dtype_name(*options.dtype) : "auto"},
          {"max_shard_size", options.max_shard_size}};
}

QuantizeReport quantize_model(const fs::path& in, const fs::path& out, const QuantizeOptions& options) {
  if (options.max_shard_size < 1)
    fail(Status::invalid_argument, "max_shard_size is {}, must be positive", options.max_shard_size);
  Pieces pieces(options.exec);
  require_encodable(options.quant_type, options.blocksize, pieces);
  const Model model(in);
  check_shard(options.shard, model);
  Plan plan = make_plan(model, options);
  const QuantizeReport most = report_of(plan, options.shard);
  const Conversion conversion{model, command_of(options), index_of(plan.files), plan.config};
  const std::unique_ptr<Destination> output = open_destination(out, conversion, options.shard, options.force,
                                                               most.bytes_written + scratch_bytes(plan, options.shard));
  ProgressMeter meter(options.progress, most.bytes_read);
  ScratchFile scratch = output->create_scratch();
  WeightEncoder encoder(scratch, pieces);
  write_files(*output, conversion, options.shard,
              [&](std::size_t i) { write_file(*output, plan.files[i], encoder, pieces, meter); });
  output->commit();
  return report_of(plan, options.shard);
}

}  // namespace

QuantizeReport quantize(const fs::path& in, const fs::path& out, const QuantizeOptions& options) {
  return with_qfuse_errors([&] { return quantize_model(in, out, options); });
}

}  // namespace qfuse::checkpoint
