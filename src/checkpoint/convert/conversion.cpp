#include "checkpoint/convert/conversion.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "checkpoint/convert/decode.h"
#include "checkpoint/files/errors.h"
#include "checkpoint/files/progress.h"
#include "checkpoint/files/types.h"
#include "checkpoint/output/output.h"
#include "checkpoint/output/shards.h"
#include "checkpoint/output/write_behind.h"

namespace qfuse::checkpoint {
namespace {

namespace fs = std::filesystem;

// ---- planning --------------------------------------------------------------------------------------------------

struct PlannedFile {
  std::string name;  // in an output directory
  std::vector<PlannedTensor> tensors;
  std::vector<TensorEntry> entries;  // in the order of their bytes; texts last, as long as they can get
  std::size_t header_bytes = 0;      // reserved for the header, which is written last
  std::int64_t data_bytes = 0;       // at most, until the file is finished
};

std::int64_t output_bytes(const PlannedTensor& tensor) {
  std::int64_t bytes = tensor.text ? tensor.text->bytes() : 0;
  for (const TensorEntry& entry : tensor.outputs) bytes += entry.bytes();
  return bytes;
}

// Deals the tensors out to files of at most `max_bytes`, in their order; a larger one gets a file of its own.
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

// Every tensor but the texts has its place from the beginning, so that nothing waits in memory: texts stand behind all
// others, and the header has room for the longest that they can be.
void lay_out(PlannedFile& file) {
  for (const PlannedTensor& tensor : file.tensors)
    file.entries.insert(file.entries.end(), tensor.outputs.begin(), tensor.outputs.end());
  order_entries(file.entries);
  for (const PlannedTensor& tensor : file.tensors)
    if (tensor.text) file.entries.push_back(*tensor.text);
  place_entries(file.entries);
  file.header_bytes = print_header(file.entries).size();
}

std::vector<PlannedFile> plan_files(std::vector<PlannedTensor> tensors, std::string_view stem, std::int64_t max_bytes) {
  std::vector<PlannedFile> files = deal_out(std::move(tensors), max_bytes);
  for (std::size_t i = 0; i < files.size(); ++i) {
    files[i].name = weight_file_name(stem, i, files.size());
    lay_out(files[i]);
  }
  return files;
}

// What is done here: all, or a shard's part.
struct Work {
  ConversionReport report;  // until that is done, `bytes_written` is the most that it can be
  std::int64_t progress_bytes = 0;
  std::int64_t scratch_bytes = 0;
};

Work work_of(const std::vector<PlannedFile>& files, const std::optional<Shard>& shard) {
  Work work;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!is_own(shard, i)) continue;
    ++work.report.files;
    work.report.bytes_written += files[i].data_bytes;
    for (const PlannedTensor& tensor : files[i].tensors) {
      ++work.report.tensors;
      work.report.converted += tensor.converted ? 1 : 0;
      work.report.bytes_read += tensor.input_bytes;
      work.progress_bytes += tensor.progress_bytes;
      work.scratch_bytes = std::max(work.scratch_bytes, tensor.scratch_bytes);
    }
  }
  return work;
}

// ---- writing ---------------------------------------------------------------------------------------------------

// Makes the files of an output, one after the other.
class FileWriter {
 public:
  FileWriter(const Destination& destination, Pipeline& pipeline, ProgressMeter& meter, ScratchFile* scratch)
      : destination_(destination), pipeline_(pipeline), meter_(meter), scratch_(scratch) {}

  void write(PlannedFile& planned) {
    OutputFile file = destination_.create(planned.name);
    WriteBehind behind(file, pipeline_.buffers());
    std::unordered_map<std::string_view, std::int64_t> places;  // of a tensor's first byte in the file
    for (const TensorEntry& entry : planned.entries)
      places.emplace(entry.name, static_cast<std::int64_t>(planned.header_bytes) + entry.begin);
    std::vector<std::string> texts;
    for (const PlannedTensor& tensor : planned.tensors) {
      const OpenedTensor work = tensor.open(scratch_);
      for (std::size_t i = 0; i < tensor.outputs.size(); ++i) {
        if (i > 0) pipeline_.finish();
        const TensorEntry& entry = tensor.outputs[i];
        write_tensor(behind, places.at(entry.name), entry.bytes(), work.readers[i], tensor.name);
      }
      if (!tensor.text) continue;
      pipeline_.finish();
      texts.push_back(work.text());
    }
    pipeline_.finish();
    behind.finish();
    finish(file, planned, texts);
    destination_.publish(planned.name);
  }

 private:
  void write_tensor(WriteBehind& behind, std::int64_t place, std::int64_t bytes, const TensorReader& reader,
                    const std::string& name) {
    for (std::int64_t at = 0; at < bytes; at += reader.piece_bytes) {
      const std::int64_t size = std::min(reader.piece_bytes, bytes - at);
      Piece& piece = pipeline_.next();
      const std::int64_t progress = reader.read(at, behind.buffer(static_cast<std::size_t>(size)), piece);
      piece.when_done([&behind, offset = place + at] { behind.write(offset); });
      if (progress > 0) meter_.advance(name, progress);
    }
  }

  // The texts take their places, the data ends where the last one does, and the header says so.
  static void finish(OutputFile& file, PlannedFile& planned, const std::vector<std::string>& texts) {
    const auto entries = std::span(planned.entries).last(texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
      entries[i].shape = {std::ssize(texts[i])};
      entries[i].end = entries[i].begin + std::ssize(texts[i]);
    }
    planned.data_bytes = place_entries(planned.entries);
    const auto data_begin = static_cast<std::int64_t>(planned.header_bytes);
    for (std::size_t i = 0; i < texts.size(); ++i)
      file.write_at(data_begin + entries[i].begin, std::as_bytes(std::span(texts[i])));
    const std::string header = print_header(planned.entries, planned.header_bytes);
    file.write_at(0, std::as_bytes(std::span(header)));
    file.finish();
  }

