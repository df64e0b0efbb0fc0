// A model with adapters, planned from headers only: how each tensor changes, and the source of its values.
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

// The opened adapters of a merge, checked to be finite unless the caller allows other values. Tensors point into them.
class Adapters {
 public:
  Adapters(std::span<const AdapterInput> inputs, bool allow_nonfinite);

  [[nodiscard]] const std::vector<WeightedAdapter>& all() const { return weighted_; }

  // Determines each adapter's component of `base`: the one that it names, or the one that has its layers. If a single
  // component is chosen, it takes any adapter for one component. Fails if tensors of an adapter would be unused,
  // because `base` (a pipeline or a model) lacks their component, or because it is not among the chosen ones.
  void settle(const std::filesystem::path& base, std::span<const std::string> chosen);
  // Returns the adapters for a component of a pipeline; for "", a single model, all adapters.
  [[nodiscard]] std::vector<WeightedAdapter> of(const std::string& component) const;

 private:
  [[nodiscard]] bool is_of_one_component(std::size_t adapter) const;

  std::vector<std::string> components_;  // component of each adapter
  std::deque<Adapter> adapters_;
  std::vector<WeightedAdapter> weighted_;
};

// Replaces adapters that are Hub names by their paths in the Hub's cache.
std::vector<AdapterInput> located_all(std::span<const AdapterInput> adapters);

// The base's values with which the sum begins, and how they are merged.
struct MergeTask {
  Tensor tensor;
  std::optional<StoredTensor> replacement;
  std::optional<QuantState> seen_as;  // encode and decode the base in this bitsandbytes format first
  Merging merging;
  Dtype dtype = Dtype::bfloat16;  // of the result

  [[nodiscard]] Source base(ScratchFile* scratch) const;
  [[nodiscard]] Source base_in_parts(ScratchFile* scratch) const;  // for reads of much less than a piece
  [[nodiscard]] std::int64_t scratch_bytes() const;
};

// How to treat and merge a model, from MergeOptions.
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
  // Fails where find_rules() does. `model` and what `adapters` points to must outlive this.
  MergedModel(const Model& model, std::vector<WeightedAdapter> adapters, MergeWay way);

  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] const std::vector<WeightedAdapter>& adapters() const { return adapters_; }
  [[nodiscard]] const std::optional<Config>& config() const { return config_; }
  [[nodiscard]] const std::vector<Tensor>& tensors() const { return layout_.tensors; }
  [[nodiscard]] const Layout& layout() const { return layout_; }
  // Whether the decoded model stores this tensor; a tied tensor may not be stored.
  [[nodiscard]] bool has(const std::string& tensor) const { return names_.contains(tensor); }
  [[nodiscard]] const Families& families() const { return families_; }
  [[nodiscard]] const MergeRules& rules() const { return rules_; }
  [[nodiscard]] bool is_quantized() const { return is_quantized_; }
  [[nodiscard]] bool is_4bit() const { return is_4bit_; }
  // Whether a plain tensor is encoded to bitsandbytes' 4 bits and decoded again before the merge.
  [[nodiscard]] bool is_seen(const std::string& tensor) const { return seen_.contains(tensor); }
  // Whether a plain tensor is cast to the requested dtype, even if unchanged otherwise: all that have the dtype of most
  // of the model. Tensors that the model keeps in more bits than that stay as they are.
  [[nodiscard]] bool is_cast(const Tensor& tensor) const;
  // Returns NULL for a tensor that no adapter changes.
  [[nodiscard]] const TensorChange* change_of(const std::string& tensor) const;

  // The dtype and the merge of `tensor` as an unquantized tensor; `change` may be NULL.
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
  Dtype dtype_ = Dtype::bfloat16;  // of most elements; quantized ones count as decoded
  std::set<std::string> seen_;
  std::set<std::string> names_;  // names of all stored tensors
};

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_MERGE_MERGED_MODEL_H
