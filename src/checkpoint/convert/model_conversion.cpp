#include "checkpoint/convert/model_conversion.h"

#include <algorithm>
#include <set>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "checkpoint/convert/model_card.h"
#include "checkpoint/convert/notes.h"
#include "checkpoint/convert/source.h"
#include "checkpoint/files/config.h"
#include "checkpoint/files/errors.h"
#include "checkpoint/files/types.h"
#include "checkpoint/output/write_behind.h"

namespace qfuse::checkpoint {
namespace {

namespace fs = std::filesystem;

// ---- planning --------------------------------------------------------------------------------------------------

std::int64_t output_bytes(const PlannedTensor& tensor) {
  std::int64_t bytes = tensor.text ? tensor.text->bytes() : 0;
  for (const TensorEntry& entry : tensor.outputs) bytes += entry.bytes();
  return bytes;
}

// Assigns the tensors in order to files of at most `max_bytes`; a larger tensor gets a file of its own.
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

// Gives every tensor except the texts a fixed place in advance, so that nothing has to wait in memory. Texts come after
// all others, and the header reserves room for their maximum sizes.
void lay_out(PlannedFile& file, const Metadata& metadata) {
  for (const PlannedTensor& tensor : file.tensors)
    file.entries.insert(file.entries.end(), tensor.outputs.begin(), tensor.outputs.end());
  order_entries(file.entries);
  for (const PlannedTensor& tensor : file.tensors)
    if (tensor.text) file.entries.push_back(*tensor.text);
  place_entries(file.entries);
  file.header_bytes = print_header(file.entries, 0, metadata).size();
}

std::vector<PlannedFile> plan_files(ConversionPlan& plan, std::string_view stem, std::int64_t max_bytes) {
  std::vector<PlannedFile> files = deal_out(std::move(plan.tensors), max_bytes);
  for (std::size_t i = 0; i < files.size(); ++i) {
    files[i].name = weight_file_name(stem, i, files.size());
    lay_out(files[i], plan.metadata);
  }
  return files;
}

// ---- making ----------------------------------------------------------------------------------------------------

template <class Visit>
void for_each_piece(const Source& source, Pipeline& pipeline, Visit visit) {
  for (std::int64_t at = 0; at < source.bytes; at += source.piece)
    visit(at, std::min(source.piece, source.bytes - at), pipeline.next());
}

// Only the pieces of a tensor's first source advance the progress, because the other sources are made from that one.
void advance(ProgressMeter& meter, const PlannedTensor& tensor, const Source& first, std::int64_t at,
             std::int64_t size) {
  const auto until = [&](std::int64_t byte) {
    const double share = static_cast<double>(byte) / static_cast<double>(first.bytes);
    return static_cast<std::int64_t>(share * static_cast<double>(tensor.progress_bytes));
  };
  meter.advance(tensor.name, until(at + size) - until(at));
}

// Writes the files of an output, one after another.
class FileWriter {
 public:
  FileWriter(const Destination& destination, Pipeline& pipeline, ProgressMeter& meter, ScratchFile* scratch,
             const Metadata& metadata)
      : destination_(destination), pipeline_(pipeline), meter_(meter), scratch_(scratch), metadata_(metadata) {}

  // Writes the complete file; publish() then gives it its final name.
  void write(PlannedFile& planned) {
    OutputFile file = destination_.create(planned.name);
    WriteBehind behind(file, pipeline_.buffers());
    std::unordered_map<std::string_view, std::int64_t> places;  // first byte of each tensor in the file
    for (const TensorEntry& entry : planned.entries)
      places.emplace(entry.name, static_cast<std::int64_t>(planned.header_bytes) + entry.begin);
    std::vector<std::string> texts;
    for (const PlannedTensor& tensor : planned.tensors) {
      const OpenedTensor work = tensor.open(scratch_);
      for (std::size_t i = 0; i < tensor.outputs.size(); ++i) {
        if (i > 0) pipeline_.finish();
        write_tensor(behind, places.at(tensor.outputs[i].name), work.sources[i], i == 0 ? &tensor : nullptr);
      }
      if (!tensor.text) continue;
      pipeline_.finish();
      texts.push_back(work.text());
    }
    pipeline_.finish();
    behind.finish();
    finish(file, planned, texts);
  }

