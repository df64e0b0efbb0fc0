// One model on its way through a conversion: its plan, and the files that are made of it.
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
  std::string name;  // in an output directory
  std::vector<PlannedTensor> tensors;
  std::vector<TensorEntry> entries;  // in the order of their bytes; texts last, as long as they can get
  std::size_t header_bytes = 0;      // reserved for the header, which is written last
  std::int64_t data_bytes = 0;       // at most, until the file is finished
};

// What is done here: all, or a shard's part.
struct Work {
  ConversionReport report;  // until that is done, `bytes_written` is the most that it can be
  std::int64_t progress_bytes = 0;
  std::int64_t copied_bytes = 0;    // of files beside the tensors
  std::int64_t measured_bytes = 0;  // of that progress, of tensors that a dry run makes
  std::int64_t scratch_bytes = 0;
};

// To what is known of others of its kind; those of most bytes stand first.
void add_kept(const KeptTensors& kept, std::vector<KeptTensors>& all);

class ModelConversion {
 public:
  // Plans all of the output, so that what can fail fails here.
  // `component`: of a pipeline, or "".
  ModelConversion(std::unique_ptr<const Model> model, const std::string& component, const ConversionOptions& options,
                  Transform& transform);

  [[nodiscard]] const Model& model() const { return *model_; }
  [[nodiscard]] Work work() const;
  // Whether a tensor of the model, be it another shard's, is converted.
  [[nodiscard]] bool converts() const;
  // That the output has, parents first.
  [[nodiscard]] const std::vector<std::filesystem::path>& folders() const { return beside_.folders; }
  // What the processes of a sharded conversion agree on.
  [[nodiscard]] std::string shards_plan() const;

  // `scratch` may be NULL where no scratch_bytes are needed.
  void write(const Destination& destination, Pipeline& pipeline, ProgressMeter& meter, ScratchFile* scratch);

  // A dry run: makes the first of their tensors of those that are measured, and writes nothing.
  void measure(Pipeline& pipeline, ProgressMeter& meter, ScratchFile* scratch) const;

  // Of what was written, or would be.
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
  std::map<std::filesystem::path, std::filesystem::path> copies_;  // from where, by name
  std::int64_t copied_bytes_ = 0;
  std::map<std::filesystem::path, std::string> texts_;
  Metadata metadata_;
};

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_CONVERT_MODEL_CONVERSION_H
