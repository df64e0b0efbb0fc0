// Finds tensors by layer names of kohya's training scripts: the name in diffusers or transformers with every dot
// replaced by an underscore, after the kind of model, "lora_unet_". For SDXL's UNet it is the name in Stability's own
// files: input_blocks_4_1_proj_in for down_blocks.1.attentions.0.proj_in. The dots cannot be recovered from such a
// name, so the names of the model's tensors are converted to this form instead.
#ifndef QFUSE_CHECKPOINT_NAMES_KOHYA_NAMES_H
#define QFUSE_CHECKPOINT_NAMES_KOHYA_NAMES_H

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "checkpoint/files/layout.h"

namespace qfuse::checkpoint {

class KohyaNames {
 public:
  // `name` is the name to convert; `tensor` must outlive this.
  void add(const std::string& name, const Tensor& tensor);

  // Returns the tensors that "lora_unet_<layer>.weight" and similar names can mean.
  [[nodiscard]] std::vector<const Tensor*> find(std::string_view name) const;

 private:
  [[nodiscard]] std::string without_stability_names(std::string_view layer) const;

  std::unordered_map<std::string, std::vector<const Tensor*>> by_layer_;  // names with underscores
  int resnets_ = 0;                                                       // resnets in the UNet's first block
};

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_NAMES_KOHYA_NAMES_H
