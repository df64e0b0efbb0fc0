#include "checkpoint/convert/conversion.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "checkpoint/convert/model_conversion.h"
#include "checkpoint/convert/notes.h"
#include "checkpoint/files/adapter_config.h"
#include "checkpoint/files/errors.h"
#include "checkpoint/files/hub.h"
#include "checkpoint/files/progress.h"
#include "checkpoint/output/output.h"
#include "checkpoint/output/shards.h"

namespace qfuse::checkpoint {
namespace {

namespace fs = std::filesystem;

// ---- a model ---------------------------------------------------------------------------------------------------

OutputKind kind_of(const Model& model) { return model.is_directory() ? OutputKind::directory : OutputKind::file; }

// Opens the output at `out`, or this shard's part of it, which has `bytes`.
std::unique_ptr<Destination> open_destination(const fs::path& out, const ModelConversion& conversion,
                                              const ConversionOptions& options, std::int64_t bytes) {
  const Model& model = conversion.model();
  if (options.shard)
    return std::make_unique<ShardOutput>(out, *options.shard, options.force, model.path(), bytes,
                                         conversion.shards_plan(), conversion.folders());
  return std::make_unique<PendingOutput>(out, kind_of(model), options.force, model.path(), bytes, conversion.folders());
}

ConversionReport convert_model(const fs::path& in, const fs::path& out, const ConversionOptions& options,
                               Transform& transform, Pipeline& pipeline) {
  auto model = std::make_unique<const Model>(in);
  check_shard(options.shard, *model);
  if (!options.components.empty())
    fail(Status::invalid_argument, "{}: is one model, and has no components: a pipeline has a {}", model->name(),
         kPipelineFile);
  ModelConversion conversion(std::move(model), "", options, transform);
  if (!conversion.converts()) transform.refuse(conversion.model());
  const Work work = conversion.work();
  const std::int64_t bytes = work.report.bytes_written + work.copied_bytes + work.scratch_bytes;
  check_neighbours(out, in);
  if (options.dry_run) {  // checks what opening the destination would refuse, except other processes at work there
    const fs::path target =
        check_target(out, kind_of(conversion.model()), options.force, in, bytes, conversion.folders());
    ProgressMeter meter(options.progress, work.measured_bytes);
    std::optional<ScratchFile> scratch;
    if (work.measured_bytes > 0 && work.scratch_bytes > 0) scratch.emplace(parent_of(target));
    conversion.measure(pipeline, meter, scratch ? &*scratch : nullptr);
    return conversion.report();
  }
  const std::unique_ptr<Destination> destination = open_destination(out, conversion, options, bytes);
  std::optional<ScratchFile> scratch;
  if (work.scratch_bytes > 0) scratch = destination->create_scratch();
  ProgressMeter meter(options.progress, work.progress_bytes);
  conversion.write(*destination, pipeline, meter, scratch ? &*scratch : nullptr);
  destination->commit();
  return conversion.report();
}

// ---- a pipeline ------------------------------------------------------------------------------------------------

// Lists the folder's regular files except an adapter config, which would be loaded instead of the model beside it.
std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::path& name : list_directory(folder))
    if (name != kAdapterConfigFile && fs::is_regular_file(folder / name)) files.push_back(folder / name);
  return files;
}

// Converts a pipeline: some components are converted, the others are copied file by file.
class PipelineConversion {
 public:
  PipelineConversion(const fs::path& in, const ConversionOptions& options, Transform& transform)
      : options_(options), transform_(transform) {
    components_ = read_components(in);
    check_chosen(in);
    for (const Component& component : components_) plan(component);
    if (converted_.empty())
      fail(Status::invalid_data, "{}: none of its components has weights to {}", shown(in),
           transform.command().at("command").get_ref<const std::string&>());
    card_ = changed_card(in, card_changes(transform.card(), in, "diffusers"));
    for (const fs::path& file : files_in(in)) add_file(file);
    note_left_out(in);
  }

  [[nodiscard]] std::int64_t bytes() const {
    std::int64_t bytes = report().bytes_written + copied_bytes_ + scratch_bytes();
    for (const auto& [name, conversion] : converted_) bytes += conversion.work().copied_bytes;
    return bytes;
  }

  void write(PendingOutput& output, Pipeline& pipeline) {
    std::int64_t progress_bytes = copied_bytes_;
    for (const auto& [name, conversion] : converted_) progress_bytes += conversion.work().progress_bytes;
    ProgressMeter meter(options_.progress, progress_bytes);
    std::optional<ScratchFile> scratch;
    if (scratch_bytes() > 0) scratch = output.create_scratch();
    for (auto& [name, conversion] : converted_) {
      FolderOutput folder(output, name);
      conversion.write(folder, pipeline, meter, scratch ? &*scratch : nullptr);
      folder.commit();
    }
    for (const Component& component : copied_) {
      FolderOutput folder(output, component.name);
      for (const fs::path& file : files_in(component.path)) folder.create_copy(file, file.filename(), &meter);
      folder.commit();
    }
    for (const fs::path& file : files_) output.create_copy(file, file.filename(), &meter);
    if (card_) output.create_text(kCardFile, *card_);
    output.commit();
  }

