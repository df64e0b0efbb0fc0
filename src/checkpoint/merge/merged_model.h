// A model with adapters, known from headers alone: what becomes of which tensor, and where its values come from.
#ifndef QFUSE_CHECKPOINT_MERGE_MERGED_MODEL_H
#define QFUSE_CHECKPOINT_MERGE_MERGED_MODEL_H

#include <cstdint>
#include <deque>
#include <optional>
#include <qfuse/checkpoint.hpp>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/files/adapter.h"
#include "checkpoint/files/config.h"
#include "checkpoint/files/file.h"
#include "checkpoint/files/layout.h"
#include "checkpoint/files/model.h"
#include "checkpoint/merge/merge_rules.h"
#include "checkpoint/merge/merged.h"
#include "checkpoint/names/families.h"

namespace qfuse::checkpoint {

// The adapters of a merge, opened, and found finite unless the caller allows others. Tensors point into them.
class Adapters {
 public:
  Adapters(std::span<const AdapterInput> inputs, bool allow_nonfinite);

  [[nodiscard]] const std::vector<WeightedAdapter>& all() const { return weighted_; }

  // Finds for each the component of `base` that it is for: the one that it names, or whose layers it names; a single
  // chosen one takes what is for one component, however that calls it. Refuses adapters whose tensors would not all be
  // used: of components that `base`, a pipeline or a model, is not, or that are not among the chosen ones, if any are.
  void settle(const std::filesystem::path& base, std::span<const std::string> chosen);
  // Those of a component of a pipeline; with no name, of a model alone, which all are for.
  [[nodiscard]] std::vector<WeightedAdapter> of(const std::string& component) const;

 private:
  [[nodiscard]] bool is_of_one_component(std::size_t adapter) const;

  std::vector<std::string> components_;  // of each
  std::deque<Adapter> adapters_;
  std::vector<WeightedAdapter> weighted_;
};

// The same adapters where they lie: those that are called by their names on the Hub, in its cache.
std::vector<AdapterInput> located_all(std::span<const AdapterInput> adapters);

// A base's values as the sum begins with them, and what is made of them.
struct MergeTask {
  Tensor tensor;
  std::optional<StoredTensor> replacement;
  std::optional<QuantState> seen_as;  // bitsandbytes' codes, through which the base is seen
  Merging merging;
  Dtype dtype = Dtype::bfloat16;  // of the result

  [[nodiscard]] Source base(ScratchFile* scratch) const;
  [[nodiscard]] Source base_in_parts(ScratchFile* scratch) const;  // for reads of much less than a piece
  [[nodiscard]] std::int64_t scratch_bytes() const;
};

// How a model is seen and merged, as MergeOptions say.
struct MergeWay {
  std::optional<Dtype> dtype;
  std::optional<QuantType> base_as;
  std::int64_t blocksize = 64;
  bool double_quant = true;
  std::vector<std::string> include;
  std::vector<std::string> exclude;
  Said said;
};

class MergedModel {
 public:
  // Refuses what find_rules() does. `model` and what `adapters` point to outlive this.
  MergedModel(const Model& model, std::vector<WeightedAdapter> adapters, MergeWay way);

  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] const std::vector<WeightedAdapter>& adapters() const { return adapters_; }
  [[nodiscard]] const std::optional<Config>& config() const { return config_; }
  [[nodiscard]] const std::vector<Tensor>& tensors() const { return layout_.tensors; }
  [[nodiscard]] const Layout& layout() const { return layout_; }
  // Whether the decoded model has such a tensor, which stands in no file where it is tied to another.
  [[nodiscard]] bool has(const std::string& tensor) const { return names_.contains(tensor); }
  [[nodiscard]] const Families& families() const { return families_; }
  [[nodiscard]] const MergeRules& rules() const { return rules_; }
  [[nodiscard]] bool is_quantized() const { return is_quantized_; }
  [[nodiscard]] bool is_4bit() const { return is_4bit_; }
  // A plain tensor that is nevertheless seen through bitsandbytes' codes.
  [[nodiscard]] bool is_seen(const std::string& tensor) const { return seen_.contains(tensor); }
  // A plain tensor that gets the dtype which was asked for, though nothing else becomes of it: all that have the dtype
  // of most of the model. Those that a model keeps in more bits than it, stay so.
  [[nodiscard]] bool is_cast(const Tensor& tensor) const;
  // NULL for a tensor that no adapter changes.
  [[nodiscard]] const TensorChange* change_of(const std::string& tensor) const;

  // What `tensor` becomes as an unquantized one; `change` may be NULL.
  [[nodiscard]] Dtype plain_dtype(const Tensor& tensor) const;
  [[nodiscard]] MergeTask task(const Tensor& tensor, const TensorChange* change) const;

 private:
  const Model& model_;
  std::vector<WeightedAdapter> adapters_;
  MergeWay way_;
  std::optional<Config> config_;
  Layout layout_;
  Families families_;
  MergeRules rules_;
  bool is_quantized_ = false;
  bool is_4bit_ = false;
  Dtype dtype_ = Dtype::bfloat16;  // of most elements, quantized ones as they decode
  std::set<std::string> seen_;
  std::set<std::string> names_;  // of all tensors
};

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_MERGE_MERGED_MODEL_H
