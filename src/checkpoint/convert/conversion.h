// The one way that every conversion takes: read the input, plan the whole output from its headers, so that what can
// fail fails early, open the destination, make the output's tensors piece by piece, report. What is made of which
// tensors is a Transform's affair. A diffusers pipeline is converted component by component into one output.
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
  std::vector<PlannedTensor> tensors;  // in the order in which they are made, and dealt out to files
  std::string config;                  // of the output; empty: none
  std::vector<std::string> notes;      // see ConversionReport
  Metadata metadata = {};              // of the files
  // Of an output directory, by name: files and folders of the model's own directory that it has not; files that are
  // copied instead of, or beside, the others, with where they are, and the folders for them; and texts that are
  // written. One of the model's own that a text takes the name of is kept as original_<name>.
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

  // Throws unless the device can do it; finds out by doing a little of it.
  virtual void try_device(Pipeline& pipeline) const = 0;
  // `model`, which outlives the plan, is all that is known of the input then: its headers. A plan may convert nothing.
  // `component`: which one of a pipeline it is; "": a model alone.
  [[nodiscard]] virtual ConversionPlan plan(const Model& model, const std::string& component) = 0;
  // When the tensors of a file were made, or, in a dry run, measured. Throws where the file must not appear.
  virtual void made(const std::string& /*component*/, std::span<const PlannedTensor> /*tensors*/) {}
  // Says why, of a model in which there was nothing to convert.
  [[noreturn]] virtual void refuse(const Model& model) const = 0;
  // Whether that component of a pipeline is converted if the caller did not say which.
  [[nodiscard]] virtual bool converts(const Component& component) const = 0;
  // What it changes in the model's card, but for the library; and the base model only if the input does not tell it.
  [[nodiscard]] virtual CardChanges card() const = 0;
  // Its name, as "command", and those of its own options that the bytes of the output depend on.
  [[nodiscard]] virtual nlohmann::json command() const = 0;
};

ConversionReport convert(const std::filesystem::path& in, const std::filesystem::path& out,
                         const ConversionOptions& options, Transform& transform);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_CONVERSION_H