  // Dry run: makes the tensors that collect statistics, and writes no output.
  void measure(const fs::path& target, Pipeline& pipeline) {
    std::int64_t bytes = 0;
    for (const auto& [name, conversion] : converted_) bytes += conversion.work().measured_bytes;
    ProgressMeter meter(options_.progress, bytes);
    std::optional<ScratchFile> scratch;
    if (bytes > 0 && scratch_bytes() > 0) scratch.emplace(parent_of(target));
    for (const auto& [name, conversion] : converted_)
      conversion.measure(pipeline, meter, scratch ? &*scratch : nullptr);
  }

  [[nodiscard]] ConversionReport report() const {
    ConversionReport all;
    for (const auto& [name, conversion] : converted_) {
      const ConversionReport one = conversion.report();
      all.tensors += one.tensors;
      all.converted += one.converted;
      all.files += one.files;
      all.bytes_read += one.bytes_read;
      all.bytes_written += one.bytes_written;
      for (const KeptTensors& kept : one.kept) add_kept(kept, all.kept);
      all.notes.insert(all.notes.end(), one.notes.begin(), one.notes.end());
    }
    all.notes.insert(all.notes.end(), notes_.begin(), notes_.end());
    return all;
  }

 private:
  [[nodiscard]] bool is_chosen(const std::string& name) const {
    return std::find(options_.components.begin(), options_.components.end(), name) != options_.components.end();
  }

  void check_chosen(const fs::path& in) const {
    for (const std::string& name : options_.components)
      if (std::none_of(components_.begin(), components_.end(), [&](const Component& c) { return c.name == name; }))
        fail(Status::invalid_argument, "{}: has no component '{}': {}", shown(in), printable(name), names());
  }

  [[nodiscard]] std::string names() const {
    std::string names;
    for (const Component& component : components_) names += (names.empty() ? "" : ", ") + printable(component.name);
    return names.empty() ? "it has none" : "it has " + names;
  }

  void plan(const Component& component) {
    const bool asked = is_chosen(component.name);
    const bool by_default = options_.components.empty() && holds_weights(component);
    if (asked || (by_default && transform_.converts(component))) {
      ModelConversion conversion(std::make_unique<const Model>(component.path), component.name, options_, transform_);
      if (asked && !conversion.converts()) transform_.refuse(conversion.model());
      if (conversion.converts()) return void(converted_.emplace_back(component.name, std::move(conversion)));
    } else if (by_default) {
      notes_.push_back(fmt::format("{}: is copied as it is, since nobody chose it", shown(component.path)));
    }
    copied_.push_back(component);
    for (const fs::path& file : files_in(component.path)) copied_bytes_ += InputFile(file).size();
  }

  // Adds a file of the pipeline's own folder, beside its components.
  void add_file(const fs::path& file) {
    if (is_weight_file(file)) return notes_.push_back(not_copied(file));
    if (card_ && file.filename() == kCardFile) return;
    files_.push_back(file);
    copied_bytes_ += InputFile(file).size();
  }

  // Notes adapters and folders that are not copied: those that are no components, and those within copied components.
  void note_left_out(const fs::path& in) {
    std::set<fs::path> known;
    for (const Component& component : components_) known.insert(component.path);
    std::vector<fs::path> places{in};
    for (const Component& component : copied_) places.push_back(component.path);
    for (const fs::path& place : places)
      for (const fs::path& name : list_directory(place))
        if (name == kAdapterConfigFile || (fs::is_directory(place / name) && !known.contains(place / name)))
          notes_.push_back(not_copied(place / name));
  }

  [[nodiscard]] std::int64_t scratch_bytes() const {
    std::int64_t bytes = 0;
    for (const auto& [name, conversion] : converted_) bytes = std::max(bytes, conversion.work().scratch_bytes);
    return bytes;
  }

  const ConversionOptions& options_;
  Transform& transform_;
  std::vector<Component> components_;
  std::deque<std::pair<std::string, ModelConversion>> converted_;  // with the component's name
  std::vector<Component> copied_;
  std::vector<fs::path> files_;
  std::optional<std::string> card_;  // replaces the input's card
  std::vector<std::string> notes_;
  std::int64_t copied_bytes_ = 0;
};

ConversionReport convert_pipeline(const fs::path& in, const fs::path& out, const ConversionOptions& options,
                                  Transform& transform, Pipeline& pipeline) {
  if (options.shard)
    fail(Status::invalid_argument,
         "{}: is a diffusers pipeline, which has no shards: convert its components with them, or all without",
         shown(in));
  PipelineConversion conversion(in, options, transform);
  check_neighbours(out, in);
  if (options.dry_run) {
    conversion.measure(check_target(out, OutputKind::pipeline, options.force, in, conversion.bytes()), pipeline);
  } else {
    PendingOutput output(out, OutputKind::pipeline, options.force, in, conversion.bytes());
    conversion.write(output, pipeline);
  }
  return conversion.report();
}

ConversionReport convert_checked(const fs::path& in, const fs::path& out, const ConversionOptions& options,
                                 Transform& transform) {
  if (options.max_shard_size < 1)
    fail(Status::invalid_argument, "max_shard_size is {}, must be positive", options.max_shard_size);
  Pipeline pipeline(options.exec);
  transform.try_device(pipeline);
  return (is_pipeline(in) ? convert_pipeline : convert_model)(in, out, options, transform, pipeline);
}

}  // namespace

ConversionReport convert(const fs::path& in, const fs::path& out, const ConversionOptions& options,
                         Transform& transform) {
  return with_qfuse_errors([&] { return convert_checked(located(in), out, options, transform); });
}

}  // namespace qfuse::checkpoint
