// A model's tensors by what kohya's training scripts call the layer: its name in diffusers or transformers with every
// dot as an underscore, behind the kind of model, "lora_unet_". For SDXL's UNet that is the name in Stability's own
// files: input_blocks_4_1_proj_in for down_blocks.1.attentions.0.proj_in. Where dots were cannot be told from such a
// name, so that the names of the model's tensors are turned into it.
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
  // `name`: by which it is meant, of the tensor, which outlives this.
  void add(const std::string& name, const Tensor& tensor);

  // Those that "lora_unet_<layer>.weight" and such can mean.
  [[nodiscard]] std::vector<const Tensor*> find(std::string_view name) const;

 private:
  [[nodiscard]] std::string without_stability_names(std::string_view layer) const;

  std::unordered_map<std::string, std::vector<const Tensor*>> by_layer_;  // with underscores
  int resnets_ = 0;                                                       // of a UNet's first block
};

}  // namespace qfuse::checkpoint

#endif  // QFUSE_CHECKPOINT_NAMES_KOHYA_NAMES_H
