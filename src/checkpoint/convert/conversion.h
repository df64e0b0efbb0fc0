// The steps common to all conversions: read the input, plan the whole output from its headers, so that errors appear
// early, open the destination, make the output's tensors piece by piece, report. A Transform decides which output
// tensors are made from which input tensors. A diffusers pipeline is converted component by component into one output.
#ifndef QFUSE_CHECKPOINT_CONVERT_CONVERSION_H
#define QFUSE_CHECKPOINT_CONVERT_CONVERSION_H

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <qfuse/checkpoint.hpp>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/convert/model_card.h"
#include "checkpoint/convert/planned.h"
#include "checkpoint/files/components.h"
#include "checkpoint/files/model.h"

namespace qfuse::checkpoint {

struct ConversionPlan {
  std::vector<PlannedTensor> tensors;  // in the order in which they are made and assigned to files
  std::string config;                  // config.json of the output; empty: none
  std::vector<std::string> notes;      // see ConversionReport
  Metadata metadata = {};              // of the output's safetensors files
  // For an output directory, by name: files and folders of the model's directory that are not copied; source paths of
  // files that are copied in place of, or in addition to, the model's own; folders for these; and texts to write. If a
  // text has the name of one of the model's own files, that file is kept as original_<name>.
  std::set<std::filesystem::path> left_out = {};
  std::map<std::filesystem::path, std::filesystem::path> further_files = {};
  std::set<std::filesystem::path> further_folders = {};
  std::map<std::filesystem::path, std::string> texts = {};
};

class Transform {
 public:
  Transform() = default;
  Transform(const Transform&) = delete;
  Transform& operator=(const Transform&) = delete;
  virtual ~Transform() = default;

  // Throws unless the device can run this transform, which a small trial finds out.
  virtual void try_device(Pipeline& pipeline) const = 0;
  // Plans from the headers of `model`, which outlives the plan. A plan may convert nothing. `component`: name of the
  // pipeline component, or "" for a single model.
  [[nodiscard]] virtual ConversionPlan plan(const Model& model, const std::string& component) = 0;
  // Called when the tensors of a file were made or, in a dry run, measured. Throws if the file must not be published.
  virtual void made(const std::string& /*component*/, std::span<const PlannedTensor> /*tensors*/) {}
  // Throws an error that says why this model has nothing to convert.
  [[noreturn]] virtual void refuse(const Model& model) const = 0;
  // Whether this component of a pipeline is converted by default, when the caller did not choose components.
  [[nodiscard]] virtual bool converts(const Component& component) const = 0;
  // Changes to the model card, except `library`; `base_model` applies only if the input is not a known Hub model.
  [[nodiscard]] virtual CardChanges card() const = 0;
  // The command's name as "command", and those of its own options on which the bytes of the output depend.
  [[nodiscard]] virtual nlohmann::json command() const = 0;
};

ConversionReport convert(const std::filesystem::path& in, const std::filesystem::path& out,
                         const ConversionOptions& options, Transform& transform);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_CONVERSION_H
