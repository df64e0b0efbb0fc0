// The conversion of one model: its plan, and the files that are written by it.
#ifndef QFUSE_CHECKPOINT_CONVERT_MODEL_CONVERSION_H
#define QFUSE_CHECKPOINT_CONVERT_MODEL_CONVERSION_H

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <qfuse/checkpoint.hpp>
#include <string>
#include <vector>

#include "checkpoint/convert/conversion.h"
#include "checkpoint/files/companions.h"
#include "checkpoint/files/progress.h"
#include "checkpoint/output/output.h"
#include "checkpoint/output/shards_plan.h"

namespace qfuse::checkpoint {

struct PlannedFile {
  std::string name;  // file name in the output directory
  std::vector<PlannedTensor> tensors;
  std::vector<TensorEntry> entries;  // in byte order; texts last, with their maximum sizes
  std::size_t header_bytes = 0;      // reserved; the header is written last
  std::int64_t data_bytes = 0;       // an upper bound until the file is finished
};

// The work of this process: the whole output, or one shard.
struct Work {
  ConversionReport report;  // `bytes_written` is an upper bound until the work is done
  std::int64_t progress_bytes = 0;
  std::int64_t copied_bytes = 0;    // of files other than the weight files
  std::int64_t measured_bytes = 0;  // of progress_bytes, those of tensors that a dry run makes
  std::int64_t scratch_bytes = 0;
};

// Adds `kept` to the entry of its kind in `all`; kinds with the most bytes come first.
void add_kept(const KeptTensors& kept, std::vector<KeptTensors>& all);

class ModelConversion {
 public:
  // Plans the whole output, so that errors appear here. `component`: name of the pipeline component, or "".
  ModelConversion(std::unique_ptr<const Model> model, const std::string& component, const ConversionOptions& options,
                  Transform& transform);

  [[nodiscard]] const Model& model() const { return *model_; }
  [[nodiscard]] Work work() const;
  // Whether any tensor of the model is converted, be it in this shard or another.
  [[nodiscard]] bool converts() const;
  // Folders of the output, parents first.
  [[nodiscard]] const std::vector<std::filesystem::path>& folders() const { return beside_.folders; }
  // The plan that all processes of a sharded conversion must agree on.
  [[nodiscard]] std::string shards_plan() const;

  // `scratch` may be NULL if scratch_bytes is 0.
  void write(const Destination& destination, Pipeline& pipeline, ProgressMeter& meter, ScratchFile* scratch);

  // A dry run: makes only the first source of each measured tensor, and writes nothing.
  void measure(Pipeline& pipeline, ProgressMeter& meter, ScratchFile* scratch) const;

  // The report of what was written, or would be.
  [[nodiscard]] ConversionReport report() const;

 private:
  void choose_files(const ConversionPlan& plan);
  void choose_card();
  void write_further_files(const Destination& destination, ProgressMeter& meter) const;

  std::unique_ptr<const Model> model_;
  std::string component_;
  const ConversionOptions& options_;
  Transform& transform_;
  nlohmann::json command_;
  std::vector<PlannedFile> files_;
  std::string config_;
  std::vector<std::string> notes_;
  Companions beside_;
  std::map<std::filesystem::path, std::filesystem::path> copies_;  // source path by output name
  std::int64_t copied_bytes_ = 0;
  std::map<std::filesystem::path, std::string> texts_;
  Metadata metadata_;
};

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_MODEL_CONVERSION_H