 private:
  // `counted`: the tensor whose progress this write advances, or NULL.
  void write_tensor(WriteBehind& behind, std::int64_t place, const Source& source, const PlannedTensor* counted) {
    for_each_piece(source, pipeline_, [&](std::int64_t at, std::int64_t size, Piece& piece) {
      read_to_host(source, at, behind.buffer(static_cast<std::size_t>(size)), piece, array::kWritten);
      piece.when_done([&behind, offset = place + at] { behind.write(offset); });
      if (counted != nullptr) advance(meter_, *counted, source, at, size);
    });
  }

  // Places the texts, sets the end of the data to that of the last text, and writes the header.
  void finish(OutputFile& file, PlannedFile& planned, const std::vector<std::string>& texts) const {
    const auto entries = std::span(planned.entries).last(texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
      entries[i].shape = {std::ssize(texts[i])};
      entries[i].end = entries[i].begin + std::ssize(texts[i]);
    }
    planned.data_bytes = place_entries(planned.entries);
    const auto data_begin = static_cast<std::int64_t>(planned.header_bytes);
    for (std::size_t i = 0; i < texts.size(); ++i)
      file.write_at(data_begin + entries[i].begin, std::as_bytes(std::span(texts[i])));
    const std::string header = print_header(planned.entries, planned.header_bytes, metadata_);
    file.write_at(0, std::as_bytes(std::span(header)));
    file.finish();
  }

  const Destination& destination_;
  Pipeline& pipeline_;
  ProgressMeter& meter_;
  ScratchFile* scratch_;
  const Metadata& metadata_;
};

nlohmann::json command_of(const Transform& transform, const ConversionOptions& options) {
  nlohmann::json command = transform.command();
  command["dtype"] = options.dtype ? dtype_name(*options.dtype) : "auto";
  command["max_shard_size"] = options.max_shard_size;
  return command;
}

}  // namespace

void add_kept(const KeptTensors& kept, std::vector<KeptTensors>& all) {
  auto found = std::ranges::find(all, kept.kind, &KeptTensors::kind);
  if (found == all.end()) found = all.insert(found, {kept.kind, 0, 0});
  found->tensors += kept.tensors;
  found->bytes += kept.bytes;
  std::ranges::sort(all, std::greater(), [](const KeptTensors& each) { return std::pair(each.bytes, each.kind); });
}

ModelConversion::ModelConversion(std::unique_ptr<const Model> model, const std::string& component,
                                 const ConversionOptions& options, Transform& transform)
    : model_(std::move(model)),
      component_(component),
      options_(options),
      transform_(transform),
      command_(command_of(transform, options)),
      beside_(companions_of(*model_)) {
  ConversionPlan plan = transform.plan(*model_, component);
  if (model_->is_directory()) choose_files(plan);
  metadata_ = plan.metadata;
  files_ = plan_files(plan, model_->stem(), model_->is_directory() ? options.max_shard_size : INT64_MAX);
  config_ = std::move(plan.config);
  notes_ = std::move(plan.notes);
  note_no_config(*model_, read_config(*model_), notes_);
}

void ModelConversion::choose_files(const ConversionPlan& plan) {
  texts_ = plan.texts;
  const auto is_left_out = [&](const fs::path& name) { return plan.left_out.contains(name); };
  std::erase_if(beside_.files, is_left_out);
  std::erase_if(beside_.folders, is_left_out);
  std::set<fs::path> folders(beside_.folders.begin(), beside_.folders.end());
  folders.insert(plan.further_folders.begin(), plan.further_folders.end());
  beside_.folders.assign(folders.begin(), folders.end());  // std::set sorts them: parents first
  const std::vector<fs::path>& files = beside_.files;
  for (const fs::path& file : files) {
    std::string name = file.native();
    if (texts_.contains(name)) do
        name.insert(0, "original_");
      while (std::find(files.begin(), files.end(), name) != files.end());  // an earlier merge may have kept such a file
    copies_[name] = model_->path() / file;
  }
  for (const auto& [name, from] : plan.further_files) copies_[name] = from;
  if (component_.empty() && !texts_.contains(kCardFile)) choose_card();
  for (const auto& [name, from] : copies_) copied_bytes_ += InputFile(from).size();
}

// Chooses the model's own card, with the changes of the transform.
void ModelConversion::choose_card() {
  const std::optional<Config> config = read_config(*model_);
  std::optional<std::string> card =
      changed_card(model_->path(), card_changes(transform_.card(), model_->path(), library_of(config)));
  if (!card) return;
  copies_.erase(kCardFile);
  texts_[kCardFile] = *std::move(card);
}

Work ModelConversion::work() const {
  Work work;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (!is_own(options_.shard, i)) continue;
    ++work.report.files;
    work.report.bytes_written += files_[i].data_bytes;
    for (const PlannedTensor& tensor : files_[i].tensors) {
      ++work.report.tensors;
      work.report.converted += tensor.converted ? 1 : 0;
      work.report.bytes_read += tensor.input_bytes;
      if (!tensor.kept_as.empty()) add_kept({tensor.kept_as, 1, tensor.input_bytes}, work.report.kept);
      work.progress_bytes += tensor.progress_bytes;
      work.measured_bytes += tensor.measured ? tensor.progress_bytes : 0;
      work.scratch_bytes = std::max(work.scratch_bytes, tensor.scratch_bytes);
    }
  }
  if (is_own(options_.shard, 0)) work.copied_bytes = copied_bytes_;
  work.progress_bytes += work.copied_bytes;
  return work;
}