  const Destination& destination_;
  Pipeline& pipeline_;
  ProgressMeter& meter_;
  ScratchFile* scratch_;
};

// Where the output goes, or a shard's part of it, which has `bytes`.
std::unique_ptr<Destination> open_destination(const fs::path& out, const Conversion& conversion,
                                              const ConversionOptions& options, std::int64_t bytes) {
  const Model& model = conversion.model;
  check_neighbours(out, model.path());
  if (options.shard)
    return std::make_unique<ShardOutput>(out, *options.shard, options.force, model.path(), bytes,
                                         print_shards_plan(conversion, options.shard->count));
  const OutputKind kind = model.is_directory() ? OutputKind::directory : OutputKind::file;
  return std::make_unique<PendingOutput>(out, kind, options.force, model.path(), bytes);
}

// What an output holds beside its tensors. The index, which a shard has not, is made of what the files have become.
void write_further_files(const Destination& destination, const Conversion& conversion,
                         const std::optional<Shard>& shard) {
  if (!shard && conversion.files.size() > 1)
    destination.create_text(index_file_name(conversion.model.stem()), index_json(conversion.files));
  if (!is_own(shard, 0)) return;
  if (!conversion.config.empty()) destination.create_text(kConfigFile, conversion.config);
  for (const fs::path& name : conversion.companions) destination.create_copy(conversion.model.path() / name);
}

nlohmann::json command_of(const Transform& transform, const ConversionOptions& options) {
  nlohmann::json command = transform.command();
  command["dtype"] = options.dtype ? dtype_name(*options.dtype) : "auto";
  command["max_shard_size"] = options.max_shard_size;
  return command;
}

// What opening the destination would refuse, but for other processes that are at work there.
void check_output(const fs::path& out, const Model& model, const ConversionOptions& options, std::int64_t bytes) {
  check_neighbours(out, model.path());
  const OutputKind kind = model.is_directory() ? OutputKind::directory : OutputKind::file;
  check_target(out, kind, options.force, model.path(), bytes);
}

// With what there is to say of the output.
ConversionReport finished(ConversionReport report, const ConversionPlan& plan, const Model& model) {
  report.notes = plan.notes;
  for (const fs::path& name : foreign_weight_files(model))
    report.notes.push_back(fmt::format("{}: is not part of the model, and was not copied", shown(model.path() / name)));
  return report;
}

ConversionReport convert_model(const fs::path& in, const fs::path& out, const ConversionOptions& options,
                               const Transform& transform) {
  if (options.max_shard_size < 1)
    fail(Status::invalid_argument, "max_shard_size is {}, must be positive", options.max_shard_size);
  Pipeline pipeline(options.exec);
  transform.try_device(pipeline);
  const Model model(in);
  check_shard(options.shard, model);
  ConversionPlan plan = transform.plan(model);
  std::vector<PlannedFile> files =
      plan_files(std::move(plan.tensors), model.stem(), model.is_directory() ? options.max_shard_size : INT64_MAX);
  const Work work = work_of(files, options.shard);
  if (options.dry_run) {
    check_output(out, model, options, work.report.bytes_written + work.scratch_bytes);
    return finished(work.report, plan, model);
  }
  const nlohmann::json command = command_of(transform, options);
  const Conversion conversion{model, command, index_of(files), plan.config, companion_files(model)};
  const std::unique_ptr<Destination> destination =
      open_destination(out, conversion, options, work.report.bytes_written + work.scratch_bytes);
  std::optional<ScratchFile> scratch;
  if (work.scratch_bytes > 0) scratch = destination->create_scratch();
  ProgressMeter meter(options.progress, work.progress_bytes);
  FileWriter writer(*destination, pipeline, meter, scratch ? &*scratch : nullptr);
  for (std::size_t i = 0; i < files.size(); ++i)
    if (is_own(options.shard, i)) writer.write(files[i]);
  write_further_files(*destination, conversion, options.shard);
  destination->commit();
  return finished(work_of(files, options.shard).report, plan, model);
}

}  // namespace

PlannedTensor copied(const StoredTensor& stored) {
  const std::int64_t bytes = stored.entry->bytes();
  return {.name = stored.entry->name,
          .outputs = {*stored.entry},
          .text = {},
          .input_bytes = bytes,
          .progress_bytes = bytes,
          .open = [stored](ScratchFile*) { return OpenedTensor{{open_stored(stored)}}; }};
}

void note_families(const Families& families, const Model& model, std::vector<std::string>& notes) {
  if (!families.is_checked())
    notes.push_back(
        fmt::format("{}: no model of type '{}' was checked with transformers; tensors are told by their names",
                    model.name(), printable(families.name())));
}

void note_turned(std::int64_t matrices, const Families& families, const Model& model, std::vector<std::string>& notes) {
  if (matrices > 0 && !model.is_directory())
    notes.push_back(
        fmt::format("{}: {} matrices were turned, because the {} beside it says '{}'; whoever converts the "
                    "output needs it beside that",
                    model.name(), matrices, kConfigFile, printable(families.name())));
}

ConversionReport convert(const fs::path& in, const fs::path& out, const ConversionOptions& options,
                         const Transform& transform) {
  return with_qfuse_errors([&] { return convert_model(in, out, options, transform); });
}

}  // namespace qfuse::checkpoint
