// The one way that every conversion takes: read the input, plan the whole output from its headers, so that what can
// fail fails early, open the destination, make the output's tensors piece by piece, report. What is made of which
// tensors is a Transform's affair. A diffusers pipeline is converted component by component into one output.
#ifndef QFUSE_CHECKPOINT_CONVERT_CONVERSION_H
#define QFUSE_CHECKPOINT_CONVERT_CONVERSION_H

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <qfuse/checkpoint.hpp>
#include <string>
#include <vector>

#include "checkpoint/convert/families.h"
#include "checkpoint/convert/tensor_reader.h"
#include "checkpoint/files/components.h"
#include "checkpoint/files/file.h"
#include "checkpoint/files/model.h"

namespace qfuse::checkpoint {

// A tensor of the converted model: what is made together, of one or more tensors of the inputs, and stands in one file.
struct PlannedTensor {
  std::string name;
  bool converted = false;            // else it is copied
  std::vector<TensorEntry> outputs;  // that it becomes; without byte ranges
  // One more, whose bytes, and how many they are, are known only when the others were read; with the most that it can
  // be.
  std::optional<TensorEntry> text;
  std::int64_t input_bytes = 0;                            // of tensors read
  std::int64_t progress_bytes = 0;                         // that its readers count in all
  std::int64_t scratch_bytes = 0;                          // of a file that is needed while it is read
  std::function<OpenedTensor(ScratchFile* scratch)> open;  // NULL: where nobody needs one
};

// A tensor that is copied byte for byte.
PlannedTensor copied(const StoredTensor& stored);

struct ConversionPlan {
  std::vector<PlannedTensor> tensors;  // in the order in which they are made, and dealt out to files
  std::string config;                  // of the output; empty: none
  std::vector<std::string> notes;      // see ConversionReport
  Metadata metadata = {};              // of the files
  // Of an output directory, by name: files that are copied instead of, or beside, those of the model's own directory,
  // and texts that are written. One of the model's own that a text takes the name of is kept as original_<name>.
  std::map<std::filesystem::path, std::filesystem::path> further_files = {};
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
  [[nodiscard]] virtual ConversionPlan plan(const Model& model, const std::string& component) const = 0;
  // Says why, of a model in which there was nothing to convert.
  [[noreturn]] virtual void refuse(const Model& model) const = 0;
  // Whether that component of a pipeline is converted if the caller did not say which.
  [[nodiscard]] virtual bool converts(const Component& component) const = 0;
  // Its name, as "command", and those of its own options that the bytes of the output depend on.
  [[nodiscard]] virtual nlohmann::json command() const = 0;
};

// The line that says of a file of the input that it is not in the output.
std::string not_copied(const std::filesystem::path& file);

// Says so where nobody has checked what transformers or diffusers makes of a model of these families.
void note_families(const Families& families, const Model& model, std::vector<std::string>& notes);

// Of a file, whose family is that of a config.json beside it, which has to stay beside what becomes of it.
void note_turned(std::int64_t matrices, const Families& families, const Model& model, std::vector<std::string>& notes);

ConversionReport convert(const std::filesystem::path& in, const std::filesystem::path& out,
                         const ConversionOptions& options, const Transform& transform);

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_CONVERSION_H