bool ModelConversion::converts() const {
  return std::any_of(files_.begin(), files_.end(), [](const PlannedFile& file) {
    return std::any_of(file.tensors.begin(), file.tensors.end(), [](const PlannedTensor& t) { return t.converted; });
  });
}

std::string ModelConversion::shards_plan() const {
  std::vector<fs::path> companions;
  for (const auto& [name, from] : copies_) companions.push_back(name);
  for (const auto& [name, text] : texts_) companions.push_back(name);
  return print_shards_plan({*model_, command_, index_of(files_), config_, beside_.folders, companions},
                           options_.shard->count);
}

void ModelConversion::write(const Destination& destination, Pipeline& pipeline, ProgressMeter& meter,
                            ScratchFile* scratch) {
  FileWriter writer(destination, pipeline, meter, scratch, metadata_);
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (!is_own(options_.shard, i)) continue;
    writer.write(files_[i]);
    transform_.made(component_, files_[i].tensors);
    destination.publish(files_[i].name);
  }
  write_further_files(destination, meter);
}

void ModelConversion::measure(Pipeline& pipeline, ProgressMeter& meter, ScratchFile* scratch) const {
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (!is_own(options_.shard, i)) continue;
    for (const PlannedTensor& tensor : files_[i].tensors) {
      if (!tensor.measured) continue;
      const Source first = tensor.open(scratch).sources.front();
      for_each_piece(first, pipeline, [&](std::int64_t at, std::int64_t size, Piece& piece) {
        read_to_host(first, at, piece.host(array::kWritten, static_cast<std::size_t>(size)), piece, array::kWritten);
        advance(meter, tensor, first, at, size);
      });
      pipeline.finish();
    }
    transform_.made(component_, files_[i].tensors);
  }
}

// Writes all files except the tensors. The index describes the finished files; a shard does not write one.
void ModelConversion::write_further_files(const Destination& destination, ProgressMeter& meter) const {
  if (!options_.shard && files_.size() > 1)
    destination.create_text(index_file_name(model_->stem()), index_json(index_of(files_)));
  if (!is_own(options_.shard, 0)) return;
  if (!config_.empty()) destination.create_text(kConfigFile, config_);
  for (const fs::path& name : beside_.folders) destination.create_folder(name);
  for (const auto& [name, from] : copies_) destination.create_copy(from, name, &meter);
  for (const auto& [name, text] : texts_) destination.create_text(name, text);
}

ConversionReport ModelConversion::report() const {
  ConversionReport report = work().report;
  report.notes = notes_;
  for (const fs::path& name : beside_.left_out) report.notes.push_back(not_copied(model_->path() / name));
  return report;
}

}  // namespace qfuse::checkpoint
